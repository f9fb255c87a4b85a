/*
 * What tells the state of the core: a time that can be, and nothing without memory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/timing/reference.h"
#include "microbench/timing/session.h"

/* 221 kFLOP: faster than 1 TFLOP/s is no core. */
#define FASTEST_SECONDS 0.2e-6

static void references_are_times(void **state) {
    (void)state;
    const struct session session = session_begin(1);
    struct reference *reference = reference_new();
    assert_non_null(reference);
    for (int i = 0; i < 100; i++) {
        const double seconds = reference_seconds(reference);
        assert_true(isfinite(seconds) && seconds > FASTEST_SECONDS);
    }
    reference_free(reference);
    session_end(&session);
}

static void without_memory_nothing_is_told(void **state) {
    (void)state;
    assert_true(reference_seconds(NULL) == 0);
    reference_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_times),
        cmocka_unit_test(without_memory_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
