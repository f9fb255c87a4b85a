/** Orders of multiplying the factors of a term, by the coarse costs of subject.h. */
#ifndef NETWORK_ORDERS_H
#define NETWORK_ORDERS_H

#include "base/deadline.h"
#include "base/random.h"
#include "network/subject.h"

/** A binary tree: leaf l is node l, step s makes node leaves + s. Steps follow those whose results
 * they read. */
struct order {
    int steps;
    int (*pair)[2];
    double value; /* cost of the order in the unit of the objective: smaller is better */
    double flops;
    double peak_bytes; /* peak memory of the intermediates, with the steps in the order that needs
                          least */
};

/** Makes an order without steps; returns false if memory runs out. */
bool order_init(struct order *order, const struct subject *subject);
bool order_copy(struct order *out, const struct order *order);
void order_free(struct order *order);

/** Returns the value of an order; INFINITY if its peak exceeds the limit of memory. */
double order_value(const struct subject *subject, const struct order *order);

/** Sorts the steps into the order that needs least memory, and computes their cost; returns false
 * if memory runs out. */
bool order_finish(const struct subject *subject, struct order *order);

/**
 * Finds the best order. Up to OUTER_MOST leaves it considers all outer products; beyond, only
 * tensors that share an index are multiplied.
 *
 * @param bound  a value that is known to be reachable; INFINITY: none. If no order is better, or
 *     the subject's deadline ends the search, the order has no steps
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
 * Makes a greedy order. The deadline does not end it, because some order is needed. Cancellation
 * does; the order then lacks steps.
 *
 * @param temperature  0: always the cheapest pair; otherwise the amplitude of random noise,
 *     relative to the lowest cost, or absolute for GREEDY_RATIO
 */
bool order_greedy(struct order *out, const struct subject *subject, enum greedy by,
                  double temperature, struct random *random);

/** Replaces parts of an order, each of a few leaves and intermediates, by their best order, until
 * nothing improves or the deadline passes; returns false if memory runs out. */
bool order_reconfigure(struct order *order, const struct subject *subject);

#endif
