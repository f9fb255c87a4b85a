/**
 * Kernels that are written for a call, compiled, and loaded: once in a process, and where they are
 * kept once for all.
 */
#ifndef MICROBENCH_EMITTED_H
#define MICROBENCH_EMITTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/emitted/tile.h"
#include "gen/lower/blas_call.h"
#include "microbench/providers/compiler.h"
#include "microbench/providers/maker.h"
#include "tcplan/stored_code.h"

/**
 * From now on another compiler, and nothing that was loaded or failed before counts; NULL: the one
 * that compiler_find() finds. For tests, while no thread makes kernels.
 */
void emitted_set_compiler(const struct compiler *compiler);

/** Whether the code of a call is at hand: compiled before, or kept and loaded now. */
bool emitted_is_made(const struct blas_call *call, enum tcplan_dtype dtype,
                     struct kernel_maker *maker);

/** Tiles in registers that may be about as good on this machine as the one that is chosen for a
 * call. */
struct emitted_tiles emitted_tiles_of(const struct blas_call *call, enum tcplan_dtype dtype);

#endif
