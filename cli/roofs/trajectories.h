/**
 * Trajectories: the same algorithms under the roofs of this machine at every size of a sweep, a
 * line of points each (Ofenbeck et al., Applying the Roofline Model, section IV).
 */
#ifndef CLI_ROOFS_TRAJECTORIES_H
#define CLI_ROOFS_TRAJECTORIES_H

#include "cli/roofs/points.h"

enum { TRAJECTORIES_MAX_SIZES = 1000 };

/** Borrows from the request and the roofline; zero-initialise before use. */
struct trajectories {
    const struct request *request;
    const struct tcplan_roofline *roofline;
    size_t size_count;
    struct point_list *at; /**< for each size in the order of the sweep, the algorithms that can
                              run; `series` tells them apart */
    size_t count;
    char **name; /**< of each series; as in the points' rows */
};

/** Whether the request has trajectories: named algorithms, or a sweep of sizes. */
bool trajectories_are_asked(const struct request *request);

/**
 * Predicts the named algorithms at every size, and measures them with --measure, without a ranking.
 * Without names, ranks the last size, and predicts its first --top algorithms at all others, see
 * points_make().
 *
 * @return EXIT_DONE, or another status after a message; call trajectories_free() in either case
 */
enum exit_status trajectories_make(struct trajectories *out, const struct request *request,
                                   const struct tcplan_roofline *roofline);

void trajectories_free(struct trajectories *trajectories);

/** Returns the point of a series at a size; NULL: the algorithm cannot run there. */
const struct listed_point *trajectories_point(const struct trajectories *trajectories,
                                              size_t series, size_t size);

#endif
