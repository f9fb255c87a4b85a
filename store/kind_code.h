/**
 * Compiled kernels as a kind of entries: shared objects, and what made them.
 */
#ifndef STORE_KIND_CODE_H
#define STORE_KIND_CODE_H

#include "store/kinds.h"

/** A shared object. */
struct kept_code {
    char compiler[120]; /**< its name, cut where it is longer */
    char options[120];
    int64_t size;
    unsigned char *object; /**< `size` bytes, to be freed with base_free() where it was read */
    int64_t done;          /**< bytes that were read */
};

#endif
