/**
 * Contractions: two tensors to multiply, without sizes.
 *
 * A contraction is C := alpha * A * B + beta * C, summed over every index that C lacks, as in
 * `C_abc=A_ai*B_ibc`; or D := alpha * A * B + beta * C, where the tensor added, the *addend*, is
 * not the result. Three notations are read:
 *
 *   C_abc = 0.5*A_ai*B_ibc + 2*C_abc      one letter per index; `=`, `:=` or `+=` (accumulate: beta
 *                                         = 1); conj(A)_ai conjugates
 *   D_ab = A_ai*B_ib + 2*C_ba             an addend: the indices of the result, in any order
 *   C[row,col] = A[row,k]*B[k,col]        names of any length
 *   ai,ibc->abc                           einsum; the operands are then named A, B and C
 *   ij,jk                                 without `->` the result has the indices that the operands
 *                                         have once, in alphabetical order
 *   ...ij,...jk                           with an ellipsis: tcplan/shapes.h
 *
 * docs/notation.md has the grammar. An index that occurs twice in a tensor denotes its diagonal;
 * in the result, only the diagonal is then written. An index in A or B only is summed over before
 * the product. Invalid are an index in C only, a result that is also a factor, and an addend whose
 * indices differ from those of the result.
 *
 * These rules hold for every algorithm: alpha and beta are first rounded to the type of the
 * elements. If beta is 0, C is not read; if alpha is 0, A and B are not read and the result is
 * beta * C. A name shared by A, B or the addend denotes one tensor: its dimensions have the same
 * extents everywhere. The result must not overlap A or B. An addend may overlap these; it either
 * does not overlap the result, or consists of the same elements in the same places.
 */
#ifndef TCPLAN_CONTRACTION_H
#define TCPLAN_CONTRACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/status.h"
#include "tcplan/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_MAX_INDICES =
        64, /**< maximum number of distinct indices of a contraction: index sets are 64-bit masks */
    TCPLAN_MAX_RANK = 64 /**< maximum number of dimensions of a tensor */
};

/** The kind of an index: which tensors it appears in. */
enum tcplan_index_kind {
    TCPLAN_FREE_A,     /**< in A and C */
    TCPLAN_FREE_B,     /**< in B and C */
    TCPLAN_CONTRACTED, /**< in A and B: summed over */
    TCPLAN_BATCH,      /**< in A, B and C */
    TCPLAN_SUMMED_A,   /**< in A only; A is summed over it before the product */
    TCPLAN_SUMMED_B,   /**< in B only */
    TCPLAN_INDEX_KINDS
};

struct tcplan_index {
    const char *name;
    enum tcplan_index_kind kind;
    size_t column; /**< place in the parsed text, in bytes from 1, of the index's first occurrence:
                      in the result, otherwise in A or B; 0: none */
};

/**
 * A tensor. Dimension d runs over index `dims[d]`; an index that occurs twice takes the diagonal.
 * It is either dense, in the contraction's storage order, or has strides.
 */
struct tcplan_tensor {
    const char *name;
    int rank;
    uint8_t dims[TCPLAN_MAX_RANK];
    uint8_t nearest[TCPLAN_MAX_RANK]; /**< the dimensions in the order of increasing strides */
    uint64_t indices;                 /**< bit i: index i is one of the dimensions */
    bool conjugated; /**< for A and B: whether the product uses the conjugate; for the tensor to
                        which beta is applied: whether the conjugate is added. No effect on real
                        types */
    bool strided;
    int64_t stride[TCPLAN_MAX_RANK]; /**< for strided tensors: distance between elements along each
                                        dimension, in elements, of either sign */
    uint64_t falling;                /**< the set of indices whose strides are 0 or negative */
    uint64_t still; /**< the set of indices with stride 0: all their elements coincide */
};

/**
 * A classified contraction. Read-only once made, except for tcplan_contraction_set_strides() and
 * tcplan_contraction_set_conjugated(); indices are numbered in the order in which the result, then
 * A, then B name them.
 */
struct tcplan_contraction {
    int index_count;
    struct tcplan_index index[TCPLAN_MAX_INDICES];
    struct tcplan_tensor tensor[TCPLAN_TENSORS]; /**< TCPLAN_ADDEND has no name and no indices if
                                                    there is no addend */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    enum tcplan_order order;
    bool long_names; /**< whether some index name has more than one letter */
};

/**
 * Reads a contraction in any of the three notations.
 *
 * @param out    receives a new contraction, to be freed with tcplan_contraction_free(); untouched
 *               on failure
 * @param text   the notation, NUL-terminated; any bytes, though only printable ASCII, spaces and
 *               tabs are accepted
 * @return TCPLAN_OK, TCPLAN_INVALID (`error` marks the offending text), TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_contraction_parse(struct tcplan_contraction **out,
                                                       const char *text, enum tcplan_order order,
                                                       struct tcplan_error *error);

/**
 * Gives a tensor strides, as a part of a larger array. Pointers to it then address the element
 * whose indices are all 0. Call this before making algorithms, nests or problems from the
 * contraction: they rely on it.
 *
 * Elements of A and B may coincide: strides may have either sign or be 0. tcplan_problem_init(),
 * which knows the sizes, checks that elements of the result do not.
 *
 * @param stride  one for each dimension of the tensor, in elements, in the order of its notation;
 *                NULL: it is dense
 * @return TCPLAN_OK; TCPLAN_OVERFLOW if the stride of a diagonal, a sum, does not fit an int64_t:
 *         nothing is changed then
 */
TCPLAN_API enum tcplan_status tcplan_contraction_set_strides(struct tcplan_contraction *contraction,
                                                             enum tcplan_operand operand,
                                                             const int64_t stride[],
                                                             struct tcplan_error *error);

/**
 * Sets whether the product uses the conjugate of A or B, and whether beta is applied to the
 * conjugate of the addend (of C without an addend). Call this before making anything from the
 * contraction. For real types, leave the flags unset (tcplan_contraction_fit_type()): algorithms
 * copy operands that their kernel cannot conjugate.
 */
TCPLAN_API void tcplan_contraction_set_conjugated(struct tcplan_contraction *contraction,
                                                  enum tcplan_operand operand, bool conjugated);

/**
 * Reads names of tensors, `A` or `A,B`, and conjugates them as conj() does in the notation,
 * because einsum has no conj(). Naming the result equals conj(C) on the left side: the result is
 * the conjugate of the whole right side. Call this before making anything from the contraction.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is changed, if the contraction has no such
 *         tensor, or it is already conjugated (`error` marks the name)
 */
TCPLAN_API enum tcplan_status tcplan_conjugates_parse(struct tcplan_contraction *contraction,
                                                      const char *text, struct tcplan_error *error);

/** Returns whether beta is applied to a tensor other than the result, TCPLAN_ADDEND. It is not read
 * if beta is 0. */
TCPLAN_API bool tcplan_contraction_has_addend(const struct tcplan_contraction *contraction);

/** Frees a contraction; does nothing if it is NULL. */
TCPLAN_API void tcplan_contraction_free(struct tcplan_contraction *contraction);

/**
 * Returns the canonical text, which parses back to an equal contraction. It uses letters if every
 * index name has one letter and no tensor's name contains an underscore (`C_abc=A_ai*B_ibc`), else
 * brackets. It has `+=` if beta is 1, no factor if alpha is 1, and no second term if beta is 0.
 *
 * @return a string to be freed with free(), or NULL if memory runs out
 */
TCPLAN_API char *tcplan_contraction_text(const struct tcplan_contraction *contraction);

/** Returns the set of indices of one kind, as bits: bit i is index i. */
TCPLAN_API uint64_t tcplan_contraction_indices(const struct tcplan_contraction *contraction,
                                               enum tcplan_index_kind kind);

#ifdef __cplusplus
}
#endif

#endif
