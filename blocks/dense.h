/**
 * Plans many similar dense products: an algorithm chosen for some extents is reused for products of
 * the same notation and nearly the same extents. Choosing an algorithm takes about a millisecond,
 * binding a chosen one some microseconds.
 */
#ifndef BLOCKS_DENSE_H
#define BLOCKS_DENSE_H

#include "api/plan.h"

/* Assumed flop/s of products that are neither searched nor timed. */
#define DENSE_ASSUMED_FLOPS 20e9
#define DENSE_ASSUMED_SECONDS 100e-9

struct dense_choice;

/** A choice (an algorithm for some extents) as text. */
struct dense_text {
    int threads;
    double seconds, flops;
    char extents[512]; /**< extents in the order of the notation's indices: `4,5,6` */
    char algorithm[512];
    char key[1024]; /**< key of the product: the notation, and the order of the strides */
};

/** Choices of algorithms for dense products. Set the first three members, zero the rest. */
struct dense_plans {
    const struct planning *planning;
    const struct tcplan_heuristics *heuristics;
    int most_choices; /**< maximum number of searches; beyond it, products that are one gemm are not
                         searched */
    int count;
    struct dense_choice *choice;
};

/**
 * Plans a product for a number of threads. The plan does not refer to `product` afterwards.
 *
 * @param out  receives the plan; NULL: only the seconds are computed
 */
enum tcplan_status dense_plan(struct tcplan_plan **out, double *seconds, struct dense_plans *plans,
                              const struct tcplan_product *product, int threads,
                              struct tcplan_error *error);

/** Plans a product as one gemm of the BLAS, without loops and copies. TCPLAN_NOT_APPLICABLE if the
 * product's strides do not allow a single gemm. */
enum tcplan_status dense_gemm(struct tcplan_plan **out, const struct dense_plans *plans,
                              const struct tcplan_product *product, int threads,
                              struct tcplan_error *error);

/** Writes choice `number` as text: its notation, extents and algorithm. Returns false if a text
 * does not fit or memory runs out. */
bool dense_choice_get(struct dense_text *out, const struct dense_plans *plans, int number);

/** Adds a stored choice; TCPLAN_INVALID if its text is damaged. */
enum tcplan_status dense_choice_add(struct dense_plans *plans, const struct dense_text *text,
                                    struct tcplan_error *error);

void dense_plans_free(struct dense_plans *plans);

#endif
