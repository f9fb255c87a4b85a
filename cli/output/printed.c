#include "cli/output/printed.h"

#include "cli/output/cleanup.h"

enum exit_status printed_complete(struct output_file *out) {
    struct tcplan_error error;
    return output_file_commit(out, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
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
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    const enum exit_status status = printed_into(&out, options->format, view, record);
    output_file_discard(&out);
    return status;
}
