#include "microbench/timing/clock.h"

#include <math.h>
#include <time.h>

/** Returns a time that is not before the thread's last reading: clocks of unsynchronised cores
 * would produce differences near 2^64 ns. */
static uint64_t read_ns(clockid_t clock, uint64_t *last_ns) {
    struct timespec time;
    clock_gettime(clock, &time);
    const uint64_t ns = (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
    if (ns > *last_ns) *last_ns = ns;
    return *last_ns;
}

uint64_t clock_now_ns(void) {
    static _Thread_local uint64_t last_ns;
    return read_ns(CLOCK_MONOTONIC, &last_ns);
}

uint64_t clock_thread_cpu_ns(void) {
    static _Thread_local uint64_t last_ns;
    return read_ns(CLOCK_THREAD_CPUTIME_ID, &last_ns);
}

double clock_since_ns(uint64_t start_ns) {
    const uint64_t now_ns = clock_now_ns();
    return now_ns > start_ns ? (double)(now_ns - start_ns) : 1;
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
    return (struct timing){.ns = fmax(disturbed && alone ? cpu_ns : wall_ns, 1),
                           .disturbed = disturbed};
}

struct timing clock_stop(const struct clock_start *start, bool alone) {
    const double wall_ns = (double)(clock_now_ns() - start->wall_ns);
    return clock_timing(wall_ns, (double)(clock_thread_cpu_ns() - start->cpu_ns), alone);
}
