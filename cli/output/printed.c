#include "cli/output/printed.h"

#include "cli/output/cleanup.h"

void printed_begin(struct printed *printed, struct output_file *out, int output_format) {
    *printed = (struct printed){
        .out = out, .format = format_of(output_format), .writer = {.file = out->file, .points = 1}};
    if (printed->format->begin) printed->format->begin(&printed->writer);
}

enum exit_status printed_end(struct printed *printed) {
    if (printed->format->end) printed->format->end(&printed->writer);
    if (printed->writer.no_memory) return diagnose_no_memory();
    return printed_complete(printed->out);
}

enum exit_status printed_complete(struct output_file *out) {
    struct tcplan_error error;
    return output_file_commit(out, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status printed_whole(const struct options *options, printed_fn *print,
                               const void *content) {
    struct output_file out = {0};
    struct printed printed;
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    printed_begin(&printed, &out, options->format);
    print(&printed.writer, options, content);
    const enum exit_status status = printed_end(&printed);
    output_file_discard(&out);
    return status;
}

enum exit_status printed_into(struct output_file *out, int output_format, const struct view *view,
                              const void *record) {
    struct printed printed;
    printed_begin(&printed, out, output_format);
    printed.format->view(&printed.writer, view, record);
    return printed_end(&printed);
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
