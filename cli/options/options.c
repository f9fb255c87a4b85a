#include "cli/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/commands.h"
#include "cli/commands/tensors/blocks.h"
#include "cli/commands/tensors/network.h"
#include "cli/correction.h"
#include "cli/options/options_table.h"
#include "cli/render/text/values.h"

/** State of the parser of the command line. */
struct cursor {
    struct options *options;
    const struct command *command;
    int at;
    int count;
    char *const *arguments;
};

static enum exit_status hint(const struct cursor *cursor) {
    return options_usage(cursor->options);
}

/** Returns the commands and actions whose options are accepted, as bits: a single action once its
 * name is known. */
static uint64_t accepting(const struct cursor *cursor) {
    return cursor->options->action ? cursor->options->action->bit : cursor->command->bit;
}

/* Messages. */

/** Returns the commands and actions that accept an option of that name. */
static uint64_t accepted_anywhere(const char *name, size_t length) {
    uint64_t actions = 0;
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if (text_is(name, length, option->name)) actions |= option->accepted_by;
    }
    return actions;
}

/** Returns the option with the most similar name among those that some of the actions accept. */
static struct nearest nearest_option(const char *name, uint64_t actions) {
    struct nearest nearest = {0};
    for (size_t o = 0; o < options_table_count; o++) {
        if (options_table[o].accepted_by & actions)
            nearest_consider(&nearest, name, options_table[o].name);
    }
    return nearest;
}

/** Names of options in other programs, and the options of tcplan that do the same. */
static const struct {
    uint64_t actions;
    const char *name, *option;
} expected_names[] = {{COMMAND(REPORT), "html", "-o FILE.html"},
                      {COMMAND(REPORT), "page", "-o FILE.html"},
                      {COMMAND(CHECK) | COMMAND(MERGE), "html", "--page FILE.html"}};

/** Returns the option of tcplan that does what `name` does in other programs; NULL if there is
 * none. */
static const char *expected_option(const char *name, uint64_t actions) {
    for (size_t e = 0; e < sizeof expected_names / sizeof *expected_names; e++) {
        if ((expected_names[e].actions & actions) && strcmp(expected_names[e].name, name) == 0)
            return expected_names[e].option;
    }
    return NULL;
}

/** Rejects an unknown option. `typed` includes the dashes; `name` is the part after them. */
static enum exit_status refuse_unknown(const struct cursor *cursor, const char *typed,
                                       const char *name) {
    const char *expected = expected_option(name, accepting(cursor));
    if (expected)
        return options_refuse(cursor->options,
                              "'%s' has no option '%.60s'; a page is written by '%s'",
                              cursor->command->name, typed, expected);
    const struct nearest own = nearest_option(name, accepting(cursor));
    const struct nearest other = nearest_option(name, UINT64_MAX);
    if (own.name || !other.name)
        return options_refuse(cursor->options, "unknown option '%.60s'%s", typed,
                              suggestion_of(&own, "--").text);
    struct strbuf takers = {0};
    actions_add_names(&takers, accepted_anywhere(other.name, strlen(other.name)));
    char *text = strbuf_finish(&takers);
    if (!text) return diagnose_no_memory();
    diagnose("unknown option '%.60s'; '--%s' is an option of %s", typed, other.name, text);
    free(text);
    return hint(cursor);
}

/** Rejects a long option that only other commands or actions accept. */
static enum exit_status refuse_here(const struct cursor *cursor, const char *name, size_t length) {
    const uint64_t anywhere = accepted_anywhere(name, length),
                   nearby = anywhere & cursor->command->bit;
    const struct action *action = cursor->options->action;
    struct strbuf takers = {0};
    actions_add_names(&takers, nearby ? nearby : anywhere);
    char *text = strbuf_finish(&takers);
    if (!text) return diagnose_no_memory();
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    const char *expected = expected_option(typed, accepting(cursor));
    diagnose("'%s%s%s' has no option '--%s'; it is an option of %s%s%s", cursor->command->name,
             action ? " " : "", action ? action->name : "", typed, text, expected ? "; here: " : "",
             expected ? expected : "");
    free(text);
    return hint(cursor);
}

/**
 * Rejects the value of an option.
 *
 * @param value  the given value; NULL if it is missing
 */
static enum exit_status refuse_value(const struct cursor *cursor, const struct option *option,
                                     const char *value) {
    struct strbuf expected = {0};
    option_add_expected(&expected, option);
    char *text = strbuf_finish(&expected);
    if (!text) return diagnose_no_memory();
    if (value) {
        diagnose("--%s expects %s, found '%.200s'%s", option->name, text, value,
                 suggestion_among(option->words, value).text);
    } else {
        diagnose("--%s needs a value: %s", option->name, text);
    }
    free(text);
    return hint(cursor);
}

/* Reading. */

/** Prints a note if a value has a deprecated name of version 0.1.0. */
static void note_deprecated(const struct option *option, const char *value) {
    static const struct {
        const char *option, *old, *value;
    } deprecated[] = {{"prefer", "ease", "simple"}};
    for (size_t d = 0; value && d < sizeof deprecated / sizeof *deprecated; d++) {
        if (strcmp(deprecated[d].option, option->name) == 0 &&
            strcmp(deprecated[d].old, value) == 0)
            diagnose("note: --%s %s is deprecated; use --%s %s", option->name, value, option->name,
                     deprecated[d].value);
    }
}

/** Records an option with its value: `value` or the next argument. Whether the action accepts the
 * option is checked later, when the action is known. */
static enum exit_status record(struct cursor *cursor, const struct option *option,
                               const char *value) {
    struct options *options = cursor->options;
    if (!option->value && value)
        return options_refuse(cursor->options, "--%s takes no value, found '%.200s'", option->name,
                              value);
    const char *next = cursor->at + 1 < cursor->count ? cursor->arguments[cursor->at + 1] : NULL;
    if (option->value && !value && next && option_takes(option, next)) {
        value = next;
        cursor->at++;
    }
    if (option->value && !value && option->kind != OPTION_SET)
        return refuse_value(cursor, option, NULL);
    note_deprecated(option, value);
    options->given[options->given_count++] =
        (struct given_option){.option = option, .value = value};
    return EXIT_DONE;
}

/* long = "--" name [ "=" value ] ; `text` is the part after the dashes */
static enum exit_status parse_long(struct cursor *cursor, const char *text) {
    const size_t length = strcspn(text, "=");
    const struct option *option = option_find(cursor->command->bit, text, length);
    char typed[64];
    if (option) return record(cursor, option, text[length] == '=' ? text + length + 1 : NULL);
    snprintf(typed, sizeof typed, "--%.*s",
             (int)(length < sizeof typed ? length : sizeof typed - 1), text);
    if (accepted_anywhere(text, length)) return refuse_here(cursor, text, length);
    return refuse_unknown(cursor, typed, typed + 2);
}

/** Returns the option with a letter; NULL if the command has none. */
static const struct option *find_short(const struct cursor *cursor, char letter) {
    for (size_t o = 0; o < options_table_count; o++) {
        if ((options_table[o].accepted_by & cursor->command->bit) &&
            options_table[o].letter == letter)
            return &options_table[o];
    }
    return NULL;
}

/* short = "-" { letter } letter [ value ] ; `text` is the part after the dash. All letters except
 * the last one are options without values */
static enum exit_status parse_short(struct cursor *cursor, const char *text) {
    const struct option *option = find_short(cursor, *text);
    if (!option) {
        char typed[64];
        snprintf(typed, sizeof typed, "-%s", text);
        return refuse_unknown(cursor, typed, text);
    }
    if (option->value && option->kind != OPTION_SET)
        return record(cursor, option, text[1] ? text + 1 : NULL);
    const enum exit_status status = record(cursor, option, NULL);
    return status == EXIT_DONE && text[1] ? parse_short(cursor, text + 1) : status;
}

static enum exit_status refuse_argument(const struct cursor *cursor, const char *text,
                                        const char *before) {
    return options_refuse(cursor->options, "unexpected argument '%.200s' after '%.200s'", text,
                          before);
}

/** Returns whether a text has the form of sizes: `a=100,b=8`. */
static bool is_sizes(const char *text) {
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const size_t length = strlen(text), first = strspn(text, name);
    return first > 0 && text[first] == '=' && text[length - 1] >= '0' && text[length - 1] <= '9';
}

/** Appends all sizes of the command line, those of --sizes and of other arguments: `a=b=40,i=8`. */
static void add_all_sizes(struct strbuf *out, const struct cursor *cursor) {
    static const char option[] = "--sizes=";
    for (int a = 0; a < cursor->count; a++) {
        const char *text = cursor->arguments[a];
        if (strncmp(text, option, strlen(option)) == 0) text += strlen(option);
        if (is_sizes(text)) strbuf_add(out, "%s%s", out->length > 0 ? "," : "", text);
    }
}

/** Rejects sizes that are given as an argument: they need the option --sizes. */
static enum exit_status refuse_sizes(const struct cursor *cursor, const char *sizes) {
    struct strbuf all = {0};
    diagnose("unexpected argument '%.200s'; sizes follow --sizes", sizes);
    add_all_sizes(&all, cursor);
    correction_print_command(cursor->options, strbuf_finish(&all));
    return EXIT_USAGE;
}

static enum exit_status take_argument(struct cursor *cursor, const char *text) {
    struct options *options = cursor->options;
    const uint64_t command = cursor->command->bit;
    const bool is_first =
        command == COMMAND(COMPARE) && !options->argument; /* The first argument is the contraction;
                                                              further arguments are names. */
    if (options->argument && is_sizes(text) && option_find(command, "sizes", strlen("sizes")))
        return refuse_sizes(cursor, text);
    if (cursor->command->actions || (command & FILES) ||
        (command == COMMAND(COMPARE) && !is_first)) {
        options->arguments[options->argument_count++] = text;
        return EXIT_DONE;
    }
    if (cursor->command->no_argument)
        return options_refuse(cursor->options, "%s takes no argument, found '%.200s'",
                              cursor->command->name, text);
    if (options->argument) return refuse_argument(cursor, text, options->argument);
    options->argument = text;
    return EXIT_DONE;
}

static enum exit_status read_all(struct cursor *cursor) {
    bool options_end = false;
    enum exit_status status = EXIT_DONE;
    for (; cursor->at < cursor->count && status == EXIT_DONE; cursor->at++) {
        const char *text = cursor->arguments[cursor->at];
        if (options_end || text[0] != '-' || text[1] == '\0') {
            status = take_argument(cursor, text);
        } else if (strcmp(text, "--") == 0) {
            options_end = true;
        } else {
            status = text[1] == '-' ? parse_long(cursor, text + 2) : parse_short(cursor, text + 1);
        }
    }
    return status;
}

/* The action. */

bool options_run(const struct options *options, uint64_t bits) {
    return (options->command->bit & bits) != 0;
}

bool options_given(const struct options *options, const char *name) {
    for (int g = 0; g < options->given_count; g++) {
        if (strcmp(options->given[g].option->name, name) == 0) return true;
    }
    return false;
}

bool options_name_format(const struct options *options) {
    return options_given(options, "format") || options_given(options, "json");
}

/**
 * Rejects the name of an action.
 *
 * @param name  the given name; NULL if it is missing
 */
static enum exit_status refuse_action(const struct cursor *cursor, const char *name) {
    struct strbuf names = {0};
    struct nearest nearest = {0};
    for (const struct action *action = cursor->command->actions; action->name; action++) {
        strbuf_add(&names, "%s%s",
                   action == cursor->command->actions ? ""
                   : action[1].name                   ? ", "
                                                      : " or ",
                   action->name);
        if (name) nearest_consider(&nearest, name, action->name);
    }
    char *text = strbuf_finish(&names);
    if (!text) return diagnose_no_memory();
    diagnose("%s expects %s, found %s%.80s%s%s", cursor->command->name, text, name ? "'" : "",
             name ? name : "nothing", name ? "'" : "", suggestion_of(&nearest, "").text);
    free(text);
    return hint(cursor);
}

/** Returns whether --help or --version is given. */
static bool has_help(const struct options *options) {
    return options_given(options, "help") || options_given(options, "version");
}

/** Finds the action that the first argument names. Without a name, takes the first action, unless
 * it requires arguments. */
static enum exit_status find_action(const struct cursor *cursor) {
    struct options *options = cursor->options;
    const struct action *action = cursor->command->actions;
    if (!action) return EXIT_DONE;
    if (options->argument_count > 0) {
        while (action->name && strcmp(action->name, options->arguments[0]) != 0) action++;
        if (!action->name) return refuse_action(cursor, options->arguments[0]);
    } else if (action->needs && !has_help(options)) {
        return refuse_action(cursor, NULL);
    }
    options->action = action;
    return EXIT_DONE;
}

/** Checks that a command or action has all required arguments and no further ones. */
static enum exit_status check_arguments(const struct cursor *cursor) {
    const struct options *options = cursor->options;
    const struct action *action = options->action;
    if (has_help(options)) return EXIT_DONE;
    const char *needs = action ? action->needs : cursor->command->needs;
    const int count = options->argument_count -
                      (action != NULL), /* number of arguments after the action's name */
        most = action ? action->most_arguments : ANY_ARGUMENTS;
    if (count > most)
        return refuse_argument(cursor, options->arguments[most + 1], options->arguments[most]);
    if (count > 0 || !needs) return EXIT_DONE;
    return options_refuse(cursor->options, "%s%s%s needs %s", cursor->command->name,
                          action ? " " : "", action ? action->name : "", needs);
}

/** Returns the next occurrence of the same option, which replaces this one; NULL if this is the
 * last one. */
static const struct given_option *replacement(const struct options *options, int given) {
    const struct option *option = options->given[given].option;
    for (int g = given + 1; g < options->given_count; g++) {
        if (options->given[g].option == option && option->kind != OPTION_TEXTS)
            return &options->given[g];
    }
    return NULL;
}

/** Prints notes about options whose values later options replace. */
static void note_replaced(const struct options *options) {
    for (int g = 0; g < options->given_count; g++) {
        const struct given_option *given = &options->given[g], *next = replacement(options, g);
        if (next && given->value && next->value && strcmp(given->value, next->value) != 0)
            note(options, "--%s: '%.80s' replaces '%.80s'", given->option->name, next->value,
                 given->value);
    }
}

/** Stores the values of all given options. */
static enum exit_status store_all(const struct cursor *cursor) {
    struct options *options = cursor->options;
    int kept = 0;
    for (int g = 0; g < options->given_count; g++) {
        struct given_option *given = &options->given[g];
        const char *name = given->option->name;
        const struct option *option = option_find(accepting(cursor), name, strlen(name));
        if (!option) return refuse_here(cursor, name, strlen(name));
        if (!option_store(option, options, given->value))
            return refuse_value(cursor, option, given->value);
        given->option = option;
    }
    note_replaced(options);
    for (int g = 0; g < options->given_count; g++) {
        if (!replacement(options, g)) options->given[kept++] = options->given[g];
    }
    options->given_count = kept;
    return EXIT_DONE;
}

static enum exit_status parse_all(struct cursor *cursor) {
    enum exit_status status = read_all(cursor);
    if (status == EXIT_DONE) status = find_action(cursor);
    if (status == EXIT_DONE) status = store_all(cursor);
    return status == EXIT_DONE ? check_arguments(cursor) : status;
}

/** Checks the names of the files for emitted C. The name of the header must be valid in an #include
 * line. */
static bool check_interfaces(const struct options *options) {
    const char *header = options->header;
    if (header && header[strcspn(header, "\"\\\n\r")] != '\0') {
        diagnose("--header expects a name without quotes and backslashes, found '%.200s'", header);
        return false;
    }
    if ((!header || strcmp(header, "-") != 0) &&
        (!options->fortran || strcmp(options->fortran, "-") != 0))
        return true;
    diagnose("%s expects the name of a file, found '-'",
             header && strcmp(header, "-") == 0 ? "--header" : "--fortran");
    return false;
}

static enum exit_status check_combination(const struct cursor *cursor) {
    const struct options *options = cursor->options;
    const uint64_t command = cursor->command->bit;
    if (!rules_check(options, cursor->command) || !check_interfaces(options)) return hint(cursor);
    if ((command & (COMMAND(MEASURE) | COMMAND(EXPLAIN))) && !network_is_asked(options) &&
        !distributed_is_asked(options) && !blocks_are_asked(options) &&
        options->effort == TCPLAN_EFFORT_ESTIMATE)
        return options_refuse(cursor->options,
                              "--effort estimate times nothing, but %s needs timings",
                              cursor->command->name);
    if (!(command & SEVERAL) && options->emit &&
        strcmp(options->emit, options->output ? options->output : "-") == 0)
        return options_refuse(cursor->options,
                              "the ranking and the C code cannot both be written to '%.200s'",
                              options->emit);
    return EXIT_DONE;
}

/** Sets the space to `blas` for --all and for predictors other than `window`. Prints a note if this
 * overrides an explicit `full`. */
static void narrow_space(struct options *options) {
    const bool other_predictor = options->predictor != TCPLAN_PREDICT_WINDOW;
    if (!options->all && !other_predictor) return;
    if (options_given(options, "space") && options->space == TCPLAN_SPACE_FULL) {
        note(options, "%s uses the space blas instead of full",
             options->all ? "--all" : "that --predictor");
    }
    options->space = TCPLAN_SPACE_BLAS;
}

/** Selects planning by estimates for the machine of a file, because its kernels cannot be timed
 * here. */
static enum exit_status plan_elsewhere(struct options *options) {
    const uint64_t plans = COMMAND(RANK) | COMMAND(EMIT) | COMMAND(BATCH) | COMMAND(ADVISE);
    if (!options_run(options, plans) || !tcplan_machine_is_exported(options->machine))
        return EXIT_DONE;
    if (options_given(options, "effort") && options->effort != TCPLAN_EFFORT_ESTIMATE)
        return options_refuse(
            options,
            "nothing is timed for the machine of '%.200s'; replace --effort %s by "
            "--effort estimate",
            options->machine, tcplan_word(tcplan_words_efforts, options->effort));
    options->effort = TCPLAN_EFFORT_ESTIMATE;
    return EXIT_DONE;
}

enum exit_status options_parse(struct options *out, const struct command *command, int count,
                               char *const arguments[]) {
    *out = options_defaults;
    out->command = command;
    /* upper limit of the number of options: one word such as `-Jq` contains two */
    size_t letters = 0;
    for (int a = 0; a < count; a++) letters += strlen(arguments[a]);
    out->arguments = base_alloc((size_t)(count + 1) * sizeof *out->arguments);
    out->given = base_alloc((letters + 1) * sizeof *out->given);
    if (!out->arguments || !out->given) return diagnose_no_memory();
    struct cursor cursor = {
        .options = out, .command = command, .count = count, .arguments = arguments};
    enum exit_status status = parse_all(&cursor);
    if (status != EXIT_DONE || out->help || out->version) return status;
    if (out->ceiling_files.count > 0) out->ceilings = out->ceiling_files.text[0];
    if (command->bit != COMMAND(PORTABILITY)) narrow_space(out);
    status = plan_elsewhere(out);
    return status == EXIT_DONE ? check_combination(&cursor) : status;
}

enum exit_status options_usage(const struct options *options) {
    const struct action *action = options->action;
    const bool is_named =
        action && options->argument_count > 0 && strcmp(options->arguments[0], action->name) == 0;
    fprintf(stderr, "see '%s %s%s%s --help'\n", program_name(), options->command->name,
            is_named ? " " : "", is_named ? action->name : "");
    return EXIT_USAGE;
}

void options_free(struct options *options) {
    base_free(options->arguments);
    base_free(options->given);
    options->arguments = NULL;
    options->given = NULL;
}
