#include <math.h>
#include <stdint.h>

#include "microbench/calibrate/parts.h"
#include "microbench/copy/strided.h"

#define WINDOW_NS 30e3

/* Smallest difference of two times, in seconds: noise can make the measured difference 0 or
 * negative. */
#define LEAST_SECONDS 1e-12

enum {
    SHORT_ROW = 4,
    SCATTERED_ROW = 64,
    SUMMED_ROW = 32,
    RUN_BYTES = 32768,
    OTHER_BYTES = 2 * RUN_BYTES + 2048
};

struct copy {
    struct strided block;
    char *to;
    const char *from;
};

static void run_copy(void *context) {
    const struct copy *copy = context;
    strided_run_copy(&copy->block, copy->to, copy->from);
}

static void run_scale(void *context) {
    const struct copy *copy = context;
    strided_run_scale(&copy->block, copy->to);
}

/** A dimension with its strides in elements. */
struct dimension {
    int64_t extent;
    int64_t to;
    int64_t from;
};

/** Returns the nanoseconds of a copy over `rank` dimensions, followed by dimensions that are
 * summed over. */
static double copy_ns(struct calibration *calibration, enum tcplan_dtype dtype, int rank,
                      int summed, const struct dimension dimension[]) {
    const ptrdiff_t element_bytes = (ptrdiff_t)tcplan_dtype_bytes(dtype);
    struct copy copy = {.to = calibration->memory, .from = calibration->memory + OTHER_BYTES};
    copy.block = (struct strided){.rank = rank, .summed = summed, .dtype = dtype};
    for (int d = 0; d < rank + summed; d++) {
        copy.block.extent[d] = dimension[d].extent;
        copy.block.to_bytes[d] = dimension[d].to * element_bytes;
        copy.block.from_bytes[d] = dimension[d].from * element_bytes;
    }
    return calibration_ns(calibration, run_copy, &copy, WINDOW_NS);
}

static double scale_ns(struct calibration *calibration, enum tcplan_dtype dtype, int64_t elements) {
    struct copy copy = {.to = calibration->memory};
    copy.block = (struct strided){.rank = 1, .scales = true, .dtype = dtype};
    copy.block.factor = kernel_scalar_of((struct tcplan_scalar){-1, 0}, dtype);
    copy.block.extent[0] = elements;
    copy.block.to_bytes[0] = (ptrdiff_t)tcplan_dtype_bytes(dtype);
    return calibration_ns(calibration, run_scale, &copy, WINDOW_NS);
}

/** Returns the nanoseconds per element of transposing square blocks. */
static double turned_ns(struct calibration *calibration, enum tcplan_dtype dtype, int64_t row,
                        int64_t elements) {
    const int64_t squares = elements / row / row;
    const struct dimension block[] = {
        {row, 1, row}, {row, row, 1}, {squares, row * row, row * row}};
    return copy_ns(calibration, dtype, squares > 1 ? 3 : 2, 0, block) /
           (double)(squares * row * row);
}

/** Returns the nanoseconds of a copy whose rows stay contiguous while their order changes. */
static double short_row_ns(struct calibration *calibration, enum tcplan_dtype dtype, int64_t row,
                           int64_t elements) {
    enum { COLUMNS = 8 };
    const int64_t rows = elements / row / COLUMNS;
    const struct dimension block[] = {
        {row, 1, 1}, {COLUMNS, row * rows, row}, {rows, row, row * COLUMNS}};
    return copy_ns(calibration, dtype, 3, 0, block);
}

/** Returns the nanoseconds of a copy whose elements are contiguous on neither side. */
static double scattered_ns(struct calibration *calibration, enum tcplan_dtype dtype, int64_t rows) {
    const struct dimension block[] = {{SCATTERED_ROW, 2, 2 * rows}, {rows, 2 * SCATTERED_ROW, 2}};
    return copy_ns(calibration, dtype, 2, 0, block);
}

/** Returns the nanoseconds of two sums together: the sum of all rows, and the sum of each row. */
static double summed_ns(struct calibration *calibration, enum tcplan_dtype dtype, int64_t row,
                        int64_t elements) {
    const struct dimension of_them[] = {{row, 1, 1}, {elements / row, 0, row}},
                           of_each[] = {{elements / row, 1, row}, {row, 0, 1}};
    return copy_ns(calibration, dtype, 1, 1, of_them) + copy_ns(calibration, dtype, 1, 1, of_each);
}

void calibrate_copies(struct copy_times *times, struct calibration *calibration,
                      enum tcplan_dtype dtype) {
    const int64_t bytes = (int64_t)tcplan_dtype_bytes(dtype), elements = RUN_BYTES / bytes,
                  long_row = (int64_t)sqrt((double)elements) / SHORT_ROW * SHORT_ROW - SHORT_ROW;
    const struct dimension two = {2, 1, 1}, all = {elements, 1, 1};
    const int64_t rows = elements / 4 / SCATTERED_ROW;
    const double count = (double)elements;
    times->long_row = (double)long_row;
    times->run = fmin(times->run, copy_ns(calibration, dtype, 1, 0, &all) / count);
    times->two = fmin(times->two, copy_ns(calibration, dtype, 1, 0, &two));
    times->transposed_long =
        fmin(times->transposed_long, turned_ns(calibration, dtype, long_row, elements));
    times->transposed_short =
        fmin(times->transposed_short, turned_ns(calibration, dtype, SHORT_ROW, elements));
    times->run_short =
        fmin(times->run_short, short_row_ns(calibration, dtype, SHORT_ROW, elements) / count);
    times->scattered = fmin(times->scattered, scattered_ns(calibration, dtype, rows) /
                                                  (double)(SCATTERED_ROW * rows));
    times->summed =
        fmin(times->summed, summed_ns(calibration, dtype, SUMMED_ROW, elements) / (2 * count));
    times->scaled = fmin(times->scaled, scale_ns(calibration, dtype, elements) / count);
}

struct tcplan_copy_costs copies_find(const struct copy_times *times) {
    const double slope = (times->transposed_short - times->transposed_long) /
                         (2.0 / SHORT_ROW - 2 / times->long_row);
    const double transposed =
        fmax(times->transposed_long - 2 * slope / times->long_row,
             times->run); /* a block may have been measured as faster than long rows */
    const double row = fmax((times->transposed_short - transposed) * SHORT_ROW / 2, 0);
    return (struct tcplan_copy_costs){
        .run = fmax(1e-9 * times->run, LEAST_SECONDS),
        .transposed = fmax(1e-9 * transposed, LEAST_SECONDS),
        .scattered = fmax(1e-9 * (times->scattered - row / SCATTERED_ROW), LEAST_SECONDS),
        .summed = fmax(1e-9 * times->summed, LEAST_SECONDS),
        .scaled = fmax(1e-9 * times->scaled, LEAST_SECONDS),
        .row = 1e-9 * row,
        .contiguous_row = 1e-9 * fmax((times->run_short - times->run) * SHORT_ROW, 0),
        .begin = 1e-9 * fmax(times->two - 2 * times->run, 0)};
}
