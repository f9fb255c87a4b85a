/**
 * Pieces of emitted C: types, constants, subscripts, names.
 */
#ifndef GEN_EMIT_TEXT_H
#define GEN_EMIT_TEXT_H

#include "ast/nest/refine.h"
#include "base/strbuf.h"
#include "gen/lower/sharing.h"
#include "tcplan/nest.h"

/** The function being emitted: a nest at the sizes of a problem. */
struct emitter {
    struct strbuf *out;
    const struct tcplan_nest *nest;
    const struct tcplan_problem *problem;
    const struct refined_problem *refined; /**< within a function: the problem of its loops, slices
                                              and indices */
    const char *function;                  /**< its name, or the prefix of its helpers' names */
    const char *operand[TCPLAN_TENSORS];   /**< names of its parameters */
    int threads;                           /**< number of threads that share a parallel loop */
    bool is_within; /**< the code being emitted is inside the parallel loop */
    int dividing;   /**< number of threads that divide the current copy or scaling, in a loop over
                       `thread`; 0: one thread executes it */
    int level;      /**< current indentation */
    bool takes_extents; /**< extents are arguments: expressions replace numbers, see
                           gen/emit/extents.h */
};

/** Add `conj(` or `conjf(`, and `)`, if `conjugated`. */
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

/** Lists the tensors in the order of the parameters, the result last; returns how many. */
int emit_parameters(const struct emitter *emitter, enum tcplan_operand out[TCPLAN_TENSORS]);

/** Adds `int NAME(const T *A, const T *B, T *C)`, with `type` for T; with an addend `int
 * NAME(const T *A, const T *B, const T *C, T *D)`. Extents as arguments come first, `int64_t n_a,
 * `; strides follow their tensor, `, const int64_t *strides_A`. */
void emit_prototype(struct strbuf *out, const struct emitter *emitter, const char *type);

/** Adds a factor as a constant of type `dtype` that reads back to the same value, in parentheses
 * if it has two parts. */
void emit_constant(struct strbuf *out, enum tcplan_dtype dtype, struct tcplan_scalar scalar);

/**
 * Prints the variable of the loop over an index: `i_a`; `s_a` for the steps of its tiles, `s8_a`
 * for nested tiles. The prefixes avoid keywords, macros and tensor names.
 */
void emit_index(const struct emitter *emitter, int index);

/** Adds the same with `letter` in place of i or s: `w_a`, `w8_a`. */
void emit_variable(const struct emitter *emitter, char letter, int index);

/** Returns the contraction's name of an index, or of the index whose steps it counts: `a`. */
const char *emit_index_name(const struct emitter *emitter, int index);

/**
 * Returns whether an index runs within tiles whose last one is smaller, so that its extent is a
 * variable.
 */
bool emit_is_partial(const struct emitter *emitter, int index);

/** Returns whether the kernel sums over steps instead of a loop: each step is full then, or there
 * is only one. */
bool emit_is_summed(const struct emitter *emitter, int steps);

/**
 * Adds `s_a < 12`, or `s64_a < 12
 *
 * s8_a < 7`: the condition that a step around a varying index is not the last.
 */
void emit_full(const struct emitter *emitter, int index);

/** Adds the extent of an index: a number, or `n_a` (for steps `n8_a`) if emit_is_partial(). */
void emit_extent(const struct emitter *emitter, int index);

/** Adds `i_k == 0 && s_l == 0`: the condition that all loops over `indices`, at least one, are in
 * their first iteration. */
void emit_first(const struct emitter *emitter, uint64_t indices);

/** Adds a factor that is `beta` in the first iteration of the loops over `first_of`, and 1 later:
 * `i_k == 0 ? 0.5 : 1.0`; without such loops beta. */
void emit_factor(const struct emitter *emitter, struct tcplan_scalar beta, uint64_t first_of);

/**
 * Prints ` + beta * C[i_a]`, the old part of an element's new value, where loops run over the
 * indices `loops`; nothing if beta is 0. Within loops over `first_of`, beta applies to the first
 * iteration only. An element that counts as 0 is not read.
 */
void emit_scaled(const struct emitter *emitter, struct tcplan_slice slice, uint64_t loops,
                 struct tcplan_scalar beta, uint64_t first_of);

/** Returns the indices of a slice that the surrounding loops fix. */
uint64_t emit_fixed_indices(const struct emitter *emitter, struct tcplan_slice slice);

/** Adds `before` and `400 * `, or ` - 400 * ` if the stride is negative and text precedes; adds
 * nothing and returns false if the stride is 0. */
bool emit_step(struct strbuf *out, int64_t stride, const char *before);

/** Does the same for an index in a slice, whose stride may be an expression. */
bool emit_slice_step(const struct emitter *emitter, struct tcplan_slice slice, int index,
                     const char *before);

/** Adds `before` and `400 * i_b + i_a`: the offset of a slice's element in the loops over
 * `indices`; adds nothing and returns false if there are none. */
bool emit_offset(const struct emitter *emitter, struct tcplan_slice slice, uint64_t indices,
                 const char *before);

/** Adds `B`, or `B_copy` for a temporary. */
void emit_slice_name(const struct emitter *emitter, struct tcplan_slice slice);

/** Adds the beginning of a slice in its tensor or temporary: `B + 3200 * i_c`. */
void emit_pointer(const struct emitter *emitter, struct tcplan_slice slice);

/** Prints an element of a slice, `B[3200 * i_c + i_b]`, where loops run over the indices `loops`
 * within the slice. */
void emit_element(const struct emitter *emitter, struct tcplan_slice slice, uint64_t loops);

/** Indents the next line. */
void emit_indent(const struct emitter *emitter);

/**
 * Emits `for (...) {` over an index and indents the code up to emit_end(). For steps whose number
 * of points varies, that number follows: `const int n_a = s_a < 37 ? 8 : 4;`.
 */
void emit_for(struct emitter *emitter, int index);

/**
 * Adds a parallel loop in two parts: the loop over the parts that this thread takes, and within it
 * the loop over the iterations of a part: `for (ptrdiff_t i_c = 399 * thread / 2; i_c < 399 *
 * (thread + 1) / 2; i_c++) {`.
 */
void emit_for_thread(struct emitter *emitter, int threads);
void emit_for_share(struct emitter *emitter, int index, struct sharing sharing);

/** Does the same for two collapsed loops: adds the beginning of the outer one, and later that of
 * the inner one, directly within it. */
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
 * Returns whether a parameter of the emitted function may have a name, in C, in C++ and within the
 * function. Names with an underscore are not accepted, since the function's variables have one.
 */
bool emit_is_free_operand(const char *name);

/** Checks the emitted function's name: TCPLAN_INVALID if it is no identifier, or one that C, BLAS
 * or the emitted text already uses. */
enum tcplan_status emit_check_name(const char *name, struct tcplan_error *error);

/** Returns whether memory of so many bytes is reused by the next call, by kept_take() and
 * kept_give() of emit_memory_functions() instead of aligned_alloc() and free(). */
bool emit_memory_stays(double bytes);

enum {
    EMIT_WORKSPACE_BLOCK = 3
}; /**< the number that kept_take() and kept_give() use for the intermediates of several products;
      0, 1 and 2: temporaries of A, B and C */

/** Adds the functions that reuse memory, before the first function that needs them; repeated
 * copies are guarded. */
void emit_memory_functions(struct strbuf *out);

#endif
