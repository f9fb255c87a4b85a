/**
 * An output: stdout, or a file that appears complete or not at all.
 *
 * The file is written under a temporary name in the same folder and renamed at the end; until then
 * an existing file stays unchanged. Opening the same file removes temporary files of killed
 * programs. Anything but a regular file, such as /dev/null, is written directly.
 */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/status.h"
#include "tcplan/temporary.h"

/** Zero-initialise before use. */
struct output_file {
    FILE *file;               /**< stream to write to */
    const char *path;         /**< the path as given, not owned; NULL: stdout */
    struct output_sink *sink; /**< sink of the stream's bytes; NULL for a stream opened elsewhere,
                                 such as stdout. This member and all that follow are private */
    char *target;             /**< path of the file after following symbolic links */
    char *temporary; /**< name of the temporary file; NULL: the output is written directly */
    int lock; /**< a second descriptor of the temporary file, which holds its lock until the rename
               */
    const struct tcplan_temporary_watch *watch;
    int slot;   /**< number of the temporary file in the watch's list */
    int reason; /**< errno of the first failed write; 0: none */
};

/**
 * Opens `path` for writing, so that an unwritable path fails at once; NULL or `-` is stdout.
 * @param watch  receives the name of the temporary file; may be NULL
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
enum tcplan_status output_file_open(struct output_file *out, const char *path,
                                    const struct tcplan_temporary_watch *watch,
                                    struct tcplan_error *error);

/** Returns the descriptor of the output, for other programs to write to; flush the stream first. */
int output_file_descriptor(const struct output_file *out);

/** Returns whether all output so far was written. Long outputs should check this from time to time.
 */
bool output_file_good(struct output_file *out);

/** Completes the output: the file has its final name and content, or (TCPLAN_ENVIRONMENT) the
 * target is unchanged. */
enum tcplan_status output_file_commit(struct output_file *out, struct tcplan_error *error);

/** Abandons the output: the target is not changed. Has no effect after a commit or without an open.
 */
void output_file_discard(struct output_file *out);

#endif
