/**
 * A term as the search for its order sees it: sets of indices, how many elements they have, and a
 * coarse time of a product.
 *
 * Indices are numbered anew, those of the term only. A set is `words` numbers of 64 bits. Sets of
 * leaves are those of the factors without what nobody else has: sums over indices of one factor are
 * part of the first step that reads it.
 */
#ifndef NETWORK_SUBJECT_H
#define NETWORK_SUBJECT_H

#include "base/deadline.h"
#include "network/speeds.h"
#include "tcplan/network_search.h"

enum { SUBJECT_WORDS = TCPLAN_NETWORK_INDICES / 64 };

struct subject {
    int leaves;
    int indices;
    int words;
    uint16_t *index;   /* the network's number of each index */
    double *extent;    /* of each index */
    double *logarithm; /* of each extent, which is at least 1 there */
    uint64_t *leaf;    /* the set of each leaf */
    uint64_t *out;     /* the indices of the result */
    double *elements;  /* of each leaf, with what is summed over first */
    size_t element_bytes;
    bool is_complex;
    const struct speeds *speeds;
    enum tcplan_objective objective;
    double max_bytes;         /* of intermediates at once; INFINITY: any */
    struct deadline deadline; /* of the search; zeroed: never */
};

/** Makes the subject of a term; false if memory runs out. `free` in subject_free(). Sliced indices
 * of `sliced` have extent 1. */
bool subject_init(struct subject *out, const struct tcplan_network *network, int term,
                  const int64_t extent[], const bool *sliced);

/** The subject after two leaves, left < right, were multiplied: their product is leaf `left`, and
 * those behind `right` are one less. As subject_init(). */
bool subject_merge(struct subject *out, const struct subject *subject, int left, int right);

void subject_free(struct subject *subject);

/** What a product costs. */
struct step_cost {
    double flops;
    double seconds; /* coarse, whatever the layouts */
};

/** Elements of a set. */
double subject_elements(const struct subject *subject, const uint64_t *set);

/** The product of two tensors into a third, which have `elements` of their own. */
struct step_cost subject_step(const struct subject *subject, const uint64_t *left,
                              const uint64_t *right, const uint64_t *made, double left_elements,
                              double right_elements, double made_elements);

/* Sets. */

static inline const uint64_t *subject_leaf(const struct subject *subject, int leaf) {
    return subject->leaf + (size_t)leaf * (size_t)subject->words;
}

static inline bool set_has(const uint64_t *set, int index) {
    return (set[index / 64] >> (index % 64) & 1) != 0;
}

static inline void set_add(uint64_t *set, int index) {
    set[index / 64] |= (uint64_t)1 << (index % 64);
}

static inline bool set_meets(const uint64_t *a, const uint64_t *b, int words) {
    for (int w = 0; w < words; w++) {
        if (a[w] & b[w]) return true;
    }
    return false;
}

#endif
