#include "ast/formula.h"

#include "base/indexset.h"

static bool on_diagonal(const struct tcplan_tensor *tensor, int index) {
    int occurrences = 0;
    for (int d = 0; d < tensor->rank; d++) occurrences += tensor->dims[d] == index;
    return occurrences > 1;
}

static bool seen_before(const struct tcplan_tensor *tensor, int dimension) {
    for (int d = 0; d < dimension; d++) {
        if (tensor->dims[d] == tensor->dims[dimension]) return true;
    }
    return false;
}

/** `:` for a whole dimension (`:a` on a diagonal, where two dimensions move together), else the loop's index. */
static void print_subscript(struct strbuf *out, const struct tcplan_contraction *contraction, struct tcplan_slice slice, int index) {
    bool whole = indexset_has(slice.span, index);
    bool named = !whole || (!slice.temporary && on_diagonal(&contraction->tensor[slice.operand], index));
    strbuf_add(out, "%s%s", whole ? ":" : "", named ? contraction->index[index].name : "");
}

void formula_print_slice(struct strbuf *out, const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    strbuf_add(out, "%s%s", tensor->name, slice.temporary ? "~" : "");
    const char *separator = "[";
    for (int d = 0; d < tensor->rank; d++) {
        if (slice.temporary && (!indexset_has(slice.span, tensor->dims[d]) || seen_before(tensor, d))) continue;
        strbuf_add(out, "%s", separator);
        print_subscript(out, contraction, slice, tensor->dims[d]);
        separator = ",";
    }
    if (*separator == ',') strbuf_add(out, "]");
}

/** The first dimension that a slice spans; -1 where it spans none. */
static int first_spanned(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    for (int d = 0; d < tensor->rank; d++) {
        if (indexset_has(slice.span, tensor->dims[d])) return tensor->dims[d];
    }
    return -1;
}

struct formula formula_of(const struct tcplan_contraction *contraction, const struct tcplan_kernel_call *call) {
    const struct tcplan_slice *slice = call->slice;
    bool swapped = indexset_size(slice[TCPLAN_C].span) == 2 && first_spanned(contraction, slice[TCPLAN_C]) == call->role[TCPLAN_N];
    struct formula formula = {.factor = {slice[swapped ? TCPLAN_B : TCPLAN_A], slice[swapped ? TCPLAN_A : TCPLAN_B]}};
    int first[2];
    for (int f = 0; f < 2; f++) first[f] = first_spanned(contraction, formula.factor[f]);
    formula.transposed[0] = indexset_size(formula.factor[0].span) == 2 && first[0] == call->role[TCPLAN_K];
    formula.transposed[1] = indexset_size(formula.factor[1].span) == 2 && first[1] != call->role[TCPLAN_K];
    if (call->kernel == TCPLAN_GER) formula.transposed[1] = true;
    return formula;
}

struct formula_letters formula_letters(const struct formula *formula) {
    struct formula_letters letters = {.text = ""};
    int count = 0;
    for (int f = 0; f < 2; f++) {
        if (indexset_size(formula->factor[f].span) == 2) letters.text[count++] = formula->transposed[f] ? 'T' : 'N';
    }
    return letters;
}
