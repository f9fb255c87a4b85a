/** The files of a store: those in a folder whose names end in `.tcplan`. Others are ignored. */
#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tcplan/status.h"

enum { FOLDER_NAME = 128 };

/** Returns whether a folder belongs to this user and no other user can write to it. */
bool folder_is_own(const char *folder);

/** Makes a folder and its missing parents, for this user alone. Returns a status of folder_lock().
 */
enum tcplan_status folder_make(const char *folder, struct tcplan_error *error);

/** Returns the status of a failed operation on a file, and sets its message; `reason` is an errno.
 */
enum tcplan_status folder_refuse(const char *doing, const char *path, int reason,
                                 struct tcplan_error *error);

/**
 * Opens or creates a file and takes its lock (flock), which is released when the descriptor is
 * closed. If another process replaced the file meanwhile, opens the new one. Without locks on the
 * file system it does not wait.
 *
 * @param out    receives the descriptor
 * @param flags  O_CREAT, or 0
 * @param waits  maximum number of attempts to take the lock, with pauses of 10 ms
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is no file, and none is created;
 *         TCPLAN_ENVIRONMENT if it cannot be written, or another process has the lock
 */
enum tcplan_status folder_lock_file(int *out, const char *path, int flags, mode_t mode, int waits,
                                    struct tcplan_error *error);

/**
 * Takes the folder's lock; creates the folder, for this user alone, if it does not exist. Waits for
 * at most a second. Callers hold the lock only while they write files.
 * @param lock receives the argument of folder_unlock()
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the folder cannot be written, or another process has the
 *     lock; TCPLAN_NO_MEMORY
 */
enum tcplan_status folder_lock(int *lock, const char *folder, struct tcplan_error *error);

void folder_unlock(int lock);

/**
 * Writes a file atomically: readers see the old or the new content. The caller holds the lock.
 * @param was  replaces only a file of that many bytes (0: only creates it), for file systems
 *   without locks; negative: any
 * @return a status of folder_lock(); TCPLAN_ENVIRONMENT also if the file has another size
 */
enum tcplan_status folder_replace(const char *folder, const char *name, const char *text,
                                  size_t length, int64_t was, struct tcplan_error *error);

/**
 * Appends to a file, or creates it. The caller holds the lock.
 *
 * @param written  receives how many bytes were written
 * @return a status of folder_lock()
 */
enum tcplan_status folder_append(size_t *written, const char *folder, const char *name,
                                 const char *text, size_t length, struct tcplan_error *error);

/**
 * Reads a file.
 * @param out receives its bytes, terminated by a zero; free with base_free()
 * @param most maximum size in bytes
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is no file; TCPLAN_INVALID if it is larger or
 *     not a regular file; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status folder_read(char **out, size_t *length, const char *folder, const char *name,
                               size_t most, struct tcplan_error *error);

/** Reads the file at any path, like folder_read(). */
enum tcplan_status folder_read_file(char **out, size_t *length, const char *path, size_t most,
                                    struct tcplan_error *error);

/** Removes a file, which may be absent. The caller holds the lock. Returns a status of
 * folder_lock(). */
enum tcplan_status folder_remove(const char *folder, const char *name, struct tcplan_error *error);

/** The properties of a file that the file system reports without reading it. */
struct folder_file {
    int64_t bytes;
    int64_t touched; /**< time of its last change, in seconds since 1970 */
};

/** Looks up a file; all 0 if there is none. */
struct folder_file folder_file_of(const char *folder, const char *name);

/** Names of files without their ending, sorted. Zero-initialise before use. */
struct folder_names {
    size_t count;
    char (*name)[FOLDER_NAME];
};

/** Lists a folder; free with folder_names_free() whatever is returned. The list is empty if
 * there is no folder. Returns a status of folder_lock(). */
enum tcplan_status folder_list(struct folder_names *out, const char *folder,
                               struct tcplan_error *error);

void folder_names_free(struct folder_names *names);

#endif
