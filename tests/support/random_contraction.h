/**
 * Random contractions: notation, sizes, type and storage order from a seed.
 */
#ifndef SUPPORT_RANDOM_CONTRACTION_H
#define SUPPORT_RANDOM_CONTRACTION_H

#include "tcplan/algorithm.h"

/** Features that may occur. Every tensor has min_rank to max_rank dimensions, including diagonals.
 */
struct random_contraction_options {
    int min_rank;
    int max_rank;
    int max_indices;    /**< maximum number of distinct indices */
    int64_t max_extent; /**< extents are 1 to max_extent */
    bool batch;         /**< indices in all three tensors */
    bool diagonals;     /**< indices that occur twice in an operand */
    bool sums;          /**< indices in one factor only */
    bool wide_results;  /**< indices that occur twice in the result */
    bool scalars;  /**< alpha and beta, complex ones for complex types; otherwise only `=` and `+=`
                    */
    bool strides;  /**< tensors with strides: permuted, padded, negative; also 0 in factors */
    bool overlaps; /**< factors whose elements overlap in other ways, too */
    bool conjugates; /**< conjugates of factors and of the result, in all types */
    bool addends;    /**< separate addends, with any order of dimensions */
    bool zeros;      /**< extents of 0 */
    int max_parts;   /**< an index may be divided into up to this many parts, neighbours in every
                        tensor, with extents 1 to 3; 0: none is */
    bool long_names; /**< index names of any length: keywords of C, names that emitted code uses, I
                      */
};

struct random_contraction {
    uint64_t seed;
    char text[512];  /**< as parsed */
    char sizes[512]; /**< as parsed */
    char *strides;   /**< as parsed; empty if all tensors are dense */
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
};

/** Returns options for 2 to 5 dimensions, at most 5 indices and extents 0 to 7, with all features.
 */
struct random_contraction_options random_contraction_defaults(void);

/** Makes contraction number `seed`; equal seeds and options give equal contractions. Fails the test
 * if tcplan refuses it. */
void random_contraction_init(struct random_contraction *out, uint64_t seed,
                             const struct random_contraction_options *options);

/** Makes a given contraction in the form of a random one, for cases that must occur. */
void random_contraction_given(struct random_contraction *out, const char *text, const char *sizes,
                              enum tcplan_order order, enum tcplan_dtype dtype);

/** Makes a given contraction with strides, in the form of tcplan_strides_parse(). */
void random_contraction_strided(struct random_contraction *out, const char *text, const char *sizes,
                                const char *strides, enum tcplan_order order,
                                enum tcplan_dtype dtype);

/** Returns whether the kernel of an algorithm supports the strides of all tensors; always true if
 * they are dense. */
bool random_contraction_suits(const struct random_contraction *random,
                              const struct tcplan_algorithm *algorithm);

/** Describes a contraction for messages: seed, text, sizes, type and order; overwritten by the next
 * call. */
const char *random_contraction_describe(const struct random_contraction *random);

void random_contraction_free(struct random_contraction *random);

#endif
