/**
 * The parts of an emitted file.
 */
#ifndef GEN_EMIT_PARTS_H
#define GEN_EMIT_PARTS_H

#include "gen/emit/text.h"
#include "gen/lower/blas_call.h"
#include "gen/lower/copy_shape.h"

/** A kernel node and its lowering. */
struct emit_call {
    const struct tcplan_kernel_call *node;
    struct blas_call blas;
};

/** The statements of a kernel node. */
void emit_kernel(const struct emitter *emitter, const struct emit_call *call);

/** Place 3 of a brgemm: the number of products. */
enum { EMIT_PRODUCTS = 3 };

/** m, n or k (place 0, 1 or 2) as BLAS counts them, or EMIT_PRODUCTS: a number, or `24 * n_a` where
 * a tile is smaller in its last step. */
void emit_count(const struct emitter *emitter, const struct emit_call *call, int place);

/** The index whose last, smaller tile makes m, n or k vary: the last of its group, as any other
 * could not be of a tile; or -1. */
int emit_varying_index(const struct emitter *emitter, const struct emit_call *call, int place);

/** Add lines for the comment of a file: the computation and its algorithm; the layout of the
 * tensors; the return values. */
void emit_facts(struct strbuf *out, const struct emitter *emitter);
void emit_layout(struct strbuf *out, const struct emitter *emitter);
void emit_returns(struct strbuf *out, const struct emitter *emitter);

/** The kernel node of a nest. */
const struct tcplan_kernel_call *emit_find_kernel(const struct tcplan_nest *nest);

/** Whether there is nothing to multiply: the function scales the result, whatever the nest, and
 * reads no factor. */
bool emit_only_scales(const struct emitter *emitter);

/** Whether the kernel of a nest is our own, so that nothing of a provider is called. */
bool emit_is_own(const struct tcplan_nest *nest);

/** Returns whether the kernel is called through CBLAS: the provider's or its substitute's, not
 * tcplan's own code. */
bool emit_calls_cblas(const struct tcplan_nest *nest);

/** The functions of our own that the kernel of a nest calls: once in a file. */
void emit_kernel_functions(const struct emitter *emitter);

/** Whether threads share a loop of the function, at its sizes. */
bool emit_is_shared(const struct emitter *emitter);

/**
 * Emits the variables of a kernel's statements before its loops and temporaries. Complex factors
 * are passed by address, but only to matrix kernels.
 */
void emit_kernel_setup(const struct emitter *emitter, const struct emit_call *call);

/**
 * The function that computes the contraction, outside of everything; `linkage` is put in front of
 * it (`static `, or nothing).
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE, and nothing written, where a stride or matrix exceeds
 *         what its kernel takes, or the provider has no such routine
 */
enum tcplan_status emit_function(const struct emitter *emitter, const char *linkage,
                                 struct tcplan_error *error);

/** How threads share the parallel loop; where extents are arguments, whatever they are. */
struct sharing emit_sharing(const struct emitter *emitter);

/** Whether there is a large temporary, whose memory stays for the next call:
 * emit_memory_functions() are needed. */
bool emit_keeps_memory(const struct emitter *emitter);

/** Emits the allocation of temporaries and ends, with ENOMEM on failure. */
void emit_allocations(const struct emitter *emitter);

/** It is freed, or kept for the next call. */
void emit_releases(const struct emitter *emitter, const char *indentation);

/** Emits the functions that share work among threads, once in a file, before a function whose
 * parallel loop uses them. */
void emit_team_functions(const struct emitter *emitter);

/** Emits the struct of the values common to all threads, and the beginning of the thread
 * function with its variables. */
void emit_begin_team_function(const struct emitter *emitter);

/** In the function itself: has the threads run it. */
void emit_team_run(const struct emitter *emitter);

/** From the temporary of a thread to that of the next: `512`, or `(8 * n_i + 511) / 512 * 512`. */
void emit_thread_elems(const struct emitter *emitter, enum tcplan_operand operand);

/** Whether there is a copy among the nodes or in loops below them. */
bool emit_has_copy(const struct tcplan_node *node);

/** The kernels of copies, for the type of the problem: once in a file in which there is a copy. */
void emit_copy_kernels(const struct emitter *emitter);

/** The statement that orders streamed copies before what the caller does next. */
void emit_copy_fence(const struct emitter *emitter);

/** Whether the result is streamed and parts of its lines wait in ends, see copy_shape_ends(). */
bool emit_has_ends(const struct emitter *emitter);

/** Whether a copy, or a scaling (`from` is `to`), is large enough to be divided among threads. Not
 * where extents are arguments. */
bool emit_is_large(const struct emitter *emitter, const struct tcplan_copy *copy);

/** The dimension of a box by which they do so, of those whose extent is a number; -1: the first
 * thread makes all of it, or it is not divided. */
int emit_divided_dimension(const struct emitter *emitter, const struct copy_shape *shape,
                           const struct copy_box *box);

/** `(17 * thread / 2)`: where the part of a thread, `thread` or `(thread + 1)`, begins among
 * `extent` elements. */
void emit_part_begin(const struct emitter *emitter, int64_t extent, const char *thread);

/** Emits `if (thread == 0)` before a box that cannot be divided, indented one level less than
 * the statement that follows; pairs with emit_end_by_one(). */
void emit_begin_by_one(struct emitter *emitter, const struct copy_shape *shape,
                       const struct copy_box *box);
void emit_end_by_one(struct emitter *emitter, const struct copy_shape *shape,
                     const struct copy_box *box);

/** Then: their declaration, for all of several threads; those of a thread; the statement that
 * writes what waits in them in the end. */
void emit_ends_allocation(const struct emitter *emitter, int threads);
void emit_ends_of_thread(const struct emitter *emitter);
void emit_ends_write(const struct emitter *emitter);

/** Whether the extent of a dimension of a shape is no number but depends on the loops around. */
bool emit_shape_varies(const struct emitter *emitter, const struct copy_shape *shape, int d);

/** Prints the extent of a dimension: `extent`, or `n_a`, or `(s_a < 3 ? 8 : 5)` if it varies. */
void emit_shape_extent(const struct emitter *emitter, const struct copy_shape *shape, int d,
                       int64_t extent);

/** The statements for one box of a shape. */
typedef void emit_box_fn(struct emitter *emitter, const struct copy_shape *shape,
                         const struct copy_box *box, const void *node);

/** Emits the boxes of a shape, see copy_shape_box(): one box, or `if (s_a < 3)` one `else`
 * others. */
void emit_boxes(struct emitter *emitter, const struct copy_shape *shape, emit_box_fn *emit,
                const void *node);

/** The shape of a copy; where extents are arguments that of its ranges. */
struct copy_shape emit_shape_of(const struct emitter *emitter, const struct tcplan_copy *copy);

/** emit_step() along a dimension of the slice that a shape goes to, or comes from. */
bool emit_shape_step(const struct emitter *emitter, struct tcplan_slice slice,
                     const struct copy_shape_dimension *dimension, bool is_source,
                     const char *before);

/** Where extents are arguments: loops over the panels in a span, which takes them out of it;
 * emit_end() each. Returns how many. */
int emit_begin_panels(struct emitter *emitter, struct tcplan_slice *slice);

/** The statements of a copy. */
void emit_copy(struct emitter *emitter, const struct tcplan_copy *copy);

/** The driver: helpers and `main`, which check the algorithm at small extents and time the
 * emitter's function. */
enum tcplan_status emit_main(const struct emitter *emitter, struct tcplan_error *error);

/** Derives the problem at extents small enough for naive loops, with tiles if they fit. */
enum tcplan_status emit_small_problem(struct tcplan_problem *out, const struct emitter *emitter,
                                      struct tcplan_error *error);

#endif
