/**
 * Defines products: two tensors to multiply, with extents, strides and a type.
 *
 *   D := alpha * A * B + beta * C, summed over every index that D lacks
 *
 * C is D itself unless it is a tensor of its own. An index in A and B only is contracted; one in A
 * or B only is summed over; one in all three is a batch index; one that occurs twice in a tensor
 * takes its diagonal. Refused are an index in D only, a C whose indices differ from those of D,
 * different extents of one index, and strides with which two elements of D coincide.
 *
 * In executions, the pointer to a tensor addresses the element whose indices are all 0. Extents are
 * 0 to 2147483647. Strides count elements and may be negative; those of A and B may be 0. A
 * product has at most 64 different indices, and a tensor at most 64 dimensions.
 *
 * A product copies the texts and lists that it was made from. It is immutable: several threads may
 * read it at once. Plans copy it.
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
 *                  or einsum, `ai,ibc->abc`: docs/notation.md. Its factors are alpha and beta
 *                  unless an execution gives others
 * @param sizes     the extent of every index once: `a=b=c=400,i=8`; NULL if there is no index
 * @param strides   NULL: all tensors are dense; else `A=1,400;C=800,2`, the stride of each
 *                  dimension in elements
 * @param order     which dimension of a dense tensor is contiguous
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the offending text; its message names the
 *         argument unless it is the notation), TCPLAN_OVERFLOW (bytes or strides do not fit),
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_product_parse(struct tcplan_product **out,
                                                   const char *notation, const char *sizes,
                                                   const char *strides, enum tcplan_dtype dtype,
                                                   enum tcplan_order order,
                                                   struct tcplan_error *error);

/** A tensor as lists. Dimension d runs over the index label[d], and has extent[d] elements at a
 * distance of stride[d] elements. A zero-initialised struct is a scalar. */
struct tcplan_dimensions {
    int rank;             /**< number of dimensions; 0: a scalar, for which the lists may be NULL */
    const int64_t *label; /**< labels of the dimensions: any numbers; equal numbers denote the same
                             index */
    const int64_t *extent; /**< number of elements along each dimension */
    const int64_t *stride; /**< strides in elements; NULL: dense, in the product's storage order */
    /**
     * For A, B, C: uses the conjugate. For D: D becomes the conjugate of the whole right-hand side,
     * including alpha and beta, also those of an execution. No effect on real types.
     */
    bool conjugated;
};

/**
 * Makes a product from lists of indices. Unless an execution gives others, alpha is 1, and beta is
 * 1 if there is a C, else 0.
 *
 * @param out    receives the product, to be freed with tcplan_product_free(); untouched on failure
 * @param C      the same indices as D, in any order; NULL: beta is applied to D itself
 * @param order  storage order of the tensors without strides
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
 * Makes a product from einsum subscripts and the shapes of arrays. As in NumPy, they may have an
 * ellipsis and an implicit output. alpha is 1 and beta 0 unless an execution gives others.
 *
 * @param out         receives the product, to be freed with tcplan_product_free(); untouched on
 *                    failure
 * @param subscripts  `ai,ibc->abc`, `...ij,...jk`, `ij,jk`
 * @param A           rank, extents, strides and conjugation of the first factor; labels are ignored
 * @param B           the same members of the second factor
 * @param stride_D    one for each dimension of the result; NULL: dense. To learn the shape of the
 *                    result, make a product with NULL and call tcplan_product_shape()
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the place if the subscripts are wrong),
 *         TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_product_einsum(
    struct tcplan_product **out, const char *subscripts, const struct tcplan_dimensions *A,
    const struct tcplan_dimensions *B, const int64_t stride_D[], enum tcplan_dtype dtype,
    enum tcplan_order order, struct tcplan_error *error);

/** Returns the canonical notation, which parses back to an equal product. The caller frees it with
 * free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_product_text(const struct tcplan_product *product);

/** Returns the sizes in the form that tcplan_product_parse() reads, `a=3,b=4`, or an empty string
 * if there is no index. The caller frees it with free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_product_sizes(const struct tcplan_product *product);

/** Returns the strides in the form that tcplan_product_parse() reads, or an empty string if all
 * tensors are dense. The caller frees it with free(); NULL if memory runs out. */
TCPLAN_API char *tcplan_product_strides(const struct tcplan_product *product);

/** Returns the type of elements, alpha and beta. */
TCPLAN_API enum tcplan_dtype tcplan_product_dtype(const struct tcplan_product *product);

/** Returns the storage order of dense tensors. */
TCPLAN_API enum tcplan_order tcplan_product_order(const struct tcplan_product *product);

/** Returns whether beta is applied to a tensor other than the result, TCPLAN_ADDEND. */
TCPLAN_API bool tcplan_product_has_addend(const struct tcplan_product *product);

/**
 * Returns the floating-point operations of one execution: 2 per real and 8 per complex
 * multiply-add. Sums over indices in A or B only count 1 per real and 2 per complex addition. 0 if
 * alpha or an extent is 0.
 */
TCPLAN_API double tcplan_product_flops(const struct tcplan_product *product);

/**
 * Returns the number of dimensions of TCPLAN_A, TCPLAN_B, TCPLAN_RESULT or TCPLAN_ADDEND; -1 if
 * there is no such tensor. In products from einsum, dimensions of extent 1 that an ellipsis
 * broadcasts do not count.
 */
TCPLAN_API int tcplan_product_rank(const struct tcplan_product *product,
                                   enum tcplan_operand operand);

/**
 * Gets the shape of a tensor.
 *
 * @param extent  receives tcplan_product_rank() numbers; may be NULL
 * @param stride  receives as many strides, in elements; may be NULL
 * @return TCPLAN_OK; TCPLAN_INVALID if there is no such tensor
 */
TCPLAN_API enum tcplan_status tcplan_product_shape(const struct tcplan_product *product,
                                                   enum tcplan_operand operand, int64_t extent[],
                                                   int64_t stride[]);

/**
 * Returns the number of elements of memory that a tensor spans.
 *
 * @param first  receives the number of elements before the element whose indices are all 0, to
 *               which pointers to the tensor point: 0 without negative strides; may be NULL
 * @return elements from the lowest to the highest address, both included; 0 if an extent is 0 or
 *         there is no such tensor
 */
TCPLAN_API int64_t tcplan_product_span(const struct tcplan_product *product,
                                       enum tcplan_operand operand, int64_t *first);

/** Frees a product; does nothing if it is NULL. Plans made from it stay valid. */
TCPLAN_API void tcplan_product_free(struct tcplan_product *product);

#ifdef __cplusplus
}
#endif

#endif
