#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/alloc.h"
#include "roofline/ceilings/limit.h"
#include "roofline/kernels/kernels.h"
#include "roofline/kernels/stream_check.h"
#include "roofline/kernels/stream_parts.h"

/** Lists all sets of vector instructions that this CPU supports; returns their number. */
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
            for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++)
                assert_true(set[s]->compute[k].run(rounds[r]));
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

/** Each mixed precision has kernels, or a reason why the CPU has none. */
static void every_mixed_precision_has_kernels_or_is_lacking(void **state) {
    const struct kernel_set *set[KERNEL_SETS + 1];
    unsigned found = 0;
    (void)state;
    const int count = sets(set);
    for (int s = 0; s < count; s++) {
        for (int k = 0; k < set[s]->compute_count; k++)
            found |= 1U << compute_mix(set[s]->compute[k].operation);
    }
    for (int mix = 1; mix < TCPLAN_MIXES; mix++) {
        const unsigned bit = 1U << mix;
        assert_int_equal(((found & bit) != 0) + ((kernels_lacking() & bit) != 0) +
                             ((kernels_unbuilt() & bit) != 0),
                         1);
        assert_true(*tcplan_mix_name((enum tcplan_mix)mix));
    }
    assert_string_equal(tcplan_mix_name(TCPLAN_MIX_NONE), "");
}

static void the_widest_streams_are_first_and_every_cpu_has_the_baseline(void **state) {
    const struct kernel_set *width[KERNEL_WIDTHS], *set[KERNEL_SETS];
    (void)state;
    const int count = kernels_widths(width);
    kernels_choose(set);
    assert_ptr_equal(width[0], set[0]);
    assert_ptr_equal(width[count - 1], &kernels_baseline);
    for (int w = 1; w < count; w++)
        assert_true(width[w]->stream[0].vector_bits < width[w - 1]->stream[0].vector_bits);
    for (int w = 0; w < count; w++) {
        struct tcplan_error error;
        if (stream_check(width[w], &error) != TCPLAN_OK) fail_msg("%s", error.message);
    }
}

static double store_nothing(const struct stream *stream) {
    (void)stream;
    return 0;
}

static double store_all(const struct stream *stream) {
    for (int64_t i = 0; i < stream->elems; i++) stream->a[i] = stream->s;
    return 0;
}

static double load_half(const struct stream *stream) {
    return stream->a[stream->elems / 2 - 1];
}

static void kernels_that_leave_work_out_are_refused(void **state) {
    static const struct stream_kernel kernels[] = {
        {STREAM_STORE, 64, store_nothing},   {STREAM_COPY, 64, store_nothing},
        {STREAM_TRIAD, 64, store_nothing},   {STREAM_UPDATE, 64, store_nothing},
        {STREAM_AXPY, 64, store_nothing},    {STREAM_LOAD, 64, load_half},
        {STREAM_STORE_4, 64, store_nothing}, {STREAM_STORE_4, 64, store_all},
        {STREAM_LOAD_64, 64, load_half}};
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const struct kernel_set set = {.stream_count = 1, .stream = &kernels[k]};
        struct tcplan_error error;
        assert_int_equal(stream_check(&set, &error), TCPLAN_ENVIRONMENT);
    }
}

/** For any number of cache lines, the order ends with the last line: it does so only if the step
 * and the number of lines have no common divisor. */
static void scattered_loads_end_with_the_last_line(void **state) {
    const struct kernel_set *set[KERNEL_WIDTHS];
    const int sets = kernels_widths(set);
    (void)state;
    for (int s = 0; s < sets; s++) {
        for (int k = 0; k < set[s]->stream_count; k++) {
            const struct stream_kernel *kernel = &set[s]->stream[k];
            if (kernel->operation != STREAM_LOAD_RANDOM) continue;
            for (int64_t blocks = 1; blocks < 40; blocks++) {
                const int64_t elems = blocks * STREAM_BLOCK_ELEMS;
                double *a = base_aligned_alloc(64, (size_t)elems * sizeof *a);
                assert_non_null(a);
                for (int64_t i = 0; i < elems; i++) a[i] = (double)i;
                const struct stream stream = {.a = a, .elems = elems, .passes = 2};
                assert_true(kernel->run(&stream) == stream_check_loaded(kernel, &stream));
                base_free(a);
            }
        }
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
    const struct compute_kernel fma = {
        .operation = COMPUTE_FMA, .precision = TCPLAN_DOUBLE, .vector_bits = 512};
    const struct compute_kernel add = {
        .operation = COMPUTE_ADD, .precision = TCPLAN_FLOAT, .vector_bits = 128};
    (void)state;
    assert_true(compute_flops(&fma, 10) == 10.0 * COMPUTE_CHAINS * 8 * 2);
    assert_true(compute_flops(&add, 10) == 10.0 * COMPUTE_CHAINS * 4);
    const struct compute_kernel
        fp16 = {.operation = COMPUTE_FMA_FP16, .precision = TCPLAN_FLOAT, .vector_bits = 512},
        bf16 = {.operation = COMPUTE_FMA_BF16_S, .precision = TCPLAN_FLOAT, .vector_bits = 256},
        widened = {.operation = COMPUTE_FMA_S_D, .precision = TCPLAN_DOUBLE, .vector_bits = 512};
    assert_true(compute_flops(&fp16, 10) == 10.0 * COMPUTE_CHAINS * 32 * 2);
    assert_true(compute_flops(&bf16, 10) ==
                10.0 * COMPUTE_CHAINS * 16 * 2); /* mixed products: two for each of the eight sums
                                                    of a register */
    assert_true(compute_flops(&widened, 10) == 10.0 * COMPUTE_CHAINS * 8 * 2);
    assert_true(limit_flops(&widened) == limit_flops(&fma) &&
                limit_flops(&fp16) == 4 * limit_flops(&fma));
}

static void limits_bound_counts(void **state) {
    const struct compute_kernel wide = {
        .operation = COMPUTE_FMA, .precision = TCPLAN_DOUBLE, .vector_bits = 512};
    const struct compute_kernel scalar = {
        .operation = COMPUTE_FMA, .precision = TCPLAN_DOUBLE, .vector_bits = 64};
    const struct stream_kernel load = {.operation = STREAM_LOAD, .vector_bits = 512};
    const struct stream_kernel copy = {.operation = STREAM_COPY, .vector_bits = 512};
    (void)state;
    assert_true(limit_flops(&wide) == 8 * limit_flops(&scalar));
    assert_true(limit_bytes(&load, false) <= limit_bytes(&load, true));
    assert_true(limit_bytes(&copy, true) <= 2 * limit_bytes(&load, true));
    for (int o = 0; o < STREAM_OPERATIONS; o++) {
        const struct stream_kernel kernel = {.operation = (enum stream_operation)o,
                                             .vector_bits = 64};
        assert_true(limit_bytes(&kernel, true) > 0);
        assert_true(limit_bytes(&kernel, false) > 0);
    }
}

static void lines_move_at_least_the_requested_bytes(void **state) {
    (void)state;
    for (int o = 0; o < STREAM_OPERATIONS; o++) {
        const struct stream_shape shape = stream_shape((enum stream_operation)o);
        assert_true(shape.line_bytes >= shape.read_bytes + shape.written_bytes);
        assert_true(shape.arrays >= 1 && shape.arrays <= 3 && shape.stride >= 1);
        assert_true(STREAM_BLOCK_ELEMS % shape.stride == 0);
    }
    const struct stream_shape near = stream_shape(STREAM_LOAD_4),
                              line = stream_shape(STREAM_LOAD_8),
                              far = stream_shape(STREAM_STORE_64);
    assert_true(near.stride == 4 && near.read_bytes == 8 && near.written_bytes == 0 &&
                near.line_bytes == 32);
    assert_true(line.stride == 8 && line.line_bytes == 64);
    assert_true(far.stride == 64 && far.read_bytes == 0 && far.written_bytes == 8 &&
                far.line_bytes == 128); /* a stored line is fetched and written back */
    for (int o = STREAM_LOAD_1; o < STREAM_OPERATIONS;
         o++) { /* the name of a strided load states its stride */
        struct tcplan_ceiling ceiling = {0};
        snprintf(ceiling.name, sizeof ceiling.name, "%s", stream_name((enum stream_operation)o));
        assert_int_equal(tcplan_ceiling_stride(&ceiling),
                         stream_shape((enum stream_operation)o).stride);
    }
}

/** Synthetic windows in the order in which they are timed. */
struct windows {
    const double *seconds;
    int next;
};

static double next_window(void *context, int parts) {
    struct windows *windows = context;
    assert_int_equal(parts, windows->next % 2 ? STREAM_PARTS : 1); /* in alternating order */
    return windows->seconds[windows->next++];
}

static void parts_are_those_of_the_shortest_usable_window(void **state) {
    static const struct {
        double seconds[6];
        int parts;
    } rows[] = {
        {{3, 4, 3, 4, 3, 4}, 1},
        {{3, 4, 3, 2, 3, 4}, STREAM_PARTS}, /* the parts with the shortest window are chosen, not
                                               those that are the shortest most often */
        {{3, 3, 3, 3, 3, 3}, 1},
        {{3, 0, 3, 0, 3, 4}, 1}, /* a failed window (0) is not the shortest one */
        {{0, 4, 0, 4, 0, 4}, STREAM_PARTS},
        {{0, 0, 0, 0, 0, 0}, 1},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct windows windows = {.seconds = rows[r].seconds};
        assert_int_equal(stream_parts_faster(next_window, &windows), rows[r].parts);
        assert_int_equal(windows.next, 6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compute_kernels_count_their_rounds),
        cmocka_unit_test(stream_kernels_agree_with_plain_loops),
        cmocka_unit_test(every_mixed_precision_has_kernels_or_is_lacking),
        cmocka_unit_test(the_widest_streams_are_first_and_every_cpu_has_the_baseline),
        cmocka_unit_test(kernels_that_leave_work_out_are_refused),
        cmocka_unit_test(scattered_loads_end_with_the_last_line),
        cmocka_unit_test(without_memory_nothing_is_checked),
        cmocka_unit_test(operations_are_those_of_all_elements_and_chains),
        cmocka_unit_test(limits_bound_counts),
        cmocka_unit_test(lines_move_at_least_the_requested_bytes),
        cmocka_unit_test(parts_are_those_of_the_shortest_usable_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
