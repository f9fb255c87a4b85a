#include "study/worker.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void crash(void) {
    signal(SIGSEGV, SIG_DFL); /* replaces the handlers of cmocka and sanitizers */
    raise(SIGSEGV);
}

/** Handles a request, which its first letter selects; the answer is the rest of its text. */
static struct worker_message answer(void *context, const struct worker_message *request) {
    static int answered;
    char *text = request->data;
    switch (*text) {
    case 'n': *text = (char)('0' + answered); break; /* answers the number of earlier requests */
    case 'd': crash(); break;
    case 'o': /* crashes if it reads a byte from the pipe; the parent wrote a single byte, so only
                 the first request crashes */
        if (read(*(int *)context, text, 1) == 1) crash();
        break;
    case 'h':
        for (;;) pause();
    case 's': sleep(20); break;
    case 'p':
        worker_progress(context, "looking", 3, 4);
        worker_progress(context, "too soon after the first one", 4, 4);
        break;
    case '0': return (struct worker_message){0};
    default: break;
    }
    answered++;
    struct worker_message out = {.data = malloc(request->bytes), .bytes = request->bytes};
    memcpy(out.data, text, request->bytes);
    return out;
}

/** Sends a request to the worker and checks how it ends; returns the text of the answer, to be
 * freed. */
static char *ask(struct worker *worker, const char *text, enum worker_end expected,
                 struct tcplan_error *error) {
    struct worker_message request = {.data = strdup(text), .bytes = strlen(text) + 1}, reply = {0};
    assert_int_equal(worker_ask(worker, &request, &reply, error), expected);
    free(request.data);
    return reply.data;
}

static void assert_answered(struct worker *worker, const char *text, const char *expected) {
    struct tcplan_error error;
    char *found = ask(worker, text, WORKER_ANSWERED, &error);
    assert_string_equal(found, expected);
    free(found);
}

static void one_worker_answers_all_requests(void **state) {
    (void)state;
    struct worker worker = {.answer = answer};
    assert_answered(&worker, "n", "0");
    const pid_t process = worker.process;
    assert_answered(&worker, "n", "1");
    assert_int_equal(worker.process, process);
    worker_stop(&worker);
    assert_int_equal(worker.process, 0);
}

static void dead_worker_is_replaced(void **state) {
    (void)state;
    struct worker worker = {.answer = answer};
    struct tcplan_error error;
    assert_answered(&worker, "n", "0");
    assert_null(ask(&worker, "d", WORKER_DIED, &error));
    assert_string_equal(error.message, "killed by SIGSEGV");
    assert_answered(&worker, "n", "0");
    worker_stop(&worker);
}

static void request_whose_worker_dies_is_tried_once_more(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    close(ends[1]);
    struct worker worker = {.answer = answer, .context = &ends[0]};
    assert_answered(&worker, "once", "once");
    worker_stop(&worker);
    close(ends[0]);
}

static void a_worker_that_dies_between_requests_is_replaced(void **state) {
    (void)state;
    struct worker worker = {.answer = answer};
    assert_answered(&worker, "n", "0");
    kill(worker.process, SIGKILL);
    assert_answered(&worker, "n", "0");
    worker_stop(&worker);
}

static void worker_without_progress_is_ended(void **state) {
    (void)state;
    struct worker worker = {.answer = answer, .patience_seconds = 0.02};
    struct tcplan_error error;
    assert_null(ask(&worker, "hang", WORKER_DIED, &error));
    assert_string_equal(error.message, "ended: no progress for 0.02 s");
    assert_int_equal(worker.process, 0);
}

struct told {
    int count;
    char activity[40];
    double done;
    double total;
};

static void note(void *context, const char *activity, double done, double total) {
    struct told *told = context;
    *told = (struct told){.count = told->count + 1, .done = done, .total = total};
    snprintf(told->activity, sizeof told->activity, "%s", activity);
}

static void progress_is_passed_on_now_and_then(void **state) {
    (void)state;
    struct told told = {0};
    struct worker worker = {.answer = answer, .progress = note, .progress_context = &told};
    worker.context = &worker;
    assert_answered(&worker, "progress", "progress");
    assert_int_equal(told.count, 1);
    assert_string_equal(told.activity, "looking");
    assert_true(told.done == 3 && told.total == 4);
    worker_stop(&worker);
}

static void empty_answer_is_an_answer(void **state) {
    (void)state;
    struct worker worker = {.answer = answer};
    struct tcplan_error error;
    free(ask(&worker, "0", WORKER_ANSWERED, &error));
    worker_stop(&worker);
}

static void long_messages_arrive_whole(void **state) {
    (void)state;
    enum { LENGTH = 3000000 };
    struct worker worker = {.answer = answer};
    char *text = malloc(LENGTH + 1);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    assert_answered(&worker, text, text);
    free(text);
    worker_stop(&worker);
}

static void later_files_are_not_kept_open_by_a_replacement(void **state) {
    (void)state;
    struct worker worker = {.answer = answer};
    struct tcplan_error error;
    int ends[2];
    char byte;
    assert_answered(&worker, "x", "x");
    assert_int_equal(pipe(ends), 0);
    assert_null(ask(&worker, "d", WORKER_DIED, &error));
    assert_answered(&worker, "x", "x");
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    worker_stop(&worker);
}

/** If its parent is killed, a worker ends: while it works, by the same signal; otherwise because
 * its pipe is closed. */
static void worker_does_not_outlive_its_parent(void **state) {
    int ends[2], status = 0;
    pid_t orphan = 0;
    (void)state;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        skip(); /* qemu-user does not support PR_SET_CHILD_SUBREAPER */
    assert_int_equal(pipe(ends), 0);
    const pid_t starter = fork();
    if (starter == 0) {
        struct worker worker = {.answer = answer};
        struct tcplan_error error;
        free(ask(&worker, "x", WORKER_ANSWERED, &error));
        if (write(ends[1], &worker.process, sizeof worker.process) < 0) _exit(1);
        free(ask(&worker, "sleep", WORKER_ANSWERED, &error));
        _exit(0);
    }
    assert_int_equal(read(ends[0], &orphan, sizeof orphan), sizeof orphan);
    kill(starter, SIGKILL);
    assert_int_equal(waitpid(starter, &status, 0), starter);
    assert_int_equal(waitpid(orphan, &status, 0), orphan);
    assert_true(WIFEXITED(status) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_worker_answers_all_requests),
        cmocka_unit_test(dead_worker_is_replaced),
        cmocka_unit_test(request_whose_worker_dies_is_tried_once_more),
        cmocka_unit_test(a_worker_that_dies_between_requests_is_replaced),
        cmocka_unit_test(worker_without_progress_is_ended),
        cmocka_unit_test(progress_is_passed_on_now_and_then),
        cmocka_unit_test(empty_answer_is_an_answer),
        cmocka_unit_test(long_messages_arrive_whole),
        cmocka_unit_test(later_files_are_not_kept_open_by_a_replacement),
        cmocka_unit_test(worker_does_not_outlive_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
