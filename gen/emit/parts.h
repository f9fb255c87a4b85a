/** Functions that emit the parts of a C file. */
#ifndef GEN_EMIT_PARTS_H
#define GEN_EMIT_PARTS_H

#include "gen/emit/text.h"
#include "gen/lower/blas_call.h"
#include "gen/lower/copy_shape.h"

/** A kernel node of a nest and its lowered BLAS call. */
struct emit_call {
    const struct tcplan_kernel_call *node;
    struct blas_call blas;
};

/** Adds the statements of a kernel node. */
void emit_kernel(const struct emitter *emitter, const struct emit_call *call);

/** Place of a count in emit_count(): the number of products of a brgemm. */
enum { EMIT_PRODUCTS = 3 };

/** Prints a count of a BLAS call: m, n or k (place 0, 1 or 2), or EMIT_PRODUCTS. A number, or `24 *
 * n_a` if the last step of a tile is smaller. */
void emit_count(const struct emitter *emitter, const struct emit_call *call, int place);

/** Returns the index of m, n or k (place 0, 1 or 2) whose last tile is smaller, which can only be
 * the last index of its group; -1: none. */
int emit_varying_index(const struct emitter *emitter, const struct emit_call *call, int place);

/** Append lines to the comment at the top of a file: the computation and its algorithm; the layouts
 * of the tensors; the return values. */
void emit_facts(struct strbuf *out, const struct emitter *emitter);
void emit_layout(struct strbuf *out, const struct emitter *emitter);
void emit_returns(struct strbuf *out, const struct emitter *emitter);

/** Returns the kernel node of a nest. */
const struct tcplan_kernel_call *emit_find_kernel(const struct tcplan_nest *nest);

/** Returns whether the problem has no products: the function then only scales the result, and reads
 * neither A nor B. */
bool emit_only_scales(const struct emitter *emitter);

/** Returns whether tcplan's own code is the kernel of a nest, so no provider is called. */
bool emit_is_own(const struct tcplan_nest *nest);

/** Returns whether emitted code calls CBLAS functions, as the kernel or as the substitute for a
 * missing one. */
bool emit_calls_cblas(const struct tcplan_nest *nest);

/** Emits tcplan's own functions that the kernel calls; once for each file. */
void emit_kernel_functions(const struct emitter *emitter);

/** Returns whether threads share a loop of the function at the planned sizes. */
bool emit_is_shared(const struct emitter *emitter);

/**
 * Emits variables that the kernel's calls need, before the loops and temporaries: complex alpha
 * and beta, whose addresses matrix kernels take.
 */
void emit_kernel_setup(const struct emitter *emitter, const struct emit_call *call);

/**
 * Adds the function that computes the contraction, at file scope, after `linkage` (`static `, or
 * nothing).
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE, with nothing written, if a stride or matrix exceeds a
 *         limit of its kernel, or the provider has no such routine
 */
enum tcplan_status emit_function(const struct emitter *emitter, const char *linkage,
                                 struct tcplan_error *error);

/** Returns how threads share the parallel loop. If extents are arguments, the result is valid for
 * all extents. */
struct sharing emit_sharing(const struct emitter *emitter);

/** Returns whether some temporary is so large that its memory is stored for the next call, by
 * emit_memory_functions(). */
bool emit_keeps_memory(const struct emitter *emitter);

/** Emits the allocation of temporaries and of the buffers for partial lines; the function returns
 * ENOMEM on failure. */
void emit_allocations(const struct emitter *emitter);

/** Adds the statements that free the temporaries, or store them for the next call. */
void emit_releases(const struct emitter *emitter, const char *indentation);

/** Emits the functions by which threads share work, once for each file. */
void emit_team_functions(struct strbuf *out);

/** Declares the functions by which emitted code reads and sets the threads of OpenBLAS; they are
 * NULL if another BLAS is linked. */
void emit_blas_threads(struct strbuf *out);

/** Emits the struct with the values that all threads share, and the start of the thread function,
 * which copies them to variables. */
void emit_begin_team_function(const struct emitter *emitter);

/** Emits the statements that make the threads execute the thread function. */
void emit_team_run(const struct emitter *emitter);

/** Prints the distance between the temporaries of two threads, in elements: `512`, or `(8 * n_i +
 * 511) / 512 * 512`. */
void emit_thread_elems(const struct emitter *emitter, enum tcplan_operand operand);

/** Returns whether a list of nodes, or a loop in it, contains a copy. */
bool emit_has_copy(const struct tcplan_node *node);

/** Adds the functions that copy blocks of a type, guarded so that a file may contain them twice. */
void emit_copy_kernels_of(struct strbuf *out, enum tcplan_dtype dtype);

/** Emits the copy functions for the problem's type, once for each file that needs them. */
void emit_copy_kernels(const struct emitter *emitter);

/** Emits the fence that orders non-temporal copies before later accesses. */
void emit_copy_fence(const struct emitter *emitter);

/** Returns whether non-temporal stores write the result, and partial cache lines wait in buffers:
 * see copy_shape_ends(). */
bool emit_has_ends(const struct emitter *emitter);

/** Returns whether a copy, or a scaling (`from` is `to`), is large enough for threads to divide it;
 * false if extents are arguments. */
bool emit_is_large(const struct emitter *emitter, const struct tcplan_copy *copy);

/** Returns the dimension of a box that threads divide, which has a fixed extent; -1: the first
 * thread executes the whole box, or there is one thread. */
int emit_divided_dimension(const struct emitter *emitter, const struct copy_shape *shape,
                           const struct copy_box *box);

/** Prints the first of `extent` elements that a thread copies: `(17 * thread / 2)`. `thread` is an
 * expression, `thread` or `(thread + 1)`. */
void emit_part_begin(const struct emitter *emitter, int64_t extent, const char *thread);

/** Emits `if (thread == 0)` before a box that cannot be divided, indented one level less than
 * the statement that follows; pairs with emit_end_by_one(). */
void emit_begin_by_one(struct emitter *emitter, const struct copy_shape *shape,
                       const struct copy_box *box);
void emit_end_by_one(struct emitter *emitter, const struct copy_shape *shape,
                     const struct copy_box *box);

/** If partial cache lines wait in buffers, these functions emit the declaration of the buffers for
 * all threads, the declaration of one thread's buffers, and the statement that writes the waiting
 * elements at the end. */
void emit_ends_allocation(const struct emitter *emitter, int threads);
void emit_ends_of_thread(const struct emitter *emitter);
void emit_ends_write(const struct emitter *emitter);

/** Returns whether the extent of a dimension depends on the surrounding loops. */
bool emit_shape_varies(const struct emitter *emitter, const struct copy_shape *shape, int d);

/** Adds the extent of a dimension: `extent`, or `n_a`, or `(s_a < 3 ? 8 : 5)` if it varies. */
void emit_shape_extent(const struct emitter *emitter, const struct copy_shape *shape, int d,
                       int64_t extent);

/** Adds the statements for one box of a shape. */
typedef void emit_box_fn(struct emitter *emitter, const struct copy_shape *shape,
                         const struct copy_box *box, const void *node);

/** Emits the boxes of a copy (copy_shape_box()): one box, or an `if (s_a < 3)` with one box and an
 * `else` with other boxes. */
void emit_boxes(struct emitter *emitter, const struct copy_shape *shape, emit_box_fn *emit,
                const void *node);

/** Returns the shape of a copy; if extents are arguments, copy_shape_of_ranges(). */
struct copy_shape emit_shape_of(const struct emitter *emitter, const struct tcplan_copy *copy);

/** Prints the stride of a dimension in the destination slice, or in the source slice, like
 * emit_step(). */
bool emit_shape_step(const struct emitter *emitter, struct tcplan_slice slice,
                     const struct copy_shape_dimension *dimension, bool is_source,
                     const char *before);

/** If extents are arguments: begins loops over the panels in a slice and removes them from the
 * slice; end each loop with emit_end(). Returns their number. */
int emit_begin_panels(struct emitter *emitter, struct tcplan_slice *slice);

/** Emits the statements of a copy. */
void emit_copy(struct emitter *emitter, const struct tcplan_copy *copy);

/** Emits the driver: functions and `main`, which check the algorithm at small extents and time the
 * function at its own extents. */
enum tcplan_status emit_main(const struct emitter *emitter, struct tcplan_error *error);

/** Derives the problem at extents small enough for naive loops, with tiles if they fit. */
enum tcplan_status emit_small_problem(struct tcplan_problem *out, const struct emitter *emitter,
                                      struct tcplan_error *error);

#endif
