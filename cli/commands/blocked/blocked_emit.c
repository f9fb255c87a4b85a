#include <stdlib.h>

#include "cli/commands/blocked/blocked.h"
#include "cli/output/cleanup.h"
#include "tcplan/blocked_emit.h"

static enum exit_status write_text(const struct options *options, const char *text) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    enum exit_status status = EXIT_DONE;
    fputs(text, out.file);
    if (output_file_commit(&out, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    output_file_discard(&out);
    return status;
}

enum exit_status blocked_emit(const struct options *options) {
    const struct tcplan_blocked_emit_options of = {.function = options->function,
                                                   .with_main = options->with_main};
    struct blocked_request request;
    struct tcplan_error error;
    char *text = NULL;
    enum exit_status status = blocked_request_read(&request, options, false);
    if (status == EXIT_DONE) status = blocked_request_single(&request, "emit");
    if (status == EXIT_DONE)
        status = diagnosed(tcplan_blocked_emit(&text, request.algorithm[0], &of, &error), &error);
    if (status == EXIT_DONE) status = write_text(options, text);
    free(text);
    blocked_request_free(&request);
    return status;
}
