/** Limits for compiling kernels: how long compilers may take, and where code is stored. */
#ifndef MICROBENCH_MAKER_H
#define MICROBENCH_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"

/** Functions that store compiled code for other processes; several threads may call them at once.
 * Zeroed: none. */
struct code_keeper {
    const void *context;

    /** Finds the code of a source by its number, as bytes to be released with free(); returns
     * false if it is not stored or not usable here. */
    bool (*find)(const void *context, uint64_t text, void **object, size_t *size);

    /** Stores the code; failures are ignored. */
    void (*keep)(const void *context, uint64_t text, const void *object, size_t size);
};

/**
 * State of a ranking or a plan that needs compiled kernels, used by one thread. Without this state
 * (NULL), compilers have unlimited time and nothing is stored.
 */
struct kernel_maker {
    struct code_keeper keeper;
    bool only_stored; /**< whether calls that a kernel of the library can make use stored code or
                         that kernel, and nothing is compiled for them */
    struct deadline deadline; /**< compilers stop at this time */
    int compiled;             /**< number of kernels compiled so far */
    double seconds;           /**< time spent waiting for compilers */
};

/** Returns whether compiled kernels are stored; otherwise every process has to compile them again.
 */
static inline bool maker_keeps(const struct kernel_maker *maker) {
    return maker && maker->keeper.keep;
}

#endif
