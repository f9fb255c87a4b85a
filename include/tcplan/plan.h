/**
 * Plans: a product with the algorithm chosen for it. Plan once, execute often.
 *
 * A plan owns all it needs: product and planner may be freed. It may be executed by several threads
 * at once, on different results. What it reads may be shared. To free it while it is executed is an
 * error.
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

/** Where the choice of an algorithm is from. */
enum tcplan_plan_origin {
    TCPLAN_PLAN_NAMED,     /**< the caller */
    TCPLAN_PLAN_ESTIMATED, /**< nothing was timed */
    TCPLAN_PLAN_TIMED,     /**< algorithms were timed, and a limit, or the effort, came before the
                              fastest were compared */
    TCPLAN_PLAN_COMPARED,  /**< it was compared with all that may be as fast, or there are none */
    TCPLAN_PLAN_STORED,    /**< stored plans had it */
    TCPLAN_PLAN_IMPROVED   /**< it was the fastest of those that executions tried */
};

/**
 * Plans a product: chooses the algorithm that is expected to be the fastest on this machine.
 *
 * @param out      receives the plan, to be freed with tcplan_plan_free(); untouched on failure
 * @param planner  NULL: the defaults of tcplan_planner_new()
 * @return TCPLAN_OK; TCPLAN_INVALID where a pointer is NULL, or elements of the product cannot be
 *         aligned as the planner says; TCPLAN_CANCELLED; TCPLAN_NOT_APPLICABLE where no algorithm
 *         can be executed; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT where the machine cannot be
 *         recognised
 */
TCPLAN_API enum tcplan_status tcplan_plan_new(struct tcplan_plan **out,
                                              struct tcplan_planner *planner,
                                              const struct tcplan_product *product,
                                              struct tcplan_error *error);

/**
 * A plan with the algorithm of a name, as tcplan_plan_algorithm() and the command print it:
 * `c-dgemm`. Nothing is searched or timed.
 *
 * @param planner  of which the threads are taken; NULL: one
 * @return as tcplan_plan_new(); TCPLAN_INVALID where the product has no such algorithm (`error`
 *         marks the name); TCPLAN_NOT_APPLICABLE where it cannot run at these sizes
 */
TCPLAN_API enum tcplan_status tcplan_plan_named(struct tcplan_plan **out,
                                                struct tcplan_planner *planner,
                                                const struct tcplan_product *product,
                                                const char *algorithm, struct tcplan_error *error);

/**
 * Computes the product, `D := alpha * A * B + beta * D`, with its own factors and as many threads
 * as were planned for. Pointers are to the elements whose indices are all 0. The result must not
 * overlap A or B, which may overlap each other.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is done, where a pointer to a tensor that is read
 *         or written is NULL, or the product reads a C of its own, which tcplan_plan_run() takes;
 *         TCPLAN_NO_MEMORY where temporaries cannot be had: the result is then untouched
 */
TCPLAN_API enum tcplan_status tcplan_plan_execute(struct tcplan_plan *plan, const void *A,
                                                  const void *B, void *D,
                                                  struct tcplan_error *error);

/**
 * The same product of many tensors, `D[i] := alpha * A[i] * B[i] + beta * D[i]`, one after the
 * other: what tcplan_plan_execute() does for each.
 *
 * @param count  0: nothing is done
 * @return TCPLAN_OK; TCPLAN_INVALID where a list is NULL or `count` is negative, and nothing is
 *         done; otherwise what the first execution said that failed: those before it are done
 */
TCPLAN_API enum tcplan_status tcplan_plan_execute_many(struct tcplan_plan *plan, int64_t count,
                                                       const void *const A[], const void *const B[],
                                                       void *const D[], struct tcplan_error *error);

/** What a plan does as a function: D := alpha * A * B + beta * D with the product's own factors.
 * None of the pointers may be NULL. */
typedef void tcplan_function(const void *A, const void *B, void *D);

/**
 * The function that a plan consists of, where its algorithm is one kernel that was compiled for it
 * (`dloops@emitted`): callers that multiply small tensors save what else an execution costs. It
 * checks nothing, and may be called by any number of threads at once as long as the plan lives.
 *
 * @return NULL where the algorithm is anything else, or the plan improves itself:
 *         tcplan_plan_execute() does it
 */
TCPLAN_API tcplan_function *tcplan_plan_function(const struct tcplan_plan *plan);

/**
 * One execution. Zero-initialise it and set `size`: `struct tcplan_execution e = {.size = sizeof e,
 * .A = a, .B = b, .D = d};`. Members that later versions add are behind these, and zero means what
 * it meant before.
 */
struct tcplan_execution {
    size_t size;   /**< sizeof(struct tcplan_execution) */
    const void *A; /**< the first factor's element whose indices are all 0; not read where alpha is
                      0 */
    const void *B; /**< the second factor's */
    /**
     * The addend, TCPLAN_ADDEND, where the product has one: D itself where both have the same
     * strides, or apart from it; it may overlap A and B. Otherwise NULL or D.
     */
    const void *C;
    void *D; /**< the result, TCPLAN_RESULT: must not overlap A or B */
    /**
     * A number of the product's type; NULL: the product's own. Where it is 0 neither A nor B is
     * read. If the product writes a conjugated D it is conjugated with the rest of the right-hand
     * side.
     */
    const void *alpha;
    const void *beta;        /**< likewise. Where it is 0 C is not read */
    void *workspace;         /**< for temporaries, of any alignment; NULL: the plan's own, which it
                                allocates when it needs them and keeps */
    int64_t workspace_bytes; /**< how large it is: tcplan_plan_workspace() or more */
    int threads;             /**< 1 to 4096; 0: those planned for */
};

/**
 * Computes the product once. Factors of any value are right; the algorithm is chosen for those of
 * the product, and another provider's kernel, or another algorithm, takes its place where its own
 * cannot have others (libxsmm's kernels have an alpha of 1 and a beta of 0 or 1). The first
 * execution with factors that differ in being 0, 1 or anything else, or with another number of
 * threads, prepares for that, which takes some ten microseconds.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is done, where a pointer is NULL to what is read
 *         or written, C is another tensor than D and the product has none, workspace is too small,
 *         threads are out of range, or the structure is of a later version and uses what this one
 *         lacks; TCPLAN_NOT_APPLICABLE where no algorithm can have such factors; TCPLAN_NO_MEMORY:
 *         the result is then untouched
 */
TCPLAN_API enum tcplan_status tcplan_plan_run(struct tcplan_plan *plan,
                                              const struct tcplan_execution *execution,
                                              struct tcplan_error *error);

/**
 * Bytes that a workspace must have, whatever the factors are and whichever algorithm a plan that
 * improves itself comes to; 0: none is needed.
 *
 * @param threads  of the execution; 0: those planned for
 * @return -1 where threads are out of range, memory is out or the bytes do not fit
 */
TCPLAN_API int64_t tcplan_plan_workspace(struct tcplan_plan *plan, int threads);

/** The name of the algorithm: as long as the plan lives. */
TCPLAN_API const char *tcplan_plan_algorithm(const struct tcplan_plan *plan);

/** The threads that it was planned for. */
TCPLAN_API int tcplan_plan_threads(const struct tcplan_plan *plan);

/**
 * Seconds that an execution is expected to take.
 *
 * @param low   with `high`: the interval that holds 95 of 100 executions; of an estimate, what it
 *              may be off by. NULL: not wanted
 * @return 0, and an interval of 0, where nothing is known: of plans by name
 */
TCPLAN_API double tcplan_plan_seconds(const struct tcplan_plan *plan, double *low, double *high);

/** Where the choice of its algorithm is from. */
TCPLAN_API enum tcplan_plan_origin tcplan_plan_origin(const struct tcplan_plan *plan);

/** A few lines for people, each with a newline: product, algorithm and its loop nest, expected
 * time, where the choice is from, temporaries, libraries. To be freed with free(); NULL when memory
 * is out. */
TCPLAN_API char *tcplan_plan_describe(const struct tcplan_plan *plan);

/**
 * Writes C11 for the plan: `int NAME(const T *A, const T *B, T *C)`, with extents, strides and
 * factors fixed; where the product has a C of its own `int NAME(const T *A, const T *B, const T *C,
 * T *D)`. The comment at the top says what it is to be linked with.
 *
 * @param out        receives the text, to be freed with free(); untouched on failure
 * @param function   its name, a C identifier; NULL: `contract`
 * @param with_main  add a driver that checks the function against naive loops
 * @return TCPLAN_OK; TCPLAN_INVALID; TCPLAN_NOT_APPLICABLE; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_plan_emit(char **out, const struct tcplan_plan *plan,
                                               const char *function, bool with_main,
                                               struct tcplan_error *error);

/** Frees a plan that no thread executes; NULL is fine. */
TCPLAN_API void tcplan_plan_free(struct tcplan_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
