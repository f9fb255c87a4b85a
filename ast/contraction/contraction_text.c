#include <string.h>

#include "ast/contraction/contraction.h"
#include "ast/scalar.h"
#include "ast/scan.h"
#include "base/strbuf.h"

/** Returns whether the letter notation suffices: every index is one letter and no name contains
 * an underscore. */
static bool fits_letters(const struct tcplan_contraction *contraction) {
    for (int index = 0; index < contraction->index_count; index++) {
        const char *name = contraction->index[index].name;
        if (!scan_is_letter(name[0]) || name[1] != '\0') return false;
    }
    for (int t = 0;
         t < (tcplan_contraction_has_addend(contraction) ? TCPLAN_TENSORS : TCPLAN_OPERANDS); t++) {
        if (strchr(contraction->tensor[t].name, '_')) return false;
    }
    return true;
}

static void print_name(struct strbuf *out, const struct tcplan_tensor *tensor, bool conjugated) {
    strbuf_add(out, "%s%s%s", conjugated ? "conj(" : "", tensor->name, conjugated ? ")" : "");
}

static void print_letters(struct strbuf *out, const struct tcplan_contraction *contraction,
                          const struct tcplan_tensor *tensor, bool conjugated) {
    print_name(out, tensor, conjugated);
    strbuf_add(out, "%s", tensor->rank > 0 ? "_" : "");
    for (int d = 0; d < tensor->rank; d++)
        strbuf_add(out, "%s", contraction->index[tensor->dims[d]].name);
}

static void print_brackets(struct strbuf *out, const struct tcplan_contraction *contraction,
                           const struct tcplan_tensor *tensor, bool conjugated) {
    print_name(out, tensor, conjugated);
    strbuf_add(out, "[");
    for (int d = 0; d < tensor->rank; d++)
        strbuf_add(out, "%s%s", d > 0 ? "," : "", contraction->index[tensor->dims[d]].name);
    strbuf_add(out, "]");
}

static void print_tensor(struct strbuf *out, const struct tcplan_contraction *contraction,
                         enum tcplan_operand operand, bool conjugated) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    if (fits_letters(contraction)) {
        print_letters(out, contraction, tensor, conjugated);
    } else {
        print_brackets(out, contraction, tensor, conjugated);
    }
}

/** Prints the sign and factor of a term. The sign is a minus if the factor is negative,
 * otherwise the text `plus`. */
static void print_factor(struct strbuf *out, struct tcplan_scalar factor, const char *plus) {
    bool negative = factor.im == 0 && factor.re < 0;
    struct tcplan_scalar magnitude = {.re = negative ? -factor.re : factor.re, .im = factor.im};
    strbuf_add(out, "%s", negative ? "-" : plus);
    if (scalar_is(magnitude, 1)) return;
    scalar_print(out, magnitude);
    strbuf_add(out, "*");
}

static struct tcplan_scalar conjugate_if(bool conjugates, struct tcplan_scalar factor) {
    if (conjugates) factor.im = 0.0 - factor.im; /* avoids -0 */
    return factor;
}

char *contraction_text(const struct tcplan_contraction *contraction, bool conjugates) {
    struct strbuf out = {0};
    const struct tcplan_tensor *tensor = contraction->tensor;
    const bool has_addend = tcplan_contraction_has_addend(contraction);
    const enum tcplan_operand added = has_addend ? TCPLAN_ADDEND : TCPLAN_C;
    const bool accumulates = !has_addend && scalar_is(contraction->beta, 1) &&
                             !tensor[TCPLAN_C].conjugated && !conjugates;
    print_tensor(&out, contraction, TCPLAN_C, conjugates);
    strbuf_add(&out, "%s", accumulates ? "+=" : "=");
    print_factor(&out, conjugate_if(conjugates, contraction->alpha), "");
    print_tensor(&out, contraction, TCPLAN_A, tensor[TCPLAN_A].conjugated != conjugates);
    strbuf_add(&out, "*");
    print_tensor(&out, contraction, TCPLAN_B, tensor[TCPLAN_B].conjugated != conjugates);
    if (has_addend || (!accumulates && !scalar_is(contraction->beta, 0))) {
        print_factor(&out, conjugate_if(conjugates, contraction->beta), "+");
        print_tensor(&out, contraction, added, tensor[added].conjugated != conjugates);
    }
    return strbuf_finish(&out);
}

char *tcplan_contraction_text(const struct tcplan_contraction *contraction) {
    return contraction_text(contraction, false);
}
