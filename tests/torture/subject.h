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

/** An index with at least this extent is long: its tensors have whole numbers, which are 0 at most
 * of its values. */
enum { SUBJECT_LONG = 1 << 20 };

/** Contents of the tensors. */
enum subject_data {
    SUBJECT_WHOLE,     /**< small whole numbers: every result is exact */
    SUBJECT_SUBNORMAL, /**< whole numbers times the smallest positive number, in A and C: still
                          exact */
    SUBJECT_REAL,      /**< numbers in [-1, 1): within a bound of the sums' rounding */
    SUBJECT_NONFINITE, /**< positive whole numbers, a few infinities and NaNs: results that depend
                          on these are not finite, all others are exact */
    SUBJECT_DATA
};

/** The way in which a check is executed. */
enum subject_way {
    SUBJECT_PROGRAM, /**< in this process, the algorithm given by its name */
    SUBJECT_API,    /**< tcplan_plan_named() and tcplan_plan_run(), with a workspace of the caller's
                       and factors given at run time */
    SUBJECT_CHOSEN, /**< tcplan_plan_new() by estimate: tcplan chooses */
    SUBJECT_TAPP,   /**< TAPP_execute_product() */
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
    int tensor; /* number of the tensor, from 0, A; one tensor may be several factors */
    int rank;
    uint8_t dims[SUBJECT_RANK];
    bool conjugated;
};

/** An expression of several tensors: a sum of terms, and beta times the result. */
struct subject_expression {
    int term_count;
    struct tcplan_scalar factor[SUBJECT_TERMS];
    int count;
    struct subject_factor part[SUBJECT_FACTORS]; /* those of the first term come first */
    struct subject_factor result;
    bool conjugates_added;
    int order;       /* how the order of products is determined: enum expression_order */
    bool is_emitted; /* compiled; false: executed in this process */
    int slices;      /* maximum number of sliced indices */
};

struct subject {
    uint64_t seed; /* determines the data, and the positions of tensors in their pages */
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
    int compiler; /* for emitted C: number of the compiler */
    int level;    /* -O0 to -O3 */
    char algorithm[SUBJECT_NAME];
    struct subject_expression expression; /* for SUBJECT_NETWORK, which has no `tensor` */
};

/** Features of the checks to be drawn. */
struct subject_limits {
    int64_t points; /**< maximum number of multiplications of a product */
    bool is_large;  /**< offsets around 2^31 bytes and above, and extents of this size */
};

/** Draws a product without an algorithm, executed in this process. Equal seeds give equal products.
 */
void subject_draw(struct subject *out, uint64_t seed, struct subject_limits limits);

/** Draws a product with one long index: its tensors are dense with about 2^31 bytes, or have stride
 * 0 for it. */
void subject_draw_long(struct subject *out, uint64_t seed);

/** Returns the name of an index in all notations. */
char subject_letter(int index);

/** Returns notation, sizes and strides, to be freed with free(); NULL if memory runs out. */
char *subject_notation(const struct subject *subject);
char *subject_sizes(const struct subject *subject);
char *subject_strides(const struct subject *subject);

/** Makes contraction and problem; returns false if tcplan refuses them, with the reason in `error`.
 * The contraction is to be freed with tcplan_contraction_free(). */
bool subject_problem(struct tcplan_contraction **contraction, struct tcplan_problem *problem,
                     const struct subject *subject, struct tcplan_error *error);

/** Returns one line from which subject_read() makes an equal check; to be freed with free(). */
char *subject_line(const struct subject *subject);

/** Reads such a line; returns false if it is invalid. */
bool subject_read(struct subject *out, const char *line);

/**
 * Makes the next smaller check: `step` counts the ways to reduce it, from 0.
 * @return 1: `out` is smaller; 0: this step does not apply; -1: there are no more steps
 */
int subject_shrink(struct subject *out, const struct subject *subject, int step);

#endif
