#include <inttypes.h>

#include "base/strbuf.h"
#include "cli/render/blocked/blocked_common.h"
#include "tcplan/study/words.h"

/** Returns `m=300,n=200`. */
static struct field_value sizes_of(const struct tcplan_blocked_call *call, const char *separator) {
    struct strbuf out = {0};
    for (int s = 0; s < call->size_count; s++)
        strbuf_add(&out, "%s%s=%" PRId64, s > 0 ? separator : "", call->size_name[s],
                   call->size[s]);
    struct field_value value = field_owned(strbuf_finish(&out));
    value.known = true;
    return value;
}

static bool visit_call(void *visit, const struct tcplan_blocked_call *call) {
    ((struct field_visit *)visit)->use(visit, call);
    return true;
}

static void visit_calls(const struct blocked_traced *traced, struct field_visit *visit) {
    if (tcplan_blocked_trace(traced->algorithm, &traced->sizes, visit_call, visit, NULL) !=
        TCPLAN_OK)
        visit->no_memory = true;
}

#define CALL_GETTER(name, value) FIELD_GETTER(struct tcplan_blocked_call, name, value)
CALL_GETTER(shown_routine, field_printed("%s%s%s", r->routine, *r->letters ? "_" : "", r->letters))
CALL_GETTER(shown_sizes, sizes_of(r, " "))
CALL_GETTER(shown_flops, r->empty ? field_unknown() : field_printed("%.0f", r->flops))

/* clang-format off */

#define CALL(F, T) \
    F(T, step, INTEGER, field_integer(r->step), "step of the outermost loop, from 1", ALWAYS, CSV(1), COLUMN(1, "step")) \
    F(T, routine, TEXT, field_text(r->routine), "called routine", ALWAYS, CSV(2), COLUMN(2, "routine"), .shown = shown_routine) \
    F(T, flags, TEXT, field_word(r->letters), "flags, such as RLTN", ALWAYS, CSV(3)) \
    F(T, statement, TEXT, field_text(r->statement), "the step's statement", ALWAYS, CSV(5), COLUMN(4, "statement")) \
    F(T, slices, TEXT, field_text(r->slices), "statement with numbers", ALWAYS, CSV(6), COLUMN(5, "slices"), .optional = '2') \
    F(T, empty, FLAG, field_flag(r->empty), "whether a size is 0, so that the call is skipped", ALWAYS) \
    F(T, flops, NUMBER, field_number(r->flops), "operations of the call", ALWAYS, CSV(7), COLUMN(6, "operations"), .optional = '1', .shown = shown_flops) \
    F(T, sizes, SIZES, sizes_of(r, ","), "sizes of the call", ALWAYS, CSV(4), COLUMN(3, "sizes"), .shown = shown_sizes)

#define TRACED(F, T) \
    F(T, algorithm, TEXT, field_text(tcplan_blocked_name(r->algorithm)), "name, such as potrf_L3", ALWAYS) \
    F(T, dtype, TEXT, FIELD_WORD(dtypes, tcplan_blocked_dtype(r->algorithm)), "element type", ALWAYS, .words = tcplan_words_dtypes) \
    F(T, block, INTEGER, field_integer(r->sizes.block), "block size", ALWAYS) \
    F(T, flops, NUMBER, field_number(tcplan_blocked_flops(r->algorithm, &r->sizes)), "nominal operations of the algorithm", ALWAYS) \
    F(T, sizes, SIZES, blocked_sizes(r->algorithm, &r->sizes), "extents of the matrices", ALWAYS) \
    F(T, calls, LIST, visit_calls(r, visit), "the calls in order", .item = "call", .fields = call_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(call, tcplan_blocked_call, CALL);
FIELD_TABLE(traced, blocked_traced, TRACED);

struct totals {
    double flops;
    int64_t calls, made;
};

static bool count_call(void *context, const struct tcplan_blocked_call *call) {
    struct totals *totals = context;
    totals->calls++;
    totals->made += !call->empty;
    totals->flops += call->flops;
    return true;
}

static void print(struct writer *writer, const void *record) {
    const struct blocked_traced *traced = record;
    struct totals totals = {0};
    fprintf(writer->file, "%s, ", tcplan_blocked_name(traced->algorithm));
    blocked_sizes_print(writer->file, traced->algorithm, &traced->sizes, " ");
    fprintf(writer->file, ", block %" PRId64 "\n\n", traced->sizes.block);
    fields_print_list(writer, field_named(traced_fields, "calls"), traced);
    if (tcplan_blocked_trace(traced->algorithm, &traced->sizes, count_call, &totals, NULL) !=
        TCPLAN_OK)
        writer->no_memory = true;
    fprintf(writer->file,
            "\n%" PRId64 " calls, %" PRId64
            " of them empty; their operations are %.0f, nominally %.0f\n",
            totals.calls, totals.calls - totals.made, totals.flops,
            tcplan_blocked_flops(traced->algorithm, &traced->sizes));
}

VIEW(blocked_trace, traced, "blocked", print, "The calls of a blocked algorithm.");
