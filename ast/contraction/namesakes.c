#include "ast/contraction/namesakes.h"

#include "ast/contraction/contraction.h"

struct namesakes namesakes_of(const struct tcplan_contraction *contraction, struct word name) {
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    struct namesakes called = {0};
    const int count = contraction_tensors(contraction, tensor);
    for (int t = 0; t < count; t++) {
        if (word_equal(word_of(contraction->tensor[tensor[t]].name), name))
            called.tensor[called.count++] = tensor[t];
    }
    return called;
}

static bool refuse_unknown(const struct tcplan_contraction *contraction, struct scan *scan,
                           struct word name) {
    const struct tcplan_tensor *tensor = contraction->tensor;
    const bool has_addend = tcplan_contraction_has_addend(contraction);
    return scan_refuse(
        scan, name, "the contraction has no tensor %s; its tensors: %.60s, %.60s%s%.60s and %.60s",
        scan_excerpt(name).text, tensor[TCPLAN_A].name, tensor[TCPLAN_B].name,
        has_addend ? ", " : "", has_addend ? tensor[TCPLAN_ADDEND].name : "",
        tensor[TCPLAN_C].name);
}

bool namesakes_read(struct namesakes *out, struct word *name,
                    const struct tcplan_contraction *contraction, struct scan *scan) {
    const char first = scan_peek(scan);
    if (!scan_is_letter(first) && first != '_') return scan_expected(scan, "the name of a tensor");
    *name = scan_run(scan, scan_is_name);
    *out = namesakes_of(contraction, *name);
    return out->count > 0 || refuse_unknown(contraction, scan, *name);
}
