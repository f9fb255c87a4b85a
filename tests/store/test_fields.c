#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/fields.h"

struct thing {
    char text[12];
    int small;
    int64_t large;
    double real;
    bool flag;
    int word;
};

static const char *const words[] = {"none", "some", NULL};
static const struct field fields[] = {
    {.name = "text", .type = FIELD_TEXT, .offset = offsetof(struct thing, text), .size = 12},
    {.name = "small",
     .type = FIELD_INT,
     .offset = offsetof(struct thing, small),
     .lowest = -1,
     .highest = 9},
    {.name = "large",
     .type = FIELD_INT64,
     .offset = offsetof(struct thing, large),
     .lowest = INT64_MIN,
     .highest = INT64_MAX},
    {.name = "real", .type = FIELD_REAL, .offset = offsetof(struct thing, real)},
    {.name = "flag", .type = FIELD_FLAG, .offset = offsetof(struct thing, flag)},
    {.name = "word", .type = FIELD_WORD, .offset = offsetof(struct thing, word), .word = words},
    {0},
};

static void assert_line(const struct thing *thing, const char *expected) {
    struct strbuf out = {0};
    fields_write(&out, "thing", fields, thing);
    char *line = strbuf_finish(&out);
    assert_non_null(line);
    assert_string_equal(line, expected);
    free(line);
}

static struct thing read(const char *text) {
    struct thing thing = {0};
    struct tcplan_error error = {0};
    if (fields_read(&thing, fields, text, strlen(text), &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return thing;
}

static void zero_members_are_omitted(void **state) {
    (void)state;
    assert_line(&(struct thing){0}, "thing\n");
    const struct thing thing = read("");
    assert_int_equal(thing.small, 0);
    assert_string_equal(thing.text, "");
}

static void values_read_back(void **state) {
    (void)state;
    const struct thing thing = {
        .text = "a %=\tb", .small = -1, .large = INT64_MIN, .real = 0.1, .flag = true, .word = 1};
    const char line[] =
        "thing text=a%20%25%3d?b small=-1 large=-9223372036854775808 real=0.1 flag=1 word=some\n";
    assert_line(&thing, line);
    const struct thing back =
        read(" text=a%20%25%3d?b small=-1 large=-9223372036854775808 real=0.1 flag=1 word=some");
    assert_string_equal(back.text, "a %=?b");
    assert_int_equal(back.small, -1);
    assert_true(back.large == INT64_MIN && back.real == 0.1 && back.flag && back.word == 1);
}

static void unknown_and_infinite_numbers_are_not_written(void **state) {
    (void)state;
    assert_line(&(struct thing){.real = -1}, "thing\n");
    assert_line(&(struct thing){.real = 1.0 / 0.0}, "thing\n");
    assert_line(&(struct thing){.real = 0.0 / 0.0}, "thing\n");
}

static void values_out_of_bounds_are_refused(void **state) {
    static const char *const bad[] = {"text=a",
                                      " text",
                                      " text=",
                                      " text=%2",
                                      " text=%zz",
                                      " text=%0a",
                                      " text=a\x01",
                                      " text=twelve_bytes",
                                      " small=-2",
                                      " small=10",
                                      " small=",
                                      " small=+1",
                                      " small=1x",
                                      " large=9223372036854775808",
                                      " large=11111111111111111111111111",
                                      " real=-1",
                                      " real=nan",
                                      " real=1e999",
                                      " flag=0",
                                      " flag=11",
                                      " word=more",
                                      " tea=1",
                                      " =1",
                                      "  small=1",
                                      " small=1 "};
    (void)state;
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        struct thing thing = {0};
        struct tcplan_error error = {0};
        if (fields_read(&thing, fields, bad[b], strlen(bad[b]), &error) != TCPLAN_INVALID)
            fail_msg("'%s' was read", bad[b]);
        assert_true(*error.message != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_members_are_omitted),
        cmocka_unit_test(values_read_back),
        cmocka_unit_test(unknown_and_infinite_numbers_are_not_written),
        cmocka_unit_test(values_out_of_bounds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
