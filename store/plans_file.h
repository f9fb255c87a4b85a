/**
 * A file of plans: entries (store/entry.h) of the kind `plans`, one behind the other. Whoever
 * changes it has its lock (flock) meanwhile.
 *
 *   tcplan store 1
 *   entry kind=plans version=1 key=...
 *   of CPU=...
 *   plan product=...
 *   checksum 1a2b3c4d
 *   tcplan store 1
 *   ...
 *
 * Where a write was cut off, or bytes were changed, the entry in question is damaged, and all
 * others are what they were.
 */
#ifndef STORE_PLANS_FILE_H
#define STORE_PLANS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tcplan/status.h"

enum { PLANS_FILE_MOST_BYTES = 64 << 20 };

/**
 * Reads a file.
 *
 * @param out  receives its bytes with a zero behind them, to be freed with base_free(); NULL where
 *             it is not TCPLAN_OK
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE where there is none; TCPLAN_INVALID where it is none of
 *         plans, or too large; TCPLAN_ENVIRONMENT; TCPLAN_NO_MEMORY
 */
enum tcplan_status plans_file_read(char **out, size_t *length, const char *path,
                                   struct tcplan_error *error);

/** Whether bytes are a file of plans by how they begin: TCPLAN_OK, also where there are none;
 * TCPLAN_INVALID. */
enum tcplan_status plans_file_check(const char *text, size_t length, struct tcplan_error *error);

/** A text being walked through. */
struct plans_scan {
    const char *at;
    const char *end;
    size_t line; /**< of `at`, from 1 */
};

/** A stretch of a text: an entry, or what is left of one. */
struct plans_piece {
    const char *text;
    size_t length;
    size_t line; /**< its first */
};

struct plans_scan plans_scan(const char *text, size_t length);

/** The next piece: all pieces together are the text. False where there is none. */
bool plans_scan_next(struct plans_scan *scan, struct plans_piece *out);

/** The last piece before `before` whose entry has this key; false where there is none. Its line
 * counts from the piece. */
bool plans_find_last(struct plans_piece *out, const char *text, const char *before,
                     const char *key);

/** Whether an entry may be appended: asked while no other process appends one. */
struct plans_condition {
    enum tcplan_status (*holds)(bool *out, void *context, struct tcplan_error *error);
    void *context;
};

/**
 * Appends the text of entries, and makes the file where it is not there. The file is as it was
 * where the text cannot be written as a whole.
 *
 * @param done       receives whether it was appended
 * @param was        receives how many bytes there were
 * @param mode       permissions of a file that is made, but for those that the umask excludes
 * @param condition  where it does not hold nothing is appended; NULL: none
 * @return TCPLAN_OK; TCPLAN_INVALID where it is a file of something else, which is left as it is;
 *         TCPLAN_ENVIRONMENT where it cannot be written, or others hold its lock; TCPLAN_NO_MEMORY
 */
enum tcplan_status plans_file_append(bool *done, size_t *was, const char *path, mode_t mode,
                                     const char *text, size_t length,
                                     const struct plans_condition *condition,
                                     struct tcplan_error *error);

/**
 * Opens a file and takes its lock, which ends with the descriptor.
 *
 * @param flags  O_CREAT, or 0
 * @return as plans_file_append(); TCPLAN_NOT_APPLICABLE where there is no file, and none is made
 */
enum tcplan_status plans_file_lock(int *out, const char *path, int flags, mode_t mode,
                                   struct tcplan_error *error);

/** Reads an open file as plans_file_read() does; the path is the message's. */
enum tcplan_status plans_file_read_open(char **out, size_t *length, int descriptor,
                                        const char *path, struct tcplan_error *error);

#endif
