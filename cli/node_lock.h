/**
 * One lock per machine, held while something is timed, so that several batches on it do not disturb each other.
 */
#ifndef CLI_NODE_LOCK_H
#define CLI_NODE_LOCK_H

#include <stdbool.h>

#include "tcplan/status.h"

/** Zero-initialise before use. */
struct node_lock {
    int descriptor; /**< private from here on; only where `opened` */
    bool opened;
    char path[256];
};

/**
 * Opens the lock: the file $TCPLAN_LOCK, or tcplan.lock in the first of /run/lock, /dev/shm and /tmp that can be written. Every user of the
 * machine can take it.
 *
 * @return TCPLAN_OK or TCPLAN_ENVIRONMENT
 */
enum tcplan_status node_lock_open(struct node_lock *lock, struct tcplan_error *error);

/** Takes the lock if it is free. Without an opened lock there is always true. */
bool node_lock_try(const struct node_lock *lock);

/** Waits for the lock and takes it. */
void node_lock_wait(const struct node_lock *lock);

void node_lock_release(const struct node_lock *lock);

void node_lock_close(struct node_lock *lock);

#endif
