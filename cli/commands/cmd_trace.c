#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/trace.h"

static enum exit_status trace(const struct request *request) {
    struct tcplan_error error = {0};
    struct trace trace;
    struct output_file out = {0};
    enum tcplan_status made = trace_make(&trace, request, &error);
    enum exit_status status = EXIT_DONE;
    if (made == TCPLAN_NOT_APPLICABLE) {
        diagnose("a distance or the number of calls does not fit 63 bits at these sizes");
        status = EXIT_REFUSED;
    } else if (made != TCPLAN_OK ||
               output_open(&out, request->options->output, &error) != TCPLAN_OK) {
        status = diagnose_error(&error, NULL);
    }
    if (status == EXIT_DONE)
        status = printed_into(&out, request->options->format, &trace_view, &trace);
    output_file_discard(&out);
    trace_free(&trace);
    return status;
}

enum exit_status cmd_trace(const struct options *options) {
    struct request request;
    enum exit_status status =
        request_read(&request, options, "trace",
                     REQUEST_SIZES | REQUEST_MACHINE | REQUEST_ONE_POINT | REQUEST_UNTIMED);
    if (status == EXIT_DONE && !options->algorithm) {
        diagnose("trace needs an algorithm: --algorithm NAME, as 'tcplan list' names it");
        status = options_usage(options);
    }
    if (status == EXIT_DONE) status = trace(&request);
    request_free(&request);
    return status;
}
