#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "cli/render/text/table.h"
#include "cli/render/text/visible.h"

static void assert_shown(const char *text, const char *expected) {
    char *shown = visible_text(text);
    assert_non_null(shown);
    assert_string_equal(shown, expected);
    free(shown);
}

static void control_characters_are_escaped(void **state) {
    (void)state;
    assert_shown("", "");
    assert_shown("c-dgemm ~", "c-dgemm ~");
    assert_shown("a\033]0;title\007\r\n\x7F", "a\\x1b]0;title\\x07\\x0d\\x0a\\x7f");
    assert_shown("\xC2\x9B"
                 "31m \x9B",
                 "\\xc2\\x9b31m \\x9b"); /* the one-character form of ESC [, as UTF-8 and as a
                                            single byte */
}

static void letters_of_other_scripts_are_shown_as_they_are(void **state) {
    (void)state;
    assert_shown("\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80");
    assert_shown("\xC3", "\\xc3");
    assert_shown("\xE0\x80\x9B\xFF", "\\xe0\\x80\\x9b\\xff");
    assert_shown("\xED\xA0\x80\xF4\x90\x80\x80\xEF\xBF\xBE\xEF\xBF\xBD",
                 "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xef\\xbf\\xbe\xEF\xBF\xBD");
    assert_int_equal(visible_width("\xC3\xBC-\xE2\x82\xAC"), 3);
    assert_int_equal(visible_cut("\xC3\xBC-\xE2\x82\xAC", 2), 3);
    assert_int_equal(visible_cut("ab", 5), 2);
}

static void a_table_has_the_given_number_of_columns(void **state) {
    (void)state;
    struct table table = {.columns = "lrrrrrrrrrrrrrrrrrrrrrrrl"};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    for (int c = 0; c < 50; c++) table_add(&table, c == 26 ? "\xC3\xBC\033" : "%d", c);
    assert_true(table_print(&table, file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(
        text,
        "0       1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18  19  20  21  22  23  24\n"
        "25  \xC3\xBC\\x1b  27  28  29  30  31  32  33  34  35  36  37  38  39  40  41  42  43  44  45  46  47  48  49\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_escaped),
        cmocka_unit_test(letters_of_other_scripts_are_shown_as_they_are),
        cmocka_unit_test(a_table_has_the_given_number_of_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
