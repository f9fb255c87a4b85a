/**
 * One lock per machine, held while something is timed, so that several commands on it do not disturb each other.
 *
 * It is shared by all users of the machine, so that anyone can hold it: waiting for it has a limit.
 */
#ifndef CLI_NODE_LOCK_H
#define CLI_NODE_LOCK_H

#include <stdbool.h>

#include "cli/diagnostics.h"

/** Zero-initialise before use. */
struct node_lock {
    int descriptor; /**< private from here on; only where there is a path */
    char *path;     /**< NULL: not opened */
    double longest_seconds;
    bool told; /**< of the waiting */
};

/**
 * Opens the lock: the file $TCPLAN_LOCK, or tcplan.lock in the first of /run/lock, /dev/shm and /tmp that can be written. $TCPLAN_LOCK_WAIT is
 * the number of seconds that is waited for it, an hour unless told.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID where the number of seconds is none; TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
enum tcplan_status node_lock_open(struct node_lock *lock, struct tcplan_error *error);

/**
 * Takes the lock, and waits for it where another process has it, which is told once. Without an opened lock there is nothing to take. Only
 * for the thread that main() runs in.
 *
 * @return EXIT_DONE, or EXIT_ENVIRONMENT after a message where it was not free for so long
 */
enum exit_status node_lock_take(struct node_lock *lock, bool quiet);

void node_lock_release(const struct node_lock *lock);

void node_lock_close(struct node_lock *lock);

#endif
