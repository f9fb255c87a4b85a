/**
 * Matches products factor by factor and index by index.
 */
#ifndef NETWORK_MATCH_H
#define NETWORK_MATCH_H

#include "tcplan/network.h"

/** Maximum number of pairs of factors that are tried: products with more symmetry are not
 * recognised. */
enum { MATCH_TRIES = 4096, MATCH_NOWHERE = 0xffff };

/** The role of an index in a product. */
enum match_kind {
    MATCH_INNER,  /**< the product sums over the index */
    MATCH_OPEN,   /**< other factors or the result also have it */
    MATCH_ITSELF, /**< the index can match only itself */
    MATCH_ANY     /**< matches any role; only in the second product */
};

/** Two products that are being matched, a and b. Zero-initialise, call match_begin(), then set the
 * kinds. */
struct match {
    const int64_t *extent; /**< extent of each index */
    int tries;
    unsigned char kind_a[TCPLAN_NETWORK_INDICES],
        kind_b[TCPLAN_NETWORK_INDICES]; /**< enum match_kind of the indices of a and b, set by the
                                           caller */
    uint16_t there[TCPLAN_NETWORK_INDICES],
        back[TCPLAN_NETWORK_INDICES]; /**< maps from indices of a to those of b, and back;
                                         MATCH_NOWHERE: no match yet */
};

/** The factors of a product, borrowed. */
struct match_product {
    int count;
    const struct tcplan_network_operand *const *factor;
};

/** Accepts a complete match, or returns false to make the search try another one. */
typedef bool match_done_fn(struct match *match, void *context);

void match_begin(struct match *match, const int64_t extent[]);

/**
 * Finds a different factor of b for each factor of a: the same tensor, with matching indices.
 *
 * @param used  for each factor of b: false before the call, afterwards whether it was matched
 * @param done  judges complete matches; NULL: the first one is accepted
 */
bool match_products(struct match *match, const struct match_product *a,
                    const struct match_product *b, bool used[], match_done_fn *done, void *context);

#endif
