#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/edit_distance.h"

static void equal_words_have_distance_zero(void **state) {
    (void)state;
    assert_int_equal(edit_distance("", ""), 0);
    assert_int_equal(edit_distance("ca-dgemv", "ca-dgemv"), 0);
}

static void insertions_deletions_and_replacements_count(void **state) {
    (void)state;
    assert_int_equal(edit_distance("", "abc"), 3);
    assert_int_equal(edit_distance("abc", ""), 3);
    assert_int_equal(edit_distance("kitten", "sitting"), 3);
}

static void swapped_neighbours_count_once(void **state) {
    (void)state;
    assert_int_equal(edit_distance("lsit", "list"), 1);
    assert_int_equal(edit_distance("ab", "ba"), 1);
    assert_int_equal(edit_distance("abcd", "badc"), 2);
    assert_int_equal(edit_distance("ca", "abc"), 3); /* a transposed pair must not be changed again:
                                                        otherwise the distance would be 2 */
}

static struct nearest nearest_of(const char *typed, const char *first, const char *second) {
    struct nearest nearest = {0};
    nearest_consider(&nearest, typed, first);
    nearest_consider(&nearest, typed, second);
    return nearest;
}

static void the_nearest_name_is_suggested(void **state) {
    (void)state;
    assert_string_equal(nearest_of("lsit", "emit", "list").name, "list");
    assert_string_equal(nearest_of("lsit", "list", "emit").name, "list");
    assert_string_equal(nearest_of("meas", "merge", "measure").name, "measure");
    assert_string_equal(nearest_of("meas", "measure", "merge").name, "measure");
}

static void names_with_a_third_wrong_have_no_suggestion(void **state) {
    (void)state;
    assert_null(nearest_of("foobar", "rank", "list").name);
    assert_null(nearest_of("", "rank", "list").name);
    assert_null(nearest_of("x", "rank", "list").name);
    assert_null(nearest_of("yaml", "text", "xml").name);
    assert_null(nearest_of("backward", "forward", "random").name);
}

static void words_that_are_too_long_are_infinitely_far(void **state) {
    (void)state;
    char word[EDIT_DISTANCE_LONGEST + 2];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_true(edit_distance(word, "a") == SIZE_MAX);
    assert_true(edit_distance("a", word) == SIZE_MAX);
    word[EDIT_DISTANCE_LONGEST] = '\0';
    assert_int_equal(edit_distance(word, "a"), EDIT_DISTANCE_LONGEST - 1);
    assert_int_equal(edit_distance("a", word), EDIT_DISTANCE_LONGEST - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_words_have_distance_zero),
        cmocka_unit_test(insertions_deletions_and_replacements_count),
        cmocka_unit_test(swapped_neighbours_count_once),
        cmocka_unit_test(the_nearest_name_is_suggested),
        cmocka_unit_test(names_with_a_third_wrong_have_no_suggestion),
        cmocka_unit_test(words_that_are_too_long_are_infinitely_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
