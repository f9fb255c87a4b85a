/**
 * Networks: products of any number of tensors, and sums of them.
 *
 *   R := beta * R + factor * A * B * C * ... + factor * D * E + ...
 *
 * Each product is a *term*, each tensor of a term a *factor* of it. A term is summed over every
 * index that the result lacks, even if only one of its factors has the index. The notations are
 * those of contractions (tcplan/contraction.h):
 *
 *   E_ad = A_ab*B_bc*C_cd                            one letter per index; `=`, `:=` or `+=`
 *   R_abij = V_abcd*T_cdij - 0.5*W_abij + 2*R_abij   several terms, each with a factor; the result
 *                                                    itself with beta
 *   E[a,d] = conj(A)[a,b]*B[b,c]*C[c,d]              names of any length, conjugates
 *   ab,bc,cd->ad                                     einsum: the tensors are then A, B, C, ... and
 *                                                    the result the next letter; from 26 factors on
 *                                                    A1, A2, ... and R
 *   X_cdij = T_cdij + S_ci*S_dj; R_abij = V_abcd*X_cdij + W_abcd*X_cdij
 *                                                    *sums*: intermediate tensors, computed before
 *                                                    the terms that read them
 *
 * A tree (tcplan/network_tree.h) is the order in which factors are multiplied;
 * tcplan/network_search.h finds the fastest one.
 */
#ifndef TCPLAN_NETWORK_H
#define TCPLAN_NETWORK_H

#include "tcplan/contraction.h"
#include "tcplan/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_NETWORK_INDICES = 1024,  /**< maximum number of distinct indices of a network */
    TCPLAN_NETWORK_OPERANDS = 1024, /**< maximum number of factors of all its terms */
    TCPLAN_NETWORK_SUMS = TCPLAN_NETWORK_OPERANDS /**< sum number s has this number plus s, which
                                                     exceeds all numbers of tensors */
};

/** A tensor as written in a term or on the left side. */
struct tcplan_network_operand {
    const char *name;
    int tensor; /**< number among the distinct input tensors; TCPLAN_NETWORK_SUMS + s: sum s; -1:
                   the tensor that the term computes (the result or a sum) */
    bool conjugated;
    int rank;
    const uint16_t *dims; /**< index of each dimension; an index that occurs twice takes the
                             diagonal */
    size_t column;        /**< position of the tensor in the parsed text, as a byte number from 1 */
    size_t length;
};

/** A product: operands [first, first + count), times a factor. */
struct tcplan_network_term {
    struct tcplan_scalar factor;
    int first;
    int count; /**< number of factors, at least 1 */
    int into;  /**< number of the sum to which the term belongs; sum_count: the result */
};

/**
 * An expression of several tensors, without sizes. Read-only once made. Indices are numbered in
 * the order in which the left side, then the terms name them; sums come before the result. The
 * terms of a sum are consecutive, and precede all terms that read it.
 */
struct tcplan_network {
    int index_count;
    const char *const *index; /**< the name of each index */
    int tensor_count; /**< number of distinct tensors read: the inputs of a program, in the order of
                         their first occurrence */
    const int *tensor; /**< for each distinct tensor: the first operand that names it */
    int operand_count;
    const struct tcplan_network_operand *operand; /**< factors of all terms, in the order of the
                                                     notation */
    int term_count;
    const struct tcplan_network_term *term;
    int sum_count;
    const struct tcplan_network_operand *sum; /**< for each sum, the operand that the terms of the
                                                 sum compute: its dimensions as indices of these
                                                 terms */
    struct tcplan_network_operand result;
    struct tcplan_scalar beta; /**< factor of the existing result; 0: the existing result is not
                                  read */
    bool conjugates_added;   /**< whether the conjugate of the existing result is added, instead of
                                the result itself */
    enum tcplan_order order; /**< storage order of every dense tensor */
    bool long_names;         /**< whether some index name has more than one letter */
};

/**
 * Reads a network.
 *
 * @param out   receives a new network, to be freed with tcplan_network_free(); untouched on failure
 * @param text  the notation, NUL-terminated; any bytes, though only printable ASCII, spaces and
 *              tabs are accepted
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the offending text): for example a result index
 *     that a term lacks, a result that is also a factor, a name that occurs with two ranks, an
 *     ellipsis, or a sum that is read before it is computed, or not at all; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_parse(struct tcplan_network **out, const char *text,
                                                   enum tcplan_order order,
                                                   struct tcplan_error *error);

/**
 * Returns whether a text needs a network rather than a single contraction: sums, at least three
 * factors that are not a product of two tensors plus an addend, or no product of two tensors at
 * all. For invalid text, decides by the part before the error. Everything that accepts both kinds
 * of text selects the parser by this function.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_is_several(bool *out, const char *text);

/** Returns the operand that a term computes: a sum, or the result. It is valid as long as the
 * network. */
TCPLAN_API const struct tcplan_network_operand *tcplan_network_target(
    const struct tcplan_network *network, int term);

/** Returns whether a term is the first one of its sum or of the result; later terms add to it. */
TCPLAN_API bool tcplan_network_begins(const struct tcplan_network *network, int term);

/** Frees a network; NULL is fine. */
TCPLAN_API void tcplan_network_free(struct tcplan_network *network);

/** Returns the canonical text, which parses back to an equal network; to be freed with free(), NULL
 * if memory runs out. */
TCPLAN_API char *tcplan_network_text(const struct tcplan_network *network);

/**
 * Reads the extent of every index from a text in the form of tcplan/sizes.h that describes one
 * point.
 *
 * @param extent  receives one extent for each index of the network
 * @return TCPLAN_OK; TCPLAN_INVALID: malformed, missing, a sweep (`error` marks the text), or
 *     dimensions of a tensor that is named twice differ in their extents; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_sizes(int64_t extent[],
                                                   const struct tcplan_network *network,
                                                   const char *text, struct tcplan_error *error);

/**
 * Parses sizes or a sweep for the indices of an expression, like tcplan_sizes_parse_more().
 */
TCPLAN_API enum tcplan_status tcplan_network_sizes_parse(struct tcplan_sizes **out,
                                                         const struct tcplan_network *network,
                                                         const char *text,
                                                         char unused[TCPLAN_SIZES_UNUSED],
                                                         struct tcplan_error *error);

/**
 * Sets the extent of every index to that of one point of tcplan_network_sizes_parse().
 *
 * @param extent  receives one extent for each index of the network
 * @return TCPLAN_OK; TCPLAN_INVALID: dimensions of a tensor that is named twice differ in their
 *     extents
 */
TCPLAN_API enum tcplan_status tcplan_network_sizes_point(int64_t extent[],
                                                         const struct tcplan_network *network,
                                                         const struct tcplan_sizes *sizes,
                                                         int64_t point, struct tcplan_error *error);

/**
 * Reads the extent of every index from the shapes of the tensors, in the form of tcplan/shapes.h:
 * one shape for each distinct tensor, in the order of their first occurrence.
 *
 * @return a status of tcplan_network_sizes(); TCPLAN_INVALID also if the ranks of a tensor and its
 *     shape differ, or an index has two extents
 */
TCPLAN_API enum tcplan_status tcplan_network_shapes(int64_t extent[],
                                                    const struct tcplan_network *network,
                                                    const char *text, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
