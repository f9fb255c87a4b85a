#include "microbench/clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

uint64_t clock_now_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_thread_cpu_ns(void) {
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

bool clock_disturbed(double wall_ns, double cpu_ns) {
    return wall_ns > 1.1 * cpu_ns + 3000;
}
