#include <stdio.h>
#include <stdlib.h>

#include <tcplan/tcplan.h>

/** A program that uses the installed library: makes a product, plans it with a named algorithm, and
 * executes the plan. */
int main(void) {
    struct tcplan_error error;
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    const double A[] = {1, 2, 3, 4, 5, 6},
                 B[] = {1, 0, 2,
                        1, 1, 1}; /* matrices of 2 x 3 and 3 x 2 elements, in column-major order */
    double C[4] = {0};
    if (tcplan_product_parse(&product, "C_ab = A_ai * B_ib", "a=b=2,i=3", NULL, TCPLAN_DOUBLE,
                             TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK)
        return 1;
    if (tcplan_plan_named(&plan, NULL, product, "dgemm", &error) != TCPLAN_OK) return 2;
    if (tcplan_plan_execute(plan, A, B, C, NULL) != TCPLAN_OK) return 3;
    if (C[0] != 11 || C[1] != 14 || C[2] != 9 || C[3] != 12) return 4;
    char *text = tcplan_product_text(product);
    printf("tcplan %s: %s\n", TCPLAN_VERSION_STRING, text ? text : "out of memory");
    free(text);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    return 0;
}
