/**
 * The parts of an emitted file.
 */
#ifndef GEN_EMIT_PARTS_H
#define GEN_EMIT_PARTS_H

#include "gen/emit/text.h"
#include "gen/lower/blas_call.h"
#include "gen/lower/copy_shape.h"

/** A kernel node and its BLAS call. */
struct emit_call {
    const struct tcplan_kernel_call *node;
    struct blas_call blas;
};

/** Adds the statements of a kernel node. */
void emit_kernel(const struct emitter *emitter, const struct emit_call *call);

/** Place 3 of a brgemm: the number of products. */
enum { EMIT_PRODUCTS = 3 };

/** Adds m, n or k (place 0, 1 or 2) as BLAS counts them, or EMIT_PRODUCTS: a number, or `24 * n_a`
 * if a tile is smaller in its last step. */
void emit_count(const struct emitter *emitter, const struct emit_call *call, int place);

/** Returns the index whose smaller last tile makes m, n or k vary, which can only be the last of
 * its group; -1: none. */
int emit_varying_index(const struct emitter *emitter, const struct emit_call *call, int place);

/** Add lines to the comment of a file: the computation and its algorithm; the layout of the
 * tensors; the return values. */
void emit_facts(struct strbuf *out, const struct emitter *emitter);
void emit_layout(struct strbuf *out, const struct emitter *emitter);
void emit_returns(struct strbuf *out, const struct emitter *emitter);

/** Returns the kernel node of a nest. */
const struct tcplan_kernel_call *emit_find_kernel(const struct tcplan_nest *nest);

/** Returns whether there is nothing to multiply: the function then only scales the result, whatever
 * the nest, and reads no factor. */
bool emit_only_scales(const struct emitter *emitter);

/** Returns whether tcplan's own code is the kernel of a nest, so no provider is called. */
bool emit_is_own(const struct tcplan_nest *nest);

/** Returns whether the kernel is called through CBLAS: the provider's or its substitute's, not
 * tcplan's own code. */
bool emit_calls_cblas(const struct tcplan_nest *nest);

/** Adds tcplan's own functions that the kernel of a nest calls, once in a file. */
void emit_kernel_functions(const struct emitter *emitter);

/** Returns whether threads share a loop of the function at its sizes. */
bool emit_is_shared(const struct emitter *emitter);

/**
 * Emits the variables of a kernel's statements before its loops and temporaries. Complex factors
 * are passed by address, but only to matrix kernels.
 */
void emit_kernel_setup(const struct emitter *emitter, const struct emit_call *call);

/**
 * Adds the function that computes the contraction, at file scope, after `linkage` (`static `, or
 * nothing).
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE, with nothing written, if a stride or matrix exceeds a
 * limit of its kernel, or the provider has no such routine
 */
enum tcplan_status emit_function(const struct emitter *emitter, const char *linkage,
                                 struct tcplan_error *error);

/** Returns how threads share the parallel loop; valid for any extents if these are arguments. */
struct sharing emit_sharing(const struct emitter *emitter);

/** Returns whether a temporary is so large that its memory is reused by the next call: this needs
 * emit_memory_functions(). */
bool emit_keeps_memory(const struct emitter *emitter);

/** Emits the allocation of temporaries and ends, with ENOMEM on failure. */
void emit_allocations(const struct emitter *emitter);

/** Adds the statements that free the temporaries, or store them for the next call. */
void emit_releases(const struct emitter *emitter, const char *indentation);

/** Emits the functions that share work among threads, once in a file, before a function whose
 * parallel loop uses them. */
void emit_team_functions(const struct emitter *emitter);

/** Emits the struct of the values common to all threads, and the beginning of the thread
 * function with its variables. */
void emit_begin_team_function(const struct emitter *emitter);

/** Adds the statements of the function itself that make the threads run it. */
void emit_team_run(const struct emitter *emitter);

/** Adds the distance between the temporaries of threads: `512`, or `(8 * n_i + 511) / 512 * 512`.
 */
void emit_thread_elems(const struct emitter *emitter, enum tcplan_operand operand);

/** Returns whether the nodes, or loops below them, contain a copy. */
bool emit_has_copy(const struct tcplan_node *node);

/** Adds the functions that copy blocks of a type, guarded so that a file may have them twice. */
void emit_copy_kernels_of(struct strbuf *out, enum tcplan_dtype dtype);

/** Adds the copy kernels for the problem's type, once in a file that contains a copy. */
void emit_copy_kernels(const struct emitter *emitter);

/** Adds the statement that orders non-temporal copies before later accesses of the caller. */
void emit_copy_fence(const struct emitter *emitter);

/** Returns whether the result is written by non-temporal stores and partial lines wait in ends, see
 * copy_shape_ends(). */
bool emit_has_ends(const struct emitter *emitter);

/** Returns whether a copy, or a scaling (`from` is `to`), is large enough to be divided among
 * threads; never if extents are arguments. */
bool emit_is_large(const struct emitter *emitter, const struct tcplan_copy *copy);

/** Returns the dimension along which threads divide a box, one with a fixed extent; -1: the first
 * thread processes the whole box, or it is not divided. */
int emit_divided_dimension(const struct emitter *emitter, const struct copy_shape *shape,
                           const struct copy_box *box);

/** Adds `(17 * thread / 2)`: where the part of a thread, `thread` or `(thread + 1)`, begins among
 * `extent` elements. */
void emit_part_begin(const struct emitter *emitter, int64_t extent, const char *thread);

/** Emits `if (thread == 0)` before a box that cannot be divided, indented one level less than
 * the statement that follows; pairs with emit_end_by_one(). */
void emit_begin_by_one(struct emitter *emitter, const struct copy_shape *shape,
                       const struct copy_box *box);
void emit_end_by_one(struct emitter *emitter, const struct copy_shape *shape,
                     const struct copy_box *box);

/** If partial lines wait in ends: adds the declaration of all threads' ends; that of one thread's;
 * the statement that finally writes the waiting data. */
void emit_ends_allocation(const struct emitter *emitter, int threads);
void emit_ends_of_thread(const struct emitter *emitter);
void emit_ends_write(const struct emitter *emitter);

/** Returns whether the extent of a dimension depends on the loops around. */
bool emit_shape_varies(const struct emitter *emitter, const struct copy_shape *shape, int d);

/** Adds the extent of a dimension: `extent`, or `n_a`, or `(s_a < 3 ? 8 : 5)` if it varies. */
void emit_shape_extent(const struct emitter *emitter, const struct copy_shape *shape, int d,
                       int64_t extent);

/** Adds the statements for one box of a shape. */
typedef void emit_box_fn(struct emitter *emitter, const struct copy_shape *shape,
                         const struct copy_box *box, const void *node);

/** Adds the boxes of a shape, see copy_shape_box(): a single box, or `if (s_a < 3)` one `else`
 * others. */
void emit_boxes(struct emitter *emitter, const struct copy_shape *shape, emit_box_fn *emit,
                const void *node);

/** Returns the shape of a copy; if extents are arguments, of its ranges. */
struct copy_shape emit_shape_of(const struct emitter *emitter, const struct tcplan_copy *copy);

/** Adds emit_step() along a dimension of the destination slice, or of the source slice. */
bool emit_shape_step(const struct emitter *emitter, struct tcplan_slice slice,
                     const struct copy_shape_dimension *dimension, bool is_source,
                     const char *before);

/** If extents are arguments: adds loops over the panels in a span and removes them from it; end
 * each with emit_end(). Returns their number. */
int emit_begin_panels(struct emitter *emitter, struct tcplan_slice *slice);

/** Adds the statements of a copy. */
void emit_copy(struct emitter *emitter, const struct tcplan_copy *copy);

/** Adds the driver: helpers and `main`, which check the algorithm at small extents and time the
 * emitter's function. */
enum tcplan_status emit_main(const struct emitter *emitter, struct tcplan_error *error);

/** Derives the problem at extents small enough for naive loops, with tiles if they fit. */
enum tcplan_status emit_small_problem(struct tcplan_problem *out, const struct emitter *emitter,
                                      struct tcplan_error *error);

#endif
