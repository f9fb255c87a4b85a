#include "gen/emit/library_test.h"

#include "base/decimal.h"

/*
 * The test program of an emitted library compares each function with sums
 * (templates/library_test.c). It has a table with a row for each function, which is made from the
 * contraction alone, not from the nest.
 */
static void add_factor(struct strbuf *out, struct tcplan_scalar scalar) {
    strbuf_add(out, "{");
    decimal_print(out, scalar.re);
    strbuf_add(out, ", ");
    decimal_print(out, scalar.im);
    strbuf_add(out, "}, ");
}

/** Appends a number for each tensor; 0 for a missing addend. */
static void add_counts(struct strbuf *out, const int64_t count[TCPLAN_TENSORS]) {
    strbuf_add(out, "{%lld, %lld, %lld, %lld}, ", (long long)count[TCPLAN_A],
               (long long)count[TCPLAN_B], (long long)count[TCPLAN_C],
               (long long)count[TCPLAN_ADDEND]);
}

static void add_flags(struct strbuf *out, const struct tcplan_problem *problem) {
    const struct tcplan_tensor *tensor = problem->contraction->tensor;
    strbuf_add(out, "%s, {%d, %d, %d, %d}, ",
               tcplan_contraction_has_addend(problem->contraction) ? "ADDEND" : "RESULT",
               tensor[TCPLAN_A].conjugated, tensor[TCPLAN_B].conjugated,
               tensor[TCPLAN_C].conjugated, tensor[TCPLAN_ADDEND].conjugated);
}

static void add_indices(struct strbuf *out, const struct tcplan_problem *problem) {
    const int count = problem->contraction->index_count;
    if (count == 0) {
        strbuf_add(out, "NULL");
        return;
    }
    strbuf_add(out, "(const struct index[]){");
    for (int i = 0; i < count; i++) {
        strbuf_add(out, "%s{%lld, {%lld, %lld, %lld, %lld}}", i > 0 ? ", " : "",
                   (long long)problem->extent[i], (long long)problem->stride_elems[TCPLAN_A][i],
                   (long long)problem->stride_elems[TCPLAN_B][i],
                   (long long)problem->stride_elems[TCPLAN_C][i],
                   (long long)problem->stride_elems[TCPLAN_ADDEND][i]);
    }
    strbuf_add(out, "}");
}

void emit_library_test_row(struct strbuf *out, const char *function,
                           const struct tcplan_problem *problem) {
    strbuf_add(out, "    {\"%s\", (void (*)(void))%s, '%c',\n     ", function, function,
               tcplan_dtype_letter(problem->dtype));
    add_factor(out, problem->alpha);
    add_factor(out, problem->beta);
    add_flags(out, problem);
    add_counts(out, problem->elems);
    add_counts(out, problem->first_elems);
    strbuf_add(out, "%d,\n     ", problem->contraction->index_count);
    add_indices(out, problem);
    strbuf_add(out, "},\n");
}
