#include "cli/cleanup.h"
#include "cli/commands.h"
#include "cli/emission.h"
#include "cli/survey.h"

/** Opens the file for the C early: a ranking is not made in vain. */
static enum exit_status open_emitted(struct output_file *out, const struct request *request) {
    struct tcplan_error error;
    if (!request->options->emit) return EXIT_DONE;
    enum exit_status status = emission_check(request);
    if (status != EXIT_DONE) return status;
    return output_open(out, request->options->emit, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status cmd_rank(const struct options *options) {
    struct request request;
    struct output_file emitted = {0};
    const unsigned one_point = options->emit ? REQUEST_ONE_POINT : 0;
    enum exit_status status = request_read(&request, options, "rank", REQUEST_SIZES | REQUEST_MACHINE | one_point);
    if (status == EXIT_DONE) status = open_emitted(&emitted, &request);
    if (status == EXIT_DONE) status = survey_run(&request, NULL, options->emit ? &emitted : NULL, NULL);
    output_file_discard(&emitted);
    request_free(&request);
    return status;
}
