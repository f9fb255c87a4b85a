/*
 * Errors of evaluations, separately for each way in which evaluations are made (enum tcplan_basis).
 * The error is the difference between the time of an algorithm in a comparison and its earlier
 * evaluation, as a logarithm, minus the mean difference of all algorithms in the comparison.
 */
#include <math.h>

#include "store/experience.h"

enum { DAYS = 90 };

/* Words for the bases of a time, as reports print them. */
static const char *const bases[] = {"probes", "windows", "long-windows", "runs", NULL};

static const struct field fields[] = {
    {INT64_OF("made", evaluation_error, made, 0, INT64_MAX)},
    {WORD_OF("basis", evaluation_error, basis, bases)},
    {FIELD_OF("count", REAL, evaluation_error, count)},
    {FIELD_OF("squares", REAL, evaluation_error, squares)},
    {0},
};

static bool can_be(const void *observation) {
    const struct evaluation_error *error = observation;
    return error->count > 0 && experience_is_sum(error->count, error->squares, EXPERIENCE_ERRORS);
}

/** Adds an error to the sum of its basis. If there are more than the maximum number of errors,
 * the sum and the number are scaled down. */
static enum tcplan_status fold(struct tcplan_experience *experience, const void *observation) {
    struct evaluation_error sum = *(const struct evaluation_error *)observation;
    int place = 0;
    while (place < experience->error_count && experience->error[place].basis != sum.basis) place++;
    if (place == experience->error_count) {
        experience->error_count++;
    } else {
        sum.count += experience->error[place].count;
        sum.squares += experience->error[place].squares;
    }
    experience_bound(&sum.count, &sum.squares, EXPERIENCE_ERRORS);
    experience->error[place] = sum;
    return TCPLAN_OK;
}

static void print(struct strbuf *out, const void *value) {
    const struct tcplan_experience *experience = value;
    for (int e = 0; e < experience->error_count; e++) {
        const struct evaluation_error *error = &experience->error[e];
        strbuf_add(out, "%-12s  %4.0f evaluations, standard deviation of their errors %.1f %%\n",
                   bases[error->basis], error->count, 100 * sqrt(error->squares / error->count));
    }
}

static const struct fields_line lines[] = {
    {LINE_SEVERAL("error", fields, tcplan_experience, error, error_count)}, {0}};

const struct store_kind store_kind_errors = {.name = "errors",
                                             .version = 1,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_PARTS,
                                             .line = lines,
                                             .can_be = can_be,
                                             .fold = fold,
                                             .print = print};
