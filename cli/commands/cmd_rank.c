#include "cli/commands/commands.h"
#include "cli/commands/network.h"
#include "cli/emission.h"
#include "cli/output/cleanup.h"
#include "cli/survey.h"

enum exit_status cmd_rank(const struct options *options) {
    if (network_is_asked(options)) return network_run(options, "rank", false);
    struct request request;
    struct emission emission = {0};
    const unsigned one_point = options->emit ? REQUEST_ONE_POINT : 0;
    enum exit_status status = request_read(&request, options, "rank",
                                           REQUEST_SIZES | REQUEST_MACHINE | REQUEST_CEILINGS |
                                               REQUEST_EXPERIENCE | REQUEST_PLANS | one_point);
    if (status == EXIT_DONE && options->emit)
        status = emission_open(&emission, &request, options->emit);
    if (status == EXIT_DONE)
        status = survey_run(&request, NULL, options->emit ? &emission : NULL, NULL);
    emission_discard(&emission);
    request_free(&request);
    return status;
}
