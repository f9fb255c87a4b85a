/**
 * What became of kernels that a compiler has to make: those that the provider `emitted` writes
 * for a call (docs/providers.md). Where they are kept is an option of a ranking (tcplan/rank.h).
 */
#ifndef TCPLAN_STORED_CODE_H
#define TCPLAN_STORED_CODE_H

#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What became of kernels in this process so far. A compiler that was ended, as its caller had no
 * more time, is none that failed. */
struct tcplan_code_account {
    int compiled;
    int kept; /**< that were found where they are kept */
    int failed;
    double seconds;                   /**< that the compiler took; part of what planning took */
    char reason[TCPLAN_MESSAGE_SIZE]; /**< why the last one failed, or was ended; empty: none was */
};
TCPLAN_API struct tcplan_code_account tcplan_code_account(void);

#ifdef __cplusplus
}
#endif

#endif
