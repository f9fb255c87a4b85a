/**
 * Kernels that are generated for a call, compiled and loaded: once for each process, or once for
 * all processes if they are stored.
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
 * Selects another compiler and forgets what was loaded or failed; NULL: the one that
 * compiler_find() finds. For tests, while no thread makes kernels.
 */
void emitted_set_compiler(const struct compiler *compiler);

/** Returns whether a call runs code that is compiled for it: there is a compiler, and the library's
 * own kernel would take longer, or there is none. */
bool emitted_needs_compiler(const struct blas_call *call, enum tcplan_dtype dtype);

/** Returns whether the code of a call is available: compiled before, or stored and loaded now. */
bool emitted_is_made(const struct blas_call *call, enum tcplan_dtype dtype,
                     struct kernel_maker *maker);

/** Returns register tiles that may be about as fast on this machine as the one chosen for a
 * call. */
struct emitted_tiles emitted_tiles_of(const struct blas_call *call, enum tcplan_dtype dtype);

#endif
