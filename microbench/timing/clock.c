#include "microbench/timing/clock.h"

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

struct clock_start clock_start(void) {
    struct clock_start start = {.cpu_ns = clock_thread_cpu_ns()};
    start.wall_ns = clock_now_ns();
    return start;
}

struct timing clock_timing(double wall_ns, double cpu_ns, bool alone) {
    const bool disturbed = clock_disturbed(wall_ns, cpu_ns);
    return (struct timing){.ns = disturbed && alone ? cpu_ns : wall_ns, .disturbed = disturbed};
}

struct timing clock_stop(const struct clock_start *start, bool alone) {
    const double wall_ns = (double)(clock_now_ns() - start->wall_ns);
    return clock_timing(wall_ns, (double)(clock_thread_cpu_ns() - start->cpu_ns), alone);
}
