/**
 * Measures a kernel of the validation by the protocol: its time on this machine, and its
 * operations and bytes as counted or simulated.
 */
#ifndef ROOFLINE_VALIDATION_MEASURE_H
#define ROOFLINE_VALIDATION_MEASURE_H

#include "roofline/timing/workspace.h"
#include "roofline/validation/protocol.h"
#include "roofline/validation/runs.h"

/** The setting of a measurement. All pointers are borrowed. */
struct validation_setting {
    const struct tcplan_machine *machine; /**< machine whose caches the replicas must exceed, and
                                             whose caches are simulated */
    const struct workspace *workspace;    /**< memory of one thread for the replicas */
    struct team *team;                    /**< team whose threads fill the workspace */
    struct counter_source *counts;        /**< source that counts real runs; NULL: none */
    bool simulated;       /**< whether bytes come from traced runs, for kernels with a trace */
    int threads;          /**< number of threads of the BLAS */
    int repeats;          /**< number of repeats, 1 to PROTOCOL_MOST_REPEATS; 0: PROTOCOL_REPEATS */
    double least_seconds; /**< minimum seconds of a repeat */
    double most_seconds;  /**< time limit of a series */
};

struct validation_result {
    struct validation_bounds bounds; /**< expected work and traffic by analysis; for an FFT, the
                                        work that FFTW counts */
    struct protocol_result time;  /**< results of real runs: times, and counts if there are any */
    struct protocol_result bytes; /**< results of traced runs if `simulated`, else a copy of `time`
                                   */
    bool simulated;               /**< whether `bytes` has the results of traced runs */
    int64_t replicas;
    int64_t replicas_bytes; /**< bytes of all replicas together */
    bool lukewarm; /**< whether the caches may hold some data of cold runs: all replicas together
                      are smaller than twice the last cache */
};

/** Returns whether the workspace has room for the data of one run. */
bool validation_fits(const struct validation_setting *setting, enum tcplan_point_kernel kernel,
                     int64_t n);

/** Opens a source of counts by its name, as counter_open() does. For `simulated`, which counts no
 * real runs, it opens `none`. */
enum tcplan_status validation_open_counts(struct counter_source **out, const char *name,
                                          int threads, struct tcplan_error *error);

/** Returns whether a name of a source of counts denotes traced runs. */
bool validation_is_simulated(const char *name);

/**
 * Measures a kernel that fits the workspace.
 *
 * @param cold  uses replicas that together exceed the caches; else all runs use the same data
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if FFTW is missing; TCPLAN_NO_MEMORY; the status of the
 *     source of counts
 */
enum tcplan_status validation_measure(struct validation_result *out,
                                      enum tcplan_point_kernel kernel, int64_t n, bool cold,
                                      const struct validation_setting *setting,
                                      struct tcplan_error *error);

#endif
