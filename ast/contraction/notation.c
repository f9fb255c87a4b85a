#include "ast/contraction/notation.h"

#include <string.h>

bool notation_add_index(struct notation_tensor *tensor, struct scan *scan, struct word index) {
    if (tensor->rank == TCPLAN_MAX_RANK) {
        return scan_refuse(scan, index, "tensor %s has more than %d indices",
                           scan_excerpt(tensor->name).text, TCPLAN_MAX_RANK);
    }
    tensor->index[tensor->rank++] = index;
    return true;
}

/* letters = "_" letter { letter } ; `token` is name and letters in one */
static bool split_letters(struct notation_tensor *out, struct scan *scan, struct word token) {
    const char *underscore = memchr(token.text, '_', token.length);
    out->name = token;
    if (!underscore) return true;
    out->name.length = (size_t)(underscore - token.text);
    const char *end = token.text + token.length;
    if (underscore + 1 == end) {
        return scan_refuse(
            scan, (struct word){underscore, 1},
            "expected index letters after '_', found none; a scalar is written without '_'");
    }
    for (const char *at = underscore + 1; at < end; at++) {
        struct word index = {at, 1};
        if (!scan_is_letter(*at)) {
            return scan_refuse(
                scan, index,
                "expected a letter as index, found '%c'; longer names are written in brackets, as in A[row,k]",
                *at);
        }
        if (!notation_add_index(out, scan, index)) return false;
    }
    return true;
}

/* index = ( letter | "_" ) { letter | digit | "_" } */
static bool read_long_index(struct notation_tensor *out, struct scan *scan) {
    char first = scan_peek(scan);
    if (!scan_is_letter(first) && first != '_') return scan_expected(scan, "an index name");
    return notation_add_index(out, scan, scan_run(scan, scan_is_name));
}

/* brackets = "[" [ index { "," index } ] "]" ; the "[" has been read */
static bool read_brackets(struct notation_tensor *out, struct scan *scan) {
    if (scan_accept(scan, "]")) return true;
    do {
        if (!read_long_index(out, scan)) return false;
    } while (scan_accept(scan, ","));
    return scan_accept(scan, "]") || scan_expected(scan, "',' or ']'");
}

/** Reads indices in brackets, if any; the tensor began with `start`. */
static bool read_bracketed(struct notation_tensor *out, struct scan *scan, struct word start) {
    scan->at++;
    if (!read_brackets(out, scan)) return false;
    out->whole = scan_since(scan, start);
    if (*scan->at != '_' && *scan->at != '[') return true;
    return scan_refuse(scan, out->whole,
                       "the indices of a tensor follow '_' or are in one pair of brackets");
}

/* conjugate = "conj" "(" name ")" [ letters | brackets ] ; "conj" has been read, "(" has not */
static bool read_conjugate(struct notation_tensor *out, struct scan *scan, struct word start) {
    scan->at++;
    if (!scan_is_letter(scan_peek(scan)))
        return scan_expected(scan, "the name of a tensor, as in conj(A)_ai");
    const struct word name = scan_run(scan, scan_is_name);
    if (!scan_accept(scan, ")"))
        return scan_expected(scan, "')' after the name of a tensor, as in conj(A)_ai");
    *out = (struct notation_tensor){
        .whole = scan_since(scan, start), .name = name, .conjugated = true};
    if (scan_peek(scan) == '[') return read_bracketed(out, scan, start);
    if (memchr(name.text, '_', name.length)) {
        return scan_refuse(
            scan, name,
            "expected the name of a tensor without '_', with its indices after the parenthesis, found %s",
            scan_excerpt(name).text);
    }
    if (*scan->at != '_') return true;
    const struct word letters = scan_run(scan, scan_is_name);
    if (!split_letters(out, scan, letters)) return false;
    out->name = name;
    out->whole = scan_since(scan, start);
    return true;
}

/* tensor = name [ letters ] | name brackets | conjugate ; a name before brackets may contain
 * underscores */
bool notation_read_tensor(struct notation_tensor *out, struct scan *scan) {
    if (!scan_is_letter(scan_peek(scan)))
        return scan_expected(scan, "a tensor such as A_ai or A[a,i]");
    struct word token = scan_run(scan, scan_is_name);
    *out = (struct notation_tensor){.whole = token, .name = token};
    if (scan_peek(scan) == '(' && word_equal(token, word_of("conj")))
        return read_conjugate(out, scan, token);
    if (scan_peek(scan) == '[') return read_bracketed(out, scan, token);
    return split_letters(out, scan, token);
}

static bool is_einsum(const char *text) {
    if (strchr(text, '=')) return false;
    return strstr(text, "->") || strstr(text, "...") || (strchr(text, ',') && !strchr(text, '['));
}

/* contraction = formula | einsum */
bool notation_read(struct notation *out, struct scan *scan, struct tcplan_shapes *shapes) {
    if (scan_peek(scan) == '\0')
        return scan_expected(scan, "a contraction such as C_abc=A_ai*B_ibc");
    return is_einsum(scan->text) ? notation_read_einsum(out, scan, shapes)
                                 : notation_read_formula(out, scan);
}
