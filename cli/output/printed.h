/**
 * Outputs of a command: stdout, or a file. A complete file replaces an earlier one as a whole.
 */
#ifndef CLI_OUTPUT_PRINTED_H
#define CLI_OUTPUT_PRINTED_H

#include "base/output_file.h"
#include "cli/diagnostics.h"
#include "cli/render/view.h"

/**
 * Opens an output, like output_file_open(). Signals that end the process remove the incomplete
 * file.
 *
 * @return EXIT_DONE, or another status after a message
 */
enum exit_status output_begin(struct output_file *out, const char *path);

/** Completes an output if `status` is EXIT_DONE, otherwise discards it. Returns the resulting
 * status. */
enum exit_status output_end(struct output_file *out, enum exit_status status);

/** Completes a file that other code has written. Returns a status of output_begin(). */
enum exit_status printed_complete(struct output_file *out);

/**
 * Writes a text as the whole output, and frees it.
 *
 * @param text  NULL means that memory ran out
 */
enum exit_status printed_text(const char *path, char *text);

/** Prints a result in the format of the options to their output file, and completes the file. */
enum exit_status printed_view(const struct options *options, const struct view *view,
                              const void *record);

/** Prints a result to an open output, which stays open. Returns a status of printed_view(). */
enum exit_status printed_into(struct output_file *out, int output_format, const struct view *view,
                              const void *record);

/** Callback that prints the result of one size point to a writer. */
typedef enum exit_status printed_point(void *context, struct writer *writer, int64_t point);

/** Prints a result for each size point, in the format of the options, and completes the output.
 * Stops at the first result that fails: a file is then discarded; standard output already has the
 * earlier results. */
enum exit_status printed_points(const struct options *options, int64_t points, printed_point *print,
                                void *context);

/** Prints the result of the next size point; the first call begins the document. */
enum exit_status printed_next(struct writer *writer, const struct options *options,
                              const struct view *view, const void *record);

enum { TEMPORARY_FOLDER = 200 };

/** Makes a folder in $TMPDIR or /tmp. `out` receives its path; on failure, "" after a message. */
enum exit_status temporary_folder_make(char out[TEMPORARY_FOLDER]);

/**
 * Checks that the file of a picture ends in `.svg` and can be written.
 *
 * @param option  the option that names it, such as `--plot`
 */
enum exit_status picture_file_check(const char *option, const char *path);

/** Completes the file of a picture. If `printed` is false, memory ran out, and the file is
 * discarded. */
enum exit_status picture_file_end(struct output_file *out, bool printed);

#endif
