#include "tcplan/blocked_emit.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/output/printed.h"

enum exit_status blocked_emit(const struct options *options) {
    const struct tcplan_blocked_emit_options of = {.function = options->function,
                                                   .with_main = options->with_main};
    struct blocked_request request;
    char *text = NULL;
    enum exit_status status = blocked_request_read(&request, options, false);
    if (status == EXIT_DONE) status = blocked_request_single(&request, "emit");
    if (status == EXIT_DONE)
        status = diagnosed(tcplan_blocked_emit(&text, request.algorithm[0], &of, &failure));
    if (status == EXIT_DONE) status = printed_text(options->output, text);
    blocked_request_free(&request);
    return status;
}
