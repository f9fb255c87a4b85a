#include "network/factors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "network/products.h"

enum { LEAVES_MOST = 8 };

/* Gains below this share of the cost of a term are rounding errors. */
#define LEAST_GAIN 1e-9

/** A product of some factors, which several terms may share. */
struct shared {
    uint64_t hash;
    int operand[LEAVES_MOST];
    uint16_t *open; /* indices that are not summed over; owned */
    struct product_form form;
    double cost;
    bool exists; /* whether a term already computes the product */
    double gain; /* gains of all terms that would read the product, minus its cost unless it exists
                  */
};

/** Two factors of a term whose product may be shared. */
struct pair {
    int left, right;
    int shared;  /* number of the product */
    double gain; /* cost that the term saves if the product exists */
};

/** A term in which pairs of factors are replaced by shared products, one after the other. */
struct piece {
    struct subject whole;  /* the original term */
    struct subject left;   /* the term in its present form, whose leaves are factors and products */
    int first;             /* number of the term's first operand */
    int node[LEAVES_MOST]; /* for each leaf of `left`, its node in the order that is being built */
    unsigned below[LEAVES_MOST]; /* for each leaf of `left`, the original factors that it contains,
                                    as bits */
    int made[LEAVES_MOST][2];
    int made_count;
    double value; /* cost of the best order of `left`; INFINITY: none was found */
    int pair_count;
    struct pair pair[LEAVES_MOST * (LEAVES_MOST - 1) / 2];
};

struct factors {
    const struct tcplan_network *network;
    const int64_t *extent;
    const bool *sliced;
    int shared_count, shared_capacity;
    struct shared *shared;
    struct piece *piece; /* all terms; a term that may not be rewritten has no leaves */
};

/* Costs. */

static double value_of(const struct subject *subject, bool *has_memory) {
    struct order order = {0};
    if (subject->leaves < 2) return 0;
    *has_memory = order_optimal(&order, subject, INFINITY) && *has_memory;
    const double value = *has_memory && order.steps + 1 == subject->leaves ? order.value : INFINITY;
    order_free(&order);
    return value;
}

/* Products. */

/** Returns the number of a product, and adds the product if it is new; -1 if memory runs out. */
static int number_shared(struct factors *factors, const struct product_form *form, double cost) {
    const uint64_t hash = product_hash(factors->network, form);
    for (int n = 0; n < factors->shared_count; n++) {
        const struct shared *known = &factors->shared[n];
        if (known->hash == hash &&
            product_equal(NULL, factors->network, factors->extent, &known->form, form))
            return n;
    }
    if (factors->shared_count == factors->shared_capacity) {
        const int capacity = factors->shared_capacity > 0 ? 2 * factors->shared_capacity : 64;
        struct shared *larger = base_realloc(factors->shared, (size_t)capacity * sizeof *larger);
        if (!larger) return -1;
        factors->shared = larger;
        factors->shared_capacity = capacity;
        for (int n = 0; n < factors->shared_count; n++) larger[n].form.operand = larger[n].operand;
    }
    struct shared *added = &factors->shared[factors->shared_count];
    *added = (struct shared){.hash = hash, .form = *form, .cost = cost};
    added->open = base_alloc(((size_t)form->open_count + 1) * sizeof *added->open);
    if (!added->open) return -1;
    memcpy(added->open, form->open, (size_t)form->open_count * sizeof *added->open);
    memcpy(added->operand, form->operand, (size_t)form->count * sizeof *added->operand);
    added->form.open = added->open;
    added->form.operand = added->operand;
    return factors->shared_count++;
}

/** Describes the product of the factors in `below`, which has the indices `set`. Returns false if a
 * factor has a sliced index. */
static bool form_of(struct product_form *out, const struct factors *factors,
                    const struct piece *piece, const uint64_t *set, unsigned below, int operand[],
                    uint16_t open[]) {
    *out = (struct product_form){.operand = operand, .open = open};
    for (int l = 0; l < piece->whole.leaves; l++) {
        if (!(below >> l & 1)) continue;
        const struct tcplan_network_operand *from = &factors->network->operand[piece->first + l];
        for (int d = 0; d < from->rank; d++) {
            if (factors->sliced[from->dims[d]]) return false;
        }
        operand[out->count++] = piece->first + l;
    }
    for (int i = 0; i < piece->whole.indices; i++) {
        if (set_has(set, i)) open[out->open_count++] = piece->whole.index[i];
    }
    return true;
}

/** Rates the product of two leaves of a term; returns false if memory runs out. */
static bool rate_pair(struct factors *factors, struct piece *piece, int left, int right) {
    int operand[LEAVES_MOST];
    uint16_t open[TCPLAN_NETWORK_INDICES];
    struct subject merged = {0};
    struct product_form form;
    bool has_memory = subject_merge(&merged, &piece->left, left, right);
    if (has_memory) {
        const uint64_t *made = subject_leaf(&merged, left);
        const struct step_cost step = subject_step(
            &piece->left, subject_leaf(&piece->left, left), subject_leaf(&piece->left, right), made,
            piece->left.elements[left], piece->left.elements[right], merged.elements[left]);
        const double gain = piece->value - value_of(&merged, &has_memory);
        const double cost =
            piece->left.objective == TCPLAN_OBJECTIVE_TIME ? step.seconds : step.flops;
        if (has_memory && gain > LEAST_GAIN * piece->value &&
            form_of(&form, factors, piece, made, piece->below[left] | piece->below[right], operand,
                    open)) {
            const int shared = number_shared(factors, &form, cost);
            has_memory = shared >= 0;
            if (has_memory)
                piece->pair[piece->pair_count++] = (struct pair){left, right, shared, gain};
            assert(piece->pair_count <= LEAVES_MOST * (LEAVES_MOST - 1) / 2);
        }
    }
    subject_free(&merged);
    return has_memory;
}

/** Rates the products of all pairs of a term. The product of the last two leaves is the result,
 * which is not shared. */
static bool rate_pairs(struct factors *factors, struct piece *piece) {
    bool has_memory = true;
    piece->pair_count = 0;
    piece->value = value_of(&piece->left, &has_memory);
    if (piece->left.leaves < 3 || !(piece->value < INFINITY)) return has_memory;
    for (int left = 0; left < piece->left.leaves && has_memory; left++) {
        for (int right = left + 1; right < piece->left.leaves && has_memory; right++)
            has_memory = rate_pair(factors, piece, left, right);
    }
    return has_memory;
}

/* Replacing pairs. */

/** Returns the pair of a term that gains most by reading a shared product; NULL if no pair
 * gains. */
static const struct pair *best_pair(const struct piece *piece, int shared) {
    const struct pair *best = NULL;
    for (int p = 0; p < piece->pair_count; p++) {
        const struct pair *pair = &piece->pair[p];
        if (pair->shared == shared && (!best || pair->gain > best->gain)) best = pair;
    }
    return best;
}

/** Returns the product that gains most over all terms; -1 if none gains. */
static int choose(struct factors *factors) {
    const int terms = factors->network->term_count;
    int best = -1;
    if (factors->shared_count == 0) return best;
    for (int n = 0; n < factors->shared_count; n++) {
        factors->shared[n].gain =
            factors->shared[n].exists ? 0 : -factors->shared[n].cost * (1 + LEAST_GAIN);
    }
    for (int t = 0; t < terms; t++) {
        const struct piece *piece = &factors->piece[t];
        for (int p = 0; p < piece->pair_count; p++) {
            const struct pair *pair = &piece->pair[p];
            if (best_pair(piece, pair->shared) == pair)
                factors->shared[pair->shared].gain += pair->gain;
        }
    }
    for (int n = 0; n < factors->shared_count; n++) {
        if (factors->shared[n].gain > (best < 0 ? 0 : factors->shared[best].gain)) best = n;
    }
    return best;
}

/** Replaces a pair of leaves of a term by their product, and rates the remaining pairs. */
static bool replace(struct factors *factors, struct piece *piece, struct pair pair) {
    struct subject merged = {0};
    if (!subject_merge(&merged, &piece->left, pair.left, pair.right)) {
        subject_free(&merged);
        return false;
    }
    piece->made[piece->made_count][0] = piece->node[pair.left];
    piece->made[piece->made_count][1] = piece->node[pair.right];
    piece->node[pair.left] = piece->whole.leaves + piece->made_count++;
    piece->below[pair.left] |= piece->below[pair.right];
    for (int l = pair.right; l + 1 < piece->left.leaves; l++) {
        piece->node[l] = piece->node[l + 1];
        piece->below[l] = piece->below[l + 1];
    }
    subject_free(&piece->left);
    piece->left = merged;
    return rate_pairs(factors, piece);
}

static bool take(struct factors *factors, int shared) {
    bool has_memory = true;
    factors->shared[shared].exists = true;
    for (int t = 0; t < factors->network->term_count && has_memory; t++) {
        const struct pair *pair = best_pair(&factors->piece[t], shared);
        if (pair) has_memory = replace(factors, &factors->piece[t], *pair);
    }
    return has_memory;
}

/* Orders. */

/** Writes the steps that make shared products, then the best order of the remaining factors. */
static bool write_order(struct order *out, const struct piece *piece) {
    struct order rest = {0};
    bool written = order_init(out, &piece->whole) && order_optimal(&rest, &piece->left, INFINITY);
    if (written && rest.steps + 1 == piece->left.leaves) {
        memcpy(out->pair, piece->made, (size_t)piece->made_count * sizeof *out->pair);
        out->steps = piece->made_count;
        for (int s = 0; s < rest.steps; s++, out->steps++) {
            for (int i = 0; i < 2; i++) {
                const int node = rest.pair[s][i];
                out->pair[out->steps][i] =
                    node < piece->left.leaves
                        ? piece->node[node]
                        : piece->whole.leaves + piece->made_count + node - piece->left.leaves;
            }
        }
        written = order_finish(&piece->whole, out);
    }
    order_free(&rest);
    return written;
}

static bool begin_term(struct factors *factors, int term, const struct subject *like) {
    const struct tcplan_network_term *from = &factors->network->term[term];
    struct piece *piece = &factors->piece[term];
    if (from->count < 3 || from->count > LEAVES_MOST) return true;
    piece->whole = piece->left = *like;
    piece->first = from->first;
    for (int l = 0; l < from->count; l++) {
        piece->node[l] = l;
        piece->below[l] = 1U << l;
    }
    return subject_init(&piece->whole, factors->network, term, factors->extent, factors->sliced) &&
           subject_init(&piece->left, factors->network, term, factors->extent, factors->sliced) &&
           rate_pairs(factors, piece);
}

bool factors_find(struct order out[], const struct tcplan_network *network, const int64_t extent[],
                  const bool sliced[], const struct subject *like) {
    struct factors factors = {.network = network, .extent = extent, .sliced = sliced};
    const int terms = network->term_count;
    factors.piece = base_alloc_zero((size_t)terms, sizeof *factors.piece);
    bool found = factors.piece != NULL;
    for (int t = 0; t < terms; t++) out[t] = (struct order){0};
    for (int t = 0; t < terms && found; t++)
        found = deadline_is_over(like->deadline) || begin_term(&factors, t, like);
    for (int best = found ? choose(&factors) : -1;
         found && best >= 0 && !deadline_is_over(like->deadline);
         best = found ? choose(&factors) : -1)
        found = take(&factors, best);
    for (int t = 0; t < terms && found; t++) {
        if (factors.piece[t].made_count > 0) found = write_order(&out[t], &factors.piece[t]);
    }
    for (int t = 0; t < terms && factors.piece; t++) {
        subject_free(&factors.piece[t].whole);
        subject_free(&factors.piece[t].left);
    }
    for (int n = 0; n < factors.shared_count; n++) base_free(factors.shared[n].open);
    base_free(factors.shared);
    base_free(factors.piece);
    return found;
}
