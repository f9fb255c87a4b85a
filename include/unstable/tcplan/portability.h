/**
 * Performance portability: the share of the possible speed that a program reaches on all its
 * platforms (Pennycook, Sewall, Lee 2016; Yang et al., An Empirical Roofline Methodology for
 * Quantitatively Assessing Performance Portability).
 *
 * A platform is anything that does the same work: a machine, a BLAS library, a number of threads.
 */
#ifndef TCPLAN_PORTABILITY_H
#define TCPLAN_PORTABILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Speed reached on one platform. Speeds are in GFLOP/s. */
struct tcplan_platform_speed {
    double speed; /**< speed of the program; 0: it does not run on this platform */
    double roof;  /**< highest possible speed on the platform at the work's intensity: min(peak,
                     bandwidth * intensity); 0: unknown */
    double best;  /**< speed of the best known implementation on the platform; 0: unknown */
};

/** Performance portability of a program. */
struct tcplan_portability {
    double architectural;      /**< harmonic mean of speed / roof, in [0, 1]; 0 if a platform is not
                                  supported or its roof is unknown */
    double application;        /**< harmonic mean of speed / best, in [0, 1]; 0 if a platform is not
                                  supported or its best speed is unknown */
    double lowest_application; /**< smallest speed / best; 0 if a platform is not supported or its
                                  best speed is unknown */
    size_t supported;          /**< number of platforms with a speed */
    bool above_roof; /**< whether some speed exceeds its roof, so that `architectural` is unreliable
                      */
};

/** Returns speed / roof; 0 if either is 0. */
TCPLAN_API double tcplan_architectural_efficiency(const struct tcplan_platform_speed *platform);

/** Returns speed / best; 0 if either is 0. */
TCPLAN_API double tcplan_application_efficiency(const struct tcplan_platform_speed *platform);

/** Returns the harmonic mean of `count` efficiencies; 0 if one of them is 0, or there are none. */
TCPLAN_API double tcplan_portability_metric(const double *efficiency, size_t count);

/** Computes the portability over `count` platforms. A pure function. */
TCPLAN_API struct tcplan_portability tcplan_portability_over(
    const struct tcplan_platform_speed *platform, size_t count);

#ifdef __cplusplus
}
#endif

#endif
