/**
 * Temporary files in the folder of their target NAME, called `.NAME.tcplan-XXXXXX`. Each file is
 * locked (flock) while its descriptor is open; a file without a lock was left by a killed process.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/** The default permissions of a new file, before the umask. */
#define TEMPORARY_NEW 0666

/** Permissions for this user alone. */
#define TEMPORARY_OWN 0600

/** Returns the pattern for temporary_make() in the folder of `target`, to be released with
 * free(); NULL if out of memory. */
char *temporary_pattern(const char *target);

/**
 * Makes and locks a temporary file, whose name replaces the pattern.
 *
 * @param mode  permissions of the file, reduced by the umask as in open()
 * @return a descriptor for reading and writing, or -1 with errno
 */
int temporary_make(char *pattern, mode_t mode);

/**
 * Renames a temporary file to its final path. Without `may_replace`, an existing file is not
 * replaced, and EEXIST is returned. (A file system that supports neither RENAME_NOREPLACE nor hard
 * links replaces it.)
 * @return 0, or an errno, with the temporary file unchanged
 */
int temporary_name(const char *temporary, const char *path, bool may_replace);

/**
 * Writes a whole text, in one call if the disk has room.
 * @param written receives the number of bytes written
 * @param at       the offset in the file; negative: the current one, or the end with O_APPEND
 * @return 0 or an errno
 */
int file_write_text(size_t *written, int descriptor, const char *text, size_t length, off_t at);

/**
 * Replaces or creates a file atomically: readers find the old file or the new one, even after a
 * crash. A replaced file keeps its permissions.
 * @param opened receives the new file's descriptor, for reading and writing, with its lock; -1 on
 *   failure; NULL: closes it
 * @param mode  the permissions of a new file, reduced by the umask
 * @param was number of bytes that the replaced file must have; 0: a file is only created;
 *     negative: any size
 * @return 0, EAGAIN if the file has another size, or an errno
 */
int temporary_replace(int *opened, const char *path, mode_t mode, const char *text, size_t length,
                      off_t was);

/** Removes temporary files of `target` that killed processes left. Files of other users, and files
 * that cannot be inspected, are not removed. */
void temporary_sweep(const char *target);

/** Returns whether `path` still names the open file, which may have been replaced or removed
 * between opening and locking. */
bool file_is_named(int descriptor, const char *path);

#endif
