#include "cli/output/cleanup.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char temporary[] = "cleanup_temporary";

struct death {
    int status;
    char told[256]; /**< what the process wrote to stderr */
    bool left;      /**< whether the temporary file still existed after the process ended */
};

/** Ends by a signal, or by exit() if `number` is 0, while a temporary file exists and a line is
 * incomplete. */
static _Noreturn void die(int number, bool in_fork) {
    signal(number, SIG_DFL); /* replaces the handlers of cmocka and sanitizers by the default */
    fclose(fopen(temporary, "w"));
    cleanup_install();
    cleanup_add(temporary);
    cleanup_set_line(true);
    if (in_fork && fork() > 0) {
        wait(NULL);
        _exit(EXIT_SUCCESS);
    }
    if (number == 0) exit(0);
    raise(number);
    _exit(99);
}

static void *wait_for_signals(void *context) {
    for (;;) pause();
    return context;
}

/** Ends by a signal that arrives again while the handler in another thread waits for the list of
 * files. */
static _Noreturn void die_of_two(int number) {
    pthread_t thread[2];
    signal(number, SIG_DFL);
    for (int t = 0; t < 2; t++) pthread_create(&thread[t], NULL, wait_for_signals, NULL);
    fclose(fopen(temporary, "w"));
    cleanup_install();
    cleanup_add(temporary);
    cleanup_hold();
    for (int time = 0; time < 2; time++) {
        kill(getpid(), number);
        usleep(20000);
    }
    cleanup_release();
    for (;;) pause();
}

static void a_signal_that_comes_twice_leaves_no_temporary(void **state) {
    int status;
    (void)state;
    const pid_t process = fork();
    if (process == 0) die_of_two(SIGINT);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
    assert_int_equal(access(temporary, F_OK), -1);
}

/** Removes from `text` what qemu-user prints when a signal ends the emulated program. */
static void remove_words_of_emulator(char *text) {
    char *words = strstr(text, "qemu: ");
    if (words) *words = '\0';
}

static struct death death_of(int number, bool in_fork) {
    struct death death = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], STDERR_FILENO);
        die(number, in_fork);
    }
    close(ends[1]);
    assert_int_equal(waitpid(process, &death.status, 0), process);
    assert_true(read(ends[0], death.told, sizeof death.told - 1) >= 0);
    close(ends[0]);
    remove_words_of_emulator(death.told);
    death.left = remove(temporary) == 0;
    return death;
}

static void signals_leave_neither_temporary_nor_open_line(void **state) {
    static const int signals[] = {SIGINT,  SIGTERM, SIGQUIT, SIGUSR1,
                                  SIGXCPU, SIGSEGV, SIGFPE,  SIGABRT};
    (void)state;
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) {
        const struct death death = death_of(signals[s], false);
        assert_true(WIFSIGNALED(death.status));
        assert_int_equal(WTERMSIG(death.status), signals[s]);
        assert_string_equal(death.told, "\n");
        assert_false(death.left);
    }
}

static void after_exit_in_a_library_neither_file_nor_line_is_left(void **state) {
    (void)state;
    const struct death death = death_of(0, false);
    assert_true(WIFEXITED(death.status));
    assert_string_equal(death.told, "\n");
    assert_false(death.left);
}

static void forked_process_leaves_the_files_of_the_other(void **state) {
    (void)state;
    const struct death death = death_of(SIGSEGV, true);
    assert_true(WIFEXITED(death.status));
    assert_string_equal(death.told, "");
    assert_true(death.left);
}

/** Returns how many files in the working directory have names that begin so. */
static int count_files(const char *beginning) {
    int count = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
    closedir(directory);
    return count;
}

/** Removes files that an earlier run of this test left behind, for example because it was killed.
 */
static void remove_files(const char *beginning) {
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (strncmp(entry->d_name, beginning, strlen(beginning)) == 0) unlink(entry->d_name);
    }
    closedir(directory);
}

static const int ending_signals[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGXCPU,
                                     SIGXFSZ, SIGALRM, SIGUSR1, SIGUSR2};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

/** Starts `tcplan list` with 671 million algorithms, and waits until its temporary file exists.
 * Returns the process id. */
static pid_t begin_long_list(void) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int s = 0; s < ENDING_SIGNALS; s++)
            signal(ending_signals[s], SIG_DFL); /* the parent process may have ignored the signal */
        execl(TCPLAN_COMMAND, TCPLAN_COMMAND, "list", "C_abcdefghi=A_abcdxyz*B_xyzefghi", "-o",
              "cleanup_list", (char *)NULL);
        _exit(127);
    }
    while (count_files(".cleanup_list") == 0) {
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        usleep(1000);
    }
    return child;
}

static void signals_leave_no_temporary_file_of_a_command(void **state) {
    (void)state;
    const struct rlimit no_core = {0};
    setrlimit(RLIMIT_CORE, &no_core);
    remove_files(".cleanup_list");
    for (int s = 0; s < ENDING_SIGNALS; s++) {
        int status;
        const pid_t child = begin_long_list();
        kill(child, ending_signals[s]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), ending_signals[s]);
        if (count_files(".cleanup_list") > 0)
            fail_msg("signal %d leaves a file", ending_signals[s]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_leave_neither_temporary_nor_open_line),
        cmocka_unit_test(a_signal_that_comes_twice_leaves_no_temporary),
        cmocka_unit_test(after_exit_in_a_library_neither_file_nor_line_is_left),
        cmocka_unit_test(forked_process_leaves_the_files_of_the_other),
        cmocka_unit_test(signals_leave_no_temporary_file_of_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
