#include <string.h>

#include "ast/contraction/namesakes.h"
#include "tcplan/contraction.h"

/** Conjugates both sides: conj(D) := alpha A B + beta C becomes D := conj(alpha A B + beta C), with
 * the conjugate of each factor and tensor. */
static void conjugate_all(struct tcplan_contraction *contraction) {
    contraction->alpha.im = 0.0 - contraction->alpha.im; /* avoids -0 */
    contraction->beta.im = 0.0 - contraction->beta.im;
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        tcplan_contraction_set_conjugated(contraction, (enum tcplan_operand)t,
                                          !contraction->tensor[t].conjugated);
    }
}

/** Conjugates a tensor that is only read; rejects one that is already conjugated, since the
 * marks would cancel. */
static bool conjugate(struct tcplan_contraction *contraction, const struct namesakes *called,
                      struct scan *scan, struct word name) {
    for (int t = 0; t < called->count; t++) {
        if (contraction->tensor[called->tensor[t]].conjugated)
            return scan_refuse(scan, name, "tensor %s is conjugated already",
                               scan_excerpt(name).text);
        tcplan_contraction_set_conjugated(contraction, called->tensor[t], true);
    }
    return true;
}

/* conjugates = [ name { "," name } ] ; the result is conjugated last, because that conjugates
 * all other tensors */
static bool read_conjugates(struct tcplan_contraction *contraction, struct scan *scan) {
    bool has_result = false;
    if (scan_peek(scan) == '\0') return true;
    do {
        struct namesakes called;
        struct word name;
        if (!namesakes_read(&called, &name, contraction, scan)) return false;
        const bool is_result = called.tensor[0] == TCPLAN_C;
        if (is_result && has_result)
            return scan_refuse(scan, name, "tensor %s is conjugated already",
                               scan_excerpt(name).text);
        if (!is_result && !conjugate(contraction, &called, scan, name)) return false;
        has_result = has_result || is_result;
    } while (scan_accept(scan, ","));
    if (scan_peek(scan) != '\0') return scan_expected(scan, "',' or the end");
    if (has_result) conjugate_all(contraction);
    return true;
}

enum tcplan_status tcplan_conjugates_parse(struct tcplan_contraction *contraction, const char *text,
                                           struct tcplan_error *error) {
    struct tcplan_contraction changed = *contraction;
    struct scan scan;
    if (!scan_init(&scan, text, error) || !read_conjugates(&changed, &scan)) return scan.status;
    memcpy(contraction->tensor, changed.tensor, sizeof contraction->tensor);
    contraction->alpha = changed.alpha;
    contraction->beta = changed.beta;
    return TCPLAN_OK;
}
