/**
 * The data of a term that the search for its order needs: sets of indices, numbers of elements, and
 * coarse costs of products.
 *
 * Only the indices of the term have numbers. A set consists of `words` words of 64 bits. The set of
 * a leaf has the indices of a factor, except those that occur neither in the result nor in another
 * factor: sums over indices of one factor are part of the first step that reads it.
 */
#ifndef NETWORK_SEARCH_SUBJECT_H
#define NETWORK_SEARCH_SUBJECT_H

#include "base/deadline.h"
#include "network/search/speeds.h"
#include "tcplan/network_search.h"

enum { SUBJECT_WORDS = TCPLAN_NETWORK_INDICES / 64 };

struct subject {
    int leaves;
    int indices;
    int words;
    uint16_t *index;   /* number of each index in the network */
    double *extent;    /* extent of each index */
    double *logarithm; /* logarithm of each extent; 0 if the extent is 0 */
    uint64_t *leaf;    /* set of indices of each leaf */
    uint64_t *out;     /* set of indices of the result */
    double *elements;  /* number of elements of each leaf, including the indices that its first step
                          sums over */
    size_t element_bytes;
    bool is_complex;
    const struct speeds *speeds;
    enum tcplan_objective objective;
    double max_bytes;         /* limit of the intermediates' peak memory in bytes; INFINITY: none */
    struct deadline deadline; /* deadline of the search; zeroed: no deadline */
};

/** Makes the subject of a term, to be freed with subject_free(); returns false if memory runs out.
 * Indices in `sliced` get the extent 1. */
bool subject_init(struct subject *out, const struct tcplan_network *network, int term,
                  const int64_t extent[], const bool *sliced);

/** Makes the subject that remains after multiplying leaves left < right: leaf `left` becomes their
 * product, and leaves after `right` move down by one. Returns false if memory runs out. */
bool subject_merge(struct subject *out, const struct subject *subject, int left, int right);

void subject_free(struct subject *subject);

/** The cost of multiplying two tensors. */
struct step_cost {
    double flops;
    double seconds; /* coarse time, independent of the layouts */
};

/** Returns the number of elements of a tensor with a set of indices. */
double subject_elements(const struct subject *subject, const uint64_t *set);

/** Returns the cost of multiplying two tensors into a third one. The numbers of elements include
 * indices that are not in the sets. */
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
