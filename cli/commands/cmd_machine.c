#include "cli/blas_advice.h"
#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/render/host.h"

enum exit_status cmd_machine(const struct options *options) {
    struct output_file out = {0};
    struct tcplan_host *host = NULL;
    struct tcplan_error error;
    enum exit_status status = EXIT_DONE;
    if (options->argument) {
        diagnose("machine takes no argument, found '%.200s'", options->argument);
        return options_usage(options);
    }
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    if (tcplan_host_examine(&host, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE) blas_advice_use(options, &host->machine);
    if (status == EXIT_DONE) status = printed_into(&out, options->format, &host_view, host);
    output_file_discard(&out);
    tcplan_host_free(host);
    return status;
}
