/**
 * Kernels that are written for a call, compiled, and loaded: once in a process, and where somebody keeps them once for all.
 */
#ifndef MICROBENCH_EMITTED_H
#define MICROBENCH_EMITTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/emitted/tile.h"
#include "gen/lower/blas_call.h"
#include "microbench/providers/compiler.h"

/** Who keeps compiled code from one process to the next; functions are called by one thread at a time. */
struct emitted_keeper {
    void *context;

    /** The code of a text by its number, in bytes to be freed with free(); false where it is not kept, or not used here. */
    bool (*find)(void *context, uint64_t text, void **object, size_t *size);

    /** Keeps it; where that is not possible nothing is said. */
    void (*keep)(void *context, uint64_t text, const void *object, size_t size);
};

/** From now on; NULL: nobody. Borrowed until the next call. */
void emitted_set_keeper(const struct emitted_keeper *keeper);

/** Whether anybody keeps it: otherwise each process would wait for the compiler again. */
bool emitted_is_kept(void);

/** From now on another compiler, and nothing that was loaded or failed before counts; NULL: the one that compiler_find() finds. For tests. */
void emitted_set_compiler(const struct compiler *compiler);

/** Whether the code of a call is at hand: compiled before, or kept and loaded now. */
bool emitted_is_made(const struct blas_call *call, enum tcplan_dtype dtype);

/** Tiles in registers that may be about as good on this machine as the one that is chosen for a call. */
struct emitted_tiles emitted_tiles_of(const struct blas_call *call, enum tcplan_dtype dtype);

/** What became of kernels so far. */
struct emitted_account {
    int compiled;
    int kept; /**< that were found where they are kept */
    int failed;
    double seconds;                   /**< that the compiler took */
    char reason[TCPLAN_MESSAGE_SIZE]; /**< why the last one failed; empty: none did */
};
struct emitted_account emitted_account(void);

#endif
