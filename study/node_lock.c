#include "tcplan/study/node_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/strbuf.h"

enum { ALARM_MICROSECONDS = 200000 };

struct tcplan_node_lock {
    int descriptor;
    char *path;
    double longest_seconds;
    bool told; /* whether the wait was reported */
};

/** Opens the file or, if it does not exist, creates it so that all users can open it. An existing
 * file is opened without O_CREAT, because the kernel may refuse that in folders with the sticky
 * bit. */
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

/** Tries to use the file `name` in `folder` as the lock: opens it, and returns whether that
 * succeeded. */
static enum tcplan_status try_path(struct tcplan_node_lock *lock, const char *folder,
                                   const char *name, struct tcplan_error *error) {
    struct strbuf path = {0};
    strbuf_add(&path, "%s%s", folder, name);
    char *text = strbuf_finish(&path);
    if (!text) return error_no_memory(error);
    lock->descriptor = open_path(text);
    if (lock->descriptor >= 0) {
        lock->path = text;
        return TCPLAN_OK;
    }
    error_set(error, TCPLAN_ENVIRONMENT, "cannot open the machine's lock '%.200s': %s", text,
              strerror(errno));
    free(text);
    return TCPLAN_ENVIRONMENT;
}

static enum tcplan_status find_path(struct tcplan_node_lock *lock, const char *path,
                                    struct tcplan_error *error) {
    static const char *const folders[] = {"/run/lock/", "/dev/shm/", "/tmp/"};
    if (path && *path) return try_path(lock, "", path, error);
    enum tcplan_status status = TCPLAN_ENVIRONMENT;
    for (size_t f = 0; f < sizeof folders / sizeof *folders && status == TCPLAN_ENVIRONMENT; f++) {
        status = try_path(lock, folders[f], "tcplan.lock", error);
    }
    return status;
}

enum tcplan_status tcplan_node_lock_open(struct tcplan_node_lock **out, const char *path,
                                         double longest_seconds, struct tcplan_error *error) {
    struct tcplan_node_lock *lock = base_alloc_zero(1, sizeof *lock);
    if (!lock) return error_no_memory(error);
    lock->longest_seconds = longest_seconds;
    enum tcplan_status status = find_path(lock, path, error);
    if (status == TCPLAN_OK) {
        *out = lock;
    } else {
        base_free(lock);
    }
    return status;
}

static void wake(int number) {
    (void)number;
}

/**
 * Waits in the queue of flock() instead of polling, because a batch releases the lock only for an
 * instant. An alarm interrupts the wait regularly, so that the time limit is noticed. The alarm
 * repeats, because one may arrive before the wait begins.
 */
static bool wait_in_queue(const struct tcplan_node_lock *lock) {
    const double end = monotonic_seconds() + lock->longest_seconds;
    const double first = 1e6 * lock->longest_seconds;
    const struct itimerval often = {.it_interval = {.tv_usec = ALARM_MICROSECONDS},
                                    .it_value = {.tv_usec = first < ALARM_MICROSECONDS
                                                                ? (suseconds_t)first + 1
                                                                : ALARM_MICROSECONDS}};
    struct itimerval timer_before;
    struct sigaction action = {.sa_handler = wake},
                     action_before; /* without SA_RESTART, so that the alarm interrupts flock() */
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, &action_before);
    setitimer(ITIMER_REAL, &often, &timer_before);
    int taken = -1;
    while (taken != 0 && monotonic_seconds() < end &&
           ((taken = flock(lock->descriptor, LOCK_EX)) == 0 || errno == EINTR))
        continue;
    setitimer(ITIMER_REAL, &timer_before, NULL);
    sigaction(SIGALRM, &action_before, NULL);
    return taken == 0;
}

enum tcplan_status tcplan_node_lock_take(struct tcplan_node_lock *lock, tcplan_waiting_fn *waiting,
                                         void *context, struct tcplan_error *error) {
    if (!lock || flock(lock->descriptor, LOCK_EX | LOCK_NB) == 0) return TCPLAN_OK;
    if (!lock->told && waiting) waiting(context, lock->path);
    lock->told = true;
    if (wait_in_queue(lock)) return TCPLAN_OK;
    return error_set(error, TCPLAN_BUSY, "the machine's lock '%.200s' was not free for %g s",
                     lock->path, lock->longest_seconds);
}

void tcplan_node_lock_release(const struct tcplan_node_lock *lock) {
    if (lock) flock(lock->descriptor, LOCK_UN);
}

void tcplan_node_lock_close(struct tcplan_node_lock *lock) {
    if (!lock) return;
    close(lock->descriptor);
    free(lock->path);
    base_free(lock);
}
