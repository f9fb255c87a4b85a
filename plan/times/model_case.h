/**
 * Which model a kernel's call is of: from the lowered call to the case and sizes of
 * tcplan/models.h, and back; and which one a copy is of.
 *
 * A case has the routine that makes the call, with the names that its arguments have in the BLAS:
 * flags, scalars, increments, those of each in the order of its interface:
 *
 *   ddot   incx incy                               n
 *   daxpy  alpha incx incy                         n
 *   dger   alpha incx incy                         m n
 *   dgemv  trans alpha beta incx incy              m n
 *   dgemm  transA transB alpha beta                m n k
 *   dmul   alpha beta incx incy incz               n
 *
 * (of complex types zdotu or zdotc, zgeru or zgerc). Leading dimensions are in no model. The
 * element that daxpy multiplies with, and alpha with it, is any number. Increments are 1, or, from
 * a line's elements on, `large`. Between these a call touches more lines with every element, from
 * those of 1 to those of large ones: it is of neither case, and its time lies between.
 *
 * A batch of products that are summed up (brgemm) is no routine of its own: it lies between one
 * dgemm of all k, and a dgemm for each product.
 *
 * Copies are in copy_case.h.
 */
#ifndef PLAN_TIMES_MODEL_CASE_H
#define PLAN_TIMES_MODEL_CASE_H

#include "gen/lower/blas_call.h"
#include "tcplan/models.h"

enum {
    MODEL_CASE_LARGE_INCREMENT = 5000
}; /**< that of the samples of `large` ones (Peise 2017, 3.1.4) */

struct model_case {
    char text[TCPLAN_MODEL_TEXT]; /**< in the form of tcplan_model_case_read() */
    int sizes;
    int64_t size[TCPLAN_MODEL_SIZES];
    double increment; /**< 0: the call's case. Else the mean of those of its increments that lie
                         between 1 and a line's elements */
    double line;      /**< how many these are */
};

/** Which case stands for a call that has none of its own. */
struct model_case_choice {
    int64_t line_bytes; /**< of the machine that makes the call */
    bool any_scalars;   /**< alpha and beta that are 1 or -1 count as any number; 0 is never any */
    bool near_as_one; /**< increments between 1 and a line's elements count as 1, otherwise as large
                       */
};

/**
 * The case and the sizes of a call.
 *
 * @return false where no model can be of it: a class that no routine has (brgemm), matrices without
 *         a contiguous dimension, conjugates of what is not transposed
 */
bool model_case_of(struct model_case *out, const struct blas_call *call, enum tcplan_dtype dtype,
                   struct model_case_choice choice);

/** What a case calls an increment above 1, `large`; where it is less than a line's elements that is
 * noted in the case. */
const char *model_case_increment(struct model_case *model_case, double increment,
                                 enum tcplan_dtype dtype, int64_t line_bytes);

/** Whose routine makes a call, as setups of models have it: `openblas`, `libxsmm`, ..., and `own`
 * for what no library has. */
const char *model_case_provider(const struct blas_call *call);

/**
 * A call of a case: dense, of any provider, with scalars of 2 where they are any. Its strides are
 * not set.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID where the case is of no routine that kernels have, or its
 *         arguments are not those of the routine
 */
enum tcplan_status model_case_call(struct blas_call *out, enum tcplan_dtype *dtype,
                                   const struct model_case *model_case, struct tcplan_error *error);

#endif
