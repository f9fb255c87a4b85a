/**
 * The parts of a calibration (tcplan/calibration.h): lines and pages, copies.
 *
 * Times are taken in rounds and each keeps its minimum, because a core that is temporarily slow
 * only makes times longer. Pure functions derive the costs afterwards.
 */
#ifndef MICROBENCH_CALIBRATE_PARTS_H
#define MICROBENCH_CALIBRATE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/costs.h"

/** Memory to walk through, and counts of disturbances. */
struct calibration {
    char *memory; /**< page-aligned and touched */
    size_t bytes;
    size_t page_bytes;
    size_t line_bytes;
    int windows;   /**< timed windows */
    int disturbed; /**< timed windows in which the thread lost its core */
};

/** Runs the timed work once. */
typedef void calibration_fn(void *context);

/** Returns the nanoseconds of one call of `run`: the median of a few windows of at least
 * `window_ns`, after an untimed one. */
double calibration_ns(struct calibration *calibration, calibration_fn *run, void *context,
                      double window_ns);

/* Times of copies, in nanoseconds. */

struct copy_times {
    double long_row; /**< per element of a long operand */
    double two;      /**< of a copy of two elements */
    double run, transposed_long, transposed_short, kept, scattered, summed,
        scaled; /**< per element; `kept`: copies of short rows that stay contiguous */
};

/** Times copies of one type for one round. */
void calibrate_copies(struct copy_times *times, struct calibration *calibration,
                      enum tcplan_dtype dtype);

/** Derives the costs of copies from the times. */
struct tcplan_copy_costs copies_find(const struct copy_times *times);

/* Lines and pages. */

enum { LINES_MOST_POINTS = 96 };

/** The cost of a line in a set of this many bytes, or of a page beyond its line among this many
 * pages. */
struct lines_point {
    double size;
    double ns;
};

/** Nanoseconds per line in ascending order of sizes; memory comes last. */
struct line_times {
    int line_count, page_count;
    struct lines_point line[LINES_MOST_POINTS], page[LINES_MOST_POINTS];
    double written_near, written_far; /**< in the smallest set, and in memory */
    double streamed;                  /**< non-temporal stores, per line of the smallest set */
    double far_page;                  /**< in memory, every access on a different page */
};

/** Chooses the sizes; nothing is timed yet. */
void lines_start(struct line_times *out, const struct calibration *calibration,
                 const struct tcplan_machine *machine);

/** Times one round. */
void calibrate_lines(struct line_times *times, struct calibration *calibration);

/** Derives the caches and the costs of writes and pages, for lines of `line_bytes`. The costs of
 * copies must be set. */
void lines_find(struct tcplan_costs *out, const struct line_times *times,
                const struct tcplan_machine *machine);

#endif
