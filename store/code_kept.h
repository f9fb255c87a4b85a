/**
 * Compiled kernels that are kept from one process to the next: those that the provider `emitted`
 * writes for a call (docs/providers.md).
 */
#ifndef STORE_CODE_KEPT_H
#define STORE_CODE_KEPT_H

#include "microbench/providers/maker.h"
#include "tcplan/store.h"

/**
 * Keeps kernels in a store, and finds those that the same compiler made for the same processor.
 * What cannot be read or written is compiled, and not kept.
 *
 * @param store  borrowed as long as the keeper is used; NULL, or one without a folder: nothing is
 *               kept
 */
struct code_keeper store_code_keeper(const struct tcplan_store *store);

#endif
