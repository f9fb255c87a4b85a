/**
 * Stored plans: the first process searches for the fastest algorithm and stores it; the next
 * process reads it without a search.
 *
 *   cc stored_plans.c $(pkg-config --cflags --libs tcplan) -o stored_plans
 *   ./stored_plans plans.tcplan     # compares algorithms
 *   ./stored_plans plans.tcplan     # uses the stored plan, although the indices have other names
 */
#include <stdio.h>
#include <stdlib.h>

#include <tcplan/tcplan.h>

/** Prints an error message. Returns EXIT_FAILURE. */
static int fail(const struct tcplan_error *error) {
    fprintf(stderr, "stored_plans: %s\n", error->message);
    return EXIT_FAILURE;
}

/** Plans one product and prints the origin of the plan. */
static int plan(struct tcplan_planner *planner, const char *notation, const char *sizes) {
    struct tcplan_error error;
    struct tcplan_product *product = NULL;
    struct tcplan_plan *found = NULL;
    if (tcplan_product_parse(&product, notation, sizes, NULL, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
                             &error) != TCPLAN_OK)
        return fail(&error);
    if (tcplan_plan_new(&found, planner, product, &error) != TCPLAN_OK) return fail(&error);
    printf("%s: %s, %s\n", notation, tcplan_plan_algorithm(found),
           tcplan_plan_origin(found) == TCPLAN_PLAN_STORED ? "stored" : "planned");
    tcplan_plan_free(found);
    tcplan_product_free(product);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    const char *file = argc > 1 ? argv[1] : "plans.tcplan";
    struct tcplan_error error;
    struct tcplan_planner *planner = NULL;
    char *text = NULL;

    if (tcplan_planner_new(&planner, &error) != TCPLAN_OK) return fail(&error);
    tcplan_planner_set_effort(planner, TCPLAN_EFFORT_QUICK, NULL);
    if (tcplan_planner_set_plans(planner, file, NULL) != TCPLAN_OK) {
        fprintf(stderr, "stored_plans: '%s' holds something else than plans\n", file);
        return EXIT_FAILURE;
    }
    int status = plan(planner, "C_abc=A_ai*B_ibc", "a=b=c=24,i=8");
    if (status == EXIT_SUCCESS) status = plan(planner, "R_xyz=P_xk*Q_kyz", "x=y=z=24,k=8");
    tcplan_planner_free(planner);

    if (status == EXIT_SUCCESS && tcplan_plans_describe(&text, NULL, file, &error) != TCPLAN_OK)
        status = fail(&error);
    if (text) fputs(text, stderr);
    free(text);
    return status;
}
