/* Tests the values of operands for which calls are measured for models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "routines/sampler/generation/leading.h"
#include "routines/sampler/generation/operands.h"

static void pivots_reach_beyond_the_rows_that_are_swapped(void **state) {
    const char *const word[] = {"dlaswp:incipiv=1"};
    const int64_t size[] = {7, 1, 48}, leading[] = {LEADING_LEAST + 8};
    struct generation_cases cases = {.count = 0};
    struct operands *operands = NULL;
    struct tcplan_error error = {0};
    (void)state;
    if (cases_read(&cases, word, 1, "n=1:8,k1=1,k2=8:64", 1, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(cases.count, 1);
    if (operands_new(&operands, cases.of, leading, 1, TCPLAN_PROVIDER_BLAS, OPERANDS_PLACES, 0,
                     &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    for (int place = 0; place < OPERANDS_PLACES; place++) {
        struct operands_calls calls;
        int beyond = 0, different = 0;
        if (operands_prepare(&calls, operands, 0, size, place, &error) != TCPLAN_OK)
            fail_msg("%s", error.message);
        assert_non_null(calls.call.pivots);
        assert_true(call_pivots_are_good(&calls.call));
        for (int i = 0; i < 48; i++) {
            assert_true(calls.call.pivots[i] > i && calls.call.pivots[i] <= LEADING_LEAST);
            beyond += calls.call.pivots[i] > 48;
            different += i > 0 && calls.call.pivots[i] != calls.call.pivots[i - 1];
        }
        assert_true(beyond > 24 && different > 40);
        call_make(&calls.call); /* no two rows share memory */
    }
    operands_free(operands);
    cases_free(&cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pivots_reach_beyond_the_rows_that_are_swapped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
