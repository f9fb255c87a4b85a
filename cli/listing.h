/**
 * What `list` prints: the algorithms of a contraction, one after the other.
 */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "cli/request.h"
#include "cli/row.h"

/** Borrows from the request. */
struct listing {
    const struct request *request;
    bool counted;                       /**< the numbers fit */
    uint64_t count[TCPLAN_KERNELS + 1]; /**< of each kernel and, last, of all */
    bool sized;                         /**< `problem` is set: there is one size point */
    struct tcplan_problem problem;
};

struct listing listing_make(const struct request *request);

/** The problem, or NULL where sizes were not given or are a sweep. */
const struct tcplan_problem *listing_problem(const struct listing *listing);

#endif
