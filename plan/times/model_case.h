/**
 * Maps a kernel's call to the case and sizes of a performance model (tcplan/models.h), and back.
 *
 * A case names the routine and its arguments as in the BLAS: flags, scalars and increments, in the
 * order of the interface:
 *
 *   ddot   incx incy                               n
 *   daxpy  alpha incx incy                         n
 *   dger   alpha incx incy                         m n
 *   dgemv  trans alpha beta incx incy              m n
 *   dgemm  transA transB alpha beta                m n k
 *   dmul   alpha beta incx incy incz               n
 *
 * (for complex types zdotu or zdotc, zgeru or zgerc). No model depends on leading dimensions. The
 * alpha of daxpy, and the element that it multiplies, are any number. Increments are 1, or `large`
 * if they reach a cache line. A call with an increment in between belongs to neither case: its time
 * lies between theirs.
 *
 * A batch of summed products (brgemm) has no case: its time lies between one dgemm of all k and one
 * dgemm per product.
 *
 * Copies are in copy_case.h.
 */
#ifndef PLAN_TIMES_MODEL_CASE_H
#define PLAN_TIMES_MODEL_CASE_H

#include "gen/lower/blas_call.h"
#include "tcplan/models.h"

enum {
    MODEL_CASE_LARGE_INCREMENT = 5000
}; /**< increment in samples of `large` cases (Peise 2017, 3.1.4) */

struct model_case {
    char text[TCPLAN_MODEL_TEXT]; /**< case as text for tcplan_model_case_read() */
    int sizes;
    int64_t size[TCPLAN_MODEL_SIZES];
    double increment; /**< mean of those increments that are between 1 and a cache line, if the case
                         replaces them; 0: the case fits exactly */
    double line;      /**< number of elements in a cache line */
};

/** How to choose the case for a call that fits no case exactly. */
struct model_case_choice {
    int64_t line_bytes; /**< bytes of a cache line */
    bool any_scalars; /**< whether alpha and beta of 1 or -1 count as any other number; 0 never does
                       */
    bool near_as_one; /**< whether increments between 1 and a cache line count as 1; otherwise they
                         count as `large` */
};

/**
 * Finds the case and the sizes of a call.
 *
 * @return false if no model applies: no routine (brgemm), matrices without a contiguous dimension,
 *         or conjugates that are not transposed
 */
bool model_case_of(struct model_case *out, const struct blas_call *call, enum tcplan_dtype dtype,
                   struct model_case_choice choice);

/** Returns the name of an increment above 1 in a case, which is `large`. If the increment is
 * below a cache line, records it in the case. */
const char *model_case_increment(struct model_case *model_case, double increment,
                                 enum tcplan_dtype dtype, int64_t line_bytes);

/** Returns the library of a call as in set-ups of models: `openblas`, `libxsmm`, ..., or `own`
 * for kernels of no library. */
const char *model_case_provider(const struct blas_call *call);

/**
 * Makes a dense call of a case, with scalars of 2 where the case allows any. Strides are not set.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if no kernel has the routine, or the arguments are not the
 *         routine's
 */
enum tcplan_status model_case_call(struct blas_call *out, enum tcplan_dtype *dtype,
                                   const struct model_case *model_case, struct tcplan_error *error);

#endif
