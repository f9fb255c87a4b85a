#include <string.h>

#include "base/strbuf.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"

enum exit_status blocked_print(const struct options *options, blocked_print_fn *print, const void *content) {
    const struct format *format = format_of(options->format);
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    struct writer writer = {.file = out.file, .points = 1};
    if (format->begin) format->begin(&writer);
    print(&writer, options, content);
    if (format->end) format->end(&writer);
    enum exit_status status = writer.no_memory ? diagnose_no_memory() : EXIT_DONE;
    if (status == EXIT_DONE && output_file_commit(&out, &error) != TCPLAN_OK) status = diagnose_error(&error, NULL);
    output_file_discard(&out);
    return status;
}

enum exit_status blocked_refuse_csv(const struct options *options, const char *action) {
    if (options->format != OUTPUT_CSV) return EXIT_DONE;
    diagnose("blocked %s writes text, JSON or XML", action);
    return blocked_usage();
}

/* The first is meant where no action is named. */
static const struct blocked_action actions[] = {
    {"list", blocked_list},
    {"trace", blocked_trace},
    {"models", blocked_models},
    {"predict", blocked_predict},
    {"rank", blocked_rank},
    {"measure", blocked_measure},
    {"emit", blocked_emit},
    {"check", blocked_check},
    {"windows", blocked_windows},
    {"cache", blocked_cache},
    {0},
};

static enum exit_status refuse_action(const char *name) {
    struct strbuf names = {0};
    for (const struct blocked_action *action = actions; action->name; action++) {
        strbuf_add(&names, "%s%s", action == actions ? "" : action[1].name ? ", " : " or ", action->name);
    }
    diagnose("blocked expects %s, found '%.80s'", names.failed ? "an action" : names.text, name);
    strbuf_free(&names);
    return blocked_usage();
}

enum exit_status cmd_blocked(const struct options *options) {
    const struct blocked_action *action = actions;
    if (options->argument_count == 0) return action->run(options);
    while (action->name && strcmp(action->name, options->arguments[0]) != 0) action++;
    return action->name ? action->run(options) : refuse_action(options->arguments[0]);
}
