/** The work of a team's threads in the windows of a bandwidth measurement. */
#ifndef ROOFLINE_KERNELS_STREAM_WORK_H
#define ROOFLINE_KERNELS_STREAM_WORK_H

#include "roofline/kernels/kernels.h"
#include "roofline/timing/workspace.h"

struct stream_work {
    const struct stream_kernel *kernel;
    const struct workspace *workspace;
    int64_t elems;       /**< length of each array in elements */
    int64_t chunk_elems; /**< elements of each array that one window uses, a chunk. Windows use the
                            chunks in turn, so that a chunk is reused only after all others */
    int64_t passes;
    int parts; /**< number of parts of an array that are loaded side by side, STREAM_PARTS or 1 */
    double *loaded;  /**< result of each thread's last window */
    int64_t *window; /**< number of each thread's last window */
};

/** Divides a set of `set_bytes` per thread among the kernel's arrays, in chunks of at most
 * `chunk_bytes`; sets `passes` and `parts` to 1. */
void stream_work_lay_out(struct stream_work *work, int64_t set_bytes, int64_t chunk_bytes);

/** Returns the bytes that the kernel counts for a window of one thread. */
double stream_work_bytes(const struct stream_work *work);

/** Team functions whose context is a struct stream_work. The second checks that the last window of
 * loads loaded the right values. */
bool stream_work_run(void *context, int thread, int64_t window);
bool stream_work_check(void *context, int thread, int64_t window);

#endif
