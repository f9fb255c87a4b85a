#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/format.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "support/comma_locale.h"

static void numbers_have_points_in_every_locale(void **state) {
    struct tcplan_error error = {0};
    struct strbuf buffer = {0};
    char text[16];
    (void)state;
    if (!comma_locale_set()) skip();
    format_plain(text, sizeof text, "%.2f", 0.25);
    assert_string_equal(text, "0.25");
    strbuf_add(&buffer, "%g", 0.5);
    assert_string_equal(buffer.text, "0.5");
    strbuf_free(&buffer);
    error_set(&error, TCPLAN_INVALID, "%g", 1.5);
    assert_string_equal(error.message, "1.5");
    assert_string_equal(quantity_seconds(1.5e-3).text, "1.500 ms");
    assert_string_equal(localeconv()->decimal_point, ","); /* the program's locale is unchanged */
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_have_points_in_every_locale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
