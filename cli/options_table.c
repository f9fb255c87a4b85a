#include "cli/options_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/decimal.h"

#define MOST_SECONDS 1e9

enum {
    RANK = COMMAND_RANK,
    LIST = COMMAND_LIST,
    EMIT = COMMAND_EMIT,
    MEASURE = COMMAND_MEASURE,
    TRACE = COMMAND_TRACE,
    EXPLAIN = COMMAND_EXPLAIN,
    BATCH = COMMAND_BATCH,
    ROOFLINE = COMMAND_ROOFLINE,
    MACHINE = COMMAND_MACHINE,
    SELFTEST = COMMAND_SELFTEST,
    REPORT = COMMAND_REPORT,
    THIS = MACHINE | SELFTEST,
    SHOWN = RANK | LIST | MEASURE,
    ALL = SHOWN | EMIT | TRACE | EXPLAIN | ROOFLINE,
    PORTABILITY = COMMAND_PORTABILITY,
    THREADS_MAX = 4096,
    SHARDS_MAX = 1000000
};

static const struct tcplan_word format_words[] = {
    {"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"csv", OUTPUT_CSV}, {"xml", OUTPUT_XML}, {0}};
static const struct tcplan_word result_format_words[] = {{"text", OUTPUT_TEXT}, {"xml", OUTPUT_XML},          {"csv", OUTPUT_CSV},
                                                         {"json", OUTPUT_JSON}, {"jsonl", OUTPUT_JSON_LINES}, {0}};

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
    return tcplan_word_value(tcplan_words_dtypes, value, &options->dtype);
}

static bool set_predictor(struct options *options, const char *value) {
    return tcplan_word_value(tcplan_words_predictors, value, &options->predictor);
}

static bool set_window(struct options *options, const char *value) {
    return set_predictor(options, value) && options->predictor == TCPLAN_PREDICT_WINDOW;
}

static bool set_stage(struct options *options, const char *value) {
    options->stage_given = true;
    return tcplan_word_value(tcplan_words_stages, value, &options->stage);
}

static bool set_cache(struct options *options, const char *value) {
    return tcplan_word_value(tcplan_words_cache_states, value, &options->cache);
}

static bool set_format(struct options *options, const char *value) {
    return tcplan_word_value(format_words, value, &options->format);
}

/** As the results of a batch have it. */
static bool set_result_format(struct options *options, const char *value) {
    options->format_given = true;
    return tcplan_word_value(result_format_words, value, &options->format);
}

static bool set_from(struct options *options, const char *value) {
    return tcplan_word_value(tcplan_words_library_formats, value, &options->from);
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

/** What has no lines of a table. */
static bool set_document_format(struct options *options, const char *value) {
    return set_format(options, value) && options->format != OUTPUT_CSV;
}

static bool set_space(struct options *options, const char *value) {
    options->space_given = true;
    return tcplan_word_value(tcplan_words_spaces, value, &options->space);
}

static bool set_threads(struct options *options, const char *value) {
    uint64_t threads;
    if (!read_number(&threads, value, THREADS_MAX) || threads < 1) return false;
    options->threads = (int)threads;
    options->threads_given = true;
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
    return tcplan_word_value(tcplan_words_efforts, value, &options->effort);
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

const struct option options_table[] = {
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
    {"no-lock", 0, BATCH | MEASURE, NULL, NULL, "do not wait for batches and measurements on this machine", set_no_lock},
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
    {"threads", 0, ALL | BATCH, "N", "a number from 1 to 4096", "threads, of the BLAS or of a loop around it (default 1)", set_threads},
    {"blas", 0, ALL | BATCH | THIS, "FILE", "the file of a CBLAS, four of them at most",
     "kernels of another CBLAS too, a shared library; again for more", set_blas},
    {"predictor", 0, (ALL & ~EXPLAIN) | BATCH, "NAME", "window, thesis or repeated",
     "window (default), thesis (the dissertation's) or repeated (naive): the space blas", set_predictor},
    {"predictor", 0, EXPLAIN, "NAME", "window", "window, the only one that explains", set_window},
    {"stage", 0, (ALL & ~EXPLAIN) | BATCH, "STAGE", "repeated, access, prefetch, failure or first",
     "how much of thesis: repeated, access, prefetch, failure or first (default: all)", set_stage},
    {"cache", 0, ALL | BATCH, "STATE", "warm or cold", "caches before the first call: warm (default) or cold", set_cache},
    {"machine", 0, ALL | BATCH, "MACHINE", "a machine",
     "caches to assume: live (default), FILE.xml of hwloc or `tcplan machine`, or a synthetic description", set_machine},
    {"space", 0, ALL | BATCH, "SPACE", "blas or full", "full (default), or blas: one BLAS kernel on slices in loops", set_space},
    {"effort", 0, ALL | BATCH, "EFFORT", "quick, normal or thorough", "what planning may cost: quick, normal (default) or thorough",
     set_effort},
    {"time-limit", 0, (ALL & ~LIST) | BATCH, "SECONDS", "a number of seconds above 0, at most 1e9",
     "plan a contraction no longer than that; the best known then is the answer", set_time_limit},
    {"time-limit", 0, LIST, "SECONDS", "a number of seconds above 0, at most 1e9", "find candidates no longer than that (default 20)",
     set_time_limit},
    {"seed", 0, ALL | BATCH, "N", "a number of at most 64 bits", "equal seeds choose equal samples (default 1)", set_seed},
    {"max-memory", 0, ALL | SELFTEST | BATCH, "SIZE", "a size such as 512M or 2GiB", "bound on the memory of tensors, as 512M or 2GiB",
     set_max_memory},
    {"max-workspace", 0, ALL | BATCH, "SIZE", "a size such as 512K or 2GiB",
     "only algorithms whose temporaries take SIZE at most, as 512K or 2GiB", set_max_workspace},
    {"format", 0, SHOWN | ROOFLINE, "FORMAT", "text, json, csv or xml", "text (default), json, csv or xml", set_format},
    {"format", 0, REPORT, "FORMAT", "text, json, csv or xml", "of the summary: text (default), json, csv or xml", set_format},
    {"format", 0, SEVERAL, "FORMAT", "text, xml, csv, json or jsonl", "text, xml, csv, json or jsonl (default: by FILE's ending)",
     set_result_format},
    {"format", 0, MACHINE, "FORMAT", "text, json or xml", "text (default), json or xml, which --machine reads", set_document_format},
    {"format", 0, TRACE | EXPLAIN | SELFTEST, "FORMAT", "text, json or xml", "text (default), json or xml", set_document_format},
    {"limit", 0, (ALL & ~EXPLAIN) | BATCH, "SIZE", "a size such as 512K or 6MiB",
     "thesis: cut cache setups at SIZE, not 5/4 of the last cache", set_limit},
    {"output", 'o', ALL | SEVERAL | PORTABILITY | THIS, "FILE", "the name of a file", "write to FILE instead of stdout (-)", set_output},
    {"output", 'o', REPORT, "FILE.html", "the name of a file", "write a page with tables and plots to FILE.html, or to stdout (-)",
     set_output},
    {"quiet", 'q', ALL | FILES | THIS, NULL, NULL, "neither progress nor notes on stderr", set_quiet},
    {"help", 'h', ALL | FILES | THIS | COMMAND_HELP, NULL, NULL, "this text", set_help},
    {"version", 'V', ALL | FILES | THIS | COMMAND_HELP, NULL, NULL, "versions of tcplan and of what it stands on", set_version},
};
const size_t options_table_count = sizeof options_table / sizeof *options_table;
