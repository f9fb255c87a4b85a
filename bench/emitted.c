/**
 * Whether executing a nest in this process takes as long as compiled C: the emitted function against the program, interleaved, with the
 * difference per loop step.
 *
 *   bench_emitted [SIZES]      default: a=b=c=64,i=8, for C_abc=A_ai*B_ibc and one algorithm of every kernel class
 */
#include <stdio.h>
#include <stdlib.h>

#include "microbench/clock.h"
#include "microbench/statistics.h"
#include "support/emitted.h"
#include "tcplan/tcplan.h"

enum { REPETITIONS = 31 };

static void fail(const struct tcplan_error *error) {
    fprintf(stderr, "bench_emitted: %s\n", error->message);
    exit(1);
}

static double *numbers(int64_t count) {
    double *values = malloc((size_t)count * sizeof *values);
    if (!values) abort();
    for (int64_t i = 0; i < count; i++) values[i] = 0.5 + (double)(i % 61) / 61;
    return values;
}

/** Operands, shared by all algorithms. */
struct operands {
    double *tensor[TCPLAN_OPERANDS];
};

static void compare(const struct tcplan_problem *problem, const char *name, const struct operands *operands) {
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    char *text = NULL;
    if (tcplan_algorithm_parse(&algorithm, problem->contraction, problem->dtype, name, &error) != TCPLAN_OK) fail(&error);
    if (tcplan_nest_build(&nest, problem->contraction, &algorithm, &error) != TCPLAN_OK) fail(&error);
    if (tcplan_program_build(&program, nest, problem, &error) != TCPLAN_OK) fail(&error);
    if (tcplan_emit_c(&text, nest, problem, NULL, &error) != TCPLAN_OK) fail(&error);
    struct emitted *emitted = emitted_build(NULL, text);
    emitted_function *contract = emitted_find(emitted, "contract");
    double program_ns[REPETITIONS];
    double emitted_ns[REPETITIONS];
    for (int r = -1; r < REPETITIONS; r++) { /* the first round warms up */
        const uint64_t start_ns = clock_thread_cpu_ns();
        tcplan_program_run(program, operands->tensor[TCPLAN_A], operands->tensor[TCPLAN_B], operands->tensor[TCPLAN_C]);
        const uint64_t middle_ns = clock_thread_cpu_ns();
        contract(operands->tensor[TCPLAN_A], operands->tensor[TCPLAN_B], operands->tensor[TCPLAN_C]);
        const uint64_t end_ns = clock_thread_cpu_ns();
        program_ns[r < 0 ? 0 : r] = (double)(middle_ns - start_ns);
        emitted_ns[r < 0 ? 0 : r] = (double)(end_ns - middle_ns);
    }
    const double calls = (double)tcplan_program_calls(program);
    const double in_process = statistics_median(program_ns, REPETITIONS);
    const double compiled = statistics_median(emitted_ns, REPETITIONS);
    printf("%-12s %10.0f %14.2f %14.2f %8.3f %16.2f\n", name, calls, in_process / calls, compiled / calls, in_process / compiled,
           (in_process - compiled) / calls);
    emitted_free(emitted);
    free(text);
    tcplan_program_free(program);
    tcplan_nest_free(nest);
}

int main(int argc, char **argv) {
    static const char *const names[] = {"cba-ddot", "abc-ddot", "cbi-daxpy", "cai-daxpy", "ica-daxpy", "cb-dgemv",
                                        "ca-dgemv", "ci-dger",  "ib-dger",   "c-dgemm",   "b-dgemm"};
    struct tcplan_error error = {0};
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_problem problem;
    int64_t extent[TCPLAN_MAX_INDICES];
    if (tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK) fail(&error);
    if (tcplan_sizes_parse(&sizes, contraction, argc > 1 ? argv[1] : "a=b=c=64,i=8", &error) != TCPLAN_OK) fail(&error);
    tcplan_sizes_point(sizes, 0, extent);
    if (tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, &error) != TCPLAN_OK) fail(&error);
    struct operands operands;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) operands.tensor[t] = numbers(problem.elems[t]);
    printf("%-12s %10s %14s %14s %8s %16s\n", "algorithm", "calls", "in process ns", "emitted ns", "ratio", "difference ns");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) compare(&problem, names[n], &operands);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) free(operands.tensor[t]);
    tcplan_sizes_free(sizes);
    tcplan_contraction_free(contraction);
    return 0;
}
