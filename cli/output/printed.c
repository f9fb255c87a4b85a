#include "cli/output/printed.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output/cleanup.h"
#include "cli/render/text/values.h"
#include "cli/render/text/visible.h"

enum exit_status printed_complete(struct output_file *out) {
    return diagnosed(output_file_commit(out, &failure));
}

enum exit_status output_begin(struct output_file *out, const char *path) {
    const enum exit_status status =
        diagnosed(output_file_open(out, path, &cleanup_watch, &failure));
    if (status == EXIT_DONE) terminal_announce(out->file, output_file_descriptor(out));
    return status;
}

enum exit_status output_end(struct output_file *out, enum exit_status status) {
    if (status == EXIT_DONE) status = printed_complete(out);
    output_file_discard(out);
    return status;
}

enum exit_status printed_text(const char *path, char *text) {
    struct output_file out = {0};
    const enum exit_status status = text ? output_begin(&out, path) : diagnose_no_memory();
    if (status == EXIT_DONE) fputs(text, out.file);
    free(text);
    return output_end(&out, status);
}

enum exit_status printed_into(struct output_file *out, int output_format, const struct view *view,
                              const void *record) {
    const struct format *format = format_of(output_format);
    struct writer writer = {.file = out->file, .points = 1};
    if (format->begin) format->begin(&writer);
    format->view(&writer, view, record);
    if (format->end) format->end(&writer);
    return writer.no_memory ? diagnose_no_memory() : printed_complete(out);
}

enum exit_status printed_view(const struct options *options, const struct view *view,
                              const void *record) {
    struct output_file out = {0};
    enum exit_status status = output_begin(&out, options->output);
    if (status == EXIT_DONE) status = printed_into(&out, options->format, view, record);
    output_file_discard(&out);
    return status;
}

enum exit_status printed_next(struct writer *writer, const struct options *options,
                              const struct view *view, const void *record) {
    const struct format *format = format_of(options->format);
    if (writer->written == 0 && format->begin) format->begin(writer);
    format->view(writer, view, record);
    writer->written++;
    fflush(writer->file); /* if the output is a pipe, its reader waits for each result */
    return writer->no_memory ? diagnose_no_memory() : EXIT_DONE;
}

/** Completes a file after success. Standard output is always completed, so that a failed write is
 * reported. */
static enum exit_status finish(struct output_file *out, enum exit_status status) {
    if (status != EXIT_DONE && output_file_good(out)) {
        output_file_discard(out);
        return status;
    }
    return output_file_commit(out, &failure) == TCPLAN_OK ? status : diagnose_failure(NULL);
}

enum exit_status printed_points(const struct options *options, int64_t points, printed_point *print,
                                void *context) {
    const struct format *format = format_of(options->format);
    struct output_file out = {0};
    enum exit_status status = output_begin(&out, options->output);
    if (status != EXIT_DONE) return status;
    struct writer writer = {.file = out.file, .points = points};
    for (int64_t point = 0; point < points && status == EXIT_DONE; point++) {
        status = print(context, &writer, point);
        fflush(out.file);
        if (status == EXIT_DONE && !output_file_good(&out)) status = EXIT_ENVIRONMENT;
    }
    if (format->end) format->end(&writer);
    if (status == EXIT_DONE && writer.no_memory) status = diagnose_no_memory();
    return finish(&out, status);
}

enum exit_status temporary_folder_make(char out[TEMPORARY_FOLDER]) {
    const char *place = getenv("TMPDIR");
    const int length =
        snprintf(out, TEMPORARY_FOLDER, "%s/tcplan-XXXXXX", place && *place ? place : "/tmp");
    if (length < TEMPORARY_FOLDER && mkdtemp(out)) return EXIT_DONE;
    diagnose("cannot make a temporary folder %s; $TMPDIR names another place", out);
    *out = '\0';
    return EXIT_ENVIRONMENT;
}

/* Pictures. */

enum exit_status picture_file_check(const char *option, const char *path) {
    struct output_file out = {0};
    if (!text_ends(path, ".svg"))
        return diagnose_as(EXIT_USAGE,
                           "%s: expected the name of a file that ends in .svg, found '%s'", option,
                           path);
    const enum exit_status status = output_begin(&out, path);
    output_file_discard(&out);
    return status;
}

enum exit_status picture_file_end(struct output_file *out, bool printed) {
    return output_end(out, printed ? EXIT_DONE : diagnose_no_memory());
}
