/**
 * The parts of a calibration (tcplan/calibration.h): lines and pages, copies. Times are taken in
 * rounds, each of which keeps the smaller one, as a core that is slow for a while makes times
 * longer, and nothing shorter; what the times tell is found afterwards by pure functions.
 */
#ifndef MICROBENCH_CALIBRATE_PARTS_H
#define MICROBENCH_CALIBRATE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/costs.h"

/** Memory to walk through, and what was met meanwhile. */
struct calibration {
    char *memory; /**< on a page, touched */
    size_t bytes;
    size_t page_bytes;
    size_t line_bytes;
    int windows;   /**< timed */
    int disturbed; /**< of these: the thread lost its core */
};

/** Does what is timed once. */
typedef void calibration_fn(void *context);

/** Nanoseconds of one time of what `run` does: the median of a few windows of `window_ns` at least,
 * after one that does not count. */
double calibration_ns(struct calibration *calibration, calibration_fn *run, void *context,
                      double window_ns);

/* Copies, in nanoseconds. */

struct copy_times {
    double long_row; /**< elements of what is long here */
    double two;      /**< a copy of two elements */
    double run, turned_long, turned_short, kept, scattered, summed,
        scaled; /**< of an element; `kept` is of short rows */
};

/** A round: copies of a type. */
void calibrate_copies(struct copy_times *times, struct calibration *calibration,
                      enum tcplan_dtype dtype);

/** What the times tell. */
struct tcplan_copy_costs copies_find(const struct copy_times *times);

/* Lines and pages. */

enum { LINES_MOST_POINTS = 96 };

/** What a line takes of a set of so many bytes, or a page beyond its line of so many pages. */
struct lines_point {
    double size;
    double ns;
};

/** Rising, that of memory last. Nanoseconds of a line. */
struct line_times {
    int line_count, page_count;
    struct lines_point line[LINES_MOST_POINTS], page[LINES_MOST_POINTS];
    double written_near, written_far; /**< of the smallest set, and of memory */
    double streamed;                  /**< past the caches, from the smallest set */
    double far_page;                  /**< of memory, each in another page than the one before */
};

/** Nothing is timed yet: which sizes there are. */
void lines_start(struct line_times *out, const struct calibration *calibration,
                 const struct tcplan_machine *machine);

/** A round. */
void calibrate_lines(struct line_times *times, struct calibration *calibration);

/** What the times tell, `line_bytes` each: caches, what is written, pages. Costs of copies are
 * known already. */
void lines_find(struct tcplan_costs *out, const struct line_times *times,
                const struct tcplan_machine *machine);

#endif
