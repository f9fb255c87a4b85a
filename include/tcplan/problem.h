/**
 * Problems: a contraction with sizes and an element type, hence with strides, volumes and a cost.
 */
#ifndef TCPLAN_PROBLEM_H
#define TCPLAN_PROBLEM_H

#include "tcplan/contraction.h"

/** Element types, named as in BLAS. */
enum tcplan_dtype { TCPLAN_FLOAT, TCPLAN_DOUBLE, TCPLAN_FLOAT_COMPLEX, TCPLAN_DOUBLE_COMPLEX, TCPLAN_DTYPES };

/** Everything that sizes add to a contraction. A value: copy it freely while the contraction lives. */
struct tcplan_problem {
    const struct tcplan_contraction *contraction; /**< borrowed */
    enum tcplan_dtype dtype;
    size_t element_bytes;
    int64_t extent[TCPLAN_MAX_INDICES];
    /** Of the points of a tile: their number in the last step, which may be smaller. All other indices: the extent. */
    int64_t last_extent[TCPLAN_MAX_INDICES];
    /** Of each index in each tensor: 0 where it is absent; a diagonal's strides add up. */
    int64_t stride_elems[TCPLAN_OPERANDS][TCPLAN_MAX_INDICES];
    int64_t elems[TCPLAN_OPERANDS]; /**< elements of each tensor, at least 1 */
    /**
     * Of the whole contraction: 2 per multiply-add of reals, 8 of complex numbers (dissertation, app. A), and 1 or 2 per addition of the sums over
     * indices in A or B only, which are taken once, before the product.
     */
    double flops;
    double product_flops; /**< those of the product alone */
};

/**
 * Combines a contraction with extents (one per index, see tcplan_sizes_point()) and a type.
 *
 * @param out     receives the problem; untouched on failure
 * @param extent  one extent per index of the contraction
 * @return TCPLAN_OK; TCPLAN_OVERFLOW where a tensor's bytes or a diagonal's stride do not fit an int64_t; TCPLAN_INVALID where alpha or beta
 *         is complex and the type is real, or is beyond the largest number of the type, or an extent is not within 1..2147483647. No
 *         place in a text is marked: there is none.
 */
TCPLAN_API enum tcplan_status tcplan_problem_init(struct tcplan_problem *out, const struct tcplan_contraction *contraction,
                                                  const int64_t extent[], enum tcplan_dtype dtype, struct tcplan_error *error);

/** The BLAS letter of a type: 's', 'd', 'c' or 'z'. */
TCPLAN_API char tcplan_dtype_letter(enum tcplan_dtype dtype);

/** The type with BLAS letter `letter`; false where there is none. */
TCPLAN_API bool tcplan_dtype_from_letter(char letter, enum tcplan_dtype *out);

/** Bytes of one element. */
TCPLAN_API size_t tcplan_dtype_bytes(enum tcplan_dtype dtype);

/** Whether the type is complex. */
TCPLAN_API bool tcplan_dtype_is_complex(enum tcplan_dtype dtype);

#endif
