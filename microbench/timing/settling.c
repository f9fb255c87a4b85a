#include "microbench/timing/settling.h"

#include <math.h>
#include <stdbool.h>

/* Calls within this factor of the fastest count as equally fast: references in one state spread
 * by 3 %, and states differ by at least 10 %. */
#define AS_FAST 1.06

int settling_times(double settling_seconds, double seconds, int most) {
    if (!(seconds > 0)) return 1;
    return (int)fmin(fmax(ceil(settling_seconds / seconds), 1), most);
}

/** The times of the last calls, in a ring buffer. */
struct last_calls {
    int count;
    double seconds[SETTLING_COUNTED];
};

/** Returns the shortest of the calls after the first one. */
static double least_of(const struct last_calls *last) {
    const int kept = last->count < SETTLING_COUNTED ? last->count : SETTLING_COUNTED;
    double least = INFINITY;
    for (int i = 0; i < kept; i++) least = fmin(least, last->seconds[i]);
    return least;
}

/** Returns whether the time of a call equals a known time of the settled core: its best one, or
 * that after the last full wait. */
static bool is_known(const struct settling *settling, double now, double seconds) {
    if (seconds <= AS_FAST * settling->fastest) return true;
    const bool remembers =
        settling->waited > 0 && now - settling->waited_at < SETTLING_MEMORY_SECONDS;
    return remembers && seconds <= AS_FAST * settling->waited &&
           settling->waited <= AS_FAST * seconds;
}

double settling_reference(struct settling *settling, double now, double limit_seconds,
                          settling_call_fn *call, void *context) {
    struct last_calls last = {0};
    const bool is_settled = now <= settling->until;
    double passed = call(context);
    double least;
    do {
        const double seconds = call(context);
        last.seconds[last.count++ % SETTLING_COUNTED] = seconds;
        passed += seconds;
        least = least_of(&last);
    } while (last.count + 1 < SETTLING_FEWEST ||
             (!is_settled && passed < limit_seconds && !is_known(settling, now, least)));
    if (passed >= SETTLING_REFERENCE_SECONDS) {
        settling->waited = least;
        settling->waited_at = now;
    }
    settling->fastest = settling->fastest > 0 ? fmin(settling->fastest, least) : least;
    settling->until = now + passed + SETTLED_SECONDS;
    return least;
}
