#include "cli/options/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/edit_distance.h"
#include "cli/options/options_table.h"
#include "cli/render/text/wrapped.h"
#include "tcplan/network.h"

/** Where the parser is. */
struct cursor {
    struct options *options;
    enum command_bit command;
    const char *command_name;
    int at;
    int count;
    char *const *arguments;
};

static enum exit_status hint(const struct cursor *cursor) {
    return diagnose_usage(cursor->command_name);
}

/** The option's name as typed, without what follows a `=`. */
static bool is_called(const struct option *option, const char *text, size_t length) {
    return strlen(option->name) == length && memcmp(option->name, text, length) == 0;
}

/** Refuses `typed`, dashes and all; `name` is what of it should be an option's name. */
static enum exit_status refuse_unknown(const struct cursor *cursor, const char *typed, const char *name) {
    struct nearest nearest = {0};
    for (size_t o = 0; o < options_table_count; o++) {
        if (options_table[o].commands & cursor->command) nearest_consider(&nearest, name, options_table[o].name);
    }
    if (nearest.name) {
        diagnose("unknown option '%.60s'; the nearest is '--%s'", typed, nearest.name);
    } else {
        diagnose("unknown option '%.60s'", typed);
    }
    return hint(cursor);
}

/** Refuses a long option, which another command may have. */
static enum exit_status refuse_long(const struct cursor *cursor, const char *text, size_t length) {
    char typed[64];
    snprintf(typed, sizeof typed, "--%.*s", (int)(length < sizeof typed ? length : sizeof typed - 1), text);
    for (size_t o = 0; o < options_table_count; o++) {
        if (!is_called(&options_table[o], text, length)) continue;
        diagnose("'%s' takes no option '%s'", cursor->command_name, typed);
        return hint(cursor);
    }
    return refuse_unknown(cursor, typed, typed + 2);
}

/** @param value  NULL: there is none */
static enum exit_status refuse_value(const struct cursor *cursor, const struct option *option, const char *value) {
    struct strbuf expected = {0};
    option_add_expected(&expected, option);
    char *text = strbuf_finish(&expected);
    if (!text) return diagnose_no_memory();
    if (value) {
        diagnose("--%s expects %s, found '%.200s'", option->name, text, value);
    } else {
        diagnose("--%s needs a value: %s", option->name, text);
    }
    free(text);
    return hint(cursor);
}

/** Stores an option whose value, if it takes one, is `value` or else the next argument. */
static enum exit_status apply(struct cursor *cursor, const struct option *option, const char *value) {
    if (!option->value && value) {
        diagnose("--%s takes no value, found '%.200s'", option->name, value);
        return hint(cursor);
    }
    if (option->value && !value && cursor->at + 1 < cursor->count) value = cursor->arguments[++cursor->at];
    if (option->value && !value) {
        return refuse_value(cursor, option, NULL);
    }
    return option_store(option, cursor->options, value) ? EXIT_DONE : refuse_value(cursor, option, value);
}

/* long = "--" name [ "=" value ] ; `text` is behind the dashes */
static enum exit_status parse_long(struct cursor *cursor, const char *text) {
    const size_t length = strcspn(text, "=");
    for (size_t o = 0; o < options_table_count; o++) {
        if (!(options_table[o].commands & cursor->command) || !is_called(&options_table[o], text, length)) continue;
        return apply(cursor, &options_table[o], text[length] == '=' ? text + length + 1 : NULL);
    }
    return refuse_long(cursor, text, length);
}

/** The option of a letter; NULL: the command has none. */
static const struct option *find_short(const struct cursor *cursor, char letter) {
    for (size_t o = 0; o < options_table_count; o++) {
        if ((options_table[o].commands & cursor->command) && options_table[o].letter == letter) return &options_table[o];
    }
    return NULL;
}

/* short = "-" { letter } letter [ value ] ; `text` is behind the dash, and all letters but the last are of options without values */
static enum exit_status parse_short(struct cursor *cursor, const char *text) {
    const struct option *option = find_short(cursor, *text);
    if (!option) {
        char typed[64];
        snprintf(typed, sizeof typed, "-%s", text);
        return refuse_unknown(cursor, typed, text);
    }
    if (option->value) return apply(cursor, option, text[1] ? text + 1 : NULL);
    const enum exit_status status = apply(cursor, option, NULL);
    return status == EXIT_DONE && text[1] ? parse_short(cursor, text + 1) : status;
}

static enum exit_status take_argument(struct cursor *cursor, const char *text) {
    struct options *options = cursor->options;
    const bool is_first = cursor->command == COMMAND_COMPARE && !options->argument; /* the contraction; names follow */
    if ((cursor->command & LISTS) || (cursor->command == COMMAND_COMPARE && !is_first)) {
        options->arguments[options->argument_count++] = text;
        return EXIT_DONE;
    }
    if (options->argument) {
        diagnose("unexpected argument '%.200s' behind '%.200s'", text, options->argument);
        return hint(cursor);
    }
    options->argument = text;
    return EXIT_DONE;
}

static enum exit_status parse_all(struct cursor *cursor) {
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

/** What is given that says something of a contraction's algorithms, where there is no contraction; otherwise NULL. */
static const char *option_without_contraction(const struct options *options) {
    if (options->argument) return NULL;
    if (options->sizes) return "--sizes";
    if (options->shapes) return "--shapes";
    if (options->top > 0) return "--top";
    if (options->algorithms.count > 0) return "--algorithm";
    if (options->measure) return "--measure";
    const bool places = options->run || options->points || options->kernels.count > 0;
    if (options->no_fma && !places) return "--no-fma";
    if (options->traffic != TCPLAN_DIRECTION_BOTH) return "--traffic";
    return options->all ? "--all" : NULL;
}

/** What is given that says something of a command that is run, where there is none; otherwise NULL. */
static const char *option_without_run(const struct options *options) {
    if (options->run) return NULL;
    if (options->flops.count > 0) return "--flops";
    if (options->bytes.count > 0) return "--bytes";
    if (options->run_output) return "--run-output";
    return options->shell ? "--shell" : NULL;
}

/** What excludes --kernel, and what needs it. */
static bool check_kernels(const struct options *options) {
    const char *other = options->argument ? "a contraction" : options->run ? "--run" : options->points ? "--points" : NULL;
    if (options->kernels.count == 0) {
        if (!options->counters || options->run) return true;
        diagnose("--counters needs --run or --kernel");
        return false;
    }
    if (other) {
        diagnose("--kernel and %s exclude each other", other);
        return false;
    }
    if (options->dtype == TCPLAN_DOUBLE) return true;
    diagnose("--kernel is of double precision: --dtype d");
    return false;
}

/** What is given that says something of emitted C; otherwise NULL. */
static const char *option_without_emit(const struct options *options) {
    if (options->function) return "--function";
    if (options->header) return "--header";
    if (options->fortran) return "--fortran";
    if (options->takes_extents) return "--extents";
    return options->with_main ? "--with-main" : NULL;
}

/** The names of files that stand beside the emitted C: of a header what an #include takes. */
static bool check_interfaces(const struct options *options) {
    const char *header = options->header;
    if (header && header[strcspn(header, "\"\\\n\r")] != '\0') {
        diagnose("--header expects a name without quotes and backslashes, found '%.200s'", header);
        return false;
    }
    if ((!header || strcmp(header, "-") != 0) && (!options->fortran || strcmp(options->fortran, "-") != 0)) return true;
    diagnose("%s expects the name of a file, found '-'", header && strcmp(header, "-") == 0 ? "--header" : "--fortran");
    return false;
}

/** Options that exclude or need each other. */
/** What times, and so cannot be where nothing is to be timed; NULL: nothing. */
static const char *what_times(const struct options *options, enum command_bit command) {
    bool is_several = false;
    if (options->argument) tcplan_network_is_several(&is_several, options->argument);
    if (is_several) return NULL; /* its commands say so themselves */
    if (command == COMMAND_MEASURE) return "measure";
    if (command == COMMAND_EXPLAIN) return "explain";
    if (options->measure) return "--measure";
    if (options->all) return "--all";
    if (options->predictor != TCPLAN_PREDICT_WINDOW) return "--predictor";
    return options->compared != TCPLAN_CONTENDER_ALGORITHM ? "--compare" : NULL;
}

static enum exit_status check_combination(const struct cursor *cursor) {
    const struct options *options = cursor->options;
    const bool counts_all = cursor->command == COMMAND_MEASURE || options->algorithms.count > 0;
    const bool named = options->algorithm || options->algorithms.count > 0;
    const int selections = (options->top > 0) + named + (options->all && counts_all);
    if (selections > 1 && cursor->command != COMMAND_RANK) {
        diagnose("%s exclude each other", counts_all ? "--top, --algorithm and --all" : "--top and --algorithm");
        return hint(cursor);
    }
    if (!check_interfaces(options)) return hint(cursor);
    const char *times = options->effort == TCPLAN_EFFORT_ESTIMATE ? what_times(options, cursor->command) : NULL;
    if (times) {
        diagnose("--effort estimate times nothing, and %s does", times);
        return hint(cursor);
    }
    const char *needs_emit = option_without_emit(options);
    if (cursor->command == COMMAND_RANK && !options->emit && needs_emit) {
        diagnose("%s needs --emit", needs_emit);
        return hint(cursor);
    }
    if (cursor->command == COMMAND_BATCH && options->top > 0 && !options->measure) {
        diagnose("--top needs --measure");
        return hint(cursor);
    }
    if (options->sizes && options->shapes) {
        diagnose("--sizes and --shapes exclude each other");
        return hint(cursor);
    }
    const char *needs_run = cursor->command == COMMAND_ROOFLINE ? option_without_run(options) : NULL;
    if (needs_run) {
        diagnose("%s needs --run", needs_run);
        return hint(cursor);
    }
    if (cursor->command == COMMAND_ROOFLINE && !check_kernels(options)) return hint(cursor);
    if (cursor->command == COMMAND_ROOFLINE && options->argument && (options->run || options->points)) {
        diagnose("%s and a contraction exclude each other", options->run ? "--run" : "--points");
        return hint(cursor);
    }
    if (cursor->command == COMMAND_ROOFLINE && options->per_cycle && (options->run || options->points)) {
        diagnose("%s and --unit exclude each other", options->run ? "--run" : "--points");
        return hint(cursor);
    }
    if (cursor->command == COMMAND_ROOFLINE && options->bandwidth && !options->run && !options->points) {
        diagnose("--bandwidth needs --run or --points");
        return hint(cursor);
    }
    const char *needs_contraction = option_without_contraction(options);
    if (cursor->command == COMMAND_ROOFLINE && needs_contraction) {
        diagnose("%s needs a contraction, such as C_abc=A_ai*B_ibc", needs_contraction);
        return hint(cursor);
    }
    if (options->plans && options->no_plans) {
        diagnose("--plans and --no-plans exclude each other");
        return hint(cursor);
    }
    const bool thesis = options->predictor == TCPLAN_PREDICT_THESIS || cursor->command == COMMAND_TRACE;
    if (!thesis && (options->stage_given || options->limit_bytes > 0)) {
        diagnose("%s needs --predictor thesis", options->stage_given ? "--stage" : "--limit");
        return hint(cursor);
    }
    const bool several = (cursor->command & SEVERAL) != 0;
    if (several && options->emit && (!options->output || strcmp(options->output, "-") == 0)) {
        diagnose("--emit needs -o: it takes the winners from the file of results");
        return hint(cursor);
    }
    if (!several && options->emit && strcmp(options->emit, options->output ? options->output : "-") == 0) {
        diagnose("the ranking and the C cannot both go to '%.200s'", options->emit);
        return hint(cursor);
    }
    return EXIT_DONE;
}

/** Every algorithm, and other predictors, are of the space `blas`; where the other one was asked for, that is said. */
static void narrow_space(struct options *options) {
    const bool other_predictor = options->predictor != TCPLAN_PREDICT_WINDOW;
    if (!options->all && !other_predictor) return;
    if (options->space_given && options->space == TCPLAN_SPACE_FULL && !options->quiet) {
        diagnose("note: %s is of the space blas, which is taken instead of full", options->all ? "--all" : "that --predictor");
    }
    options->space = TCPLAN_SPACE_BLAS;
}

enum exit_status options_parse(struct options *out, enum command_bit command, const char *name, int count, char *const arguments[]) {
    *out = options_defaults;
    out->arguments = base_alloc((size_t)(count + 1) * sizeof *out->arguments);
    if (!out->arguments) return diagnose_no_memory();
    struct cursor cursor = {.options = out, .command = command, .command_name = name, .count = count, .arguments = arguments};
    enum exit_status status = parse_all(&cursor);
    if (status != EXIT_DONE || out->help || out->version) return status;
    if (out->ceiling_files.count > 0) out->ceilings = out->ceiling_files.text[0];
    if (command != COMMAND_PORTABILITY) narrow_space(out);
    return check_combination(&cursor);
}

void options_free(struct options *options) {
    base_free(options->arguments);
    options->arguments = NULL;
}

enum { USAGE_WIDTH = 25 };

void options_print(FILE *file, enum command_bit command) {
    for (size_t o = 0; o < options_table_count; o++) {
        const struct option *option = &options_table[o];
        if (!(option->commands & command)) continue;
        char usage[40];
        snprintf(usage, sizeof usage, "%c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
                 option->letter ? "," : " ", option->name, option->value ? " " : "", option->value ? option->value : "");
        const int taken = fprintf(file, "  %-*s ", USAGE_WIDTH, usage);
        struct strbuf help = {0};
        option_add_help(&help, option);
        char *text = strbuf_finish(&help);
        wrapped_print(file, text ? text : option->help, taken > 0 ? (size_t)taken : 0, USAGE_WIDTH + 3);
        free(text);
    }
}
