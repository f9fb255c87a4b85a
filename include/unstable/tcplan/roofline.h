/**
 * Measuring the roofline of this machine: how fast it computes and moves data at best. The result
 * is data, see tcplan/ceilings.h.
 *
 * Levels of the memory are found, not believed: loads from working sets that grow by a seventh each
 * show plateaus, and these are the levels that bandwidth is measured in. A ceiling is the median of
 * many timed windows. Nothing is read from hardware counters, which most virtual machines lack:
 * operations and bytes are counted from the kernels' code; time and clock rate are measured.
 * Sources: Ofenbeck et al., Applying the Roofline Model (ISPASS 2014), for statistics, warm and
 * cold caches; Yang et al., Empirical Roofline Methodology, for the set of ceilings and strides.
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
    const struct tcplan_machine *machine; /**< whose cache sizes working sets are made for; NULL:
                                             this machine */
    int threads; /**< 1 to the processors that the calling thread may run on; 0: one a core of these
                  */
    bool one_count;  /**< `threads` alone; otherwise as tcplan_roofline_thread_counts() */
    unsigned dtypes; /**< 1 << type of those whose points are to be placed: what these need alone,
                        without gemms; 0: all ceilings */
    const struct tcplan_roofline *known; /**< of this machine: its ceilings are not measured again,
                                            unless it is rough and this is not; NULL: none */
    double time_limit_seconds; /**< measuring ends then, with the ceilings that there are; 0: no
                                  bound */
    const volatile sig_atomic_t *interrupted; /**< a flag that a signal handler sets to end it as
                                                 well; NULL: none does */
    int windows;                              /**< timed windows per ceiling, 3 to 1000 */
    double window_seconds; /**< their length; a pass over the working set where that takes longer */
    int64_t max_memory_bytes; /**< for working sets; 0: half of the available memory */
    bool untuned;             /**< gemm with extents of its own, not with the best ones */
    bool intensities;         /**< one kernel over its operations a byte, in each level */
    bool strided; /**< loads and stores of one element of 1, 2, 4, ... 64, not only of the usual
                     ones */
    bool widths;  /**< also bandwidth with narrower vectors than the widest */
    const char *sweep; /**< kernels of bandwidth beside `load` whose rates over the working set are
                          measured, as `store,triad`; NULL: none */
    bool small_pages;  /**< bandwidth on pages of the usual size, not on huge ones */
    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/** 20 windows of 2 ms each, the usual numbers of threads. */
TCPLAN_API struct tcplan_roofline_options tcplan_roofline_defaults(void);

enum { TCPLAN_ROOFLINE_COUNTS = 4 };

/**
 * The numbers of threads that are measured, from few to many: one, the cores of a NUMA node, of a
 * socket, `most`. Those from `most` on are left out, and equal ones are there once. Returns how
 * many there are.
 *
 * @param most  0: one a core that the calling thread may run on
 */
TCPLAN_API int tcplan_roofline_thread_counts(int out[TCPLAN_ROOFLINE_COUNTS], int most);

/**
 * Measures the ceilings of this machine: half a minute with the defaults on two cores. Those that
 * met slow cores are measured once more, for half as long as all took at most. If the time is over,
 * or it is interrupted, the roofline has the ceilings measured so far, and `unmeasured` counts what
 * is missing: with it as `known` another call measures that alone.
 *
 * @param out      receives the roofline, to be freed with tcplan_roofline_free()
 * @param options  NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_INVALID if an option is out of range; TCPLAN_NO_MEMORY;
 *         TCPLAN_ENVIRONMENT if threads cannot be had, a kernel computed something wrong, or a rate
 *         came out at more than twice what the cores can do: then the measurement is broken, and
 *         there is no roofline
 */
TCPLAN_API enum tcplan_status tcplan_roofline_measure(struct tcplan_roofline **out,
                                                      const struct tcplan_roofline_options *options,
                                                      struct tcplan_error *error);

/** The rate of the core's clock now in Hz, the fastest of a few readings; 0: not known on this
 * architecture. */
TCPLAN_API double tcplan_roofline_clock_now(void);

#ifdef __cplusplus
}
#endif

#endif
