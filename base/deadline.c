#include "base/deadline.h"

#include <math.h>
#include <time.h>

#define LONGEST_SECONDS 1e9

static uint64_t time_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static uint64_t now_ns(void) {
    return time_of(CLOCK_MONOTONIC);
}

static uint64_t now_cpu_ns(void) {
    return time_of(CLOCK_THREAD_CPUTIME_ID);
}

static bool is_one(double seconds) {
    return seconds > 0 && seconds < LONGEST_SECONDS;
}

double monotonic_seconds(void) {
    return 1e-9 * (double)now_ns();
}

struct deadline deadline_in(double seconds) {
    return is_one(seconds) ? (struct deadline){.ns = now_ns() + (uint64_t)(seconds * 1e9)}
                           : (struct deadline){0};
}

struct deadline deadline_or_cancelled(double seconds, deadline_cancelled_fn *is_cancelled,
                                      const void *context) {
    struct deadline deadline = deadline_in(seconds);
    deadline.is_cancelled = is_cancelled;
    deadline.context = context;
    return deadline;
}

struct deadline deadline_in_cpu(double seconds) {
    return is_one(seconds) ? (struct deadline){.cpu_ns = now_cpu_ns() + (uint64_t)(seconds * 1e9)}
                           : (struct deadline){0};
}

static uint64_t first(uint64_t a, uint64_t b) {
    if (a == 0 || b == 0) return a + b;
    return a < b ? a : b;
}

struct deadline deadline_first(struct deadline a, struct deadline b) {
    const struct deadline asked = a.is_cancelled ? a : b;
    return (struct deadline){.ns = first(a.ns, b.ns),
                             .cpu_ns = first(a.cpu_ns, b.cpu_ns),
                             .is_cancelled = asked.is_cancelled,
                             .context = asked.context};
}

bool deadline_is_cancelled(struct deadline deadline) {
    return deadline.is_cancelled && deadline.is_cancelled(deadline.context);
}

bool deadline_is_over(struct deadline deadline) {
    return deadline_is_cancelled(deadline) || (deadline.ns > 0 && now_ns() > deadline.ns) ||
           (deadline.cpu_ns > 0 && now_cpu_ns() > deadline.cpu_ns);
}

static double left_seconds(uint64_t end, uint64_t now) {
    if (end == 0) return INFINITY;
    return now < end ? (double)(end - now) * 1e-9 : 0;
}

double deadline_left_seconds(struct deadline deadline) {
    if (deadline_is_cancelled(deadline)) return 0;
    const double left = left_seconds(deadline.ns, deadline.ns > 0 ? now_ns() : 0);
    return deadline.cpu_ns > 0 ? fmin(left, left_seconds(deadline.cpu_ns, now_cpu_ns())) : left;
}

struct deadline deadline_share(struct deadline whole, double share) {
    const double left = deadline_left_seconds(whole);
    if (left <= 0) return whole;
    struct deadline part = deadline_in(share * left);
    part.is_cancelled = whole.is_cancelled;
    part.context = whole.context;
    return part;
}
