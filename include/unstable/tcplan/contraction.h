/**
 * Contractions: two tensors to multiply, without sizes.
 *
 * A contraction is C := alpha * A * B + beta * C, summed over every index that C lacks, as in
 * `C_abc=A_ai*B_ibc`; or D := alpha * A * B + beta * C, whose added tensor is another one, the
 * *addend*. Three notations are read:
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
 * docs/notation.md has the grammar. An index twice in a tensor takes its diagonal; of the result
 * only the diagonal is written then. An index in A or in B only is summed over before the product.
 * Refused: an index in C only, a result that is a factor as well, an addend without an index of the
 * result or with another one.
 *
 * For every algorithm: alpha and beta are rounded to the type of the elements before anything else.
 * Where beta is 0, C is not read; where alpha is 0, A and B are not read and the result is beta *
 * C. One name for several of A, B and the addend means one tensor: its dimensions have the same
 * extents everywhere. The result must not overlap A or B; an addend may overlap these, as it is
 * only read, and is either apart from the result or the same elements in the same places.
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
        64,              /**< distinct indices of one contraction: index sets are 64-bit masks */
    TCPLAN_MAX_RANK = 64 /**< dimensions of one tensor */
};

/** An index is classified by the tensors it appears in. */
enum tcplan_index_kind {
    TCPLAN_FREE_A,     /**< in A and C */
    TCPLAN_FREE_B,     /**< in B and C */
    TCPLAN_CONTRACTED, /**< in A and B: summed over */
    TCPLAN_BATCH,      /**< in A, B and C */
    TCPLAN_SUMMED_A,   /**< in A only: A is summed over it before the product */
    TCPLAN_SUMMED_B,   /**< in B only */
    TCPLAN_INDEX_KINDS
};

struct tcplan_index {
    const char *name;
    enum tcplan_index_kind kind;
    size_t column; /**< where the result, or else A, or else B names it in the text that was parsed:
                      from 1, in bytes; 0: nowhere */
};

/**
 * One tensor: dimension d runs over index `dims[d]`; an index met twice takes the tensor's
 * diagonal. It is dense, in the contraction's storage order, or part of something larger, by its
 * strides.
 */
struct tcplan_tensor {
    const char *name;
    int rank;
    uint8_t dims[TCPLAN_MAX_RANK];
    uint8_t nearest[TCPLAN_MAX_RANK]; /**< the dims from the one on whose elements lie closest
                                         together */
    uint64_t indices;                 /**< bit i: index i is one of the dimensions */
    bool conjugated; /**< the product takes the conjugate of A or B; for the tensor to which beta is
                        applied: its conjugate is added. Of real types the same */
    bool strided;
    int64_t stride[TCPLAN_MAX_RANK]; /**< where it is strided: elements from one to the next along
                                        each dimension, of either sign */
    uint64_t falling;                /**< its indices whose strides are not positive */
    uint64_t still;                  /**< those of a stride of 0: all of their elements are one */
};

/**
 * A classified contraction. Read-only once made, but for tcplan_contraction_set_strides() and
 * tcplan_contraction_set_conjugated(); indices are numbered in the order in which the result, then
 * A, then B name them.
 */
struct tcplan_contraction {
    int index_count;
    struct tcplan_index index[TCPLAN_MAX_INDICES];
    struct tcplan_tensor tensor[TCPLAN_TENSORS]; /**< without an addend the last has no name and no
                                                    indices */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    enum tcplan_order order;
    bool long_names; /**< some index name has more than one letter */
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
 * Makes a tensor part of something larger. Pointers to it are then to the element whose indices are
 * all 0. To be called before anything is made of the contraction: algorithms, nests and problems
 * rely on it.
 *
 * Whether two elements of the result coincide is known with sizes, see tcplan_problem_init().
 * Elements of A and B may: strides may have either sign or be 0.
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
 * Whether the product takes the conjugate of A or of B, or the conjugate of the addend, or else of
 * C, is what beta is applied to. To be called before anything is made of the contraction. Numbers
 * of real types are their own conjugates: flags are then better not set
 * (tcplan_contraction_fit_type()), as algorithms copy what their kernel cannot conjugate.
 */
TCPLAN_API void tcplan_contraction_set_conjugated(struct tcplan_contraction *contraction,
                                                  enum tcplan_operand operand, bool conjugated);

/**
 * Reads names of tensors, `A` or `A,B`, and conjugates these as conj() in the notation does, which
 * einsum lacks; of the result as conj(C) on its left side: the result is the conjugate of all that
 * is on the right. To be called before anything is made of the contraction.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is changed, if the contraction has no such tensor,
 *         or it is conjugated already (`error` marks the name)
 */
TCPLAN_API enum tcplan_status tcplan_conjugates_parse(struct tcplan_contraction *contraction,
                                                      const char *text, struct tcplan_error *error);

/** Whether what beta is applied to is a tensor of its own, TCPLAN_ADDEND; where beta is 0 it is not
 * read. */
TCPLAN_API bool tcplan_contraction_has_addend(const struct tcplan_contraction *contraction);

/** Frees a contraction; NULL is fine. */
TCPLAN_API void tcplan_contraction_free(struct tcplan_contraction *contraction);

/**
 * The canonical text, which parses back to an equal contraction: letters where every index name is
 * one and no tensor's name holds an underscore (`C_abc=A_ai*B_ibc`), brackets otherwise; `+=` where
 * beta is 1, no factor where alpha is 1, no second term where beta is 0.
 *
 * @return a string to be freed with free(), or NULL if memory runs out
 */
TCPLAN_API char *tcplan_contraction_text(const struct tcplan_contraction *contraction);

/** The set of indices (bit i: index i) of one kind. */
TCPLAN_API uint64_t tcplan_contraction_indices(const struct tcplan_contraction *contraction,
                                               enum tcplan_index_kind kind);

#ifdef __cplusplus
}
#endif

#endif
