/**
 * What the environment says about the lock of this machine, and the words of those who wait for it.
 */
#ifndef CLI_NODE_LOCK_H
#define CLI_NODE_LOCK_H

#include "cli/options/options.h"
#include "tcplan/study/node_lock.h"

/** $TCPLAN_LOCK, a file, and $TCPLAN_LOCK_WAIT, the seconds that are waited for it: an hour unless
 * told. */
struct lock_settings {
    const char *path;
    double longest_seconds;
};

/** EXIT_DONE, or another status after its message was printed. */
enum exit_status lock_settings_read(struct lock_settings *out);

/**
 * Opens the lock, which is not yet held; NULL where --no-lock is given.
 *
 * @return EXIT_DONE; another status after its message was printed, also where the settings are at
 *         fault
 */
enum exit_status lock_open(struct tcplan_node_lock **out, const struct options *options);

/** Waits for the lock, and says so unless --quiet is given. */
enum exit_status lock_take(struct tcplan_node_lock *lock, const struct options *options);

/** Opens the lock and takes it. */
enum exit_status lock_hold(struct tcplan_node_lock **out, const struct options *options);

/** A tcplan_waiting_fn. */
void lock_tell_waiting(void *context, const char *path);

/** Prints an error, and for TCPLAN_BUSY what helps. */
enum exit_status lock_diagnose(const struct tcplan_error *error);

#endif
