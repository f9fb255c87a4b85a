/**
 * Plan once, execute often: chooses the algorithm of C_abc = A_ai B_ibc for one set of sizes on this machine and runs it.
 *
 *   cc plan_once.c $(pkg-config --cflags --libs tcplan-unstable) -o plan_once
 */
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/unstable.h>

static double *numbers(int64_t count) {
    double *values = malloc((size_t)count * sizeof *values);
    for (int64_t i = 0; values && i < count; i++) values[i] = 1.0 / (double)(i % 7 + 1);
    return values;
}

/** Prints why something failed and passes the failure on. */
static int fail(const struct tcplan_error *error) {
    fprintf(stderr, "plan_once: %s\n", error->message);
    return EXIT_FAILURE;
}

/** Runs a plan a few times on tensors of its own. */
static int execute(struct tcplan_plan *plan, const struct tcplan_problem *problem) {
    double *A = numbers(problem->elems[TCPLAN_A]);
    double *B = numbers(problem->elems[TCPLAN_B]);
    double *C = numbers(problem->elems[TCPLAN_C]);
    const int complete = A && B && C;
    for (int step = 0; complete && step < 10; step++) tcplan_plan_execute(plan, A, B, C);
    if (complete) printf("C[0,0,0] = %.6f\n", C[0]);
    free(A);
    free(B);
    free(C);
    return complete ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(void) {
    struct tcplan_error error;
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_problem problem;
    struct tcplan_plan *plan = NULL;
    int64_t extent[TCPLAN_MAX_INDICES];

    if (tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK) return fail(&error);
    if (tcplan_sizes_parse(&sizes, contraction, "a=b=c=48,i=8", &error) != TCPLAN_OK) return fail(&error);
    tcplan_sizes_point(sizes, 0, extent);
    if (tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, &error) != TCPLAN_OK) return fail(&error);
    if (tcplan_plan_new(&plan, &problem, NULL, &error) != TCPLAN_OK) return fail(&error);

    char *name = tcplan_algorithm_name(tcplan_plan_algorithm(plan), contraction, TCPLAN_DOUBLE);
    fprintf(stderr, "chosen: %s\n", name ? name : "?");
    free(name);
    const int status = execute(plan, &problem);

    tcplan_plan_free(plan);
    tcplan_sizes_free(sizes);
    tcplan_contraction_free(contraction);
    return status;
}
