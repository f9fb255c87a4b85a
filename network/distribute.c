#include "network/distribute.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "network/match.h"
#include "network/network.h"
#include "network/search/orders.h"
#include "network/text.h"

enum {
    LEAVES_MOST = 8, /* maximum number of factors of a term that may be rewritten */
    TERMS_MOST = 6, /* maximum number of terms of a sum; larger sums are not compared with others */
    RESULT = -1     /* in place of the number of a sum: the result of the expression */
};

/* Savings below this share of the cost of all terms are rounding errors. */
#define LEAST_GAIN 1e-9

/** A term while it is rewritten, with its own list of factors. */
struct piece {
    struct tcplan_scalar factor;
    int into; /* number of the sum that the term is part of, or RESULT */
    int count;
    const struct tcplan_network_operand *operand;
    double cost; /* cost of the term's best order; INFINITY: the term may not be rewritten */
};

/** An expression while it is rewritten. */
struct expression {
    const struct tcplan_network *network;
    const int64_t *extent;
    const struct subject *like;
    struct arena arena;
    int piece_count, piece_capacity;
    struct piece *piece;
    int sum_count, sum_capacity;
    struct tcplan_network_operand *sum;
    bool *none;          /* array of false for all indices, which means that no index is sliced */
    struct match *match; /* memory for one match */
    char prefix[16];
    bool has_memory;
};

/** A term that has the common factors of its group. */
struct member {
    int piece;
    struct tcplan_network_operand rest[LEAVES_MOST]; /* factors that are not common, with indices
                                                        renamed as in the group's first term */
    int rest_count;
    double cost; /* cost of multiplying the other factors and adding the product to the sum */
};

/** Terms with common factors, which may become one term with a sum of their other factors. */
struct group {
    int count;
    struct member *member;
    int rank;
    uint16_t dims[TCPLAN_MAX_RANK]; /* indices of the sum */
    int known;                      /* number of an equal existing sum; -1: there is none */
    double gain;
};

/* Products. */

/** Returns whether one of the operands in a set of bits has an index. */
static bool any_has(const struct tcplan_network_operand *operand, int count, unsigned set,
                    int index) {
    for (int o = 0; o < count; o++) {
        if ((set >> o & 1U) && network_operand_has(&operand[o], index)) return true;
    }
    return false;
}

static const struct tcplan_network_operand *target_of(const struct expression *expression,
                                                      int into) {
    return into == RESULT ? &expression->network->result : &expression->sum[into];
}

/** Returns the cost of the best order of a product that is added to a tensor. A product of one
 * factor costs as much as a copy of it. */
static double product_cost(struct expression *expression,
                           const struct tcplan_network_operand *operand, int count,
                           const struct tcplan_network_operand *target) {
    const struct tcplan_network_term term = {.factor = {.re = 1}, .count = count};
    const struct tcplan_network view = {.index_count = expression->network->index_count,
                                        .operand_count = count,
                                        .operand = operand,
                                        .term_count = 1,
                                        .term = &term,
                                        .result = *target};
    struct subject subject = *expression->like;
    struct order order = {0};
    double cost = INFINITY;
    expression->has_memory =
        subject_init(&subject, &view, 0, expression->extent, expression->none) &&
        expression->has_memory;
    if (expression->has_memory && count == 1) {
        const double bytes = 2 * subject.elements[0] * (double)subject.element_bytes;
        cost = subject.objective == TCPLAN_OBJECTIVE_TIME
                   ? speeds_moving(subject.speeds, bytes, bytes)
                   : (subject.is_complex ? 8 : 2) * subject.elements[0];
    } else if (expression->has_memory) {
        expression->has_memory = order_optimal(&order, &subject, INFINITY);
        if (expression->has_memory && order.steps + 1 == count) cost = order.value;
        order_free(&order);
    }
    subject_free(&subject);
    return cost;
}

static void rate(struct expression *expression, struct piece *piece) {
    piece->cost = piece->count <= LEAVES_MOST
                      ? product_cost(expression, piece->operand, piece->count,
                                     target_of(expression, piece->into))
                      : INFINITY;
}

/* Members. */

/** State of the search for the common factors in another term. */
struct seeking {
    const struct expression *expression;
    const struct piece *piece;
    bool used[LEAVES_MOST]; /* for each factor of the term, whether it is one of the common factors
                             */
};

/** Returns whether each index of the common factors is also in other factors of this term exactly
 * if the matching index is also in other factors of the first term. */
static bool keeps_indices(struct match *match, void *context) {
    const struct seeking *seeking = context;
    unsigned rest = 0;
    for (int o = 0; o < seeking->piece->count; o++) rest |= seeking->used[o] ? 0 : 1U << o;
    for (int i = 0; i < seeking->expression->network->index_count; i++) {
        if (match->there[i] == MATCH_NOWHERE || match->kind_a[i] == MATCH_ITSELF) continue;
        if (any_has(seeking->piece->operand, seeking->piece->count, rest, match->there[i]) !=
            (match->kind_a[i] == MATCH_OPEN))
            return false;
    }
    return true;
}

/** Classifies each index of a term: the result has it, factors that are not common have it, or only
 * the common factors have it. */
static void set_kinds(struct match *match, const struct expression *expression,
                      const struct piece *piece, unsigned common) {
    const struct tcplan_network_operand *target = target_of(expression, piece->into);
    for (int i = 0; i < expression->network->index_count; i++) {
        const bool remains = any_has(piece->operand, piece->count, ~common, i);
        match->kind_a[i] = network_operand_has(target, i) ? MATCH_ITSELF
                           : remains                      ? MATCH_OPEN
                                                          : MATCH_INNER;
        match->kind_b[i] = network_operand_has(target, i) ? MATCH_ITSELF : MATCH_ANY;
    }
}

/**
 * Returns the index of the first term for an index of another term. An index that the common
 * factors lack keeps its number, unless the match has assigned that to another index. It then gets
 * the number of that index, which is free and has the same extent.
 */
static uint16_t name_of(const struct match *match, uint16_t index) {
    if (match->back[index] != MATCH_NOWHERE) return match->back[index];
    while (match->there[index] != MATCH_NOWHERE) index = match->there[index];
    return index;
}

/** Replaces the indices of a factor by those of the first term. */
static bool rename_factor(struct expression *expression, struct tcplan_network_operand *out,
                          const struct tcplan_network_operand *from, const struct match *match) {
    uint16_t *dims = arena_alloc(&expression->arena, (size_t)(from->rank + 1) * sizeof *dims);
    if (!dims) return expression->has_memory = false;
    *out = *from;
    out->dims = dims;
    for (int d = 0; d < from->rank; d++) dims[d] = name_of(match, from->dims[d]);
    return true;
}

/** Returns whether the remaining factors of a term, renamed, have exactly the open indices of the
 * sum; indices that are summed over within the remaining factors do not count. */
static bool fits(const struct expression *expression, const struct group *group,
                 const struct member *member, const struct piece *first, unsigned common) {
    const struct tcplan_network_operand *target = target_of(expression, first->into);
    const unsigned all = (1U << member->rest_count) - 1;
    for (int i = 0; i < expression->network->index_count; i++) {
        bool wanted = false;
        for (int d = 0; d < group->rank; d++) wanted = wanted || group->dims[d] == i;
        const bool there = any_has(member->rest, member->rest_count, all, i);
        const bool reaches =
            network_operand_has(target, i) || any_has(first->operand, first->count, common, i);
        if (wanted != (there && reaches)) return false;
    }
    return true;
}

/** Finds the common factors of the first term in another term, and renames the remaining factors of
 * that term. */
static bool find_member(struct expression *expression, struct member *out,
                        const struct group *group, int first, unsigned common, int other) {
    const struct piece *a = &expression->piece[first], *b = &expression->piece[other];
    const struct tcplan_network_operand *one[LEAVES_MOST], *two[LEAVES_MOST];
    struct match_product shared = {.factor = one}, all = {.count = b->count, .factor = two};
    struct seeking seeking = {.expression = expression, .piece = b};
    for (int o = 0; o < a->count; o++) {
        if (common >> o & 1U) one[shared.count++] = &a->operand[o];
    }
    for (int o = 0; o < b->count; o++) two[o] = &b->operand[o];
    if (shared.count >= b->count) return false;
    struct match *match = expression->match;
    match->tries = 0;
    match_begin(match, expression->extent);
    set_kinds(match, expression, a, common);
    *out = (struct member){.piece = other};
    bool found = match_products(match, &shared, &all, seeking.used, keeps_indices, &seeking);
    for (int o = 0; found && o < b->count; o++) {
        if (!seeking.used[o])
            found = rename_factor(expression, &out->rest[out->rest_count++], &b->operand[o], match);
    }
    return found && fits(expression, group, out, a, common);
}

/** The terms of a sum, each with its factors. */
struct terms {
    int rank;
    const uint16_t *dims;
    int count;
    struct tcplan_scalar factor[TERMS_MOST];
    int factors[TERMS_MOST];
    const struct tcplan_network_operand *operand[TERMS_MOST];
};

/** State of comparing two sums. */
struct comparing {
    const struct terms *a, *b;
    int term; /* number of the term of `a` that is being compared */
    unsigned used;
    struct match *all; /* receives the match of all terms */
};

static bool compare_from(struct match *match, void *context);

/** Compares the remaining terms. Drops the pairs of indices that earlier terms sum over, because
 * those have no meaning in other terms. */
static bool compare_next(struct match *match, void *context) {
    struct comparing next = *(const struct comparing *)context;
    struct match fresh = *match;
    for (int i = 0; i < TCPLAN_NETWORK_INDICES; i++) {
        if (fresh.kind_a[i] == MATCH_INNER) fresh.there[i] = MATCH_NOWHERE;
        if (fresh.kind_b[i] == MATCH_INNER) fresh.back[i] = MATCH_NOWHERE;
    }
    next.term++;
    if (next.term < next.a->count) return compare_from(&fresh, &next);
    *next.all = fresh;
    return true;
}

static bool compare_from(struct match *match, void *context) {
    struct comparing *comparing = context;
    const struct terms *a = comparing->a, *b = comparing->b;
    const int t = comparing->term;
    const struct tcplan_network_operand *one[LEAVES_MOST], *two[LEAVES_MOST];
    for (int o = 0; o < a->factors[t]; o++) one[o] = &a->operand[t][o];
    for (int u = 0; u < b->count; u++) {
        const bool equal = a->factors[t] == b->factors[u] && a->factor[t].re == b->factor[u].re &&
                           a->factor[t].im == b->factor[u].im;
        if (!equal || (comparing->used >> u & 1U)) continue;
        for (int o = 0; o < b->factors[u]; o++) two[o] = &b->operand[u][o];
        const struct match_product x = {.count = a->factors[t], .factor = one},
                                   y = {.count = b->factors[u], .factor = two};
        bool used[LEAVES_MOST] = {false};
        comparing->used |= 1U << u;
        if (match_products(match, &x, &y, used, compare_next, comparing)) return true;
        comparing->used &= ~(1U << u);
    }
    return false;
}

/** Returns whether two sums are equal; `dims` receives the indices of `b` that match the dimensions
 * of `a`. */
static bool is_same_sum(uint16_t dims[], struct expression *expression, const struct terms *a,
                        const struct terms *b) {
    struct match *match = expression->match;
    struct comparing comparing = {.a = a, .b = b, .all = match};
    if (a->count != b->count || a->rank != b->rank) return false;
    match->tries = 0;
    match_begin(match, expression->extent);
    memset(match->kind_a, MATCH_INNER, sizeof match->kind_a);
    memset(match->kind_b, MATCH_INNER, sizeof match->kind_b);
    for (int d = 0; d < a->rank; d++) {
        match->kind_a[a->dims[d]] = MATCH_OPEN;
        match->kind_b[b->dims[d]] = MATCH_OPEN;
    }
    if (!compare_from(match, &comparing)) return false;
    for (int d = 0; d < a->rank; d++) dims[d] = match->there[a->dims[d]];
    return true;
}

/* Groups. */

/** Finds the indices of the sum: the indices of its factors that the target or the common factors
 * also have. */
static bool find_dims(struct group *group, const struct expression *expression,
                      const struct piece *first, unsigned common) {
    const struct tcplan_network_operand *target = target_of(expression, first->into);
    group->rank = 0;
    for (int o = 0; o < first->count; o++) {
        for (int d = 0; d < first->operand[o].rank && !(common >> o & 1U); d++) {
            const int index = first->operand[o].dims[d];
            bool again = !network_operand_has(target, index) &&
                         !any_has(first->operand, first->count, common, index);
            for (int e = 0; e < group->rank; e++) again = again || group->dims[e] == index;
            if (again) continue;
            if (group->rank == TCPLAN_MAX_RANK) return false;
            group->dims[group->rank++] = (uint16_t)index;
        }
    }
    return true;
}

static void take_dims(struct group *group, const struct member *member) {
    bool once = member->rest_count == 1 && member->rest[0].rank == group->rank;
    for (int d = 0; once && d < group->rank; d++) {
        once = network_operand_has(&member->rest[0], group->dims[d]);
    }
    if (once) memcpy(group->dims, member->rest[0].dims, (size_t)group->rank * sizeof *group->dims);
}

static struct tcplan_network_operand sum_operand(const struct group *group, int number) {
    return (struct tcplan_network_operand){.name = "",
                                           .tensor = TCPLAN_NETWORK_SUMS + number,
                                           .rank = group->rank,
                                           .dims = group->dims};
}

/** Returns the scalar factor of the new term: the factor of the first member if all other factors
 * are exact multiples of it, otherwise 1. Sums with proportional factors are thus recognised as
 * equal. */
static struct tcplan_scalar outer_factor(const struct expression *expression,
                                         const struct group *group) {
    const struct tcplan_scalar one = {.re = 1},
                               first = expression->piece[group->member[0].piece].factor;
    for (int m = 1; m < group->count; m++) {
        const struct tcplan_scalar own = expression->piece[group->member[m].piece].factor;
        if (own.re == first.re && own.im == first.im) continue;
        if (own.im != 0 || first.im != 0 || fma(own.re / first.re, first.re, -own.re) != 0)
            return one;
    }
    return first;
}

/** Returns the scalar factor of a product in a sum that is itself multiplied by `outer`. */
static struct tcplan_scalar inner_factor(struct tcplan_scalar own, struct tcplan_scalar outer) {
    if (own.re == outer.re && own.im == outer.im) return (struct tcplan_scalar){.re = 1};
    return (struct tcplan_scalar){.re = own.re / outer.re,
                                  .im = own.im / outer.re}; /* a complex factor equals `outer`, or
                                                               `outer` is 1 */
}

/** Adds a term; returns false if there are too many terms or factors. */
static bool add_term(struct terms *terms, struct tcplan_scalar factor,
                     const struct tcplan_network_operand *operand, int count) {
    if (terms->count == TERMS_MOST || count > LEAVES_MOST) return false;
    terms->factor[terms->count] = factor;
    terms->operand[terms->count] = operand;
    terms->factors[terms->count++] = count;
    return true;
}

/** Lists the terms of an existing sum; returns false if it is too large to be compared. */
static bool terms_of(struct terms *out, const struct expression *expression, int sum) {
    bool fit = true;
    *out = (struct terms){.rank = expression->sum[sum].rank, .dims = expression->sum[sum].dims};
    for (int p = 0; p < expression->piece_count && fit; p++) {
        const struct piece *piece = &expression->piece[p];
        if (piece->into == sum) fit = add_term(out, piece->factor, piece->operand, piece->count);
    }
    return fit;
}

/** Finds an existing sum that equals the sum of a group, and gives the group's dimensions the order
 * of the existing sum. Returns the number of the existing sum; -1 if there is none. */
static int find_known(struct expression *expression, struct group *group) {
    struct terms wanted = {.rank = group->rank, .dims = group->dims}, there;
    const struct tcplan_scalar outer = outer_factor(expression, group);
    for (int m = 0; m < group->count; m++) {
        const struct member *member = &group->member[m];
        if (!add_term(&wanted, inner_factor(expression->piece[member->piece].factor, outer),
                      member->rest, member->rest_count))
            return -1;
    }
    for (int s = 0; s < expression->sum_count; s++) {
        uint16_t dims[TCPLAN_MAX_RANK];
        if (expression->piece[group->member[0].piece].into == s || !terms_of(&there, expression, s))
            continue;
        if (!is_same_sum(dims, expression, &there, &wanted)) continue;
        memcpy(group->dims, dims, (size_t)group->rank * sizeof *dims);
        return s;
    }
    return -1;
}

/** Computes how much a group saves. */
static void rate_group(struct expression *expression, struct group *group, unsigned common) {
    const struct piece *first = &expression->piece[group->member[0].piece];
    struct tcplan_network_operand operand[LEAVES_MOST];
    int count = 0;
    for (int m = 1; m < group->count; m++) take_dims(group, &group->member[m]);
    take_dims(group, &group->member[0]);
    group->known = find_known(expression, group);
    for (int o = 0; o < first->count; o++) {
        if (common >> o & 1U) operand[count++] = first->operand[o];
    }
    operand[count++] = sum_operand(group, 0);
    group->gain = -product_cost(expression, operand, count, target_of(expression, first->into));
    for (int m = 0; m < group->count; m++) {
        group->gain += expression->piece[group->member[m].piece].cost;
        if (group->known < 0) group->gain -= group->member[m].cost;
    }
}

/** Stores a group if it saves more than the best group so far; false if memory runs out. */
static bool keep(struct expression *expression, struct group *best, unsigned *best_common,
                 struct group *group, unsigned common) {
    rate_group(expression, group, common);
    if (!(group->gain > best->gain)) return expression->has_memory;
    struct member *copy = base_realloc(best->member, (size_t)group->count * sizeof *copy);
    if (!copy) return expression->has_memory = false;
    memcpy(copy, group->member, (size_t)group->count * sizeof *copy);
    *best = *group;
    best->member = copy;
    *best_common = common;
    return expression->has_memory;
}

/** Begins a group whose first member is term `first`. */
static void begin_group(struct expression *expression, struct group *group, int first,
                        unsigned common) {
    const struct piece *piece = &expression->piece[first];
    struct member *own = &group->member[0];
    *own = (struct member){.piece = first};
    for (int o = 0; o < piece->count; o++) {
        if (!(common >> o & 1U)) own->rest[own->rest_count++] = piece->operand[o];
    }
    const struct tcplan_network_operand sum = sum_operand(group, 0);
    own->cost = product_cost(expression, own->rest, own->rest_count, &sum);
    group->count = 1;
}

/** Rates the groups of terms that share the factors `common`: each pair, and the group of all terms
 * that become cheaper. */
static bool rate_groups(struct expression *expression, struct group *best, unsigned *best_common,
                        struct group *group, int first, unsigned common) {
    const struct piece *own = &expression->piece[first];
    struct member all[2];
    int count = 0;
    if (!find_dims(group, expression, own, common)) return true;
    for (int other = first + 1; other < expression->piece_count && expression->has_memory;
         other++) {
        const struct piece *piece = &expression->piece[other];
        struct member *member = &group->member[1 + count];
        if (piece->into != own->into || !(piece->cost < INFINITY) || piece->count < 2) continue;
        if (!find_member(expression, member, group, first, common, other)) continue;
        if (count == 0) begin_group(expression, group, first, common);
        const struct tcplan_network_operand sum = sum_operand(group, 0);
        member->cost = product_cost(expression, member->rest, member->rest_count, &sum);
        struct group pair = *group;
        pair.member = all;
        pair.count = 2;
        all[0] = group->member[0];
        all[1] = *member;
        if (!keep(expression, best, best_common, &pair, common)) return false;
        if (member->cost < piece->cost) count++;
    }
    group->count = 1 + count;
    return expression->has_memory &&
           (count < 2 || keep(expression, best, best_common, group, common));
}

/* Replacing terms. */

static bool reserve(struct expression *expression) {
    if (expression->piece_count == expression->piece_capacity) {
        const int capacity = 2 * expression->piece_capacity + 16;
        struct piece *larger = base_realloc(expression->piece, (size_t)capacity * sizeof *larger);
        if (!larger) return expression->has_memory = false;
        expression->piece = larger;
        expression->piece_capacity = capacity;
    }
    if (expression->sum_count == expression->sum_capacity) {
        const int capacity = 2 * expression->sum_capacity + 16;
        struct tcplan_network_operand *larger =
            base_realloc(expression->sum, (size_t)capacity * sizeof *larger);
        if (!larger) return expression->has_memory = false;
        expression->sum = larger;
        expression->sum_capacity = capacity;
    }
    return true;
}

/** Copies operands into the memory of the expression. */
static const struct tcplan_network_operand *stay(struct expression *expression,
                                                 const struct tcplan_network_operand *operand,
                                                 int count) {
    struct tcplan_network_operand *copy =
        arena_alloc(&expression->arena, (size_t)count * sizeof *copy);
    if (!copy) expression->has_memory = false;
    if (copy) memcpy(copy, operand, (size_t)count * sizeof *copy);
    return copy;
}

/** Adds a sum and returns its number; -1 if memory runs out. */
static int add_sum(struct expression *expression, const struct group *group) {
    char name[32];
    if (!reserve(expression)) return -1;
    const int number = expression->sum_count;
    snprintf(name, sizeof name, "%s%d", expression->prefix, number + 1);
    uint16_t *dims = arena_alloc(&expression->arena, sizeof group->dims);
    const char *kept = arena_strndup(&expression->arena, name, strlen(name));
    if (!dims || !kept) return -1;
    memcpy(dims, group->dims, sizeof group->dims);
    expression->sum[expression->sum_count++] = (struct tcplan_network_operand){
        .name = kept, .tensor = -1, .rank = group->rank, .dims = dims};
    return number;
}

/** Replaces the terms of a group by one term with a sum. */
static bool take(struct expression *expression, const struct group *group, unsigned common) {
    const int first = group->member[0].piece;
    const struct tcplan_scalar outer = outer_factor(expression, group);
    struct tcplan_network_operand merged[LEAVES_MOST];
    int count = 0;
    const int sum = group->known >= 0 ? group->known : add_sum(expression, group);
    if (sum < 0) return expression->has_memory = false;
    for (int m = 0; m < group->count && group->known < 0; m++) {
        const struct member *member = &group->member[m];
        if (!reserve(expression)) return false;
        struct piece *added = &expression->piece[expression->piece_count++];
        *added =
            (struct piece){.factor = inner_factor(expression->piece[member->piece].factor, outer),
                           .into = sum,
                           .count = member->rest_count,
                           .operand = stay(expression, member->rest, member->rest_count)};
        if (!expression->has_memory) return false;
        rate(expression, added);
    }
    struct piece *piece = &expression->piece[first];
    uint16_t *dims = arena_alloc(&expression->arena, sizeof group->dims);
    if (!dims) return expression->has_memory = false;
    memcpy(dims, group->dims, sizeof group->dims);
    for (int o = 0; o < piece->count; o++) {
        if (common >> o & 1U) merged[count++] = piece->operand[o];
    }
    merged[count] = sum_operand(group, sum);
    merged[count].name = expression->sum[sum].name;
    merged[count++].dims = dims;
    piece->factor = outer;
    piece->count = count;
    piece->operand = stay(expression, merged, count);
    if (expression->has_memory) rate(expression, piece);
    /* Members are in the order of the terms, so that earlier numbers stay valid. */
    for (int m = group->count - 1; m > 0; m--) {
        const int gone = group->member[m].piece;
        assert(gone > group->member[m - 1].piece);
        memmove(&expression->piece[gone], &expression->piece[gone + 1],
                (size_t)(expression->piece_count - gone - 1) * sizeof *piece);
        expression->piece_count--;
    }
    return expression->has_memory;
}

/** Replaces the terms of the group that saves most. Returns false if no group saves anything or
 * memory runs out. */
static bool take_best(struct expression *expression) {
    struct group best = {.gain = 0}, group = {.count = 0};
    unsigned common = 0;
    double all = 0;
    group.member = base_alloc(((size_t)expression->piece_count + 1) * sizeof *group.member);
    expression->has_memory = group.member != NULL;
    for (int p = 0; p < expression->piece_count; p++)
        all += expression->piece[p].cost < INFINITY ? expression->piece[p].cost : 0;
    for (int p = 0; p < expression->piece_count && expression->has_memory &&
                    !deadline_is_over(expression->like->deadline);
         p++) {
        const struct piece *piece = &expression->piece[p];
        const bool is_zero = piece->factor.re == 0 && piece->factor.im == 0;
        if (!(piece->cost < INFINITY) || piece->count < 2 || is_zero) continue;
        for (unsigned set = 1; set + 1 < 1U << piece->count && expression->has_memory; set++)
            rate_groups(expression, &best, &common, &group, p, set);
    }
    const bool taken = expression->has_memory && best.member && best.gain > LEAST_GAIN * all &&
                       take(expression, &best, common);
    base_free(group.member);
    base_free(best.member);
    return taken;
}

/** Chooses a prefix for the names of sums with which no name of a tensor begins. */
static void choose_prefix(struct expression *expression) {
    const struct tcplan_network *network = expression->network;
    bool taken = true;
    for (size_t length = 1; taken && length + 1 < sizeof expression->prefix; length++) {
        memset(expression->prefix, 'S', length);
        expression->prefix[length] = '\0';
        taken = strncmp(network->result.name, expression->prefix, length) == 0;
        for (int o = 0; o < network->operand_count; o++)
            taken = taken || strncmp(network->operand[o].name, expression->prefix, length) == 0;
    }
}

static bool begin(struct expression *expression) {
    const struct tcplan_network *network = expression->network;
    expression->none = base_alloc_zero((size_t)network->index_count + 1, sizeof *expression->none);
    expression->match = base_alloc_zero(1, sizeof *expression->match);
    expression->has_memory = expression->none && expression->match;
    choose_prefix(expression);
    for (int s = 0; s < network->sum_count && expression->has_memory && reserve(expression); s++)
        expression->sum[expression->sum_count++] = network->sum[s];
    for (int t = 0; t < network->term_count && expression->has_memory && reserve(expression); t++) {
        const struct tcplan_network_term *term = &network->term[t];
        struct piece *piece = &expression->piece[expression->piece_count++];
        *piece = (struct piece){.factor = term->factor,
                                .into = term->into < network->sum_count ? term->into : RESULT,
                                .count = term->count,
                                .operand = &network->operand[term->first]};
        rate(expression, piece);
    }
    return expression->has_memory;
}

static void print_operand(struct strbuf *out, const struct expression *expression,
                          const struct tcplan_network_operand *operand) {
    const struct network_named named = {.name = operand->name,
                                        .conjugated = operand->conjugated,
                                        .rank = operand->rank,
                                        .dims = operand->dims};
    network_print_tensor(out, expression->network, &named, false);
}

/** Prints the statement of a sum, or of the result, after the statements of the sums that it reads.
 * `printed` marks the sums that are already printed. */
static void print_statement(struct strbuf *out, const struct expression *expression, int into,
                            bool printed[]) {
    const struct tcplan_network *network = expression->network;
    const bool beta = into == RESULT && (network->beta.re != 0 || network->beta.im != 0);
    bool first = true;
    for (int p = 0; p < expression->piece_count; p++) {
        const struct piece *piece = &expression->piece[p];
        for (int o = 0; o < piece->count && piece->into == into; o++) {
            const int sum = piece->operand[o].tensor - TCPLAN_NETWORK_SUMS;
            if (sum >= 0 && !printed[sum]) print_statement(out, expression, sum, printed);
        }
    }
    if (into != RESULT) printed[into] = true;
    strbuf_add(out, "%s", out->length > 0 ? "; " : "");
    print_operand(out, expression, target_of(expression, into));
    strbuf_add(out, "=");
    for (int p = 0; p < expression->piece_count; p++) {
        const struct piece *piece = &expression->piece[p];
        if (piece->into != into) continue;
        network_print_factor(out, piece->factor, first ? "" : "+");
        for (int o = 0; o < piece->count; o++) {
            strbuf_add(out, "%s", o > 0 ? "*" : "");
            print_operand(out, expression, &piece->operand[o]);
        }
        first = false;
    }
    if (!beta) return;
    struct tcplan_network_operand before = network->result;
    before.conjugated = network->conjugates_added;
    network_print_factor(out, network->beta, "+");
    print_operand(out, expression, &before);
}

static enum tcplan_status finish(struct distributed *out, const struct expression *expression,
                                 struct tcplan_error *error) {
    struct strbuf text = {0};
    bool *printed = base_alloc_zero((size_t)expression->sum_count + 1, sizeof *printed);
    struct distributed made = {.network = NULL};
    if (printed) print_statement(&text, expression, RESULT, printed);
    base_free(printed);
    char *notation = strbuf_finish(&text);
    enum tcplan_status status = printed && notation ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK)
        status = tcplan_network_parse(&made.network, notation, expression->network->order, error);
    free(notation);
    if (status == TCPLAN_OK && !network_number_like(made.network, expression->network))
        status = error_no_memory(error);
    if (status == TCPLAN_OK)
        made.extent = base_alloc(((size_t)made.network->index_count + 1) * sizeof *made.extent);
    if (status == TCPLAN_OK && !made.extent) status = error_no_memory(error);
    for (int i = 0; made.extent && status == TCPLAN_OK && i < made.network->index_count; i++) {
        int from = 0;
        while (strcmp(expression->network->index[from], made.network->index[i]) != 0) from++;
        made.extent[i] = expression->extent[from];
    }
    if (status == TCPLAN_OK) {
        *out = made;
    } else {
        distributed_free(&made);
    }
    return status;
}

enum tcplan_status distribute(struct distributed *out, const struct tcplan_network *network,
                              const int64_t extent[], const struct subject *like,
                              struct tcplan_error *error) {
    struct expression expression = {.network = network, .extent = extent, .like = like};
    bool any = false;
    *out = (struct distributed){.network = NULL};
    if (begin(&expression)) {
        while (take_best(&expression)) any = true;
    }
    enum tcplan_status status = expression.has_memory ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK && any) status = finish(out, &expression, error);
    arena_free(&expression.arena);
    base_free(expression.piece);
    base_free(expression.sum);
    base_free(expression.none);
    base_free(expression.match);
    return status;
}

void distributed_free(struct distributed *distributed) {
    tcplan_network_free(distributed->network);
    base_free(distributed->extent);
    *distributed = (struct distributed){.network = NULL};
}
