#include "base/temporary.h"

#include <errno.h>
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

static void only_unlocked_temporary_files_are_swept(void **state) {
    static const char target[] = "temporary_target";
    (void)state;
    char *own = temporary_pattern(target), *others = temporary_pattern("temporary_other");
    const int descriptor = temporary_make(own, TEMPORARY_OWN),
              other = temporary_make(others, TEMPORARY_OWN);
    assert_true(descriptor >= 0 && other >= 0);
    temporary_sweep(target);
    assert_int_equal(access(own, F_OK), 0);
    close(descriptor); /* drops the lock, as if the process were killed */
    close(other);
    temporary_sweep(target);
    assert_int_not_equal(access(own, F_OK), 0);
    assert_int_equal(access(others, F_OK), 0); /* belongs to another target file */
    temporary_sweep("temporary_other");
    assert_int_not_equal(access(others, F_OK), 0);
    free(own);
    free(others);
}

static void only_files_of_its_own_are_swept(void **state) {
    static const char target[] = "temporary_target";
    (void)state;
    char *pattern = temporary_pattern(target);
    char name[64];
    const int held = temporary_make(pattern, TEMPORARY_OWN);
    assert_true(held >= 0);
    close(held);
    assert_int_equal(unlink(pattern), 0);
    assert_int_equal(symlink("none", pattern), 0);
    snprintf(name, sizeof name, "%s7",
             pattern); /* one character longer than the name of a temporary file */
    fclose(fopen(name, "w"));
    temporary_sweep(target);
    assert_int_equal(unlink(pattern), 0);
    assert_int_equal(unlink(name), 0);
    free(pattern);
}

/** Returns the permissions of a new file, created with the given mode and umask. */
static int mode_of_new(mode_t asked, mode_t mask) {
    char *pattern = temporary_pattern("temporary_target");
    struct stat status;
    const mode_t before = umask(mask);
    const int descriptor = temporary_make(pattern, asked);
    umask(before);
    assert_true(descriptor >= 0);
    assert_int_equal(fstat(descriptor, &status), 0);
    assert_int_equal(unlink(pattern), 0);
    close(descriptor);
    free(pattern);
    return status.st_mode & 07777;
}

static void the_kernel_applies_the_umask(void **state) {
    (void)state;
    assert_int_equal(mode_of_new(TEMPORARY_NEW, 0), 0666);
    assert_int_equal(mode_of_new(TEMPORARY_NEW, 027), 0640);
    assert_int_equal(mode_of_new(TEMPORARY_OWN, 0), 0600);
}

static void assert_holds(const char *path, const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    assert_int_equal(length, strlen(text));
    assert_string_equal(found, text);
}

/** A temporary file replaces its target with one rename. If another process changed the target in
 * the meantime, the target stays, unless replacing is always permitted. */
static void a_file_is_replaced_completely_or_not_at_all(void **state) {
    struct stat status;
    (void)state;
    unlink("temporary_target");
    assert_int_equal(temporary_replace(NULL, "temporary_target", 0640, "first", 5, 0), 0);
    assert_int_equal(stat("temporary_target", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(temporary_replace(NULL, "temporary_target", 0600, "again", 5, 0), EAGAIN);
    assert_int_equal(temporary_replace(NULL, "temporary_target", 0600, "again", 5, 6), EAGAIN);
    assert_holds("temporary_target", "first");
    assert_int_equal(temporary_replace(NULL, "temporary_target", 0600, "second", 6, 5), 0);
    assert_holds("temporary_target", "second");
    assert_int_equal(stat("temporary_target", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640); /* permissions are unchanged */
    assert_int_equal(temporary_replace(NULL, "temporary_target", 0600, "", 0, -1), 0);
    assert_holds("temporary_target", "");
    assert_int_equal(temporary_replace(NULL, "no_folder/target", 0600, "", 0, -1), ENOENT);
    unlink("temporary_target");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_unlocked_temporary_files_are_swept),
        cmocka_unit_test(only_files_of_its_own_are_swept),
        cmocka_unit_test(the_kernel_applies_the_umask),
        cmocka_unit_test(a_file_is_replaced_completely_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
