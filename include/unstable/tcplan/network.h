/**
 * Networks: products of any number of tensors, and sums of them.
 *
 *   R := beta * R + factor * A * B * C * ... + factor * D * E + ...
 *
 * Each product is a *term*, each tensor of a term a *factor* of it. A term is summed over every
 * index that the result lacks, however many of its factors have it. The notations are those of
 * contractions (tcplan/contraction.h):
 *
 *   E_ad = A_ab*B_bc*C_cd                            one letter per index; `=`, `:=` or `+=`
 *   R_abij = V_abcd*T_cdij - 0.5*W_abij + 2*R_abij   several terms, each with a factor; the result
 *                                                    itself with beta
 *   E[a,d] = conj(A)[a,b]*B[b,c]*C[c,d]              names of any length, conjugates
 *   ab,bc,cd->ad                                     einsum: the tensors are then A, B, C, ... and
 *                                                    the result the next letter; from 26 factors on
 *                                                    A1, A2, ... and R
 *   X_cdij = T_cdij + S_ci*S_dj; R_abij = V_abcd*X_cdij + W_abcd*X_cdij
 *                                                    *sums*, made before they are read: no tensors
 *                                                    of the program's
 *
 * What order the factors of a term are multiplied in is a tree (tcplan/network_tree.h); the fastest
 * one is searched by tcplan/network_search.h.
 */
#ifndef TCPLAN_NETWORK_H
#define TCPLAN_NETWORK_H

#include "tcplan/contraction.h"
#include "tcplan/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_NETWORK_INDICES = 1024,  /**< distinct indices of a network */
    TCPLAN_NETWORK_OPERANDS = 1024, /**< factors of all its terms */
    TCPLAN_NETWORK_SUMS =
        TCPLAN_NETWORK_OPERANDS /**< added to the number of a sum: where an operand has the number
                                   of its tensor; more than there are tensors */
};

/** A tensor as a term, or the left side, names it. */
struct tcplan_network_operand {
    const char *name;
    int tensor; /**< number of the tensor among the distinct ones that are read; TCPLAN_NETWORK_SUMS
                   + s: sum s; -1: the result, or a sum in the step that makes it */
    bool conjugated;
    int rank;
    const uint16_t *dims; /**< dimension d runs over index dims[d]; an index met twice takes the
                             diagonal */
    size_t column;        /**< where the text that was parsed names it: from 1, in bytes */
    size_t length;
};

/** A product: operands [first, first + count), times a factor. */
struct tcplan_network_term {
    struct tcplan_scalar factor;
    int first;
    int count; /**< at least 1 */
    int into;  /**< the number of the sum that it is part of; sum_count: the result */
};

/**
 * An expression of several tensors, without sizes. Read-only once made. Indices are numbered in the
 * order in which the left side, then the terms name them, of sums before those of the result. The
 * terms of a sum stand one behind the other, before all that read it.
 */
struct tcplan_network {
    int index_count;
    const char *const *index; /**< the name of each index */
    int tensor_count;  /**< distinct tensors that are read: what a program passes, in the order in
                          which they are first named */
    const int *tensor; /**< of each the first operand that names it */
    int operand_count;
    const struct tcplan_network_operand *operand; /**< of all terms, in the order of the notation */
    int term_count;
    const struct tcplan_network_term *term;
    int sum_count;
    const struct tcplan_network_operand *sum; /**< as they are made: which indices its dimensions
                                                 have in its terms */
    struct tcplan_network_operand result;
    struct tcplan_scalar beta; /**< of the result that is there before; 0: it is not read */
    bool conjugates_added;     /**< the conjugate of that result is added */
    enum tcplan_order order;   /**< of every dense tensor */
    bool long_names;           /**< some index name has more than one letter */
};

/**
 * Reads a network.
 *
 * @param out   receives a new network, to be freed with tcplan_network_free(); untouched on failure
 * @param text  the notation, NUL-terminated; any bytes, though only printable ASCII, spaces and
 *              tabs are accepted
 * @return TCPLAN_OK; TCPLAN_INVALID (`error` marks the offending text): among others a result index
 *         that a term lacks, a result that is a factor as well, one name with two ranks, an
 *         ellipsis, a sum that is read before it is made, or never; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_parse(struct tcplan_network **out, const char *text,
                                                   enum tcplan_order order,
                                                   struct tcplan_error *error);

/**
 * Returns whether a text needs a network rather than a single contraction: sums, or three factors
 * or more that are not one product of two and one tensor that is added. For invalid text, decides
 * by the part before the error. This alone selects the parser for a text.
 *
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_is_several(bool *out, const char *text);

/** The owner of a term: a sum, or the result. It stays as long as the network. */
TCPLAN_API const struct tcplan_network_operand *tcplan_network_target(
    const struct tcplan_network *network, int term);

/** Whether no term before a term is part of the same sum, or of the result: it does not add. */
TCPLAN_API bool tcplan_network_begins(const struct tcplan_network *network, int term);

/** Frees a network; NULL is fine. */
TCPLAN_API void tcplan_network_free(struct tcplan_network *network);

/** The canonical text, which parses back to an equal network; to be freed with free(), NULL if
 * memory runs out. */
TCPLAN_API char *tcplan_network_text(const struct tcplan_network *network);

/**
 * Reads the extent of every index, as tcplan/sizes.h writes them: one point.
 *
 * @param extent  receives one for each index
 * @return TCPLAN_OK; TCPLAN_INVALID: malformed, missing, a sweep (`error` marks the text), or
 *         dimensions of a tensor that is named twice have other extents in one place than in the
 *         other; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_sizes(int64_t extent[],
                                                   const struct tcplan_network *network,
                                                   const char *text, struct tcplan_error *error);

/**
 * As tcplan_network_sizes(), for sizes that may name more than the indices.
 *
 * @param unused  as of tcplan_sizes_parse_more()
 */
TCPLAN_API enum tcplan_status tcplan_network_sizes_more(int64_t extent[],
                                                        const struct tcplan_network *network,
                                                        const char *text,
                                                        char unused[TCPLAN_SIZES_UNUSED],
                                                        struct tcplan_error *error);

/**
 * Reads the extent of every index from the shapes of the tensors, one for each that is named, in
 * the order of their first mention, as tcplan/shapes.h writes them.
 *
 * @return as tcplan_network_sizes(); TCPLAN_INVALID as well if a tensor has another number of
 *         dimensions than its shape, or an index two extents
 */
TCPLAN_API enum tcplan_status tcplan_network_shapes(int64_t extent[],
                                                    const struct tcplan_network *network,
                                                    const char *text, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
