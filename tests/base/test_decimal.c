#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/decimal.h"
#include "support/rng.h"

static void assert_reads(const char *text, double expected) {
    double value = NAN;
    if (!decimal_read(&value, text, strlen(text))) fail_msg("%s is refused", text);
    assert_memory_equal(&value, &expected, sizeof value);
}

static void assert_prints(double value, const char *expected) {
    struct strbuf out = {0};
    decimal_print(&out, value);
    assert_string_equal(out.text, expected);
    strbuf_free(&out);
}

static void numbers_are_read_rounded_correctly(void **state) {
    (void)state;
    assert_reads("0", 0);
    assert_reads("42", 42);
    assert_reads("0.1", 0.1);
    assert_reads(".5", 0.5);
    assert_reads("5.", 5);
    assert_reads("1e3", 1000);
    assert_reads("12.5E-1", 1.25);
    assert_reads("000.00025e+4", 2.5);
    assert_reads("9007199254740993", 9007199254740992);
    assert_reads("1.7976931348623157e308", DBL_MAX);
    assert_reads("2.2250738585072014e-308", DBL_MIN);
    assert_reads("4.9406564584124654e-324", 4.9406564584124654e-324);
    assert_reads("179769313486231570000000000000000000e273", DBL_MAX);
    assert_reads("0.00000000000000000000000000000000000000001e41", 1);
}

static void numbers_out_of_range_become_infinity_or_zero(void **state) {
    (void)state;
    assert_reads("1e309", INFINITY);
    assert_reads("1e99999999999999999999999", INFINITY);
    assert_reads("1e-400", 0);
    assert_reads("1e-99999999999999999999999", 0);
    assert_reads("0e99999999999999999999999", 0);
}

static void other_text_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",   ".",   "e1",  "1e",  "1e+",  "1e-",  "-1",    "+1",    " 1",  "1 ",  "1,5",
        "1x", "0x1", "inf", "nan", "1.5.", "1e5.", "1e5e5", "1e+-5", "..1", "1__", "1e 5"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (decimal_read(&value, texts[i], strlen(texts[i]))) fail_msg("'%s' is read", texts[i]);
    }
}

static void only_the_given_length_is_read(void **state) {
    (void)state;
    double value = 0;
    assert_true(decimal_read(&value, "1234", 2));
    assert_true(value == 12);
    assert_true(decimal_read(&value, "1e5", 1));
    assert_true(value == 1);
    assert_false(decimal_read(&value, "1e5", 2));
}

static void a_number_has_at_most_64_characters(void **state) {
    (void)state;
    char text[DECIMAL_MAX_LENGTH + 1];
    memset(text, '1', sizeof text);
    double value;
    assert_true(decimal_read(&value, text, DECIMAL_MAX_LENGTH));
    assert_false(decimal_read(&value, text, DECIMAL_MAX_LENGTH + 1));
}

static void the_shortest_text_that_is_read_as_the_float_is_printed(void **state) {
    (void)state;
    static const struct {
        float value;
        const char *text;
    } given[] = {{0.1F, "0.1"},
                 {-2, "-2"},
                 {0, "0"},
                 {16777217, "16777216"},
                 {0x1.fffffep127F, "3.4028235e+38"},
                 {0x1p-149F, "1.4013e-45"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct strbuf out = {0};
        decimal_print_float(&out, given[g].value);
        char *text = strbuf_finish(&out);
        assert_string_equal(text, given[g].text);
        free(text);
    }
}

static void the_shortest_text_is_printed(void **state) {
    (void)state;
    assert_prints(0, "0");
    assert_prints(-0.0, "-0");
    assert_prints(1, "1");
    assert_prints(-0.5, "-0.5");
    assert_prints(0.1, "0.1");
    assert_prints(0.1 + 0.2, "0.30000000000000004");
    assert_prints(1e22, "1e+22");
    assert_prints(DBL_MAX, "1.7976931348623157e+308");
}

static void printed_numbers_read_back_to_the_same_bits(void **state) {
    (void)state;
    uint64_t bits = 88172645463325252;
    for (int round = 0; round < 20000; round++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        uint64_t magnitude = bits >> 1;
        double value;
        memcpy(&value, &magnitude, sizeof value);
        if (!isfinite(value)) continue;
        struct strbuf out = {0};
        decimal_print(&out, value);
        assert_reads(out.text, value);
        strbuf_free(&out);
    }
}

/** Compares decimal_parse with strtod for numbers of up to 20 digits, and for numbers half-way
 * between doubles. */
static void numbers_are_read_as_the_c_library_reads_them(void **state) {
    (void)state;
    uint64_t random = 1;
    char text[64];
    for (int round = 0; round < 200000; round++) {
        const uint64_t digits = rng_next(&random) >> rng_below(&random, 64);
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits,
                 rng_below(&random, 61) - 30);
        assert_reads(text, strtod(text, NULL));
        const uint64_t halfway = (rng_next(&random) >> 11 | (uint64_t)1 << 52) * 2 + 1;
        for (int off = -1; off <= 1; off++) {
            snprintf(text, sizeof text, "%llu0e-1",
                     (unsigned long long)(halfway * 4 + (uint64_t)off));
            assert_reads(text, strtod(text, NULL));
        }
    }
}

static void a_locale_with_a_decimal_comma_changes_nothing(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                          "ps_AF.utf8"};
    bool found = false;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_NUMERIC, locales[i])) continue;
        found = true;
        assert_reads("0.5", 0.5);
        assert_prints(0.5, "0.5");
    }
    setlocale(LC_NUMERIC, "C");
    if (!found) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_rounded_correctly),
        cmocka_unit_test(numbers_out_of_range_become_infinity_or_zero),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test(only_the_given_length_is_read),
        cmocka_unit_test(a_number_has_at_most_64_characters),
        cmocka_unit_test(the_shortest_text_that_is_read_as_the_float_is_printed),
        cmocka_unit_test(the_shortest_text_is_printed),
        cmocka_unit_test(printed_numbers_read_back_to_the_same_bits),
        cmocka_unit_test(numbers_are_read_as_the_c_library_reads_them),
        cmocka_unit_test(a_locale_with_a_decimal_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
