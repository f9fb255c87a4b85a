#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "routines/sampler/experiments/sweep.h"

static const struct expression_scope scope = {.name = {"n", "k"}};
static const struct expression_values values = {{10, 3}};

static enum tcplan_status evaluate(const char *text, int64_t *out, struct tcplan_error *error) {
    struct arena arena = {0};
    struct expression expression;
    enum tcplan_status status =
        expression_parse(&expression, &arena, text, strlen(text), &scope, error);
    if (status == TCPLAN_OK) status = expression_integer(&expression, &values, out, error);
    arena_free(&arena);
    return status;
}

static void expressions_have_the_values_of_arithmetic(void **state) {
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"n", 10},
                 {"2*n+k", 23},
                 {"n-k-1", 6},
                 {"n*(n+1)/2", 55},
                 {"min(4, n-k)", 4},
                 {"min(4,n-k,2)", 2},
                 {"max(n,k)*-1", -10},
                 {" ( n ) ", 10},
                 {"n/3*3", 10},
                 {"floor(n/3)", 3},
                 {"ceil(n/3)", 4},
                 {"-n+k", -7},
                 {"9223372036854775807", INT64_MAX},
                 {"0-9223372036854775807-1", INT64_MIN},
                 {"1/2+1/2", 1}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t value = 0;
        struct tcplan_error error = {0};
        const enum tcplan_status status = evaluate(cases[c].text, &value, &error);
        /* These quotients are not whole numbers, so evaluation continues with real numbers. */
        if (strcmp(cases[c].text, "n/3*3") == 0 || strcmp(cases[c].text, "1/2+1/2") == 0) {
            assert_int_equal(status, TCPLAN_INVALID);
            assert_non_null(strstr(error.message, "whole number"));
            continue;
        }
        if (status != TCPLAN_OK) fail_msg("%s: %s", cases[c].text, error.message);
        if (value != cases[c].value) fail_msg("%s: %lld", cases[c].text, (long long)value);
    }
}

static void overflow_is_an_error(void **state) {
    static const char *const texts[] = {"9223372036854775807+1",        "0-9223372036854775807-2",
                                        "9223372036854775807*2",        "9223372036854775808",
                                        "(0-9223372036854775807-1)*-1", "1e300*1e300"};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        int64_t value;
        struct tcplan_error error = {0};
        assert_int_equal(evaluate(texts[t], &value, &error), TCPLAN_OVERFLOW);
        assert_true(error.message[0] != '\0');
    }
}

static void malformed_expressions_are_refused_with_their_place(void **state) {
    static const struct {
        const char *text;
        size_t column;
        const char *says;
    } cases[] = {{"", 1, "expected a number"},
                 {"n+", 3, "expected a number"},
                 {"(n", 3, "expected ')'"},
                 {"n k", 3, "expected +"},
                 {"m", 1, "expected n and k"},
                 {"sin(n)", 1, "expected the function"},
                 {"n)", 2, "expected +"},
                 {"1.5.2", 4, "expected +"},
                 {"min(n", 6, "expected ')'"},
                 {"2n", 2, "expected +"},
                 {"1e", 1, "expected a number such as"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t value;
        struct tcplan_error error = {0};
        assert_int_equal(evaluate(cases[c].text, &value, &error), TCPLAN_INVALID);
        if (!strstr(error.message, cases[c].says))
            fail_msg("'%s': %s", cases[c].text, error.message);
        if (error.column != cases[c].column)
            fail_msg("'%s': column %zu", cases[c].text, error.column);
    }
}

static void division_by_zero_and_deep_nesting_are_refused(void **state) {
    char deep[300];
    int64_t value;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(evaluate("n/(k-3)", &value, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "divides by 0"));
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(evaluate(deep, &value, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "nested too deeply"));
}

/** Writes the values of a list to `out`, or the error message. */
static void list(const char *text, size_t most, char *out, size_t size) {
    struct arena arena = {0};
    struct sweep sweep;
    const int64_t *value = NULL;
    size_t count = 0, length = 0;
    struct tcplan_error error = {0};
    enum tcplan_status status = sweep_parse(&sweep, &arena, text, &scope, &error);
    if (status == TCPLAN_OK)
        status = sweep_values(&value, &count, &sweep, &values, most, &arena, &error);
    snprintf(out, size, "%s", status == TCPLAN_OK ? "" : error.message);
    for (size_t v = 0; v < count && status == TCPLAN_OK; v++) {
        length += (size_t)snprintf(out + length, size - length, "%s%lld", v > 0 ? " " : "",
                                   (long long)value[v]);
    }
    arena_free(&arena);
}

static void sweeps_are_lists_and_steps(void **state) {
    static const struct {
        const char *text, *expected;
    } cases[] = {{"1", "1"},
                 {"1,5,2", "1 5 2"},
                 {"0:n-1:4", "0 4 8"},
                 {"1:3", "1 2 3"},
                 {"5:1:-2", "5 3 1"},
                 {"3:1", ""},
                 {"min(1,2):min(k,9), n", "1 2 3 10"},
                 {"1:10:0", "a step of 0 in '0'"},
                 {"1:2:3:4", "expected first:last:step at most, found '1:2:3:4'"},
                 {"1:100", "'1:100' has more than 20 values"},
                 {"0-9223372036854775807-1:9223372036854775807",
                  "'0-9223372036854775807-1:9223372036854775807' has more than 20 values"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char found[TCPLAN_MESSAGE_SIZE];
        list(cases[c].text, 20, found, sizeof found);
        assert_string_equal(found, cases[c].expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_the_values_of_arithmetic),
        cmocka_unit_test(overflow_is_an_error),
        cmocka_unit_test(malformed_expressions_are_refused_with_their_place),
        cmocka_unit_test(division_by_zero_and_deep_nesting_are_refused),
        cmocka_unit_test(sweeps_are_lists_and_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
