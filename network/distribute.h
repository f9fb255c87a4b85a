/**
 * The distributive law: terms that differ in some of their factors only, A*B + A*C, become one term
 * of a sum, A*(B+C).
 */
#ifndef NETWORK_DISTRIBUTE_H
#define NETWORK_DISTRIBUTE_H

#include "network/subject.h"

/** A network that computes the same with sums; distributed_free() frees it. */
struct distributed {
    struct tcplan_network *network; /* NULL: nothing pays. The tensors that it reads have the
                                       numbers that they had before */
    int64_t *extent;                /* of each of its indices */
};

/**
 * Finds terms with common factors, regardless of index names, and sums of their other factors; of
 * those that pay by coarse costs the one that saves most is taken first, then the next one, until
 * none saves anything. A sum that is there already is read again. Terms of more than eight factors
 * stay as they are.
 *
 * @param like  what subjects of terms are like: types, speeds, objective, which is not memory,
 *              bound of memory, deadline
 * @return TCPLAN_OK; as tcplan_network_parse()
 */
enum tcplan_status distribute(struct distributed *out, const struct tcplan_network *network,
                              const int64_t extent[], const struct subject *like,
                              struct tcplan_error *error);

void distributed_free(struct distributed *distributed);

#endif
