/** Programs: loop nests prepared for execution in this process, at the speed of compiled C. */
#ifndef TCPLAN_PROGRAM_H
#define TCPLAN_PROGRAM_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A nest with sizes and memory for its temporaries. One thread at a time may run it; the threads
 * that share the iterations of a parallel loop belong to the program. */
struct tcplan_program;

/**
 * Makes a program of a nest at the sizes of a problem. The nest and its contraction must outlive
 * the program; `problem` is copied.
 *
 * @param out  receives the program, to be freed with tcplan_program_free()
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if a stride or matrix exceeds the limits of its kernel;
 *     TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_program_build(struct tcplan_program **out,
                                                   const struct tcplan_nest *nest,
                                                   const struct tcplan_problem *problem,
                                                   struct tcplan_error *error);

enum { TCPLAN_MAX_THREADS = 4096 };

/**
 * Sets how many threads share the iterations of the nest's parallel loop; initially 1. Has no
 * effect without such a loop. Each thread runs consecutive iterations, with its own temporaries
 * for copies inside the loop. During a run, kernels have one BLAS thread each. All programs of the
 * process use the same team of threads; while another program runs on it, the calling thread does
 * all the work.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if threads are not 1 to TCPLAN_MAX_THREADS, or
 *     TCPLAN_NO_MEMORY, both with the program unchanged
 */
TCPLAN_API enum tcplan_status tcplan_program_set_threads(struct tcplan_program *program,
                                                         int threads, struct tcplan_error *error);

/** Frees a program; NULL is fine. */
TCPLAN_API void tcplan_program_free(struct tcplan_program *program);

/**
 * Computes the contraction. Pointers address the elements whose indices are all 0. A tensor
 * occupies problem.elems[] elements, of which problem.first_elems[] precede that address. C must
 * not overlap A or B, which may overlap each other. If threads share a loop, the number of threads
 * of the BLAS, a setting of the whole process, is 1 during the run.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is done, if the contraction has an addend and
 *     beta is not 0: use tcplan_program_run_adding()
 */
TCPLAN_API enum tcplan_status tcplan_program_run(struct tcplan_program *program, const void *A,
                                                 const void *B, void *C);

/**
 * Computes a contraction with an addend: D := alpha * A * B + beta * C, for
 * `D_ab=A_ai*B_ib+2*C_ab`. C may overlap A and B. It either does not overlap D, or is D, if both
 * have the same strides. Without an addend C is NULL or D, and the call equals
 * tcplan_program_run(program, A, B, D).
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is done, if C is NULL although beta is not 0, or
 *     the contraction has no addend and C is neither NULL nor D
 */
TCPLAN_API enum tcplan_status tcplan_program_run_adding(struct tcplan_program *program,
                                                        const void *A, const void *B, const void *C,
                                                        void *D, struct tcplan_error *error);

/** Returns the number of kernel calls of one run. */
TCPLAN_API int64_t tcplan_program_calls(const struct tcplan_program *program);

#ifdef __cplusplus
}
#endif

#endif
