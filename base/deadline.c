#include "base/deadline.h"

#include <math.h>
#include <time.h>

#define LONGEST_SECONDS 1e9

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

double monotonic_seconds(void) {
    return 1e-9 * (double)now_ns();
}

struct deadline deadline_in(double seconds) {
    if (!(seconds > 0 && seconds < LONGEST_SECONDS)) return (struct deadline){0};
    return (struct deadline){.ns = now_ns() + (uint64_t)(seconds * 1e9)};
}

struct deadline deadline_first(struct deadline a, struct deadline b) {
    if (a.ns == 0 || b.ns == 0) return a.ns == 0 ? b : a;
    return a.ns < b.ns ? a : b;
}

bool deadline_is_over(struct deadline deadline) {
    return deadline.ns > 0 && now_ns() > deadline.ns;
}

double deadline_left_seconds(struct deadline deadline) {
    if (deadline.ns == 0) return INFINITY;
    const uint64_t now = now_ns();
    return now < deadline.ns ? (double)(deadline.ns - now) * 1e-9 : 0;
}
