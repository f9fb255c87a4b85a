/** Programs that are started: found, given files, waited for. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/deadline.h"

enum { PROCESS_SAME = -1, PROCESS_NOTHING = -2 };

/** The descriptors that a program gets as its first three; PROCESS_SAME: the caller's,
 * PROCESS_NOTHING: /dev/null. */
struct process_files {
    int input, output, errors;
};

/**
 * The path of a program, the caller's to free(), as it is found in `folders`, which have colons
 * between them as in $PATH (NULL: none): the first regular file of that name that this user may
 * execute. Folders that do not begin with / are not looked into. NULL: none, or no memory.
 */
char *process_find(const char *name, const char *folders);

/**
 * Starts the program at `path` with the arguments, `arguments[0]` its name and NULL behind the
 * last, and the environment; as the leader of a group of processes, so that all that it starts can
 * be ended with it, where `leads`. 0, with the process in `out`, or an errno: what cannot be
 * executed is told also where posix_spawn() does not tell it.
 */
int process_start(pid_t *out, const char *path, const char *const arguments[],
                  const struct process_files *files, char *const environment[], bool leads);

/** Waits for a child until it ended: 0, with its status as of waitpid(); ETIMEDOUT where the
 * deadline is over before; another errno: it is no child. */
int process_wait(int *status, pid_t process, struct deadline deadline);

/** Waits for a child as long as it takes; false where it is none. */
bool process_collect(int *status, pid_t process);

/**
 * Waits for a child that leads a group of processes until it ended or the deadline is over. Then
 * ends what is left of the group: first asks, so that a compiler removes its files, then kills.
 *
 * @return as process_wait(); the child is collected in any case
 */
int process_wait_group(int *status, pid_t leader, struct deadline deadline);

/** A process that ends a group of processes as soon as this one is gone, whatever ended it. */
struct process_guard {
    pid_t process; /**< 0: there is none, as it could not be started */
    int pipe;      /**< open as long as this process lives */
};

/** Starts the guard of a group, a shell that waits for the end of a pipe. */
struct process_guard process_guard_start(pid_t group);

/** Ends the guard; the group goes on. */
void process_guard_end(const struct process_guard *guard);

#endif
