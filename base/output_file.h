/**
 * Where results go: stdout, or a file that appears complete or not at all.
 *
 * A file is written under a temporary name beside its own and renamed at the end, so that one that
 * was there stays as it was until then. Opening the same file removes the temporary one of a
 * program that was killed. What is no regular file, such as /dev/null, is written directly.
 */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/status.h"
#include "tcplan/temporary.h"

/** Zero-initialise before use. */
struct output_file {
    FILE *file;               /**< to write to */
    const char *path;         /**< as given, borrowed; NULL: stdout */
    struct output_sink *sink; /**< private from here on: where the bytes go; NULL: `file` is
                                 another's, such as stdout */
    char *target;             /**< the file behind symbolic links */
    char *temporary;          /**< NULL: written directly */
    int lock; /**< of the temporary: a second descriptor, which holds its lock until it has its name
               */
    const struct tcplan_temporary_watch *watch;
    int slot;   /**< of the temporary, in the watch's list */
    int reason; /**< why an earlier write failed */
};

/**
 * Opens `path` for writing, which shows at once whether it can be written; NULL or `-` is stdout.
 *
 * @param watch  told about the temporary file; NULL: nobody is
 * @return TCPLAN_OK, TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
enum tcplan_status output_file_open(struct output_file *out, const char *path,
                                    const struct tcplan_temporary_watch *watch,
                                    struct tcplan_error *error);

/** The descriptor that the output goes to, for other programs to write to; flush the file before.
 */
int output_file_descriptor(const struct output_file *out);

/** Whether everything written so far was taken; a long output asks now and then. */
bool output_file_good(struct output_file *out);

/** Completes the output: all of it is where it belongs, or (TCPLAN_ENVIRONMENT) the target is as it
 * was. */
enum tcplan_status output_file_commit(struct output_file *out, struct tcplan_error *error);

/** Gives up: the target stays as it was. Fine after a commit and without an open. */
void output_file_discard(struct output_file *out);

#endif
