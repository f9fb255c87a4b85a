/*
 * The timed loops of bench/small: `calls` calls between two readings of the thread's clock.
 * Compiled into a temporary folder by the study.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { MOST_TENSOR_BYTES = 512 };

typedef int execute(void *plan, const void *A, const void *B, void *D, void *error);
typedef void function(const void *A, const void *B, void *D);
typedef void multiply(const void *comm, const void *config, const void *A, const char *a,
                      const void *B, const char *b, void *C, const char *c);

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double time_execute(execute *run, void *plan, const void *A, const void *B, void *D, long calls) {
    int status = 0;
    const double start = now_seconds();
    for (long c = 0; c < calls; c++) status |= run(plan, A, B, D, 0);
    const double seconds = now_seconds() - start;
    return status ? -1 : seconds;
}

double time_function(function *run, const void *A, const void *B, void *D, long calls) {
    const double start = now_seconds();
    for (long c = 0; c < calls; c++) run(A, B, D);
    return now_seconds() - start;
}

/** Calls tblis_tensor_mult(), which changes the scalar in the description of the result: the scalar
 * is restored afterwards. */
double time_tblis(multiply *run, const void *A, const char *a, const void *B, const char *b,
                  void *C, const char *c, long bytes, long calls) {
    char kept[MOST_TENSOR_BYTES];
    memcpy(kept, C, (size_t)bytes);
    const double start = now_seconds();
    for (long n = 0; n < calls; n++) {
        memcpy(C, kept, (size_t)bytes);
        run(0, 0, A, a, B, b, C, c);
    }
    const double seconds = now_seconds() - start;
    memcpy(C, kept, (size_t)bytes);
    return seconds;
}
