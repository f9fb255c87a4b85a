#include "roofline/kernels/stream_work.h"

#include <assert.h>

#include "roofline/kernels/stream_check.h"

enum { CACHE_LINE = 64 };

/** Returns the offset in bytes at which an array begins. Arrays begin on different lines of a page,
 * so that their elements do not map to the same sets of the nearest cache. */
static size_t array_offset(const struct stream_work *work, int array) {
    const size_t bytes = (size_t)work->elems * sizeof(double);
    return (size_t)array * (bytes + 17 * CACHE_LINE);
}

static struct stream stream_at(const struct stream_work *work, int thread, int64_t window) {
    char *region = work->workspace->region[thread];
    const int64_t first = window % (work->elems / work->chunk_elems) * work->chunk_elems;
    assert(first + work->chunk_elems <= work->elems);
    const int arrays = stream_shape(work->kernel->operation).arrays;
    return (struct stream){
        .a = (double *)region + first,
        .b = arrays > 1 ? (const double *)(region + array_offset(work, 1)) + first : NULL,
        .c = arrays > 2 ? (const double *)(region + array_offset(work, 2)) + first : NULL,
        .s = window % 2 == 0 ? 1 : -1,
        .elems = work->chunk_elems,
        .parts = work->parts,
        .passes = work->passes};
}

bool stream_work_run(void *context, int thread, int64_t window) {
    const struct stream_work *work = context;
    const struct stream stream = stream_at(work, thread, window);
    work->loaded[thread] = work->kernel->run(&stream);
    work->window[thread] = window;
    return true;
}

bool stream_work_check(void *context, int thread, int64_t window) {
    const struct stream_work *work = context;
    const struct stream_shape shape = stream_shape(work->kernel->operation);
    (void)window;
    if (shape.written_bytes > 0) return true;
    const struct stream stream = stream_at(work, thread, work->window[thread]);
    return work->loaded[thread] == stream_check_loaded(work->kernel, &stream);
}

double stream_work_bytes(const struct stream_work *work) {
    const struct stream_shape shape = stream_shape(work->kernel->operation);
    const int64_t visited = work->chunk_elems / shape.stride;
    return (double)(shape.read_bytes + shape.written_bytes) * (double)visited *
           (double)work->passes;
}

void stream_work_lay_out(struct stream_work *work, int64_t set_bytes, int64_t chunk_bytes) {
    const int64_t block_bytes =
        (int64_t)sizeof(double) * STREAM_BLOCK_ELEMS * stream_shape(work->kernel->operation).arrays;
    const int64_t blocks = set_bytes > block_bytes ? set_bytes / block_bytes : 1;
    const int64_t most = chunk_bytes > block_bytes ? chunk_bytes / block_bytes : 1;
    const int64_t chunks = (blocks + most - 1) / most;
    work->elems = blocks * STREAM_BLOCK_ELEMS;
    work->chunk_elems = blocks / chunks * STREAM_BLOCK_ELEMS;
    assert(work->chunk_elems > 0 && work->chunk_elems <= work->elems);
    work->passes = 1;
    work->parts = 1;
}
