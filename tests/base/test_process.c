#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct process_files nothing = {PROCESS_NOTHING, PROCESS_NOTHING, PROCESS_NOTHING};
static char folder[64];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tcplan-process-XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/plain", folder);
    unlink(path);
    return rmdir(folder);
}

static int start_shell(pid_t *out, const char *script, const struct process_files *files,
                       bool leads) {
    const char *const arguments[] = {"sh", "-c", script, NULL};
    return process_start(out, "/bin/sh", arguments, files, environ, leads);
}

static void program_is_found_in_the_first_folder_that_has_it(void **state) {
    (void)state;
    char folders[128];
    snprintf(folders, sizeof folders, "/nowhere:%s:/bin:/usr/bin", folder);
    char *path = process_find("sh", folders);
    assert_string_equal(path, "/bin/sh");
    free(path);
}

static void only_executable_files_are_found(void **state) {
    (void)state;
    char path[96], relative[128];
    snprintf(path, sizeof path, "%s/plain", folder);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    assert_null(process_find("plain", folder));
    assert_null(process_find("tcplan-that-nobody-has", "/bin:/usr/bin"));
    assert_null(process_find("bin", "/usr:/")); /* "/usr/bin" is a folder */
    assert_null(process_find("sh", NULL));
    assert_null(process_find("sh", ""));
    assert_int_equal(chmod(path, 0700), 0);
    char *found = process_find("plain", folder);
    assert_non_null(found);
    free(found);
    assert_int_equal(chdir(folder), 0);
    snprintf(relative, sizeof relative, ".::%s",
             folder + 1); /* a relative path that is the current folder */
    assert_null(process_find("plain", relative));
    assert_int_equal(chdir("/"), 0);
}

static void a_missing_program_is_reported_at_once(void **state) {
    (void)state;
    const char *const arguments[] = {"nothing", NULL};
    pid_t process;
    assert_int_equal(
        process_start(&process, "/nowhere/nothing", arguments, &nothing, environ, false), ENOENT);
    assert_int_equal(process_start(&process, "/bin", arguments, &nothing, environ, false), EACCES);
}

static void a_program_gets_its_files_and_returns_its_status(void **state) {
    (void)state;
    char said[16] = "";
    int ends[2], status;
    pid_t process;
    assert_int_equal(pipe(ends), 0);
    const struct process_files files = {PROCESS_NOTHING, ends[1], ends[1]};
    assert_int_equal(start_shell(&process, "cat; echo out; echo err >&2; exit 7", &files, false),
                     0);
    close(ends[1]);
    assert_true(process_collect(&status, process));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(read(ends[0], said, sizeof said - 1), 8);
    assert_string_equal(said, "out\nerr\n");
    close(ends[0]);
    assert_false(process_collect(&status, process)); /* the exit status was already collected */
    assert_int_equal(process_wait(&status, process, deadline_in(100)), ECHILD);
}

static void program_that_does_not_end_is_waited_for_until_the_deadline(void **state) {
    (void)state;
    int status;
    pid_t process;
    assert_int_equal(start_shell(&process, "sleep 1000", &nothing, true), 0);
    assert_int_equal(process_wait(&status, process, deadline_in(0.01)), ETIMEDOUT);
    assert_int_equal(getpgid(process), process); /* the children of the process are in its process
                                                    group, and end with it */
    assert_int_equal(kill(-process, SIGKILL), 0);
    assert_int_equal(process_wait(&status, process, deadline_in(100)), 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_is_found_in_the_first_folder_that_has_it),
        cmocka_unit_test(only_executable_files_are_found),
        cmocka_unit_test(a_missing_program_is_reported_at_once),
        cmocka_unit_test(a_program_gets_its_files_and_returns_its_status),
        cmocka_unit_test(program_that_does_not_end_is_waited_for_until_the_deadline),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
