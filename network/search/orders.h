/** Orders of multiplying the factors of a term, by the coarse costs of subject.h. */
#ifndef NETWORK_SEARCH_ORDERS_H
#define NETWORK_SEARCH_ORDERS_H

#include "base/deadline.h"
#include "base/random.h"
#include "network/search/subject.h"

/** The order of a term as a binary tree. Leaf l is node l, step s makes node leaves + s. A step
 * comes after the steps whose results it reads. */
struct order {
    int steps;
    int (*pair)[2];
    double value; /* cost of the order in the unit of the objective: smaller is better */
    double flops;
    double peak_bytes; /* peak memory of the intermediates in bytes, with the steps in the order
                          that needs least memory */
};

/** Makes an order without steps; returns false if memory runs out. */
bool order_init(struct order *order, const struct subject *subject);
bool order_copy(struct order *out, const struct order *order);
void order_free(struct order *order);

/** Returns the cost of an order; INFINITY if its peak memory exceeds the limit. */
double order_value(const struct subject *subject, const struct order *order);

/** Sorts the steps into the order that needs least memory, and computes the order's cost; returns
 * false if memory runs out. */
bool order_finish(const struct subject *subject, struct order *order);

/**
 * Finds the best order. Considers all outer products for up to OUTER_MOST leaves; beyond that,
 * multiplies only tensors that share an index.
 *
 * @param bound  the cost of a known order; INFINITY: none. If no order is better, or the subject's
 *     deadline ends the search, the order has no steps
 * @return false if memory runs out
 */
bool order_optimal(struct order *out, const struct subject *subject, double bound);

/** The criterion by which a greedy order chooses its next pair. */
enum greedy {
    GREEDY_SIZE,  /* elements made minus elements read, as in opt_einsum */
    GREEDY_RATIO, /* logarithm of elements made over elements read, as in cotengra */
    GREEDY_FLOPS, /* operations */
    GREEDIES
};

/**
 * Makes a greedy order. Ignores the deadline, because some order is needed. Cancellation ends the
 * search; the order then lacks steps.
 *
 * @param temperature  0: always the cheapest pair; otherwise the amplitude of random noise,
 *     relative to the lowest cost, or absolute for GREEDY_RATIO
 */
bool order_greedy(struct order *out, const struct subject *subject, enum greedy by,
                  double temperature, struct random *random);

/** Replaces parts of an order, each of a few leaves and intermediates, by the best order of the
 * part. Repeats this until nothing improves or the deadline passes. Returns false if memory runs
 * out. */
bool order_reconfigure(struct order *order, const struct subject *subject);

#endif
