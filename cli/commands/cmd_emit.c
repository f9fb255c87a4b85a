#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/emission.h"
#include "cli/output/cleanup.h"
#include "cli/plans.h"
#include "cli/survey.h"

static enum exit_status emit_fastest(struct emission *emission) {
    struct tcplan_ranking *ranking = NULL;
    enum exit_status status = survey_rank(&ranking, emission->request, 0, NULL);
    if (status == EXIT_DONE) status = emission_write_fastest(emission, ranking);
    tcplan_ranking_free(ranking);
    return status;
}

/** A stored plan, where there is one, else what is fastest now. */
static enum exit_status emit_best(struct emission *emission) {
    struct tcplan_found_plan plan;
    bool found = false;
    const enum exit_status status = plans_recall(&found, &plan, emission->request, 0, "nothing was timed now (--no-plans looks anew)");
    if (status != EXIT_DONE) return status;
    return found ? emission_write(emission, &plan.algorithm) : emit_fastest(emission);
}

static enum exit_status emit(const struct request *request) {
    struct emission emission = {0};
    enum exit_status status = emission_open(&emission, request, request->options->output);
    if (status == EXIT_DONE) {
        status = request->options->algorithm ? emission_write(&emission, &request->algorithm) : emit_best(&emission);
    }
    emission_discard(&emission);
    return status;
}

enum exit_status cmd_emit(const struct options *options) {
    if (network_is_asked(options)) return network_emit(options);
    struct request request;
    enum exit_status status =
        request_read(&request, options, "emit",
                     REQUEST_SIZES | REQUEST_ONE_POINT | (options->algorithm ? 0 : REQUEST_MACHINE | REQUEST_EXPERIENCE | REQUEST_PLANS));
    if (status == EXIT_DONE) status = emit(&request);
    request_free(&request);
    return status;
}
