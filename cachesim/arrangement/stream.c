#include "cachesim/arrangement/stream.h"

#include <math.h>

#include "base/indexset.h"

struct stream_runs stream_runs_of(const struct stream *stream, uint64_t inside,
                                  double element_bytes, double block_bytes) {
    struct stream_runs runs = {.count = 1, .bytes = element_bytes};
    for (int d = 0; d < stream->rank; d++) {
        const struct stream_dimension *dimension = &stream->dimension[d];
        if (!indexset_has(inside, dimension->index)) continue;
        if (dimension->stride_bytes < runs.bytes + block_bytes) {
            runs.bytes += (dimension->extent - 1) * dimension->stride_bytes;
        } else {
            runs.count *= dimension->extent;
        }
    }
    return runs;
}

double stream_blocks(const struct stream *stream, uint64_t inside, double element_bytes,
                     double block_bytes) {
    const struct stream_runs runs = stream_runs_of(stream, inside, element_bytes, block_bytes);
    return runs.bytes > block_bytes ? runs.count * runs.bytes / block_bytes : runs.count;
}

void stream_add(struct stream *stream, struct stream_dimension dimension) {
    if (stream->rank == STREAM_DIMENSIONS || dimension.extent <= 1) return;
    int place = stream->rank++;
    for (; place > 0 && stream->dimension[place - 1].stride_bytes > dimension.stride_bytes;
         place--) {
        stream->dimension[place] = stream->dimension[place - 1];
    }
    stream->dimension[place] = dimension;
}

const struct stream_dimension *stream_next(const struct stream *stream, uint64_t indices,
                                           int *from) {
    while (*from < stream->rank) {
        const struct stream_dimension *dimension = &stream->dimension[(*from)++];
        if (indexset_has(indices, dimension->index)) return dimension;
    }
    return NULL;
}

double stream_elements(const struct stream *stream, uint64_t indices) {
    const struct stream_dimension *dimension;
    double elements = 1;
    for (int d = 0; (dimension = stream_next(stream, indices, &d));) elements *= dimension->extent;
    return elements;
}

double stream_run_elements(const struct stream *stream, uint64_t indices, double element_bytes) {
    const struct stream_dimension *dimension;
    double elements = 1;
    for (int d = 0; (dimension = stream_next(stream, indices, &d));) {
        if (dimension->stride_bytes > elements * element_bytes) break;
        elements *= dimension->extent;
    }
    return elements;
}

double stream_common_run_elements(const struct stream *tensor, const struct stream *temporary,
                                  uint64_t indices, double element_bytes) {
    double elements = 1;
    for (int d = 0, e = 0;;) {
        const struct stream_dimension *x = stream_next(tensor, indices, &d);
        const struct stream_dimension *y = stream_next(temporary, indices, &e);
        if (!x || !y || x->index != y->index ||
            fmax(x->stride_bytes, y->stride_bytes) > elements * element_bytes)
            return elements;
        elements *= fmin(x->extent, y->extent);
    }
}
