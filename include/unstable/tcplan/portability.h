/**
 * Performance portability: the share of the possible speed that a program reaches on all its
 * platforms (Pennycook, Sewall, Lee 2016; Yang et al., An Empirical Roofline Methodology for
 * Quantitatively Assessing Performance Portability).
 *
 * Platforms are machines, BLAS libraries, numbers of threads: whatever the same work is done on.
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
    double speed; /**< reached; 0: not supported here */
    double roof;  /**< highest possible speed on the platform at the work's intensity: min(peak,
                     bandwidth * intensity); 0: unknown */
    double best;  /**< speed of the best known implementation here; 0: unknown */
};

/** How portable it is. */
struct tcplan_portability {
    double architectural;      /**< harmonic mean of speed / roof, in [0, 1]; 0 if a platform is not
                                  supported or its roof unknown */
    double application;        /**< harmonic mean of speed / best, likewise */
    double lowest_application; /**< smallest speed / best; 0 likewise */
    size_t supported;          /**< number of platforms with a speed */
    bool above_roof; /**< some speed exceeds its roof: `architectural` is not to be trusted */
};

/** Returns speed / roof; 0 if either is 0. */
TCPLAN_API double tcplan_architectural_efficiency(const struct tcplan_platform_speed *platform);

/** Returns speed / best; 0 if either is 0. */
TCPLAN_API double tcplan_application_efficiency(const struct tcplan_platform_speed *platform);

/** The harmonic mean of `count` efficiencies; 0 if one of them is 0, or there are none. */
TCPLAN_API double tcplan_portability_metric(const double *efficiency, size_t count);

/** The portability over `count` platforms. A pure function. */
TCPLAN_API struct tcplan_portability tcplan_portability_over(
    const struct tcplan_platform_speed *platform, size_t count);

#ifdef __cplusplus
}
#endif

#endif
