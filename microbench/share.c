#include "microbench/share.h"

#ifdef _OPENMP

void share_run(int threads, share_fn *part, void *context) {
    if (threads == 1) {
        part(context, 0);
        return;
    }
    /* Not by the threads' numbers: where the system gives less than were asked for, all parts are done nevertheless. */
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int thread = 0; thread < threads; thread++) part(context, thread);
}

bool share_is_possible(void) {
    return true;
}

#else

void share_run(int threads, share_fn *part, void *context) {
    for (int thread = 0; thread < threads; thread++) part(context, thread);
}

bool share_is_possible(void) {
    return false;
}

#endif
