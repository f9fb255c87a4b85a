#include "tcplan/portability.h"

#include <math.h>

/** The sums from which a harmonic mean of shares is computed. A share of 0 makes the mean 0. */
struct harmonic {
    double inverse_sum;
    size_t count;
};

static void add(struct harmonic *harmonic, double share) {
    harmonic->inverse_sum += share > 0 ? 1 / share : INFINITY;
    harmonic->count++;
}

static double mean(const struct harmonic *harmonic) {
    return harmonic->count > 0 ? (double)harmonic->count / harmonic->inverse_sum : 0;
}

static double share_of(double part, double whole) {
    return part > 0 && whole > 0 ? part / whole : 0;
}

double tcplan_architectural_efficiency(const struct tcplan_platform_speed *platform) {
    return share_of(platform->speed, platform->roof);
}

double tcplan_application_efficiency(const struct tcplan_platform_speed *platform) {
    return share_of(platform->speed, platform->best);
}

double tcplan_portability_metric(const double *efficiency, size_t count) {
    struct harmonic harmonic = {0};
    for (size_t p = 0; p < count; p++) add(&harmonic, efficiency[p]);
    return mean(&harmonic);
}

struct tcplan_portability tcplan_portability_over(const struct tcplan_platform_speed *platform,
                                                  size_t count) {
    struct harmonic architectural = {0};
    struct harmonic application = {0};
    struct tcplan_portability out = {.lowest_application = count > 0 ? INFINITY : 0};
    for (size_t p = 0; p < count; p++) {
        const double of_roof = tcplan_architectural_efficiency(&platform[p]);
        const double of_best = tcplan_application_efficiency(&platform[p]);
        add(&architectural, of_roof);
        add(&application, of_best);
        out.lowest_application = fmin(out.lowest_application, of_best);
        out.supported += platform[p].speed > 0;
        out.above_roof = out.above_roof || of_roof > 1;
    }
    out.architectural = mean(&architectural);
    out.application = mean(&application);
    return out;
}
