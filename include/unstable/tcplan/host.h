/**
 * Describes this machine apart from its caches: clocks, timers, pages, other load, the BLAS. Read
 * from the system or measured, and said which.
 */
#ifndef TCPLAN_HOST_H
#define TCPLAN_HOST_H

#include "tcplan/blas.h"
#include "tcplan/machine.h"
#include "tcplan/roofline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_HOST_TEXT = 32 };

struct tcplan_host {
    struct tcplan_machine machine;
    char *topology; /**< the element `<topology>` of hwloc's XML */

    struct tcplan_clock_rate clock; /**< of the core; measured from dependent additions; all 0: not
                                       known on this architecture */
    double multiply_cycles; /**< measured: cycles of a dependent integer multiplication; 3 on x86
                               confirms the clock; 0: not known */
    double counter_hz;      /**< measured: the time-stamp counter, which is not the core's clock; 0:
                               there is none */

    double wall_timer_ns;       /**< measured: one reading of the monotonic clock */
    double cpu_timer_ns;        /**< measured: one reading of the thread's CPU time */
    double timer_resolution_ns; /**< measured: the smallest difference between two different
                                   readings of the monotonic clock */

    int64_t page_bytes;
    int64_t huge_page_bytes;                  /**< of transparent huge pages; 0: not known */
    char huge_page_setting[TCPLAN_HOST_TEXT]; /**< `always`, `madvise` or `never`; empty: not known
                                               */

    double load_average; /**< of the last minute; negative: not known */
    int running;         /**< threads that want a core now, without this one; negative: not known */
    double preempted_share; /**< measured: share of 50 ms in which a thread that only read the clock
                               did not run */
    int preemptions;        /**< how often that was */
    double steal_share;     /**< what the host of this virtual machine took of all cores' time
                               meanwhile; negative: not known */
    bool virtual_machine;   /**< the CPU reports a hypervisor; false also if unknown */

    struct tcplan_blas blas;
    int blas_threads; /**< that it uses unless told */
};

/**
 * Examines this machine: less than a tenth of a second.
 *
 * @param out  receives the description, to be freed with tcplan_host_free()
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT if the topology cannot be had, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_host_examine(struct tcplan_host **out,
                                                  struct tcplan_error *error);

/** Frees a description; NULL is fine. */
TCPLAN_API void tcplan_host_free(struct tcplan_host *host);

/**
 * As tcplan_machine_load(), which also understands files in which `tcplan machine --format xml`
 * stored a description: the topology inside is taken. Status as there; TCPLAN_INVALID, with a line,
 * where a file is not XML or holds no topology.
 */
TCPLAN_API enum tcplan_status tcplan_host_load_machine(struct tcplan_machine *out, const char *spec,
                                                       struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
