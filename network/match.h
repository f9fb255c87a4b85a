/**
 * Matches products factor by factor and index by index.
 */
#ifndef NETWORK_MATCH_H
#define NETWORK_MATCH_H

#include "tcplan/network.h"

/** Pairs of factors that are tried at most: products with more symmetry are not recognised. */
enum { MATCH_TRIES = 4096, MATCH_NOWHERE = 0xffff };

/** The role of an index in a product. */
enum match_kind {
    MATCH_INNER,  /**< it is summed over */
    MATCH_KEPT,   /**< others have it as well */
    MATCH_ITSELF, /**< it matches only itself */
    MATCH_ANY     /**< of the second product: not known yet */
};

/** Two products on the way to be matched. Zero-initialise; then match_begin(). */
struct match {
    const int64_t *extent; /**< of each index */
    int tries;
    unsigned char kind_a[TCPLAN_NETWORK_INDICES],
        kind_b[TCPLAN_NETWORK_INDICES]; /**< enum match_kind, the caller's */
    uint16_t there[TCPLAN_NETWORK_INDICES],
        back[TCPLAN_NETWORK_INDICES]; /**< from indices of a to those of b, and back; MATCH_NOWHERE:
                                         not yet */
};

/** Factors, borrowed. */
struct match_product {
    int count;
    const struct tcplan_network_operand *const *factor;
};

/** Looks at a whole match: false, and another one is tried. */
typedef bool match_done_fn(struct match *match, void *context);

void match_begin(struct match *match, const int64_t extent[]);

/**
 * Finds a factor of b for each of a: the same tensors, with matching indices.
 *
 * @param used  of each factor of b; all false. Afterwards it marks the factors found
 * @param done  NULL: the first match is taken
 */
bool match_products(struct match *match, const struct match_product *a,
                    const struct match_product *b, bool used[], match_done_fn *done, void *context);

#endif
