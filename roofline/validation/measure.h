/**
 * A kernel of the validation by the protocol: its time here, and its operations and bytes as they
 * were counted or simulated.
 */
#ifndef ROOFLINE_VALIDATION_MEASURE_H
#define ROOFLINE_VALIDATION_MEASURE_H

#include "roofline/timing/workspace.h"
#include "roofline/validation/protocol.h"
#include "roofline/validation/runs.h"

/** Where and how. Everything is borrowed. */
struct validation_setting {
    const struct tcplan_machine *machine; /**< whose caches replicas exceed, and are simulated */
    const struct workspace *workspace;    /**< of one thread: where the data lie, and how much room
                                             there is for replicas */
    struct team *team;                    /**< that fills it */
    struct counter_source *counts;        /**< of real runs; NULL: none */
    bool simulated;       /**< bytes are those of traced runs, where the kernel has a trace */
    int threads;          /**< of the BLAS */
    int repeats;          /**< as in struct protocol_options */
    double least_seconds; /**< of a repeat */
    double most_seconds;  /**< of a series */
};

struct validation_result {
    struct validation_bounds bounds; /**< an FFT's with its own count of operations */
    struct protocol_result time;     /**< measured, with the counts of the same runs */
    struct protocol_result bytes;    /**< of traced runs, or as `time` */
    bool simulated;                  /**< bytes are those of traced runs */
    int64_t replicas;
    int64_t replicas_bytes; /**< of all */
    bool lukewarm; /**< cold, but all replicas together are less than twice the last cache */
};

/** Whether the workspace has room for the data of one run. */
bool validation_fits(const struct validation_setting *setting, enum tcplan_point_kernel kernel,
                     int64_t n);

/** Opens a source of counts by its name, as counter_open(); `simulated` counts no real runs, which
 * is why it is `none` then. */
enum tcplan_status validation_open_counts(struct counter_source **out, const char *name,
                                          int threads, struct tcplan_error *error);

/** Whether a name means traced runs. */
bool validation_is_simulated(const char *name);

/**
 * Measures a kernel that fits.
 *
 * @param cold  over replicas that together exceed the caches; otherwise all runs are on the same
 *              data
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if there is no FFTW; TCPLAN_NO_MEMORY; the message of the
 *         source of counts
 */
enum tcplan_status validation_measure(struct validation_result *out,
                                      enum tcplan_point_kernel kernel, int64_t n, bool cold,
                                      const struct validation_setting *setting,
                                      struct tcplan_error *error);

#endif
