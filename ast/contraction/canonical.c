#include "tcplan/canonical.h"

#include <inttypes.h>

#include "ast/scalar.h"
#include "base/strbuf.h"

/** Prints the dimensions of a tensor as index numbers, and its strides. */
static void print_dims(struct strbuf *out, const struct tcplan_tensor *tensor) {
    if (tensor->conjugated) strbuf_add(out, "conj ");
    for (int d = 0; d < tensor->rank; d++)
        strbuf_add(out, "%s%d", d > 0 ? "," : "", tensor->dims[d]);
    for (int d = 0; d < tensor->rank && tensor->strided; d++)
        strbuf_add(out, "%s%" PRId64, d > 0 ? "," : "@", tensor->stride[d]);
}

char *tcplan_problem_canonical(const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    struct strbuf out = {0};
    const bool row_major = contraction->order == TCPLAN_ROW_MAJOR;
    strbuf_add(&out, "%c %s ", tcplan_dtype_letter(problem->dtype),
               row_major ? "row-major" : "column-major");
    print_dims(&out, &contraction->tensor[TCPLAN_C]);
    strbuf_add(&out, "=");
    scalar_print(&out, contraction->alpha);
    for (int t = TCPLAN_A; t <= TCPLAN_B; t++) {
        strbuf_add(&out, "*");
        print_dims(&out, &contraction->tensor[t]);
    }
    strbuf_add(&out, "+");
    scalar_print(&out, contraction->beta);
    if (tcplan_contraction_has_addend(contraction)) {
        strbuf_add(&out, "*");
        print_dims(&out, &contraction->tensor[TCPLAN_ADDEND]);
    }
    for (int i = 0; i < contraction->index_count; i++)
        strbuf_add(&out, " %" PRId64, problem->extent[i]);
    return strbuf_finish(&out);
}
