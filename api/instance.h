/**
 * Instances: a product with one algorithm, number of threads and class of factors, ready to run.
 * At most one caller runs an instance at a time.
 */
#ifndef API_INSTANCE_H
#define API_INSTANCE_H

#include "api/product.h"
#include "tcplan/algorithm.h"
#include "tcplan/program.h"

/** The product and the conditions that an instance is made for. */
struct instance_task {
    const struct tcplan_product *product; /**< the instance does not refer to it */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    int threads;
    struct kernel_maker *maker; /**< compiles kernels; the instance does not refer to it; NULL:
                                   without a time limit or a store */
};

struct instance {
    const char *algorithm; /**< address of the algorithm's name, set by callers that store instances
                              of several algorithms; otherwise NULL */
    int threads;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    struct tcplan_contraction *contraction;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
    bool reads_factors; /**< executions read A and B */
    bool reads_added;   /**< executions read the tensor that beta is applied to */
    bool writes;        /**< executions write elements of the result */
    bool borrows; /**< no loop is shared by threads, so the kernel's library may use all of them */
    void *memory; /**< memory of the instance for temporaries; NULL: not needed yet */
    const void *placed;  /**< present place of the temporaries */
    int64_t place_bytes; /**< size of the temporaries; 0: none */
};

/**
 * Makes an instance of an algorithm.
 *
 * @param out  receives it, to be freed with instance_free(); untouched on failure
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the provider's kernel cannot be called with these
 *     factors and strides, or the size of the temporaries overflows; TCPLAN_INVALID if it is not
 *     an algorithm of the product; TCPLAN_NO_MEMORY
 */
enum tcplan_status instance_new(struct instance **out, const struct instance_task *task,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error);

/**
 * Makes an instance of an algorithm. If that is not applicable, tries the same loops and copies
 * with the kernel of the BLAS, then the baseline, then the algorithms in the order of enumeration.
 * Skips the algorithm itself if its kernel would have to be compiled for the factors of this
 * execution alone. If all fail, returns the status of the first.
 */
enum tcplan_status instance_new_near(struct instance **out, const struct instance_task *task,
                                     const struct tcplan_algorithm *algorithm,
                                     struct tcplan_error *error);

/** Returns whether the instance can run with so many threads and these factors; if so, sets its
 * factors. */
bool instance_suits(struct instance *instance, int threads, struct tcplan_scalar alpha,
                    struct tcplan_scalar beta);

/** Places the temporaries of the next run in `workspace`, which has `place_bytes`; NULL: in memory
 * of the instance. Returns TCPLAN_NO_MEMORY if that cannot be allocated. */
enum tcplan_status instance_place(struct instance *instance, void *workspace);

/** Frees an instance; NULL is fine. */
void instance_free(struct instance *instance);

#endif
