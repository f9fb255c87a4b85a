/**
 * Pieces of emitted C: types, constants, subscripts, names.
 */
#ifndef GEN_EMIT_TEXT_H
#define GEN_EMIT_TEXT_H

#include "ast/nest/refine.h"
#include "base/strbuf.h"
#include "gen/lower/sharing.h"
#include "tcplan/nest.h"

/** State of emitting one function: its nest at the sizes of a problem. */
struct emitter {
    struct strbuf *out;
    const struct tcplan_nest *nest;
    const struct tcplan_problem *problem;
    const struct refined_problem *refined; /**< the problem with the additional indices of the nest;
                                              set within an emitted function */
    const char *function; /**< name of the function, or prefix of its helpers' names */
    const char *operand[TCPLAN_TENSORS]; /**< names of its parameters */
    int threads;                         /**< number of threads that share a parallel loop */
    bool is_within; /**< whether the current code is inside the parallel loop */
    int dividing;   /**< number of threads that divide the current copy or scaling; 0: one thread
                       executes it */
    int level;      /**< current indentation */
    bool takes_extents; /**< whether extents are arguments, so that expressions replace numbers: see
                           gen/emit/extents.h */
};

/** Print `conj(` or `conjf(` before, and `)` after, an expression if `conjugated` is set. */
void emit_begin_conjugate(const struct emitter *emitter, bool conjugated);
void emit_end_conjugate(const struct emitter *emitter, bool conjugated);

/** Returns `float`, `double`, `float _Complex` or `double _Complex`. */
const char *emit_type(enum tcplan_dtype dtype);

/**
 * Names the parameters like the notation's tensors or, if such a name has another meaning in C, A,
 * B and C; with an addend A, B, C, and D for the result.
 */
void emit_name_operands(struct emitter *emitter);

/** Names the parameters A, B and C, or A, B, C and D. */
void emit_name_letters(struct emitter *emitter);

/** Returns the name of an operand's parameter. */
const char *emit_operand(const struct emitter *emitter, enum tcplan_operand operand);

/** Lists the tensors in the order of the parameters, the result last; returns their number. */
int emit_parameters(const struct emitter *emitter, enum tcplan_operand out[TCPLAN_TENSORS]);

/** Adds `int NAME(const T *A, const T *B, T *C)`, with `type` for T; with an addend `int
 * NAME(const T *A, const T *B, const T *C, T *D)`. Extents as arguments come first, `int64_t n_a,
 * `; strides follow their tensor, `, const int64_t *strides_A`. */
void emit_prototype(struct strbuf *out, const struct emitter *emitter, const char *type);

/** Prints alpha or beta as a constant of type `dtype` that reads back to the same value, in
 * parentheses if it is complex. */
void emit_constant(struct strbuf *out, enum tcplan_dtype dtype, struct tcplan_scalar scalar);

/**
 * Prints the variable of the loop over an index: `i_a`; `s_a` for the steps of its tiles, `s8_a`
 * for nested tiles. The prefixes avoid keywords, macros and tensor names.
 */
void emit_index(const struct emitter *emitter, int index);

/** Prints the variable of an index with another letter than i or s: `w_a`, `w8_a`. */
void emit_variable(const struct emitter *emitter, char letter, int index);

/** Returns the name that the contraction gives an index; for an index that counts tiles of `a`,
 * also `a`. */
const char *emit_index_name(const struct emitter *emitter, int index);

/** Returns whether the extent of an index varies, because the last of its tiles is smaller. */
bool emit_is_partial(const struct emitter *emitter, int index);

/** Returns whether the kernel sums over these steps instead of a loop. All steps then have the full
 * length, or there is only one step. */
bool emit_is_summed(const struct emitter *emitter, int steps);

/**
 * Prints the condition that a tile of a varying index is not the last one: `s_a < 12`, or `s64_a <
 * 12 s8_a < 7`.
 */
void emit_full(const struct emitter *emitter, int index);

/** Prints the extent of an index: a number, or `n_a` (for steps `n8_a`) if emit_is_partial(). */
void emit_extent(const struct emitter *emitter, int index);

/** Adds `i_k == 0 && s_l == 0`: the condition that all loops over `indices`, at least one, are in
 * their first iteration. */
void emit_first(const struct emitter *emitter, uint64_t indices);

/** Prints a factor: `beta` in the first iteration of the loops over `first_of`, 1 in later ones,
 * such as `i_k == 0 ? 0.5 : 1.0`. Without such loops, prints beta. */
void emit_factor(const struct emitter *emitter, struct tcplan_scalar beta, uint64_t first_of);

/**
 * Prints ` + beta * C[i_a]`, where loops run over the indices `loops`; nothing if beta is 0.
 * Within loops over `first_of`, beta applies to the first iteration only.
 */
void emit_scaled(const struct emitter *emitter, struct tcplan_slice slice, uint64_t loops,
                 struct tcplan_scalar beta, uint64_t first_of);

/** Returns the indices of a slice whose values the surrounding loops set. */
uint64_t emit_fixed_indices(const struct emitter *emitter, struct tcplan_slice slice);

/** Prints `before` and `400 * `, or ` - 400 * ` if the stride is negative. Prints nothing and
 * returns false if the stride is 0. */
bool emit_step(struct strbuf *out, int64_t stride, const char *before);

/** Prints the stride of an index in a slice like emit_step(); the stride may be an expression. */
bool emit_slice_step(const struct emitter *emitter, struct tcplan_slice slice, int index,
                     const char *before);

/** Prints `before` and the offset of a slice's element in the loops over `indices`, such as `400 *
 * i_b + i_a`. Prints nothing and returns false if there are no such loops. */
bool emit_offset(const struct emitter *emitter, struct tcplan_slice slice, uint64_t indices,
                 const char *before);

/** Adds `B`, or `B_copy` for a temporary. */
void emit_slice_name(const struct emitter *emitter, struct tcplan_slice slice);

/** Prints the address of a slice in its tensor or temporary: `B + 3200 * i_c`. */
void emit_pointer(const struct emitter *emitter, struct tcplan_slice slice);

/** Prints an element of a slice, `B[3200 * i_c + i_b]`, where loops run over the indices `loops`
 * within the slice. */
void emit_element(const struct emitter *emitter, struct tcplan_slice slice, uint64_t loops);

/** Indents the next line. */
void emit_indent(const struct emitter *emitter);

/**
 * Emits `for (...) {` over an index, and indents code up to emit_end(). If the number of values in
 * a step varies, its declaration follows: `const int n_a = s_a < 37 ? 8 : 4;`.
 */
void emit_for(struct emitter *emitter, int index);

/**
 * Begins a parallel loop as two loops: over the parts that this thread takes, and over the
 * iterations of a part, such as `for (ptrdiff_t i_c = 399 * thread / 2; i_c < 399 * (thread + 1) /
 * 2; i_c++) {`.
 */
void emit_for_thread(struct emitter *emitter, int threads);
void emit_for_share(struct emitter *emitter, int index, struct sharing sharing);

/** Begin the outer one of two collapsed parallel loops, and later the inner one, directly within
 * it. */
void emit_for_outer_share(struct emitter *emitter, int outer, int inner, struct sharing sharing);
void emit_for_inner_share(struct emitter *emitter, int outer, int inner);

/** Adds `}`. */
void emit_end(struct emitter *emitter);

/** Adds the text as a string literal. */
void emit_string(struct strbuf *out, const char *text);

/** Adds the text as a block comment with the same lines. */
void emit_comment(struct strbuf *out, const char *text);

/** Adds `a=4,b=5`. */
void emit_sizes(struct strbuf *out, const struct tcplan_problem *problem);

/**
 * Returns whether a parameter can have a name, in C, in C++ and within the emitted function. Names
 * with an underscore are excluded, because the function's variables contain underscores.
 */
bool emit_is_free_operand(const char *name);

/** Checks the name of the emitted function: TCPLAN_INVALID if it is no identifier, or is a name of
 * C, BLAS or the emitted code. */
enum tcplan_status emit_check_name(const char *name, struct tcplan_error *error);

/** Returns whether memory of this size is stored for the next call, by pool_take() and pool_give()
 * instead of aligned_alloc() and free(). */
bool emit_memory_stays(double bytes);

enum {
    EMIT_WORKSPACE_BLOCK = 3
}; /**< block number for pool_take(), for intermediates of several products; blocks 0, 1 and 2 are
      for temporaries of A, B and C */

/** Emits the functions that store memory for the next call, before the first function that needs
 * them. A guard permits repeated copies. */
void emit_memory_functions(struct strbuf *out);

#endif
