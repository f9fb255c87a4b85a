#include "cli/commands/blocked/blocked.h"
#include "cli/output/printed.h"
#include "cli/render/blocked/blocked.h"

enum exit_status blocked_trace(const struct options *options) {
    struct blocked_request request;
    enum exit_status status = blocked_request_read(&request, options, true);
    if (status == EXIT_DONE) status = blocked_request_single(&request, "trace");
    if (status == EXIT_DONE) {
        const struct blocked_traced traced = {.algorithm = request.algorithm[0],
                                              .sizes = blocked_request_sizes(&request, 0, 0)};
        status = tcplan_blocked_check(traced.algorithm, &traced.sizes, &failure) == TCPLAN_OK
                     ? printed_view(options, &blocked_trace_view, &traced)
                     : diagnose_failure(NULL);
    }
    blocked_request_free(&request);
    return status;
}
