/**
 * What `list` prints: the algorithms of a contraction, one after the other.
 */
#ifndef CLI_RENDER_ALGORITHMS_LISTING_H
#define CLI_RENDER_ALGORITHMS_LISTING_H

#include "cli/render/algorithms/row.h"
#include "cli/render/view.h"

/** Borrows from the request. */
struct listing {
    const struct request *request;
    bool counted;                       /**< the numbers fit */
    uint64_t count[TCPLAN_KERNELS + 1]; /**< of each kernel and, last, of all */
    bool bounded; /**< some are passed over because of --max-workspace: how many is not known */
    bool sized;   /**< `problem` is set: there is one size point */
    struct tcplan_problem problem;
    struct tcplan_candidate_list *candidates; /**< of the `full` space; NULL: only the `blas` space
                                                 is listed */
    uint64_t candidates_in_blas; /**< of these, how many are of the `blas` space as well */
    size_t *in_blas;             /**< which these are */
};

/** What is listed, to be freed with listing_free(). The candidates of the `full` space, where the
 * request has sizes and names no algorithm. */
enum exit_status listing_make(struct listing *out, const struct request *request);

void listing_free(struct listing *listing);

/** Of a struct listing. */
extern const struct view listing_view;

#endif
