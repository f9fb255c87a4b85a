/**
 * Executing a loop nest in this process, at the speed of compiled C.
 */
#ifndef TCPLAN_PROGRAM_H
#define TCPLAN_PROGRAM_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A nest bound to sizes, with its temporaries. One thread at a time may run it; threads of its own
 * share the iterations of a parallel loop. */
struct tcplan_program;

/**
 * Binds a nest to sizes. The nest and its contraction must outlive the program; `problem` is
 * copied.
 *
 * @param out  receives the program, to be freed with tcplan_program_free()
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if a stride or matrix exceeds what its kernel takes;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_program_build(struct tcplan_program **out,
                                                   const struct tcplan_nest *nest,
                                                   const struct tcplan_problem *problem,
                                                   struct tcplan_error *error);

enum { TCPLAN_MAX_THREADS = 4096 };

/**
 * Sets how many threads share the iterations of the nest's parallel loop, 1 at first; nothing if it
 * has none. Each thread runs consecutive iterations, with its own temporaries for copies inside the
 * loop. Meanwhile the kernels run with one BLAS thread each. Threads are those of one team of the
 * process; if it is busy with another program, the calling thread does all the work.
 *
 * @return TCPLAN_OK; with the program as it was TCPLAN_INVALID if threads are not 1 to
 *         TCPLAN_MAX_THREADS, or TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_program_set_threads(struct tcplan_program *program,
                                                         int threads, struct tcplan_error *error);

/** Frees a program; NULL is fine. */
TCPLAN_API void tcplan_program_free(struct tcplan_program *program);

/**
 * Computes the contraction. The tensors are dense, in the storage order of the contraction, or lie
 * as their strides say. A, B and C are the places of the elements whose indices are all 0:
 * problem.first_elems[] elements of the problem's type lie before them, problem.elems[] in all. C
 * must not overlap A or B, which may overlap each other. Where threads share a loop the number of
 * threads of the BLAS, which is the process's, is 1 until the end of the run.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is done, if the contraction has an addend that is
 *         read: tcplan_program_run_adding() takes it
 */
TCPLAN_API enum tcplan_status tcplan_program_run(struct tcplan_program *program, const void *A,
                                                 const void *B, void *C);

/**
 * The same with an addend: D := alpha * A * B + beta * C, for `D_ab=A_ai*B_ib+2*C_ab`. C may
 * overlap A and B; it is either apart from D, or is D, where both have the same strides. Without an
 * addend C is NULL or D, and the call equals tcplan_program_run(program, A, B, D).
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is done, if C is NULL though beta is not 0, or the
 *         contraction has no addend and C is another tensor than D: `error` says so
 */
TCPLAN_API enum tcplan_status tcplan_program_run_adding(struct tcplan_program *program,
                                                        const void *A, const void *B, const void *C,
                                                        void *D, struct tcplan_error *error);

/** The number of kernel calls of one run. */
TCPLAN_API int64_t tcplan_program_calls(const struct tcplan_program *program);

#ifdef __cplusplus
}
#endif

#endif
