#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/quantity.h"

static void times_have_four_digits_and_a_fitting_unit(void **state) {
    (void)state;
    assert_string_equal(quantity_seconds(0).text, "0.000 ns");
    assert_string_equal(quantity_seconds(1.5e-9).text, "1.500 ns");
    assert_string_equal(quantity_seconds(12.344e-6).text, "12.34 us");
    assert_string_equal(quantity_seconds(0.1234).text, "123.4 ms");
    assert_string_equal(quantity_seconds(1).text, "1.000 s");
    assert_string_equal(quantity_seconds(12345).text, "12345 s");
    assert_string_equal(quantity_seconds(2 * 86400).text, "2.000 days");
    assert_string_equal(quantity_seconds(44247092).text, "1.402 years");
    assert_string_equal(quantity_seconds(4e12).text, "126752 years");
}

static void rounding_never_shows_a_thousand_of_a_unit(void **state) {
    (void)state;
    assert_string_equal(quantity_seconds(999.96e-6).text, "1.000 ms");
    assert_string_equal(quantity_seconds(99.996e-3).text, "100.0 ms");
    assert_string_equal(quantity_seconds(9.9996).text, "10.00 s");
}

static void flops_and_bytes_have_their_own_prefixes(void **state) {
    (void)state;
    assert_string_equal(quantity_flops(2).text, "2 FLOP");
    assert_string_equal(quantity_flops(1.024e9).text, "1.024 GFLOP");
    assert_string_equal(quantity_flops(5e18).text, "5 EFLOP");
    assert_string_equal(quantity_flops(5e27).text, "5000 YFLOP");
    assert_string_equal(quantity_bytes(512).text, "512 B");
    assert_string_equal(quantity_bytes(49152).text, "48 KiB");
    assert_string_equal(quantity_bytes(1536 * 1024).text, "1.5 MiB");
    assert_string_equal(quantity_bytes(0x1p70).text, "1 ZiB");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_four_digits_and_a_fitting_unit),
        cmocka_unit_test(rounding_never_shows_a_thousand_of_a_unit),
        cmocka_unit_test(flops_and_bytes_have_their_own_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
