#include "tcplan/problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "ast/algorithm.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"

enum { BLAS_INTEGER_MAX = 2147483647 };

static const struct {
    char letter;
    size_t bytes;
    bool complex;
    double largest;
} types[TCPLAN_DTYPES] = {
    [TCPLAN_FLOAT] = {'s', 4, false, FLT_MAX},
    [TCPLAN_DOUBLE] = {'d', 8, false, DBL_MAX},
    [TCPLAN_FLOAT_COMPLEX] = {'c', 8, true, FLT_MAX},
    [TCPLAN_DOUBLE_COMPLEX] = {'z', 16, true, DBL_MAX},
};

char tcplan_dtype_letter(enum tcplan_dtype dtype) {
    return types[dtype].letter;
}

bool tcplan_dtype_from_letter(char letter, enum tcplan_dtype *out) {
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        if (types[dtype].letter != letter) continue;
        *out = (enum tcplan_dtype)dtype;
        return true;
    }
    return false;
}

size_t tcplan_dtype_bytes(enum tcplan_dtype dtype) {
    return types[dtype].bytes;
}

bool tcplan_dtype_is_complex(enum tcplan_dtype dtype) {
    return types[dtype].complex;
}

static enum tcplan_status check_scalar(const char *name, struct tcplan_scalar scalar, enum tcplan_dtype dtype, struct tcplan_error *error) {
    if (scalar.im != 0 && !types[dtype].complex) {
        return error_set(error, TCPLAN_INVALID, "%s has an imaginary part, expected a real factor for the real type '%c'", name,
                         types[dtype].letter);
    }
    if (fabs(scalar.re) > types[dtype].largest || fabs(scalar.im) > types[dtype].largest) {
        return error_set(error, TCPLAN_INVALID, "%s is beyond the largest number of type '%c'", name, types[dtype].letter);
    }
    return TCPLAN_OK;
}

static enum tcplan_status set_extents(struct tcplan_problem *problem, const int64_t extent[], struct tcplan_error *error) {
    for (int index = 0; index < problem->contraction->index_count; index++) {
        if (extent[index] < 1 || extent[index] > BLAS_INTEGER_MAX) {
            return error_set(error, TCPLAN_INVALID, "index '%.40s' has extent %lld, expected 1 to %d",
                             problem->contraction->index[index].name, (long long)extent[index], BLAS_INTEGER_MAX);
        }
        problem->extent[index] = problem->last_extent[index] = extent[index];
    }
    return TCPLAN_OK;
}

/** "tensor C has 3*4*5 elements of 8 bytes: ..." */
static enum tcplan_status too_large(const struct tcplan_problem *problem, enum tcplan_operand operand, struct tcplan_error *error) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    char product[160] = "";
    size_t length = 0;
    for (int d = 0; d < tensor->rank && length < sizeof product; d++) {
        length += (size_t)snprintf(product + length, sizeof product - length, "%s%lld", d > 0 ? "*" : "",
                                   (long long)problem->extent[tensor->dims[d]]);
    }
    return error_set(error, TCPLAN_OVERFLOW, "tensor %.40s has %s%s elements of %zu bytes: its bytes or strides exceed %lld", tensor->name,
                     product, length < sizeof product ? "" : "...", problem->element_bytes, (long long)INT64_MAX);
}

/** Lays a tensor out densely; false where a number does not fit. */
static bool lay_out(struct tcplan_problem *problem, enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    int64_t *elems = &problem->elems[operand], bytes;
    *elems = 1;
    for (int d = 0; d < tensor->rank; d++) {
        int index = tensor->dims[problem->contraction->order == TCPLAN_COLUMN_MAJOR ? d : tensor->rank - 1 - d];
        int64_t *stride = &problem->stride_elems[operand][index];
        if (!checked_add_i64(*stride, *elems, stride)) return false;
        if (!checked_mul_i64(*elems, problem->extent[index], elems)) return false;
    }
    return checked_mul_i64(*elems, (int64_t)problem->element_bytes, &bytes);
}

static double points_of(const struct tcplan_problem *problem, uint64_t indices) {
    double points = 1;
    for (uint64_t rest = indices; rest; rest &= rest - 1) points *= (double)problem->extent[indexset_first(rest)];
    return points;
}

static void count_flops(struct tcplan_problem *problem) {
    const bool complex = types[problem->dtype].complex;
    problem->product_flops = (complex ? 8 : 2) * points_of(problem, contraction_run(problem->contraction));
    problem->flops = problem->product_flops;
    for (int t = TCPLAN_A; t <= TCPLAN_B; t++) {
        const uint64_t indices = problem->contraction->tensor[t].indices;
        const uint64_t summed = contraction_summed(problem->contraction, (enum tcplan_operand)t);
        problem->flops += (complex ? 2 : 1) * (points_of(problem, indices) - points_of(problem, indices & ~summed));
    }
}

enum tcplan_status tcplan_problem_init(struct tcplan_problem *out, const struct tcplan_contraction *contraction, const int64_t extent[],
                                       enum tcplan_dtype dtype, struct tcplan_error *error) {
    struct tcplan_problem problem = {.contraction = contraction, .dtype = dtype, .element_bytes = types[dtype].bytes};
    enum tcplan_status status = check_scalar("alpha", contraction->alpha, dtype, error);
    if (!status) status = check_scalar("beta", contraction->beta, dtype, error);
    if (!status) status = set_extents(&problem, extent, error);
    for (int t = 0; t < TCPLAN_OPERANDS && !status; t++) {
        if (!lay_out(&problem, (enum tcplan_operand)t)) status = too_large(&problem, (enum tcplan_operand)t, error);
    }
    if (status) return status;
    count_flops(&problem);
    *out = problem;
    return TCPLAN_OK;
}
