#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { POLL_NS = 1000000 };

/** Returns 0 if a path is a regular file that this user may execute, else an errno. */
static int check(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return errno;
    if (!S_ISREG(status.st_mode)) return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

char *process_find(const char *name, const char *folders) {
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        struct strbuf path = {0};
        strbuf_append(&path, folders, length);
        strbuf_add(&path, "/%s", name);
        char *text = strbuf_finish(&path);
        if (text && *text == '/' && length > 0 && check(text) == 0) return text;
        free(text);
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

static int give_file(posix_spawn_file_actions_t *actions, int descriptor, int file) {
    if (file == PROCESS_SAME) return 0;
    if (file != PROCESS_NOTHING) return posix_spawn_file_actions_adddup2(actions, file, descriptor);
    return posix_spawn_file_actions_addopen(actions, descriptor, "/dev/null",
                                            descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
}

int process_start(pid_t *out, const char *path, const char *const arguments[],
                  const struct process_files *files, char *const environment[], bool leads) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    union {
        const char *const *given;
        char *const *taken; /* posix_spawn() does not modify these strings */
    } words = {.given = arguments};
    int reason = check(path);
    if (reason != 0 || (reason = posix_spawn_file_actions_init(&actions)) != 0) return reason;
    reason = posix_spawnattr_init(&attributes);
    if (reason == 0) {
        if (leads) reason = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (reason == 0) reason = give_file(&actions, STDIN_FILENO, files->input);
        if (reason == 0) reason = give_file(&actions, STDOUT_FILENO, files->output);
        if (reason == 0) reason = give_file(&actions, STDERR_FILENO, files->errors);
        if (reason == 0)
            reason = posix_spawn(out, path, &actions, &attributes, words.taken, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

int process_wait(int *status, pid_t process, struct deadline deadline) {
    const struct timespec pause = {.tv_nsec = POLL_NS};
    for (;;) {
        const pid_t ended = waitpid(process, status, WNOHANG);
        if (ended == process) return 0;
        if (ended < 0 && errno != EINTR) return errno;
        if (deadline_is_over(deadline)) return ETIMEDOUT;
        nanosleep(&pause, NULL);
    }
}

bool process_collect(int *status, pid_t process) {
    pid_t ended;
    do {
        ended = waitpid(process, status, 0);
    } while (ended < 0 && errno == EINTR);
    return ended == process;
}

/* Process groups. */

/* Seconds between SIGTERM and SIGKILL. */
#define GRACE_SECONDS 0.1

/** Waits for a child like process_wait(), but leaves it as a zombie, so that its process id is not
 * reused. */
static int await(pid_t process, struct deadline deadline) {
    const struct timespec pause = {.tv_nsec = POLL_NS};
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
            return errno;
        if (info.si_pid == process) return 0;
        if (deadline_is_over(deadline)) return ETIMEDOUT;
        nanosleep(&pause, NULL);
    }
}

int process_wait_group(int *status, pid_t leader, struct deadline deadline) {
    const int reason = await(leader, deadline);
    if (reason == ETIMEDOUT && kill(-leader, SIGTERM) == 0)
        (void)await(leader, deadline_in(GRACE_SECONDS));
    if (reason != 0 && reason != ETIMEDOUT) return reason;
    kill(-leader,
         SIGKILL); /* needed even if the leader has ended, because its children may still run */
    return process_collect(status, leader) ? reason : ECHILD;
}

struct process_guard process_guard_start(pid_t group) {
    char number[24];
    const char *const arguments[] = {
        "sh", "-c",   "read -r line; kill -s TERM -- \"-$1\" && sleep 0.1; kill -s KILL -- \"-$1\"",
        "sh", number, NULL};
    struct process_guard out = {.pipe = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return out;
    const struct process_files files = {ends[0], PROCESS_NOTHING, PROCESS_NOTHING};
    snprintf(number, sizeof number, "%ld", (long)group);
    if (process_start(&out.process, "/bin/sh", arguments, &files, environ, true) != 0)
        out.process = 0;
    close(ends[0]);
    out.pipe = ends[1];
    return out;
}

void process_guard_end(const struct process_guard *guard) {
    int status;
    if (guard->process > 0) {
        kill(guard->process, SIGKILL);
        process_collect(&status, guard->process);
    }
    if (guard->pipe >= 0) close(guard->pipe);
}
