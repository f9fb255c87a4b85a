#include "cli/commands/commands.h"

#include <string.h>

#include "cli/commands/tensors/blocks.h"
#include "cli/commands/tensors/network.h"
#include "cli/node_lock.h"
#include "cli/options/help.h"
#include "cli/output/cleanup.h"
#include "cli/output/output_guard.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/providers.h"

#define DECLARE(NUMBER, name, prints) extern const struct command command_##name;
#define ADDRESS(NUMBER, name, prints) &command_##name,

COMMAND_LIST(DECLARE)

const struct command *const commands[] = {COMMAND_LIST(ADDRESS) NULL};

bool taker_next(struct taker *taker) {
    const size_t place = taker->place;
    const struct command *command = commands[place];
    const struct action *action = taker->action ? taker->action + 1 : command->actions;
    if (taker->bit && !(action && action->name)) {
        taker->place++;
        taker->bit = 0;
        taker->action = NULL;
        return commands[taker->place] && taker_next(taker);
    }
    *taker = (struct taker){.command = command,
                            .action = action,
                            .bit = action ? action->bit : command->bit,
                            .role = action ? action->arguments_role : command->arguments_role,
                            .offer = action ? action->offer : command->offer,
                            .place = place};
    return true;
}

const struct command_group command_groups[] = {
    {"rank", "Planning (a bare contraction means rank)"},
    {"batch", "Libraries of contractions"},
    {"machine", "This machine"},
    {"sample", "Kernels and blocked algorithms"},
    {"store", "Stored data"},
    {"help", "Help"},
    {0},
};

static enum exit_status read_request(struct task *task, unsigned needs) {
    if (needs & (task->options->argument ? TASK_CONTRACTION | TASK_IF_GIVEN : TASK_CONTRACTION))
        return request_read(&task->request, task->options, needs);
    return needs & REQUEST_MACHINE ? request_read_machine(&task->request, needs) : EXIT_DONE;
}

enum exit_status task_do(const struct options *options, unsigned needs, task_fn *work) {
    struct task task = {.options = options, .request = {.options = options}};
    enum exit_status status = read_request(&task, needs);
    if (status == EXIT_DONE && (needs & TASK_OUTPUT))
        status = output_begin(&task.out, options->output);
    if (status == EXIT_DONE && (needs & TASK_LOCK)) status = lock_hold(&task.lock, options);
    if (status == EXIT_DONE) status = work(&task);
    tcplan_node_lock_close(task.lock);
    output_file_discard(&task.out);
    request_free(&task.request);
    return status;
}

enum exit_status task_print(struct task *task, const struct view *view, const void *record) {
    return printed_into(&task->out, task->options->format, view, record);
}

/** Returns whether a text is a single word, so that it cannot be a contraction. */
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
    if (blocks_are_asked(options))
        return network_is_asked(options) ? block_order_run(options) : blocks_run(options);
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
