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
    assert_int_equal(edit_distance("lsit", "list"), 2);
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
        cmocka_unit_test(words_that_are_too_long_are_infinitely_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
