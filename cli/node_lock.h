/** The lock of this machine: settings from the environment, and messages while waiting. */
#ifndef CLI_NODE_LOCK_H
#define CLI_NODE_LOCK_H

#include "cli/options/options.h"
#include "tcplan/study/node_lock.h"

/** Settings of the lock: $TCPLAN_LOCK, a file, and $TCPLAN_LOCK_WAIT, the seconds to wait (default:
 * one hour). */
struct lock_settings {
    const char *path;
    double longest_seconds;
};

/** Reads the settings of the lock from the environment. Returns EXIT_DONE, or another status after
 * a message. */
enum exit_status lock_settings_read(struct lock_settings *out);

/**
 * Opens the lock without taking it; NULL with --no-lock.
 *
 * @return EXIT_DONE; another status after a message, for example about wrong settings
 */
enum exit_status lock_open(struct tcplan_node_lock **out, const struct options *options);

/** Takes the lock. Waits if another process holds it, and prints a message unless --quiet is
 * given. */
enum exit_status lock_take(struct tcplan_node_lock *lock, const struct options *options);

/** Opens the lock and takes it. */
enum exit_status lock_hold(struct tcplan_node_lock **out, const struct options *options);

/** Prints that a command is waiting for a lock; implements tcplan_waiting_fn. */
void lock_report_waiting(void *context, const char *path);

/** Prints `failure`; if another process did not release the lock in time, also prints advice. */
enum exit_status lock_diagnose(void);

#endif
