/*
 * Tests the log of observations: appended lines are found again. Truncation, changed bytes and
 * concurrent writers lose no other lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/checksum.h"
#include "store/experience.h"
#include "store/folder.h"
#include "store/log.h"
#include "store/store.h"
#include "support/root_folder.h"
#include "tcplan/store.h"

enum { DAY = 86400 };

static char folder[sizeof root + 16]; /* folder of the running test */

/** whether flock() fails, as on a file system without locks */
static bool without_locks;

/** Replaces flock() of the C library. */
int flock(int descriptor, int operation) {
    if (!without_locks) return (int)syscall(SYS_flock, descriptor, operation);
    errno = ENOLCK;
    return -1;
}

static int take_folder(void **state) {
    (void)state;
    without_locks = false;
    run("rm -rf %s/s");
    snprintf(folder, sizeof folder, "%s/s", root);
    return 0;
}

static struct tcplan_store the_store(void) {
    struct tcplan_store store = {.folder = folder};
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    return store;
}

static struct tcplan_store another_machine(void) {
    struct tcplan_store store = the_store();
    snprintf(store.fingerprint.part[TCPLAN_FINGERPRINT_CPU], TCPLAN_MACHINE_TEXT, "other");
    return store;
}

/* Observations. */

static struct tcplan_experience *new_experience(void) {
    struct tcplan_experience *experience = tcplan_experience_new();
    assert_non_null(experience);
    return experience;
}

/** Adds a time of winner number `of`: one line of the log. */
static void say(struct tcplan_experience *experience, int64_t of) {
    experience_add(experience, &store_kind_winners,
                   &(struct winner){.of = of, .seconds = 1e-3, .error = 0.01}, 1);
}

/** Numbers of winners for miss(), which get a different time in each call. */
enum { MISSED = 1000000, MISSED_WINNERS = 10 };

/** Adds observations of several winners; their sums show whether any line is read twice, or not
 * at all. */
static void miss(struct tcplan_experience *experience) {
    static int number;
    experience_add(
        experience, &store_kind_winners,
        &(struct winner){
            .of = MISSED + number++ % MISSED_WINNERS, .seconds = 1e-3, .count = 1, .squares = 0.01},
        1);
}

static void evaluation(struct tcplan_experience *experience, int64_t problem, int first,
                       int count) {
    for (int i = first; i < first + count; i++) {
        const struct evaluation one = {.problem = problem,
                                       .dtype = TCPLAN_DOUBLE,
                                       .kernel = TCPLAN_GEMM,
                                       .threads = 1,
                                       .m = i + 1,
                                       .n = 8,
                                       .k = 1.0 / 3 + 1e9,
                                       .call_ns = 1.0 / 3 + i,
                                       .ratio = 1.0 / 3};
        assert_int_equal(experience_add(experience, &store_kind_evaluations, &one, 1), TCPLAN_OK);
    }
}

static enum tcplan_status try_to_keep(const struct tcplan_store *store,
                                      struct tcplan_experience *experience) {
    return tcplan_store_keep_experience(store, experience, NULL);
}

static void keep(const struct tcplan_store *store, struct tcplan_experience *experience) {
    struct tcplan_error error = {0};
    if (tcplan_store_keep_experience(store, experience, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
}

static struct tcplan_experience *find(const struct tcplan_store *store) {
    struct tcplan_experience *out;
    struct tcplan_error error = {0};
    if (tcplan_store_experience(&out, store, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return out;
}

static int count_said(const struct tcplan_store *store) {
    struct tcplan_experience *found = find(store);
    int count = 0;
    for (int w = 0; w < found->winner_count; w++) count += found->winner[w].of < MISSED;
    tcplan_experience_free(found);
    return count;
}

static int count_missed(const struct tcplan_store *store) {
    struct tcplan_experience *found = find(store);
    double count = 0;
    for (int w = 0; w < found->winner_count; w++) count += found->winner[w].count;
    tcplan_experience_free(found);
    return (int)count;
}

/** Stores a log with `count` times of winners. */
static void keep_said(const struct tcplan_store *store, int first, int count) {
    struct tcplan_experience *experience = new_experience();
    for (int i = first; i < first + count; i++) say(experience, i);
    keep(store, experience);
    tcplan_experience_free(experience);
}

/** Returns the path of the only log in the folder. */
static const char *path_of_log(void) {
    static char path[sizeof folder + FOLDER_NAME + 16];
    struct folder_names names = {0};
    assert_int_equal(folder_list(&names, folder, NULL), TCPLAN_OK);
    *path = '\0';
    for (size_t n = 0; n < names.count; n++) {
        if (log_is_named(names.name[n]))
            snprintf(path, sizeof path, "%s/%s.tcplan", folder, names.name[n]);
    }
    folder_names_free(&names);
    assert_true(*path);
    return path;
}

static int64_t size_of_log(void) {
    struct stat status;
    assert_int_equal(stat(path_of_log(), &status), 0);
    return status.st_size;
}

/** Returns the contents of the only log, to be freed. */
static char *read_log(size_t *length) {
    FILE *file = fopen(path_of_log(), "r");
    assert_non_null(file);
    *length = (size_t)size_of_log();
    char *text = malloc(*length + 1);
    assert_int_equal(fread(text, 1, *length, file), *length);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static void write_log(const char *text, size_t length) {
    FILE *file = fopen(path_of_log(), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void without_new_results_nothing_is_written(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    keep(&store, experience);
    assert_int_not_equal(access(folder, F_OK), 0);
    say(experience, 1);
    keep(&(struct tcplan_store){.folder = NULL}, experience);
    keep(&store, experience);
    run("rm -r %s/s");
    keep(&store, experience); /* nothing new: it was stored before */
    assert_int_not_equal(access(folder, F_OK), 0);
    tcplan_experience_free(experience);
}

/** Appending does not change the bytes that the log already has. */
static void a_log_only_grows(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    size_t before_length, length;
    keep_said(&store, 0, 3);
    char *before = read_log(&before_length);
    keep_said(&store, 3, 2);
    char *after = read_log(&length);
    assert_true(length > before_length);
    assert_memory_equal(after, before, before_length);
    assert_int_equal(count_said(&store), 5);
    free(before);
    free(after);
}

/** A process that is killed while it appends leaves an incomplete last line. */
static void a_log_that_is_cut_anywhere_loses_no_whole_line(void **state) {
    (void)state;
    enum { COUNT = 5 };
    const struct tcplan_store store = the_store();
    size_t length;
    keep_said(&store, 0, COUNT);
    char *text = read_log(&length);
    for (size_t cut = 0; cut <= length; cut += 3) {
        int whole = 0;
        for (const char *at = text; (at = strstr(at, " winner ")) != NULL; at++)
            whole += strcspn(at, "\n") <= cut - (size_t)(at - text) && (size_t)(at - text) < cut;
        write_log(text, cut);
        assert_int_equal(count_said(&store), whole);
        keep_said(&store, 100, 2); /* new lines can be appended */
        assert_int_equal(count_said(&store), whole + 2);
    }
    free(text);
}

static void a_byte_that_is_changed_loses_its_line(void **state) {
    (void)state;
    enum { COUNT = 5 };
    const struct tcplan_store store = the_store();
    size_t length;
    keep_said(&store, 0, COUNT);
    char *text = read_log(&length);
    for (size_t at = 0; at < length; at++) {
        const int lost =
            text[at] == '\n' ? 2 : 1; /* 2: a changed newline also damages the next line */
        text[at] ^= 1;
        write_log(text, length);
        assert_in_range(count_said(&store), COUNT - lost, COUNT);
        text[at] ^= 1;
    }
    free(text);
}

static void garbage_is_skipped_and_reported(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_store_list list;
    char *text;
    keep_said(&store, 0, 2);
    run("for f in %s/s/observations-*; do head -c 5000 /dev/urandom >>$f; done");
    keep_said(&store, 2, 2);
    assert_int_equal(count_said(&store), 4);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(tcplan_store_show(&text, &store, list.item[0].name, NULL), TCPLAN_OK);
    assert_non_null(strstr(text, "winners log, version 1"));
    assert_non_null(strstr(text, "of the log cannot be read, and "));
    free(text);
    tcplan_store_list_free(&list);
}

/** A file whose contents are not a log is listed as unusable; lines can still be appended. */
static void a_file_of_another_kind_is_listed_and_removed(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_store_list list;
    size_t count;
    keep_said(&store, 0, 1);
    write_log("nonsense\n", 9);
    assert_int_equal(count_said(&store), 0);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.item[0].status, TCPLAN_INVALID);
    assert_non_null(strstr(list.item[0].reason, "it is not an entry of a store"));
    assert_int_equal(
        tcplan_store_forget(&count, &store, &(struct tcplan_store_choice){.unusable = true}, NULL),
        TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(folder_file_of(folder, list.item[0].name).bytes, 0);
    tcplan_store_list_free(&list);
    keep_said(&store, 0, 1);
    write_log("nonsense", 8);
    keep_said(&store, 1, 2);
    assert_int_equal(count_said(&store), 2);
}

/** If the disk is full, part of the lines is written. The rest is written when there is room again,
 * and no line twice. */
static void a_full_disk_loses_nothing(void **state) {
    (void)state;
    enum { COUNT = 20 };
    const struct tcplan_store store = the_store();
    struct rlimit unlimited, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t room = 0; room < 1500; room += 37) {
        struct tcplan_experience *experience = new_experience();
        take_folder(state);
        keep_said(&store, 0, 1);
        const rlim_t was = (rlim_t)size_of_log();
        for (int i = 0; i < COUNT; i++) miss(experience);
        limit = (struct rlimit){.rlim_cur = was + room, .rlim_max = unlimited.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const enum tcplan_status status = try_to_keep(&store, experience);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
        assert_true(status == TCPLAN_OK || status == TCPLAN_ENVIRONMENT);
        assert_int_equal(count_said(&store), 1);
        assert_true(status == TCPLAN_OK ? count_missed(&store) == COUNT
                                        : count_missed(&store) < COUNT);
        keep(&store, experience);
        assert_int_equal(count_missed(&store), COUNT);
        tcplan_experience_free(experience);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void a_folder_that_cannot_be_written_loses_nothing(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience(), *found;
    struct tcplan_error error = {0};
    keep_said(&store, 0, 1);
    run("cd %s/s && for f in *.tcplan; do mv $f moved && mkdir $f; done");
    say(experience, 1);
    assert_int_equal(tcplan_store_keep_experience(&store, experience, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "cannot write"));
    assert_int_equal(tcplan_store_experience(&found, &store, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "Is a directory"));
    tcplan_experience_free(found);
    run("cd %s/s && for f in *.tcplan; do rmdir $f && mv moved $f; done");
    if (geteuid() != 0) {
        run("chmod 500 %1$s/s && chmod 400 %1$s/s/*.tcplan");
        assert_int_equal(try_to_keep(&store, experience), TCPLAN_ENVIRONMENT);
        assert_int_equal(count_said(&store), 1);
        run("chmod 700 %1$s/s && chmod 600 %1$s/s/*.tcplan");
    }
    keep(&store, experience);
    assert_int_equal(count_said(&store), 2);
    tcplan_experience_free(experience);
}

static void while_another_process_holds_the_lock_all_stays_noted(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    int lock;
    say(experience, 1);
    assert_int_equal(folder_lock(&lock, folder, NULL), TCPLAN_OK);
    assert_int_equal(try_to_keep(&store, experience), TCPLAN_ENVIRONMENT);
    assert_int_equal(count_said(&store), 0); /* reading needs no lock */
    folder_unlock(lock);
    keep(&store, experience);
    assert_int_equal(count_said(&store), 1);
    tcplan_experience_free(experience);
}

/* Several processes. */

enum { WRITERS = 4, ROUNDS = 40 };

/** Adds observations and stores them, several times, in a child process. */
static void write_rounds(const struct tcplan_store *store, int writer) {
    struct tcplan_experience *experience = tcplan_experience_new();
    bool good = experience != NULL;
    for (int round = 0; round < ROUNDS && good; round++) {
        say(experience, 1000 * writer + round);
        miss(experience);
        good = try_to_keep(store, experience) == TCPLAN_OK;
    }
    _exit(good ? 0 : 1);
}

static void let_processes_write(const struct tcplan_store *store) {
    pid_t child[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        child[w] = fork();
        assert_true(child[w] >= 0);
        if (child[w] == 0) write_rounds(store, w);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = -1;
        assert_int_equal(waitpid(child[w], &status, 0), child[w]);
        assert_int_equal(status, 0);
    }
}

static void writers_at_once_lose_nothing(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    let_processes_write(&store);
    assert_int_equal(count_said(&store), WRITERS * ROUNDS);
    assert_int_equal(count_missed(&store), WRITERS * ROUNDS);
}

/** On a file system without locks, a local append is still not divided. */
static void without_locks_writers_lose_nothing_that_was_there(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    keep_said(&store, 100000, 3);
    without_locks = true;
    let_processes_write(&store);
    assert_int_equal(count_said(&store), 3 + WRITERS * ROUNDS);
    assert_int_equal(count_missed(&store), WRITERS * ROUNDS);
}

/** If two processes create the log at once, the second does not replace the first one's file. */
static void without_locks_a_new_log_is_made_once(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    without_locks = true;
    for (int repeat = 0; repeat < 5; repeat++) {
        run("rm -rf %s/s");
        let_processes_write(&store);
        assert_int_equal(count_missed(&store), WRITERS * ROUNDS);
    }
}

static void assert_same(const struct tcplan_experience *a, const struct tcplan_experience *b) {
    struct strbuf text = {0}, other = {0};
    assert_int_equal(log_write_all(&text, a), TCPLAN_OK);
    assert_int_equal(log_write_all(&other, b), TCPLAN_OK);
    assert_int_equal(text.length, other.length);
    assert_memory_equal(text.text, other.text, text.length);
    strbuf_free(&text);
    strbuf_free(&other);
}

/** Adds observations of all kinds, more than the log may have. */
static void grow(struct tcplan_experience *experience, int64_t round) {
    const struct kernel_time kernel = {
        .key = {.call = {TCPLAN_GEMM, (int)round, 8, 9, 10, 11, 12, 1, 3, 1, 2, TCPLAN_DOUBLE, 1,
                         TCPLAN_PROVIDER_LIBXSMM}},
        .ns = 1.0 / 3,
        .timed = 3};
    evaluation(experience, round % 70, (int)(round % 7), 40);
    assert_int_equal(experience_add(experience, &store_kind_kernels, &kernel, 1), TCPLAN_OK);
    say(experience, round);
    miss(experience);
}

/** Opening a log that is too large replaces its lines by summaries with the same contents. */
static void a_log_that_is_too_large_is_shortened_when_it_is_opened(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    for (int64_t round = 0; round == 0 || size_of_log() <= LOG_BYTES; round++) {
        grow(experience, round);
        keep(&store, experience);
    }
    struct tcplan_experience *long_one = find(&store);
    assert_true(size_of_log() < LOG_BYTES);
    struct tcplan_experience *short_one = find(&store);
    assert_same(long_one, short_one);
    assert_true(short_one->count > EXPERIENCE_EVALUATIONS * 9 / 10);
    tcplan_experience_free(experience);
    tcplan_experience_free(long_one);
    tcplan_experience_free(short_one);
}

/** The size of a log is limited even if the process never opens it again. */
static void a_log_that_is_only_appended_to_is_bounded(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    int64_t most = 0, before = 0;
    bool was_shortened = false;
    for (int64_t round = 0; round < 600; round++) {
        grow(experience, round);
        keep(&store, experience);
        const int64_t size = size_of_log();
        was_shortened = was_shortened || size < before;
        if (size > most) most = size;
        before = size;
    }
    assert_true(was_shortened && most <= 2 * LOG_BYTES);
    tcplan_experience_free(experience);
}

/** If observations cannot be stored, the memory for them is limited. */
static void recorded_lines_are_bounded(void **state) {
    (void)state;
    struct tcplan_experience *experience = new_experience();
    for (int64_t round = 0; round < 400; round++) grow(experience, round);
    assert_true(experience->noted.length < 3 << 19);
    tcplan_experience_free(experience);
}

/* Time. */

static void old_observations_are_not_used_and_go(void **state) {
    (void)state;
    struct tcplan_store store = the_store(), later = the_store();
    struct tcplan_store_list list;
    struct tcplan_experience *experience = new_experience();
    keep_said(&store, 0, 2);
    evaluation(experience, 1, 0, 3);
    const struct kernel_time kernel = {.key = {.call[KERNEL_KEY_THREADS] = 1}, .ns = 5, .timed = 3};
    assert_int_equal(experience_add(experience, &store_kind_kernels, &kernel, 1), TCPLAN_OK);
    keep(&store, experience);
    tcplan_experience_free(experience);
    later.now = time(NULL) + 31LL * DAY;
    struct tcplan_experience *found = find(&later);
    assert_true(found->count == 3 && found->kernel_count == 0 && found->winner_count == 2);
    tcplan_experience_free(found);
    assert_int_equal(tcplan_store_list(&list, &later, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.item[0].status, TCPLAN_OK);
    assert_string_equal(list.item[1].kind, "kernels");
    assert_string_equal(list.item[1].reason, "it is older than 30 days");
    tcplan_store_list_free(&list);
    later.now = time(NULL) + 91LL * DAY;
    assert_int_equal(count_said(&later), 0);
}

static void a_clock_that_ran_ahead_leaves_no_eternal_observation(void **state) {
    (void)state;
    struct tcplan_store before = the_store();
    keep_said(&before, 0, 1);
    before.now = time(NULL) - 4000LL * DAY;
    struct tcplan_experience *found = find(&before);
    assert_int_equal(found->winner_count, 1);
    assert_int_equal(found->winner[0].made, before.now);
    tcplan_experience_free(found);
}

/* Kinds. */

static size_t forget(const struct tcplan_store *store, struct tcplan_store_choice choice) {
    struct tcplan_error error = {0};
    size_t count;
    if (tcplan_store_forget(&count, store, &choice, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return count;
}

static void kinds_are_listed_and_forgotten_like_entries(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    struct tcplan_store_list list;
    evaluation(experience, 1, 0, 3);
    miss(experience);
    say(experience, 1);
    keep(&store, experience);
    tcplan_experience_free(experience);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.item[0].kind, "evaluations");
    assert_string_equal(list.item[1].kind, "winners");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(list.item[i].status, TCPLAN_OK);
        assert_true(list.item[i].bytes > 0 && list.item[i].made > time(NULL) - 100);
    }
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.name = "kernels"}), 0);
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.unusable = true}), 0);
    assert_int_equal(
        forget(&store, (struct tcplan_store_choice){.name = "evaluations", .least_days = 1}), 0);
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.name = list.item[1].name}), 1);
    struct tcplan_experience *found = find(&store);
    assert_true(found->count == 3 && found->winner_count == 0);
    tcplan_experience_free(found);
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.name = "evaluations"}), 1);
    tcplan_store_list_free(&list);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 0);
    tcplan_store_list_free(&list);
}

/** Only the oldest observations of a long log are dropped. */
static void old_observations_of_a_kind_are_forgotten(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_experience *experience = new_experience();
    struct evaluation old = {.made = time(NULL) - 20LL * DAY,
                             .problem = 1,
                             .dtype = TCPLAN_DOUBLE,
                             .threads = 1,
                             .m = 1,
                             .n = 1,
                             .k = 1,
                             .call_ns = 1,
                             .ratio = 1};
    assert_int_equal(experience_add(experience, &store_kind_evaluations, &old, 1), TCPLAN_OK);
    evaluation(experience, 2, 0, 3);
    keep(&store, experience);
    tcplan_experience_free(experience);
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.least_days = 10}), 1);
    struct tcplan_experience *found = find(&store);
    assert_int_equal(found->count, 3);
    tcplan_experience_free(found);
}

static void another_machine_has_a_log_of_its_own(void **state) {
    (void)state;
    const struct tcplan_store store = the_store(), other = another_machine();
    struct tcplan_store_list list;
    char *text;
    keep_said(&other, 0, 3);
    assert_int_equal(count_said(&store), 0);
    keep_said(&store, 0, 1);
    assert_int_equal(count_said(&store), 1);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 2);
    const int theirs = list.item[0].status == TCPLAN_OK ? 1 : 0;
    assert_int_equal(list.item[theirs].status, TCPLAN_MISMATCH);
    assert_string_equal(list.item[theirs].reason, "it was made with CPU other, not part 0");
    assert_int_equal(tcplan_store_show(&text, &store, list.item[theirs].name, NULL), TCPLAN_OK);
    assert_non_null(strstr(text, "CPU      other; here part 0"));
    free(text);
    tcplan_store_list_free(&list);
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.unusable = true}), 1);
    assert_int_equal(count_said(&other), 0);
    assert_int_equal(count_said(&store), 1);
}

/* Version 0.1.0. */

/** Stores an entry in the format of version 0.1.0. */
static void keep_old(const struct tcplan_store *store, const char *kind, int version, int parts,
                     const char *content) {
    struct strbuf text = {0};
    char name[TCPLAN_STORE_NAME];
    strbuf_add(&text, "tcplan store 1\nentry kind=%s version=%d key=all made=%lld tcplan=0.1.0\n",
               kind, version, (long long)time(NULL) - DAY);
    strbuf_add(&text, "of");
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        strbuf_add(&text, " %s=part%%20%d", tcplan_fingerprint_part_name(p), p);
    strbuf_add(&text, "\n%s", content);
    strbuf_add(&text, "checksum %08" PRIx32 "\n", checksum_add(0, text.text, text.length));
    snprintf(name, sizeof name, "%s-all-%08" PRIx32, kind, store_machine_id(store, parts));
    assert_int_equal(folder_make(folder, NULL), TCPLAN_OK);
    assert_int_equal(folder_replace(folder, name, text.text, text.length, -1, NULL), TCPLAN_OK);
    strbuf_free(&text);
}

static void entries_of_version_0_1_0_are_read_and_continued(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    const int all = TCPLAN_FINGERPRINT_PARTS;
    struct tcplan_store_list list;
    keep_old(&store, "looks", 1, all,
             "look problem=7 type=d kernel=gemm threads=1 m=4 n=4 k=4 ns=10 ratio=2\n");
    keep_old(&store, "kernels", 1, all,
             "kernel kernel=gemm type=d threads=1 m=4 n=4 k=4 ns=10 timed=3\n");
    for (int repeat = 0; repeat < 2; repeat++) {
        struct tcplan_experience *found = find(&store);
        assert_int_equal(found->count, 1);
        assert_true(found->evaluation[0].ratio == 2 &&
                    found->evaluation[0].made > time(NULL) - DAY);
        assert_int_equal(found->kernel_count, 1);
        say(found, 9);
        if (repeat == 0) keep(&store, found);
        tcplan_experience_free(found);
    }
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.item[i].status, TCPLAN_OK);
        assert_null(strstr(list.item[i].name, "-all-"));
    }
    tcplan_store_list_free(&list);
}

/** Readers skip entries of unknown kinds, and `forget --unusable` removes them. */
static void kinds_of_other_versions_are_skipped(void **state) {
    (void)state;
    static const char *const old[] = {"states", "residuals"};
    const struct tcplan_store store = the_store();
    struct tcplan_store_list list;
    struct strbuf line = {0};
    size_t length;
    keep_old(&store, "states", 5, TCPLAN_FINGERPRINT_PARTS,
             "states made=1795351315 good=5e-06 ratio=1.5 slow=0.25 dwell=0.05 watched=2\n");
    keep_old(&store, "residuals", 3, TCPLAN_FINGERPRINT_PARTS,
             "residual kind=runs count=3 squares=0.03\n"
             "said of=5 made=1700000000 kind=compared-runs seconds=0.001 reference=5e-06\n");
    keep_said(&store, 0, 2);
    char *text = read_log(&length);
    strbuf_append(&line, text, length);
    static const struct field fields[] = {{0}};
    for (size_t o = 0; o < sizeof old / sizeof *old; o++) log_write(&line, old[o], fields, &store);
    write_log(line.text, line.length);
    strbuf_free(&line);
    free(text);
    keep_said(&store, 2, 2);
    assert_int_equal(count_said(&store), 4);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.item[2].status, TCPLAN_OK);
    for (int o = 0; o < 2; o++) assert_int_not_equal(list.item[o].status, TCPLAN_OK);
    tcplan_store_list_free(&list);
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.unusable = true}), 2);
    assert_int_equal(count_said(&store), 4);
}

static void entries_of_other_versions_are_listed_and_not_used(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    struct tcplan_store_list list;
    keep_old(&store, "looks", 9, TCPLAN_FINGERPRINT_PARTS, "look threads=1\n");
    struct tcplan_experience *found = find(&store);
    assert_int_equal(found->count, 0);
    tcplan_experience_free(found);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.item[0].status, TCPLAN_MISMATCH);
    tcplan_store_list_free(&list);
    assert_int_equal(forget(&store, (struct tcplan_store_choice){.name = "looks"}), 1);
}

/** Storing observations neither reads nor removes other files in the folder, however many and old
 * they are. */
static void keeping_leaves_all_other_files_alone(void **state) {
    (void)state;
    const struct tcplan_store store = the_store();
    char *large = calloc(1, 1 << 20);
    assert_int_equal(folder_make(folder, NULL), TCPLAN_OK);
    for (int f = 0; f < 18; f++) {
        char name[16];
        snprintf(name, sizeof name, "old-%d", f);
        assert_int_equal(folder_replace(folder, name, large, 1 << 20, -1, NULL), TCPLAN_OK);
    }
    free(large);
    keep_said(&store, 0, 1);
    struct folder_names names = {0};
    assert_int_equal(folder_list(&names, folder, NULL), TCPLAN_OK);
    assert_int_equal(names.count, 18 + 1);
    folder_names_free(&names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_new_results_nothing_is_written, take_folder),
        cmocka_unit_test_setup(a_log_only_grows, take_folder),
        cmocka_unit_test_setup(a_log_that_is_cut_anywhere_loses_no_whole_line, take_folder),
        cmocka_unit_test_setup(a_byte_that_is_changed_loses_its_line, take_folder),
        cmocka_unit_test_setup(garbage_is_skipped_and_reported, take_folder),
        cmocka_unit_test_setup(a_file_of_another_kind_is_listed_and_removed, take_folder),
        cmocka_unit_test_setup(a_full_disk_loses_nothing, take_folder),
        cmocka_unit_test_setup(a_folder_that_cannot_be_written_loses_nothing, take_folder),
        cmocka_unit_test_setup(while_another_process_holds_the_lock_all_stays_noted, take_folder),
        cmocka_unit_test_setup(writers_at_once_lose_nothing, take_folder),
        cmocka_unit_test_setup(without_locks_writers_lose_nothing_that_was_there, take_folder),
        cmocka_unit_test_setup(without_locks_a_new_log_is_made_once, take_folder),
        cmocka_unit_test_setup(a_log_that_is_too_large_is_shortened_when_it_is_opened, take_folder),
        cmocka_unit_test_setup(a_log_that_is_only_appended_to_is_bounded, take_folder),
        cmocka_unit_test_setup(recorded_lines_are_bounded, take_folder),
        cmocka_unit_test_setup(old_observations_are_not_used_and_go, take_folder),
        cmocka_unit_test_setup(a_clock_that_ran_ahead_leaves_no_eternal_observation, take_folder),
        cmocka_unit_test_setup(kinds_are_listed_and_forgotten_like_entries, take_folder),
        cmocka_unit_test_setup(old_observations_of_a_kind_are_forgotten, take_folder),
        cmocka_unit_test_setup(another_machine_has_a_log_of_its_own, take_folder),
        cmocka_unit_test_setup(entries_of_version_0_1_0_are_read_and_continued, take_folder),
        cmocka_unit_test_setup(kinds_of_other_versions_are_skipped, take_folder),
        cmocka_unit_test_setup(entries_of_other_versions_are_listed_and_not_used, take_folder),
        cmocka_unit_test_setup(keeping_leaves_all_other_files_alone, take_folder),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
