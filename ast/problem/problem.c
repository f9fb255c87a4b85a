#include "tcplan/problem.h"

#include <stdio.h>
#include <string.h>

#include "ast/contraction/contraction.h"
#include "ast/problem/overlap.h"
#include "ast/scalar.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"

enum { BLAS_INTEGER_MAX = 2147483647 };

struct tcplan_heuristics tcplan_heuristics_default(void) {
    return (struct tcplan_heuristics){
        .far_bytes = 16 << 20, .ahead_bytes = 64 << 10, .ahead_columns = 128};
}

struct tcplan_scalar tcplan_problem_scalar(const struct tcplan_problem *problem,
                                           struct tcplan_scalar scalar) {
    return scalar_round(scalar, problem->dtype);
}

static enum tcplan_status set_extents(struct tcplan_problem *problem, const int64_t extent[],
                                      struct tcplan_error *error) {
    for (int index = 0; index < problem->contraction->index_count; index++) {
        if (extent[index] < 0 || extent[index] > BLAS_INTEGER_MAX) {
            return error_set(error, TCPLAN_INVALID,
                             "index '%.40s' has extent %lld, expected 0 to %d",
                             problem->contraction->index[index].name, (long long)extent[index],
                             BLAS_INTEGER_MAX);
        }
        problem->extent[index] = extent[index];
    }
    return TCPLAN_OK;
}

/** Checks that tensors of the same name have the same extents; the parser has checked their
 * ranks. */
static enum tcplan_status check_pair(const struct tcplan_problem *problem, enum tcplan_operand one,
                                     enum tcplan_operand other, struct tcplan_error *error) {
    const struct tcplan_contraction *contraction = problem->contraction;
    const struct tcplan_tensor *a = &contraction->tensor[one], *b = &contraction->tensor[other];
    if (strcmp(a->name, b->name) != 0) return TCPLAN_OK;
    for (int d = 0; d < a->rank; d++) {
        const long long first = problem->extent[a->dims[d]], second = problem->extent[b->dims[d]];
        if (first == second) continue;
        return error_set(
            error, TCPLAN_INVALID,
            "tensor %.40s is %s, but its dimension %d has extent %lld in one (index '%.40s') and %lld in the other "
            "(index '%.40s'), expected equal extents",
            a->name, other == TCPLAN_ADDEND ? "a factor and is added" : "both factors", d + 1,
            first, contraction->index[a->dims[d]].name, second,
            contraction->index[b->dims[d]].name);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_names(const struct tcplan_problem *problem,
                                      struct tcplan_error *error) {
    enum tcplan_status status = check_pair(problem, TCPLAN_A, TCPLAN_B, error);
    for (enum tcplan_operand t = TCPLAN_A; t <= TCPLAN_B && status == TCPLAN_OK; t++) {
        if (tcplan_contraction_has_addend(problem->contraction))
            status = check_pair(problem, t, TCPLAN_ADDEND, error);
    }
    return status;
}

/** Rejects a tensor with a message: "tensor C has 3*4*5 elements of 8 bytes: ...". */
static enum tcplan_status too_large(const struct tcplan_problem *problem,
                                    enum tcplan_operand operand, struct tcplan_error *error) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    char product[160] = "";
    size_t length = 0;
    for (int d = 0; d < tensor->rank && length < sizeof product; d++) {
        length += (size_t)snprintf(product + length, sizeof product - length, "%s%lld",
                                   d > 0 ? "*" : "", (long long)problem->extent[tensor->dims[d]]);
    }
    return error_set(
        error, TCPLAN_OVERFLOW,
        "tensor %.40s has %s%s elements of %zu bytes: its bytes or strides exceed %lld",
        tensor->name, product, length < sizeof product ? "" : "...", problem->element_bytes,
        (long long)INT64_MAX);
}

/** Sets the strides of a tensor's indices as if no extent were 0; returns false on overflow. */
static bool set_strides(struct tcplan_problem *problem, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    int64_t elems = 1;
    for (int d = 0; d < tensor->rank; d++) {
        const int index = tensor->strided ? tensor->dims[d] : tensor->nearest[d];
        int64_t *stride = &problem->stride_elems[operand][index];
        if (!checked_add_i64(*stride, tensor->strided ? tensor->stride[d] : elems, stride))
            return false;
        const int64_t extent = problem->extent[index];
        if (!tensor->strided && !checked_mul_i64(elems, extent > 0 ? extent : 1, &elems))
            return false;
    }
    return true;
}

static bool has_extent_of_0(const struct tcplan_problem *problem, uint64_t indices) {
    for (uint64_t rest = indices; rest; rest &= rest - 1) {
        if (problem->extent[indexset_first(rest)] == 0) return true;
    }
    return false;
}

/** Sets the memory span of a tensor and the position of its element 0 within it; returns false
 * on overflow. */
static bool set_span(struct tcplan_problem *problem, enum tcplan_operand operand) {
    int64_t *elems = &problem->elems[operand], bytes;
    *elems = has_extent_of_0(problem, problem->contraction->tensor[operand].indices) ? 0 : 1;
    if (*elems == 0) return true;
    for (uint64_t rest = problem->contraction->tensor[operand].indices; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const int64_t stride = problem->stride_elems[operand][index];
        int64_t reach;
        /* the position one stride after the end must also fit, in bytes */
        if (!checked_mul_i64(stride, problem->extent[index], &reach)) return false;
        if (!checked_mul_i64(reach, (int64_t)problem->element_bytes, &bytes) || bytes == INT64_MIN)
            return false;
        reach -= stride;
        if (!checked_add_i64(*elems, reach < 0 ? -reach : reach, elems)) return false;
        problem->first_elems[operand] -= reach < 0 ? reach : 0;
    }
    return checked_mul_i64(*elems, (int64_t)problem->element_bytes, &bytes);
}

static double points_of(const struct tcplan_problem *problem, uint64_t indices) {
    double points = 1;
    for (uint64_t rest = indices; rest; rest &= rest - 1)
        points *= (double)problem->extent[indexset_first(rest)];
    return points;
}

/** Prints an element of the result as "C[0,2]"; `sign` selects the positive or negative part of
 * an index difference. */
static void print_element(char *out, size_t size, const struct tcplan_tensor *tensor,
                          const int64_t difference[], int sign) {
    size_t length = (size_t)snprintf(out, size, "%.40s[", tensor->name);
    for (int d = 0; d < tensor->rank && length < size; d++) {
        const int64_t own = sign * difference[tensor->dims[d]];
        length += (size_t)snprintf(out + length, size - length, "%s%lld", d > 0 ? "," : "",
                                   (long long)(own > 0 ? own : 0));
    }
    if (length < size) snprintf(out + length, size - length, "]");
}

static enum tcplan_status refuse_overlap(const struct tcplan_tensor *tensor,
                                         const int64_t difference[], struct tcplan_error *error) {
    char one[96], other[96];
    print_element(one, sizeof one, tensor, difference, 1);
    print_element(other, sizeof other, tensor, difference, -1);
    return error_set(
        error, TCPLAN_INVALID,
        "%s and %s have the same address: elements of the result must not coincide (indices are counted from 0)",
        one, other);
}

/** Rejects strides with which two elements of the result coincide. */
static enum tcplan_status check_overlap(const struct tcplan_problem *problem,
                                        struct tcplan_error *error) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[TCPLAN_C];
    struct overlap_dimensions dimensions = {0};
    int64_t difference[TCPLAN_MAX_INDICES], of_index[TCPLAN_MAX_INDICES] = {0};
    int index[TCPLAN_MAX_INDICES];
    if (!tensor->strided || problem->elems[TCPLAN_C] == 0) return TCPLAN_OK;
    for (uint64_t rest = tensor->indices; rest; rest &= rest - 1) {
        const int d = dimensions.count++;
        index[d] = indexset_first(rest);
        dimensions.extent[d] = problem->extent[index[d]];
        dimensions.stride[d] = problem->stride_elems[TCPLAN_C][index[d]];
    }
    const enum overlap overlap = overlap_of(&dimensions, difference);
    for (int d = 0; d < dimensions.count; d++) of_index[index[d]] = difference[d];
    if (overlap == OVERLAP_FOUND) return refuse_overlap(tensor, of_index, error);
    if (overlap == OVERLAP_NONE) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "it takes too long to decide whether elements of the result %.40s coincide: expected each stride to exceed the span of the dimensions with "
        "smaller strides",
        tensor->name);
}

static bool lay_out(struct tcplan_problem *problem, enum tcplan_operand operand) {
    return set_strides(problem, operand) && set_span(problem, operand);
}

static void count_flops(struct tcplan_problem *problem) {
    const bool complex = tcplan_dtype_is_complex(problem->dtype);
    if (tcplan_problem_only_scales(problem)) return;
    problem->product_flops =
        (complex ? 8 : 2) * points_of(problem, contraction_run(problem->contraction));
    problem->flops = problem->product_flops;
    for (int t = TCPLAN_A; t <= TCPLAN_B; t++) {
        const uint64_t indices = problem->contraction->tensor[t].indices;
        const uint64_t summed = contraction_summed(problem->contraction, (enum tcplan_operand)t);
        problem->flops += (complex ? 2 : 1) *
                          (points_of(problem, indices) - points_of(problem, indices & ~summed));
    }
}

enum tcplan_status tcplan_problem_init(struct tcplan_problem *out,
                                       const struct tcplan_contraction *contraction,
                                       const int64_t extent[], enum tcplan_dtype dtype,
                                       struct tcplan_error *error) {
    struct tcplan_problem problem = {.contraction = contraction,
                                     .dtype = dtype,
                                     .element_bytes = tcplan_dtype_bytes(dtype),
                                     .heuristics = tcplan_heuristics_default()};
    enum tcplan_status status =
        scalar_set(&problem.alpha, "alpha", contraction->alpha, dtype, error);
    if (!status) status = scalar_set(&problem.beta, "beta", contraction->beta, dtype, error);
    if (!status) status = set_extents(&problem, extent, error);
    if (!status) status = check_names(&problem, error);
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = contraction_tensors(contraction, tensor);
    for (int t = 0; t < count && !status; t++) {
        if (!lay_out(&problem, tensor[t])) status = too_large(&problem, tensor[t], error);
    }
    if (!status) status = check_overlap(&problem, error);
    if (status) return status;
    count_flops(&problem);
    *out = problem;
    return TCPLAN_OK;
}

void tcplan_contraction_fit_type(struct tcplan_contraction *contraction, enum tcplan_dtype dtype) {
    for (int t = 0; t < TCPLAN_TENSORS && !tcplan_dtype_is_complex(dtype); t++)
        contraction->tensor[t].conjugated = false;
}

bool tcplan_problem_only_scales(const struct tcplan_problem *problem) {
    const struct tcplan_tensor *tensor = problem->contraction->tensor;
    const uint64_t indices =
        tensor[TCPLAN_A].indices | tensor[TCPLAN_B].indices; /* the result has no other indices */
    if (scalar_is(problem->alpha, 0)) return true;
    return has_extent_of_0(problem, indices);
}

double tcplan_problem_own_elems(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    return points_of(problem, tensor->indices & ~tensor->still);
}
