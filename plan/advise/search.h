/**
 * The search for the best layouts: a pure function of costs that the caller gives. Its inputs are
 * the tensors, the terms that contain them, and the cost of a term in given layouts.
 */
#ifndef ADVISE_SEARCH_H
#define ADVISE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/deadline.h"
#include "tcplan/status.h"
#include "tcplan/types.h"

enum { LAYOUT_RANK_MOST = 64, LAYOUT_TERM_TENSORS = 4 };

/** The order of a tensor's dimensions: the dimension at each place. */
struct layout {
    uint8_t dim[LAYOUT_RANK_MOST];
};

/** What is summed: a contraction, with the tensors that determine its cost. */
struct layout_term {
    int tensor_count;
    int tensor[LAYOUT_TERM_TENSORS]; /**< each once */
};

/** Layouts of all tensors and their total cost. */
struct layout_choice {
    double cost;
    int changed;            /**< tensors that are not as at the start */
    struct layout layout[]; /**< one for each tensor */
};

struct layout_space {
    int tensor_count;
    const int *rank;  /**< of each tensor */
    const bool *free; /**< whether it may change */
    int term_count;
    const struct layout_term *term;
    /** The cost of a term, times its weight: above 0, and the same each time. `layout` has one for
     * each tensor. NAN ends the search: `failure` says why. */
    double (*term_cost)(void *context, int term, const struct layout layout[]);
    /** The additional cost of a changed tensor; not asked for those that are as at the start. */
    double (*change_cost)(void *context, int tensor, const struct layout *layout);
    void *context;
};

struct layout_search_options {
    int best;                   /**< how many choices are wanted, at least 1 */
    int64_t exact_most;         /**< so many combinations are all gone through */
    int start_count;            /**< in addition to today's layouts, and as many at random */
    const struct layout *start; /**< `tensor_count` for each */
    uint64_t seed;
    struct deadline deadline;
};

/** The best choices, the cheapest first: no two of them cost the same, unless the layouts of today
 * are one of them. */
struct layout_search {
    int count;
    struct layout_choice **choice; /**< owned */
    double combinations;           /**< INFINITY: too many to count */
    int64_t seen;                  /**< choices that were looked at */
    bool exact;                    /**< there is none that costs less than the first */
    bool out_of_time;
};

/** How many orders the dimensions of the free tensors have together; INFINITY if that is no
 * number. */
double layout_combinations(const struct layout_space *space);

/**
 * Searches. From each start one tensor after the other gets its best layout, until none gets a
 * better one: of up to four dimensions all are tried, of more those that a run of dimensions moved
 * elsewhere makes; and today's layouts are changed in one tensor alone. Branch and bound then
 * covers all combinations, if they are few enough or there are several terms. It cuts a branch
 * where the terms of the decided tensors already cost more than the worst choice still listed.
 *
 * @param out  receives the result, to be freed with layout_search_free() whatever is returned;
 *             today's layouts are the last choice if they are none of the best
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_INVALID if a cost was NAN
 */
enum tcplan_status layout_search_run(struct layout_search *out, const struct layout_space *space,
                                     const struct layout_search_options *options);

void layout_search_free(struct layout_search *search);

/** The layout that a tensor has at the start. */
struct layout layout_today(int rank);

bool layout_equal(const struct layout *a, const struct layout *b, int rank);

/** Makes the next order of the dimensions, in lexical order; false, and the first one, behind the
 * last. */
bool layout_next(struct layout *layout, int rank);

#endif
