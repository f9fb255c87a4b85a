#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tcplan/sizes.h"

/* The indices of this contraction are a, b, c, i in that order. */
static const char abci[] = "C_abc=A_ai*B_ibc";

static struct tcplan_contraction *contraction_of(const char *text) {
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    return contraction;
}

static struct tcplan_sizes *parse_for(const char *notation, const char *text) {
    struct tcplan_contraction *contraction = contraction_of(notation);
    struct tcplan_error error = {0};
    struct tcplan_sizes *sizes = NULL;
    if (tcplan_sizes_parse(&sizes, contraction, text, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    tcplan_contraction_free(contraction); /* parsed sizes do not depend on the contraction */
    return sizes;
}

static void assert_point(const struct tcplan_sizes *sizes, int64_t point, int64_t a, int64_t b,
                         int64_t c, int64_t i) {
    int64_t extent[TCPLAN_MAX_INDICES];
    memset(extent, 0xff, sizeof extent);
    tcplan_sizes_point(sizes, point, extent);
    assert_true(extent[0] == a && extent[1] == b && extent[2] == c && extent[3] == i);
    for (int index = 4; index < TCPLAN_MAX_INDICES; index++) assert_true(extent[index] == 0);
}

static void assert_only_point(const char *text, int64_t a, int64_t b, int64_t c, int64_t i) {
    struct tcplan_sizes *sizes = parse_for(abci, text);
    assert_true(tcplan_sizes_count(sizes) == 1);
    assert_point(sizes, 0, a, b, c, i);
    tcplan_sizes_free(sizes);
}

/** Checks that sizes for C_abc=A_ai*B_ibc are refused with `message`, where `length` bytes from
 * `column` on are marked. */
static void assert_refused(const char *text, size_t column, size_t length, const char *message) {
    struct tcplan_contraction *contraction = contraction_of(abci);
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error;
    assert_int_equal(tcplan_sizes_parse(&sizes, contraction, text, &error), TCPLAN_INVALID);
    assert_null(sizes);
    assert_int_equal(error.status, TCPLAN_INVALID);
    assert_string_equal(error.message, message);
    if (error.column != column || error.length != length) {
        fail_msg("%s: marks %zu+%zu, expected %zu+%zu", text, error.column, error.length, column,
                 length);
    }
    tcplan_contraction_free(contraction);
}

static void each_index_gets_its_extent(void **state) {
    (void)state;
    assert_only_point("a=1,b=20,c=300,i=4000", 1, 20, 300, 4000);
    assert_only_point("i=8,c=3,b=2,a=1", 1, 2, 3, 8);
    assert_only_point("a=2147483647,b=1,c=007,i=1", 2147483647, 1, 7, 1);
}

static void indices_share_an_extent(void **state) {
    (void)state;
    assert_only_point("a=b=c=400,i=8", 400, 400, 400, 8);
    assert_only_point("i=a=b=c=5", 5, 5, 5, 5);
    assert_only_point("i=b=2,c=a=3", 3, 2, 3, 2);
}

static void blanks_separate_as_commas_do(void **state) {
    (void)state;
    assert_only_point("a=1 b=20\tc=300  i=4000", 1, 20, 300, 4000);
    assert_only_point("a=b =c=4 i= 8", 4, 4, 4, 8);
    assert_only_point("a=1, b=2 c=3 ,i=4:4:1", 1, 2, 3, 4);
    assert_only_point("a=1,b=2,c=3,i=4, ", 1, 2, 3, 4);
}

static void spaces_and_tabs_separate_tokens(void **state) {
    (void)state;
    assert_only_point(" a = b\t=c = 400 , i = 8 ", 400, 400, 400, 8);
    assert_only_point("a=b=c=4 : 4 : 1,i=8", 4, 4, 4, 8);
}

static void a_sweep_is_inclusive(void **state) {
    (void)state;
    struct tcplan_sizes *sizes = parse_for(abci, "a=b=c=64:512:64,i=8");
    assert_true(tcplan_sizes_count(sizes) == 8);
    for (int64_t point = 0; point < 8; point++)
        assert_point(sizes, point, 64 * (point + 1), 64 * (point + 1), 64 * (point + 1), 8);
    tcplan_sizes_free(sizes);
}

static void a_sweep_stops_before_it_passes_its_last_extent(void **state) {
    (void)state;
    struct tcplan_sizes *sizes = parse_for(abci, "a=b=c=10:29:10,i=1:1:5");
    assert_true(tcplan_sizes_count(sizes) == 2);
    assert_point(sizes, 1, 20, 20, 20, 1);
    tcplan_sizes_free(sizes);
}

static void several_sweeps_give_every_combination_the_last_fastest(void **state) {
    (void)state;
    struct tcplan_sizes *sizes = parse_for(abci, "i=1:2:1,a=b=7,c=10:30:10");
    assert_true(tcplan_sizes_count(sizes) == 6);
    for (int64_t point = 0; point < 6; point++)
        assert_point(sizes, point, 7, 7, 10 * (point % 3 + 1), point / 3 + 1);
    tcplan_sizes_free(sizes);
}

static void names_may_be_long(void **state) {
    (void)state;
    struct tcplan_sizes *sizes =
        parse_for("C[row,col]=A[row,k_1]*B[k_1,col]", "row=col=3:4:1,k_1=5");
    int64_t extent[TCPLAN_MAX_INDICES];
    tcplan_sizes_point(sizes, 1, extent);
    assert_true(extent[0] == 4 && extent[1] == 4 && extent[2] == 5);
    tcplan_sizes_free(sizes);
}

static void a_contraction_without_indices_needs_no_sizes(void **state) {
    (void)state;
    struct tcplan_sizes *sizes = parse_for("C=A*B", " ");
    assert_true(tcplan_sizes_count(sizes) == 1);
    tcplan_sizes_free(sizes);
}

static void missing_extents_are_listed(void **state) {
    (void)state;
    assert_refused("", 0, 0, "no extent for indices a, b, c, i; expected one for every index");
    assert_refused("a=4,c=3", 0, 0, "no extent for indices b, i; expected one for every index");
}

static void names_of_no_index_are_listed_if_asked(void **state) {
    struct tcplan_contraction *contraction = contraction_of(abci);
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error;
    char unused[TCPLAN_SIZES_UNUSED];
    (void)state;
    assert_int_equal(
        tcplan_sizes_parse_more(&sizes, contraction, "a=x=2,b=c=3,y=1:9:2 i=4 z=0", unused, &error),
        TCPLAN_OK);
    assert_string_equal(unused, "x, y, z");
    assert_true(tcplan_sizes_count(sizes) == 1);
    assert_point(sizes, 0, 2, 3, 3, 4);
    tcplan_sizes_free(sizes);
    assert_int_equal(tcplan_sizes_parse_more(&sizes, contraction, "a=b=c=2,l=3", unused, &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, "no extent for index i; expected one for every index; the "
                                       "contraction has no index l");
    tcplan_contraction_free(contraction);
}

static void unknown_and_repeated_indices_are_refused(void **state) {
    (void)state;
    assert_refused("a=b=c=4,i=8,x=1", 13, 1,
                   "the contraction has no index 'x'; its indices: a, b, c, i");
    assert_refused("aa=4", 1, 2, "the contraction has no index 'aa'; its indices: a, b, c, i");
    assert_refused("a=b=c=4,i=8,a=4", 13, 1, "index 'a' has an extent already");
    assert_refused("a=a=4", 3, 1, "index 'a' has an extent already");
}

static void malformed_text_is_refused_with_its_position(void **state) {
    (void)state;
    assert_refused("=", 1, 1, "expected an index name, found '='");
    assert_refused("4=a", 1, 1, "expected an index name, found '4'");
    assert_refused(",a=4", 1, 1, "expected an index name, found ','");
    assert_refused("a=b=c=4,i=8,,", 13, 1, "expected an index name or the end, found ','");
    assert_refused("a", 2, 0, "expected '=' and an extent, found the end");
    assert_refused("a=b", 4, 0, "expected '=' and an extent, found the end");
    assert_refused("a4", 1, 2, "the contraction has no index 'a4'; its indices: a, b, c, i");
    assert_refused("a:4", 2, 1, "expected '=' and an extent, found ':'");
    assert_refused("a=", 3, 0, "expected an extent, found the end");
    assert_refused("a=,b=3", 3, 1, "expected an extent, found ','");
    assert_refused("a==3", 3, 1, "expected an extent, found '='");
    assert_refused("a=b=c=4 i", 10, 0, "expected '=' and an extent, found the end");
    assert_refused("a=b=c=4;i=8", 8, 1, "expected an index name or the end, found ';'");
    assert_refused("a=4\n", 4, 1, "byte 0x0a at position 4 is not printable ASCII");
}

static void extents_that_are_no_whole_numbers_are_refused(void **state) {
    (void)state;
    static const char *const fractions[] = {"1.5", "1e3", "+3",    "3x", "0x10",
                                            "--1", "-",   "1_000", "4-2"};
    for (size_t n = 0; n < sizeof fractions / sizeof *fractions; n++) {
        char text[40], message[80];
        snprintf(text, sizeof text, "i=%s,a=b=c=1", fractions[n]);
        snprintf(message, sizeof message, "expected an extent as a whole number, found '%s'",
                 fractions[n]);
        assert_refused(text, 3, strlen(fractions[n]), message);
    }
    assert_refused("i=-1", 3, 2, "expected an extent of at least 0, found '-1'");
    assert_refused("i=-0", 3, 2, "expected an extent of at least 0, found '-0'");
    assert_refused("i=-99999999999999999999", 3, 21,
                   "expected an extent of at least 0, found '-99999999999999999999'");
}

static void extents_beyond_the_blas_integer_are_refused(void **state) {
    (void)state;
    assert_refused("i=2147483648", 3, 10,
                   "'2147483648' exceeds the largest BLAS integer, 2147483647");
    assert_refused("i=99999999999999999999999", 3, 23,
                   "'99999999999999999999999' exceeds the largest BLAS integer, 2147483647");
    assert_refused("i=1:2147483648:1", 5, 10,
                   "'2147483648' exceeds the largest BLAS integer, 2147483647");
    assert_refused("i=1:2:2147483648", 7, 10,
                   "'2147483648' exceeds the largest BLAS integer, 2147483647");
}

static void malformed_sweeps_are_refused(void **state) {
    (void)state;
    assert_refused("i=4:8", 6, 0, "expected ':' and the step (first:last:step), found the end");
    assert_refused("i=4:8,a=3", 6, 1, "expected ':' and the step (first:last:step), found ','");
    assert_refused("i=4:,a=3", 5, 1, "expected the last extent, found ','");
    assert_refused("i=4:8:", 7, 0, "expected a step, found the end");
    assert_refused("i=8:4:1", 3, 3, "the last extent 4 is smaller than the first, 8");
    assert_refused("i=4:8:0", 7, 1, "expected a step of at least 1, found '0'");
    assert_refused("i=4:8:-1", 7, 2, "expected a step of at least 1, found '-1'");
    assert_refused("i=4:8:1:2", 8, 1, "expected an index name or the end, found ':'");
    assert_refused("i=-1:8:1", 3, 2, "expected an extent of at least 0, found '-1'");
}

static void more_points_than_can_be_counted_are_an_overflow(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = contraction_of(abci);
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error;
    enum tcplan_status status = tcplan_sizes_parse(
        &sizes, contraction, "a=1:2147483647:1,b=1:2147483647:1,c=1:2147483647:1,i=1", &error);
    assert_int_equal(status, TCPLAN_OVERFLOW);
    assert_int_equal(error.status, TCPLAN_OVERFLOW);
    assert_null(sizes);
    assert_string_equal(
        error.message,
        "with the sweep '1:2147483647:1' there are more than 9223372036854775807 size points");
    assert_int_equal(error.column, 37);
    assert_int_equal(error.length, 14);
    tcplan_contraction_free(contraction);
}

static void the_last_of_very_many_points_is_right(void **state) {
    (void)state;
    struct tcplan_sizes *sizes = parse_for(abci, "a=1:2147483647:1,b=1:2147483647:1,c=5,i=1");
    int64_t count = tcplan_sizes_count(sizes);
    assert_true(count == INT64_C(2147483647) * 2147483647);
    assert_point(sizes, count - 1, 2147483647, 2147483647, 5, 1);
    assert_point(sizes, 2147483647, 2, 1, 5, 1);
    tcplan_sizes_free(sizes);
}

static void long_lists_of_names_are_cut(void **state) {
    (void)state;
    char notation[1000], name[101] = "";
    memset(name, 'n', 100);
    snprintf(notation, sizeof notation, "C=A[k,%s,%s1]*B[k,%s,%s1]", name, name, name, name);
    struct tcplan_contraction *contraction = contraction_of(notation);
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error;
    assert_int_equal(tcplan_sizes_parse(&sizes, contraction, "", &error), TCPLAN_INVALID);
    char expected[TCPLAN_MESSAGE_SIZE];
    snprintf(expected, sizeof expected,
             "no extent for indices k, %s, ...; expected one for every index", name);
    assert_string_equal(error.message, expected);
    tcplan_contraction_free(contraction);
}

static void every_short_text_is_read_or_refused_with_a_mark(void **state) {
    (void)state;
    static const char alphabet[] = "ai=1:,- .";
    enum { LETTERS = sizeof alphabet - 1, LENGTH = 5 };
    struct tcplan_contraction *contraction = contraction_of("C_a=A_ai*B_i");
    for (int number = 0; number < 59049; number++) {
        char text[LENGTH + 1] = "";
        for (int i = 0, rest = number; i < LENGTH; i++, rest /= LETTERS)
            text[i] = alphabet[rest % LETTERS];
        struct tcplan_sizes *sizes = NULL;
        struct tcplan_error error = {0};
        if (tcplan_sizes_parse(&sizes, contraction, text, &error) != TCPLAN_OK) {
            assert_true(error.message[0] != '\0' &&
                        (error.column == 0 || error.column - 1 + error.length <= LENGTH));
        }
        tcplan_sizes_free(sizes);
    }
    tcplan_contraction_free(contraction);
}

static void running_out_of_memory_is_a_status(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = contraction_of(abci);
    struct tcplan_sizes *sizes = NULL;
    struct tcplan_error error = {0};
    long failures = 0;
    for (enum tcplan_status status = TCPLAN_NO_MEMORY; status != TCPLAN_OK; failures++) {
        base_alloc_fail_after(failures);
        status = tcplan_sizes_parse(&sizes, contraction, "a=b=c=4,i=1:4:1", &error);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK ||
                    (status == TCPLAN_NO_MEMORY && error.status == TCPLAN_NO_MEMORY && !sizes));
    }
    assert_true(failures > 1);
    tcplan_sizes_free(sizes);
    tcplan_contraction_free(contraction);
}

static void freeing_null_has_no_effect(void **state) {
    (void)state;
    tcplan_sizes_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_index_gets_its_extent),
        cmocka_unit_test(indices_share_an_extent),
        cmocka_unit_test(blanks_separate_as_commas_do),
        cmocka_unit_test(spaces_and_tabs_separate_tokens),
        cmocka_unit_test(a_sweep_is_inclusive),
        cmocka_unit_test(a_sweep_stops_before_it_passes_its_last_extent),
        cmocka_unit_test(several_sweeps_give_every_combination_the_last_fastest),
        cmocka_unit_test(names_may_be_long),
        cmocka_unit_test(a_contraction_without_indices_needs_no_sizes),
        cmocka_unit_test(missing_extents_are_listed),
        cmocka_unit_test(names_of_no_index_are_listed_if_asked),
        cmocka_unit_test(unknown_and_repeated_indices_are_refused),
        cmocka_unit_test(malformed_text_is_refused_with_its_position),
        cmocka_unit_test(extents_that_are_no_whole_numbers_are_refused),
        cmocka_unit_test(extents_beyond_the_blas_integer_are_refused),
        cmocka_unit_test(malformed_sweeps_are_refused),
        cmocka_unit_test(more_points_than_can_be_counted_are_an_overflow),
        cmocka_unit_test(the_last_of_very_many_points_is_right),
        cmocka_unit_test(long_lists_of_names_are_cut),
        cmocka_unit_test(every_short_text_is_read_or_refused_with_a_mark),
        cmocka_unit_test(running_out_of_memory_is_a_status),
        cmocka_unit_test(freeing_null_has_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
