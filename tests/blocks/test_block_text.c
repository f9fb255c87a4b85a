/*
 * Tests sections, rules and lists of blocks as text: valid texts give the expected blocks, and
 * malformed texts are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/blocksparse.h"

static enum tcplan_status parse(struct tcplan_block_product **out, const char *notation,
                                const struct tcplan_block_text *text, struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(tcplan_contraction_parse(&contraction, notation, TCPLAN_ROW_MAJOR, NULL),
                     TCPLAN_OK);
    const char *wrong = NULL;
    const enum tcplan_status status =
        tcplan_block_product_parse(out, contraction, text, TCPLAN_DOUBLE, &wrong, error);
    if (status != TCPLAN_OK && error->column > 0) assert_non_null(wrong);
    tcplan_contraction_free(contraction);
    return status;
}

static struct tcplan_block_product *accept(const char *notation,
                                           const struct tcplan_block_text *text) {
    struct tcplan_block_product *product = NULL;
    struct tcplan_error error = {0};
    if (parse(&product, notation, text, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return product;
}

static void repeated_sections_are_listed(void **state) {
    const struct tcplan_block_text text = {.sections = "i=3+2x4 k=j=5"};
    struct tcplan_block_product *product = accept("C_ij=A_ik*B_kj", &text);
    int64_t extent[2];
    (void)state;
    assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_A), 3);
    tcplan_block_product_shape(product, TCPLAN_A, 2, extent, NULL);
    assert_int_equal(extent[0], 4);
    assert_int_equal(extent[1], 5);
    tcplan_block_product_free(product);
}

static void rules_select_blocks(void **state) {
    static const struct {
        const char *sections, *charge;
        int64_t a, b, c;
    } cases[] = {
        /* i and k have charges 0 and 1: A has blocks where the charges are equal */
        {"i=k=j=3@0+5@1", "A:i-k=0; B:k-j=0", 2, 2, 2},
        {"i=k=j=3@0+5@1", "A:i-k=1; B:k-j=0", 1, 2, 1},
        {"i=k=j=3@0+5@1", "A: i + k = 1 mod 2; B: k+j=0 mod 2", 2, 2, 2},
        {"i=k=j=3@-1+5@1", "A:-i+k=0", 2, 4, 4},
        /* one rule for pairs of charges gives 3 blocks; two rules, of which the second holds for
         * all, give 5 */
        {"i=k=j=1@(0,0)+1@(0,1)+1@(1,0)", "A:i-k=0", 3, 9, 9},
        {"i=k=j=1@(0,0)+1@(0,1)+1@(1,0)", "A:i-k=0; A:i-k=0 mod 1", 5, 9, 9},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct tcplan_block_text text = {.sections = cases[c].sections,
                                               .charge = cases[c].charge};
        struct tcplan_block_product *product = accept("C_ij=A_ik*B_kj", &text);
        assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_A), cases[c].a);
        assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_B), cases[c].b);
        assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_C), cases[c].c);
        tcplan_block_product_free(product);
    }
}

static void lists_select_blocks(void **state) {
    const struct tcplan_block_text text = {.sections = "i=k=j=3+5",
                                           .blocks = {"# A\n0 1\n\n1,0 # last\n", "1 0", NULL}};
    struct tcplan_block_product *product = accept("C_ij=A_ik*B_kj", &text);
    (void)state;
    assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_A), 2);
    assert_int_equal(tcplan_block_product_coordinate(product, TCPLAN_A, 1)[0], 1);
    assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_C), 1);
    tcplan_block_product_free(product);
}

static void one_text_lists_blocks_of_several_tensors(void **state) {
    const struct tcplan_block_text text = {
        .sections = "i=k=j=3+5", .blocks = {NULL, "1 0", NULL}, .lists = "A: 0 1|1,0 ;C:0 0|1 1|"};
    struct tcplan_block_product *product = accept("C_ij=A_ik*B_kj", &text);
    (void)state;
    assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_A), 2);
    assert_int_equal(tcplan_block_product_coordinate(product, TCPLAN_A, 1)[0], 1);
    assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_B), 1);
    assert_int_equal(tcplan_block_product_blocks(product, TCPLAN_C), 2);
    tcplan_block_product_free(product);
}

static void bad_text_is_refused(void **state) {
    static const int64_t extent[TCPLAN_MAX_INDICES] = {8, 9, 8};
    static const struct {
        struct tcplan_block_text text;
        size_t column;
        const char *message;
    } cases[] = {
        {{.sections = "i=3+5 k=4"},
         0,
         "index j has no sections; a single section is written j=EXTENT"},
        {{.sections = "i=3 z=4"}, 5, "the contraction has no index 'z'"},
        {{.sections = "i=3 i=4"}, 5, "index 'i' has sections already"},
        {{.sections = "i=0"}, 3, "expected an extent of at least 1, found '0'"},
        {{.sections = "i=3+"}, 5, "expected an extent, found the end"},
        {{.sections = "i=3@0+5"}, 7, "either all sections of an index have charges or none"},
        {{.sections = "i=3@0 k=3@(0,1)"}, 9, "expected 1 charges, as in other sections, found 2"},
        {{.sections = "i=3@99999999999"},
         5,
         "expected a charge up to 1000000000, found '99999999999'"},
        {{.sections = "i=2000000x1"}, 3, "more than 1048576 sections"},
        {{.sections = "i=k=3+5 j=3+5", .extent = extent},
         0,
         "the sections of j add up to 8; its extent is 9"},
        {{.sections = "i=k=j=3", .charge = "A:i-k=0"},
         3,
         "index 'i' has no charges; --sections gives them as 3@0+5@1"},
        {{.sections = "i=k=j=3@0", .charge = "A:i-j=0"}, 5, "A has no index 'j'"},
        {{.sections = "i=k=j=3@0", .charge = "X:i=0"}, 1, "the contraction has no tensor 'X'"},
        {{.sections = "i=k=j=3@0", .charge = "A:i+i=0"}, 5, "index 'i' occurs twice in a rule"},
        {{.sections = "i=k=j=3@0", .charge = "A:i=0 mod 0"},
         11,
         "expected a modulus of at least 1, found '0'"},
        {{.sections = "i=k=j=3@0", .charge = "A:i=0; A:k=0"},
         0,
         "A has 2 rules; expected one, or one for each of 1 charges"},
        {{.sections = "i=k=j=3+5", .blocks = {"0 0\n0 2\n"}},
         0,
         "blocks of A, line 2: index k has no section 2; expected 0 to 1"},
        {{.sections = "i=k=j=3+5", .blocks = {"0 0 1"}},
         0,
         "blocks of A, line 1: expected 2 section numbers, found 3"},
        {{.sections = "i=k=j=3+5", .blocks = {"0 x"}},
         0,
         "blocks of A, line 1: expected a section number, found 'x'"},
        {{.sections = "i=k=j=3+5", .blocks = {"0 1\n0 1\n"}},
         0,
         "blocks 0 and 1 of A are the same, A(0,1); list each block once"},
        {{.sections = "i=k=j=3@0+5@1", .charge = "A:i-k=0", .blocks = {"0 0\n0 1\n"}},
         0,
         "blocks of A, line 2: the rule of A forbids this block"},
        {{.sections = "i=k=j=3+5", .lists = "A:0 0|0 2"},
         0,
         "blocks of A, block 2: index k has no section 2; expected 0 to 1"},
        {{.sections = "i=k=j=3+5", .lists = "A:0 0;X:0 0"}, 7, "the contraction has no tensor 'X'"},
        {{.sections = "i=k=j=3+5", .lists = "A:0 0; A:1 1"}, 8, "the blocks of A are listed twice"},
        {{.sections = "i=k=j=3+5", .blocks = {"0 0"}, .lists = "A:1 1"},
         1,
         "the blocks of A are listed twice"},
        {{.sections = "i=k=j=3+5", .lists = "A 0 0"}, 3, "expected ':', found '0'"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct tcplan_block_product *product = NULL;
        struct tcplan_error error = {0};
        assert_int_equal(parse(&product, "C_ij=A_ik*B_kj", &cases[c].text, &error), TCPLAN_INVALID);
        assert_string_equal(error.message, cases[c].message);
        assert_int_equal(error.column, cases[c].column);
        assert_null(product);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_sections_are_listed),
        cmocka_unit_test(rules_select_blocks),
        cmocka_unit_test(lists_select_blocks),
        cmocka_unit_test(one_text_lists_blocks_of_several_tensors),
        cmocka_unit_test(bad_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
