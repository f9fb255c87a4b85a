/**
 * Compiled kernels that are kept from one process to the next: those that the provider `emitted` writes for a call (docs/providers.md).
 */
#ifndef TCPLAN_STORED_CODE_H
#define TCPLAN_STORED_CODE_H

#include "tcplan/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * From now on kernels that were compiled are kept in a store, and those that are kept there by the same compiler, for the same processor, are not compiled
 * again. What cannot be read or written is compiled, and not kept. Kept kernels are executed: where the store's folder is another user's, or others can write
 * to it, nothing of it is.
 *
 * @param store  copied, its folder too; NULL, or one without a folder: nothing is kept
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY, and nothing is kept
 */
TCPLAN_API enum tcplan_status tcplan_store_code(const struct tcplan_store *store, struct tcplan_error *error);

/** What became of kernels in this process so far. */
struct tcplan_code_account {
    int compiled;
    int kept; /**< that were found where they are kept */
    int failed;
    double seconds;                   /**< that the compiler took; part of what planning took */
    char reason[TCPLAN_MESSAGE_SIZE]; /**< why the last one failed; empty: none did */
};
TCPLAN_API struct tcplan_code_account tcplan_code_account(void);

#ifdef __cplusplus
}
#endif

#endif
