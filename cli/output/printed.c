#include "cli/output/printed.h"

#include <stdlib.h>

#include "cli/output/cleanup.h"

enum exit_status printed_complete(struct output_file *out) {
    struct tcplan_error error;
    return diagnosed(output_file_commit(out, &error), &error);
}

enum exit_status output_begin(struct output_file *out, const char *path) {
    struct tcplan_error error;
    return diagnosed(output_open(out, path, &error), &error);
}

enum exit_status printed_text(const char *path, char *text) {
    struct output_file out = {0};
    enum exit_status status = text ? output_begin(&out, path) : diagnose_no_memory();
    if (status == EXIT_DONE) {
        fputs(text, out.file);
        status = printed_complete(&out);
    }
    output_file_discard(&out);
    free(text);
    return status;
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
