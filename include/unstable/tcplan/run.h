/**
 * Runs a program and measures it: always its time, and its operations and bytes if the machine
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
    const char *const *arguments; /**< name of the program, searched as by a shell, and its
                                     arguments; ended by NULL */
    const char *counters;         /**< `perf`, `none` or a file of recorded counts */
    double time_limit_seconds;    /**< the program is terminated after this time; 0: never */
    const volatile sig_atomic_t *interrupted; /**< a flag that a signal handler sets to end the
                                                 program; may be NULL */
    int output; /**< file descriptor for the program's standard output; negative: that of this
                   process */
};

/** Outcome of a run. To be freed with tcplan_run_free(). */
struct tcplan_run {
    int exit_status;  /**< exit status of the program; negative: it did not exit by itself */
    int signal;       /**< signal that terminated the program; 0: none */
    bool timed_out;   /**< whether the signal was sent because of the time limit */
    bool interrupted; /**< whether the program was interrupted, even if it then exited by itself */
    double seconds;
    double cpu_seconds; /**< CPU time of the program and the child processes that it waited for */
    struct tcplan_regions *regions; /**< measurements: first the whole program, including its start;
                                       then its regions in the order of their first begin */
};

/**
 * Runs a program to its end.
 *
 * A program that exceeds the time limit gets SIGTERM and, two seconds later, SIGKILL. If standard
 * input is not a terminal, the program runs in a process group of its own, and the signals go to
 * the whole group. If it is a terminal, the program stays in the group of this process, so that ^C
 * reaches both. An interrupted program gets SIGINT, unless the terminal already sent it, and
 * SIGKILL two seconds later.
 *
 * @return TCPLAN_OK, however the program ended; TCPLAN_ENVIRONMENT if it could not be started;
 *     TCPLAN_INVALID or TCPLAN_ENVIRONMENT if a file of counts is invalid; TCPLAN_NO_MEMORY
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
