#include "ast/notation.h"

/* operand = { letter } */
static bool read_operand(struct notation_tensor *out, struct scan *scan, const char *name) {
    scan_peek(scan);
    *out = (struct notation_tensor){.whole = {scan->at, 0}, .name = word_of(name)};
    while (scan_is_letter(scan_peek(scan))) {
        struct word letter = {scan->at++, 1};
        if (!notation_add_index(out, scan, letter)) return false;
        out->whole = scan_since(scan, out->whole);
    }
    return true;
}

/* einsum = operand "," operand "->" operand */
bool notation_read_einsum(struct notation *out, struct scan *scan) {
    static const struct tcplan_scalar one = {.re = 1};
    out->alpha = one;
    out->beta = (struct tcplan_scalar){0};
    if (!read_operand(&out->tensor[TCPLAN_A], scan, "A")) return false;
    if (!scan_accept(scan, ",")) return scan_expected(scan, "an index letter, or ',' and the second operand");
    if (!read_operand(&out->tensor[TCPLAN_B], scan, "B")) return false;
    if (scan_peek(scan) == ',') return scan_expected(scan, "two operands and then '->'");
    if (!scan_accept(scan, "->")) return scan_expected(scan, "an index letter, or '->' and the result");
    if (!read_operand(&out->tensor[TCPLAN_C], scan, "C")) return false;
    return scan_peek(scan) == '\0' || scan_expected(scan, "an index letter or the end");
}
