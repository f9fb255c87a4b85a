/*
 * Tests stored plans that many processes and threads use at once, and plans imported from another
 * file.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "support/stored_plans.h"

/* Number of processes that run at once, and of plans that each stores. */

enum { PROCESSES = 100, EACH = 3 };

/** Runs in each process: stores plans of its own, and one that all processes store; finds those of
 * others. */
static int work(enum place place, int process) {
    int failed = 0;
    for (int n = 0; n < EACH; n++) {
        struct subject own, others;
        struct tcplan_found_plan found;
        subject_numbered(&own, 2 + EACH * process + n);
        subject_numbered(&others, 2 + EACH * ((process + 1) % PROCESSES) + n);
        struct tcplan_stored_plans *plans = place_open(place);
        failed += subject_keep(plans, &own) != TCPLAN_OK;
        const enum tcplan_status status =
            tcplan_stored_plans_find(&found, plans, &others.given.problem, &one_thread, 0, NULL);
        failed += status == TCPLAN_NO_MEMORY || status == TCPLAN_ENVIRONMENT;
        failed += subject_find(plans, &own) != TCPLAN_OK;
        tcplan_stored_plans_close(plans);
        subject_free(&own);
        subject_free(&others);
    }
    return failed;
}

static void a_hundred_processes_lose_nothing(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        pid_t child[PROCESSES];
        for (int p = 0; p < PROCESSES; p++) {
            child[p] = fork();
            assert_true(child[p] >= 0);
            if (child[p] == 0) _exit(work((enum place)place, p));
        }
        for (int p = 0; p < PROCESSES; p++) {
            int status = 0;
            assert_int_equal(waitpid(child[p], &status, 0), child[p]);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 0);
        }
        assert_int_equal(place_count((enum place)place), PROCESSES * EACH);
        for (int n = 0; n < PROCESSES * EACH; n++)
            assert_true(place_has_plan((enum place)place, 2 + n));
    }
}

/** A process waits for the lock of a file, which another process replaces. The first must then
 * write to the new file. If the wait begins too late, the test proves nothing. */
static void a_waiting_write_goes_to_the_replaced_file(void **state) {
    struct subject first, second;
    char moved[sizeof places_file + 8];
    int status = 0;
    (void)state;
    subject_numbered(&first, 1);
    subject_numbered(&second, 2);
    assert_int_equal(subject_keep_anew(IN_FILE, &first), TCPLAN_OK);
    const int held = open(places_file, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(held, LOCK_EX), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(held);
        _exit(subject_keep_anew(IN_FILE, &second) != TCPLAN_OK);
    }
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    size_t length;
    char *text = file_read(places_file, &length);
    snprintf(moved, sizeof moved, "%s.moved", places_file);
    file_write(moved, text, length);
    assert_int_equal(rename(moved, places_file), 0);
    close(held);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(place_has_plan(IN_FILE, 1) && place_has_plan(IN_FILE, 2));
    free(text);
    subject_free(&first);
    subject_free(&second);
}

/** A process that wants to store a plan found with less effort waits for another process, which
 * stores a better plan: this one stays. If the wait begins too late, the test proves nothing. */
static void a_better_plan_of_another_process_is_kept(void **state) {
    char path[256], stored[300];
    struct subject subject;
    size_t length;
    int status = 0;
    (void)state;
    subject_numbered(&subject, 1);
    subject.plan.effort = THOROUGH;
    assert_int_equal(subject_keep_anew(IN_FOLDER, &subject), TCPLAN_OK);
    places_only_path(path);
    snprintf(stored, sizeof stored, "%s.stored", path);
    assert_int_equal(rename(path, stored), 0);
    subject.plan.effort = QUICK;
    assert_int_equal(subject_keep_anew(IN_FOLDER, &subject), TCPLAN_OK);
    char *quick = file_read(path, &length);
    const int held = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(held, LOCK_EX), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(held);
        subject.plan.effort = NORMAL;
        _exit(subject_keep_anew(IN_FOLDER, &subject) != TCPLAN_OK);
    }
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    assert_file_holds(path, quick, length);
    assert_int_equal(rename(stored, path), 0);
    close(held);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    struct tcplan_found_plan found;
    struct tcplan_stored_plans *plans = place_open(IN_FOLDER);
    assert_int_equal(tcplan_stored_plans_find(&found, plans, &subject.given.problem, &one_thread,
                                              THOROUGH, NULL),
                     TCPLAN_OK);
    tcplan_stored_plans_close(plans);
    free(quick);
    subject_free(&subject);
}

/** While one process rewrites the file to drop plans, others add plans: none of these is lost. */
static void a_file_that_is_rewritten_meanwhile_loses_nothing(void **state) {
    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int n = 0; n < 40; n++)
            place_forget_plans(IN_FILE, NOW,
                               &(struct tcplan_plan_choice){.unusable = true, .name = "0000"});
        for (int n = 0; n < 40; n++)
            place_forget_plans(IN_FILE, NOW, &(struct tcplan_plan_choice){.most = 1000});
        _exit(0);
    }
    for (int n = 1; n <= 80; n++) {
        struct subject stored;
        subject_numbered(&stored, n);
        assert_int_equal(subject_keep_anew(IN_FILE, &stored), TCPLAN_OK);
        stored.plan.effort = THOROUGH;
        assert_int_equal(subject_keep_anew(IN_FILE, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(place_count(IN_FILE), 80);
}

struct thread {
    pthread_t thread;
    struct tcplan_stored_plans *plans;
    int number;
    int failed;
};

static void *run_thread(void *context) {
    struct thread *thread = context;
    for (int n = 0; n < 60; n++) {
        struct random_contraction given;
        struct tcplan_found_plan plan = {.effort = NORMAL, .seconds = 1, .low = 1, .high = 1},
                                 near[2];
        char sizes[64];
        size_t count;
        snprintf(sizes, sizeof sizes, "a=%d,b=8,c=9,i=7", 1 + (n + thread->number) % 20);
        random_contraction_given(&given, "C_abc=A_ai*B_ibc", sizes, TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        struct tcplan_stored_plans *plans = thread->plans;
        thread->failed += tcplan_algorithm_parse(&plan.algorithm, given.contraction, TCPLAN_DOUBLE,
                                                 "c-dgemm", NULL) != TCPLAN_OK;
        thread->failed +=
            tcplan_stored_plans_keep(plans, &given.problem, &one_thread, &plan, NULL) != TCPLAN_OK;
        thread->failed += tcplan_stored_plans_find(&plan, plans, &given.problem, &one_thread, 0,
                                                   NULL) != TCPLAN_OK;
        thread->failed += tcplan_stored_plans_near(near, 2, &count, plans, &given.problem,
                                                   &one_thread, NULL) != TCPLAN_OK ||
                          count == 0;
        random_contraction_free(&given);
    }
    return NULL;
}

static void threads_share_a_place(void **state) {
    enum { THREADS = 8 };
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct thread thread[THREADS];
        struct tcplan_stored_plans *plans = place_open((enum place)place);
        for (int t = 0; t < THREADS; t++) {
            thread[t] = (struct thread){.plans = plans, .number = 3 * t};
            assert_int_equal(pthread_create(&thread[t].thread, NULL, run_thread, &thread[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(thread[t].thread, NULL), 0);
            assert_int_equal(thread[t].failed, 0);
        }
        tcplan_stored_plans_close(plans);
        assert_int_equal(place_count((enum place)place), 20);
    }
}

/* Exchange. */

static void exported_plans_can_be_imported(void **state) {
    struct tcplan_plan_import import;
    char *text = NULL, *again = NULL;
    size_t count = 0;
    (void)state;
    for (int n = 1; n <= 5; n++) {
        struct subject stored;
        subject_numbered(&stored, n);
        assert_int_equal(subject_keep_anew(IN_FOLDER, &stored), TCPLAN_OK);
        subject_free(&stored);
    }
    struct tcplan_stored_plans *from = place_open(IN_FOLDER), *to = place_open(IN_FILE);
    assert_int_equal(tcplan_stored_plans_export(&text, &count, from, NULL), TCPLAN_OK);
    assert_int_equal(count, 5);
    assert_int_equal(tcplan_stored_plans_import(&import, to, text, strlen(text), NULL), TCPLAN_OK);
    assert_true(import.added == 5 && import.known == 0 && import.refused == 0);
    assert_int_equal(tcplan_stored_plans_import(&import, to, text, strlen(text), NULL), TCPLAN_OK);
    assert_true(import.added == 0 && import.known == 5 && import.refused == 0);
    assert_int_equal(tcplan_stored_plans_export(&again, &count, to, NULL), TCPLAN_OK);
    assert_string_equal(again, text);
    for (int n = 1; n <= 5; n++) assert_true(place_has_plan(IN_FILE, n));
    tcplan_stored_plans_close(from);
    tcplan_stored_plans_close(to);
    free(text);
    free(again);
}

static void an_import_takes_complete_plans_and_reports_the_rest(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct strbuf all = {0};
        struct tcplan_plan_import import;
        struct tcplan_error error = {0};
        char *wrong = plan_entry_changed("algorithm=c-dgemm", "algorithm=q-dgemm"),
             *right = plan_entries(1);
        struct subject stored, better;
        strbuf_add(&all, "%s%.60s\n%s", wrong, right, right);
        subject_numbered(&stored, 1);
        subject_numbered(&better, 1);
        better.plan.effort = THOROUGH;
        struct tcplan_stored_plans *plans = place_open((enum place)place);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, all.text, all.length, &error),
                         TCPLAN_INVALID);
        assert_true(import.added == 1 && import.known == 0 && import.refused == 2);
        assert_non_null(strstr(error.message, "line 1: "));
        assert_int_equal(subject_find(plans, &stored), TCPLAN_OK);
        assert_int_equal(subject_keep(plans, &better), TCPLAN_OK);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, right, strlen(right), &error),
                         TCPLAN_OK);
        assert_true(import.added == 0 && import.known == 1);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, "notes", 5, &error),
                         TCPLAN_INVALID);
        assert_true(import.added + import.known + import.refused == 0);
        assert_int_equal(tcplan_stored_plans_import(&import, plans, "", 0, &error), TCPLAN_OK);
        tcplan_stored_plans_close(plans);
        subject_free(&stored);
        subject_free(&better);
        strbuf_free(&all);
        free(wrong);
        free(right);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_hundred_processes_lose_nothing, places_clear),
        cmocka_unit_test_setup(a_waiting_write_goes_to_the_replaced_file, places_clear),
        cmocka_unit_test_setup(a_better_plan_of_another_process_is_kept, places_clear),
        cmocka_unit_test_setup(a_file_that_is_rewritten_meanwhile_loses_nothing, places_clear),
        cmocka_unit_test_setup(threads_share_a_place, places_clear),
        cmocka_unit_test_setup(exported_plans_can_be_imported, places_clear),
        cmocka_unit_test_setup(an_import_takes_complete_plans_and_reports_the_rest, places_clear),
    };
    return cmocka_run_group_tests(tests, places_make, places_remove);
}
