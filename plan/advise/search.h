/**
 * Search for the best layouts, a pure function of costs that the caller provides: of the tensors,
 * of the terms that contain them, and of a term for given layouts.
 */
#ifndef ADVISE_SEARCH_H
#define ADVISE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/deadline.h"
#include "tcplan/status.h"
#include "tcplan/types.h"

enum { LAYOUT_RANK_MOST = 64, LAYOUT_TERM_TENSORS = 4 };

/** A layout of a tensor: the dimension at each place, fastest first. */
struct layout {
    uint8_t dim[LAYOUT_RANK_MOST];
};

/** A summand of the cost: a contraction, and the tensors whose layouts determine its cost. */
struct layout_term {
    int tensor_count;
    int tensor[LAYOUT_TERM_TENSORS]; /**< numbers of the tensors, each listed once */
};

/** A combination: a layout for every tensor, and the total cost. */
struct layout_choice {
    double cost;
    int changed;            /**< number of tensors whose layout differs from today's */
    struct layout layout[]; /**< layout of each tensor */
};

struct layout_space {
    int tensor_count;
    const int *rank;  /**< rank of each tensor */
    const bool *free; /**< whether each tensor may change */
    int term_count;
    const struct layout_term *term;
    /** returns the weighted cost of a term, which is positive; equal arguments give equal costs.
     * `layout` has one element for each tensor. NAN ends the search, and `failure` has the reason
     */
    double (*term_cost)(void *context, int term, const struct layout layout[]);
    /** returns the additional cost of a tensor with a changed layout */
    double (*change_cost)(void *context, int tensor, const struct layout *layout);
    void *context;
};

struct layout_search_options {
    int best;           /**< number of combinations to list, at least 1 */
    int64_t exact_most; /**< maximum number of combinations for which all are tried */
    int start_count; /**< number of starting points in addition to today's layouts; the search adds
                        as many random ones */
    const struct layout *start; /**< starting points: `tensor_count` layouts for each */
    uint64_t seed;
    struct deadline deadline;
};

/** The best combinations, lowest cost first. Their costs differ, except that today's layouts may
 * cost as much as another combination. */
struct layout_search {
    int count;
    struct layout_choice **choice; /**< owned */
    double combinations;           /**< number of combinations; INFINITY on overflow */
    int64_t seen;                  /**< number of evaluated combinations */
    bool exact; /**< whether it is proved that no combination costs less than the first */
    bool out_of_time;
};

/** Returns the number of combinations of orders of all free tensors; INFINITY if it overflows. */
double layout_combinations(const struct layout_space *space);

/**
 * Searches for the best layouts.
 *
 * Local search: from each starting point, repeatedly gives each tensor its best layout until
 * nothing improves. It tries all orders of up to four dimensions; of more dimensions, all moves of
 * a run of dimensions. It also tries every change of a single tensor from today's layouts.
 *
 * Branch and bound then covers all combinations, if there are several terms or few combinations. It
 * prunes a branch whose decided terms already cost more than the worst listed choice.
 *
 * @param out  receives the result; free with layout_search_free() whatever is returned. Today's
 *             layouts are the last choice if they are not among the best.
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_INVALID if a cost was NAN
 */
enum tcplan_status layout_search_run(struct layout_search *out, const struct layout_space *space,
                                     const struct layout_search_options *options);

void layout_search_free(struct layout_search *search);

/** Returns the layout of a tensor in today's program. */
struct layout layout_today(int rank);

bool layout_equal(const struct layout *a, const struct layout *b, int rank);

/** Advances to the lexicographically next order of dimensions. After the last order, returns
 * false and sets the first one. */
bool layout_next(struct layout *layout, int rank);

#endif
