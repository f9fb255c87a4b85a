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
    const struct frequency frequency = frequency_open(folder, 3);
    assert_float_equal(frequency_read(&frequency), 2.6e9, 1);
    write_file("3400000\n");
    assert_float_equal(frequency_read(&frequency), 3.4e9, 1);
    write_file("<unknown>\n");
    assert_float_equal(frequency_read(&frequency), 0, 0);
    frequency_close(&frequency);
}

static void a_processor_without_a_file_has_no_frequency(void **state) {
    (void)state;
    const struct frequency frequency = frequency_open(folder, 4);
    assert_float_equal(frequency_read(&frequency), 0, 0);
    frequency_close(&frequency);
    const struct frequency unknown = frequency_open(folder, -1);
    assert_float_equal(frequency_read(&unknown), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frequency_is_that_of_the_present),
        cmocka_unit_test(a_processor_without_a_file_has_no_frequency),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
