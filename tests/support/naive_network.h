/**
 * Networks by naive loops, on small whole numbers: results of any order of products are then the
 * same to the last bit. Tensors that only terms with a
 * factor of 0 read, and the result where beta is 0, are NaN: a read of them shows.
 */
#ifndef SUPPORT_NAIVE_NETWORK_H
#define SUPPORT_NAIVE_NETWORK_H

#include <complex.h>

#include "tcplan/network_tree.h"

enum { NAIVE_TENSORS = 16 };

/** A network with sizes, its tensors filled, and the expected result. Of type double or double
 * complex. */
struct naive_network {
    struct tcplan_network *network;
    enum tcplan_dtype dtype;
    int64_t extent[TCPLAN_NETWORK_INDICES];
    void *tensor[NAIVE_TENSORS]; /**< of each distinct tensor */
    void *result;                /**< before: what beta is applied to */
    void *expected;
    int64_t result_elems;
};

/** Fails the test where the text is refused. */
struct naive_network naive_network_of(const char *text, const char *sizes, enum tcplan_dtype dtype,
                                      enum tcplan_order order);

/** Whether the result is what is expected; puts back what was in it before. */
bool naive_network_check(struct naive_network *naive);

void naive_network_free(struct naive_network *naive);

#endif
