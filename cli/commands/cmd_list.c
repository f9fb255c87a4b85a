#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/output/printed.h"
#include "cli/render/algorithms/listing.h"

/** Says what is missing that nobody asked to leave out. */
static void note_missing(const struct listing *listing) {
    if (!listing->request->options->quiet && listing->candidates &&
        listing->candidates->out_of_time)
        diagnose(
            "not all candidates were found before the time limit was over (--time-limit SECONDS)");
}

static enum exit_status list(const struct request *request) {
    struct listing listing;
    enum exit_status status = listing_make(&listing, request);
    if (status == EXIT_DONE) status = printed_view(request->options, &listing_view, &listing);
    if (status == EXIT_DONE) note_missing(&listing);
    listing_free(&listing);
    return status;
}

enum exit_status cmd_list(const struct options *options) {
    if (network_is_asked(options)) return network_run(options, "list", false);
    struct request request;
    const unsigned machine =
        options->space == TCPLAN_SPACE_FULL && (options->sizes || options->shapes)
            ? REQUEST_MACHINE | REQUEST_UNTIMED
            : 0;
    enum exit_status status = request_read(&request, options, "list", machine);
    if (status == EXIT_DONE) status = list(&request);
    request_free(&request);
    return status;
}
