#include "cli/commands/blocked/blocked.h"
#include "cli/commands/commands.h"
#include "cli/output/cleanup.h"

enum exit_status blocked_refuse_csv(const struct options *options, const char *action) {
    if (options->format != OUTPUT_CSV) return EXIT_DONE;
    diagnose("blocked %s writes text, JSON or XML", action);
    return blocked_usage();
}

const struct action blocked_actions[] = {
    {"list", BLOCKED_LIST, NULL, 1, FILE_NONE, blocked_list},
    {"trace", BLOCKED_TRACE, NULL, 1, FILE_NONE, blocked_trace},
    {"models", BLOCKED_MODELS, NULL, 1, FILE_NONE, blocked_models},
    {"predict", BLOCKED_PREDICT, NULL, 1, FILE_NONE, blocked_predict},
    {"rank", BLOCKED_RANK, NULL, 1, FILE_NONE, blocked_rank},
    {"measure", BLOCKED_MEASURE, NULL, 1, FILE_NONE, blocked_measure},
    {"emit", BLOCKED_EMIT, NULL, 1, FILE_NONE, blocked_emit},
    {"check", BLOCKED_CHECK, NULL, 1, FILE_NONE, blocked_check},
    {"windows", BLOCKED_WINDOWS, NULL, 1, FILE_NONE, blocked_windows},
    {"cache", BLOCKED_CACHE, NULL, 1, FILE_NONE, blocked_cache},
    {0},
};
