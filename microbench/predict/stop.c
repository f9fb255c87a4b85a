#include "microbench/predict/stop.h"

#include <math.h>

#include "microbench/timing/quantile.h"

const char *stop_reason_name(enum stop_reason reason) {
    static const char *const names[STOP_REASONS] = {"running", "time", "count", "precise",
                                                    "beaten"};
    return names[reason];
}

struct stop_rules stop_rules_defaults(void) {
    return (struct stop_rules){.most_seconds = 10,
                               .most_samples = 200,
                               .precise_share = 0.01,
                               .beaten = true,
                               .least_precise = 2,
                               .least_beaten = 2,
                               .level = 0.99,
                               .interval = STOP_STUDENT,
                               .aim = STOP_HIGHEST};
}

bool stop_rules_end(const struct stop_rules *rules) {
    return rules->most_seconds > 0 || rules->most_samples > 0;
}

double stop_worst(enum stop_aim aim) {
    return aim == STOP_HIGHEST ? -INFINITY : INFINITY;
}

bool stop_is_better(enum stop_aim aim, double value, double best) {
    return aim == STOP_HIGHEST ? value > best : value < best;
}

double stop_margin(const struct stop_rules *rules, const struct running_mean *samples) {
    if (samples->count < 2) return INFINITY;
    const double quantile = rules->interval == STOP_NORMAL
                                ? quantile_normal(rules->level)
                                : quantile_student(rules->level, samples->count - 1);
    return quantile * sqrt(running_mean_variance(samples) / (double)samples->count);
}

static bool is_beaten(const struct stop_rules *rules, const struct running_mean *samples,
                      double margin, double best) {
    if (!rules->beaten || samples->count < 2 || samples->count < rules->least_beaten) return false;
    const double bound =
        rules->aim == STOP_HIGHEST ? samples->mean + margin : samples->mean - margin;
    return stop_is_better(rules->aim, best, bound);
}

static bool is_precise(const struct stop_rules *rules, const struct running_mean *samples,
                       double margin) {
    if (rules->precise_share <= 0 || samples->count < 2 || samples->count < rules->least_precise)
        return false;
    return margin <= rules->precise_share * fabs(samples->mean);
}

enum stop_reason stop_check(const struct stop_rules *rules, const struct running_mean *samples,
                            double elapsed_seconds, double best) {
    const bool needs_margin = rules->beaten || rules->precise_share > 0;
    const double margin = needs_margin ? stop_margin(rules, samples) : INFINITY;
    if (is_beaten(rules, samples, margin, best)) return STOP_BEATEN;
    if (is_precise(rules, samples, margin)) return STOP_PRECISE;
    if (rules->most_samples > 0 && samples->count >= rules->most_samples) return STOP_COUNT;
    if (rules->most_seconds > 0 && elapsed_seconds >= rules->most_seconds) return STOP_TIME;
    return STOP_NOT;
}
