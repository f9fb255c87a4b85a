#include "cli/commands/actions.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"

enum exit_status blocked_refuse_csv(const struct options *options, const char *action) {
    if (options->format != OUTPUT_CSV) return EXIT_DONE;
    diagnose("blocked %s writes text, JSON or XML", action);
    return blocked_usage();
}

/* The first is meant where no action is named. */
static const struct action actions[] = {
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

enum exit_status cmd_blocked(const struct options *options) {
    return actions_run(actions, "blocked", options);
}
