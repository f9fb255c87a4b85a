/**
 * The algorithms of a contraction under the roofs of this machine: computed once for every format.
 */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include "cli/render/format.h"
#include "tcplan/points.h"

/** One algorithm. */
struct listed_point {
    struct row row;
    struct tcplan_traffic traffic;
    struct tcplan_point predicted;
    bool measured_too;
    struct tcplan_point measured;
};

/** Algorithms with a time, fastest first. Borrows from the request and the roofline; zero-initialise before use. */
struct point_list {
    const struct request *request;
    const struct tcplan_roofline *roofline;
    struct tcplan_problem problem;
    size_t count;
    struct listed_point *point;
    double pruned_count; /**< algorithms that cannot win, and have no time */
};

/**
 * Ranks the algorithms of the request's only size point, measures them where --measure is given, and places them.
 *
 * @return EXIT_DONE, or another status after its message was printed; points_free() is needed in either case
 */
enum exit_status points_make(struct point_list *out, const struct request *request, const struct tcplan_roofline *roofline);

void points_free(struct point_list *points);

/** Prints what the points are held against, and a table. */
void points_text(struct writer *writer, const struct point_list *points);

/** Writes the list `points`. */
void points_document(struct document *document, const struct point_list *points);

/** Prints a line for each point, behind a heading. */
void points_csv(struct writer *writer, const struct point_list *points);

#endif
