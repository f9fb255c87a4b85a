/** Runs other programs: finds them, connects their files, waits for them. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/deadline.h"

enum { PROCESS_SAME = -1, PROCESS_NOTHING = -2 };

/** The first three descriptors of a started program; PROCESS_SAME: the caller's, PROCESS_NOTHING:
 * /dev/null. */
struct process_files {
    int input, output, errors;
};

/**
 * Searches `folders`, separated by colons as in $PATH (may be NULL), for a program: the first
 * regular file of that name that this user may execute. Folders that do not begin with / are
 * skipped. Returns the path, to be released with free(); NULL if not found or out of memory.
 */
char *process_find(const char *name, const char *folders);

/**
 * Starts the program at `path` with an environment and arguments: `arguments[0]` is its name and
 * NULL ends them. With `leads`, the program leads a new process group, so that all its children can
 * be ended with it. Returns 0, with the process in `out`, or an errno; a path that cannot be
 * executed is reported even where posix_spawn() would not.
 */
int process_start(pid_t *out, const char *path, const char *const arguments[],
                  const struct process_files *files, char *const environment[], bool leads);

/** Waits for a child to end: returns 0 and its status in the form of waitpid(), ETIMEDOUT if the
 * deadline passes first, or another errno if it is not a child. */
int process_wait(int *status, pid_t process, struct deadline deadline);

/** Waits for a child without a limit; returns false if it is not a child. */
bool process_collect(int *status, pid_t process);

/**
 * Waits until a child that leads a process group ends or the deadline passes. Then ends the rest of
 * the group: SIGTERM first, so that a compiler removes its files, then SIGKILL.
 * @return a status of process_wait(); the child is collected in any case
 */
int process_wait_group(int *status, pid_t leader, struct deadline deadline);

/** A process that ends a process group as soon as this process has ended, for whatever reason. */
struct process_guard {
    pid_t process; /**< process id; 0: the guard could not be started */
    int pipe;      /**< writing end of the guard's pipe, open as long as this process lives */
};

/** Starts the guard of a group, a shell that waits for the end of a pipe. */
struct process_guard process_guard_start(pid_t group);

/** Ends the guard; the group keeps running. */
void process_guard_end(const struct process_guard *guard);

#endif
