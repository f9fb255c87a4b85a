/**
 * Describes this machine apart from its caches: clocks, timers, pages, load, and the BLAS.
 * Comments name the numbers that are measured; all others are read from the system.
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
    char *topology; /**< the `<topology>` element of hwloc's XML */

    struct tcplan_clock_rate clock; /**< core clock, measured by dependent additions; all 0: not
                                       supported on this architecture */
    double multiply_cycles;         /**< measured: latency of an integer multiplication in cycles of
                                       `clock`; 3 on x86 confirms the clock; 0: unknown */
    double counter_hz; /**< measured: rate of the time-stamp counter, which differs from the core
                          clock; 0: there is none */

    double wall_timer_ns;       /**< measured: time to read the monotonic clock */
    double cpu_timer_ns;        /**< measured: time to read the thread's CPU clock */
    double timer_resolution_ns; /**< measured: smallest difference between two readings of the
                                   monotonic clock */

    int64_t page_bytes;
    int64_t huge_page_bytes;                  /**< size of transparent huge pages; 0: unknown */
    char huge_page_setting[TCPLAN_HOST_TEXT]; /**< `always`, `madvise` or `never`; empty: unknown */

    double load_average;    /**< load average of the last minute; negative: unknown */
    int running;            /**< threads ready to run now, without this one; negative: unknown */
    double preempted_share; /**< measured: share of 50 ms during which a thread that only reads the
                               clock was interrupted */
    int preemptions;        /**< number of these interruptions */
    double steal_share;   /**< share of the time of all cores, during these 50 ms, that the host of
                             this virtual machine took; negative: unknown */
    bool virtual_machine; /**< whether the CPU reports a hypervisor; false also if unknown */

    struct tcplan_blas blas;
    int blas_threads; /**< default number of threads of the BLAS */
};

/**
 * Examines this machine in less than a tenth of a second.
 *
 * @param out  receives the description, to be freed with tcplan_host_free()
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT if the topology is not available, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_host_examine(struct tcplan_host **out,
                                                  struct tcplan_error *error);

/** Frees a description; NULL is fine. */
TCPLAN_API void tcplan_host_free(struct tcplan_host *host);

/**
 * Loads a machine as tcplan_machine_load() does, but also accepts files written by `tcplan machine
 * --format xml`, whose topology it uses. Returns a status of tcplan_machine_load(); TCPLAN_INVALID
 * with the line also if a file is not XML or has no topology.
 */
TCPLAN_API enum tcplan_status tcplan_host_load_machine(struct tcplan_machine *out, const char *spec,
                                                       struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
