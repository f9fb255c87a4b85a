#include "microbench/timing/ticks.h"

#include <pthread.h>

enum { LEAST_NS = 5000000, READINGS = 8 };

/** Readings of both clocks at one moment. */
struct moment {
    uint64_t ticks;
    uint64_t ns;
};

static struct moment first;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/** Returns the closest of a few pairs of readings, because the thread may lose its core within a
 * pair. */
static struct moment now(void) {
    struct moment best = {0};
    uint64_t best_gap = UINT64_MAX;
    for (int r = 0; r < READINGS; r++) {
        const uint64_t before = clock_now_ns();
        const uint64_t ticks = ticks_begin();
        const uint64_t gap = clock_now_ns() - before;
        if (gap >= best_gap) continue;
        best_gap = gap;
        best = (struct moment){.ticks = ticks, .ns = before + gap / 2};
    }
    return best;
}

static void read_first(void) {
    first = now();
}

void ticks_watch(void) {
    pthread_once(&once, read_first);
}

bool ticks_are_counted(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

double ticks_hz(void) {
    ticks_watch();
    while (clock_now_ns() - first.ns < LEAST_NS) continue;
    const struct moment last = now();
    return (double)(last.ticks - first.ticks) / (double)(last.ns - first.ns) * 1e9;
}
