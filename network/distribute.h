/**
 * The distributive law: terms that share factors, as A*B + A*C, become one term with a sum,
 * A*(B+C).
 */
#ifndef NETWORK_DISTRIBUTE_H
#define NETWORK_DISTRIBUTE_H

#include "network/search/subject.h"

/** An equivalent network with sums. Free it with distributed_free(). */
struct distributed {
    struct tcplan_network *network; /* rewritten network, with the tensor numbers of the original;
                                       NULL if rewriting saves nothing */
    int64_t *extent;                /* extents of the rewritten network's indices */
};

/**
 * Finds terms with common factors, whatever the names of their indices, and replaces them by a term
 * with a sum of their other factors. Repeats this with the group that saves most by coarse costs,
 * until no group saves anything. Equal sums are computed once. Terms of more than eight factors are
 * not changed.
 *
 * @param like  common properties of the subjects: types, speeds, an objective other than memory,
 *     limit of memory, deadline
 * @return TCPLAN_OK; a status of tcplan_network_parse()
 */
enum tcplan_status distribute(struct distributed *out, const struct tcplan_network *network,
                              const int64_t extent[], const struct subject *like,
                              struct tcplan_error *error);

void distributed_free(struct distributed *distributed);

#endif
