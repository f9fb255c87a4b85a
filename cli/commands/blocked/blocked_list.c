#include "cli/commands/blocked/blocked.h"
#include "cli/output/printed.h"
#include "cli/render/blocked/blocked.h"

enum exit_status blocked_list(const struct options *options) {
    struct blocked_request request;
    if (options->argument_count < 2 && !options->blocked.algorithms)
        return printed_view(options, &blocked_operations_view, NULL);
    enum exit_status status = blocked_request_read(&request, options, false);
    if (status == EXIT_DONE) {
        const struct blocked_listing listing = {
            .of = &request.of,
            .algorithm = (const struct tcplan_blocked *const *)request.algorithm,
            .count = request.count};
        status = printed_view(options, &blocked_list_view, &listing);
    }
    blocked_request_free(&request);
    return status;
}
