#include <inttypes.h>

#include "cli/render/blocked/blocked_common.h"
#include "tcplan/study/words.h"

/** Returns a description of the failure in a failed case. */
static const char *trouble_of(const struct tcplan_blocked_verdict *verdict) {
    if (verdict->passed) return "passed";
    if (verdict->touched) return "wrote outside its result";
    if (verdict->outcome.info != verdict->lapack_info) return "another info";
    return "differs";
}

static struct field_value shown_at(const void *record) {
    const struct blocked_checked *checked = record;
    if (tcplan_blocked_blocks(checked->algorithm)->size_count == 1)
        return field_printed("%" PRId64, checked->at.size[0]);
    return field_printed("%" PRId64 " x %" PRId64, checked->at.size[0], checked->at.size[1]);
}

#define LAST_SIZE r->at.size[tcplan_blocked_blocks(r->algorithm)->size_count - 1]
#define LETTER tcplan_word(tcplan_words_dtypes, (int)tcplan_blocked_dtype(r->algorithm))

FIELD_GETTER(struct blocked_checked, shown_name,
             field_printed("%s%s", LETTER, tcplan_blocked_name(r->algorithm)))

/* clang-format off */

#define WORST(F, T) \
    F(T, m, INTEGER, field_integer(r->at.size[0]), "rows", CSV(7), .hidden = true) \
    F(T, n, INTEGER, field_integer(LAST_SIZE), "columns", CSV(8), .hidden = true) \
    F(T, block, INTEGER, field_integer(r->at.block), "block size", ALWAYS, CSV(9)) \
    F(T, end, TEXT, field_text(tcplan_blocked_end_text(r->worst.outcome.end)), "outcome", ALWAYS) \
    F(T, info, INTEGER, field_integer(r->worst.outcome.info), "return value", ALWAYS, CSV(10), .schema = "\"type\": \"integer\"") \
    F(T, lapack_info, INTEGER, field_integer(r->worst.lapack_info), "return value of LAPACK's routine", ALWAYS, CSV(12), .schema = "\"type\": \"integer\"") \
    F(T, error, NUMBER, field_number(r->worst.error), "norm of the difference", CSV(5)) \
    F(T, allowed, NUMBER, field_number(r->worst.allowed), "bound on the error", ALWAYS, CSV(6)) \
    F(T, touched, TEXT, field_text(r->worst.touched), "matrix that was written outside the result") \
    F(T, sizes, SIZES, blocked_sizes(r->algorithm, &r->at), "extents of the matrices", ALWAYS, CSV(13))

#define CHECK(F, T) \
    F(T, algorithm, TEXT, field_text(tcplan_blocked_name(r->algorithm)), "name, such as potrf_L3", ALWAYS, CSV(1), \
      COLUMN(1, "algorithm"), .shown = shown_name) \
    F(T, dtype, TEXT, field_text(LETTER), "element type", ALWAYS, CSV(2), .words = tcplan_words_dtypes) \
    F(T, lapack, TEXT, field_text(r->worst.lapack), "LAPACK routine for comparison", ALWAYS, CSV(11)) \
    F(T, cases, INTEGER, field_integer(r->cases), "number of sizes and block sizes", ALWAYS, CSV(3), COLUMN(2, "cases")) \
    F(T, failed, INTEGER, field_integer(r->failed), "cases that failed", ALWAYS, CSV(4), COLUMN(3, "failed")) \
    F(T, worst, OBJECT, FIELD_VISIT(r), "case with the largest error relative to its bound", .fields = worst_fields, ALWAYS) \
    F(T, worst_error, NUMBER, field_number(r->worst.error), "error of the worst case", COLUMN(4, "error"), .format = FIELD_EXPONENT, .hidden = true) \
    F(T, worst_allowed, NUMBER, field_number(r->worst.allowed), "bound of the worst case", COLUMN(5, "allowed"), .format = FIELD_EXPONENT, .hidden = true) \
    F(T, worst_at, NUMBER, field_unknown(), "sizes of the worst case", COLUMN(6, "at"), .shown = shown_at, .hidden = true) \
    F(T, worst_block, INTEGER, field_integer(r->at.block), "block size of the worst case", COLUMN(7, "b"), .hidden = true) \
    F(T, trouble, TEXT, field_text(trouble_of(&r->worst)), "failure", COLUMN(8, ""), .hidden = true)

#define CHECKS(F, T) \
    F(T, checks, LIST, FIELD_VISIT_ALL(r->count, &r->checked[i]), "results, one for each algorithm", .item = "check", .fields = check_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(worst, blocked_checked, WORST);
FIELD_TABLE(check, blocked_checked, CHECK);
FIELD_TABLE(checks, blocked_checks, CHECKS);

VIEW(blocked_check, checks, "blocked_checks", NULL,
     "Results of blocked algorithms compared with LAPACK's on random matrices.");
