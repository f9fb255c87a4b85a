#include "ast/notation.h"

/** One term of the right side. */
struct term {
    struct word whole;
    struct tcplan_scalar factor;
    int tensor_count; /* 1 or 2 */
    struct notation_tensor tensor[2];
};

/** What the terms read so far have given. */
struct formula {
    struct notation *out;
    bool accumulates; /* written with += */
    bool has_product;
    bool has_result;
    bool conjugates_result; /* in its term */
};

static bool is_scalar_start(char c) {
    return scan_is_digit(c) || c == '.' || c == '(';
}

/* assign = "=" | ":=" | "+=" */
static bool read_assign(struct formula *formula, struct scan *scan) {
    formula->accumulates = scan_accept(scan, "+=");
    if (formula->accumulates || scan_accept(scan, ":=") || scan_accept(scan, "=")) return true;
    return scan_expected(scan, "'=', ':=' or '+='");
}

/* factors = { scalar "*" } */
static bool read_factors(struct term *term, struct scan *scan) {
    while (is_scalar_start(scan_peek(scan))) {
        if (!notation_read_scalar(&term->factor, scan)) return false;
        if (!scan_accept(scan, "*")) return scan_expected(scan, "'*' after a scalar factor");
    }
    return true;
}

/* term = factors tensor [ "*" tensor ] */
static bool read_term(struct term *term, struct scan *scan) {
    scan_peek(scan);
    term->whole = (struct word){scan->at, 0};
    if (!read_factors(term, scan)) return false;
    if (!notation_read_tensor(&term->tensor[0], scan)) return false;
    term->tensor_count = 1;
    if (scan_accept(scan, "*")) {
        if (is_scalar_start(scan_peek(scan))) return scan_expected(scan, "scalar factors in front of the tensors");
        if (!notation_read_tensor(&term->tensor[1], scan)) return false;
        term->tensor_count = 2;
    }
    term->whole = scan_since(scan, term->whole);
    return scan_peek(scan) != '*' || scan_expected(scan, "'+', '-' or the end after a product of two tensors");
}

static bool same_indices(const struct notation_tensor *a, const struct notation_tensor *b) {
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (!word_equal(a->index[d], b->index[d])) return false;
    }
    return true;
}

/** A term of one tensor: beta times the result. */
static bool add_result(struct formula *formula, const struct term *term, struct scan *scan) {
    const struct notation_tensor *result = &formula->out->tensor[TCPLAN_C], *tensor = &term->tensor[0];
    struct excerpt text = scan_excerpt(tensor->whole), expected = scan_excerpt(result->whole);
    if (!word_equal(tensor->name, result->name)) {
        return scan_refuse(scan, tensor->whole, "expected '*' and a second tensor after %s; only the result %s may stand alone", text.text,
                           expected.text);
    }
    if (!same_indices(tensor, result)) {
        return scan_refuse(scan, tensor->whole, "expected the result as %s, found %s: same indices in the same order", expected.text,
                           text.text);
    }
    if (formula->accumulates) {
        return scan_refuse(scan, term->whole, "'+=' already adds the result once; write '=' with a factor");
    }
    if (formula->has_result) return scan_refuse(scan, term->whole, "the result %s is added twice; expected it once", expected.text);
    formula->has_result = true;
    formula->conjugates_result = tensor->conjugated;
    formula->out->beta = term->factor;
    return true;
}

/** The result would be overwritten while it is read. */
static bool check_alias(const struct formula *formula, const struct term *term, struct scan *scan) {
    const struct notation_tensor *result = &formula->out->tensor[TCPLAN_C];
    for (int t = 0; t < 2; t++) {
        if (!word_equal(term->tensor[t].name, result->name)) continue;
        return scan_refuse(scan, term->tensor[t].whole, "the result %s cannot be a factor of the product as well",
                           scan_excerpt(result->name).text);
    }
    return true;
}

/** A term of two tensors: alpha times their product. */
static bool add_product(struct formula *formula, const struct term *term, struct scan *scan) {
    if (!check_alias(formula, term, scan)) return false;
    if (formula->has_product) {
        return scan_refuse(scan, term->whole, "expected one product of two tensors, found a second one: %s",
                           scan_excerpt(term->whole).text);
    }
    const struct notation_tensor *a = &term->tensor[0], *b = &term->tensor[1];
    if (word_equal(a->name, b->name) && a->rank != b->rank) {
        return scan_refuse(scan, b->whole, "tensor %s has rank %d here and rank %d before", scan_excerpt(b->name).text, b->rank, a->rank);
    }
    formula->has_product = true;
    formula->out->alpha = term->factor;
    formula->out->tensor[TCPLAN_A] = *a;
    formula->out->tensor[TCPLAN_B] = *b;
    return true;
}

/* sum = [ sign ] term { sign term } ; sign = "+" | "-" */
static bool read_sum(struct formula *formula, struct scan *scan) {
    bool negative = scan_accept(scan, "-");
    if (!negative) scan_accept(scan, "+");
    do {
        struct term term = {.factor = {.re = negative ? -1 : 1}};
        if (!read_term(&term, scan)) return false;
        bool added = term.tensor_count == 2 ? add_product(formula, &term, scan) : add_result(formula, &term, scan);
        if (!added) return false;
        negative = scan_accept(scan, "-");
    } while (negative || scan_accept(scan, "+"));
    return scan_peek(scan) == '\0' || scan_expected(scan, "'*', '+', '-' or the end");
}

/** conj(C) := alpha A B + beta C is C := the conjugates of all these. */
static void conjugate_all(struct notation *out) {
    out->alpha.im = -out->alpha.im;
    out->beta.im = -out->beta.im;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) out->tensor[t].conjugated = !out->tensor[t].conjugated;
}

/* formula = tensor assign sum */
bool notation_read_formula(struct notation *out, struct scan *scan) {
    struct formula formula = {.out = out};
    if (!notation_read_tensor(&out->tensor[TCPLAN_C], scan)) return false;
    const bool conjugates = out->tensor[TCPLAN_C].conjugated;
    if (!read_assign(&formula, scan)) return false;
    out->beta = (struct tcplan_scalar){.re = formula.accumulates ? 1 : 0};
    formula.conjugates_result = formula.accumulates && conjugates;
    if (!read_sum(&formula, scan)) return false;
    out->tensor[TCPLAN_C].conjugated = formula.conjugates_result;
    if (conjugates) conjugate_all(out);
    return formula.has_product || scan_expected(scan, "'+' and a product of two tensors");
}
