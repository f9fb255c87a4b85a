/**
 * Temporary files beside what they become, named `.NAME.tcplan-XXXXXX` after the target NAME. Each
 * is locked (flock) as long as its descriptor is open, so that one without a lock was left by a
 * process that was killed.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/** The permissions of a new file that nothing asks more of: the kernel takes away what the
 * process's umask excludes. */
#define TEMPORARY_NEW 0666

/** The permissions of a file for this user alone. */
#define TEMPORARY_OWN 0600

/** The pattern for temporary_make() in the folder of `target`, to be freed with free(); NULL when
 * memory is out. */
char *temporary_pattern(const char *target);

/**
 * Makes and locks the file, whose name replaces the pattern.
 *
 * @param mode  its permissions, but for those that the umask excludes, as for open()
 * @return its descriptor, to read and to write, or -1 with errno
 */
int temporary_make(char *pattern, mode_t mode);

/**
 * Gives the file its name; unless it may replace, what another process has just made there stays:
 * EEXIST.
 *
 * @return 0 or an errno; then the temporary file stays
 */
int temporary_name(const char *temporary, const char *path, bool may_replace);

/**
 * Writes a whole text, by one call if the disk has room.
 *
 * @param written  receives how many bytes were written
 * @param at       the offset in the file; negative: the current one, or the end with O_APPEND
 * @return 0 or an errno
 */
int file_write_text(size_t *written, int descriptor, const char *text, size_t length, off_t at);

/**
 * Replaces or creates a file atomically: readers, and a crash, find the old file or the new one. A
 * file that is replaced keeps its permissions.
 *
 * @param kept  receives the new file's descriptor, for reading and writing, with its lock; -1 on
 *              failure; NULL: closes it
 * @param mode  the permissions of a new file, without those that the umask excludes
 * @param was   replaces only a file of so many bytes (0: only creates it); negative: any
 * @return 0, EAGAIN if the file has another size, or an errno
 */
int temporary_replace(int *kept, const char *path, mode_t mode, const char *text, size_t length,
                      off_t was);

/** Removes what killed processes left beside `target`. What belongs to others, or cannot be looked
 * at, stays. */
void temporary_sweep(const char *target);

/** Whether `path` still names the open file: it may have been replaced or removed between its
 * opening and its locking. */
bool file_is_named(int descriptor, const char *path);

#endif
