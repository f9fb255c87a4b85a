/**
 * Reads machines in a separate process: hwloc writes to stderr about invalid descriptions, and some
 * broken files crash it.
 */
#ifndef TCPLAN_STUDY_APART_H
#define TCPLAN_STUDY_APART_H

#include "tcplan/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Loads a machine as tcplan_host_load_machine() does, in a child process, so that a description on
 * which the reader crashes is TCPLAN_INVALID. `live` is read in this process. This process must
 * not have run a BLAS or OpenMP before: their threads do not survive a fork.
 */
TCPLAN_API enum tcplan_status tcplan_machine_load_apart(struct tcplan_machine *out,
                                                        const char *spec,
                                                        struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
