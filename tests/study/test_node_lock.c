#include "tcplan/study/node_lock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "node-lock-XXXXXX", path[64];

static int make_folder(void **state) {
    (void)state;
    const bool made = mkdtemp(folder);
    snprintf(path, sizeof path, "%s/lock", folder);
    return made ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static int remove_lock(void **state) {
    (void)state;
    return unlink(path);
}

static struct tcplan_node_lock *open_lock(double longest_seconds) {
    struct tcplan_node_lock *lock = NULL;
    struct tcplan_error error = {0};
    if (tcplan_node_lock_open(&lock, path, longest_seconds, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return lock;
}

static void count(void *context, const char *of) {
    assert_string_equal(of, path);
    ++*(int *)context;
}

static void the_lock_blocks_others_until_their_time_limit(void **state) {
    struct tcplan_node_lock *lock = open_lock(0.05);
    struct tcplan_error error = {0};
    int told = 0;
    (void)state;
    const int other = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(other, LOCK_EX), 0);
    for (int times = 0; times < 2; times++) {
        assert_int_equal(tcplan_node_lock_take(lock, count, &told, &error), TCPLAN_BUSY);
        assert_non_null(strstr(error.message, "was not free for 0.05 s"));
    }
    assert_int_equal(told, 1);
    close(other);
    assert_int_equal(tcplan_node_lock_take(lock, count, &told, &error), TCPLAN_OK);
    tcplan_node_lock_release(lock);
    tcplan_node_lock_close(lock);
}

static void a_lock_is_held_until_it_is_released(void **state) {
    struct tcplan_node_lock *one = open_lock(1), *other = open_lock(0.01);
    (void)state;
    assert_int_equal(tcplan_node_lock_take(one, NULL, NULL, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_node_lock_take(other, NULL, NULL, NULL), TCPLAN_BUSY);
    tcplan_node_lock_release(one);
    assert_int_equal(tcplan_node_lock_take(other, NULL, NULL, NULL), TCPLAN_OK);
    tcplan_node_lock_close(one);
    tcplan_node_lock_close(other);
}

/** In a folder that everyone can write to, another user could make links to files, which a lock
 * would create or block. */
static void a_link_is_not_followed(void **state) {
    struct tcplan_node_lock *lock = NULL;
    struct tcplan_error error = {0};
    char target[80];
    (void)state;
    snprintf(target, sizeof target, "%s/target", folder);
    assert_int_equal(symlink("target", path), 0);
    for (int there = 0; there < 2; there++) {
        assert_int_equal(tcplan_node_lock_open(&lock, path, 1, &error), TCPLAN_ENVIRONMENT);
        assert_non_null(strstr(error.message, path));
        assert_int_equal(access(target, F_OK), there - 1);
        close(open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    }
    unlink(target);
}

static void a_lock_file_that_cannot_be_created_is_reported(void **state) {
    struct tcplan_node_lock *lock = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(tcplan_node_lock_open(&lock, "/proc/none/lock", 1, &error),
                     TCPLAN_ENVIRONMENT);
    assert_null(lock);
    assert_non_null(strstr(error.message, "'/proc/none/lock': No such file or directory"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_lock_blocks_others_until_their_time_limit, remove_lock),
        cmocka_unit_test_teardown(a_lock_is_held_until_it_is_released, remove_lock),
        cmocka_unit_test_teardown(a_link_is_not_followed, remove_lock),
        cmocka_unit_test(a_lock_file_that_cannot_be_created_is_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
