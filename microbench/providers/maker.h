/**
 * For whom kernels are made that a compiler has to compile.
 */
#ifndef MICROBENCH_MAKER_H
#define MICROBENCH_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"

/** Where compiled code is kept from one process to the next. Several threads may call its functions
 * at once. Zeroed: nowhere. */
struct code_keeper {
    const void *context;

    /** The code of a text by its number, in bytes to be freed with free(); false where it is not
     * kept, or not used here. */
    bool (*find)(const void *context, uint64_t text, void **object, size_t *size);

    /** Keeps it; where that is not possible nothing is said. */
    void (*keep)(const void *context, uint64_t text, const void *object, size_t size);
};

/**
 * Who needs kernels: a ranking, a plan. One thread of control uses it. Where there is none (NULL) a
 * compiler takes what time it needs, and nothing is kept.
 */
struct kernel_maker {
    struct code_keeper keeper;
    struct deadline deadline; /**< no compiler runs longer */
    int compiled;             /**< kernels that compilers made for it */
    double seconds;           /**< that it waited for compilers */
};

/** Whether its kernels are kept: otherwise each process would wait for the compiler again. */
static inline bool maker_keeps(const struct kernel_maker *maker) {
    return maker && maker->keeper.keep;
}

#endif
