#include "store/code_stored.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/providers/provider.h"
#include "microbench/providers/emitted.h"
#include "microbench/providers/providers.h"
#include "tcplan/stored_code.h"

enum { M = 6, N = 5, K = 3, PROCESSES = 4, PATH_BYTES = 400 };

/** Makes a folder for one test in the working directory. */
static int begin_folder(void **state) {
    static char folder[64];
    snprintf(folder, sizeof folder, "code-XXXXXX");
    *state = mkdtemp(folder);
    return *state ? 0 : -1;
}

static int end_folder(void **state) {
    DIR *opened = opendir(*state);
    for (const struct dirent *entry; opened && (entry = readdir(opened));)
        unlinkat(dirfd(opened), entry->d_name, 0);
    if (opened) closedir(opened);
    return rmdir(*state);
}

static struct tcplan_store store_in(const char *folder, const char *cpu) {
    struct tcplan_store store = {.folder = folder};
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_CPU], sizeof store.fingerprint.part[0], "%s",
             cpu);
    return store;
}

static struct kernel_maker maker; /* maker whose code is stored in the store that the test has set
                                   */

/** Makes the kernel of a product with this gap between columns; each gap needs another compilation.
 * The given register tile prevents the use of a built-in kernel. */
static struct kernel bound_for(int gap, struct kernel_maker *whose) {
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
    return kernel_bind(&call, TCPLAN_DOUBLE, whose);
}

static struct kernel bound(int gap) {
    return bound_for(gap, &maker);
}

static bool is_right(const struct kernel *kernel, int gap) {
    double A[M * K], B[K * N], C[(M + 9) * N];
    for (int i = 0; i < M * K; i++) A[i] = i % 7 - 3;
    for (int i = 0; i < K * N; i++) B[i] = i % 5 - 2;
    kernel->burst(
        kernel,
        (struct kernel_operands){.first = (char *)A, .second = (char *)B, .result = (char *)C},
        (struct kernel_steps){0}, 1);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int p = 0; p < K; p++) sum += A[i + M * p] * B[p + K * j];
            if (C[i + (M + gap) * j] != sum) return false;
        }
    }
    return true;
}

static void assert_right(const struct kernel *kernel, int gap) {
    assert_true(is_right(kernel, gap));
}

/** Forgets loaded kernels, and sets the store and compiler, as in a new process. */
static void begin(const struct tcplan_store *store, const struct compiler *compiler) {
    maker = (struct kernel_maker){.keeper = store_code_keeper(store)};
    emitted_set_compiler(compiler);
}

static void end(void) {
    begin(NULL, NULL);
}

static void assert_account(int compiled, int found, int failed) {
    const struct tcplan_code_account account = tcplan_code_account();
    assert_int_equal(account.compiled, compiled);
    assert_int_equal(account.found, found);
    assert_int_equal(account.failed, failed);
}

static void need_compiler(void) {
    struct compiler compiler;
    if (!compiler_find(&compiler)) skip();
}

static void stored_code_is_not_compiled_again(void **state) {
    const struct tcplan_store store = store_in(*state, "one"), other = store_in(*state, "another");
    need_compiler();
    begin(&store, NULL);
    struct kernel kernel = bound(0);
    assert_right(&kernel, 0);
    assert_account(1, 0, 0);
    kernel = bound(0); /* loaded again within one process */
    assert_account(1, 0, 0);
    begin(&store, NULL);
    kernel = bound(0);
    assert_right(&kernel, 0);
    assert_account(0, 1, 0);
    begin(&other, NULL);
    kernel = bound(0);
    assert_right(&kernel, 0);
    assert_account(1, 0, 0);
    end();
}

/** Finds the only entry in a folder; returns false if there is none. The folder may contain nothing
 * else but the lock. */
static bool find_entry(char path[PATH_BYTES], const char *folder) {
    DIR *opened = opendir(folder);
    int found = 0;
    assert_non_null(opened);
    for (const struct dirent *entry; (entry = readdir(opened));) {
        if (entry->d_name[0] == '.' &&
            (entry->d_name[1] == '\0' || strcmp(entry->d_name, "..") == 0 ||
             strcmp(entry->d_name, ".lock") == 0))
            continue;
        snprintf(path, PATH_BYTES, "%s/%s", folder, entry->d_name);
        assert_non_null(strstr(path, ".tcplan"));
        found++;
    }
    closedir(opened);
    assert_true(found <= 1);
    return found == 1;
}

/** Compiled kernels are stored in the store of the planner that needs them. A planner without a
 * store neither reads nor adds code. */
static void code_is_stored_in_its_makers_folder(void **state) {
    const struct tcplan_store store = store_in(*state, "one");
    struct kernel_maker other = {0};
    char path[PATH_BYTES];
    need_compiler();
    begin(&store, NULL);
    struct kernel kernel = bound_for(0, &other);
    assert_right(&kernel, 0);
    assert_false(find_entry(path, *state));
    assert_int_equal(other.compiled, 1);
    kernel = bound(1);
    assert_right(&kernel, 1);
    assert_true(find_entry(path, *state));
    assert_int_equal(maker.compiled, 1);
    begin(NULL, NULL);
    kernel = bound(1);
    assert_account(1, 0, 0);
    end();
}

static void code_is_stored_by_its_text(void **state) {
    const struct tcplan_store store = store_in(*state, "one");
    need_compiler();
    begin(&store, NULL);
    const struct kernel kernel = bound(4);
    assert_right(&kernel, 4);
    assert_account(1, 0, 0);
    end();
}

static void an_unwritable_folder_stores_nothing(void **state) {
    const struct tcplan_store store = store_in("/proc/no/such/folder", "one");
    (void)state;
    need_compiler();
    begin(&store, NULL);
    const struct kernel kernel = bound(0);
    assert_right(&kernel, 0);
    assert_account(1, 0, 0);
    end();
}

static void code_that_others_may_have_written_is_not_executed(void **state) {
    const struct tcplan_store store = store_in(*state, "one");
    static const mode_t modes[] = {0770, 0707, 0777, 01777};
    need_compiler();
    begin(&store, NULL);
    struct kernel kernel = bound(0);
    assert_account(1, 0, 0);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        assert_int_equal(chmod(*state, modes[m]), 0);
        begin(&store, NULL);
        kernel = bound(0);
        assert_right(&kernel, 0);
        assert_account(1, 0, 0);
    }
    assert_int_equal(chmod(*state, 0755), 0);
    begin(&store, NULL);
    kernel = bound(0);
    assert_right(&kernel, 0);
    assert_account(0, 1, 0);
    end();
}

/** In a child process, makes a kernel with the store; exit status 0 if its results are right. */
static void run_child(const struct tcplan_store *store) {
    begin(store, NULL);
    const struct kernel kernel = bound(0);
    _exit(kernel.burst && is_right(&kernel, 0) ? 0 : 1);
}

static void processes_that_compile_the_same_keep_it_once(void **state) {
    const struct tcplan_store store = store_in(*state, "one");
    pid_t child[PROCESSES];
    char path[PATH_BYTES];
    need_compiler();
    for (int c = 0; c < PROCESSES; c++) {
        child[c] = fork();
        assert_true(child[c] >= 0);
        if (child[c] == 0) run_child(&store);
    }
    for (int c = 0; c < PROCESSES; c++) {
        int status = 0;
        assert_int_equal(waitpid(child[c], &status, 0), child[c]);
        assert_int_equal(status, 0);
    }
    assert_true(find_entry(path, *state));
    begin(&store, NULL);
    const struct kernel kernel = bound(0);
    assert_right(&kernel, 0);
    assert_account(0, 1, 0);
    end();
}

/** Damages an entry: truncates it, or changes bytes. */
static void damage(const char *path, int way) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    if (way == 0) assert_int_equal(truncate(path, 0), 0);
    if (way == 1) assert_int_equal(truncate(path, status.st_size / 2), 0);
    if (way < 2) return;
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, "00", 2, status.st_size / 3), 2);
    assert_int_equal(pwrite(file, "ff", 2, status.st_size / 2), 2);
    close(file);
}

static void a_damaged_entry_is_compiled_again(void **state) {
    const struct tcplan_store store = store_in(*state, "one");
    char path[PATH_BYTES];
    need_compiler();
    begin(&store, NULL);
    struct kernel kernel = bound(0);
    assert_true(find_entry(path, *state));
    for (int way = 0; way < 3; way++) {
        damage(path, way);
        begin(&store, NULL);
        kernel = bound(0);
        assert_right(&kernel, 0);
        assert_account(1, 0, 0);
        begin(&store, NULL); /* the damaged entry was compiled again and replaced */
        kernel = bound(0);
        assert_right(&kernel, 0);
        assert_account(0, 1, 0);
    }
    end();
}

static bool find_rubbish(const void *context, uint64_t text, void **object, size_t *size) {
    (void)context;
    (void)text;
    *size = 64;
    *object = calloc(1, *size);
    return *object != NULL;
}

static void keep_nothing(const void *context, uint64_t text, const void *object, size_t size) {
    (void)context, (void)text, (void)object, (void)size;
}

static void code_that_cannot_be_opened_is_compiled_again(void **state) {
    (void)state;
    need_compiler();
    begin(NULL, NULL);
    maker.keeper = (struct code_keeper){.find = find_rubbish, .keep = keep_nothing};
    const struct kernel kernel = bound(0);
    assert_right(&kernel, 0);
    assert_account(1, 0, 0);
    end();
}

enum { IS_RIGHT, IS_WRONG, CANNOT };

/** In a child process, prints whether code was stored and whether the kernel was right. */
static void run_full(const char *folder, const struct tcplan_store *store) {
    char path[PATH_BYTES];
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        _exit(CANNOT);
    if (mount("tmpfs", folder, "tmpfs", 0, "size=8k,mode=0700") != 0) _exit(CANNOT);
    for (int time = 0; time < 2; time++) {
        begin(store, NULL);
        const struct kernel kernel = bound(0);
        if (!kernel.burst || !is_right(&kernel, 0) || tcplan_code_account().compiled != 1 ||
            find_entry(path, folder))
            _exit(IS_WRONG);
    }
    _exit(IS_RIGHT);
}

static void a_full_disk_leaves_no_partial_entry(void **state) {
    const struct tcplan_store store = store_in(*state, "one");
    int status = 0;
    need_compiler();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) run_full(*state, &store);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
        skip(); /* needs a file system of its own, which requires root */
    assert_int_equal(status, IS_RIGHT);
}

/** Returns whether only built-in kernels are used: the compiler is not tried again. */
static bool has_only_built_in(void) {
    struct tcplan_provider_info info;
    return tcplan_provider_info(&info, TCPLAN_PROVIDER_EMITTED) &&
           strcmp(info.name, "built-in") == 0;
}

/** In a child process: neither the compiler nor its caller can write files. */
static void run_without_files(void) {
    const struct rlimit none = {0};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &none) != 0) _exit(IS_WRONG);
    begin(NULL, NULL);
    for (int gap = 0; gap < 3; gap++) {
        if (bound(gap).burst) _exit(IS_WRONG);
    }
    const struct tcplan_code_account account = tcplan_code_account();
    _exit(account.failed == 3 && account.reason[0] && has_only_built_in() ? IS_RIGHT : IS_WRONG);
}

static void without_files_there_are_no_kernels(void **state) {
    int status = 0;
    (void)state;
    need_compiler();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) run_without_files();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, IS_RIGHT);
}

static void assert_fails(const struct compiler *compiler, const char *reason) {
    begin(NULL, compiler);
    for (int gap = 0; gap < 3; gap++) assert_null(bound(gap).burst);
    assert_account(0, 0, 3);
    assert_non_null(strstr(tcplan_code_account().reason, reason));
    assert_true(has_only_built_in()); /* the compiler is not tried forever */
    assert_null(bound(4).burst);
    assert_account(0, 0, 3);
    end();
}

static void a_compiler_that_fails_makes_no_kernels(void **state) {
    (void)state;
    assert_fails(&(struct compiler){.path = "/bin/false", .name = "false", .limit_seconds = 20},
                 "failed");
    assert_fails(&(struct compiler){.path = "/bin/true", .name = "true", .limit_seconds = 20},
                 "wrote no object file");
    assert_fails(&(struct compiler){.path = "/no/such/cc", .name = "cc", .limit_seconds = 20},
                 "cannot be started");
}

static void a_compiler_that_hangs_is_ended(void **state) {
    char path[300];
    snprintf(path, sizeof path, "%s/hangs", (const char *)*state);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nsleep 600\n", file);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
    assert_fails(&(struct compiler){.path = path, .name = "hangs", .limit_seconds = 0.05},
                 "did not end");
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stored_code_is_not_compiled_again, begin_folder,
                                        end_folder),
        cmocka_unit_test_setup_teardown(code_is_stored_in_its_makers_folder, begin_folder,
                                        end_folder),
        cmocka_unit_test_setup_teardown(code_is_stored_by_its_text, begin_folder, end_folder),
        cmocka_unit_test_setup_teardown(code_that_others_may_have_written_is_not_executed,
                                        begin_folder, end_folder),
        cmocka_unit_test(an_unwritable_folder_stores_nothing),
        cmocka_unit_test_setup_teardown(processes_that_compile_the_same_keep_it_once, begin_folder,
                                        end_folder),
        cmocka_unit_test_setup_teardown(a_damaged_entry_is_compiled_again, begin_folder,
                                        end_folder),
        cmocka_unit_test(code_that_cannot_be_opened_is_compiled_again),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_no_partial_entry, begin_folder,
                                        end_folder),
        cmocka_unit_test(without_files_there_are_no_kernels),
        cmocka_unit_test(a_compiler_that_fails_makes_no_kernels),
        cmocka_unit_test_setup_teardown(a_compiler_that_hangs_is_ended, begin_folder, end_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
