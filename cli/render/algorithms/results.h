/**
 * Results about the algorithms of a contraction, besides rankings: a view and its record each.
 */
#ifndef CLI_RENDER_ALGORITHMS_RESULTS_H
#define CLI_RENDER_ALGORITHMS_RESULTS_H

#include "cli/render/algorithms/row.h"
#include "cli/render/view.h"
#include "tcplan/advise.h"
#include "tcplan/network_measure.h"
#include "tcplan/network_search.h"

/** Borrows all. */
struct advised {
    const struct request *request;
    const struct tcplan_advice *advice;
};

extern const struct view advice_view;

/** What was found of an expression. */
struct ordered {
    const struct request *request;
    const struct tcplan_network *network;
    const int64_t *extent; /**< of each of its indices */
    const struct tcplan_network_found *found;
    const struct tcplan_tree *given;                /**< the order of --path; NULL: none */
    const struct tcplan_network_measured *measured; /**< of that order, else of the best; NULL:
                                                       nothing was run */
    bool with_flops; /**< the steps of the order of the fewest operations as well */
};

extern const struct view order_view;

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

/** Borrows all. */
struct compared {
    const struct request *request;
    const struct tcplan_problem *problem;
    const struct tcplan_turns *turns;
};

extern const struct view compared_view;

/** The list `contenders` of documents. */
struct in_turns {
    const struct tcplan_turns *turns;
    const struct tcplan_problem *problem;
};

extern const struct field in_turns_fields[];

/** What a contender is called, to be freed; NULL when memory is out. */
char *contender_name(const struct tcplan_contender *contender,
                     const struct tcplan_problem *problem);

/** Prints how many rounds there were, and "A is 1.32 ± 0.02 times faster than B", a sentence on
 * each contender but the fastest. */
void contenders_print(struct writer *writer, const struct tcplan_turns *turns,
                      const struct tcplan_problem *problem);

/** A contender by its name: `numpy`, `numpy-best`, `numpy-matmul`; false where it is none of these.
 */
bool contender_find(enum tcplan_contender_kind *out, const char *name);

#endif
