#include "tcplan/problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

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

/** The nearest number of the type. */
static double rounded(double value, enum tcplan_dtype dtype) {
    const volatile float single = (float)value; /* volatile: GCC 12 leaves the rounding out where it vectorizes two of them */
    return types[dtype].largest == FLT_MAX ? single : value;
}

static struct tcplan_scalar round_scalar(struct tcplan_scalar scalar, enum tcplan_dtype dtype) {
    return (struct tcplan_scalar){.re = rounded(scalar.re, dtype), .im = rounded(scalar.im, dtype)};
}

struct tcplan_scalar tcplan_problem_scalar(const struct tcplan_problem *problem, struct tcplan_scalar scalar) {
    return round_scalar(scalar, problem->dtype);
}

static enum tcplan_status set_scalar(struct tcplan_scalar *out, const char *name, struct tcplan_scalar scalar, enum tcplan_dtype dtype,
                                     struct tcplan_error *error) {
    enum tcplan_status status = check_scalar(name, scalar, dtype, error);
    if (status == TCPLAN_OK) *out = round_scalar(scalar, dtype);
    return status;
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

/** One name is one tensor: what is both factors has the same extents in both. The notation has seen to the rank. */
static enum tcplan_status check_factors(const struct tcplan_problem *problem, struct tcplan_error *error) {
    const struct tcplan_contraction *contraction = problem->contraction;
    const struct tcplan_tensor *a = &contraction->tensor[TCPLAN_A], *b = &contraction->tensor[TCPLAN_B];
    if (strcmp(a->name, b->name) != 0) return TCPLAN_OK;
    for (int d = 0; d < a->rank; d++) {
        const long long first = problem->extent[a->dims[d]], second = problem->extent[b->dims[d]];
        if (first == second) continue;
        return error_set(error, TCPLAN_INVALID,
                         "tensor %.40s is both factors, but its dimension %d has extent %lld in one (index '%.40s') and %lld in the other "
                         "(index '%.40s'), expected the same",
                         a->name, d + 1, first, contraction->index[a->dims[d]].name, second, contraction->index[b->dims[d]].name);
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

static double count_flops(const struct tcplan_problem *problem) {
    double flops = types[problem->dtype].complex ? 8 : 2;
    for (int index = 0; index < problem->contraction->index_count; index++) flops *= (double)problem->extent[index];
    return flops;
}

enum tcplan_status tcplan_problem_init(struct tcplan_problem *out, const struct tcplan_contraction *contraction, const int64_t extent[],
                                       enum tcplan_dtype dtype, struct tcplan_error *error) {
    struct tcplan_problem problem = {.contraction = contraction, .dtype = dtype, .element_bytes = types[dtype].bytes};
    enum tcplan_status status = set_scalar(&problem.alpha, "alpha", contraction->alpha, dtype, error);
    if (!status) status = set_scalar(&problem.beta, "beta", contraction->beta, dtype, error);
    if (!status) status = set_extents(&problem, extent, error);
    if (!status) status = check_factors(&problem, error);
    for (int t = 0; t < TCPLAN_OPERANDS && !status; t++) {
        if (!lay_out(&problem, (enum tcplan_operand)t)) status = too_large(&problem, (enum tcplan_operand)t, error);
    }
    if (status) return status;
    problem.flops = count_flops(&problem);
    *out = problem;
    return TCPLAN_OK;
}
