#include "ast/contraction/contraction.h"
#include "ast/contraction/notation.h"

/** One term of the right side. */
struct term {
    struct word whole;
    struct tcplan_scalar factor;
    int tensor_count; /* number of tensors: 1 for the result or an addend, 2 for a product */
    struct notation_tensor tensor[2];
};

/** The terms read so far. */
struct formula {
    struct notation *out;
    struct notation_assignment assignment;
    bool has_product;
    bool has_result;        /* whether one of the terms is the result or an addend */
    bool conjugates_result; /* whether the term of the result or addend conjugates the result */
};

/* assign = "=" | ":=" | "+=" | "-=" */
bool notation_read_assignment(struct notation_assignment *out, struct scan *scan) {
    static const struct notation_assignment known[] = {
        {"=", false, 1}, {":=", false, 1}, {"+=", true, 1}, {"-=", true, -1}};
    for (size_t a = 0; a < sizeof known / sizeof *known; a++) {
        *out = known[a];
        if (scan_accept(scan, out->token)) return true;
    }
    return scan_expected(scan, "'=', ':=', '+=' or '-='");
}

/* term = factors tensor [ "*" tensor ] */
static bool read_term(struct term *term, struct scan *scan) {
    scan_peek(scan);
    term->whole = (struct word){scan->at, 0};
    if (!notation_read_factors(&term->factor, scan)) return false;
    if (!notation_read_tensor(&term->tensor[0], scan)) return false;
    term->tensor_count = 1;
    if (scan_accept(scan, "*")) {
        if (notation_is_scalar_start(scan_peek(scan)))
            return scan_expected(scan, "scalar factors in front of the tensors");
        if (!notation_read_tensor(&term->tensor[1], scan)) return false;
        term->tensor_count = 2;
    }
    term->whole = scan_since(scan, term->whole);
    return scan_peek(scan) != '*' ||
           scan_expected(scan, "'+', '-' or the end after a product of two tensors");
}

static bool same_indices(const struct notation_tensor *a, const struct notation_tensor *b) {
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (!word_equal(a->index[d], b->index[d])) return false;
    }
    return true;
}

static bool has_index(const struct notation_tensor *tensor, struct word index) {
    for (int d = 0; d < tensor->rank; d++) {
        if (word_equal(tensor->index[d], index)) return true;
    }
    return false;
}

/** Checks that the addend has exactly the indices of the result, in any order. */
static bool check_addend(const struct notation_tensor *addend, const struct notation_tensor *result,
                         struct scan *scan) {
    const struct excerpt text = scan_excerpt(addend->whole), expected = scan_excerpt(result->whole);
    for (int d = 0; d < addend->rank; d++) {
        if (has_index(result, addend->index[d])) continue;
        return scan_refuse(
            scan, addend->whole,
            "expected '*' and a second tensor after %s, or the indices of the result %s: %s is none of them",
            text.text, expected.text, scan_excerpt(addend->index[d]).text);
    }
    for (int d = 0; d < result->rank; d++) {
        if (has_index(addend, result->index[d])) continue;
        return scan_refuse(
            scan, addend->whole,
            "expected '*' and a second tensor after %s, or the indices of the result %s: %s is missing",
            text.text, expected.text, scan_excerpt(result->index[d]).text);
    }
    return true;
}

/** Checks that only one tensor is added to the product. */
static bool check_single(const struct formula *formula, const struct term *term,
                         struct scan *scan) {
    const struct notation_tensor *result = &formula->out->tensor[TCPLAN_C];
    const struct word before =
        formula->out->has_addend ? formula->out->tensor[TCPLAN_ADDEND].whole : result->whole;
    const bool is_again =
        word_equal(term->tensor[0].name, result->name) && !formula->out->has_addend;
    const char *token = formula->assignment.token;
    if (formula->assignment.adds_result && is_again) {
        return scan_refuse(scan, term->whole,
                           "'%s' already adds the result once; write '=' with a factor", token);
    }
    if (formula->assignment.adds_result) {
        return scan_refuse(
            scan, term->whole, "'%s' adds the result %s; expected '=' where %s is added", token,
            scan_excerpt(result->whole).text, scan_excerpt(term->tensor[0].whole).text);
    }
    if (!formula->has_result) return true;
    if (is_again)
        return scan_refuse(scan, term->whole, "the result %s is added twice; expected it once",
                           scan_excerpt(before).text);
    return scan_refuse(scan, term->whole,
                       "%s is added to the product already; expected one such tensor",
                       scan_excerpt(before).text);
}

/** Adds a term of one tensor: beta times the result, or an addend. */
static bool add_addend(struct formula *formula, const struct term *term, struct scan *scan) {
    const struct notation_tensor *result = &formula->out->tensor[TCPLAN_C],
                                 *tensor = &term->tensor[0];
    const bool is_result = word_equal(tensor->name, result->name);
    if (!is_result && !check_addend(tensor, result, scan)) return false;
    if (is_result && !same_indices(tensor, result)) {
        return scan_refuse(scan, tensor->whole,
                           "expected the result as %s, found %s: same indices in the same order",
                           scan_excerpt(result->whole).text, scan_excerpt(tensor->whole).text);
    }
    if (!check_single(formula, term, scan)) return false;
    formula->has_result = true;
    formula->conjugates_result = is_result && tensor->conjugated;
    formula->out->beta = term->factor;
    formula->out->has_addend = !is_result;
    if (!is_result) formula->out->tensor[TCPLAN_ADDEND] = *tensor;
    return true;
}

/** Checks that the result is not also a factor, which would be overwritten while it is read. */
static bool check_alias(const struct formula *formula, const struct term *term, struct scan *scan) {
    const struct notation_tensor *result = &formula->out->tensor[TCPLAN_C];
    for (int t = 0; t < 2; t++) {
        if (!word_equal(term->tensor[t].name, result->name)) continue;
        return scan_refuse(scan, term->tensor[t].whole,
                           "the result %s cannot be a factor of the product as well",
                           scan_excerpt(result->name).text);
    }
    return true;
}

/** Adds a term of two tensors: alpha times their product. */
static bool add_product(struct formula *formula, const struct term *term, struct scan *scan) {
    if (!check_alias(formula, term, scan)) return false;
    if (formula->has_product) {
        return scan_refuse(scan, term->whole,
                           "expected one product of two tensors, found a second one: %s",
                           scan_excerpt(term->whole).text);
    }
    formula->has_product = true;
    formula->out->alpha = term->factor;
    formula->out->tensor[TCPLAN_A] = term->tensor[0];
    formula->out->tensor[TCPLAN_B] = term->tensor[1];
    return true;
}

/** Checks that tensors of the same name have the same rank. */
static bool check_ranks(const struct notation *out, struct scan *scan) {
    static const enum tcplan_operand read[] = {TCPLAN_A, TCPLAN_B, TCPLAN_ADDEND};
    const int count = out->has_addend ? 3 : 2;
    for (int later = 1; later < count; later++) {
        for (int t = 0; t < later; t++) {
            const struct notation_tensor *a = &out->tensor[read[t]], *b = &out->tensor[read[later]];
            if (!word_equal(a->name, b->name) || a->rank == b->rank) continue;
            if (a->whole.text > b->whole.text) { /* the addend `b` precedes `a` in the text */
                const struct notation_tensor *swapped = a;
                a = b;
                b = swapped;
            }
            return scan_refuse(scan, b->whole, "tensor %s has rank %d here and rank %d before",
                               scan_excerpt(b->name).text, b->rank, a->rank);
        }
    }
    return true;
}

/* sum = [ sign ] term { sign term } ; sign = "+" | "-" */
static bool read_sum(struct formula *formula, struct scan *scan) {
    bool negative = scan_accept(scan, "-");
    if (!negative) scan_accept(scan, "+");
    do {
        const int sign = formula->assignment.sign;
        struct term term = {.factor = {.re = negative ? -sign : sign}};
        if (!read_term(&term, scan)) return false;
        bool added = term.tensor_count == 2 ? add_product(formula, &term, scan)
                                            : add_addend(formula, &term, scan);
        if (!added) return false;
        negative = scan_accept(scan, "-");
    } while (negative || scan_accept(scan, "+"));
    return scan_peek(scan) == '\0' || scan_expected(scan, "'*', '+', '-' or the end");
}

/** Conjugates both sides: conj(D) := alpha A B + beta C becomes D := conj(alpha A B + beta C), with
 * the conjugate of each factor and tensor. */
static void conjugate_all(struct notation *out) {
    out->alpha.im = -out->alpha.im;
    out->beta.im = -out->beta.im;
    for (int t = 0; t < TCPLAN_TENSORS; t++) out->tensor[t].conjugated = !out->tensor[t].conjugated;
}

/* formula = tensor assign sum */
bool notation_read_formula(struct notation *out, struct scan *scan) {
    struct formula formula = {.out = out};
    if (!notation_read_tensor(&out->tensor[TCPLAN_C], scan)) return false;
    const bool conjugates = out->tensor[TCPLAN_C].conjugated;
    if (!notation_read_assignment(&formula.assignment, scan)) return false;
    out->beta = (struct tcplan_scalar){.re = formula.assignment.adds_result ? 1 : 0};
    formula.conjugates_result = formula.assignment.adds_result && conjugates;
    if (!read_sum(&formula, scan)) return false;
    out->tensor[TCPLAN_C].conjugated = formula.conjugates_result;
    if (conjugates) conjugate_all(out);
    return formula.has_product ? check_ranks(out, scan)
                               : scan_expected(scan, "'+' and a product of two tensors");
}

bool contraction_text_conjugates(const char *text) {
    struct scan scan;
    struct notation_tensor result = {.conjugated = false};
    return scan_init(&scan, text, NULL) && notation_read_tensor(&result, &scan) &&
           result.conjugated;
}
