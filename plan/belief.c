#include "plan/belief.h"

#include <math.h>

#define INVERSE_SQRT_2PI 0.3989422804014327

struct belief belief_observe(struct belief before, double value, double variance) {
    const double weight = 1 / before.variance;
    const double observed = 1 / variance;
    return (struct belief){.mean = (weight * before.mean + observed * value) / (weight + observed),
                           .variance = 1 / (weight + observed)};
}

double belief_improvement(struct belief best, struct belief other) {
    const double faster = best.mean - other.mean;
    const double deviation = sqrt(best.variance + other.variance);
    const double z = faster / deviation;
    return deviation * INVERSE_SQRT_2PI * exp(-z * z / 2) + faster * erfc(-z / sqrt(2)) / 2;
}
