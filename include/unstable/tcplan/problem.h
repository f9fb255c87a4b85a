/**
 * Problems: a contraction with sizes and an element type, which determine strides, volumes and
 * cost.
 */
#ifndef TCPLAN_PROBLEM_H
#define TCPLAN_PROBLEM_H

#include "tcplan/contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Machine-dependent thresholds for running a nest, part of the machine's description
 * (tcplan/machine.h). They decide whether a copy of a factor uses non-temporal stores, and whether
 * calls of libxsmm prefetch the first factor of the next call. The printer, XML, emitted C,
 * execution and analysis all apply them.
 */
struct tcplan_heuristics {
    int64_t far_bytes;   /**< a copy of a factor into a temporary of more bytes than this uses
                            non-temporal stores, because such a temporary exceeds a core's share of
                            the last cache */
    int64_t ahead_bytes; /**< a first factor of more bytes than this is not prefetched if the result
                            has at least `ahead_columns` columns */
    int64_t ahead_columns; /**< see `ahead_bytes`: with many columns, the first factor would be
                              prefetched again every few columns, and processors prefetch long
                              columns themselves */
};

/**
 * Returns the defaults: 16 MiB, 64 KiB and 128, measured with bench_copies and bench_sums
 * (docs/algorithms.md, docs/providers.md). If the last cache of a machine is smaller than 16 MiB,
 * tcplan_machine_load() sets `far_bytes` to its size.
 */
TCPLAN_API struct tcplan_heuristics tcplan_heuristics_default(void);

/* Deprecated: names in 0.1.0. */
#define tcplan_tactics tcplan_heuristics
#define tcplan_tactics_usual tcplan_heuristics_default

/** A contraction with extents and a type, and the numbers that follow from them. A value: copy it
 * freely while the contraction lives. */
struct tcplan_problem {
    const struct tcplan_contraction *contraction; /**< the contraction, borrowed */
    enum tcplan_dtype dtype;
    size_t element_bytes;
    struct tcplan_scalar alpha; /**< alpha of the contraction, rounded to the type: the value that
                                   every algorithm uses */
    struct tcplan_scalar beta;
    int64_t extent[TCPLAN_MAX_INDICES];
    /** Stride of each index in each tensor, in elements; 0 if the tensor lacks the index. The
     * stride of a diagonal is the sum of the strides of its dimensions. Strides of strided tensors
     * may have either sign, or be 0. */
    int64_t stride_elems[TCPLAN_TENSORS][TCPLAN_MAX_INDICES];
    /** For each tensor: elements from the lowest to the highest address, both included; 0 if one of
     * its indices has extent 0, or there is no addend. */
    int64_t elems[TCPLAN_TENSORS];
    /** For each tensor: elements from the lowest address to the element whose indices are all 0, to
     * which pointers point; 0 without negative strides. */
    int64_t first_elems[TCPLAN_TENSORS];
    /**
     * Floating-point operations of the whole contraction: 2 per real and 8 per complex
     * multiply-add (dissertation, app. A), plus 1 per real or 2 per complex addition in sums over
     * indices in A or B only, which are computed once, before the product; 0 if there is nothing
     * to multiply.
     */
    double flops;
    double product_flops; /**< operations of the product alone, without the sums over indices in A
                             or B only */
    struct tcplan_heuristics heuristics; /**< heuristics of the target machine; the defaults unless
                                            set */
};

/**
 * Combines a contraction with extents (one per index, see tcplan_sizes_point()) and a type, to
 * which alpha and beta are rounded. If alpha is then 0, no algorithm reads A or B; if beta is 0,
 * none reads C. Their NaNs therefore do not reach the result.
 *
 * @param out     receives the problem; untouched on failure
 * @param extent  one extent per index of the contraction, 0 or more
 * @return TCPLAN_OK; TCPLAN_OVERFLOW if a tensor's bytes or a stride do not fit an int64_t;
 *         TCPLAN_INVALID if alpha or beta is complex and the type is real, or exceeds the range of
 *         the type; if an extent is outside 0..2147483647; if a tensor that occurs twice has
 *         different extents. It is also returned if two elements of the result coincide (the
 *         message names both), or if checking that would take too long. `error` marks no place,
 *         because there is no text.
 */
TCPLAN_API enum tcplan_status tcplan_problem_init(struct tcplan_problem *out,
                                                  const struct tcplan_contraction *contraction,
                                                  const int64_t extent[], enum tcplan_dtype dtype,
                                                  struct tcplan_error *error);

/** Clears the conjugation flags of a contraction if the type is real. Call this before making
 * anything from the contraction. */
TCPLAN_API void tcplan_contraction_fit_type(struct tcplan_contraction *contraction,
                                            enum tcplan_dtype dtype);

/**
 * Returns whether there is nothing to multiply: alpha is 0, or an index has extent 0. With every
 * algorithm, the result is then multiplied by beta (zeroed if beta is 0), or set to beta times the
 * addend; A and B are not read, and an empty result is not touched.
 */
TCPLAN_API bool tcplan_problem_only_scales(const struct tcplan_problem *problem);

/** Returns a factor rounded to the type of the problem, as every algorithm uses it. */
TCPLAN_API struct tcplan_scalar tcplan_problem_scalar(const struct tcplan_problem *problem,
                                                      struct tcplan_scalar scalar);

/** Returns the number of different elements of a tensor that the contraction uses. Elements outside
 * a diagonal, and those between the elements of a tensor with strides, do not count. Elements that
 * coincide because of a stride of 0 count once. */
TCPLAN_API double tcplan_problem_own_elems(const struct tcplan_problem *problem,
                                           enum tcplan_operand operand);

/** Returns the BLAS letter of a type: 's', 'd', 'c' or 'z'. */
TCPLAN_API char tcplan_dtype_letter(enum tcplan_dtype dtype);

/** Finds the type with BLAS letter `letter`; returns false if there is none. */
TCPLAN_API bool tcplan_dtype_from_letter(char letter, enum tcplan_dtype *out);

/** Returns the bytes of one element. */
TCPLAN_API size_t tcplan_dtype_bytes(enum tcplan_dtype dtype);

/** Returns whether the type is complex. */
TCPLAN_API bool tcplan_dtype_is_complex(enum tcplan_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
