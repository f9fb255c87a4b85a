#include "cli/commands/blocked/blocked.h"
#include "cli/output/printed.h"
#include "cli/render/blocked/blocked.h"

static void print_operations(struct writer *writer, const struct options *options,
                             const void *content) {
    (void)content;
    blocked_print_operations(writer, (enum output_format)options->format);
}

static void print_algorithms(struct writer *writer, const struct options *options,
                             const void *content) {
    const struct blocked_request *request = content;
    const struct blocked_listing listing = {
        .of = &request->of,
        .algorithm = (const struct tcplan_blocked *const *)request->algorithm,
        .count = request->count};
    blocked_print_algorithms(writer, (enum output_format)options->format, &listing);
}

enum exit_status blocked_list(const struct options *options) {
    struct blocked_request request;
    if (options->argument_count < 2 && !options->blocked.algorithms)
        return printed_whole(options, print_operations, NULL);
    enum exit_status status = blocked_request_read(&request, options, false);
    if (status == EXIT_DONE) status = printed_whole(options, print_algorithms, &request);
    blocked_request_free(&request);
    return status;
}
