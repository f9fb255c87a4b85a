/**
 * Counts the kernels that need a compiler: the kernels that the provider `emitted` writes for a
 * call (docs/providers.md). The folder in which they are stored is an option of a ranking
 * (tcplan/rank.h).
 */
#ifndef TCPLAN_STORED_CODE_H
#define TCPLAN_STORED_CODE_H

#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Counts of kernels that need a compiler, in this process so far. A compiler that was stopped
 * because of a time limit does not count as failed. */
struct tcplan_code_account {
    int compiled;
    union {
        int found; /**< number of kernels found in the store and therefore not compiled */
        int kept;  /**< deprecated: its name in 0.2.0 */
    };
    int failed;
    double seconds;                   /**< time spent in compilers; part of the planning time */
    char reason[TCPLAN_MESSAGE_SIZE]; /**< why the last compilation failed or was stopped; empty:
                                         none was */
};
TCPLAN_API struct tcplan_code_account tcplan_code_account(void);

#ifdef __cplusplus
}
#endif

#endif
