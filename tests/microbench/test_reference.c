/*
 * Tests reference timings of the core's speed: times are plausible, and there are none if memory
 * runs out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/timing/reference.h"
#include "microbench/timing/session.h"

/* 221 kFLOP in 0.2 us are more than 1 TFLOP/s, which no core reaches. */
#define FASTEST_SECONDS 0.2e-6

static void references_are_times(void **state) {
    (void)state;
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    struct reference *reference = reference_new();
    assert_non_null(reference);
    for (int i = 0; i < 100; i++) {
        const double seconds = reference_seconds(reference);
        assert_true(isfinite(seconds) && seconds > FASTEST_SECONDS);
    }
    reference_free(reference);
    session_end(&session);
}

/** Work is memory-bound if its bytes would take longer than its operations, by the times of both
 * references. */
static void the_bottleneck_selects_the_reference(void **state) {
    (void)state;
    const double flops = REFERENCE_FLOPS, bytes = REFERENCE_BYTES;
    assert_true(reference_is_memory_bound(flops, 2 * bytes, 5e-6, 5e-6));
    assert_false(reference_is_memory_bound(2 * flops, bytes, 5e-6, 5e-6));
    assert_true(reference_is_memory_bound(2 * flops, bytes, 5e-6, 20e-6));
    assert_false(reference_is_memory_bound(flops, 0, 5e-6, 20e-6));
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    struct reference *reference = reference_new();
    reference_choose(reference, 0, REFERENCE_RING_BYTES);
    assert_int_equal(reference_kind(reference),
                     REFERENCE_CORE); /* the core's reference: the data may stay in a cache */
    reference_choose(reference, 1e6 * REFERENCE_FLOPS, 4.0 * REFERENCE_RING_BYTES);
    assert_int_equal(reference_kind(reference), REFERENCE_CORE);
    assert_true(fabs(reference_count(reference, 3 * flops, 5 * bytes) - 3) < 1e-9);
    reference_choose(reference, 0, 4.0 * REFERENCE_RING_BYTES);
    assert_int_equal(reference_kind(reference), REFERENCE_MEMORY);
    assert_true(fabs(reference_count(reference, 3 * flops, 5 * bytes) - 5) < 1e-9);
    reference_free(reference);
    session_end(&session);
}

/** Timings of the core's reference do not describe the memory. */
static void another_kind_of_reference_starts_a_new_series(void **state) {
    (void)state;
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    const struct drift_timing *timing;
    struct reference *reference = reference_new();
    assert_non_null(reference);
    for (int i = 0; i < 10; i++) reference_seconds(reference);
    assert_int_equal(reference_timings(reference, &timing), 10);
    reference_choose(reference, 0, 1e12);
    assert_int_equal(reference_timings(reference, &timing), 0);
    for (int i = 0; i < 2 * REFERENCE_RING_BYTES / REFERENCE_BYTES; i++) {
        const double seconds = reference_seconds(reference);
        assert_true(isfinite(seconds) && seconds > 0);
    }
    assert_true(reference_timings(reference, &timing) > 0);
    reference_choose(reference, 0, 1e12); /* choosing the current kind again keeps its timings */
    assert_true(reference_timings(reference, &timing) > 0);
    reference_free(reference);
    session_end(&session);
}

static void without_memory_references_are_unknown(void **state) {
    (void)state;
    assert_true(reference_seconds(NULL) == 0);
    reference_choose(NULL, 0, 1e12);
    assert_int_equal(reference_kind(NULL), REFERENCE_CORE);
    reference_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_times),
        cmocka_unit_test(the_bottleneck_selects_the_reference),
        cmocka_unit_test(another_kind_of_reference_starts_a_new_series),
        cmocka_unit_test(without_memory_references_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
