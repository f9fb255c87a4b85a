/**
 * Functions that print the arguments of an emitted kernel call, and the constants that they need.
 * Each kernel class calls those that its routine takes.
 */
#ifndef GEN_EMIT_ARGUMENTS_H
#define GEN_EMIT_ARGUMENTS_H

#include "gen/emit/parts.h"

bool emit_is_complex(const struct emitter *emitter);

/** Prints a factor (alpha or beta) as a constant of the problem's type. */
void emit_scalar(const struct emitter *emitter, struct tcplan_scalar scalar);

/** Prints a factor (alpha or beta) and ` * `; prints nothing if the factor is 1. */
void emit_times(const struct emitter *emitter, struct tcplan_scalar scalar);

/** Prints a matrix or vector argument with its leading dimension or increment: `, B + 3200 * i_c,
 * 8`. `part` is 0 for the routine's first operand, 1 for the second, 2 for the result. With BLIS,
 * prints two strides. */
void emit_array(const struct emitter *emitter, const struct emit_call *call, int part);
void emit_part_step(const struct emitter *emitter, const struct emit_call *call, int part);

/** Returns the slice of the routine's first (part 0) or second operand (1), or of its result
 * (2). */
struct tcplan_slice emit_slice(const struct emit_call *call, int part);

/** Adds the name of the CBLAS routine, such as `cblas_dgemm`. */
void emit_routine(const struct emitter *emitter, const struct emit_call *call);

/** Prints `, ` and the count of emit_count(), reduced by `less`. */
void emit_count_less(const struct emitter *emitter, const struct emit_call *call, int place,
                     int less);
void emit_next_count(const struct emitter *emitter, const struct emit_call *call, int place);

/** Breaks a long argument list, keeping related arguments on one line. */
void emit_break(const struct emitter *emitter);

/** Add alpha and beta as arguments. Complex factors are passed by address, see emit_alpha_setup()
 * and emit_factor_setup(). */
void emit_alpha_argument(const struct emitter *emitter, const struct emit_call *call);
void emit_beta_argument(const struct emitter *emitter, const struct emit_call *call);

/** Adds the statement before a call that, in contracted loops, sets beta for the first visit of the
 * result and 1 for later ones. */
void emit_beta_by_visit(const struct emitter *emitter, const struct emit_call *call);

/** Prints the statement before a call that computes the argument of emit_element_argument(), if one
 * is needed. */
void emit_element_setup(const struct emitter *emitter, const struct emit_call *call);

/** Prints alpha times the element that is the routine's second operand: by value or, if complex, by
 * address. */
void emit_element_argument(const struct emitter *emitter, const struct emit_call *call);

/** These functions print constants before the loops: alpha if it is complex; beta if it is complex
 * and the same in all calls; both. */
void emit_alpha_setup(const struct emitter *emitter, const struct emit_call *call);
void emit_beta_setup(const struct emitter *emitter, const struct emit_call *call);
void emit_factor_setup(const struct emitter *emitter, const struct emit_call *call);

/** Prints a call of a CBLAS routine for matrices: `transpositions` transpositions and `counts`
 * counts, then alpha, the factors, beta and the result. */
void emit_matrix_call(const struct emitter *emitter, const struct emit_call *call,
                      int transpositions, int counts);

#endif
