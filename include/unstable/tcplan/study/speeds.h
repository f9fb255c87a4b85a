/**
 * Times TAPP libraries and CBLAS on the contractions of a library of contractions, side by side.
 * Each library runs in a process of its own; in every round each of them is sampled once. A CBLAS
 * runs the gemm with the sizes of the contraction, on dense matrices: what TAPP libraries are
 * compared with.
 */
#ifndef TCPLAN_STUDY_SPEEDS_H
#define TCPLAN_STUDY_SPEEDS_H

#include <stdint.h>

#include "tcplan/ceilings.h"
#include "tcplan/export.h"
#include "tcplan/progress.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_SPEED_LIBRARIES = 8 };

/** Time of a library for a contraction. */
struct tcplan_speed_time {
    double seconds;  /**< of one execution, without planning: the median of the rounds; 0: none */
    double planning; /**< seconds of creating the product; 0: not known */
    const char *why; /**< why there is no time, as `wrong: D[1] is 2, expected 3`; NULL: there is */
};

/** A contraction with the times of all libraries, in their order. */
struct tcplan_speed {
    const char *name;
    const char *formula;
    const char *sizes;
    double flops;
    double limit_seconds; /**< shortest time by the ceilings; 0: not known */
    struct tcplan_speed_time time[TCPLAN_SPEED_LIBRARIES];
};

struct tcplan_speeds {
    int library_count;
    size_t count;
    struct tcplan_speed *speed;
};

struct tcplan_speeds_options {
    const struct tcplan_roofline *roofline; /**< NULL: shares of the roofline are not known */
    int threads; /**< at least 1. Set in a CBLAS; TAPP libraries read variables of the environment,
                    which the caller sets */
    double case_seconds;      /**< limit of planning and of the first execution; 0: 10 */
    int64_t max_memory_bytes; /**< contractions with larger tensors are left out; 0: 2 GiB */
    const char *size_class;   /**< of the sizes; NULL: all but optional ones */
    const char *only;         /**< a pattern for names; NULL: all */
    tcplan_progress_fn *progress;
    void *progress_context;
};

/**
 * Times libraries.
 *
 * @param out           receives the times, to be freed with tcplan_speeds_free()
 * @param paths         files of at most TCPLAN_SPEED_LIBRARIES libraries
 * @param contractions  file of a library of contractions
 * @return TCPLAN_OK, also if libraries fail; TCPLAN_INVALID if `contractions` is no library;
 *         TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_speeds_run(struct tcplan_speeds **out,
                                                const char *const paths[], int count,
                                                const char *contractions,
                                                const struct tcplan_speeds_options *options,
                                                struct tcplan_error *error);

TCPLAN_API void tcplan_speeds_free(struct tcplan_speeds *speeds);

#ifdef __cplusplus
}
#endif

#endif
