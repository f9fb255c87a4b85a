/**
 * Executing a loop nest in this process, at the speed of compiled C.
 */
#ifndef TCPLAN_EXECUTE_H
#define TCPLAN_EXECUTE_H

#include "tcplan/nest.h"

/** A nest bound to sizes, with its temporaries. One thread at a time may run it. */
struct tcplan_program;

/**
 * Binds a nest to sizes. The nest and its contraction must outlive the program; `problem` is copied.
 *
 * @param out  receives the program, to be freed with tcplan_program_free()
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE where a stride exceeds the BLAS integer; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_program_build(struct tcplan_program **out, const struct tcplan_nest *nest,
                                                   const struct tcplan_problem *problem, struct tcplan_error *error);

/** Frees a program; NULL is fine. */
TCPLAN_API void tcplan_program_free(struct tcplan_program *program);

/**
 * Computes the contraction. The tensors are dense, in the storage order of the contraction, and must not overlap: A, B and C have
 * problem.elems[] elements of the problem's type.
 */
TCPLAN_API void tcplan_program_run(struct tcplan_program *program, const void *A, const void *B, void *C);

/** The number of kernel calls of one run. */
TCPLAN_API int64_t tcplan_program_calls(const struct tcplan_program *program);

#endif
