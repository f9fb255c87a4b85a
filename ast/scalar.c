#include "ast/scalar.h"

#include <float.h>
#include <math.h>

#include "base/decimal.h"
#include "base/error.h"

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

bool scalar_is(struct tcplan_scalar scalar, double value) {
    return scalar.re == value && scalar.im == 0;
}

enum scalar_class scalar_class_of(struct tcplan_scalar scalar) {
    if (scalar_is(scalar, 0)) return SCALAR_ZERO;
    return scalar_is(scalar, 1) ? SCALAR_ONE : SCALAR_OTHER;
}

void scalar_print(struct strbuf *out, struct tcplan_scalar scalar) {
    if (scalar.im == 0) {
        decimal_print(out, scalar.re);
        return;
    }
    strbuf_add(out, "(");
    decimal_print(out, scalar.re);
    strbuf_add(out, ",");
    decimal_print(out, scalar.im);
    strbuf_add(out, ")");
}

static enum tcplan_status check_scalar(const char *name, struct tcplan_scalar scalar,
                                       enum tcplan_dtype dtype, struct tcplan_error *error) {
    if (scalar.im != 0 && !types[dtype].complex) {
        return error_set(error, TCPLAN_INVALID,
                         "%s has an imaginary part, expected a real factor for the real type '%c'",
                         name, types[dtype].letter);
    }
    if (fabs(scalar.re) > types[dtype].largest || fabs(scalar.im) > types[dtype].largest) {
        return error_set(error, TCPLAN_INVALID, "%s is beyond the largest number of type '%c'",
                         name, types[dtype].letter);
    }
    return TCPLAN_OK;
}

/** Rounds to the nearest number of the type. */
static double rounded(double value, enum tcplan_dtype dtype) {
    const volatile float single = (float)value; /* volatile, because GCC 12 omits the rounding when
                                                   it vectorizes two of these conversions */
    return types[dtype].largest == FLT_MAX ? single : value;
}

struct tcplan_scalar scalar_round(struct tcplan_scalar scalar, enum tcplan_dtype dtype) {
    return (struct tcplan_scalar){.re = rounded(scalar.re, dtype), .im = rounded(scalar.im, dtype)};
}

enum tcplan_status scalar_set(struct tcplan_scalar *out, const char *name,
                              struct tcplan_scalar scalar, enum tcplan_dtype dtype,
                              struct tcplan_error *error) {
    enum tcplan_status status = check_scalar(name, scalar, dtype, error);
    if (status == TCPLAN_OK) *out = scalar_round(scalar, dtype);
    return status;
}

bool scalar_conjugates(bool conjugated, enum tcplan_dtype dtype) {
    return conjugated && tcplan_dtype_is_complex(dtype);
}
