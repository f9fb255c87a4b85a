/**
 * Instances: a product with one algorithm, number of threads and class of factors, ready to run.
 * One thread of control at a time runs one.
 */
#ifndef API_INSTANCE_H
#define API_INSTANCE_H

#include "api/product.h"
#include "tcplan/algorithm.h"
#include "tcplan/program.h"

/** The conditions that an instance is made for. */
struct instance_task {
    const struct tcplan_product *product; /**< nothing of it is kept */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    int threads;
    struct kernel_maker *maker; /**< of its kernels, of which nothing is kept; NULL: nobody in
                                   particular */
};

struct instance {
    const char *algorithm; /**< its name, where that is: set by who keeps instances of several */
    int threads;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
    struct tcplan_contraction *contraction;
    struct tcplan_nest *nest;
    struct tcplan_program *program;
    bool reads_factors;  /**< A and B */
    bool reads_added;    /**< what beta is applied to */
    bool writes;         /**< the result has elements */
    bool borrows;        /**< no loop is shared: the kernel's library may have all the threads */
    void *memory;        /**< of its own, for temporaries; NULL: not needed yet */
    const void *placed;  /**< where these are now */
    int64_t place_bytes; /**< how much they need; 0: none */
};

/**
 * Makes an instance of an algorithm.
 *
 * @param out  receives it, to be freed with instance_free(); untouched on failure
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the kernel, its provider's, cannot be called so;
 *         TCPLAN_INVALID if it is none of the product; TCPLAN_NO_MEMORY
 */
enum tcplan_status instance_new(struct instance **out, const struct instance_task *task,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error);

/**
 * Makes an instance of the algorithm. If it cannot apply these factors, tries its loops and copies
 * with the BLAS's kernel, then the baseline, then the algorithms in the order of enumeration.
 * Returns the status of instance_new() for the first.
 */
enum tcplan_status instance_new_near(struct instance **out, const struct instance_task *task,
                                     const struct tcplan_algorithm *algorithm,
                                     struct tcplan_error *error);

/** Whether it runs with so many threads and such factors, which it then has. */
bool instance_suits(struct instance *instance, int threads, struct tcplan_scalar alpha,
                    struct tcplan_scalar beta);

/** Has the temporaries in so much of the caller's memory for the next run; NULL: in memory of its
 * own. TCPLAN_NO_MEMORY if that cannot be had. */
enum tcplan_status instance_place(struct instance *instance, void *workspace);

/** Frees an instance; NULL is fine. */
void instance_free(struct instance *instance);

#endif
