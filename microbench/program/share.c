#include "microbench/program/share.h"

#ifdef _OPENMP

#include <omp.h>

int share_run(int threads, share_fn *part, void *context) {
    int team = 1;
    if (threads == 1) {
        part(context, 0);
        return team;
    }
    /* Not by the threads' numbers: where the system gives less than were asked for, all parts are done nevertheless. */
#pragma omp parallel num_threads(threads)
    {
#pragma omp single nowait
        team = omp_get_num_threads();
#pragma omp for schedule(static, 1)
        for (int thread = 0; thread < threads; thread++) part(context, thread);
    }
    return team;
}

bool share_is_possible(void) {
    return true;
}

#else

int share_run(int threads, share_fn *part, void *context) {
    for (int thread = 0; thread < threads; thread++) part(context, thread);
    return 1;
}

bool share_is_possible(void) {
    return false;
}

#endif
