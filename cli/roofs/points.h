/**
 * The algorithms of a contraction as points under the roofs of this machine, for all output
 * formats.
 */
#ifndef CLI_ROOFS_POINTS_H
#define CLI_ROOFS_POINTS_H

#include "cli/render/algorithms/row.h"
#include "cli/render/format.h"
#include "tcplan/points.h"
#include "tcplan/study/digest.h"

enum { POINTS_OF_SWEEP = 4 };

/** One algorithm at one size. */
struct listed_point {
    struct row row;
    size_t series; /**< of trajectories: its line; otherwise its index in the list */
    struct tcplan_traffic traffic;
    struct tcplan_point predicted;
    struct tcplan_span predicted_gflops; /**< its interval; zeros: unknown */
    bool measured_too;
    struct tcplan_point measured;
    struct tcplan_span measured_gflops;
};

/** Algorithms with a time, fastest first. Borrows from the request and the roofline;
 * zero-initialise before use. */
struct point_list {
    const struct request *request;
    const struct tcplan_roofline *roofline;
    struct tcplan_problem problem;
    int64_t size; /**< index of the problem among the request's size points */
    size_t count;
    struct listed_point *point;
    double pruned_count; /**< algorithms that a lower bound ruled out, without a time */
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
 * Predicts an algorithm, measures it with --measure, and appends it to an open list. Omits an
 * algorithm that cannot run there, with a note. Status as points_make().
 */
enum exit_status points_add_algorithm(struct point_list *points,
                                      const struct tcplan_algorithm *algorithm, size_t series);

void points_free(struct point_list *points);

#endif
