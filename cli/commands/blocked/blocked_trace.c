#include "cli/commands/blocked/blocked.h"
#include "cli/output/printed.h"
#include "cli/render/blocked/blocked.h"

static void print_trace(struct writer *writer, const struct options *options, const void *content) {
    blocked_print_trace(writer, (enum output_format)options->format, content);
}

/** One algorithm, one size, one block size. */
static enum exit_status check_single(const struct blocked_request *request) {
    if (request->count > 1) {
        diagnose("%s has %d algorithms; trace takes one, as %s",
                 request->name ? request->name : "the file", request->count,
                 tcplan_blocked_name(request->algorithm[request->count - 1]));
        return EXIT_REFUSED;
    }
    if (blocked_request_points(request) == 1 && blocked_sweep_count(&request->block) == 1)
        return EXIT_DONE;
    diagnose("trace takes one size and one block size");
    return options_usage(request->options);
}

enum exit_status blocked_trace(const struct options *options) {
    struct blocked_request request;
    struct tcplan_error error;
    enum exit_status status = blocked_request_read(&request, options, true);
    if (status == EXIT_DONE) status = check_single(&request);
    if (status == EXIT_DONE) {
        const struct blocked_traced traced = {.algorithm = request.algorithm[0],
                                              .sizes = blocked_request_sizes(&request, 0, 0)};
        status = tcplan_blocked_check(traced.algorithm, &traced.sizes, &error) == TCPLAN_OK
                     ? printed_whole(options, print_trace, &traced)
                     : diagnose_error(&error, NULL);
    }
    blocked_request_free(&request);
    return status;
}
