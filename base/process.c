#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { LOOK_NS = 1000000 };

/** 0 where it is a file that this user may execute, or an errno. */
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
    return posix_spawn_file_actions_addopen(actions, descriptor, "/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
}

int process_start(pid_t *out, const char *path, const char *const arguments[], const struct process_files *files, char *const environment[],
                  bool leads) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    union {
        const char *const *given;
        char *const *taken; /* posix_spawn() takes strings that it does not change */
    } words = {.given = arguments};
    int reason = check(path);
    if (reason != 0 || (reason = posix_spawn_file_actions_init(&actions)) != 0) return reason;
    reason = posix_spawnattr_init(&attributes);
    if (reason == 0) {
        if (leads) reason = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        if (reason == 0) reason = give_file(&actions, STDIN_FILENO, files->input);
        if (reason == 0) reason = give_file(&actions, STDOUT_FILENO, files->output);
        if (reason == 0) reason = give_file(&actions, STDERR_FILENO, files->errors);
        if (reason == 0) reason = posix_spawn(out, path, &actions, &attributes, words.taken, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

int process_wait(int *status, pid_t process, struct deadline deadline) {
    const struct timespec pause = {.tv_nsec = LOOK_NS};
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
