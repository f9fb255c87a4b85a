/*
 * Tests properties of sequences of calls that hold on every machine: their operands, timings of
 * single calls, cache studies and windows. No time is asserted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/timing/session.h"
#include "routines/blocked/cache/sequence.h"
#include "routines/blocked/cache/stages.h"
#include "routines/blocked/cache/timings.h"
#include "tcplan/blocked_cache.h"
#include "tcplan/blocked_windows.h"

static struct tcplan_blocked *make(const char *name) {
    struct tcplan_blocked *blocked;
    enum tcplan_dtype dtype = TCPLAN_DOUBLE;
    struct tcplan_error error;
    int operation, algorithm;
    assert_int_equal(tcplan_blocked_find(&operation, &algorithm, &dtype, name, &error), TCPLAN_OK);
    assert_int_equal(
        tcplan_blocked_make(&blocked, operation, algorithm < 0 ? 0 : algorithm, dtype, &error),
        TCPLAN_OK);
    return blocked;
}

static struct tcplan_machine this_machine(void) {
    struct tcplan_machine machine;
    struct tcplan_error error;
    assert_int_equal(tcplan_machine_load(&machine, "live", &error), TCPLAN_OK);
    return machine;
}

static struct sequence opened(const struct tcplan_blocked *blocked, int64_t n, int64_t m,
                              int64_t block) {
    const struct tcplan_blocked_sizes sizes = {.size = {n, m}, .block = block};
    struct sequence sequence;
    struct tcplan_error error;
    assert_int_equal(sequence_open(&sequence, blocked, &sizes, TCPLAN_PROVIDER_BLAS, 0, &error),
                     TCPLAN_OK);
    return sequence;
}

/** Algorithms with pivots, temporaries, nested loops or two sizes; all element types occur. */
static const char *const names[] = {"dpotrf_L1",  "spotrf_L2", "zpotrf_U3",   "dtrtri_LN1",
                                    "ctrtri_LN7", "dlauum_L1", "dsygst_1L1",  "dgetrf_1",
                                    "zgetrf_r",   "dgeqrf",    "dtrsyl_m1n2", "strsyl_7m2m1"};

enum { NAMES = sizeof names / sizeof *names };

/* Sequences. */

static int calls_of(const struct sequence *sequence, const char *name) {
    char found[TCPLAN_CACHE_KERNEL];
    int count = 0;
    for (int64_t c = 0; c < sequence->count; c++) {
        sequence_name(found, sizeof found, sequence->blocked, sequence->call[c].statement);
        count += strcmp(found, name) == 0;
    }
    return count;
}

static void the_calls_of_a_qr_decomposition_are_those_of_the_source(void **state) {
    struct tcplan_blocked *blocked = make("dgeqrf");
    struct sequence sequence = opened(blocked, 200, 200, 32);
    int64_t library = 0;
    (void)state;
    for (int64_t c = 0; c < sequence.count; c++)
        library += !sequence.call[c].call.routine.signature->is_own;
    assert_int_equal(library,
                     6 * 39 + 1); /* 39 calls in each of 6 full steps, 1 in the last step */
    assert_int_equal(calls_of(&sequence, "dgeqr2"), 7);
    assert_int_equal(calls_of(&sequence, "dgemm_TN"), 6);
    assert_true(sequence.step_calls >= 39);
    assert_true(sequence.whole_bytes >= 200 * 200 * 8.0);
    sequence_close(&sequence);
    tcplan_blocked_free(blocked);
}

static void similar_calls_have_the_same_arguments(void **state) {
    (void)state;
    for (int a = 0; a < NAMES; a++) {
        struct tcplan_blocked *blocked = make(names[a]);
        struct sequence sequence = opened(blocked, 90, 70, 16);
        double work = 0;
        assert_true(sequence.alike_count > 0 && sequence.alike_count <= sequence.count);
        for (int64_t c = 0; c < sequence.count; c++) {
            const struct sequence_call *call = &sequence.call[c],
                                       *example = &sequence.call[sequence.example[call->alike]];
            work += call->work;
            assert_int_equal(call->statement, example->statement);
            assert_memory_equal(call->call.value, example->call.value,
                                (size_t)call->call.routine.signature->count * sizeof(int64_t));
            assert_true(sequence.example[call->alike] <= c);
            assert_true(sequence_previous(&sequence, c) < c);
        }
        assert_true(fabs(work / sequence.work - 1) < 1e-12);
        sequence_close(&sequence);
        tcplan_blocked_free(blocked);
    }
}

/** All operands of calls lie within the matrices. */
static void operands_are_parts_of_matrices(void **state) {
    (void)state;
    for (int a = 0; a < NAMES; a++) {
        struct tcplan_blocked *blocked = make(names[a]);
        struct sequence sequence = opened(blocked, 61, 53, 16);
        for (int64_t c = 0; c < sequence.count; c++) {
            const struct call_accesses *accesses = &sequence.call[c].accesses;
            bool writes = false;
            assert_true(accesses->count > 0);
            for (int o = 0; o < accesses->count; o++) {
                const struct call_operand *operand = &accesses->operand[o];
                const struct blocked_extent *extent = &sequence.extent[operand->matrix];
                assert_true(operand->row >= 0 && operand->column >= 0 && operand->rows > 0 &&
                            operand->columns > 0);
                assert_true(operand->row + operand->rows <= extent->leading);
                assert_true((operand->column + operand->columns - 1) * extent->leading +
                                operand->row + operand->rows <=
                            blocked_elements(extent));
                writes = writes || operand->written;
            }
            assert_true(writes);
        }
        sequence_close(&sequence);
        tcplan_blocked_free(blocked);
    }
}

static bool is_restored(const struct sequence *sequence) {
    for (int m = 0; m < sequence->blocked->blocks.matrix_count; m++) {
        if (!sequence->memory[m]) continue;
        const size_t bytes = (size_t)blocked_elements(&sequence->extent[m]) *
                             binding_element_bytes(sequence->blocked, m);
        if (memcmp(sequence->memory[m], sequence->first[m], bytes) != 0) return false;
    }
    return true;
}

/** A range of calls can be run from any place of the sequence: its operands hold valid numbers, and
 * restoring the written data undoes all changes. */
static void stretches_can_be_made_anywhere_and_undone(void **state) {
    const struct timings_setting setting = {.provider = TCPLAN_PROVIDER_BLAS, .threads = 1};
    (void)state;
    for (int a = 0; a < NAMES; a++) {
        struct tcplan_blocked *blocked = make(names[a]);
        struct sequence sequence = opened(blocked, 100, 84, 16);
        struct timings *timings;
        struct tcplan_error error;
        double *ns = calloc((size_t)sequence.count, sizeof *ns);
        bool *disturbed = calloc((size_t)sequence.count, sizeof *disturbed);
        assert_true(ns && disturbed);
        assert_int_equal(timings_open(&timings, &sequence, &setting, &error), TCPLAN_OK);
        for (int64_t lead = 0; lead < sequence.count; lead += 1 + sequence.count / 23) {
            const int64_t end = lead + 40 < sequence.count ? lead + 40 : sequence.count;
            const int64_t first = lead + (end - lead) / 2;
            const enum tcplan_status status =
                timings_stretch(timings, lead, first, end, ns, disturbed, &error);
            if (status != TCPLAN_OK)
                fail_msg("%s from call %lld on: %s", names[a], (long long)lead, error.message);
            for (int64_t c = first; c < end; c++) assert_true(ns[c - first] > 0);
            sequence_restore_calls(&sequence, lead, end);
            assert_true(is_restored(&sequence));
        }
        assert_int_equal(timings_algorithm(timings, ns, NULL, &error), TCPLAN_OK);
        assert_false(is_restored(&sequence));
        sequence_restore(&sequence);
        assert_true(is_restored(&sequence));
        timings_close(timings);
        sequence_close(&sequence);
        tcplan_blocked_free(blocked);
        free(ns);
        free(disturbed);
    }
}

static void too_many_calls_are_refused(void **state) {
    struct tcplan_blocked *blocked = make("dtrsyl_m1n1");
    const struct tcplan_blocked_sizes sizes = {.size = {400, 400}, .block = 1};
    struct sequence sequence;
    struct tcplan_error error;
    (void)state;
    assert_int_equal(sequence_open(&sequence, blocked, &sizes, TCPLAN_PROVIDER_BLAS, 0, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "take larger blocks"));
    sequence_close(&sequence);
    tcplan_blocked_free(blocked);
}

static void matrices_beyond_the_bound_are_refused(void **state) {
    struct tcplan_blocked *blocked = make("dpotrf_L3");
    const struct tcplan_blocked_sizes sizes = {.size = {400}, .block = 64},
                                      none = {.size = {0}, .block = 64};
    struct sequence sequence;
    struct tcplan_error error;
    (void)state;
    assert_int_equal(
        sequence_open(&sequence, blocked, &sizes, TCPLAN_PROVIDER_BLAS, 1 << 20, &error),
        TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "allowed"));
    sequence_close(&sequence);
    assert_int_equal(sequence_open(&sequence, blocked, &none, TCPLAN_PROVIDER_BLAS, 0, &error),
                     TCPLAN_INVALID);
    sequence_close(&sequence);
    tcplan_blocked_free(blocked);
}

static void every_call_can_be_timed_by_itself(void **state) {
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    const struct timings_setting setting = {
        .provider = TCPLAN_PROVIDER_BLAS, .threads = 1, .cache_bytes = 1 << 12, .line_bytes = 64};
    (void)state;
    for (int a = 0; a < NAMES; a++) {
        struct tcplan_blocked *blocked = make(names[a]);
        struct sequence sequence = opened(blocked, 70, 61, 24);
        struct timings *timings;
        struct tcplan_error error;
        bool any_differ = false;
        assert_int_equal(timings_open(&timings, &sequence, &setting, &error), TCPLAN_OK);
        for (int64_t call = 0; call < sequence.alike_count; call++) {
            for (int k = 0; k < TIMING_KINDS; k++) {
                double ns = 0;
                const enum tcplan_status status =
                    timings_alone(timings, (enum timing_kind)k, call, &ns, &error);
                if (status != TCPLAN_OK) fail_msg("%s: %s", names[a], error.message);
                assert_true(ns > 0);
            }
            any_differ = any_differ || timings_differ(timings, TIMING_IN_CACHE, call);
            assert_true(timings_differ(timings, TIMING_OUT_OF_CACHE, call));
            assert_false(timings_differ(timings, TIMING_REPEATED, call));
        }
        assert_true(any_differ); /* the assumed cache has only 4 KiB, so some operands are out of it
                                  */
        timings_close(timings);
        sequence_close(&sequence);
        tcplan_blocked_free(blocked);
    }
    session_end(&session);
}

/* Studies. */

static void check_study(const struct tcplan_blocked_cache *study) {
    double seconds = 0;
    int64_t calls = 0;
    assert_true(study->repetitions == 2 && study->runs >= 2 && !study->time_over);
    for (int64_t c = 0; c < study->count; c++) {
        const struct tcplan_blocked_cache_call *call = &study->call[c];
        seconds += call->seconds;
        assert_true(call->kernel >= 0 && call->kernel < study->kernel_count);
        assert_true(call->seconds > 0 && call->share >= 0 && call->share <= 1);
        assert_true(!call->counts || call->flops > 0);
        const double in = call->estimate[TCPLAN_CACHE_IN], out = call->estimate[TCPLAN_CACHE_OUT];
        for (int s = 0; s < TCPLAN_CACHE_STAGES; s++) assert_true(call->estimate[s] > 0);
        for (int s = TCPLAN_CACHE_INITIAL; s <= TCPLAN_CACHE_DISTINCT; s++) {
            assert_true(call->estimate[s] >= fmin(in, out) * (1 - 1e-9) &&
                        call->estimate[s] <= fmax(in, out) * (1 + 1e-9));
        }
    }
    for (int k = 0; k < study->kernel_count; k++) calls += study->kernel[k].calls;
    assert_int_equal(calls, study->count);
    assert_true(fabs(seconds / study->seconds - 1) < 1e-12);
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++)
        assert_true(study->error[s] >= 0 && study->over[s] >= study->under[s]);
}

static void a_study_has_every_call_in_every_stage(void **state) {
    const struct tcplan_machine machine = this_machine();
    const struct tcplan_blocked_cache_options options = {
        .machine = &machine, .repetitions = 2, .cache_bytes = 1 << 16};
    static const char *const studied[] = {"dgeqrf", "dpotrf_U", "dtrtri_LN5", "dgetrf_1"};
    (void)state;
    for (size_t a = 0; a < sizeof studied / sizeof *studied; a++) {
        struct tcplan_blocked *blocked = make(studied[a]);
        const struct tcplan_blocked_sizes sizes = {.size = {120}, .block = 24};
        const struct tcplan_blocked_sizes square = {.size = {120, 120}, .block = 24};
        struct tcplan_blocked_cache study = {0};
        struct tcplan_error error;
        const bool has_two = tcplan_blocked_blocks(blocked)->size_count > 1;
        const enum tcplan_status status = tcplan_blocked_cache_study(
            &study, blocked, has_two ? &square : &sizes, &options, &error);
        if (status != TCPLAN_OK) fail_msg("%s: %s", studied[a], error.message);
        assert_int_equal(study.cache_bytes, 1 << 16);
        check_study(&study);
        tcplan_blocked_cache_free(&study);
        tcplan_blocked_free(blocked);
    }
}

static void impossible_studies_are_refused(void **state) {
    struct tcplan_machine machine = this_machine();
    struct tcplan_blocked *blocked = make("dpotrf_L3");
    const struct tcplan_blocked_sizes sizes = {.size = {64}, .block = 16},
                                      none = {.size = {64}, .block = 0};
    struct tcplan_blocked_cache_options options = {
        .machine = &machine, .repetitions = 2, .level = 7};
    struct tcplan_blocked_cache study = {0};
    struct tcplan_error error;
    (void)state;
    assert_int_equal(tcplan_blocked_cache_study(&study, blocked, &sizes, &options, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "level 7"));
    tcplan_blocked_cache_free(&study);
    options.level = 0;
    options.cache_bytes = 1 << 16;
    assert_int_equal(tcplan_blocked_cache_study(&study, blocked, &none, &options, &error),
                     TCPLAN_INVALID);
    tcplan_blocked_cache_free(&study);
    machine.live = false;
    assert_int_equal(tcplan_blocked_cache_study(&study, blocked, &sizes, &options, &error),
                     TCPLAN_INVALID);
    tcplan_blocked_cache_free(&study);
    tcplan_blocked_free(blocked);
}

/* Windows. */

static void windows_have_every_kernel(void **state) {
    (void)state;
    for (int a = 0; a < NAMES; a++) {
        struct tcplan_blocked *blocked = make(names[a]);
        const struct tcplan_blocked_sizes sizes = {.size = {160, 130}, .block = 16};
        const struct tcplan_blocked_windows_options options = {
            .samples = 3, .seed = 1, .precision = 1e-9};
        struct tcplan_blocked_windows windows = {.whole = true};
        struct tcplan_error error;
        const enum tcplan_status status =
            tcplan_blocked_windows(&windows, blocked, &sizes, &options, &error);
        if (status != TCPLAN_OK) fail_msg("%s: %s", names[a], error.message);
        assert_int_equal(windows.estimate.sample_count, 3);
        assert_true(windows.estimate.seconds > 0 &&
                    windows.estimate.low <= windows.estimate.seconds);
        assert_true(windows.executed > 0 && windows.stretches >= 3 && windows.kernel_count > 0);
        double seconds = 0, mean = 0;
        int64_t calls = 0;
        for (int k = 0; k < windows.kernel_count; k++) {
            seconds += windows.kernel[k].seconds;
            calls += windows.kernel[k].calls;
        }
        for (int s = 0; s < 3; s++) mean += windows.estimate.sample[s] / 3;
        assert_true(fabs(seconds / mean - 1) < 1e-9);
        assert_int_equal(calls, windows.calls);
        tcplan_blocked_windows_free(&windows);
        tcplan_blocked_free(blocked);
    }
}

static void algorithms_of_few_steps_are_run_as_a_whole(void **state) {
    struct tcplan_blocked *blocked = make("dpotrf_L3");
    const struct tcplan_blocked_sizes few = {.size = {64}, .block = 64},
                                      many = {.size = {640}, .block = 8};
    const struct tcplan_blocked_windows_options options = {.samples = 3, .seed = 1};
    struct tcplan_blocked_windows windows = {.whole = false};
    struct tcplan_error error;
    (void)state;
    assert_int_equal(tcplan_blocked_windows(&windows, blocked, &few, &options, &error), TCPLAN_OK);
    assert_true(windows.whole);
    tcplan_blocked_windows_free(&windows);
    assert_int_equal(tcplan_blocked_windows(&windows, blocked, &many, &options, &error), TCPLAN_OK);
    assert_false(windows.whole);
    tcplan_blocked_windows_free(&windows);
    struct tcplan_blocked_windows_options whole =
        options; /* each sample is a whole run, as for algorithms of few steps */
    whole.whole = true;
    assert_int_equal(tcplan_blocked_windows(&windows, blocked, &many, &whole, &error), TCPLAN_OK);
    assert_true(windows.whole);
    tcplan_blocked_windows_free(&windows);
    tcplan_blocked_free(blocked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calls_of_a_qr_decomposition_are_those_of_the_source),
        cmocka_unit_test(similar_calls_have_the_same_arguments),
        cmocka_unit_test(operands_are_parts_of_matrices),
        cmocka_unit_test(stretches_can_be_made_anywhere_and_undone),
        cmocka_unit_test(too_many_calls_are_refused),
        cmocka_unit_test(matrices_beyond_the_bound_are_refused),
        cmocka_unit_test(every_call_can_be_timed_by_itself),
        cmocka_unit_test(a_study_has_every_call_in_every_stage),
        cmocka_unit_test(impossible_studies_are_refused),
        cmocka_unit_test(windows_have_every_kernel),
        cmocka_unit_test(algorithms_of_few_steps_are_run_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
