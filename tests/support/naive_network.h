/**
 * Networks computed by naive loops on small whole numbers, for which every order of products gives
 * the same result to the last bit. Tensors that are only in terms with factor 0, and the result if
 * beta is 0, are NaN, which makes such reads visible.
 */
#ifndef SUPPORT_NAIVE_NETWORK_H
#define SUPPORT_NAIVE_NETWORK_H

#include <complex.h>

#include "tcplan/network_tree.h"

enum { NAIVE_TENSORS = 16 };

/** A network with sizes, its tensors, and the expected result, of type double or double complex. */
struct naive_network {
    struct tcplan_network *network;
    enum tcplan_dtype dtype;
    int64_t extent[TCPLAN_NETWORK_INDICES];
    void *tensor[NAIVE_TENSORS]; /**< one for each distinct tensor; the index is `operand[].tensor`
                                    of the network */
    void *result;                /**< initial value of the result; beta applies to it */
    void *expected;
    int64_t result_elems;
};

/** Makes a network and its tensors. Fails the test if the text is refused. */
struct naive_network naive_network_of(const char *text, const char *sizes, enum tcplan_dtype dtype,
                                      enum tcplan_order order);

/** Returns whether the result is the expected one; restores its initial value. */
bool naive_network_check(struct naive_network *naive);

void naive_network_free(struct naive_network *naive);

#endif
