/* Tests contraction trees as programs for the layout advice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/naive_network.h"
#include "tcplan/machine.h"
#include "tcplan/network_layouts.h"

/** A network evaluated from left to right, and the layout program of its steps. */
struct subject {
    struct naive_network naive;
    struct tcplan_tree *tree;
    struct tcplan_layout_program *program;
};

static struct subject subject_of(const char *text, const char *sizes) {
    struct subject subject = {
        .naive = naive_network_of(text, sizes, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR)};
    struct tcplan_error error;
    int shared;
    assert_int_equal(tcplan_tree_make(&subject.tree, subject.naive.network, subject.naive.extent,
                                      TCPLAN_DOUBLE, NULL, 0, &error),
                     TCPLAN_OK);
    assert_int_equal(tcplan_tree_share(&shared, subject.tree, 0, &error), TCPLAN_OK);
    assert_int_equal(tcplan_layout_program_new(&subject.program, &error), TCPLAN_OK);
    return subject;
}

static void subject_free(struct subject *subject) {
    tcplan_layout_program_free(subject->program);
    tcplan_tree_free(subject->tree);
    naive_network_free(&subject->naive);
}

static struct tcplan_advice *advise(const struct subject *subject) {
    struct tcplan_machine machine;
    struct tcplan_advise_options options = tcplan_advise_defaults();
    struct tcplan_advice *advice = NULL;
    struct tcplan_error error;
    assert_int_equal(
        tcplan_machine_load(&machine, "l2:1(size=1MiB) l1d:1(size=32KiB) core:1 pu:1", &error),
        TCPLAN_OK);
    options.rank.effort = TCPLAN_EFFORT_ESTIMATE;
    options.rank.machine = &machine;
    options.conversion = TCPLAN_CONVERSION_EACH;
    if (tcplan_advise(&advice, subject->program, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return advice;
}

/** A shared intermediate is one tensor, which both readers name. Steps whose results nothing reads
 * are not in the program. */
static void steps_that_are_executed_are_the_program(void **state) {
    (void)state;
    struct subject subject = subject_of("R_ad=A_ab*B_bc*C_cd+2*A_ax*B_xy*D_yd", "a=b=c=d=x=y=8");
    assert_int_equal(tcplan_network_layouts(subject.program, subject.tree, 3, NULL), TCPLAN_OK);
    struct tcplan_advice *advice = advise(&subject);
    assert_int_equal(advice->item_count, 3);
    assert_true(advice->item[2].weight == 3);
    assert_string_equal(advice->item[2].contraction->tensor[TCPLAN_A].name, "T1");
    assert_string_equal(advice->item[1].contraction->tensor[TCPLAN_A].name, "T1");
    assert_int_equal(advice->tensor_count, 6);
    tcplan_advice_free(advice);
    subject_free(&subject);
}

static void intermediates_change_without_a_conversion(void **state) {
    (void)state;
    struct subject subject = subject_of("E_ad=A_ab*B_bc*C_cd", "a=b=c=d=8");
    assert_int_equal(tcplan_network_layouts(subject.program, subject.tree, 1, NULL), TCPLAN_OK);
    assert_true(tcplan_layout_program_has(subject.program, "T1"));
    assert_int_equal(tcplan_layout_program_choose(subject.program, "T1,C", NULL), TCPLAN_OK);
    struct tcplan_advice *advice = advise(&subject);
    for (int l = 0; l < advice->count; l++) {
        for (int t = 0; t < advice->tensor_count; t++) {
            assert_int_equal(advice->tensor[t].inner, strcmp(advice->tensor[t].name, "T1") == 0);
            const bool moved = advice->layouts[l].dims[t][0] != 0;
            assert_int_equal(advice->layouts[l].conversion[t] > 0,
                             moved && !advice->tensor[t].inner);
        }
    }
    tcplan_advice_free(advice);
    subject_free(&subject);
}

static void names_of_intermediates_are_refused_for_tensors(void **state) {
    (void)state;
    struct subject subject = subject_of("E_ad=A_ab*B_bc*C_cd", "a=b=c=d=8");
    struct tcplan_contraction *contraction;
    struct tcplan_error error;
    const int64_t extent[] = {3, 3};
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "X_a=T1_ab*Y_b", TCPLAN_COLUMN_MAJOR, &error),
        TCPLAN_OK);
    assert_int_equal(tcplan_layout_program_add(subject.program, "before", contraction, extent,
                                               TCPLAN_DOUBLE, 1, &error),
                     TCPLAN_OK);
    assert_int_equal(tcplan_network_layouts(subject.program, subject.tree, 1, &error),
                     TCPLAN_INVALID);
    assert_string_equal(
        error.message,
        "tensor 'T1' has the name of an intermediate of the expression; expected another name");
    assert_int_equal(tcplan_layout_program_settle(subject.program, "Q", &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "no tensor is called 'Q'");
    tcplan_contraction_free(contraction);
    subject_free(&subject);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_are_executed_are_the_program),
        cmocka_unit_test(intermediates_change_without_a_conversion),
        cmocka_unit_test(names_of_intermediates_are_refused_for_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
