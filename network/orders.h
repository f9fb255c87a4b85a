/**
 * Orders of the factors of a term, by the coarse costs of subject.h.
 */
#ifndef NETWORK_ORDERS_H
#define NETWORK_ORDERS_H

#include "base/deadline.h"
#include "base/random.h"
#include "network/subject.h"

/** A binary tree: leaf l is node l, step s makes node leaves + s. Steps come behind those whose
 * results they read. */
struct order {
    int steps;
    int (*pair)[2];
    double value; /* what the objective makes of it: smaller is better */
    double flops;
    double peak_bytes; /* of intermediates at once, the steps being in the order that needs least */
};

/** An order without steps yet; false if memory runs out. */
bool order_init(struct order *order, const struct subject *subject);
bool order_copy(struct order *out, const struct order *order);
void order_free(struct order *order);

/** Its value, or INFINITY beyond the bound of memory. */
double order_value(const struct subject *subject, const struct order *order);

/** Sorts the steps into the order that needs least memory, and computes their cost. */
bool order_finish(const struct subject *subject, struct order *order);

/**
 * Finds the best order. Outer products are included up to OUTER_MOST leaves; beyond, only tensors
 * that share an index are multiplied.
 *
 * @param bound  a value that is known to be reachable; INFINITY: none. Where nothing is better, or
 *               the subject's deadline ends the search, the order has no steps
 * @return false if memory runs out
 */
bool order_optimal(struct order *out, const struct subject *subject, double bound);

/** The criterion of a greedy order for its next pair. */
enum greedy {
    GREEDY_SIZE,  /* elements made less elements read: opt_einsum's */
    GREEDY_RATIO, /* logarithm of elements made over elements read: cotengra's */
    GREEDY_FLOPS, /* operations */
    GREEDIES
};

/**
 * Makes a greedy order. A deadline does not end it, as an order is needed, but cancellation does:
 * it then lacks steps.
 *
 * @param temperature  0: the best pair each time; otherwise how far from it others are taken, at
 *                     random
 */
bool order_greedy(struct order *out, const struct subject *subject, enum greedy by,
                  double temperature, struct random *random);

/** Replaces parts of an order, of some leaves and intermediates each, by their best order, until
 * nothing improves or the time is over. */
bool order_reconfigure(struct order *order, const struct subject *subject);

#endif
