/*
 * Tests that the libraries of several emitted files are linked in an order that static libraries
 * permit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_library_precedes_those_that_any_step_links_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
