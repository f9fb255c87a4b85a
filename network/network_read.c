/*
 * Parser of networks.
 */
#include <stdio.h>
#include <string.h>

#include "network/network.h"

/* With up to this many factors, the tensors of an einsum are named A, B, ..., and the result gets
 * the next letter. */
enum { LETTERED = 25 };

/* Formulas. */

/** Adds a term that is the result itself; its factor is beta. */
static bool add_result(struct network_builder *builder, const struct notation_tensor *tensor,
                       struct tcplan_scalar factor) {
    struct tcplan_network *network = &builder->storage->network;
    if (builder->has_beta) {
        return scan_refuse(
            builder->scan, tensor->whole,
            "the result %s is already added, by '+=', '-=' or a term; expected it once",
            scan_excerpt(tensor->whole).text);
    }
    builder->has_beta = true;
    network->beta = factor;
    network->conjugates_added = tensor->conjugated;
    return true;
}

/* term = factors tensor { "*" tensor } ; a term of one tensor may be the result */
static bool read_term(struct network_builder *builder, struct tcplan_scalar factor) {
    struct scan *scan = builder->scan;
    struct notation_tensor tensor;
    if (!notation_read_factors(&factor, scan)) return false;
    for (int count = 0;; count++) {
        bool is_result;
        if (notation_is_scalar_start(scan_peek(scan)))
            return scan_expected(scan, "scalar factors in front of the tensors");
        if (!notation_read_tensor(&tensor, scan)) return false;
        const bool goes_on = scan_peek(scan) == '*';
        if (word_equal(tensor.name, word_of(builder->storage->network.result.name)) &&
            (goes_on || count > 0)) {
            return scan_refuse(scan, tensor.whole,
                               "the result %s cannot be a factor of a term as well",
                               scan_excerpt(tensor.name).text);
        }
        if (!network_is_result(builder, &tensor, &is_result)) return false;
        if (is_result) return add_result(builder, &tensor, factor);
        if (count == 0 && !network_add_term(builder, factor)) return false;
        if (!network_add_operand(builder, &tensor)) return false;
        if (!scan_accept(scan, "*")) return true;
    }
}

/* sum = [ sign ] term { sign term } ; sign = "+" | "-"; `sign` multiplies each term */
static bool read_sum(struct network_builder *builder, int sign) {
    struct scan *scan = builder->scan;
    bool negative = scan_accept(scan, "-");
    if (!negative) scan_accept(scan, "+");
    do {
        if (!read_term(builder, (struct tcplan_scalar){.re = negative ? -sign : sign}))
            return false;
        negative = scan_accept(scan, "-");
    } while (negative || scan_accept(scan, "+"));
    return scan_peek(scan) == '\0' || scan_peek(scan) == ';' ||
           scan_expected(scan,
                         "'*', '+', '-', ';' and the expression that uses the sum, or the end");
}

/** Conjugates the right side of a statement `conj(R)=...`: the scalar and tensor factors of the
 * terms from `first` on. */
static void conjugate_all(struct network_storage *storage, int first) {
    struct tcplan_network *network = &storage->network;
    network->beta.im = 0.0 - network->beta.im;
    network->conjugates_added = !network->conjugates_added;
    for (int t = first; t < network->term_count; t++) {
        storage->term[t].factor.im = 0.0 - storage->term[t].factor.im;
        for (int o = network->term[t].first; o < network->term[t].first + network->term[t].count;
             o++)
            storage->operand[o].conjugated = !storage->operand[o].conjugated;
    }
}

/* statement = tensor assign sum */
static bool read_statement(struct network_builder *builder) {
    struct scan *scan = builder->scan;
    struct tcplan_network *network = &builder->storage->network;
    struct notation_tensor result;
    struct notation_assignment assignment;
    const int first = network->term_count;
    if (!notation_read_tensor(&result, scan) || !network_set_result(builder, &result)) return false;
    if (!notation_read_assignment(&assignment, scan)) return false;
    builder->has_beta = assignment.adds_result;
    network->beta.re = builder->has_beta ? 1 : 0;
    network->conjugates_added = builder->has_beta && result.conjugated;
    if (!read_sum(builder, assignment.sign)) return false;
    if (result.conjugated) conjugate_all(builder->storage, first);
    network->conjugates_added =
        network->conjugates_added && (network->beta.re != 0 || network->beta.im != 0);
    network->result.conjugated = false;
    return true;
}

static struct word place_of(const struct scan *scan, const struct tcplan_network_operand *operand) {
    return (struct word){scan->text + (operand->column > 0 ? operand->column - 1 : 0),
                         operand->length};
}

static bool refuse_diagonal(struct scan *scan, const struct tcplan_network *network) {
    const struct word where = place_of(scan, &network->result);
    return scan_refuse(scan, where,
                       "sum %s has an index twice, so some of its elements would be undefined",
                       scan_excerpt(where).text);
}

/** Ends a sum, and checks that it does not add to itself and that it defines all of its
 * elements. */
static bool end_sum(struct network_builder *builder, struct word whole) {
    const struct tcplan_network *network = &builder->storage->network;
    struct scan *scan = builder->scan;
    if (builder->has_beta) {
        return scan_refuse(scan, whole,
                           "a sum must be defined by '=', without %s among its terms; found %s",
                           network->result.name, scan_excerpt(whole).text);
    }
    for (int d = 0; d < network->result.rank; d++) {
        for (int e = 0; e < d; e++) {
            if (network->result.dims[d] == network->result.dims[e])
                return refuse_diagonal(scan, network);
        }
    }
    return network_end_sum(builder);
}

/* formula = { statement ";" } statement ; all statements before the last one define sums */
static bool read_formula(struct network_builder *builder) {
    struct scan *scan = builder->scan;
    for (;;) {
        scan_peek(scan);
        struct word whole = {scan->at, 0};
        if (!read_statement(builder)) return false;
        whole = scan_since(scan, whole);
        if (!scan_accept(scan, ";")) return true;
        if (!end_sum(builder, whole)) return false;
    }
}

/* Einsum. */

/** Returns the name of factor `n`, counted from 0; for `n` = `count`, the name of the result. */
static struct word einsum_name(char text[16], int n, int count) {
    if (count > LETTERED) {
        snprintf(text, 16, n == count ? "R" : "A%d", n + 1);
    } else {
        snprintf(text, 16, "%c", 'A' + n);
    }
    return word_of(text);
}

/* operand = { letter } */
static bool read_operand(struct notation_tensor *out, struct scan *scan, struct word name) {
    scan_peek(scan);
    *out = (struct notation_tensor){.whole = {scan->at, 0}, .name = name};
    for (char next = scan_peek(scan); scan_is_letter(next) || next == '.'; next = scan_peek(scan)) {
        const struct word letter = {scan->at, 1};
        if (next == '.')
            return scan_refuse(
                scan, letter,
                "expected an index letter, found '.': '...' is read with two operands only");
        if (!notation_add_index(out, scan, letter)) return false;
        scan->at++;
        out->whole = scan_since(scan, out->whole);
    }
    return true;
}

/** Finds the result of an einsum without `->`: the letters that occur once, in ASCII order. */
static bool imply_result(struct network_builder *builder, struct notation_tensor *result,
                         const char *end) {
    int count[128] = {0};
    const char *place[128] = {0};
    for (const char *at = builder->scan->text; at < end; at++) {
        count[(unsigned char)*at & 127]++;
        place[(unsigned char)*at & 127] = at;
    }
    for (int letter = 'A'; letter <= 'z'; letter++) {
        if (!scan_is_letter((char)letter) || count[letter] != 1) continue;
        if (!notation_add_index(result, builder->scan, (struct word){place[letter], 1}))
            return false;
    }
    return true;
}

/** Reads the result of an einsum, which is written last, before the factors, so that its indices
 * get the first numbers. */
static bool read_einsum_result(struct network_builder *builder, int count) {
    struct scan ahead = *builder->scan;
    char text[16];
    const char *arrow = strstr(ahead.text, "->");
    struct notation_tensor result = {.whole = {ahead.text, 0},
                                     .name = einsum_name(text, count, count)};
    if (arrow) {
        ahead.at = arrow + 2;
        if (!read_operand(&result, &ahead, einsum_name(text, count, count)) ||
            (scan_peek(&ahead) != '\0' && !scan_expected(&ahead, "an index letter or the end"))) {
            builder->scan->status = ahead.status;
            return false;
        }
    } else if (!imply_result(builder, &result, ahead.text + strlen(ahead.text))) {
        return false;
    }
    return network_set_result(builder, &result);
}

/* einsum = operand { "," operand } [ "->" operand ] */
static bool read_einsum(struct network_builder *builder) {
    struct scan *scan = builder->scan;
    struct notation_tensor tensor;
    char text[16];
    int count = 1;
    for (const char *at = scan->text; *at; at++) count += *at == ',';
    if (!network_add_term(builder, (struct tcplan_scalar){.re = 1}) ||
        !read_einsum_result(builder, count))
        return false;
    for (int n = 0; n < count; n++) {
        if (!read_operand(&tensor, scan, einsum_name(text, n, count)) ||
            !network_add_operand(builder, &tensor))
            return false;
        if (n + 1 < count && !scan_accept(scan, ","))
            return scan_expected(scan, "an index letter, or ',' and the next operand");
    }
    /* The result has been read already (read_einsum_result()). */
    if (scan_accept(scan, "->")) return true;
    return scan_peek(scan) == '\0' ||
           scan_expected(
               scan, "an index letter, ',' and the next operand, '->' and the result, or the end");
}

/* All. */

static bool is_einsum(const char *text) {
    return !strchr(text, '=') && (strstr(text, "->") || (strchr(text, ',') && !strchr(text, '[')));
}

/* network = formula | einsum */
bool network_read_text(struct network_builder *builder) {
    if (scan_peek(builder->scan) == '\0')
        return scan_expected(builder->scan, "an expression such as E_ad=A_ab*B_bc*C_cd");
    return is_einsum(builder->scan->text) ? read_einsum(builder) : read_formula(builder);
}

/** Checks that each index of a term's result, or of its sum, occurs in a factor of the term. */
static bool check_term(const struct tcplan_network *network, int t, struct scan *scan) {
    const struct tcplan_network_term *term = &network->term[t];
    const struct tcplan_network_operand *target = tcplan_network_target(network, t);
    const struct tcplan_network_operand *first = &network->operand[term->first],
                                        *last = first + term->count - 1;
    for (int d = 0; d < target->rank; d++) {
        const int index = target->dims[d];
        if (network_term_has(network, term, index)) continue;
        struct word where = place_of(scan, first);
        where.length = last->column + last->length - first->column;
        return scan_refuse(
            scan, where,
            "index '%.40s' of the result '%.40s' is in no factor of %s; expected it in each term",
            network->index[index], target->name, scan_excerpt(where).text);
    }
    return true;
}

/** Checks that a term reads a sum. */
static bool check_sum(const struct tcplan_network *network, int sum, struct scan *scan) {
    const struct word where = place_of(scan, &network->sum[sum]);
    for (int o = 0; o < network->operand_count; o++) {
        if (network->operand[o].tensor == TCPLAN_NETWORK_SUMS + sum) return true;
    }
    return scan_refuse(scan, where, "sum '%.40s' is never used; expected it in a later term",
                       network->sum[sum].name);
}

bool network_read(struct network_builder *builder) {
    const struct tcplan_network *network = &builder->storage->network;
    if (!network_read_text(builder)) return false;
    if (network->term_count == 0 ||
        network->term[network->term_count - 1].into < network->sum_count)
        return scan_expected(builder->scan, "'+' and another tensor");
    for (int t = 0; t < network->term_count; t++) {
        if (!check_term(network, t, builder->scan)) return false;
    }
    for (int s = 0; s < network->sum_count; s++) {
        if (!check_sum(network, s, builder->scan)) return false;
    }
    return true;
}
