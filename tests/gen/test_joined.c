/*
 * Tests of several emitted files in one: the order of their libraries suits static ones, and shared
 * definitions are kept once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/emit/joined.h"

static void check(const char *first, const char *second, const char *expected) {
    struct emit_joined joined = {0};
    struct strbuf out = {0};
    emit_joined_add_links(&joined, first);
    emit_joined_add_links(&joined, second);
    emit_joined_link(&out, &joined);
    char *text = strbuf_finish(&out);
    assert_string_equal(text, expected);
    free(text);
    emit_joined_free(&joined);
}

static void each_library_precedes_those_that_any_step_links_after_it(void **state) {
    (void)state;
    check("", "", "link: -lm\n");
    check("-lm\n", "-lm", "link: -lm\n");
    check("-lm\n", "-lxsmm -lopenblas -ldl -lm\n", "link: -lxsmm -lopenblas -ldl -lm\n");
    check("-lxsmm -lopenblas -ldl -lm", "-lopenblas -lm", "link: -lxsmm -ldl -lopenblas -lm\n");
    check("-lblis -lm", "-lblis-mt -lm", "link: -lblis -lblis-mt -lm\n");
}

static void drop(const char *text, const char *expected) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", text);
    emit_drop_repeats(&out);
    assert_int_equal(out.length, strlen(expected));
    assert_string_equal(out.text, expected);
    strbuf_free(&out);
}

static void repeated_guarded_blocks_are_dropped(void **state) {
    static const char a[] = "#ifndef A\n#define A\n#if B\n#endif\nint a;\n#endif\n";
    static const char other[] = "#ifndef A\n#define A\nint b;\n#endif\n";
    char text[256], expected[256];
    (void)state;
    drop("", "");
    drop("int x;\n", "int x;\n");
    drop(a, a);
    snprintf(text, sizeof text, "%s\nint x;\n%s\nint y;\n", a, a);
    snprintf(expected, sizeof expected, "%s\nint x;\nint y;\n", a);
    drop(text, expected);
    snprintf(text, sizeof text, "%s\n%s\n#if B\n#endif\n#if B\n#endif\nend", a, other);
    drop(text, text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_library_precedes_those_that_any_step_links_after_it),
        cmocka_unit_test(repeated_guarded_blocks_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
