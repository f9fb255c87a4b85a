/**
 * The steps of a calibration (tcplan/calibration.h): cache lines and pages, copies. Each
 * measurement is repeated in several rounds, and the minimum is used, because a temporarily slow
 * core only makes times longer. Pure functions then derive the costs.
 */
#ifndef MICROBENCH_CALIBRATE_PARTS_H
#define MICROBENCH_CALIBRATE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/costs.h"

/** Memory to walk through, and counts of disturbed windows. */
struct calibration {
    char *memory; /**< page-aligned and touched */
    size_t bytes;
    size_t page_bytes;
    size_t line_bytes;
    int windows;   /**< timed windows */
    int disturbed; /**< timed windows in which the thread lost its core */
};

/** The work that calibration_ns() times. */
typedef void calibration_fn(void *context);

/** Returns the nanoseconds of one call of `run`: the median of a few windows of at least
 * `window_ns`, after an untimed one. */
double calibration_ns(struct calibration *calibration, calibration_fn *run, void *context,
                      double window_ns);

/* Measured times of copies, in nanoseconds. */

struct copy_times {
    double long_row; /**< time per element, if rows are long */
    double two;      /**< time for a copy of two elements */
    double run, transposed_long, transposed_short, run_short, scattered, summed,
        scaled; /**< times per element of a copy; `run_short`: short rows that stay contiguous */
};

/** Times copies of one type for one round. */
void calibrate_copies(struct copy_times *times, struct calibration *calibration,
                      enum tcplan_dtype dtype);

/** Derives the costs of copies from the times. */
struct tcplan_copy_costs copies_find(const struct copy_times *times);

/* Lines and pages. */

enum { LINES_MOST_POINTS = 96 };

/** A measured time: per cache line in a set of this many bytes, or the additional time per page
 * among this many pages. */
struct lines_point {
    double size;
    double ns;
};

/** Measured times per cache line and page, in nanoseconds, by increasing size; memory comes last.
 */
struct line_times {
    int line_count, page_count;
    struct lines_point line[LINES_MOST_POINTS], page[LINES_MOST_POINTS];
    double written_near,
        written_far;        /**< nanoseconds per line written, in the smallest set and in memory */
    double streamed_row[2]; /**< nanoseconds per row of ROW_LINES lines in copies with non-temporal
                               stores: of rows that begin a line, and of others */
    double streamed; /**< nanoseconds per line of the smallest set, written with non-temporal stores
                      */
    double sequential; /**< nanoseconds per line of memory that is read in the order of addresses */
    double far_page;   /**< nanoseconds per access in memory, each on a different page */
};

/** Chooses the sizes of the sets; nothing is timed. */
void lines_start(struct line_times *out, const struct calibration *calibration,
                 const struct tcplan_machine *machine);

/** Times one round. */
void calibrate_lines(struct line_times *times, struct calibration *calibration);

/** Derives the caches and the costs of writes and pages, for lines of `line_bytes`. The costs of
 * copies must be set. */
void lines_find(struct tcplan_costs *out, const struct line_times *times,
                const struct tcplan_machine *machine);

#endif
