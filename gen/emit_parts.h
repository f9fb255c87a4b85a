/**
 * The parts of an emitted file.
 */
#ifndef GEN_EMIT_PARTS_H
#define GEN_EMIT_PARTS_H

#include "gen/blas_call.h"
#include "gen/emit_text.h"

/** A kernel node and its lowering. */
struct emit_call {
    const struct tcplan_kernel_call *node;
    struct blas_call blas;
};

/** The statements of a kernel node. */
void emit_kernel(const struct emitter *emitter, const struct emit_call *call);

/** The variables that a kernel's statements refer to: complex factors are passed by address, and only matrix kernels take them. */
void emit_kernel_factors(const struct emitter *emitter, const struct emit_call *call);

/**
 * The function that computes the contraction, outside of everything; `linkage` is put in front of it (`static `, or nothing).
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE, and nothing written, where a stride exceeds the BLAS integer
 */
enum tcplan_status emit_function(const struct emitter *emitter, const char *linkage, struct tcplan_error *error);

/** Whether there is a copy among the nodes or in loops below them. */
bool emit_has_copy(const struct tcplan_node *node);

/** The kernels of copies, for the type of the problem: once in a file in which there is a copy. */
void emit_copy_kernels(const struct emitter *emitter);

/** The statement that orders streamed copies before what the caller does next. */
void emit_copy_fence(const struct emitter *emitter);

/** The statement of a copy. */
void emit_copy(const struct emitter *emitter, const struct tcplan_copy *copy);

/** The driver: helpers and `main`, which check the algorithm at small extents and time the emitter's function. */
enum tcplan_status emit_main(struct emitter *emitter, struct tcplan_error *error);

#endif
