/**
 * Running a program and measuring it: always its time, and operations and bytes if the machine
 * counts them, for the whole program and for the regions that it marks (tcplan/region.h).
 */
#ifndef TCPLAN_RUN_H
#define TCPLAN_RUN_H

#include <signal.h>

#include "tcplan/regions.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_run_options {
    const char *const *arguments; /**< the program, found as a shell finds it, and its arguments;
                                     ended by NULL */
    const char *counters;         /**< `perf`, `none` or a file of recorded counts */
    double time_limit_seconds;    /**< the program is ended after this time; 0: never */
    const volatile sig_atomic_t *interrupted; /**< a flag that a signal handler sets to end the
                                                 program; may be NULL */
    int output; /**< the descriptor that its standard output goes to; negative: that of this process
                 */
};

/** How the program ended. To be freed with tcplan_run_free(). */
struct tcplan_run {
    int exit_status;  /**< negative: it did not exit by itself */
    int signal;       /**< that ended it; 0: none */
    bool timed_out;   /**< the signal was sent because of the time limit */
    bool interrupted; /**< it was interrupted, whether or not it then ended by itself */
    double seconds;
    double cpu_seconds; /**< of the program and the child processes that it waited for */
    struct tcplan_regions *regions; /**< the first is the whole program, its start included; then
                                       its regions in the order of their first begin */
};

/**
 * Runs a program to its end.
 *
 * A program that takes longer than allowed gets SIGTERM and, two seconds later, SIGKILL: with all
 * processes of its group, where the standard input is no terminal; there it stays in the group of
 * this process, so that both hear of ^C. One that is interrupted gets SIGINT, if it does not hear
 * it from the terminal, and SIGKILL two seconds later.
 *
 * @return TCPLAN_OK, however the program ended; TCPLAN_ENVIRONMENT if it could not be started;
 *         TCPLAN_INVALID or TCPLAN_ENVIRONMENT if a file of counts is invalid; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_run_program(struct tcplan_run **out,
                                                 const struct tcplan_run_options *options,
                                                 struct tcplan_error *error);

/** Frees a run; NULL is fine. */
TCPLAN_API void tcplan_run_free(struct tcplan_run *run);

#ifdef __cplusplus
}
#endif

#endif
