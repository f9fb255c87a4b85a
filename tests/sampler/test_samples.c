/*
 * Tests samples in memory and in a file: generation resumes from a truncated file; damaged files
 * and those of other setups are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/input_file.h"
#include "routines/sampler/generation/samples.h"

static char path[] = "/tmp/tcplan-samples-XXXXXX";
static const struct samples_setup setup = {.cpu = "a CPU, 50% = half",
                                           .cores = "2 with 2 units",
                                           .caches = "L1 48K/12/1",
                                           .library = "OpenBLAS 0.3.21 (SkylakeX)",
                                           .threads = 1,
                                           .placement = "warm"};

static int make_path(void **state) {
    (void)state;
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

static int empty_path(void **state) {
    (void)state;
    return truncate(path, 0);
}

static struct samples *open_samples(bool fresh) {
    struct samples *samples = NULL;
    struct tcplan_error error;
    if (samples_open(&samples, path, &setup, fresh, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return samples;
}

static struct timed_sample sample_of(int number) {
    return (struct timed_sample){.seconds = 1e-6 * (number + 1),
                                 .before = 2e-5 / 3,
                                 .after = 1.0 / 3 * 1e-5,
                                 .apart_seconds = 1e-4,
                                 .at_seconds = 1.7e9 + number / 7.0};
}

/** Adds points of two cases, with one to four sizes. */
static void add(struct samples *samples, int first, int count) {
    static const struct samples_case cases[] = {
        {"dtrsm side=L uplo=L transA=N diag=N alpha=1", 5000}, {"dpotf2 uplo=L", 5064}};
    for (int i = first; i < first + count; i++) {
        const int64_t size[SAMPLES_SIZES] = {8 * (i % 7 + 1), i % 2 ? 16 : 0, i % 2 ? 24 : 0,
                                             i % 4 == 1 ? 32 : 0};
        const struct timed_sample sample = sample_of(i);
        int number;
        assert_int_equal(samples_case(&number, samples, &cases[i % 2], NULL), TCPLAN_OK);
        assert_int_equal(samples_take(samples, samples_find(samples, number, size), &sample, NULL),
                         TCPLAN_OK);
    }
}

static void assert_equal_samples(struct samples *a, const struct samples *b) {
    assert_int_equal(samples_points(a), samples_points(b));
    assert_int_equal(samples_count(a), samples_count(b));
    for (int64_t p = 0; p < samples_points(b); p++) {
        const struct samples_point *x = samples_point(b, p);
        const struct samples_point *y = samples_point(a, samples_find(a, x->case_number, x->size));
        assert_int_equal(x->count, y->count);
        assert_memory_equal(x->sample, y->sample, (size_t)x->count * sizeof *x->sample);
    }
}

static void stored_samples_are_read_back(void **state) {
    (void)state;
    struct samples *written = open_samples(false), *memory = NULL;
    assert_int_equal(samples_open(&memory, NULL, &setup, false, NULL), TCPLAN_OK);
    add(written, 0, 500);
    samples_close(written);
    written = open_samples(false);
    add(written, 500, 200);
    add(memory, 0, 700);
    samples_close(written);
    struct samples *read = open_samples(false);
    assert_equal_samples(read, memory);
    samples_close(read);
    read = open_samples(true);
    assert_int_equal(samples_count(read), 0);
    samples_close(read);
    samples_close(memory);
}

/** Truncated at any byte, a file keeps its complete lines, and new lines can be appended. */
static void a_truncated_file_is_resumed(void **state) {
    (void)state;
    char *text;
    size_t length;
    struct samples *samples = open_samples(false);
    add(samples, 0, 6);
    samples_close(samples);
    assert_int_equal(input_file_read(&text, &length, "", path, 1 << 20, NULL), TCPLAN_OK);
    for (size_t cut = 0; cut < length; cut++) {
        FILE *file = fopen(path, "w");
        struct tcplan_error error;
        assert_non_null(file);
        fwrite(text, 1, cut, file);
        fclose(file);
        const enum tcplan_status status = samples_open(&samples, path, &setup, false, &error);
        if (status != TCPLAN_OK) { /* the header is incomplete, although it is written at once */
            assert_int_equal(status, TCPLAN_INVALID);
            assert_true(cut < (size_t)(strstr(text, "\ncase") - text) + 1);
            continue;
        }
        const int64_t before = samples_count(samples);
        assert_true(before <= 6);
        add(samples, (int)before, 6 - (int)before);
        samples_close(samples);
        samples = open_samples(false);
        assert_int_equal(samples_count(samples), 6);
        samples_close(samples);
    }
    base_free(text);
}

static void a_byte_that_changed_is_found(void **state) {
    (void)state;
    char *text;
    size_t length, whole;
    struct samples_setup found;
    struct samples *samples = open_samples(false);
    add(samples, 0, 6);
    samples_close(samples);
    assert_int_equal(input_file_read(&text, &length, "", path, 1 << 20, NULL), TCPLAN_OK);
    for (size_t at = 0; at + 1 < length; at++) {
        struct tcplan_error error = {0};
        text[at] ^= 1;
        assert_int_equal(samples_parse(&samples, &found, &whole, text, length, &error),
                         TCPLAN_INVALID);
        assert_null(samples);
        assert_true(error.line >= 1 && *error.message);
        text[at] ^= 1;
    }
    assert_int_equal(samples_parse(&samples, &found, &whole, text, length, NULL), TCPLAN_OK);
    assert_int_equal(whole, length);
    assert_memory_equal(&found, &setup, sizeof setup);
    samples_close(samples);
    base_free(text);
}

static void only_one_process_adds_samples(void **state) {
    (void)state;
    struct samples *first = open_samples(false), *second;
    struct tcplan_error error;
    assert_int_equal(samples_open(&second, path, &setup, false, &error), TCPLAN_BUSY);
    assert_null(second);
    samples_close(first);
    samples_close(open_samples(false));
}

static void another_setup_is_refused(void **state) {
    (void)state;
    struct samples_setup other = setup;
    struct tcplan_error error;
    struct samples *samples = open_samples(false);
    add(samples, 0, 2);
    samples_close(samples);
    snprintf(other.library, sizeof other.library, "BLIS 0.9");
    assert_int_equal(samples_open(&samples, path, &other, false, &error), TCPLAN_MISMATCH);
    assert_non_null(strstr(error.message, "library 'OpenBLAS 0.3.21 (SkylakeX)', not 'BLIS 0.9'"));
    other = setup;
    other.threads = 2;
    assert_int_equal(samples_open(&samples, path, &other, false, &error), TCPLAN_MISMATCH);
    assert_non_null(strstr(error.message, "1 threads, not 2"));
    samples = open_samples(false); /* opening for reading leaves the file unchanged */
    assert_int_equal(samples_count(samples), 2);
    samples_close(samples);
}

static void files_of_others_stay(void **state) {
    (void)state;
    for (int fresh = 0; fresh < 2; fresh++) {
        struct samples *samples;
        struct tcplan_error error;
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs("my thesis", file);
        fclose(file);
        assert_int_equal(samples_open(&samples, path, &setup, fresh, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "not a file of samples"));
        assert_int_equal(truncate(path, 9), 0);
        char *text;
        size_t length;
        assert_int_equal(input_file_read(&text, &length, "", path, 100, NULL), TCPLAN_OK);
        assert_string_equal(text, "my thesis");
        base_free(text);
    }
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct samples *samples = open_samples(false);
    add(samples, 0, 300);
    samples_close(samples);
    for (long successes = 0; successes < 40; successes++) {
        base_alloc_fail_after(successes);
        struct tcplan_error error = {0};
        const enum tcplan_status status = samples_open(&samples, path, &setup, false, &error);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
        if (status == TCPLAN_OK) samples_close(samples);
    }
    samples = open_samples(false);
    assert_int_equal(samples_count(samples), 300);
    samples_close(samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(stored_samples_are_read_back, empty_path),
        cmocka_unit_test_setup(a_truncated_file_is_resumed, empty_path),
        cmocka_unit_test_setup(a_byte_that_changed_is_found, empty_path),
        cmocka_unit_test_setup(another_setup_is_refused, empty_path),
        cmocka_unit_test_setup(files_of_others_stay, empty_path),
        cmocka_unit_test_setup(out_of_memory_is_reported, empty_path),
        cmocka_unit_test_setup(only_one_process_adds_samples, empty_path),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
