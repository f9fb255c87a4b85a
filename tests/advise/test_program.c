/*
 * Tests programs of contractions: tensors of the same name are one tensor, contractions are written
 * in other layouts, and equal contractions are found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "plan/advise/program.h"
#include "tcplan/machine.h"
#include "tcplan/sizes.h"
#include "tcplan/strides.h"

/** Adds a contraction to a layout program; on success, the error's message must be empty. */
static enum tcplan_status add(struct tcplan_layout_program *program, const char *name,
                              const char *formula, const char *sizes, const char *strides,
                              enum tcplan_dtype dtype, enum tcplan_order order,
                              struct tcplan_error *error) {
    struct tcplan_contraction *contraction;
    struct tcplan_sizes *points;
    int64_t extent[TCPLAN_MAX_INDICES];
    assert_int_equal(tcplan_contraction_parse(&contraction, formula, order, error), TCPLAN_OK);
    assert_int_equal(tcplan_strides_parse(contraction, strides, error), TCPLAN_OK);
    assert_int_equal(tcplan_sizes_parse(&points, contraction, sizes, error), TCPLAN_OK);
    tcplan_sizes_point(points, 0, extent);
    *error = (struct tcplan_error){0};
    const enum tcplan_status status =
        tcplan_layout_program_add(program, name, contraction, extent, dtype, 1, error);
    tcplan_sizes_free(points);
    tcplan_contraction_free(contraction);
    return status;
}

static struct tcplan_layout_program *program_of(const char *formula, const char *sizes) {
    struct tcplan_layout_program *program;
    struct tcplan_error error;
    assert_int_equal(tcplan_layout_program_new(&program, &error), TCPLAN_OK);
    assert_int_equal(
        add(program, "one", formula, sizes, "", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error),
        TCPLAN_OK);
    return program;
}

static void one_name_is_one_tensor(void **state) {
    struct tcplan_error error;
    struct tcplan_layout_program *program = program_of("T_abic=V_ijab*S_jc", "a=b=10,i=8,j=9,c=11");
    (void)state;
    assert_int_equal(add(program, "two", "R_xy=T_xzuy*W_zu", "x=z=10,u=8,y=11", "", TCPLAN_DOUBLE,
                         TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OK);
    assert_int_equal(program->tensor_count, 5);
    assert_int_equal(program->operands[1].tensor[TCPLAN_A], program->operands[0].tensor[TCPLAN_C]);
    tcplan_layout_program_free(program);
}

static void tensors_that_disagree_are_refused(void **state) {
    static const struct {
        const char *formula, *sizes;
        enum tcplan_dtype dtype;
        enum tcplan_order order;
        const char *message;
    } bad[] = {
        {"D_a=T_ab*F_b", "a=b=10", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
         "tensor 'T' has 2 dimensions, expected 3 as in 'one': equal names are one tensor"},
        {"D=T_a*F_a", "a=10", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
         "tensor 'T' has 1 dimension, expected 3 as in 'one': equal names are one tensor"},
        {"D_a=T_abc*F_bc", "a=10,b=9,c=8", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
         "tensor 'T' is 10 x 9 x 8, expected 10 x 11 x 8 as in 'one': equal names are one tensor"},
        {"D_a=T_abc*F_bc", "a=10,b=11,c=8", TCPLAN_FLOAT, TCPLAN_COLUMN_MAJOR,
         "tensor 'T' has type s, expected d as in 'one': equal names are one tensor"},
        {"D_a=T_abc*F_bc", "a=10,b=11,c=8", TCPLAN_DOUBLE, TCPLAN_ROW_MAJOR,
         "tensor 'T' is row-major, expected column-major as in 'one': equal names are one tensor"},
    };
    (void)state;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        struct tcplan_error error;
        struct tcplan_layout_program *program = program_of("C_ab=T_abi*B_i", "a=10,b=11,i=8");
        assert_int_equal(add(program, "two", bad[b].formula, bad[b].sizes, "", bad[b].dtype,
                             bad[b].order, &error),
                         TCPLAN_INVALID);
        assert_string_equal(error.message, bad[b].message);
        assert_int_equal(program->item_count, 1);
        assert_int_equal(program->tensor_count, 3);
        tcplan_layout_program_free(program);
    }
}

static void unknown_and_repeated_names_are_marked(void **state) {
    static const struct {
        const char *names, *message;
        size_t column, length;
    } bad[] = {
        {"C,Q", "no tensor is called 'Q'; expected names of A, B, C", 3, 1},
        {"C, C", "tensor 'C' is named twice", 4, 1},
        {"", "no tensor is called ''; expected names of A, B, C", 1, 0},
        {"C,", "no tensor is called ''; expected names of A, B, C", 3, 0},
        {"B", "tensor 'B' has strides, so it is part of a larger array: its layout cannot change",
         1, 1},
    };
    struct tcplan_error error;
    struct tcplan_layout_program *program;
    (void)state;
    assert_int_equal(tcplan_layout_program_new(&program, &error), TCPLAN_OK);
    assert_int_equal(add(program, "one", "C_ab=A_ai*B_ib", "a=b=i=8", "B=1,9", TCPLAN_DOUBLE,
                         TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OK);
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        assert_int_equal(tcplan_layout_program_choose(program, bad[b].names, &error),
                         TCPLAN_INVALID);
        assert_string_equal(error.message, bad[b].message);
        assert_int_equal(error.column, bad[b].column);
        assert_int_equal(error.length, bad[b].length);
    }
    assert_int_equal(tcplan_layout_program_choose(program, " C ,A", &error), TCPLAN_OK);
    assert_true(program->tensor[0].free && !program->tensor[1].free && program->tensor[2].free);
    tcplan_layout_program_free(program);
}

/** Sets layout[t] of each tensor t to its present layout, except for one tensor. */
static void set(struct layout layout[], const struct tcplan_layout_program *program, int tensor,
                const char *order) {
    for (int t = 0; t < program->tensor_count; t++)
        layout[t] = layout_today(program->tensor[t].rank);
    for (int d = 0; order[d]; d++) layout[tensor].dim[d] = (uint8_t)(order[d] - '0');
}

static void contractions_are_written_in_layouts(void **state) {
    struct tcplan_layout_program *program =
        program_of("D_ab=0.5*conj(A)_aib*B_bi+2*C_ba", "a=5,b=6,i=7");
    struct layout layout[4];
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_error error;
    (void)state;
    assert_string_equal(program->tensor[0].name, "A");
    set(layout, program, 0, "201");
    char *text = program_formula(program, 0, layout);
    assert_string_equal(text, "D_ab=0.5*A_bai*B_bi+2*C_ba"); /* conjugation has no effect on a real
                                                                type */
    free(text);
    text = program_tensor_text(program, 0, &layout[0]);
    assert_string_equal(text, "A_bai");
    free(text);
    assert_int_equal(program_relay(&problem, &contraction, program, 0, layout, &error), TCPLAN_OK);
    assert_int_equal(problem.elems[TCPLAN_A], 210);
    assert_int_equal(problem.extent[0], 5);
    tcplan_contraction_free(contraction);
    tcplan_layout_program_free(program);
}

static void assert_keys(const char *formula, const char *sizes, int tensor, const char *order,
                        int other, const char *other_order, bool equal) {
    struct tcplan_layout_program *program = program_of(formula, sizes);
    struct layout layout[4], second[4];
    set(layout, program, tensor, order);
    set(second, program, other, other_order);
    char *a = program_key(program, 0, layout), *b = program_key(program, 0, second);
    if ((strcmp(a, b) == 0) != equal) fail_msg("%s: %s and %s", formula, a, b);
    free(a);
    free(b);
    tcplan_layout_program_free(program);
}

static void equal_layouts_have_one_key(void **state) {
    (void)state;
    assert_keys("C_ab=A_aij*B_ijb", "a=b=9,i=j=8", 0, "021", 1, "102",
                true); /* equal: exchanging the names i and j turns one into the other */
    assert_keys("C_ab=A_aij*B_ijb", "a=b=9,i=8,j=7", 0, "021", 1, "102",
                false); /* different: i and j have different extents */
    assert_keys("C_ab=A_aij*B_ijb", "a=b=9,i=8,j=7", 0, "012", 1, "012",
                true); /* equal contractions */
    assert_keys("C_ab=A_aij*B_ijb", "a=b=9,i=8,j=8", 0, "120", 1, "201",
                false); /* different: one layout transposes A, the other B */
}

static void indices_side_by_side_are_one(void **state) {
    struct layout layout[4];
    (void)state;
    struct tcplan_layout_program *wide = program_of("C_ab=A_aij*B_ijb", "a=9,b=5,i=8,j=7");
    struct tcplan_layout_program *narrow = program_of("C_ab=A_ai*B_ib", "a=9,b=5,i=56");
    set(layout, wide, 0, "");
    char *a = program_key(wide, 0, layout);
    set(layout, narrow, 0, "");
    char *b = program_key(narrow, 0, layout);
    assert_string_equal(a, b);
    free(a);
    free(b);
    tcplan_layout_program_free(wide);
    tcplan_layout_program_free(narrow);
}

static void uses_are_counted_with_their_weights(void **state) {
    struct tcplan_error error;
    struct tcplan_layout_program *program = program_of("C_ab+=A_ai*B_ib", "a=b=i=8");
    (void)state;
    assert_int_equal(add(program, "two", "D_ab=C_ai*C_ib", "a=b=i=8", "", TCPLAN_DOUBLE,
                         TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OK);
    assert_true(program_copies(program, program->operands[0].tensor[TCPLAN_A]) == 1);
    assert_true(program_copies(program, program->operands[0].tensor[TCPLAN_C]) ==
                3); /* 3 copies: C is read and written, and it is one of the factors */
    tcplan_layout_program_free(program);
}

static struct tcplan_advice *advise(const char *formula, const char *sizes,
                                    struct tcplan_layout_program **program,
                                    enum tcplan_conversion conversion) {
    static struct tcplan_machine machine;
    struct tcplan_advise_options options = tcplan_advise_defaults();
    struct tcplan_advice *advice;
    struct tcplan_error error;
    *program = program_of(formula, sizes);
    assert_int_equal(
        tcplan_machine_load(&machine, "l2:1(size=1MiB) l1d:1(size=32KiB) core:1 pu:1", &error),
        TCPLAN_OK);
    options.rank.machine = &machine;
    options.rank.effort = TCPLAN_EFFORT_ESTIMATE;
    options.conversion = conversion;
    if (tcplan_advise(&advice, *program, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return advice;
}

static void estimates_advise_without_timing(void **state) {
    struct tcplan_layout_program *program;
    struct tcplan_advice *advice =
        advise("C_abc=A_ija*B_jbic", "a=b=c=40,i=20,j=30", &program, TCPLAN_CONVERSION_NEVER);
    (void)state;
    assert_true(advice->exact && advice->combinations == 864 && advice->planned_count == 0);
    assert_true(advice->layouts[advice->today].is_today);
    assert_true(advice->layouts[0].net_seconds <= advice->layouts[advice->today].net_seconds);
    assert_true(advice->estimates < 864);
    tcplan_advice_free(advice);
    tcplan_layout_program_free(program);
}

static void the_net_time_includes_conversions(void **state) {
    struct tcplan_layout_program *program;
    struct tcplan_advice *advice =
        advise("C_abc=A_ija*B_jbic", "a=b=c=40,i=20,j=30", &program, TCPLAN_CONVERSION_EACH);
    (void)state;
    for (int l = 0; l < advice->count; l++) {
        const struct tcplan_layouts *layouts = &advice->layouts[l];
        assert_true(layouts->is_today == (layouts->conversion_seconds == 0));
        assert_true(layouts->net_seconds == layouts->seconds + layouts->conversion_seconds ||
                    layouts->changed > 1);
    }
    tcplan_advice_free(advice);
    tcplan_layout_program_free(program);
}

static void without_memory_nothing_is_left(void **state) {
    (void)state;
    for (long successes = 0; successes < 100; successes++) {
        struct tcplan_layout_program *program = program_of("C_ab=A_aij*B_ijb", "a=b=9,i=8,j=7");
        struct tcplan_error error;
        base_alloc_fail_after(successes);
        const enum tcplan_status status =
            tcplan_layout_program_add(program, "two", program->item[0].contraction,
                                      program->item[0].extent, TCPLAN_DOUBLE, 1, &error);
        base_alloc_fail_after(-1);
        assert_int_equal(program->item_count, status == TCPLAN_OK ? 2 : 1);
        tcplan_layout_program_free(program);
        if (status == TCPLAN_OK) return;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
    }
    fail_msg("it never has enough");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_name_is_one_tensor),
        cmocka_unit_test(tensors_that_disagree_are_refused),
        cmocka_unit_test(unknown_and_repeated_names_are_marked),
        cmocka_unit_test(contractions_are_written_in_layouts),
        cmocka_unit_test(equal_layouts_have_one_key),
        cmocka_unit_test(indices_side_by_side_are_one),
        cmocka_unit_test(uses_are_counted_with_their_weights),
        cmocka_unit_test(estimates_advise_without_timing),
        cmocka_unit_test(the_net_time_includes_conversions),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
