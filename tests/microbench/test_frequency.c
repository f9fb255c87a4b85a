#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "microbench/timing/frequency.h"

static char folder[] = "/tmp/tcplan-frequency-XXXXXX";

static void write_file(const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/cpu3/cpufreq/scaling_cur_freq", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int enter(void **state) {
    char path[256];
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/cpu3", folder);
    if (mkdir(path, 0700) != 0) return -1;
    snprintf(path, sizeof path, "%s/cpu3/cpufreq", folder);
    return mkdir(path, 0700);
}

static int leave(void **state) {
    static const char *const parts[] = {"/cpu3/cpufreq/scaling_cur_freq", "/cpu3/cpufreq", "/cpu3",
                                        ""};
    char path[256];
    (void)state;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[p]);
        remove(path);
    }
    return 0;
}

static void the_frequency_is_that_of_the_present(void **state) {
    (void)state;
    write_file("2600000\n");
    const struct frequency frequency = frequency_open(folder, folder, 3);
    assert_float_equal(frequency_read(&frequency), 2.6e9, 1);
    write_file("3400000\n");
    assert_float_equal(frequency_read(&frequency), 3.4e9, 1);
    write_file("<unknown>\n");
    assert_float_equal(frequency_read(&frequency), 0, 0);
    frequency_close(&frequency);
}

static void a_processor_without_a_file_has_no_frequency(void **state) {
    (void)state;
    const struct frequency frequency = frequency_open(folder, folder, 4);
    assert_float_equal(frequency_read(&frequency), 0, 0);
    frequency_close(&frequency);
    const struct frequency unknown = frequency_open(folder, folder, -1);
    assert_float_equal(frequency_read(&unknown), 0, 0);
    assert_false(frequency_is_reported(&unknown));
}

static void the_registers_give_the_average_of_a_period(void **state) {
    (void)state;
    const struct frequency_counts before = {.actual = 5000, .constant = 9000},
                                  after = {.actual = 8000, .constant = 11000};
    assert_float_equal(frequency_between(before, after, 2e9), 3e9, 1);
    const struct frequency_counts last = {.actual = UINT64_MAX - 499, .constant = 9000},
                                  again = {.actual = 500, .constant = 10000};
    assert_float_equal(frequency_between(last, again, 2e9), 2e9, 1);
    assert_float_equal(frequency_between(after, after, 2e9), 0, 0);
    const struct frequency_counts wild = {.actual = 1000000, .constant = 11001};
    assert_float_equal(frequency_between(after, wild, 2e9), 0, 0);
}

/** Writes a file in place of the device. A register is 8 bytes at the offset of its number, so
 * that in a file APERF (232) overlaps MPERF (231): APERF is MPERF / 256 + `last` * 2^56. */
static void write_registers(uint64_t constant, unsigned char last) {
    char path[256];
    snprintf(path, sizeof path, "%s/3/msr", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int b = 0; b < 231; b++) fputc(0, file);
    for (int b = 0; b < 8; b++) fputc((int)(constant >> (8 * b) & 0xff), file);
    fputc(last, file);
    fclose(file);
}

static void the_registers_are_read_from_their_device(void **state) {
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/3", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file("2600000");
    write_registers(256000, 0);
    struct frequency frequency = frequency_open(folder, folder, 3);
    assert_true(frequency_is_reported(&frequency));
    assert_int_equal(frequency.begun.constant, 256000);
    assert_int_equal(frequency.begun.actual, 1000);
    write_registers(512000, 0);
    const double hz = frequency_read(&frequency);
    assert_true(hz > 0 && hz < 1e9); /* 1/256 of the time-stamp counter, not the 2.6 GHz of cpufreq
                                      */
    frequency_begin(&frequency);
    assert_int_equal(frequency.begun.constant, 512000);
    assert_float_equal(frequency_read(&frequency), 2.6e9, 1); /* the registers stand still */
    frequency_close(&frequency);
    snprintf(path, sizeof path, "%s/3/msr", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/3", folder);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frequency_is_that_of_the_present),
        cmocka_unit_test(a_processor_without_a_file_has_no_frequency),
        cmocka_unit_test(the_registers_give_the_average_of_a_period),
        cmocka_unit_test(the_registers_are_read_from_their_device),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
