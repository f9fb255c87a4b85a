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
    const struct tcplan_product *product; /**< the product, needed only until the instance is made
                                           */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    int threads;
    struct kernel_maker *maker; /**< settings for compiling kernels, needed only until the instance
                                   is made; NULL: there is no time limit and no store */
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
    bool reads_factors; /**< whether executions read A and B */
    bool reads_added;   /**< whether executions read the tensor to which beta is applied */
    bool writes;        /**< whether executions write elements of the result */
    bool borrows; /**< whether threads share no loop, so the kernel's library may use all threads */
    void *memory; /**< memory of the instance for temporaries; NULL: not needed yet */
    const void *placed;  /**< address at which the temporaries are now */
    int64_t place_bytes; /**< bytes of the temporaries; 0: none */
};

/**
 * Makes an instance of an algorithm.
 *
 * @param out receives the instance, to be freed with instance_free(); untouched on failure
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the provider's kernel cannot be called with these
 *     factors and strides, or the size of the temporaries overflows; TCPLAN_INVALID if the
 *     algorithm is not one of the product; TCPLAN_NO_MEMORY
 */
enum tcplan_status instance_new(struct instance **out, const struct instance_task *task,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error);

/**
 * Makes an instance of an algorithm. If the algorithm is not applicable, tries the same loops and
 * copies with the kernel of the BLAS, then the baseline, then the algorithms in the order of
 * enumeration. Skips the given algorithm if its kernel would have to be compiled for the factors
 * of this execution alone. If all fail, returns the status of the first attempt.
 */
enum tcplan_status instance_new_near(struct instance **out, const struct instance_task *task,
                                     const struct tcplan_algorithm *algorithm,
                                     struct tcplan_error *error);

/** Returns whether the instance can run with this number of threads and these factors; if so, sets
 * its factors. */
bool instance_suits(struct instance *instance, int threads, struct tcplan_scalar alpha,
                    struct tcplan_scalar beta);

/** Places the temporaries of the next run in `workspace`, which has `place_bytes` bytes; NULL: in
 * memory of the instance. Returns TCPLAN_NO_MEMORY if this memory cannot be allocated. */
enum tcplan_status instance_place(struct instance *instance, void *workspace);

/** Frees an instance; NULL is fine. */
void instance_free(struct instance *instance);

#endif
