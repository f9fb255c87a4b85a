/**
 * The algorithms of a contraction as points under the roofs of this machine; all output formats use
 * these structs.
 */
#ifndef CLI_ROOFS_POINTS_H
#define CLI_ROOFS_POINTS_H

#include "cli/render/algorithms/report.h"
#include "cli/render/format.h"
#include "tcplan/points.h"
#include "tcplan/study/digest.h"

enum { POINTS_OF_SWEEP = 4 };

/** An algorithm at one size, as a point. */
struct listed_point {
    struct row row;
    size_t series; /**< number of the line in a trajectory; otherwise the position in the list */
    struct tcplan_traffic traffic;
    struct tcplan_point predicted;
    struct tcplan_span predicted_gflops; /**< 95 % interval of the predicted speed; zeros: unknown
                                          */
    bool measured_too;
    struct tcplan_point measured;
    struct tcplan_span measured_gflops;
};

/** Algorithms that have a time, fastest first. Its pointers are borrowed from the request and the
 * roofline; zero-initialise before use. */
struct point_list {
    const struct request *request;
    const struct tcplan_roofline *roofline;
    struct tcplan_problem problem;
    int64_t size; /**< number of the size point */
    size_t count;
    struct listed_point *point;
    double pruned_count; /**< number of algorithms that have no time, because a lower bound excluded
                            them */
};

/**
 * Ranks the algorithms at a size point of the request, measures them with --measure, and places the
 * first --top (default: all; for a sweep POINTS_OF_SWEEP).
 *
 * @return EXIT_DONE, or another status after a message; call points_free() in either case
 */
enum exit_status points_make(struct point_list *out, const struct request *request, int64_t size,
                             const struct tcplan_roofline *roofline);

/** Makes an empty list with room for `capacity` algorithms at a size point. Status as
 * points_make(). */
enum exit_status points_open(struct point_list *out, const struct request *request, int64_t size,
                             const struct tcplan_roofline *roofline, size_t capacity);

/**
 * Predicts an algorithm, measures it with --measure, and appends it to an open list. An algorithm
 * that is not applicable at this size is omitted with a note. Returns a status of points_make().
 */
enum exit_status points_add_algorithm(struct point_list *points,
                                      const struct tcplan_algorithm *algorithm, size_t series);

void points_free(struct point_list *points);

/* Trajectories: the same algorithms under the roofs of this machine at every size of a sweep, a
 * line of points each (Ofenbeck et al., Applying the Roofline Model, section IV). */

enum { TRAJECTORIES_MAX_SIZES = 1000 };

/** The points of a sweep. Pointers are borrowed from the request and the roofline; zero-initialise
 * before use. */
struct trajectories {
    const struct request *request;
    const struct tcplan_roofline *roofline;
    size_t size_count;
    struct point_list *at; /**< for each size, the applicable algorithms; `series` is the number of
                              the line */
    size_t count;
    char **name; /**< name of each line, in the form of table rows */
};

/** Returns whether the request has trajectories: named algorithms, or a sweep of sizes. */
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

/** Returns the point of a line at a size; NULL if the algorithm is not applicable at this size. */
const struct listed_point *trajectories_point(const struct trajectories *trajectories,
                                              size_t series, size_t size);

#endif
