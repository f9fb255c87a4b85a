/*
 * Tests stored plans in damaged files, of other versions, or too old, and with full disks and
 * failing allocations.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "store/folder.h"
#include "support/stored_plans.h"

/* Damage. */

static void a_file_truncated_anywhere_keeps_its_entries_and_accepts_more(void **state) {
    enum { PLANS = 3 };
    size_t length, ends[PLANS + 1] = {0};
    (void)state;
    for (int n = 1; n <= PLANS; n++) {
        struct subject stored;
        subject_numbered(&stored, n);
        assert_int_equal(subject_keep_anew(IN_FILE, &stored), TCPLAN_OK);
        free(file_read(places_file, &ends[n]));
        subject_free(&stored);
    }
    char *text = file_read(places_file, &length);
    for (size_t cut = 0; cut < length; cut++) {
        struct subject stored;
        subject_numbered(&stored, PLANS + 1);
        file_write(places_file, text, cut);
        const bool foreign = cut > 0 && cut < strlen("tcplan store 1\nentry kind=plans ");
        for (int n = 1; n <= PLANS && !foreign; n++)
            assert_int_equal(place_has_plan(IN_FILE, n), ends[n] <= cut);
        assert_int_equal(subject_keep_anew(IN_FILE, &stored), foreign ? TCPLAN_INVALID : TCPLAN_OK);
        if (foreign) assert_file_holds(places_file, text, cut);
        for (int n = 1; n <= PLANS && !foreign;
             n++) { /* an entry that lacks only its newline is complete: the next entry adds it */
            assert_int_equal(place_has_plan(IN_FILE, n), ends[n] <= cut + 1);
        }
        assert_int_equal(place_has_plan(IN_FILE, PLANS + 1), !foreign);
        subject_free(&stored);
    }
    free(text);
}

/** Version 0.1.0 stored each plan in a file. Complete files are imported, damaged ones stay
 * unchanged. */
static void plans_in_files_of_their_own_are_taken_over(void **state) {
    enum { PLANS = 3 };
    const struct tcplan_store store = places_store(NOW);
    struct tcplan_store_list list;
    size_t length;
    char path[256];
    (void)state;
    assert_int_equal(folder_make(places_folder, NULL), TCPLAN_OK);
    free(plan_entries(PLANS));
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count, PLANS);
    snprintf(path, sizeof path, "%s/%s.tcplan", places_folder, list.item[1].name);
    tcplan_store_list_free(&list);
    char *text = file_read(path, &length);
    assert_int_equal(truncate(path, (off_t)length / 2), 0);
    int whole = 0;
    for (int n = 1; n <= PLANS; n++) whole += place_has_plan(IN_FOLDER, n);
    assert_int_equal(whole, PLANS - 1);
    assert_int_equal(place_count(IN_FOLDER), PLANS - 1);
    assert_file_holds(path, text, length / 2);
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    assert_int_equal(list.count,
                     2); /* two entries: the plans, and the damaged part of their file */
    tcplan_store_list_free(&list);
    free(text);
}

static void any_changed_byte_is_noticed(void **state) {
    size_t length;
    char path[256];
    struct subject stored;
    (void)state;
    subject_numbered(&stored, 1);
    assert_int_equal(subject_keep_anew(IN_FOLDER, &stored), TCPLAN_OK);
    places_only_path(path);
    char *text = file_read(path, &length);
    for (size_t at = 0; at < length; at++) {
        text[at] ^= 1;
        file_write(path, text, length);
        file_write(places_file, text, length);
        assert_int_not_equal(subject_find_anew(IN_FOLDER, &stored), TCPLAN_OK);
        assert_int_not_equal(subject_find_anew(IN_FILE, &stored), TCPLAN_OK);
        text[at] ^= 1;
    }
    free(text);
    subject_free(&stored);
}

/** The file begins like a file of plans, and continues with a hole. */
static void a_file_that_is_too_long_is_refused_and_unchanged(void **state) {
    static const char head[] = "tcplan store 1\nentry kind=plans version=1\n";
    struct tcplan_stored_plans *plans = place_open(IN_FILE);
    struct tcplan_error error = {0};
    struct subject stored;
    struct stat found;
    (void)state;
    subject_numbered(&stored, 1);
    file_write(places_file, head, strlen(head));
    assert_int_equal(truncate(places_file, (64 << 20) + 1), 0);
    assert_int_equal(tcplan_stored_plans_check(plans, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "is longer than 67108864 bytes"));
    assert_int_equal(subject_find(plans, &stored), TCPLAN_INVALID);
    assert_int_equal(subject_keep(plans, &stored), TCPLAN_INVALID);
    assert_int_equal(stat(places_file, &found), 0);
    assert_int_equal(found.st_size, (64 << 20) + 1);
    tcplan_stored_plans_close(plans);
    subject_free(&stored);
}

static void a_file_of_another_kind_is_refused_and_unchanged(void **state) {
    static const char *const foreign[] = {
        "notes\n", "tcplan store 1\nentry kind=ceilings version=1 key=threads-1 made=1 tcplan=1\n",
        "tcplan store 2\nentry kind=plans version=1\n", "\n", "tcplan plans\n"};
    struct subject stored;
    (void)state;
    subject_numbered(&stored, 1);
    for (size_t f = 0; f < sizeof foreign / sizeof *foreign; f++) {
        struct tcplan_stored_plans *plans = place_open(IN_FILE);
        struct tcplan_plan_list list;
        struct tcplan_error error = {0};
        size_t count = 7;
        file_write(places_file, foreign[f], strlen(foreign[f]));
        assert_int_equal(tcplan_stored_plans_check(plans, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, places_file));
        assert_int_equal(subject_find(plans, &stored), TCPLAN_INVALID);
        assert_int_equal(subject_keep(plans, &stored), TCPLAN_INVALID);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, &error), TCPLAN_INVALID);
        tcplan_plan_list_free(&list);
        assert_int_equal(
            tcplan_stored_plans_forget(&count, plans, &(struct tcplan_plan_choice){0}, &error),
            TCPLAN_INVALID);
        assert_int_equal(count, 0);
        assert_file_holds(places_file, foreign[f], strlen(foreign[f]));
        tcplan_stored_plans_close(plans);
    }
    subject_free(&stored);
}

static void unreadable_plans_are_reported_and_left_unchanged(void **state) {
    static const struct {
        const char *from, *to;
        enum tcplan_status status;
    } changes[] = {
        {"kind=plans version=1", "kind=plans version=2", TCPLAN_MISMATCH},
        {"algorithm=c-dgemm", "algorithm=q-dgemm", TCPLAN_INVALID},
        {"sizes=1,8,9,7", "sizes=1,8,9", TCPLAN_INVALID},
        {"C_abc%3dA_ad*B_dbc", "C_abx%3dA_ad*B_dbx", TCPLAN_INVALID},
        {"C_abc%3dA_ad*B_dbc", "nonsense", TCPLAN_INVALID},
        {"threads=1", "threads=0", TCPLAN_INVALID},
        {"seconds=1", "seconds=-1", TCPLAN_INVALID},
        {"effort=normal", "effort=much", TCPLAN_INVALID},
    };
    struct subject other;
    (void)state;
    subject_numbered(&other, 2);
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        char *text = plan_entry_changed(changes[c].from, changes[c].to);
        const size_t length = strlen(text);
        struct tcplan_plan_list list;
        size_t found;
        file_write(places_file, text, length);
        assert_int_equal(subject_keep_anew(IN_FILE, &other), TCPLAN_OK);
        struct tcplan_stored_plans *plans = place_open(IN_FILE);
        assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
        assert_int_equal(list.count, 2);
        const struct tcplan_plan_item *wrong = &list.item[list.item[0].status == TCPLAN_OK];
        assert_int_equal(wrong->status, changes[c].status);
        assert_non_null(strstr(wrong->reason, "line 1: "));
        tcplan_plan_list_free(&list);
        assert_int_equal(place_forget_plans(IN_FILE, NOW, &(struct tcplan_plan_choice){.most = 1}),
                         0);
        char *now = file_read(places_file, &found);
        assert_memory_equal(now, text, length);
        free(now);
        assert_int_equal(
            place_forget_plans(IN_FILE, NOW, &(struct tcplan_plan_choice){.unusable = true}), 1);
        assert_int_equal(place_count(IN_FILE), 1);
        tcplan_stored_plans_close(plans);
        free(text);
    }
    subject_free(&other);
}

static void expired_plans_are_not_used_and_are_replaced(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject stored;
        subject_numbered(&stored, 1);
        struct tcplan_stored_plans *plans = place_open_at((enum place)place, NOW - 400LL * DAY);
        assert_int_equal(subject_keep(plans, &stored), TCPLAN_OK);
        tcplan_stored_plans_close(plans);
        assert_int_not_equal(subject_find_anew((enum place)place, &stored), TCPLAN_OK);
        assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
        assert_int_equal(subject_find_anew((enum place)place, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
}

/* Disks. */

static void an_unwritable_place_returns_a_status(void **state) {
    static const char *const files[] = {"/proc/none/plans", "/nowhere/at/all", "/dev/full"};
    struct subject stored;
    struct tcplan_store store = places_store(NOW);
    (void)state;
    subject_numbered(&stored, 1);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        struct tcplan_stored_plans *plans = NULL;
        struct tcplan_error error = {0};
        assert_int_equal(tcplan_stored_plans_open(&plans, &store, files[f], NULL), TCPLAN_OK);
        const enum tcplan_status status = tcplan_stored_plans_keep(
            plans, &stored.given.problem, &one_thread, &stored.plan, &error);
        assert_true(status == TCPLAN_ENVIRONMENT || status == TCPLAN_INVALID);
        assert_non_null(strstr(error.message, files[f]));
        tcplan_stored_plans_close(plans);
    }
    struct tcplan_stored_plans *plans = NULL;
    file_write(places_file, "no folder", 9);
    store.folder = places_file;
    assert_int_equal(tcplan_stored_plans_open(&plans, &store, NULL, NULL), TCPLAN_OK);
    assert_int_equal(subject_keep(plans, &stored), TCPLAN_ENVIRONMENT);
    assert_file_holds(places_file, "no folder", 9);
    tcplan_stored_plans_close(plans);
    subject_free(&stored);
}

/** Stores a plan in a child process whose files are limited to `bytes`; returns the status. */
static enum tcplan_status keep_within(enum place place, size_t bytes, int number) {
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
        struct subject stored;
        signal(SIGXFSZ, SIG_IGN);
        subject_numbered(&stored, number);
        struct tcplan_stored_plans *plans = place_open(place);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit((int)subject_keep(plans, &stored));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (enum tcplan_status)WEXITSTATUS(status);
}

static void a_full_disk_loses_nothing(void **state) {
    size_t length;
    struct subject stored;
    (void)state;
    subject_numbered(&stored, 1);
    for (int place = 0; place < PLACES; place++)
        assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
    char *text = file_read(places_file, &length);
    for (size_t more = 0; more < 300; more += 23) {
        assert_int_equal(keep_within(IN_FILE, length + more, 2), TCPLAN_ENVIRONMENT);
        assert_file_holds(places_file, text, length);
        assert_int_equal(keep_within(IN_FOLDER, more, 2), TCPLAN_ENVIRONMENT);
        assert_int_equal(keep_within(IN_FOLDER, more, 1), TCPLAN_ENVIRONMENT);
    }
    for (int place = 0; place < PLACES; place++) {
        assert_true(place_has_plan((enum place)place, 1) && !place_has_plan((enum place)place, 2));
        assert_int_equal(place_count((enum place)place), 1);
    }
    free(text);
    subject_free(&stored);
}

/* Failing memory. */

static void every_failed_allocation_returns_a_status(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct subject stored;
        subject_numbered(&stored, 1);
        assert_int_equal(subject_keep_anew((enum place)place, &stored), TCPLAN_OK);
        for (long n = 0; n < 60; n++) {
            const struct tcplan_store store = places_store(NOW);
            struct tcplan_stored_plans *plans = NULL;
            struct tcplan_found_plan found, near[2];
            struct tcplan_plan_list list = {0};
            size_t count;
            base_alloc_fail_after(n);
            enum tcplan_status status = tcplan_stored_plans_open(
                &plans, &store, place == IN_FILE ? places_file : NULL, NULL);
            if (status == TCPLAN_OK)
                status = tcplan_stored_plans_find(&found, plans, &stored.given.problem, &one_thread,
                                                  0, NULL);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            if (status == TCPLAN_OK)
                status = tcplan_stored_plans_near(near, 2, &count, plans, &stored.given.problem,
                                                  &one_thread, NULL);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            if (status == TCPLAN_OK) status = tcplan_stored_plans_list(&list, plans, NULL);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            if (status == TCPLAN_OK) status = subject_keep(plans, &stored);
            assert_true(status == TCPLAN_OK || status == TCPLAN_NO_MEMORY);
            base_alloc_fail_after(-1);
            tcplan_plan_list_free(&list);
            tcplan_stored_plans_close(plans);
        }
        assert_int_equal(subject_find_anew((enum place)place, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_file_truncated_anywhere_keeps_its_entries_and_accepts_more,
                               places_clear),
        cmocka_unit_test_setup(plans_in_files_of_their_own_are_taken_over, places_clear),
        cmocka_unit_test_setup(any_changed_byte_is_noticed, places_clear),
        cmocka_unit_test_setup(a_file_that_is_too_long_is_refused_and_unchanged, places_clear),
        cmocka_unit_test_setup(a_file_of_another_kind_is_refused_and_unchanged, places_clear),
        cmocka_unit_test_setup(unreadable_plans_are_reported_and_left_unchanged, places_clear),
        cmocka_unit_test_setup(expired_plans_are_not_used_and_are_replaced, places_clear),
        cmocka_unit_test_setup(an_unwritable_place_returns_a_status, places_clear),
        cmocka_unit_test_setup(a_full_disk_loses_nothing, places_clear),
        cmocka_unit_test_setup(every_failed_allocation_returns_a_status, places_clear),
    };
    return cmocka_run_group_tests(tests, places_make, places_remove);
}
