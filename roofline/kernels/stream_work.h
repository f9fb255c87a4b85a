/** The work of a team's threads in a window of a bandwidth measurement. */
#ifndef ROOFLINE_KERNELS_STREAM_WORK_H
#define ROOFLINE_KERNELS_STREAM_WORK_H

#include "roofline/kernels/kernels.h"
#include "roofline/timing/workspace.h"

struct stream_work {
    const struct stream_kernel *kernel;
    const struct workspace *workspace;
    int64_t elems;       /**< of one array */
    int64_t chunk_elems; /**< of one array, in one window: the next window takes the next chunk, so
                            that none is met again until all others were */
    int64_t passes;
    int parts;       /**< of a struct stream */
    double *loaded;  /**< of each thread, in the last window */
    int64_t *window; /**< of each thread: the last one */
};

/** The arrays of a kernel in a set of so many bytes of a thread, in chunks of at most
 * `chunk_bytes`. `passes` becomes 1, `parts` too. */
void stream_work_lay_out(struct stream_work *work, int64_t set_bytes, int64_t chunk_bytes);

/** Bytes that one thread's window counts. */
double stream_work_bytes(const struct stream_work *work);

/** Team functions: the context is a struct stream_work. The second checks that the last window of
 * loads loaded the right values. */
bool stream_work_run(void *context, int thread, int64_t window);
bool stream_work_check(void *context, int thread, int64_t window);

#endif
