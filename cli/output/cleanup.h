/**
 * What a signal must not leave behind: temporary files, and a line on the terminal that has not
 * ended.
 */
#ifndef CLI_OUTPUT_CLEANUP_H
#define CLI_OUTPUT_CLEANUP_H

#include "base/output_file.h"

/**
 * From now on signals that end the command, crashes included, and exit() first remove the files
 * added and end the line; signals that are ignored or handled by somebody else stay so. SIGKILL
 * removes nothing, and processes that are forked remove nothing of this one.
 */
void cleanup_install(void);

/** Holds these signals back while files and their list change. Does not nest. */
void cleanup_hold(void);
void cleanup_release(void);

/** Adds a file, whose name must live until it is removed from the list. Returns its slot. */
int cleanup_add(const char *path);

/** Takes the file in a slot off the list; the file itself stays. */
void cleanup_remove(int slot);

/** output_file_open() of a file that these signals remove as long as it is temporary. */
enum tcplan_status output_open(struct output_file *out, const char *path,
                               struct tcplan_error *error);

/** The functions above, for those who make files elsewhere. */
extern const struct tcplan_temporary_watch cleanup_watch;

enum { CLEANUP_WORDS = 512 };

/**
 * What stderr is told if somebody ends the command by a signal from now on, as ^C; shorter than
 * CLEANUP_WORDS, or it is cut; NULL: nothing. It is copied.
 */
void cleanup_set_words(const char *text);

/** Says whether the cursor is in a line of progress. */
void cleanup_set_line(bool open);

#endif
