/**
 * Compiled kernels that are kept from one process to the next: those that the provider `emitted`
 * writes for a call (docs/providers.md).
 */
#ifndef STORE_CODE_KEPT_H
#define STORE_CODE_KEPT_H

#include "microbench/providers/maker.h"
#include "tcplan/store.h"

/** A shared object as what is kept. */
struct kept_code {
    char compiler[120]; /**< its name, cut where it is longer */
    char options[120];
    int64_t size;
    unsigned char *object; /**< `size` bytes, to be freed with base_free() where it was read */
    int64_t done;          /**< bytes that were read */
};

/**
 * Keeps kernels in a store, and finds those that the same compiler made for the same processor.
 * What cannot be read or written is compiled, and not kept.
 *
 * @param store  borrowed as long as the keeper is used; NULL, or one without a folder: nothing is
 *               kept
 */
struct code_keeper store_code_keeper(const struct tcplan_store *store);

#endif
