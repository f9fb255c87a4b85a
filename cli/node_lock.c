#include "cli/node_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/strbuf.h"

enum { USUAL_SECONDS = 3600, ALARM_MICROSECONDS = 200000 };

/** Opens what is there, else creates it for everybody; an existing file is not opened for creation, which sticky folders refuse. */
static int open_path(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor >= 0 || errno != ENOENT) return descriptor;
    descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor >= 0) {
        (void)!fchmod(descriptor, 0644);
    } else if (errno == EEXIST) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
    return descriptor;
}

/** FOLDER/NAME, if it can be opened. */
static enum tcplan_status try_path(struct node_lock *lock, const char *folder, const char *name, struct tcplan_error *error) {
    struct strbuf path = {0};
    strbuf_add(&path, "%s%s", folder, name);
    char *text = strbuf_finish(&path);
    if (!text) return error_no_memory(error);
    lock->descriptor = open_path(text);
    if (lock->descriptor >= 0) {
        lock->path = text;
        return TCPLAN_OK;
    }
    error_set(error, TCPLAN_ENVIRONMENT, "cannot open the machine's lock '%.200s': %s", text, strerror(errno));
    free(text);
    return TCPLAN_ENVIRONMENT;
}

/** The limit of waiting. */
static enum tcplan_status read_limit(struct node_lock *lock, struct tcplan_error *error) {
    const char *text = getenv("TCPLAN_LOCK_WAIT");
    lock->longest_seconds = USUAL_SECONDS;
    if (!text || !*text || decimal_read(&lock->longest_seconds, text, strlen(text))) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "TCPLAN_LOCK_WAIT expects a number of seconds, found '%.200s'", text);
}

enum tcplan_status node_lock_open(struct node_lock *lock, struct tcplan_error *error) {
    static const char *const folders[] = {"/run/lock/", "/dev/shm/", "/tmp/"};
    const char *path = getenv("TCPLAN_LOCK");
    enum tcplan_status status = read_limit(lock, error);
    if (status != TCPLAN_OK) return status;
    if (path && *path) return try_path(lock, "", path, error);
    status = TCPLAN_ENVIRONMENT;
    for (size_t f = 0; f < sizeof folders / sizeof *folders && status == TCPLAN_ENVIRONMENT; f++) {
        status = try_path(lock, folders[f], "tcplan.lock", error);
    }
    return status;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void wake(int number) {
    (void)number;
}

/**
 * Waits in the queue of the lock, not by trying: a batch lets go of it for an instant only. An alarm interrupts the waiting now and then, so
 * that its end is seen; it comes again and again, as one may come before the waiting begins.
 */
static bool wait_in_queue(const struct node_lock *lock) {
    const double end = now() + lock->longest_seconds;
    const double first = 1e6 * lock->longest_seconds;
    const struct itimerval often = {.it_interval = {.tv_usec = ALARM_MICROSECONDS},
                                    .it_value = {.tv_usec = first < ALARM_MICROSECONDS ? (suseconds_t)first + 1 : ALARM_MICROSECONDS}};
    struct itimerval timer_before;
    struct sigaction action = {.sa_handler = wake}, action_before; /* without SA_RESTART */
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, &action_before);
    setitimer(ITIMER_REAL, &often, &timer_before);
    int taken = -1;
    while (taken != 0 && now() < end && ((taken = flock(lock->descriptor, LOCK_EX)) == 0 || errno == EINTR)) continue;
    setitimer(ITIMER_REAL, &timer_before, NULL);
    sigaction(SIGALRM, &action_before, NULL);
    return taken == 0;
}

enum exit_status node_lock_take(struct node_lock *lock, bool quiet) {
    if (!lock->path || flock(lock->descriptor, LOCK_EX | LOCK_NB) == 0) return EXIT_DONE;
    if (!lock->told && !quiet) diagnose("waiting: another tcplan is timing on this machine (%s)", lock->path);
    lock->told = true;
    if (wait_in_queue(lock)) return EXIT_DONE;
    diagnose("the machine's lock '%.200s' was not free for %g s; --no-lock does without, TCPLAN_LOCK_WAIT waits longer", lock->path,
             lock->longest_seconds);
    return EXIT_ENVIRONMENT;
}

void node_lock_release(const struct node_lock *lock) {
    if (lock->path) flock(lock->descriptor, LOCK_UN);
}

void node_lock_close(struct node_lock *lock) {
    if (lock->path) close(lock->descriptor);
    free(lock->path);
    *lock = (struct node_lock){0};
}
