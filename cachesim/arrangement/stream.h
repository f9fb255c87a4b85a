/**
 * Streams: a tensor or temporary as the kernel or a copy traverses it, and how much memory some of
 * its indices touch.
 *
 * Sets of indices are those of `base/indexset.h`; indices that the stream does not have are
 * ignored.
 */
#ifndef CACHESIM_ARRANGEMENT_STREAM_H
#define CACHESIM_ARRANGEMENT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/nest.h"

enum { STREAM_DIMENSIONS = TCPLAN_MAX_INDICES };

struct stream_dimension {
    uint8_t index;
    double extent;
    double stride_bytes;
};

struct stream {
    int rank;
    struct stream_dimension dimension[STREAM_DIMENSIONS]; /**< dimensions in increasing order of
                                                             strides */
    uint64_t indices;
    double cost_factor; /**< number of transfers per line: written lines are fetched and written
                           back */
    bool temporary;
};

/** A set of equally long runs of memory; gaps in a run are shorter than a block. */
struct stream_runs {
    double count;
    double bytes; /**< bytes of each run */
};

/** Inserts a dimension, sorted by stride. A dimension with a single element, or one too many
 * (STREAM_DIMENSIONS), is ignored. */
void stream_add(struct stream *stream, struct stream_dimension dimension);

/** Returns the runs of memory that a stream touches when the indices in `inside` take all their
 * values. */
struct stream_runs stream_runs_of(const struct stream *stream, uint64_t inside,
                                  double element_bytes, double block_bytes);

/** Returns the number of blocks of memory that a stream touches when the indices in `inside` take
 * all their values. */
double stream_blocks(const struct stream *stream, uint64_t inside, double element_bytes,
                     double block_bytes);

/** Returns the first dimension, from `*from` on, whose index is in the set, and moves `*from` past
 * it; NULL: none. */
const struct stream_dimension *stream_next(const struct stream *stream, uint64_t indices,
                                           int *from);

/** Returns the number of elements that a stream has along the given indices. */
double stream_elements(const struct stream *stream, uint64_t indices);

/** Returns the number of contiguous elements that a stream has along the given indices. */
double stream_run_elements(const struct stream *stream, uint64_t indices, double element_bytes);

/** Returns the number of elements that are contiguous in both streams, in the same order: the row
 * length of a copy between them. */
double stream_common_run_elements(const struct stream *tensor, const struct stream *temporary,
                                  uint64_t indices, double element_bytes);

#endif
