/**
 * Products: what is multiplied with what, with extents, strides and a type.
 *
 *   D := alpha * A * B + beta * C, summed over every index that D lacks
 *
 * where C is D itself unless it is a tensor of its own. An index in A and B only is contracted, one
 * in A or B only is summed over, one in all three is a batch index, one twice in a tensor takes its
 * diagonal. Refused: an index in D only, a C without an index of D or with another one, extents of
 * one index that differ, strides by which two elements of D coincide.
 *
 * Pointers to a tensor, wherever something is executed, are to the element whose indices are all 0.
 * Extents are 0 to 2147483647; strides count elements and may be negative, of A and B also 0. An
 * index set of more than 64 indices is refused, and so is a tensor of more than 64 dimensions.
 *
 * A product is immutable once made and holds copies of all that it was made from; several threads
 * may read it at once. A plan copies what it needs of it.
 */
#ifndef TCPLAN_PRODUCT_H
#define TCPLAN_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/status.h"
#include "tcplan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_product;

/**
 * Makes a product from text.
 *
 * @param out       receives the product, to be freed with tcplan_product_free(); untouched on
 *                  failure
 * @param notation  `C_abc=A_ai*B_ibc`, `C[row,col]=A[row,k]*B[k,col]`, `D_ab=0.5*A_ai*B_ib+2*C_ba`
 *                  or einsum, `ai,ibc->abc`: docs/notation.md. Its factors are what alpha and beta
 *                  are unless an execution gives others
 * @param sizes     the extent of every index once: `a=b=c=400,i=8`; NULL: there is no index
 * @param strides   NULL: all tensors are dense; else `A=1,400;C=800,2`, elements from one to the
 *                  next along each dimension
 * @param order     which dimension of a dense tensor is contiguous
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the offending text, and its message says which
 *         of the texts where that is not the notation), TCPLAN_OVERFLOW (bytes or strides do not
 *         fit), TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_product_parse(struct tcplan_product **out,
                                                   const char *notation, const char *sizes,
                                                   const char *strides, enum tcplan_dtype dtype,
                                                   enum tcplan_order order,
                                                   struct tcplan_error *error);

/** A tensor by lists: dimension d runs over the index label[d], has extent[d] elements, stride[d]
 * elements apart. Zero-initialised it is a scalar. */
struct tcplan_dimensions {
    int rank;              /**< how many dimensions; 0: a scalar, and the lists may be NULL */
    const int64_t *label;  /**< any numbers: equal ones mean one index */
    const int64_t *extent; /**< elements along each dimension */
    const int64_t *stride; /**< in elements; NULL: dense, in the order of the product */
    /**
     * A, B, C: the conjugate is taken. D: D becomes the conjugate of the whole right-hand side,
     * with alpha and beta, those of executions included. Real types are left as they are.
     */
    bool conjugated;
};

/**
 * Makes a product from lists of indices, as programs have them. alpha is 1, and beta is 1 where
 * there is a C and 0 where there is none, unless an execution gives others.
 *
 * @param out    receives the product, to be freed with tcplan_product_free(); untouched on failure
 * @param C      the same indices as D, in any order; NULL: what beta is applied to is D itself
 * @param order  of what has no strides
 * @return TCPLAN_OK; TCPLAN_INVALID (the message names the tensor and the label), TCPLAN_OVERFLOW,
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_product_make(struct tcplan_product **out,
                                                  const struct tcplan_dimensions *A,
                                                  const struct tcplan_dimensions *B,
                                                  const struct tcplan_dimensions *C,
                                                  const struct tcplan_dimensions *D,
                                                  enum tcplan_dtype dtype, enum tcplan_order order,
                                                  struct tcplan_error *error);

/**
 * Makes a product from einsum and the shapes of arrays, as numpy has them: ellipsis and implicit
 * output included. alpha is 1 and beta 0 unless an execution gives others.
 *
 * @param out         receives the product, to be freed with tcplan_product_free(); untouched on
 *                    failure
 * @param subscripts  `ai,ibc->abc`, `...ij,...jk`, `ij,jk`
 * @param A           its rank, extents, strides and conjugation; labels are ignored
 * @param B           likewise
 * @param stride_D    one for each dimension of the result; NULL: it is dense. Its shape:
 *                    tcplan_product_shape() of a product that was made with NULL
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the subscripts where they are to blame),
 *         TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_product_einsum(
    struct tcplan_product **out, const char *subscripts, const struct tcplan_dimensions *A,
    const struct tcplan_dimensions *B, const int64_t stride_D[], enum tcplan_dtype dtype,
    enum tcplan_order order, struct tcplan_error *error);

/** The canonical notation, which parses back to an equal product: a string to be freed with free();
 * NULL when memory is out. */
TCPLAN_API char *tcplan_product_text(const struct tcplan_product *product);

/** Its sizes as tcplan_product_parse() reads them, `a=3,b=4`: a string to be freed with free(),
 * empty where there is no index; NULL when memory is out. */
TCPLAN_API char *tcplan_product_sizes(const struct tcplan_product *product);

/** Its strides as tcplan_product_parse() reads them: a string to be freed with free(), empty where
 * all tensors are dense; NULL when memory is out. */
TCPLAN_API char *tcplan_product_strides(const struct tcplan_product *product);

/** The type of its elements, and of alpha and beta. */
TCPLAN_API enum tcplan_dtype tcplan_product_dtype(const struct tcplan_product *product);

/** Which dimension of its dense tensors is contiguous. */
TCPLAN_API enum tcplan_order tcplan_product_order(const struct tcplan_product *product);

/** Whether what beta is applied to is a tensor of its own, TCPLAN_ADDEND. */
TCPLAN_API bool tcplan_product_has_addend(const struct tcplan_product *product);

/**
 * Floating-point operations of one execution: 2 per multiply-add of real numbers, 8 of complex
 * ones, and 1 or 2 per addition of sums over indices in A or B only; 0 where there is nothing to
 * multiply.
 */
TCPLAN_API double tcplan_product_flops(const struct tcplan_product *product);

/**
 * The number of dimensions of a tensor: TCPLAN_A, TCPLAN_B, TCPLAN_RESULT, TCPLAN_ADDEND; -1 where
 * there is no such tensor. einsum leaves dimensions of extent 1 out that an ellipsis matches with
 * larger ones.
 */
TCPLAN_API int tcplan_product_rank(const struct tcplan_product *product,
                                   enum tcplan_operand operand);

/**
 * The shape of a tensor.
 *
 * @param extent  receives as many numbers as tcplan_product_rank() says; NULL: not wanted
 * @param stride  likewise, in elements
 * @return TCPLAN_OK; TCPLAN_INVALID where there is no such tensor
 */
TCPLAN_API enum tcplan_status tcplan_product_shape(const struct tcplan_product *product,
                                                   enum tcplan_operand operand, int64_t extent[],
                                                   int64_t stride[]);

/**
 * The memory that a tensor spans, in elements.
 *
 * @param first  receives how many lie before the element whose indices are all 0, where pointers to
 *               the tensor are to: 0 without negative strides; NULL: not wanted
 * @return from the lowest address to the highest one, both counted; 0 where an extent is 0, or
 *         there is no such tensor
 */
TCPLAN_API int64_t tcplan_product_span(const struct tcplan_product *product,
                                       enum tcplan_operand operand, int64_t *first);

/** Frees a product; NULL is fine. Plans made of it stay. */
TCPLAN_API void tcplan_product_free(struct tcplan_product *product);

#ifdef __cplusplus
}
#endif

#endif
