/**
 * One check of scripts/torture: a product, an algorithm of it, data, and the way it is executed.
 * It is drawn from a seed, written as one line that repeats it, and reduced step by step as long
 * as it fails.
 */
#ifndef TORTURE_SUBJECT_H
#define TORTURE_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/algorithm.h"
#include "tcplan/problem.h"

enum {
    SUBJECT_INDICES = 28,
    SUBJECT_RANK = 8,
    SUBJECT_NAME = 600,
    SUBJECT_FACTORS = 10,
    SUBJECT_TERMS = 3
};

/** An index with at least this extent is long: its tensors are 0 for most values of the index, and
 * have whole numbers for the others. */
enum { SUBJECT_LONG = 1 << 20 };

/** Which values the tensors contain. */
enum subject_data {
    SUBJECT_WHOLE,     /**< small whole numbers: every result is exact */
    SUBJECT_SUBNORMAL, /**< A and C have whole numbers times the smallest positive number: results
                          are still exact */
    SUBJECT_REAL,      /**< numbers in [-1, 1): results are within a bound on rounding */
    SUBJECT_NONFINITE, /**< positive whole numbers with a few infinities and NaNs: results that
                          depend on these are not finite, others are exact */
    SUBJECT_DATA
};

/** How a check is executed. */
enum subject_way {
    SUBJECT_PROGRAM, /**< in this process, by the name of the algorithm */
    SUBJECT_API, /**< tcplan_plan_named() and tcplan_plan_run(), with a workspace of the caller's;
                    alpha and beta are given at run time */
    SUBJECT_CHOSEN,  /**< tcplan_plan_new() with the effort `estimate`: tcplan chooses the algorithm
                      */
    SUBJECT_TAPP,    /**< TAPP_execute_product() */
    SUBJECT_EMITTED, /**< emitted C, compiled and loaded */
    SUBJECT_NETWORK, /**< an expression of several tensors: torture/expression.h */
    SUBJECT_WAYS
};

struct subject_tensor {
    int rank;
    uint8_t dims[SUBJECT_RANK];
    int64_t stride[SUBJECT_RANK];
    bool strided;
    bool conjugated;
};

/** A factor of an expression of several tensors. */
struct subject_factor {
    int term;
    int tensor; /* number of the tensor; 0 is A. One tensor may be several factors */
    int rank;
    uint8_t dims[SUBJECT_RANK];
    bool conjugated;
};

/** An expression of several tensors: a sum of terms, and beta times the result. */
struct subject_expression {
    int term_count;
    struct tcplan_scalar factor[SUBJECT_TERMS];
    int count;
    struct subject_factor part[SUBJECT_FACTORS]; /* factors of all terms, those of the first term
                                                    first */
    struct subject_factor result;
    bool conjugates_added;
    int order;       /* how the order of products is determined: enum expression_order */
    bool is_emitted; /* emitted as C and compiled; false: executed in this process */
    int slices;      /* maximum number of sliced indices */
};

struct subject {
    uint64_t seed; /* determines the data, and where tensors start in their pages */
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int index_count;
    int64_t extent[SUBJECT_INDICES];
    struct subject_tensor tensor[TCPLAN_TENSORS];
    bool has_addend;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    enum subject_data data;
    enum subject_way way;
    int threads;
    int compiler; /* for emitted C: number of the compiler in execute_compilers() */
    int level;    /* -O0 to -O3 */
    char algorithm[SUBJECT_NAME];
    struct subject_expression expression; /* for SUBJECT_NETWORK, which has no `tensor` */
};

/** Which checks are drawn. */
struct subject_limits {
    int64_t points; /**< maximum number of multiplications of a product */
    bool is_large;  /**< offsets around and above 2^31 bytes, and such extents */
};

/** Draws a product, to be executed in this process; the algorithm is not drawn. Equal seeds give
 * equal products. */
void subject_draw(struct subject *out, uint64_t seed, struct subject_limits limits);

/** Draws a product with one long index. Tensors are dense, with about 2^31 bytes, or have stride 0
 * for this index. */
void subject_draw_long(struct subject *out, uint64_t seed);

/** Returns the letter of an index, in all notations. */
char subject_letter(int index);

/** Returns notation, sizes and strides, to be freed with free(); NULL if memory runs out. */
char *subject_notation(const struct subject *subject);
char *subject_sizes(const struct subject *subject);
char *subject_strides(const struct subject *subject);

/** Makes contraction and problem; returns false if tcplan refuses them, with the reason in `error`.
 * The contraction is to be freed with tcplan_contraction_free(). */
bool subject_problem(struct tcplan_contraction **contraction, struct tcplan_problem *problem,
                     const struct subject *subject, struct tcplan_error *error);

/** Returns the check as one line, which subject_read() reads; to be freed with free(). */
char *subject_line(const struct subject *subject);

/** Reads a line of subject_line(); returns false if it is invalid. */
bool subject_read(struct subject *out, const char *line);

/**
 * Makes the next smaller check: `step` counts the ways to reduce it, from 0.
 * @return 1: `out` is smaller; 0: this step does not apply; -1: there are no more steps
 */
int subject_shrink(struct subject *out, const struct subject *subject, int step);

#endif
