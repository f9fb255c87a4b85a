/**
 * Plan once, execute often: C_abc = A_ai B_ibc with the algorithm that is fastest on this machine.
 *
 *   cc plan_once.c $(pkg-config --cflags --libs tcplan) -o plan_once
 */
#include <stdio.h>

#include <tcplan/tcplan.h>

static double A[64 * 8], B[8 * 64 * 64], C[64 * 64 * 64];

int main(void) {
    struct tcplan_error error;
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    if (tcplan_product_parse(&product, "C_abc=A_ai*B_ibc", "a=b=c=64,i=8", NULL, TCPLAN_DOUBLE,
                             TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK ||
        tcplan_plan_new(&plan, NULL, product, &error) != TCPLAN_OK) {
        fprintf(stderr, "plan_once: %s\n", error.message);
        tcplan_product_free(product);
        return 1;
    }
    for (int i = 0; i < 64 * 8; i++) A[i] = 1;
    for (int i = 0; i < 8 * 64 * 64; i++) B[i] = 0.5;

    enum tcplan_status status = TCPLAN_OK;
    for (int step = 0; status == TCPLAN_OK && step < 10; step++)
        status = tcplan_plan_execute(plan, A, B, C, NULL);
    printf("%s: every element of C is %g\n", tcplan_plan_algorithm(plan), C[0]);

    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return status == TCPLAN_OK && C[0] == 4 && C[64 * 64 * 64 - 1] == 4 ? 0 : 1;
}
