#include "cli/commands/actions.h"

#include <string.h>

#include "base/strbuf.h"

static enum exit_status refuse(const struct action actions[], const char *command, const char *name) {
    struct strbuf names = {0};
    for (const struct action *action = actions; action->name; action++) {
        strbuf_add(&names, "%s%s", action == actions ? "" : action[1].name ? ", " : " or ", action->name);
    }
    diagnose("%s expects %s, found '%.80s'", command, names.failed ? "an action" : names.text, name);
    strbuf_free(&names);
    return diagnose_usage(command);
}

enum exit_status actions_run(const struct action actions[], const char *command, const struct options *options) {
    const struct action *action = actions;
    if (options->argument_count == 0) return action->run(options);
    while (action->name && strcmp(action->name, options->arguments[0]) != 0) action++;
    return action->name ? action->run(options) : refuse(actions, command, options->arguments[0]);
}
