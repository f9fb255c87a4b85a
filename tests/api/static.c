/**
 * A program that defines functions with the names of internal functions of the static library that
 * it is linked with. The program calls its own functions, and the library calls the library's.
 */
#include <stdio.h>

#include <tcplan/tcplan.h>

static int own_calls;

int error_set(void);
int strbuf_add(void);
int base_alloc(void);
int buffers_free(void);
int knowledge_machine(void);

int error_set(void) {
    return ++own_calls;
}

int strbuf_add(void) {
    return ++own_calls;
}

int base_alloc(void) {
    return ++own_calls;
}

int buffers_free(void) {
    return ++own_calls;
}

int knowledge_machine(void) {
    return ++own_calls;
}

int main(void) {
    const double A[4] = {1, 2, 3, 4}, B[4] = {1, 0, 0, 1};
    double C[4] = {0};
    struct tcplan_error error;
    struct tcplan_product *product = NULL;
    struct tcplan_plan *plan = NULL;
    enum tcplan_status status = tcplan_product_parse(&product, "C_ab=A_ai*B_ib", "a=b=i=2", NULL,
                                                     TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error);
    if (status == TCPLAN_OK) status = tcplan_plan_named(&plan, NULL, product, "dgemm", &error);
    if (status == TCPLAN_OK) status = tcplan_plan_execute(plan, A, B, C, NULL);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    if (status != TCPLAN_OK || own_calls != 0) return 1;
    for (int e = 0; e < 4; e++) {
        if (C[e] != A[e]) return 1;
    }
    if (error_set() + strbuf_add() + base_alloc() + buffers_free() + knowledge_machine() != 15)
        return 1;
    printf("the program's functions and the library's are apart\n");
    return 0;
}
