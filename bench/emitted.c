/**
 * Compares the execution of a nest in this process with compiled C: times the program and the
 * emitted function alternately, and prints the difference per iteration of the loops.
 *
 *   bench_emitted [SIZES]      default: a=b=c=64,i=8, for C_abc=A_ai*B_ibc and one algorithm of
 *                              every kernel class
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/subject.h"
#include "microbench/timing/clock.h"
#include "microbench/timing/statistics.h"
#include "support/emitted.h"

enum { REPETITIONS = 31 };

static double *numbers(int64_t count) {
    double *values = malloc((size_t)count * sizeof *values);
    if (!values) abort();
    for (int64_t i = 0; i < count; i++) values[i] = 0.5 + (double)(i % 61) / 61;
    return values;
}

/** The operands, which all algorithms share. */
struct operands {
    double *tensor[TCPLAN_OPERANDS];
};

static void compare(const struct tcplan_problem *problem, const char *name,
                    const struct operands *operands) {
    struct tcplan_error error;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_program *program = NULL;
    char *text = NULL;
    subject_check(
        name,
        tcplan_algorithm_parse(&algorithm, problem->contraction, problem->dtype, name, &error),
        &error);
    subject_check(name, tcplan_nest_build(&nest, problem->contraction, &algorithm, &error), &error);
    subject_check(name, tcplan_program_build(&program, nest, problem, &error), &error);
    subject_check(name, tcplan_emit_c(&text, nest, problem, NULL, &error), &error);
    struct emitted *emitted = emitted_build(NULL, text);
    emitted_function *contract = emitted_find(emitted, "contract");
    double program_ns[REPETITIONS];
    double emitted_ns[REPETITIONS];
    for (int r = -1; r < REPETITIONS; r++) { /* the first round is a warm-up */
        const uint64_t start_ns = clock_thread_cpu_ns();
        tcplan_program_run(program, operands->tensor[TCPLAN_A], operands->tensor[TCPLAN_B],
                           operands->tensor[TCPLAN_C]);
        const uint64_t middle_ns = clock_thread_cpu_ns();
        contract(operands->tensor[TCPLAN_A], operands->tensor[TCPLAN_B],
                 operands->tensor[TCPLAN_C]);
        const uint64_t end_ns = clock_thread_cpu_ns();
        program_ns[r < 0 ? 0 : r] = (double)(middle_ns - start_ns);
        emitted_ns[r < 0 ? 0 : r] = (double)(end_ns - middle_ns);
    }
    const double calls = (double)tcplan_program_calls(program);
    const double in_process = statistics_median(program_ns, REPETITIONS);
    const double compiled = statistics_median(emitted_ns, REPETITIONS);
    printf("%-12s %10.0f %14.2f %14.2f %8.3f %16.2f\n", name, calls, in_process / calls,
           compiled / calls, in_process / compiled, (in_process - compiled) / calls);
    emitted_free(emitted);
    free(text);
    tcplan_program_free(program);
    tcplan_nest_free(nest);
}

int main(int argc, char **argv) {
    static const char *const names[] = {"cba-ddot",  "abc-ddot", "cbi-daxpy", "cai-daxpy",
                                        "ica-daxpy", "cb-dgemv", "ca-dgemv",  "ci-dger",
                                        "ib-dger",   "c-dgemm",  "b-dgemm"};
    struct subject subject = subject_open("C_abc=A_ai*B_ibc", argc > 1 ? argv[1] : "a=b=c=64,i=8");
    const struct tcplan_problem problem = subject_problem(&subject, 0);
    struct operands operands;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) operands.tensor[t] = numbers(problem.elems[t]);
    printf("%-12s %10s %14s %14s %8s %16s\n", "algorithm", "calls", "in process ns", "emitted ns",
           "ratio", "difference ns");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        compare(&problem, names[n], &operands);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) free(operands.tensor[t]);
    subject_close(&subject);
    return 0;
}
