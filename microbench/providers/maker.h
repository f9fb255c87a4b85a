/** The requester of kernels that need compiling. */
#ifndef MICROBENCH_MAKER_H
#define MICROBENCH_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"

/** The store for compiled code between processes. Several threads may call its functions
 * concurrently. Zeroed: none. */
struct code_keeper {
    const void *context;

    /** Finds the code of a source by its number, as bytes to be released with free(); returns
     * false if it is not stored or not usable here. */
    bool (*find)(const void *context, uint64_t text, void **object, size_t *size);

    /** Stores the code; failures are ignored. */
    void (*keep)(const void *context, uint64_t text, const void *object, size_t size);
};

/**
 * The requester: a ranking or a plan, used by one thread of control. Without one (NULL) compilers
 * have unlimited time and nothing is stored.
 */
struct kernel_maker {
    struct code_keeper keeper;
    struct deadline deadline; /**< compilers stop at this time */
    int compiled;             /**< number of kernels compiled for it */
    double seconds;           /**< time spent waiting for compilers */
};

/** Returns whether its kernels are stored; otherwise every process must wait for the compiler
 * again. */
static inline bool maker_keeps(const struct kernel_maker *maker) {
    return maker && maker->keeper.keep;
}

#endif
