#include "cli/cleanup.h"
#include "cli/commands/commands.h"
#include "cli/render/document.h"

static enum exit_status print(const struct tcplan_host *host, int output_format, struct output_file *out) {
    const struct format *format = format_of(output_format);
    struct writer writer = {.file = out->file, .points = 1};
    struct tcplan_error error;
    if (format->begin) format->begin(&writer);
    format->host(&writer, host);
    if (format->end) format->end(&writer);
    if (writer.no_memory) return diagnose_no_memory();
    return output_file_commit(out, &error) == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status cmd_machine(const struct options *options) {
    struct output_file out = {0};
    struct tcplan_host *host = NULL;
    struct tcplan_error error;
    enum exit_status status = EXIT_DONE;
    if (options->argument) {
        diagnose("machine takes no argument, found '%.200s'", options->argument);
        fputs("see 'tcplan machine --help'\n", stderr);
        return EXIT_USAGE;
    }
    if (output_open(&out, options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    if (tcplan_host_examine(&host, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    if (status == EXIT_DONE) status = print(host, options->format, &out);
    output_file_discard(&out);
    tcplan_host_free(host);
    return status;
}
