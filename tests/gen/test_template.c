#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "gen/emit/template.h"

typedef void add_part(struct strbuf *out, const struct template_values *values, const char *text,
                      const char *name);

/** Returns template values: EMIT_a is `1`, EMIT_ab is `2`, EMIT_none is empty, EMIT_lines has two
 * lines. */
static struct template_values some_values(void) {
    struct template_values values = {0};
    strbuf_add(template_value(&values, "a"), "%d", 1);
    strbuf_add(template_value(&values, "none"), "%s", "");
    strbuf_add(template_value(&values, "lines"), "x;\n");
    strbuf_add(&values.text, "y;\n");
    strbuf_add(template_value(&values, "ab"), "2");
    return values;
}

static void check(const char *template, const char *expected) {
    struct template_values values = some_values();
    struct strbuf out = {0};
    template_add(&out, &values, template);
    char *text = strbuf_finish(&out);
    assert_string_equal(text, expected);
    free(text);
    template_free(&values);
}

static void check_part(add_part *add, const char *template, const char *expected) {
    struct template_values values = some_values();
    struct strbuf out = {0};
    add(&out, &values, template, "rows");
    char *text = strbuf_finish(&out);
    assert_string_equal(text, expected);
    free(text);
    template_free(&values);
}

static void a_name_is_replaced_by_its_value(void **state) {
    (void)state;
    check("", "");
    check("no name\n", "no name\n");
    check("int EMIT_a;", "int 1;");
    check("EMIT_a EMIT_none+EMIT_a_small(EMIT_a)", "1 +1_small(1)");
}

static void the_longest_name_counts(void **state) {
    (void)state;
    check("(EMIT_ab, EMIT_a, EMIT_abc)", "(2, 1, 2c)");
}

static void a_name_alone_on_a_line_replaces_the_line(void **state) {
    (void)state;
    check("{\n    EMIT_lines;\n}\n", "{\nx;\ny;\n}\n");
    check("EMIT_lines\nEMIT_none,\n  EMIT_none\nend\n", "x;\ny;\nend\n");
    check("{ EMIT_a;\n}\n", "{ 1;\n}\n");
    check("EMIT_a; }\n", "1; }\n");
}

static void a_file_is_written_in_two_parts(void **state) {
    (void)state;
    check_part(template_add_before, "EMIT_a {\n    EMIT_rows,\n} EMIT_ab\n", "1 {\n");
    check_part(template_add_behind, "EMIT_a {\n    EMIT_rows,\n} EMIT_ab\n", "} 2\n");
}

static void a_template_without_memory_fails(void **state) {
    (void)state;
    struct template_values values = {0};
    struct strbuf out = {0};
    base_alloc_fail_after(0);
    strbuf_add(template_value(&values, "a"), "1");
    base_alloc_fail_after(-1);
    template_add(&out, &values, "EMIT_a");
    assert_null(strbuf_finish(&out));
    template_free(&values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_name_is_replaced_by_its_value),
                                       cmocka_unit_test(the_longest_name_counts),
                                       cmocka_unit_test(a_name_alone_on_a_line_replaces_the_line),
                                       cmocka_unit_test(a_file_is_written_in_two_parts),
                                       cmocka_unit_test(a_template_without_memory_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
