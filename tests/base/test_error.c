#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void a_message_without_a_place_has_no_column(void **state) {
    (void)state;
    struct tcplan_error error;
    memset(&error, 0x5a, sizeof error);
    assert_int_equal(error_set(&error, TCPLAN_OVERFLOW, "%d is too much", 7), TCPLAN_OVERFLOW);
    assert_int_equal(error.status, TCPLAN_OVERFLOW);
    assert_string_equal(error.message, "7 is too much");
    assert_true(error.line == 0 && error.column == 0 && error.length == 0);
}

static void a_place_is_counted_from_one(void **state) {
    (void)state;
    struct tcplan_error error;
    assert_int_equal(error_at(&error, TCPLAN_INVALID, 4, 2, "found %s", "x"), TCPLAN_INVALID);
    assert_string_equal(error.message, "found x");
    assert_true(error.line == 0 && error.column == 5 && error.length == 2);
}

static void a_long_message_is_cut(void **state) {
    (void)state;
    char text[1000] = "";
    memset(text, 'x', sizeof text - 1);
    struct tcplan_error error;
    error_set(&error, TCPLAN_INVALID, "%s", text);
    assert_int_equal(strlen(error.message), TCPLAN_MESSAGE_SIZE - 1);
}

static void the_error_argument_may_be_null(void **state) {
    (void)state;
    assert_int_equal(error_set(NULL, TCPLAN_ENVIRONMENT, "x"), TCPLAN_ENVIRONMENT);
    assert_int_equal(error_at(NULL, TCPLAN_INVALID, 1, 1, "x"), TCPLAN_INVALID);
    assert_int_equal(error_no_memory(NULL), TCPLAN_NO_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_without_a_place_has_no_column),
        cmocka_unit_test(a_place_is_counted_from_one),
        cmocka_unit_test(a_long_message_is_cut),
        cmocka_unit_test(the_error_argument_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
