#include "cli/node_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

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

static bool try_path(struct node_lock *lock, const char *folder, const char *name) {
    snprintf(lock->path, sizeof lock->path, "%s%s", folder, name);
    lock->descriptor = open_path(lock->path);
    return lock->opened = lock->descriptor >= 0;
}

enum tcplan_status node_lock_open(struct node_lock *lock, struct tcplan_error *error) {
    static const char *const folders[] = {"/run/lock/", "/dev/shm/", "/tmp/"};
    const char *path = getenv("TCPLAN_LOCK");
    if (path && *path) {
        if (try_path(lock, "", path)) return TCPLAN_OK;
    } else {
        for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
            if (try_path(lock, folders[f], "tcplan.lock")) return TCPLAN_OK;
        }
    }
    return error_set(error, TCPLAN_ENVIRONMENT, "cannot open the machine's lock '%s': %s", lock->path, strerror(errno));
}

bool node_lock_try(const struct node_lock *lock) {
    return !lock->opened || flock(lock->descriptor, LOCK_EX | LOCK_NB) == 0;
}

void node_lock_wait(const struct node_lock *lock) {
    while (lock->opened && flock(lock->descriptor, LOCK_EX) != 0 && errno == EINTR) continue;
}

void node_lock_release(const struct node_lock *lock) {
    if (lock->opened) flock(lock->descriptor, LOCK_UN);
}

void node_lock_close(struct node_lock *lock) {
    if (lock->opened) close(lock->descriptor);
    *lock = (struct node_lock){0};
}
