/**
 * Plan once, execute often: chooses the algorithm of C_abc = A_ai B_ibc for one set of sizes on this machine and runs it.
 *
 *   cc plan_once.c $(pkg-config --cflags --libs tcplan) -o plan_once
 */
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/tcplan.h>

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
static int execute(struct tcplan_plan *plan, const struct tcplan_product *product) {
    double *A = numbers(tcplan_product_span(product, TCPLAN_A, NULL));
    double *B = numbers(tcplan_product_span(product, TCPLAN_B, NULL));
    double *C = numbers(tcplan_product_span(product, TCPLAN_C, NULL));
    enum tcplan_status status = A && B && C ? TCPLAN_OK : TCPLAN_NO_MEMORY;
    for (int step = 0; status == TCPLAN_OK && step < 10; step++) status = tcplan_plan_execute(plan, A, B, C);
    if (status == TCPLAN_OK) printf("C[0,0,0] = %.6f\n", C[0]);
    free(A);
    free(B);
    free(C);
    return status == TCPLAN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(void) {
    struct tcplan_error error;
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;

    if (tcplan_product_parse(&product, "C_abc=A_ai*B_ibc", "a=b=c=48,i=8", NULL, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK) {
        return fail(&error);
    }
    if (tcplan_plan_new(&plan, NULL, product, &error) != TCPLAN_OK) return fail(&error);
    fprintf(stderr, "chosen: %s\n", tcplan_plan_algorithm(plan));
    const int status = execute(plan, product);

    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return status;
}
