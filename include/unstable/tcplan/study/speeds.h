/**
 * Times TAPP libraries and CBLAS on the contractions of a library of contractions, side by side.
 * Each library runs in a process of its own; every round samples each library once. For
 * comparison, a CBLAS runs a gemm with the sizes of the contraction on dense matrices.
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
    double seconds;  /**< median time of one execution over the rounds, without planning; 0: not
                        timed */
    double planning; /**< seconds for creating the product; 0: unknown */
    const char *why; /**< why the library was not timed, such as `wrong: D[1] is 2, expected 3`;
                        NULL: it was timed */
};

/** A contraction with the times of all libraries, in the order of the libraries. */
struct tcplan_speed {
    const char *name;
    const char *formula;
    const char *sizes;
    double flops;
    double limit_seconds; /**< shortest time that the machine's ceilings allow; 0: unknown */
    struct tcplan_speed_time time[TCPLAN_SPEED_LIBRARIES];
};

struct tcplan_speeds {
    int library_count;
    size_t count;
    struct tcplan_speed *speed;
};

struct tcplan_speeds_options {
    const struct tcplan_roofline *roofline; /**< ceilings for limit_seconds; NULL: unknown */
    int threads; /**< number of threads, at least 1. A CBLAS is set to this number; TAPP libraries
                    read environment variables, which the caller sets */
    double case_seconds; /**< time limit of planning and of the first execution, for each library
                            and contraction; 0: 10 seconds */
    int64_t max_memory_bytes; /**< contractions with more bytes of tensors are skipped; 0: 2 GiB */
    const char *size_class;   /**< selects sizes of this class; NULL: all but the optional ones */
    const char *only;         /**< selects names that match this pattern; NULL: all */
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
