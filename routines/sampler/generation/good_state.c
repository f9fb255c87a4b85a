#include "routines/sampler/generation/good_state.h"

#include <math.h>

#include "microbench/timing/reference.h"

/* References that take at most this factor longer than the fastest count as taken at the best
 * speed: at one speed they differ by a per cent or two. The factor must be small, because the
 * reference hardly slows down if another thread uses the same core: it then takes 7 % longer on a
 * Zen 4 guest, but triangular solves take 20 %. */
#define GOOD_TOLERANCE 1.03

/* Assumed uncertainty of the elasticity of a call, from which the error of corrections follows. */
#define DOUBTED 0.25

/** Returns the smaller of a sample's two references, the less disturbed one; 0: unknown. */
static double reference_of(const struct timed_sample *sample) {
    return fmin(sample->before, sample->after);
}

struct drift good_state_drift(const struct timed_point point[], int count) {
    struct drift_timing timing[DRIFT_TIMINGS];
    int64_t samples = 0, number = 0;
    int timings = 0;
    for (int p = 0; p < count; p++) samples += point[p].count;
    const int64_t stride = samples / DRIFT_TIMINGS + 1;
    for (int p = 0; p < count; p++) {
        for (int s = 0; s < point[p].count; s++, number++) {
            if (number % stride == 0)
                timing[timings++] =
                    (struct drift_timing){.seconds = reference_of(&point[p].sample[s])};
        }
    }
    return drift_of(timing, timings);
}

static void add_point(struct drift_regression *regression, const struct timed_point *point) {
    drift_begin_series(regression);
    for (int s = 0; s < point->count; s++)
        drift_add(regression, point->sample[s].seconds, reference_of(&point->sample[s]));
}

static double shortest(const struct timed_point *point) {
    double out = INFINITY;
    for (int s = 0; s < point->count; s++) out = fmin(out, point->sample[s].seconds);
    return out;
}

double good_state_elasticity(double good_seconds, const struct timed_point point[], int count) {
    struct drift_regression regression = {0};
    double expected = 0;
    int points = 0;
    for (int p = 0; p < count; p++) {
        if (point[p].count == 0) continue;
        add_point(&regression, &point[p]);
        expected += drift_expected_elasticity(point[p].flops / REFERENCE_FLOPS, good_seconds,
                                              shortest(&point[p]));
        points++;
    }
    return points > 0 ? drift_elasticity(&regression, expected / points) : 0;
}

bool good_state_is(double good_seconds, double reference_seconds) {
    return reference_seconds > 0 && reference_seconds <= GOOD_TOLERANCE * good_seconds;
}

/** Returns whether both references of a sample were taken at the best speed. */
static bool is_good(double good_seconds, const struct timed_sample *sample) {
    return good_state_is(good_seconds, sample->before) &&
           good_state_is(good_seconds, sample->after);
}

bool good_state_is_enough(double good_seconds, const struct timed_point *point) {
    int good = 0;
    for (int s = 0; s < point->count; s++) good += is_good(good_seconds, &point->sample[s]);
    return !(good_seconds > 0) || good >= GOOD_STATE_ENOUGH || good == point->count;
}

/** Returns the elasticity of a point's times: estimated from the point's samples as far as they
 * determine it, otherwise from its case. */
static double own_elasticity(const struct timed_point *point, double elasticity) {
    struct drift_regression regression = {0};
    add_point(&regression, point);
    return drift_elasticity(&regression, elasticity);
}

int good_state_times(double out[], double good_seconds, const struct timed_point *point,
                     double elasticity) {
    const bool is_enough = good_seconds > 0 && good_state_is_enough(good_seconds, point);
    const double own = own_elasticity(point, elasticity);
    int count = 0;
    for (int s = 0; s < point->count; s++) {
        const struct timed_sample *sample = &point->sample[s];
        if (is_enough && !is_good(good_seconds, sample)) continue;
        const double factor = is_enough ? 1 : drift_factor(own, reference_of(sample), good_seconds);
        out[count++] = sample->seconds * factor;
    }
    return count;
}

double good_state_doubt(double good_seconds, const struct timed_point *point, double elasticity) {
    const double own = own_elasticity(point, elasticity);
    double corrected = 0;
    if (good_state_is_enough(good_seconds, point)) return 0;
    for (int s = 0; s < point->count; s++)
        corrected += fabs(1 - drift_factor(own, reference_of(&point->sample[s]), good_seconds));
    return DOUBTED * corrected / point->count;
}
