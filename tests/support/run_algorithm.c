#include "support/run_algorithm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/naive.h"
#include "tcplan/nest.h"
#include "tcplan/program.h"

enum tcplan_status run_algorithm(const struct tcplan_problem *problem,
                                 const struct tcplan_algorithm *algorithm, const void *A,
                                 const void *B, const void *C, void *D,
                                 struct tcplan_error *error) {
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    enum tcplan_status status = tcplan_nest_build(&nest, problem->contraction, algorithm, error);
    if (status == TCPLAN_OK) status = tcplan_program_build(&program, nest, problem, error);
    if (status == TCPLAN_OK) status = tcplan_program_run_adding(program, A, B, C, D, error);
    tcplan_program_free(program);
    tcplan_nest_free(nest);
    return status;
}

void run_algorithm_checked(const struct tcplan_problem *problem,
                           const struct tcplan_algorithm *algorithm, uint64_t seed,
                           const char *what) {
    struct tcplan_error error = {0};
    struct naive_case naive;
    naive_case_init(&naive, problem, seed);
    naive_case_reset(&naive);
    if (run_algorithm(problem, algorithm, naive.A, naive.B, naive.addend, naive.C, &error))
        fail_msg("%s: %s", what, error.message);
    if (naive_case_error(&naive) > naive_tolerance(problem))
        fail_msg("%s: not what naive loops compute", what);
    naive_case_free(&naive);
}

void run_algorithm_computes(const struct random_contraction *given,
                            const struct tcplan_algorithm *algorithm) {
    run_algorithm_checked(&given->problem, algorithm, 1, random_contraction_describe(given));
}
