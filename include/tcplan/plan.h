/**
 * Plans a product: chooses its algorithm once, to execute it often.
 *
 * A plan copies its product: the caller may free the product and the planner. Several threads may
 * execute a plan at once if their results differ; they may share A, B and C. Freeing a plan during
 * an execution is an error.
 */
#ifndef TCPLAN_PLAN_H
#define TCPLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcplan/planner.h"
#include "tcplan/product.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_plan;

/** How the algorithm of a plan was chosen. */
enum tcplan_plan_origin {
    TCPLAN_PLAN_NAMED,     /**< named by the caller */
    TCPLAN_PLAN_ESTIMATED, /**< by an estimate: nothing was timed */
    TCPLAN_PLAN_TIMED,    /**< by timings that the time limit or the effort ended before the fastest
                             algorithms were compared */
    TCPLAN_PLAN_COMPARED, /**< by a comparison with every algorithm that may be as fast, or because
                             there is no such algorithm */
    TCPLAN_PLAN_STORED,   /**< found in the stored plans */
    TCPLAN_PLAN_IMPROVED  /**< the fastest of the algorithms that executions tried */
};

/**
 * Plans a product: chooses the algorithm that is expected to be the fastest on this machine.
 *
 * @param out      receives the plan, to be freed with tcplan_plan_free(); untouched on failure
 * @param planner  NULL: the defaults of tcplan_planner_new()
 * @return TCPLAN_OK; TCPLAN_INVALID if `out` or `product` is NULL, elements of the product cannot
 *         have the planner's alignment, or the planner has more threads than the machine;
 *         TCPLAN_CANCELLED; TCPLAN_NOT_APPLICABLE if no algorithm can be executed within the
 *         planner's limits; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the machine is not recognised
 */
TCPLAN_API enum tcplan_status tcplan_plan_new(struct tcplan_plan **out,
                                              struct tcplan_planner *planner,
                                              const struct tcplan_product *product,
                                              struct tcplan_error *error);

/**
 * Makes a plan with a named algorithm, such as `c-dgemm`, as printed by tcplan_plan_algorithm() and
 * the command. Nothing is searched or timed.
 *
 * @param out      receives the plan, to be freed with tcplan_plan_free(); untouched on failure
 * @param planner  gives the number of threads; NULL: one thread
 * @return TCPLAN_OK; TCPLAN_INVALID if `out`, `product` or `algorithm` is NULL, or the product has
 *         no such algorithm (`error` marks the name); TCPLAN_NOT_APPLICABLE if the algorithm cannot
 *         run at these sizes; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the machine is not recognised
 */
TCPLAN_API enum tcplan_status tcplan_plan_named(struct tcplan_plan **out,
                                                struct tcplan_planner *planner,
                                                const struct tcplan_product *product,
                                                const char *algorithm, struct tcplan_error *error);

/**
 * Computes the product, `D := alpha * A * B + beta * D`, with its own alpha and beta and the
 * planned number of threads. Pointers address the elements whose indices are all 0. The result must
 * not overlap A or B, which may overlap each other.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if a required pointer is NULL or the product has a C of its own
 *         (use tcplan_plan_run()): nothing is computed; TCPLAN_NO_MEMORY if temporaries cannot be
 *         allocated: the result is untouched
 */
TCPLAN_API enum tcplan_status tcplan_plan_execute(struct tcplan_plan *plan, const void *A,
                                                  const void *B, void *D,
                                                  struct tcplan_error *error);

/**
 * Computes the product for many sets of tensors, `D[i] := alpha * A[i] * B[i] + beta * D[i]`, one
 * after the other, as tcplan_plan_execute() does.
 *
 * @param count  number of products; 0: nothing is done
 * @return TCPLAN_OK; TCPLAN_INVALID if a list is NULL or `count` is negative: nothing is computed;
 *         otherwise the status of the first execution that fails; earlier executions are complete
 */
TCPLAN_API enum tcplan_status tcplan_plan_execute_many(struct tcplan_plan *plan, int64_t count,
                                                       const void *const A[], const void *const B[],
                                                       void *const D[], struct tcplan_error *error);

/** The type of a plan's compiled function: D := alpha * A * B + beta * D with the product's own
 * factors. No pointer may be NULL. */
typedef void tcplan_function(const void *A, const void *B, void *D);

/**
 * Returns the compiled function of a plan whose algorithm is a single emitted kernel
 * (`dloops@emitted`). It saves the overhead of tcplan_plan_execute(), which matters for small
 * tensors. The function checks nothing; any number of threads may call it at once until the plan is
 * freed.
 *
 * @return the function; NULL if there is none and tcplan_plan_execute() must be used: for any other
 *         algorithm, if the plan improves itself, or if the kernel was not compiled for the plan
 *         (without a compiler, a kernel of the library runs)
 */
TCPLAN_API tcplan_function *tcplan_plan_function(const struct tcplan_plan *plan);

/**
 * One execution. Zero-initialise it and set `size`: `struct tcplan_execution e = {.size = sizeof e,
 * .A = a, .B = b, .D = d};`. Later versions add members at the end only, and zero in them means
 * today's behaviour.
 */
struct tcplan_execution {
    size_t size;   /**< sizeof(struct tcplan_execution) */
    const void *A; /**< pointer to the first operand's element whose indices are all 0; not read if
                      alpha is 0 */
    const void *B; /**< pointer to the second operand's element whose indices are all 0; not read if
                      alpha is 0 */
    /**
     * The addend, TCPLAN_ADDEND, if the product has one: D itself if both have the same strides,
     * otherwise memory that does not overlap D, but may overlap A and B. If the product has no
     * addend: NULL or D.
     */
    const void *C;
    void *D; /**< the result, TCPLAN_RESULT: must not overlap A or B */
    /**
     * Pointer to a number of the product's type; NULL: the product's own alpha. If the number is 0,
     * neither A nor B is read. If the product conjugates D, alpha is conjugated with the rest of
     * the right-hand side.
     */
    const void *alpha;
    const void *beta; /**< pointer to beta, in the same form as `alpha`; if the number is 0, C is
                         not read */
    void *workspace;  /**< memory for temporaries, of any alignment; NULL: the plan's own memory,
                         which is allocated at its first use and reused */
    int64_t workspace_bytes; /**< size of `workspace` in bytes, at least tcplan_plan_workspace() */
    int threads;             /**< number of threads, 1 to 4096; 0: the planned number */
};

/**
 * Computes the product once. Any alpha and beta are correct. The algorithm was chosen for those of
 * the product; if its kernel does not support others, another provider's kernel or another
 * algorithm runs instead (kernels of libxsmm have alpha 1 and beta 0 or 1). The first execution
 * with another combination of alpha and beta being 0, 1 or anything else, or with another number of
 * threads, prepares for it, which takes about ten microseconds.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is computed: a required pointer is NULL, C
 *         is neither NULL nor D though there is no addend, the workspace is too small, threads are
 *         out of range, or the structure uses members of a later version; TCPLAN_NOT_APPLICABLE if
 *         no algorithm supports such factors; TCPLAN_NO_MEMORY: the result is untouched
 */
TCPLAN_API enum tcplan_status tcplan_plan_run(struct tcplan_plan *plan,
                                              const struct tcplan_execution *execution,
                                              struct tcplan_error *error);

/**
 * Returns the bytes of workspace that executions need with any factors; 0 if they need none. For a
 * plan that improves itself, the bytes suffice for every algorithm that it may choose.
 *
 * @param threads  number of threads of the execution; 0: the planned number
 * @return -1 if threads are out of range, memory runs out or the bytes do not fit
 */
TCPLAN_API int64_t tcplan_plan_workspace(struct tcplan_plan *plan, int threads);

/** Returns the name of the algorithm, valid until the plan is freed. */
TCPLAN_API const char *tcplan_plan_algorithm(const struct tcplan_plan *plan);

/** Returns the planned number of threads. */
TCPLAN_API int tcplan_plan_threads(const struct tcplan_plan *plan);

/**
 * Returns the expected seconds of one execution.
 *
 * @param low   with `high`, receives the interval that holds 95 of 100 executions; for an estimate,
 *              its error interval. May be NULL
 * @return 0, with an interval of 0, if nothing is known: for plans of a named algorithm
 */
TCPLAN_API double tcplan_plan_seconds(const struct tcplan_plan *plan, double *low, double *high);

/** Returns how the algorithm was chosen. */
TCPLAN_API enum tcplan_plan_origin tcplan_plan_origin(const struct tcplan_plan *plan);

/** Returns a description of a plan, a few lines of text: product, algorithm and loop nest, expected
 * time, origin of the choice, temporaries, libraries. The caller frees the text with free(); NULL
 * if memory runs out. */
TCPLAN_API char *tcplan_plan_describe(const struct tcplan_plan *plan);

/**
 * Writes the plan as C11: `int NAME(const T *A, const T *B, T *C)`, with fixed extents, strides and
 * factors; if the product has a C of its own, `int NAME(const T *A, const T *B, const T *C, T *D)`.
 * The comment at its top names the libraries to link.
 *
 * @param out        receives the text, to be freed with free(); untouched on failure
 * @param function   name of the function, a C identifier; NULL: `contract`
 * @param with_main  adds a driver that compares the function with naive loops
 * @return TCPLAN_OK; TCPLAN_INVALID if `out` or `plan` is NULL or the name is not a C identifier;
 *         TCPLAN_NOT_APPLICABLE if emitted C cannot call the algorithm's kernel, or temporaries
 *         exceed the address space; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_plan_emit(char **out, const struct tcplan_plan *plan,
                                               const char *function, bool with_main,
                                               struct tcplan_error *error);

/** Frees a plan, which no thread may be executing; does nothing if it is NULL. */
TCPLAN_API void tcplan_plan_free(struct tcplan_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
