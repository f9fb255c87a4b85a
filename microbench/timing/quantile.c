#include "microbench/timing/quantile.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* Degrees of freedom from which the expansion around the normal quantile is exact to nine digits.
 */
enum { EXPANDED_FREEDOM = 200 };

enum { BISECTIONS = 60 };

static const double half_pi = 1.57079632679489661923;

double quantile_normal(double level) {
    assert(level > 0 && level < 1);
    double low = 0;
    double high = 40; /* the probability beyond 40 is too small to be represented */
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        const bool below =
            level < 0.5 ? erf(middle / sqrt(2)) < level : erfc(middle / sqrt(2)) > 1 - level;
        *(below ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/** Returns the probability that Student's distribution is within sqrt(freedom) * tan(angle) of
 * its mean (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
static double student_share(double angle, int freedom) {
    assert(angle >= 0 && angle <= half_pi);
    const double square = cos(angle) * cos(angle);
    const bool odd = freedom % 2;
    double term = odd ? cos(angle) : 1;
    double sum = 0;
    for (int power = odd ? 1 : 0; power <= freedom - 2; power += 2) {
        sum += term;
        term *= square * (power + 1) / (power + 2);
    }
    return odd ? (angle + sin(angle) * sum) / half_pi : sin(angle) * sum;
}

/** Expands the quantile in powers of 1 / freedom (Abramowitz and Stegun, 26.7.5). */
static double student_expanded(double x, double freedom) {
    const double s = x * x;
    const double g1 = x * (s + 1) / 4;
    const double g2 = x * ((5 * s + 16) * s + 3) / 96;
    const double g3 = x * (((3 * s + 19) * s + 17) * s - 15) / 384;
    const double g4 = x * ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160;
    return x + (g1 + (g2 + (g3 + g4 / freedom) / freedom) / freedom) / freedom;
}

double quantile_student(double level, int64_t freedom) {
    assert(freedom >= 1);
    if (freedom >= EXPANDED_FREEDOM)
        return student_expanded(quantile_normal(level), (double)freedom);
    assert(level > 0 && level < 1);
    double low = 0;
    double high = half_pi;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        *(student_share(middle, (int)freedom) < level ? &low : &high) = middle;
    }
    return sqrt((double)freedom) * tan((low + high) / 2);
}
