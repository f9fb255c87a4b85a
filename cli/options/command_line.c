#include "cli/options/command_line.h"

#include <string.h>

#include "cli/commands/distributed.h"
#include "cli/commands/network.h"
#include "cli/options/help.h"
#include "cli/output/output_guard.h"
#include "cli/output/progress.h"
#include "cli/providers.h"

/** Whether a text is a word, without any sign of a contraction. */
static bool is_word(const char *text) {
    return *text >= 'a' && *text <= 'z' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz-") == strlen(text);
}

static enum exit_status run_parsed(const struct command *command, bool named,
                                   const struct options *options) {
    progress_enable(options->quiet);
    enum exit_status status =
        options->help || options->version ? EXIT_DONE : output_guard(options, command);
    if (status == EXIT_DONE && !options->help) status = providers_open(options);
    if (status != EXIT_DONE) return status;
    if (options->version) return help_versions();
    if (options->help) return help_print(named ? command : NULL, options);
    if (options->action) return options->action->run(options);
    if (distributed_is_asked(options)) return distributed_run(options);
    if (command->run_several && network_is_asked(options)) return command->run_several(options);
    const unsigned more = command->opens_more ? command->opens_more(options) : 0;
    return task_do(options, command->opens | more, command->run);
}

static enum exit_status run(const struct command *command, bool named, int count,
                            char *const arguments[]) {
    struct options options;
    enum exit_status status = options_parse(&options, command, count, arguments);
    if (status == EXIT_DONE) status = run_parsed(command, named, &options);
    options_free(&options);
    return status;
}

enum exit_status command_line_run(int count, char *const arguments[]) {
    if (count < 2) {
        help_first(stderr);
        return EXIT_USAGE;
    }
    const struct command *command = help_find(arguments[1]);
    if (command) return run(command, true, count - 2, arguments + 2);
    if (is_word(arguments[1])) return help_unknown(arguments[1], false);
    return run(commands[0], false, count - 1, arguments + 1);
}
