#include <string.h>

#include "ast/scalar.h"
#include "ast/scan.h"
#include "base/strbuf.h"
#include "tcplan/contraction.h"

/** Whether letters behind an underscore can say it: every index is a letter and no name holds an underscore itself. */
static bool fits_letters(const struct tcplan_contraction *contraction) {
    for (int index = 0; index < contraction->index_count; index++) {
        const char *name = contraction->index[index].name;
        if (!scan_is_letter(name[0]) || name[1] != '\0') return false;
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (strchr(contraction->tensor[t].name, '_')) return false;
    }
    return true;
}

static void print_letters(struct strbuf *out, const struct tcplan_contraction *contraction, const struct tcplan_tensor *tensor) {
    strbuf_add(out, "%s%s", tensor->name, tensor->rank > 0 ? "_" : "");
    for (int d = 0; d < tensor->rank; d++) strbuf_add(out, "%s", contraction->index[tensor->dims[d]].name);
}

static void print_brackets(struct strbuf *out, const struct tcplan_contraction *contraction, const struct tcplan_tensor *tensor) {
    strbuf_add(out, "%s[", tensor->name);
    for (int d = 0; d < tensor->rank; d++) strbuf_add(out, "%s%s", d > 0 ? "," : "", contraction->index[tensor->dims[d]].name);
    strbuf_add(out, "]");
}

static void print_tensor(struct strbuf *out, const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    if (fits_letters(contraction)) {
        print_letters(out, contraction, tensor);
    } else {
        print_brackets(out, contraction, tensor);
    }
}

static bool is_real(struct tcplan_scalar scalar, double value) {
    return scalar.re == value && scalar.im == 0;
}

/** Sign and factor in front of a term; `plus` is written where there is no minus. */
static void print_factor(struct strbuf *out, struct tcplan_scalar factor, const char *plus) {
    bool negative = factor.im == 0 && factor.re < 0;
    struct tcplan_scalar magnitude = {.re = negative ? -factor.re : factor.re, .im = factor.im};
    strbuf_add(out, "%s", negative ? "-" : plus);
    if (is_real(magnitude, 1)) return;
    scalar_print(out, magnitude);
    strbuf_add(out, "*");
}

char *tcplan_contraction_text(const struct tcplan_contraction *contraction) {
    struct strbuf out = {0};
    bool accumulates = is_real(contraction->beta, 1);
    print_tensor(&out, contraction, TCPLAN_C);
    strbuf_add(&out, "%s", accumulates ? "+=" : "=");
    print_factor(&out, contraction->alpha, "");
    print_tensor(&out, contraction, TCPLAN_A);
    strbuf_add(&out, "*");
    print_tensor(&out, contraction, TCPLAN_B);
    if (!accumulates && !is_real(contraction->beta, 0)) {
        print_factor(&out, contraction->beta, "+");
        print_tensor(&out, contraction, TCPLAN_C);
    }
    return strbuf_finish(&out);
}
