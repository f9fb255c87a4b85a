/**
 * Arguments of an emitted kernel call: what the classes of kernels put theirs together from.
 */
#ifndef GEN_EMIT_ARGUMENTS_H
#define GEN_EMIT_ARGUMENTS_H

#include "gen/emit/parts.h"

bool emit_is_complex(const struct emitter *emitter);

/** A factor as a constant of the problem's type. */
void emit_scalar(const struct emitter *emitter, struct tcplan_scalar scalar);

/** A factor and ` * `; nothing where it is 1. */
void emit_times(const struct emitter *emitter, struct tcplan_scalar scalar);

/** A matrix or vector argument, what is taken first (0), second (1), or the result (2): `, B + 3200
 * * i_c, 8`; and the 8 alone. */
void emit_array(const struct emitter *emitter, const struct emit_call *call, int part);
void emit_part_step(const struct emitter *emitter, const struct emit_call *call, int part);

/** The slice of what the routine takes as its first (part 0) and second operand (1), and of what it
 * writes (2). */
struct tcplan_slice emit_slice(const struct emit_call *call, int part);

/** `cblas_dgemm`. */
void emit_routine(const struct emitter *emitter, const struct emit_call *call);

/** emit_count() less some, and with `, ` in front. */
void emit_count_less(const struct emitter *emitter, const struct emit_call *call, int place,
                     int less);
void emit_next_count(const struct emitter *emitter, const struct emit_call *call, int place);

/** Breaks an argument list: what belongs together stands on one line. */
void emit_break(const struct emitter *emitter);

/** alpha and beta as arguments: complex factors are passed by address, see emit_alpha_setup() and
 * emit_factor_setup(). */
void emit_alpha_argument(const struct emitter *emitter, const struct emit_call *call);
void emit_beta_argument(const struct emitter *emitter, const struct emit_call *call);

/** The statement in front of a call in contracted loops: beta applies to the first visit of the
 * result only. */
void emit_beta_by_visit(const struct emitter *emitter, const struct emit_call *call);

/** alpha times the element that is taken second, as an argument: by value or, where it is complex,
 * by address. The setup is the statement in front of the call that makes it, if there is one. */
void emit_element_setup(const struct emitter *emitter, const struct emit_call *call);
void emit_element_argument(const struct emitter *emitter, const struct emit_call *call);

/** What stands before the loops: alpha where it is complex, and beta where it is the same in all
 * calls; the last one both. */
void emit_alpha_setup(const struct emitter *emitter, const struct emit_call *call);
void emit_beta_setup(const struct emitter *emitter, const struct emit_call *call);
void emit_factor_setup(const struct emitter *emitter, const struct emit_call *call);

/** A statement that calls a CBLAS routine on matrices with so many transpositions and counts:
 * alpha, the factors, beta and the result follow. */
void emit_matrix_call(const struct emitter *emitter, const struct emit_call *call,
                      int transpositions, int counts);

#endif
