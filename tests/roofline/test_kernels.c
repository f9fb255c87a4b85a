#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "roofline/ceilings/limit.h"
#include "roofline/kernels/kernels.h"
#include "roofline/kernels/stream_check.h"

/** Every set that this CPU can run. */
static int sets(const struct kernel_set *out[KERNEL_SETS + 1]) {
    int count = 0;
    kernels_choose(out);
    while (count < KERNEL_SETS && out[count]) count++;
    for (int s = 0; s < count; s++) {
        if (out[s] == &kernels_baseline) return count;
    }
    out[count++] = &kernels_baseline;
    return count;
}

static void compute_kernels_count_their_rounds(void **state) {
    static const int64_t rounds[] = {0, 1, 2, 77, 4096, COMPUTE_MAX_ROUNDS};
    const struct kernel_set *set[KERNEL_SETS + 1];
    (void)state;
    const int count = sets(set);
    for (int s = 0; s < count; s++) {
        for (int k = 0; k < set[s]->compute_count; k++) {
            for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++) assert_true(set[s]->compute[k].run(rounds[r]));
        }
    }
}

static void stream_kernels_agree_with_plain_loops(void **state) {
    const struct kernel_set *set[KERNEL_SETS + 1];
    struct tcplan_error error;
    (void)state;
    const int count = sets(set);
    for (int s = 0; s < count; s++) {
        if (stream_check(set[s], &error) != TCPLAN_OK) fail_msg("%s", error.message);
    }
}

static double store_nothing(const struct stream *stream) {
    (void)stream;
    return 0;
}

static double load_half(const struct stream *stream) {
    return stream->a[stream->elems / 2 - 1];
}

static void kernels_that_leave_work_out_are_refused(void **state) {
    static const struct stream_kernel kernels[] = {{STREAM_STORE, 64, store_nothing}, {STREAM_COPY, 64, store_nothing},
                                                   {STREAM_TRIAD, 64, store_nothing}, {STREAM_UPDATE, 64, store_nothing},
                                                   {STREAM_AXPY, 64, store_nothing},  {STREAM_LOAD, 64, load_half}};
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const struct kernel_set set = {.stream_count = 1, .stream = &kernels[k]};
        struct tcplan_error error;
        assert_int_equal(stream_check(&set, &error), TCPLAN_ENVIRONMENT);
    }
}

static void without_memory_nothing_is_checked(void **state) {
    (void)state;
    base_alloc_fail_after(0);
    const enum tcplan_status status = stream_check(&kernels_baseline, NULL);
    base_alloc_fail_after(-1);
    assert_int_equal(status, TCPLAN_NO_MEMORY);
}

static void operations_are_those_of_all_elements_and_chains(void **state) {
    const struct compute_kernel fma = {.operation = COMPUTE_FMA, .precision = TCPLAN_DOUBLE, .vector_bits = 512};
    const struct compute_kernel add = {.operation = COMPUTE_ADD, .precision = TCPLAN_FLOAT, .vector_bits = 128};
    (void)state;
    assert_true(compute_flops(&fma, 10) == 10.0 * COMPUTE_CHAINS * 8 * 2);
    assert_true(compute_flops(&add, 10) == 10.0 * COMPUTE_CHAINS * 4);
}

static void limits_bound_what_is_counted(void **state) {
    const struct compute_kernel wide = {.operation = COMPUTE_FMA, .precision = TCPLAN_DOUBLE, .vector_bits = 512};
    const struct compute_kernel scalar = {.operation = COMPUTE_FMA, .precision = TCPLAN_DOUBLE, .vector_bits = 64};
    const struct stream_kernel load = {.operation = STREAM_LOAD, .vector_bits = 512};
    const struct stream_kernel copy = {.operation = STREAM_COPY, .vector_bits = 512};
    (void)state;
    assert_true(limit_flops(&wide) == 8 * limit_flops(&scalar));
    assert_true(limit_bytes(&load, false) <= limit_bytes(&load, true));
    assert_true(limit_bytes(&copy, true) <= 2 * limit_bytes(&load, true));
    for (int o = 0; o < STREAM_OPERATIONS; o++) {
        const struct stream_kernel kernel = {.operation = (enum stream_operation)o, .vector_bits = 64};
        assert_true(limit_bytes(&kernel, true) > 0);
        assert_true(limit_bytes(&kernel, false) > 0);
    }
}

static void lines_move_at_least_what_is_asked_for(void **state) {
    (void)state;
    for (int o = 0; o < STREAM_OPERATIONS; o++) {
        const struct stream_shape shape = stream_shape((enum stream_operation)o);
        assert_true(shape.line_bytes >= shape.read_bytes + shape.written_bytes);
        assert_true(shape.arrays >= 1 && shape.arrays <= 3 && shape.stride >= 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compute_kernels_count_their_rounds),
        cmocka_unit_test(stream_kernels_agree_with_plain_loops),
        cmocka_unit_test(kernels_that_leave_work_out_are_refused),
        cmocka_unit_test(without_memory_nothing_is_checked),
        cmocka_unit_test(operations_are_those_of_all_elements_and_chains),
        cmocka_unit_test(limits_bound_what_is_counted),
        cmocka_unit_test(lines_move_at_least_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
