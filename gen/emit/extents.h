/**
 * Functions with extents as arguments (takes_extents of struct emitter): `n_a` is the extent of
 * index a; within a step of a tile, `w_a` is the extent of that step. Fixed extents are replaced
 * by expressions of these variables, and strides become arguments for strided tensors
 * (gen/emit/strides.h).
 */
#ifndef GEN_EMIT_EXTENTS_H
#define GEN_EMIT_EXTENTS_H

#include "gen/emit/parts.h"

/** Adds `int64_t n_a, int64_t n_i, `: one for each index, in the order of the formula. */
void emit_extent_parameters(struct strbuf *out, const struct emitter *emitter);

/** Prints the number of values of an index: `n_a`; within a tile `w_a`; for summed steps `(n_a < 8
 * ? n_a : 8)`. */
void emit_points(const struct emitter *emitter, int index);

/** Prints the extent of an index: its number of values or, for the steps of a tile, the number of
 * steps: `((n_a + 7) / 8)`. */
void emit_given_extent(const struct emitter *emitter, int index);

/** Prints `const int64_t w_a = ...;`, the extent of the present step of a tile. */
void emit_width(const struct emitter *emitter, int steps);

/** Prints the stride of an index in a slice, `n_a * n_b`; prints nothing and returns false if it
 * is 1. */
bool emit_given_stride(const struct emitter *emitter, struct tcplan_slice slice, int index);

/** Adds the number of elements of a temporary: `8 * n_i`. */
void emit_given_elems(const struct emitter *emitter, enum tcplan_operand operand);

/** Adds `if (n_a < 0) return EINVAL;` for all extents. */
void emit_sign_check(const struct emitter *emitter);

/** Emits the first statements of the function. They return if an extent is 0, after C := beta C if
 * `scale` is set, or if an argument of the kernel exceeds an int. */
void emit_extent_checks(struct emitter *emitter, const struct emit_call *call,
                        void (*scale)(struct emitter *emitter));

/** Prints the leading dimension or the increment of an operand (part 0: first, 1: second, 2:
 * result). */
void emit_given_step(const struct emitter *emitter, const struct emit_call *call, int part);

/** Returns whether emit_given_step() prints 1 for all extents. */
bool emit_step_is_1(const struct emitter *emitter, const struct emit_call *call, int part);

/** Adds the product of a group's extents: `n_a * w_b`. */
void emit_given_count(const struct emitter *emitter, const struct tcplan_group *group);

/**
 * Add a limit at the beginning of a function, `if (... > most) return EINVAL;`, for the product of
 * the extents in a role, or for a leading dimension or increment. Each limit is added once, and
 * only if it depends on the arguments.
 */
void emit_extent_limit(const struct emitter *emitter, const struct tcplan_group *group, int most);
void emit_step_limit(const struct emitter *emitter, const struct emit_call *call, int part,
                     int most);

#endif
