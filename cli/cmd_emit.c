#include "cli/cleanup.h"
#include "cli/commands.h"
#include "cli/emission.h"
#include "cli/survey.h"

static enum exit_status emit_fastest(const struct request *request, struct output_file *out) {
    struct tcplan_ranking *ranking = NULL;
    enum exit_status status = survey_rank(&ranking, request, 0, NULL);
    if (status == EXIT_DONE) status = emission_write_fastest(request, ranking, out);
    tcplan_ranking_free(ranking);
    return status;
}

static enum exit_status emit(const struct request *request) {
    struct output_file out;
    struct tcplan_error error;
    if (output_open(&out, request->options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    enum exit_status status = emission_check(request);
    if (status == EXIT_DONE) {
        status = request->options->algorithm ? emission_write(request, &request->algorithm, &out) : emit_fastest(request, &out);
    }
    output_file_discard(&out);
    return status;
}

enum exit_status cmd_emit(const struct options *options) {
    struct request request;
    enum exit_status status =
        request_read(&request, options, "emit", REQUEST_SIZES | REQUEST_ONE_POINT | (options->algorithm ? 0 : REQUEST_MACHINE));
    if (status == EXIT_DONE) status = emit(&request);
    request_free(&request);
    return status;
}
