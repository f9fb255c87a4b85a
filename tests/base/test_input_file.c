#include "base/input_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"

static char folder[] = "input-file-XXXXXX", path[64];

static int make_folder(void **state) {
    (void)state;
    const bool made = mkdtemp(folder);
    snprintf(path, sizeof path, "%s/input", folder);
    return made ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static void write_file(size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < length; i++) fputc('a' + (int)(i % 26), file);
    fclose(file);
}

static enum tcplan_status read_at_most(size_t *length, size_t most, struct tcplan_error *error) {
    char *text = NULL;
    const enum tcplan_status status = input_file_read(&text, length, "sizes ", path, most, error);
    if (status == TCPLAN_OK) {
        assert_int_equal(strlen(text), *length);
        for (size_t i = 0; i < *length; i++) assert_int_equal(text[i], 'a' + i % 26);
    } else {
        assert_null(text);
    }
    base_free(text);
    return status;
}

static void a_file_is_read_whole_up_to_its_most_bytes(void **state) {
    static const size_t lengths[] = {0, 1, 4094, 4095, 4096, 4097, 8191, 100000};
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct tcplan_error error = {0};
        size_t length = 7;
        write_file(lengths[l]);
        assert_int_equal(read_at_most(&length, lengths[l], &error), TCPLAN_OK);
        assert_int_equal(length, lengths[l]);
        if (lengths[l] == 0) continue;
        assert_int_equal(read_at_most(&length, lengths[l] - 1, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "is longer than"));
    }
    unlink(path);
}

/** A sparse file of a terabyte: reading stops soon after the requested number of bytes. */
static void a_file_without_end_is_not_read_to_its_end(void **state) {
    struct tcplan_error error = {0};
    size_t length = 0;
    (void)state;
    write_file(0);
    if (truncate(path, (off_t)1 << 40) != 0) assert_int_equal(truncate(path, (off_t)1 << 32), 0);
    assert_int_equal(read_at_most(&length, 1000, &error), TCPLAN_INVALID);
    assert_in_range(length, 1001, 1 << 16);
    unlink(path);
}

static void missing_files_and_pipes_are_refused(void **state) {
    struct tcplan_error error = {0};
    size_t length = 0;
    (void)state;
    assert_int_equal(read_at_most(&length, 1000, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "cannot read sizes 'input-file-"));
    assert_int_equal(mkfifo(path, 0600), 0); /* opening the pipe would wait for a writer */
    assert_int_equal(read_at_most(&length, 1000, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "found a pipe or device"));
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(read_at_most(&length, 1000, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "Is a directory"));
    rmdir(path);
}

static void out_of_memory_returns_a_status(void **state) {
    (void)state;
    write_file(100000);
    for (long n = 0; n < 2; n++) {
        struct tcplan_error error = {0};
        char *text = NULL;
        size_t length = 0;
        base_alloc_fail_after(n);
        const enum tcplan_status status =
            input_file_read(&text, &length, "", path, 1 << 20, &error);
        base_alloc_fail_after(-1);
        assert_int_equal(status, n < 1 ? TCPLAN_NO_MEMORY : TCPLAN_OK);
        base_free(text);
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole_up_to_its_most_bytes),
        cmocka_unit_test(a_file_without_end_is_not_read_to_its_end),
        cmocka_unit_test(missing_files_and_pipes_are_refused),
        cmocka_unit_test(out_of_memory_returns_a_status),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
