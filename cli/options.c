#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/decimal.h"
#include "base/edit_distance.h"

#define MOST_SECONDS 1e9

enum {
    RANK = COMMAND_RANK,
    LIST = COMMAND_LIST,
    EMIT = COMMAND_EMIT,
    MEASURE = COMMAND_MEASURE,
    TRACE = COMMAND_TRACE,
    EXPLAIN = COMMAND_EXPLAIN,
    BATCH = COMMAND_BATCH,
    MERGE = COMMAND_MERGE,
    ROOFLINE = COMMAND_ROOFLINE,
    MACHINE = COMMAND_MACHINE,
    SELFTEST = COMMAND_SELFTEST,
    REPORT = COMMAND_REPORT,
    THIS = MACHINE | SELFTEST,
    TIMED = RANK | EMIT | MEASURE | ROOFLINE,
    SHOWN = RANK | LIST | MEASURE,
    ALL = SHOWN | EMIT | TRACE | EXPLAIN | ROOFLINE,
    SEVERAL = BATCH | MERGE,
    PORTABILITY = COMMAND_PORTABILITY,
    FILES = SEVERAL | PORTABILITY | REPORT,
    THREADS_MAX = 4096,
    SHARDS_MAX = 1000000
};

/** One option. `set` stores its value (NULL where it takes none) and returns false where that is malformed. */
struct option {
    const char *name;
    char letter; /* 0: it has none */
    unsigned commands;
    const char *value;   /* its name in the help; NULL: the option takes no value */
    const char *expects; /* what the value has to be, for messages */
    const char *help;
    bool (*set)(struct options *options, const char *value);
};

/** A decimal number without sign, of digits only. */
static bool read_number(uint64_t *out, const char *text, uint64_t largest) {
    if (*text < '0' || *text > '9') return false;
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *out <= largest;
}

static bool set_sizes(struct options *options, const char *value) {
    options->sizes = value;
    return true;
}

static bool set_strides(struct options *options, const char *value) {
    if (options->strides_count == OPTIONS_STRIDES_MAX) return false;
    options->strides[options->strides_count++] = value;
    return true;
}

static bool set_algorithm(struct options *options, const char *value) {
    options->algorithm = value;
    return true;
}

static bool set_machine(struct options *options, const char *value) {
    options->machine = value;
    return true;
}

static bool set_output(struct options *options, const char *value) {
    options->output = value;
    return *value != '\0';
}

static bool set_emit(struct options *options, const char *value) {
    options->emit = value;
    return *value != '\0';
}

static bool set_function(struct options *options, const char *value) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    options->function = value;
    return strspn(value, letters) > 0 && value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == '\0';
}

static bool set_dtype(struct options *options, const char *value) {
    return choice_find(choice_dtypes, value, &options->dtype);
}

static bool set_predictor(struct options *options, const char *value) {
    return choice_find(choice_predictors, value, &options->predictor);
}

static bool set_window(struct options *options, const char *value) {
    return set_predictor(options, value) && options->predictor == TCPLAN_PREDICT_WINDOW;
}

static bool set_stage(struct options *options, const char *value) {
    options->stage_given = true;
    return choice_find(choice_stages, value, &options->stage);
}

static bool set_cache(struct options *options, const char *value) {
    return choice_find(choice_cache_states, value, &options->cache);
}

static bool set_format(struct options *options, const char *value) {
    return choice_find(choice_formats, value, &options->format);
}

/** As the results of a batch have it. */
static bool set_result_format(struct options *options, const char *value) {
    options->format_given = true;
    return choice_find(choice_result_formats, value, &options->format);
}

static bool set_from(struct options *options, const char *value) {
    return choice_find(choice_library_formats, value, &options->from);
}

static bool set_class(struct options *options, const char *value) {
    options->size_class = value;
    return *value != '\0';
}

static bool set_only(struct options *options, const char *value) {
    options->only = value;
    return *value != '\0';
}

/* shard = K "/" N, 1 <= K <= N */
static bool set_shard(struct options *options, const char *value) {
    char first[16];
    uint64_t shard, shards;
    const size_t length = strcspn(value, "/");
    if (value[length] != '/' || length >= sizeof first) return false;
    memcpy(first, value, length);
    first[length] = '\0';
    if (!read_number(&shard, first, SHARDS_MAX) || !read_number(&shards, value + length + 1, SHARDS_MAX)) return false;
    options->shard = (int64_t)shard;
    options->shards = (int64_t)shards;
    return shard >= 1 && shard <= shards;
}

static bool set_measure(struct options *options, const char *value) {
    (void)value;
    return options->measure = true;
}

static bool set_restart(struct options *options, const char *value) {
    (void)value;
    return options->restart = true;
}

static bool set_mixed(struct options *options, const char *value) {
    (void)value;
    return options->mixed = true;
}

static bool set_no_lock(struct options *options, const char *value) {
    (void)value;
    return options->no_lock = true;
}

static bool set_portability_format(struct options *options, const char *value) {
    return set_format(options, value) && options->format != OUTPUT_XML;
}

static bool set_bandwidth(struct options *options, const char *value) {
    options->bandwidth = value;
    return *value != '\0';
}

static bool set_blas(struct options *options, const char *value) {
    if (options->blas_count == TCPLAN_PROVIDER_FILES) return false;
    options->blas[options->blas_count++] = value;
    return *value != '\0';
}

static bool set_trace_format(struct options *options, const char *value) {
    return set_format(options, value) && (options->format == OUTPUT_TEXT || options->format == OUTPUT_JSON);
}

static bool set_machine_format(struct options *options, const char *value) {
    return set_format(options, value) && options->format != OUTPUT_CSV;
}

static bool set_space(struct options *options, const char *value) {
    return choice_find(choice_spaces, value, &options->space);
}

static bool set_threads(struct options *options, const char *value) {
    uint64_t threads;
    if (!read_number(&threads, value, THREADS_MAX) || threads < 1) return false;
    options->threads = (int)threads;
    return true;
}

static bool set_top(struct options *options, const char *value) {
    uint64_t top;
    if (!read_number(&top, value, INT64_MAX) || top < 1) return false;
    options->top = (int64_t)top;
    return true;
}

static bool set_seed(struct options *options, const char *value) {
    return read_number(&options->seed, value, UINT64_MAX);
}

/** size = digits [ ( "K" | "M" | "G" | "T" ) [ "iB" ] ], in powers of 1024 */
static bool read_size(int64_t *bytes, const char *value) {
    static const char suffixes[] = "KMGT";
    char digits[24];
    const size_t length = strspn(value, "0123456789");
    const char *suffix = value + length;
    uint64_t number;
    if (length >= sizeof digits) return false;
    memcpy(digits, value, length);
    digits[length] = '\0';
    if (!read_number(&number, digits, INT64_MAX) || number == 0) return false;
    *bytes = (int64_t)number;
    if (*suffix == '\0') return true;
    const char *power = strchr(suffixes, *suffix);
    if (!power || (suffix[1] != '\0' && strcmp(suffix + 1, "iB") != 0)) return false;
    return checked_mul_i64((int64_t)number, (int64_t)1 << 10 * (power - suffixes + 1), bytes);
}

static bool set_effort(struct options *options, const char *value) {
    return choice_find(choice_efforts, value, &options->effort);
}

static bool set_time_limit(struct options *options, const char *value) {
    return decimal_read(&options->time_limit_seconds, value, strlen(value)) && options->time_limit_seconds > 0 &&
           options->time_limit_seconds <= MOST_SECONDS;
}

static bool set_max_memory(struct options *options, const char *value) {
    return read_size(&options->max_memory_bytes, value);
}

static bool set_max_workspace(struct options *options, const char *value) {
    return read_size(&options->max_workspace_bytes, value);
}

static bool set_limit(struct options *options, const char *value) {
    return read_size(&options->limit_bytes, value);
}

static bool set_row_major(struct options *options, const char *value) {
    (void)value;
    options->order = TCPLAN_ROW_MAJOR;
    return true;
}

static bool set_all(struct options *options, const char *value) {
    (void)value;
    return options->all = true;
}

static bool set_quiet(struct options *options, const char *value) {
    (void)value;
    return options->quiet = true;
}

static bool set_no_fma(struct options *options, const char *value) {
    (void)value;
    return options->no_fma = true;
}

static bool set_quick(struct options *options, const char *value) {
    (void)value;
    return options->quick = true;
}

static bool set_small_pages(struct options *options, const char *value) {
    (void)value;
    return options->small_pages = true;
}

static bool set_plot(struct options *options, const char *value) {
    options->plot = value;
    return *value != '\0';
}

static bool set_with_main(struct options *options, const char *value) {
    (void)value;
    return options->with_main = true;
}

static bool set_help(struct options *options, const char *value) {
    (void)value;
    return options->help = true;
}

static bool set_version(struct options *options, const char *value) {
    (void)value;
    return options->version = true;
}

static const struct option table[] = {
    {"sizes", 0, ALL, "SIZES", "sizes such as a=400,b=400,i=8", "extents: a=400,i=8; shared: a=b=400,i=8; a sweep: a=64:512:64,i=8",
     set_sizes},
    {"strides", 0, ALL, "STRIDES", "strides such as A=1,400,160000, given eight times at most",
     "tensors that are parts of larger ones: A=1,-400;C=800,2 in elements; again for more", set_strides},
    {"algorithm", 0, EXPLAIN, "NAME", "the name of an algorithm", "the loser, as `tcplan list` names it (default: the runner-up)",
     set_algorithm},
    {"algorithm", 0, LIST | EMIT | MEASURE | TRACE, "NAME", "the name of an algorithm", "only this algorithm, as `tcplan list` names it",
     set_algorithm},
    {"measure", 0, BATCH, NULL, NULL, "run the first algorithms of each contraction too", set_measure},
    {"top", 0, BATCH, "N", "a number of at least 1", "with --measure: how many (default 5)", set_top},
    {"from", 0, BATCH, "FORMAT", "any, xml, list or einsum", "the libraries are xml, list or einsum (default: any, by their content)",
     set_from},
    {"class", 0, BATCH, "NAME", "the name of a class of sizes", "only sizes of this class, as small or large; all: every class", set_class},
    {"only", 0, BATCH, "PATTERN", "a pattern such as ccsd* or mps/*", "only contractions whose NAME or GROUP/NAME matches", set_only},
    {"shard", 0, BATCH, "K/N", "a shard such as 2/8", "only the K-th of N parts, for `tcplan merge`", set_shard},
    {"restart", 0, BATCH, NULL, NULL, "replace the results that are there, do not go on with them", set_restart},
    {"mixed", 0, SEVERAL, NULL, NULL, "join results of different machines, versions or settings", set_mixed},
    {"no-lock", 0, BATCH, NULL, NULL, "do not wait for other batches that time on this machine", set_no_lock},
    {"top", 0, SHOWN | ROOFLINE, "N", "a number of at least 1", "only the first N algorithms (measure: 5 unless told)", set_top},
    {"top", 0, REPORT, "N", "a number of at least 1", "only the first N contractions of the table (default 40)", set_top},
    {"bandwidth", 0, PORTABILITY, "LIST", "numbers such as 28.5,57", "GB/s of each file's machine: a roof where it is lower than dgemm's",
     set_bandwidth},
    {"all", 0, PORTABILITY, NULL, NULL, "every algorithm, not only the most portable", set_all},
    {"format", 0, PORTABILITY, "FORMAT", "text, json or csv", "text (default), json or csv", set_portability_format},
    {"all", 0, RANK | MEASURE | ROOFLINE, NULL, NULL, "every algorithm of the space blas, also those that cannot win", set_all},
    {"emit", 0, RANK, "FILE.c", "the name of a file", "write C for the fastest algorithm to FILE.c", set_emit},
    {"emit", 0, SEVERAL, "FOLDER", "the name of a folder", "write C for every winner to FOLDER: functions, header, CMake file and test",
     set_emit},
    {"function", 0, RANK | EMIT, "NAME", "a C identifier", "name of the emitted function (default contract)", set_function},
    {"with-main", 0, RANK | EMIT, NULL, NULL, "emit a driver that checks the function and times it", set_with_main},
    {"measure", 0, ROOFLINE, NULL, NULL, "run the algorithms for real as well", set_measure},
    {"no-fma", 0, ROOFLINE, NULL, NULL, "hold them against multiplications and additions that are not fused", set_no_fma},
    {"quick", 0, ROOFLINE, NULL, NULL, "coarse and in seconds: few and short windows, gemm not tuned", set_quick},
    {"small-pages", 0, ROOFLINE, NULL, NULL, "bandwidth on pages of the usual size, not on huge ones", set_small_pages},
    {"plot", 0, ROOFLINE, "FILE", "the name of a file", "draw FILE.svg or FILE.png with gnuplot; any other name receives the script",
     set_plot},
    {"dtype", 0, ALL | BATCH, "TYPE", "s, d, c or z", "s, d (default), c or z: float, double and their complex types", set_dtype},
    {"row-major", 0, ALL | BATCH, NULL, NULL, "the last index of a tensor is contiguous, not the first", set_row_major},
    {"threads", 0, TIMED | EXPLAIN | BATCH, "N", "a number from 1 to 4096", "threads, of the BLAS or of a loop around it (default 1)",
     set_threads},
    {"blas", 0, ALL | BATCH | THIS, "FILE", "the file of a CBLAS, four of them at most",
     "kernels of another CBLAS too, a shared library; again for more", set_blas},
    {"predictor", 0, TIMED | BATCH, "NAME", "window, thesis or repeated",
     "window (default), thesis (the dissertation's) or repeated (naive): the space blas", set_predictor},
    {"predictor", 0, EXPLAIN, "NAME", "window", "window, the only one that explains", set_window},
    {"stage", 0, TIMED | TRACE | BATCH, "STAGE", "repeated, access, prefetch, failure or first",
     "how much of thesis: repeated, access, prefetch, failure or first (default: all)", set_stage},
    {"cache", 0, TIMED | TRACE | EXPLAIN | BATCH, "STATE", "warm or cold", "caches before the first call: warm (default) or cold",
     set_cache},
    {"machine", 0, LIST | TIMED | TRACE | EXPLAIN | BATCH, "MACHINE", "a machine",
     "caches to assume: live (default), FILE.xml of hwloc or `tcplan machine`, or a synthetic description", set_machine},
    {"space", 0, ALL | BATCH, "SPACE", "blas or full", "full (default), or blas: one BLAS kernel on slices in loops", set_space},
    {"effort", 0, TIMED | EXPLAIN | BATCH | ROOFLINE, "EFFORT", "quick, normal or thorough",
     "what planning may cost: quick, normal (default) or thorough", set_effort},
    {"time-limit", 0, TIMED | EXPLAIN | BATCH, "SECONDS", "a number of seconds above 0, at most 1e9",
     "plan a contraction no longer than that; the best known then is the answer", set_time_limit},
    {"seed", 0, TIMED | EXPLAIN | BATCH, "N", "a number of at most 64 bits", "equal seeds choose equal samples (default 1)", set_seed},
    {"max-memory", 0, TIMED | EXPLAIN | SELFTEST | BATCH, "SIZE", "a size such as 512M or 2GiB",
     "bound on the memory of tensors, as 512M or 2GiB", set_max_memory},
    {"max-workspace", 0, ALL | BATCH, "SIZE", "a size such as 512K or 2GiB",
     "only algorithms whose temporaries take SIZE at most, as 512K or 2GiB", set_max_workspace},
    {"format", 0, SHOWN | ROOFLINE, "FORMAT", "text, json, csv or xml", "text (default), json, csv or xml", set_format},
    {"format", 0, SEVERAL, "FORMAT", "text, xml, csv or jsonl", "text, xml, csv or jsonl (default: by FILE's ending)", set_result_format},
    {"format", 0, MACHINE, "FORMAT", "text, json or xml", "text (default), json or xml, which --machine reads", set_machine_format},
    {"format", 0, TRACE | EXPLAIN | SELFTEST, "FORMAT", "text or json", "text (default) or json", set_trace_format},
    {"limit", 0, TIMED | TRACE | BATCH, "SIZE", "a size such as 512K or 6MiB",
     "thesis: cut cache setups at SIZE, not 5/4 of the last cache", set_limit},
    {"output", 'o', ALL | SEVERAL | PORTABILITY | THIS, "FILE", "the name of a file", "write to FILE instead of stdout (-)", set_output},
    {"output", 'o', REPORT, "FILE.html", "the name of a file", "write a page with tables and plots to FILE.html, or to stdout (-)",
     set_output},
    {"quiet", 'q', ALL | SEVERAL | PORTABILITY | THIS, NULL, NULL, "neither progress nor notes on stderr", set_quiet},
    {"help", 'h', ALL | FILES | THIS | COMMAND_HELP, NULL, NULL, "this text", set_help},
    {"version", 'V', ALL | FILES | THIS | COMMAND_HELP, NULL, NULL, "versions of tcplan and of what it stands on", set_version},
};
enum { OPTIONS = sizeof table / sizeof *table };

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
    fprintf(stderr, "see 'tcplan %s --help'\n", cursor->command_name);
    return EXIT_USAGE;
}

/** The option's name as typed, without what follows a `=`. */
static bool is_called(const struct option *option, const char *text, size_t length) {
    return strlen(option->name) == length && memcmp(option->name, text, length) == 0;
}

static const struct option *nearest_option(const char *name, enum command_bit command) {
    const struct option *nearest = NULL;
    size_t smallest = SIZE_MAX;
    for (int o = 0; o < OPTIONS; o++) {
        if (!(table[o].commands & command)) continue;
        const bool shortened = *name && strncmp(table[o].name, name, strlen(name)) == 0;
        const size_t distance = shortened ? 0 : edit_distance(name, table[o].name);
        if (distance >= smallest) continue;
        smallest = distance;
        nearest = &table[o];
    }
    return nearest;
}

static enum exit_status refuse_unknown(const struct cursor *cursor, const char *text, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    for (int o = 0; o < OPTIONS; o++) {
        if (!is_called(&table[o], text, length)) continue;
        diagnose("'%s' takes no option '--%s'", cursor->command_name, name);
        return hint(cursor);
    }
    const struct option *nearest = nearest_option(name, cursor->command);
    diagnose("unknown option '--%s'%s%s%s", name, nearest ? "; the nearest is '--" : "", nearest ? nearest->name : "", nearest ? "'" : "");
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
        diagnose("--%s needs a value: %s", option->name, option->expects);
        return hint(cursor);
    }
    if (option->set(cursor->options, value)) return EXIT_DONE;
    diagnose("--%s expects %s, found '%.200s'", option->name, option->expects, value);
    return hint(cursor);
}

/* long = "--" name [ "=" value ] ; `text` is behind the dashes */
static enum exit_status parse_long(struct cursor *cursor, const char *text) {
    const size_t length = strcspn(text, "=");
    for (int o = 0; o < OPTIONS; o++) {
        if (!(table[o].commands & cursor->command) || !is_called(&table[o], text, length)) continue;
        return apply(cursor, &table[o], text[length] == '=' ? text + length + 1 : NULL);
    }
    return refuse_unknown(cursor, text, length);
}

/* short = "-" letter [ value ] ; `text` is behind the dash */
static enum exit_status parse_short(struct cursor *cursor, const char *text) {
    for (int o = 0; o < OPTIONS; o++) {
        if (!(table[o].commands & cursor->command) || table[o].letter != *text) continue;
        return apply(cursor, &table[o], text[1] ? text + 1 : NULL);
    }
    diagnose("unknown option '-%.40s'", text);
    return hint(cursor);
}

/** One more argument of a command that takes several. */
static enum exit_status take_several(struct cursor *cursor, const char *text) {
    struct options *options = cursor->options;
    if (options->argument_count == OPTIONS_ARGUMENTS_MAX) {
        diagnose("more than %d arguments", OPTIONS_ARGUMENTS_MAX);
        return hint(cursor);
    }
    options->arguments[options->argument_count++] = text;
    return EXIT_DONE;
}

static enum exit_status take_argument(struct cursor *cursor, const char *text) {
    if (cursor->command & FILES) return take_several(cursor, text);
    if (cursor->options->argument) {
        diagnose("unexpected argument '%.200s' behind '%.200s'", text, cursor->options->argument);
        return hint(cursor);
    }
    cursor->options->argument = text;
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

/** Options that exclude or need each other. */
static enum exit_status check_combination(const struct cursor *cursor) {
    const struct options *options = cursor->options;
    const int selections = (options->top > 0) + (options->algorithm != NULL) + (options->all && cursor->command == COMMAND_MEASURE);
    if (selections > 1 && cursor->command != COMMAND_RANK) {
        diagnose("%s exclude each other", cursor->command == COMMAND_MEASURE ? "--top, --algorithm and --all" : "--top and --algorithm");
        return hint(cursor);
    }
    if (cursor->command == COMMAND_RANK && !options->emit && (options->function || options->with_main)) {
        diagnose("%s needs --emit", options->function ? "--function" : "--with-main");
        return hint(cursor);
    }
    if (cursor->command == COMMAND_BATCH && options->top > 0 && !options->measure) {
        diagnose("--top needs --measure");
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

enum exit_status options_parse(struct options *out, enum command_bit command, const char *name, int count, char *const arguments[]) {
    *out = (struct options){.dtype = TCPLAN_DOUBLE,
                            .stage = TCPLAN_STAGE_FIRST,
                            .space = TCPLAN_SPACE_FULL,
                            .effort = TCPLAN_EFFORT_NORMAL,
                            .machine = "live",
                            .threads = 1,
                            .seed = tcplan_rank_defaults().seed};
    struct cursor cursor = {.options = out, .command = command, .command_name = name, .count = count, .arguments = arguments};
    enum exit_status status = parse_all(&cursor);
    if (status != EXIT_DONE || out->help || out->version) return status;
    if (command != COMMAND_PORTABILITY && (out->all || out->predictor != TCPLAN_PREDICT_WINDOW)) out->space = TCPLAN_SPACE_BLAS;
    return check_combination(&cursor);
}

void options_print(FILE *file, enum command_bit command) {
    for (int o = 0; o < OPTIONS; o++) {
        const struct option *option = &table[o];
        if (!(option->commands & command)) continue;
        char usage[40];
        snprintf(usage, sizeof usage, "%c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
                 option->letter ? "," : " ", option->name, option->value ? " " : "", option->value ? option->value : "");
        fprintf(file, "  %-25s %s\n", usage, option->help);
    }
}
