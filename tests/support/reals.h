/** Arrays of real numbers with the precision of a type: a complex element is two numbers. */
#ifndef SUPPORT_REALS_H
#define SUPPORT_REALS_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/types.h"

static inline bool is_single(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
}

static inline double number_of(const void *numbers, enum tcplan_dtype dtype, int64_t at) {
    return is_single(dtype) ? (double)((const float *)numbers)[at] : ((const double *)numbers)[at];
}

static inline void set_number(void *numbers, enum tcplan_dtype dtype, int64_t at, double value) {
    if (is_single(dtype)) {
        ((float *)numbers)[at] = (float)value;
    } else {
        ((double *)numbers)[at] = value;
    }
}

#endif
