/**
 * Random contractions: notation, sizes, type and storage order from a seed.
 */
#ifndef SUPPORT_RANDOM_CONTRACTION_H
#define SUPPORT_RANDOM_CONTRACTION_H

#include "tcplan/algorithm.h"

/** Features that may occur. Every tensor has min_rank to max_rank dimensions, diagonals included.
 */
struct random_contraction_options {
    int min_rank;
    int max_rank;
    int max_indices;    /**< distinct indices of the contraction */
    int64_t max_extent; /**< extents are 1 to this */
    bool batch;         /**< indices in all three tensors */
    bool diagonals;     /**< an index twice in an operand */
    bool sums;          /**< indices in one factor only */
    bool wide_results;  /**< an index twice in the result */
    bool scalars;    /**< alpha and beta, complex ones where the type is complex; otherwise only `=`
                        and `+=` */
    bool strides;    /**< tensors with strides: permuted, padded, negative; of factors also 0 */
    bool overlaps;   /**< and factors whose elements overlap otherwise */
    bool conjugates; /**< of factors and of the result, in all types */
    bool addends;    /**< a tensor of its own that is added, in any order of dimensions */
    bool zeros;      /**< extents of 0 */
    int max_parts;   /**< an index becomes up to so many, neighbours in every tensor, of extents 1
                        to 3; 0: none does */
    bool long_names; /**< index names of any length: keywords of C, names that emitted code uses, I
                      */
};

struct random_contraction {
    uint64_t seed;
    char text[512];  /**< as parsed */
    char sizes[512]; /**< as parsed */
    char *strides;   /**< as parsed, empty where all tensors are dense */
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
};

/** 2 to 5 dimensions, at most 5 indices, extents 0 to 7, everything allowed. */
struct random_contraction_options random_contraction_defaults(void);

/** Makes contraction number `seed`; the same seed and options give the same one. Fails the test
 * where tcplan refuses it. */
void random_contraction_init(struct random_contraction *out, uint64_t seed,
                             const struct random_contraction_options *options);

/** A given contraction as a random one's peer: for cases that must be there. */
void random_contraction_given(struct random_contraction *out, const char *text, const char *sizes,
                              enum tcplan_order order, enum tcplan_dtype dtype);

/** The same with strides, as tcplan_strides_parse() reads them. */
void random_contraction_strided(struct random_contraction *out, const char *text, const char *sizes,
                                const char *strides, enum tcplan_order order,
                                enum tcplan_dtype dtype);

/** Whether the kernel of an algorithm takes the strides of all tensors: always where they are
 * dense. */
bool random_contraction_suits(const struct random_contraction *random,
                              const struct tcplan_algorithm *algorithm);

/** Which contraction it is, for messages of failures: seed, text, sizes, type and order;
 * overwritten by the next call. */
const char *random_contraction_describe(const struct random_contraction *random);

void random_contraction_free(struct random_contraction *random);

#endif
