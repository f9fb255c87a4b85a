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
    double roof;  /**< what the platform can do at this work's intensity: min(peak, bandwidth *
                     intensity); 0: not known */
    double best;  /**< what the best known way to do this work reaches here; 0: not known */
};

/** How portable it is. */
struct tcplan_portability {
    double architectural; /**< harmonic mean of speed / roof, in [0, 1]; 0 if one platform is not
                             supported or its roof not known */
    double application;   /**< harmonic mean of speed / best, likewise */
    double lowest_application; /**< the smallest of the shares of best; 0 likewise */
    size_t supported;          /**< platforms */
    bool above_roof; /**< some speed exceeds its roof: `architectural` is not to be trusted */
};

/** speed / roof; 0 where either is not there. */
TCPLAN_API double tcplan_architectural_efficiency(const struct tcplan_platform_speed *platform);

/** speed / best; 0 where either is not there. */
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
