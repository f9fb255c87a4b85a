/**
 * One check of scripts/torture: a product, an algorithm of it, data, and the way it is executed.
 * Drawn from a seed, written as one line that repeats it, and made smaller step by step as long as
 * it fails.
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

/** From this extent on an index is long: tensors of whole numbers, which are 0 at most of its
 * values. */
enum { SUBJECT_LONG = 1 << 20 };

/** Contents of the tensors. */
enum subject_data {
    SUBJECT_WHOLE,     /**< small whole numbers: every result is exact */
    SUBJECT_SUBNORMAL, /**< these times the smallest number there is, in A and C: still exact */
    SUBJECT_REAL,      /**< numbers of [-1, 1): within a bound of the sums' rounding */
    SUBJECT_NONFINITE, /**< positive whole numbers, and a few infinities and NaNs: results they are
                          part of are not finite, all others exact */
    SUBJECT_DATA
};

/** How it is executed. */
enum subject_way {
    SUBJECT_PROGRAM, /**< in the process, the algorithm by its name */
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
    int tensor; /* A is 0: one tensor may be several factors */
    int rank;
    uint8_t dims[SUBJECT_RANK];
    bool conjugated;
};

/** An expression of several tensors: a sum of terms, and beta times the result. */
struct subject_expression {
    int term_count;
    struct tcplan_scalar factor[SUBJECT_TERMS];
    int count;
    struct subject_factor part[SUBJECT_FACTORS]; /* those of the first term first */
    struct subject_factor result;
    bool conjugates_added;
    int order;       /* how the order of its products is found: enum expression_order */
    bool is_emitted; /* and compiled; else executed */
    int slices;      /* indices that are sliced, at most */
};

struct subject {
    uint64_t seed; /* of the data, and of where the tensors lie in their pages */
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
    int compiler; /* of emitted C: a number of torture_compilers */
    int level;    /* -O0 to -O3 */
    char algorithm[SUBJECT_NAME];
    struct subject_expression expression; /* of SUBJECT_NETWORK, which has no `tensor` */
};

/** Features that may be drawn. */
struct subject_limits {
    int64_t points; /**< multiplications of one product at most */
    bool is_large;  /**< offsets around 2^31 bytes and beyond, and extents as large */
};

/** A product without an algorithm, in-process. The same seed gives the same one. */
void subject_draw(struct subject *out, uint64_t seed, struct subject_limits limits);

/** Likewise, with one long index: tensors that have it are dense and take around 2^31 bytes, or
 * have stride 0 there. */
void subject_draw_long(struct subject *out, uint64_t seed);

/** The name of an index in all notations. */
char subject_letter(int index);

/** Its notation, sizes and strides; NULL if out of memory. To be freed with free(). */
char *subject_notation(const struct subject *subject);
char *subject_sizes(const struct subject *subject);
char *subject_strides(const struct subject *subject);

/** Contraction and problem; false where tcplan refuses them, with the reason in `error`. The
 * contraction is to be freed with tcplan_contraction_free(). */
bool subject_problem(struct tcplan_contraction **contraction, struct tcplan_problem *problem,
                     const struct subject *subject, struct tcplan_error *error);

/** One line from which subject_read() makes an equal one: to be freed with free(). */
char *subject_line(const struct subject *subject);

/** Reads such a line; false where it is none. */
bool subject_read(struct subject *out, const char *line);

/**
 * The next smaller one: `step` counts the ways to make it smaller, from 0 on.
 *
 * @return 1: `out` is smaller; 0: this step does not apply; -1: there are no more steps
 */
int subject_shrink(struct subject *out, const struct subject *subject, int step);

#endif
