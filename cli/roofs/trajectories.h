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
    struct point_list *at; /**< of each size, in the order of the sweep: what can run there; the
                              points' `series` say whose they are */
    size_t count;
    char **name; /**< of each series; as the points' rows have it */
};

/** Whether the options ask for trajectories: algorithms are named, or the sizes are a sweep. */
bool trajectories_are_asked(const struct request *request);

/**
 * Predicts the named algorithms at every size, and measures them where --measure is given; nothing
 * is ranked. Without names the last size is ranked, and its first --top algorithms are predicted at
 * all others, see points_make().
 *
 * @return EXIT_DONE, or another status after its message was printed; trajectories_free() is needed
 *         in either case
 */
enum exit_status trajectories_make(struct trajectories *out, const struct request *request,
                                   const struct tcplan_roofline *roofline);

void trajectories_free(struct trajectories *trajectories);

/** The point of a series at a size, or NULL where the algorithm cannot run there. */
const struct listed_point *trajectories_point(const struct trajectories *trajectories,
                                              size_t series, size_t size);

#endif
