#include "microbench/providers/compiler.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "microbench/kernels/kernels.h"
#include "microbench/providers/emitted.h"
#include "microbench/providers/providers.h"

/* Seconds for which hanging compilers sleep: a caller that returns earlier did not wait for them.
 */
#define HANGS "60"
#define SHORT_SECONDS 0.2

enum { M = 3, N = 2, K = 2, PATH_BYTES = 400 };

static char folder[64], program[PATH_BYTES], note[PATH_BYTES], work[PATH_BYTES];

/** Makes temporary folders for the scripts, for their notes, and for compiled kernels. */
static int begin(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tcplan-cc-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(program, sizeof program, "%s/cc", folder);
    snprintf(note, sizeof note, "%s/note", folder);
    snprintf(work, sizeof work, "%s/work", folder);
    return mkdir(work, 0700);
}

static int end(void **state) {
    (void)state;
    emitted_set_compiler(NULL);
    unlink(program);
    unlink(note);
    const bool is_empty = rmdir(work) == 0; /* rmdir() fails if a test left files */
    return rmdir(folder) == 0 && is_empty ? 0 : -1;
}

/** Writes a compiler that is a shell script; its variable NOTE is the path of the note file. */
static struct compiler write_compiler(const char *script) {
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\nNOTE=%s\n%s\n", note, script);
    fclose(file);
    assert_int_equal(chmod(program, 0700), 0);
    return (struct compiler){.path = program, .name = "cc", .limit_seconds = 600};
}

/** Makes a kernel of a product whose columns have this gap; each gap needs another compilation. */
static struct kernel bound(int gap, struct kernel_maker *maker) {
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .provider = TCPLAN_PROVIDER_EMITTED,
                             .m = M,
                             .n = N,
                             .k = K,
                             .ld = {1, 1, 1},
                             .strides = {{1, M}, {1, K}, {1, M + gap}},
                             .alpha = {1, 0},
                             .beta = {0, 0},
                             .tile = {.vectors = 1, .columns = 1}};
    return kernel_bind(&call, TCPLAN_DOUBLE, maker);
}

static void assert_right(const struct kernel *kernel) {
    static const double A[M * K] = {1, 2, 3, 4, 5, 6}, B[K * N] = {1, -1, 2, 0},
                              expected[M * N] = {-3, -3, -3, 2, 4, 6};
    double C[M * N];
    assert_non_null(kernel->burst);
    kernel->burst(kernel,
                  (struct kernel_operands){
                      .first = (const char *)A, .second = (const char *)B, .result = (char *)C},
                  (struct kernel_steps){0}, 1);
    assert_memory_equal(C, expected, sizeof C);
}

static void pause_shortly(void) {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/** Waits until the script has written its process id to the note file; returns the id. */
static long noted(void) {
    long number = 0;
    char rest = 0;
    for (int t = 0; t < 3000; t++, pause_shortly()) {
        FILE *file = fopen(note, "r");
        const bool whole = file && fscanf(file, "%ld%c", &number, &rest) == 2 && rest == '\n';
        if (file) fclose(file);
        if (whole) return number;
    }
    fail_msg("the compiler noted nothing");
    return 0;
}

/** Returns whether a process exists and has not ended. */
static bool is_running(long process) {
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const bool known = fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    fclose(file);
    return known && state != 'Z' && state != 'X';
}

static void assert_ends(long process) {
    for (int t = 0; t < 3000 && is_running(process); t++) pause_shortly();
    assert_false(is_running(process));
}

/* Deadlines. */

static void a_compiler_that_hangs_is_ended_with_the_time_of_its_caller(void **state) {
    (void)state;
    const struct compiler compiler = write_compiler("echo $$ >$NOTE; sleep " HANGS);
    struct kernel_maker maker = {.deadline = deadline_in(SHORT_SECONDS)};
    struct tcplan_provider_info info;
    emitted_set_compiler(&compiler);
    const struct deadline hangs = deadline_in(50);
    for (int gap = 0; gap < 4; gap++) assert_null(bound(gap, &maker).burst);
    assert_false(deadline_is_over(hangs));
    assert_int_equal(tcplan_code_account().failed, 0);
    assert_true(tcplan_provider_info(&info, TCPLAN_PROVIDER_EMITTED)); /* the failure was a
                                                                          time-out, so later
                                                                          compilations are tried */
    struct stat status;
    if (stat(note, &status) == 0 && status.st_size > 0)
        assert_ends(noted()); /* 0: the compiler ended before it wrote its note */
}

static atomic_bool is_cancelled, is_back;

static bool ask(const void *context) {
    (void)context;
    return is_cancelled;
}

static void *bind_for_long(void *context) {
    struct kernel_maker maker = {.deadline = {.is_cancelled = ask}};
    const struct kernel kernel = bound(0, &maker);
    is_back = true;
    (void)context;
    return kernel.burst ? &is_back : NULL;
}

/** While a compiler hangs in one thread, other threads continue. Threads that need the same kernel
 * wait until their own deadline. */
static void other_threads_continue_and_a_compiler_can_be_cancelled(void **state) {
    (void)state;
    const struct compiler compiler = write_compiler("echo $$ >$NOTE; sleep " HANGS);
    struct kernel_maker hurried = {.deadline = deadline_in(SHORT_SECONDS)};
    struct tcplan_provider_info info;
    pthread_t thread;
    void *made;
    is_cancelled = is_back = false;
    emitted_set_compiler(&compiler);
    assert_int_equal(pthread_create(&thread, NULL, bind_for_long, NULL), 0);
    const long process = noted();
    assert_true(tcplan_provider_info(&info, TCPLAN_PROVIDER_EMITTED));
    assert_int_equal(tcplan_code_account().compiled, 0);
    assert_null(bound(0, &hurried).burst);
    assert_null(bound(1, &hurried).burst);
    assert_false(is_back);
    is_cancelled = true;
    assert_int_equal(pthread_join(thread, &made), 0);
    assert_null(made);
    assert_ends(process);
}

/** A process that was forked while another thread compiled a kernel compiles this kernel itself. */
static void a_forked_process_does_not_wait_for_a_thread_that_it_lacks(void **state) {
    (void)state;
    const struct compiler compiler = write_compiler("echo $$ >$NOTE; sleep " HANGS);
    pthread_t thread;
    int status = 0;
    is_cancelled = is_back = false;
    emitted_set_compiler(&compiler);
    assert_int_equal(pthread_create(&thread, NULL, bind_for_long, NULL), 0);
    noted();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct kernel_maker hurried = {.deadline = deadline_in(SHORT_SECONDS)};
        _exit(bound(0, &hurried).burst || hurried.seconds == 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    is_cancelled = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void child_processes_of_a_compiler_end_with_it(void **state) {
    (void)state;
    const struct compiler compiler = write_compiler("sleep " HANGS " & echo $! >$NOTE; exit 1");
    emitted_set_compiler(&compiler);
    assert_null(bound(0, NULL).burst);
    assert_int_equal(tcplan_code_account().failed, 1);
    assert_ends(noted());
}

/** The compiler and its children end with the process, however the process ends. */
static void a_compiler_ends_with_its_process(void **state) {
    (void)state;
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT};
    const struct compiler compiler = write_compiler("sleep " HANGS " & echo $! >$NOTE; wait");
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) {
        int status = 0;
        unlink(note);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            emitted_set_compiler(&compiler);
            bound(0, NULL);
            _exit(0);
        }
        const long process = noted();
        while (waitpid(child, &status, WNOHANG) == 0 && kill(child, signals[s]) == 0)
            pause_shortly();
        assert_ends(process);
    }
}

static void assert_makes_nothing(const char *script) {
    struct compiler compiler = write_compiler(script);
    compiler.folder = work;
    emitted_set_compiler(&compiler);
    assert_null(bound(0, NULL).burst);
    assert_non_null(strstr(tcplan_code_account().reason, "wrote no object file"));
    assert_int_equal(rmdir(work), 0); /* rmdir() fails if a test left files */
    assert_int_equal(mkdir(work, 0700), 0);
}

static void anything_but_an_object_file_is_refused(void **state) {
    (void)state;
    assert_makes_nothing("while [ \"$1\" != -o ]; do shift; done; mkfifo \"$2\"");
    assert_makes_nothing(
        "while [ \"$1\" != -o ]; do shift; done; mkdir -p \"$2/a/b\"; : >\"$2/a/b/c\"; : >\"$2.more\"");
    assert_makes_nothing("while [ \"$1\" != -o ]; do shift; done; ln -s /dev/zero \"$2\"");
    assert_makes_nothing("while [ \"$1\" != -o ]; do shift; done; : >\"$2\"");
}

/** Without memfd_create(), kernels are compiled in a temporary folder. */
static void kernels_are_made_in_a_folder_as_well(void **state) {
    (void)state;
    struct compiler compiler;
    if (!compiler_find(&compiler)) skip();
    compiler.folder = work;
    emitted_set_compiler(&compiler);
    const struct kernel kernel = bound(0, NULL);
    assert_right(&kernel);
}

static void kernels_made_in_memory_leave_no_file(void **state) {
    (void)state;
    struct compiler compiler;
    if (!compiler_find(&compiler)) skip();
    assert_int_equal(setenv("TMPDIR", work, 1), 0);
    emitted_set_compiler(&compiler);
    const struct kernel kernel = bound(0, NULL), other = bound(1, NULL);
    unsetenv("TMPDIR");
    assert_right(&kernel);
    assert_non_null(other.burst);
    assert_ptr_not_equal(kernel.generated, other.generated);
}

static void an_unusable_folder_is_reported(void **state) {
    (void)state;
    struct compiler compiler = write_compiler("exit 0");
    compiler.folder = "/no/such/folder";
    emitted_set_compiler(&compiler);
    assert_null(bound(0, NULL).burst);
    assert_non_null(strstr(tcplan_code_account().reason,
                           "cannot make a folder for compiling in '/no/such/folder'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_compiler_that_hangs_is_ended_with_the_time_of_its_caller,
                                        begin, end),
        cmocka_unit_test_setup_teardown(other_threads_continue_and_a_compiler_can_be_cancelled,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_forked_process_does_not_wait_for_a_thread_that_it_lacks,
                                        begin, end),
        cmocka_unit_test_setup_teardown(child_processes_of_a_compiler_end_with_it, begin, end),
        cmocka_unit_test_setup_teardown(a_compiler_ends_with_its_process, begin, end),
        cmocka_unit_test_setup_teardown(anything_but_an_object_file_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(kernels_are_made_in_a_folder_as_well, begin, end),
        cmocka_unit_test_setup_teardown(kernels_made_in_memory_leave_no_file, begin, end),
        cmocka_unit_test_setup_teardown(an_unusable_folder_is_reported, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
