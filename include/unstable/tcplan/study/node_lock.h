/**
 * One lock per machine, held while something is timed, so that several programs on it do not
 * disturb each other.
 *
 * All users of the machine share the lock, and any of them may hold it for a long time. The wait
 * for the lock therefore has a time limit.
 */
#ifndef TCPLAN_STUDY_NODE_LOCK_H
#define TCPLAN_STUDY_NODE_LOCK_H

#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Called once if another process holds the lock, before waiting for it. */
typedef void tcplan_waiting_fn(void *context, const char *path);

struct tcplan_node_lock;

/**
 * Opens the lock.
 *
 * @param path             name of the lock's file; NULL or "": tcplan.lock in the first of
 *                         /run/lock, /dev/shm and /tmp that can be written
 * @param longest_seconds  longest time to wait for the lock
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_node_lock_open(struct tcplan_node_lock **out, const char *path,
                                                    double longest_seconds,
                                                    struct tcplan_error *error);

/**
 * Takes the lock, after waiting while another process holds it. Only one thread of the process may
 * call it; it receives SIGALRM while waiting.
 *
 * @param waiting  called once if the lock is held by another process; may be NULL
 * @return TCPLAN_OK; TCPLAN_BUSY if the lock was not released in time. Does nothing if the lock is
 *     NULL.
 */
TCPLAN_API enum tcplan_status tcplan_node_lock_take(struct tcplan_node_lock *lock,
                                                    tcplan_waiting_fn *waiting, void *context,
                                                    struct tcplan_error *error);

/** Releases the lock; NULL is fine. */
TCPLAN_API void tcplan_node_lock_release(const struct tcplan_node_lock *lock);

/** Closes the lock; NULL is fine. */
TCPLAN_API void tcplan_node_lock_close(struct tcplan_node_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
