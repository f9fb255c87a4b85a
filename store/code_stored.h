/**
 * Compiled kernels that are stored between processes. The provider `emitted` generates them for a
 * call (docs/providers.md).
 */
#ifndef STORE_CODE_STORED_H
#define STORE_CODE_STORED_H

#include "microbench/providers/maker.h"
#include "tcplan/store.h"

/** A stored shared object. */
struct stored_code {
    char compiler[120]; /**< the compiler's name, truncated if it is longer */
    char options[120];
    int64_t size;
    unsigned char *object; /**< `size` bytes; free with base_free() if it was read */
    int64_t done;          /**< bytes of the object read so far */
};

/**
 * Returns functions that store kernels, and that find kernels which the same compiler made for the
 * same processor. Kernels that cannot be read are compiled again; kernels that cannot be written
 * are not stored.
 * @param store borrowed while the keeper is used; if NULL or without a folder, nothing is stored
 */
struct code_keeper store_code_keeper(const struct tcplan_store *store);

#endif
