/**
 * Functions with strides as arguments, if extents are arguments and a tensor is strided:
 * `strides_A[1]` is the stride of A's second dimension. Strides act as leading dimensions: positive
 * and, in the planned order, large enough for the dimensions within. A stride planned as 1 is 1 in
 * every call.
 */
#ifndef GEN_EMIT_STRIDES_H
#define GEN_EMIT_STRIDES_H

#include "gen/emit/parts.h"

/** Returns whether the function takes the strides of a tensor. */
bool emit_takes_strides(const struct emitter *emitter, enum tcplan_operand operand);

/** Adds `strides_A`. */
void emit_strides_name(struct strbuf *out, const struct emitter *emitter,
                       enum tcplan_operand operand);

/** Adds `, const int64_t *strides_A` after the tensor; nothing if it is dense. */
void emit_strides_parameter(struct strbuf *out, const struct emitter *emitter,
                            enum tcplan_operand operand);

/** Returns whether a dimension has stride 1 in all calls, because its planned stride is 1. */
bool emit_stride_is_1(const struct tcplan_tensor *tensor, int dimension);

/** Lists the dimensions of a tensor by increasing strides; equal strides stay in storage order. */
void emit_sort_dimensions(int out[TCPLAN_MAX_RANK], const struct tcplan_tensor *tensor,
                          enum tcplan_order order);

/** Prints a stride, `strides_A[1]`, or 1 if it is 1 in all calls. */
void emit_dimension_stride(struct strbuf *out, const struct emitter *emitter,
                           enum tcplan_operand operand, int dimension);

/** Checks the planned strides: TCPLAN_NOT_APPLICABLE if they are not like leading dimensions, so
 * that they cannot be arguments. */
enum tcplan_status emit_check_strides(const struct tcplan_problem *problem,
                                      struct tcplan_error *error);

/** Adds `if (strides_A[1] < n_a ...) return EINVAL;` for all strided tensors. */
void emit_stride_checks(const struct emitter *emitter);

/** Emits the checks that the indices which a call fuses are contiguous with each other. */
void emit_fused_checks(const struct emitter *emitter, const struct emit_call *call);

/** Returns whether the function needs the checks of emit_fused_checks(). */
bool emit_has_fused(const struct emitter *emitter);

/** Sets a tensor's strides for smaller extents. Dimensions that were contiguous with each other
 * stay so; any other gets a gap. */
void emit_smaller_strides(int64_t out[TCPLAN_MAX_RANK], const struct tcplan_problem *problem,
                          enum tcplan_operand operand, const int64_t extent[]);

#endif
