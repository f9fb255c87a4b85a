/**
 * Random contractions: notation, sizes, type and storage order from a seed.
 */
#ifndef SUPPORT_RANDOM_CONTRACTION_H
#define SUPPORT_RANDOM_CONTRACTION_H

#include "tcplan/algorithm.h"

/** Which features random contractions may have. Every tensor has min_rank to max_rank dimensions,
 * including those of diagonals. */
struct random_contraction_options {
    int min_rank;
    int max_rank;
    int max_indices;    /**< maximum number of distinct indices */
    int64_t max_extent; /**< extents are 1 to max_extent */
    bool batch;         /**< indices that all three tensors have */
    bool diagonals;     /**< indices that occur twice in an operand */
    bool sums;          /**< indices that only one factor has */
    bool wide_results;  /**< indices that occur twice in the result */
    bool scalars;  /**< alpha and beta, complex ones for complex types; otherwise only `=` and `+=`
                    */
    bool strides;  /**< tensors with strides: permuted, padded, negative; also 0 in factors */
    bool overlaps; /**< factors whose elements overlap in other ways than by stride 0 */
    bool conjugates; /**< conjugates of factors and of the result, in all types */
    bool addends;    /**< separate addends, with any order of dimensions */
    bool zeros;      /**< extents of 0 */
    int max_parts; /**< an index may be divided into up to this many parts of extents 1 to 3, which
                      are adjacent in every tensor; 0: none */
    bool long_names; /**< index names of any length: keywords of C, names that emitted code uses, I
                      */
};

struct random_contraction {
    uint64_t seed;
    char text[512];  /**< as parsed */
    char sizes[512]; /**< as parsed */
    char *strides;   /**< strides as text for tcplan_strides_parse(); empty if all tensors are dense
                      */
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

/** Makes a struct random_contraction for given texts, for cases that must be tested. */
void random_contraction_given(struct random_contraction *out, const char *text, const char *sizes,
                              enum tcplan_order order, enum tcplan_dtype dtype);

/** Makes a struct random_contraction for given texts, with strides as text for
 * tcplan_strides_parse(). */
void random_contraction_strided(struct random_contraction *out, const char *text, const char *sizes,
                                const char *strides, enum tcplan_order order,
                                enum tcplan_dtype dtype);

/** Returns whether the kernel of an algorithm is applicable with the strides of all tensors; always
 * true if they are dense. */
bool random_contraction_suits(const struct random_contraction *random,
                              const struct tcplan_algorithm *algorithm);

/** Returns a description of a contraction for messages: seed, text, sizes, type and order. The next
 * call overwrites it. */
const char *random_contraction_describe(const struct random_contraction *random);

void random_contraction_free(struct random_contraction *random);

#endif
