#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static void text_is_appended(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    strbuf_add(&buffer, "%s-%d", "abc", 42);
    strbuf_fill(&buffer, '.', 3);
    strbuf_add(&buffer, "%s", "");
    strbuf_add(&buffer, "end");
    strbuf_append(&buffer, "ings", 3);
    strbuf_append(&buffer, "", 0);
    assert_int_equal(buffer.length, 15);
    assert_string_equal(buffer.text, "abc-42...ending");
    strbuf_free(&buffer);
}

/** Formats that strbuf handles itself, and those that it passes to the C library. */
static void formats_are_those_of_printf(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    char expected[200];
    strbuf_add(&buffer, "%%%c%s%d%d%d|%s", 'x', "yz", INT_MIN, INT_MAX, 0, "");
    strbuf_add(&buffer, "%s%5d%-4s|%.*s%ld%g%%", "a", -7, "b", 2, "cde", -1L, 0.5);
    strbuf_add(&buffer, "%d%03d%s", 1, 2, "c");
    snprintf(expected, sizeof expected, "%%%c%s%d%d%d|%s%s%5d%-4s|%.*s%ld%g%%%d%03d%s", 'x', "yz",
             INT_MIN, INT_MAX, 0, "", "a", -7, "b", 2, "cde", -1L, 0.5, 1, 2, "c");
    assert_string_equal(buffer.text, expected);
    strbuf_free(&buffer);
}

static void nothing_added_is_the_empty_string(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    char *text = strbuf_finish(&buffer);
    assert_string_equal(text, "");
    free(text);
}

static void the_buffer_grows_through_every_length(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    for (size_t i = 0; i < 5000; i++) {
        strbuf_add(&buffer, "%c", (int)('a' + i % 26));
        assert_int_equal(strlen(buffer.text), i + 1);
    }
    char *text = strbuf_finish(&buffer);
    for (size_t i = 0; i < 5000; i++) assert_int_equal(text[i], 'a' + i % 26);
    free(text);
}

static void finishing_empties_the_buffer(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    strbuf_add(&buffer, "first");
    char *first = strbuf_finish(&buffer);
    strbuf_add(&buffer, "second");
    char *second = strbuf_finish(&buffer);
    assert_string_equal(first, "first");
    assert_string_equal(second, "second");
    free(first);
    free(second);
}

static void a_text_is_returned_only_on_success(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    char *text = NULL;
    strbuf_add(&buffer, "dropped");
    assert_int_equal(strbuf_give(&buffer, &text, TCPLAN_INVALID, NULL), TCPLAN_INVALID);
    assert_null(text);
    buffer.failed = true;
    assert_int_equal(strbuf_give(&buffer, &text, TCPLAN_OK, NULL), TCPLAN_NO_MEMORY);
    assert_null(text);
    strbuf_add(&buffer, "given");
    assert_int_equal(strbuf_give(&buffer, &text, TCPLAN_OK, NULL), TCPLAN_OK);
    assert_string_equal(text, "given");
    free(text);
}

static void a_failure_is_remembered_until_the_end(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    strbuf_add(&buffer, "kept");
    base_alloc_fail_after(0);
    strbuf_fill(&buffer, 'x', 1000);
    base_alloc_fail_after(-1);
    strbuf_add(&buffer, "more");
    assert_true(buffer.failed);
    assert_null(strbuf_finish(&buffer));
    assert_false(buffer.failed);
    assert_null(buffer.text);
}

static void impossible_lengths_fail(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    strbuf_add(&buffer, "a");
    strbuf_fill(&buffer, 'x', SIZE_MAX);
    assert_null(strbuf_finish(&buffer));
    strbuf_fill(&buffer, 'x', SIZE_MAX / 2);
    assert_null(strbuf_finish(&buffer));
}

static void freeing_drops_the_text(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    strbuf_free(&buffer);
    strbuf_add(&buffer, "text");
    strbuf_free(&buffer);
    assert_null(buffer.text);
    assert_int_equal(buffer.length, 0);
}

static void text_that_cannot_be_written_is_a_failure(void **state) {
    (void)state;
    struct strbuf buffer = {0};
    strbuf_add(&buffer, "a");
    strbuf_add(&buffer, "%lc", (wint_t)0x7fffffff); /* not a character */
    strbuf_add(&buffer, "b");
    assert_null(strbuf_finish(&buffer));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_appended),
        cmocka_unit_test(formats_are_those_of_printf),
        cmocka_unit_test(nothing_added_is_the_empty_string),
        cmocka_unit_test(the_buffer_grows_through_every_length),
        cmocka_unit_test(finishing_empties_the_buffer),
        cmocka_unit_test(a_text_is_returned_only_on_success),
        cmocka_unit_test(a_failure_is_remembered_until_the_end),
        cmocka_unit_test(impossible_lengths_fail),
        cmocka_unit_test(freeing_drops_the_text),
        cmocka_unit_test(text_that_cannot_be_written_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
