/**
 * Measures the roofline of this machine: its highest rates of computing and moving data. The
 * result is data, see tcplan/ceilings.h.
 *
 * Memory levels are measured, not taken from the system: loads from working sets that grow by a
 * seventh show plateaus, and bandwidth is measured in each. A ceiling is the median of many timed
 * windows. Nothing is read from hardware counters, which most virtual machines lack: operations
 * and bytes are counted from the kernels' code; time and clock rate are measured. Sources:
 * Ofenbeck et al., Applying the Roofline Model (ISPASS 2014), for statistics, warm and cold
 * caches; Yang et al., Empirical Roofline Methodology, for the set of ceilings and strides.
 */
#ifndef TCPLAN_ROOFLINE_H
#define TCPLAN_ROOFLINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tcplan/ceilings.h"
#include "tcplan/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_roofline_options {
    const struct tcplan_machine *machine; /**< machine whose cache sizes determine the working sets;
                                             NULL: the machine that runs this program */
    int threads;     /**< maximum number of threads, 1 to the number of processors that the calling
                        thread may run on; 0: one per core of these */
    bool one_count;  /**< whether to measure with `threads` threads only; false: with the numbers of
                        tcplan_roofline_thread_counts() */
    unsigned dtypes; /**< types as bits 1 << type: only the ceilings needed to place points of these
                        types, without gemms, are measured; 0: all ceilings */
    const struct tcplan_roofline *known; /**< existing ceilings of this machine, which are not
                                            measured again, except rough ones by a full measurement;
                                            NULL: none */
    double time_limit_seconds; /**< time limit, after which the measurement ends and returns the
                                  ceilings so far; 0: none */
    const volatile sig_atomic_t *interrupted; /**< a flag that a signal handler may set to end the
                                                 measurement; NULL: none */
    int windows;                              /**< number of timed windows per ceiling, 3 to 1000 */
    double window_seconds; /**< length of a window; a longer pass over the working set is one window
                            */
    int64_t max_memory_bytes; /**< maximum size of a working set; 0: half of the available memory */
    bool untuned;     /**< whether to measure gemm with fixed extents instead of tuned ones */
    bool intensities; /**< whether to measure, for each level, a kernel at several operational
                         intensities */
    bool strided;     /**< whether to measure loads and stores with all strides 1, 2, 4, ... 64, not
                         only the default ones */
    bool widths; /**< whether to measure bandwidth also with vectors narrower than the widest */
    const char *sweep; /**< bandwidth kernels other than `load` to sweep over the working set, as
                          `store,triad`; NULL: none */
    bool small_pages; /**< whether to measure bandwidth on pages of the default size instead of huge
                         pages */
    tcplan_progress_fn *progress; /**< progress callback; NULL: none */
    void *progress_context;
};

/** Returns the defaults: 20 windows of 2 ms each, the default numbers of threads. */
TCPLAN_API struct tcplan_roofline_options tcplan_roofline_defaults(void);

enum { TCPLAN_ROOFLINE_COUNTS = 4 };

/**
 * Determines the numbers of threads for the measurement, in increasing order: 1, the cores of a
 * NUMA node, the cores of a socket, and `most`. Numbers above `most` are omitted, and each number
 * occurs once. Returns how many there are.
 *
 * @param most  0: the number of cores that the calling thread may run on
 */
TCPLAN_API int tcplan_roofline_thread_counts(int out[TCPLAN_ROOFLINE_COUNTS], int most);

/**
 * Measures the ceilings of this machine: half a minute with the defaults on two cores. Ceilings
 * that were measured while the cores were slow are measured once more, in at most half of the time
 * that the measurement took until then. After the time limit or an interruption, the roofline has
 * the ceilings measured so far, and `unmeasured` counts the missing ones; passing it as `known`
 * measures only these.
 *
 * @param out      receives the roofline, to be freed with tcplan_roofline_free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if an option is out of range; TCPLAN_NO_MEMORY;
 *         TCPLAN_ENVIRONMENT if threads cannot be started, a kernel computed a wrong result, or a
 *         rate is more than twice the possible one, which invalidates the measurement
 */
TCPLAN_API enum tcplan_status tcplan_roofline_measure(struct tcplan_roofline **out,
                                                      const struct tcplan_roofline_options *options,
                                                      struct tcplan_error *error);

/** Returns the present rate of the core's clock in Hz, the fastest of a few readings; 0: not
 * supported on this architecture. */
TCPLAN_API double tcplan_roofline_clock_now(void);

#ifdef __cplusplus
}
#endif

#endif
