#include "cli/commands/commands.h"

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
