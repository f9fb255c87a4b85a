#include "cli/options_table.h"

#include <stddef.h>

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
    STORE = COMMAND_STORE,
    PORTABILITY = COMMAND_PORTABILITY,
    HELP = COMMAND_HELP | COMMAND_COMPLETION,
    THIS = MACHINE | SELFTEST,
    SHOWN = RANK | LIST | MEASURE,
    ALL = CONTRACTIONS,
    DOCUMENTS = MACHINE | TRACE | EXPLAIN | SELFTEST | STORE, /* what has no lines of a table */
    THREADS_MAX = 4096,
    NO_DEFAULT = 1 /* the words of the help mark none */
};

static const struct tcplan_word formats[] = {{"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"csv", OUTPUT_CSV}, {"xml", OUTPUT_XML}, {0}};
static const struct tcplan_word document_formats[] = {{"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"xml", OUTPUT_XML}, {0}};
static const struct tcplan_word table_formats[] = {{"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"csv", OUTPUT_CSV}, {0}};
static const struct tcplan_word result_formats[] = {{"text", OUTPUT_TEXT}, {"xml", OUTPUT_XML},          {"csv", OUTPUT_CSV},
                                                    {"json", OUTPUT_JSON}, {"jsonl", OUTPUT_JSON_LINES}, {0}};
static const struct tcplan_word explaining_predictors[] = {{"window", TCPLAN_PREDICT_WINDOW}, {0}};

#define AT(member) offsetof(struct options, member), sizeof(((struct options *)0)->member)
#define GIVEN(member) .given = offsetof(struct options, member)

/* clang-format off */
const struct option options_table[] = {
    {"sizes", 's', ALL, OPTION_TEXT, AT(sizes), .value = "SIZES", .expects = "sizes such as a=400,b=400,i=8",
     .help = "extents: a=400,i=8 or \"a=400 i=8\"; shared: a=b=400,i=8; a sweep: a=64:512:64,i=8"},
    {"shapes", 0, ALL, OPTION_TEXT, AT(shapes), .value = "SHAPES", .expects = "the shapes of both factors, such as \"8,64 64,32\"",
     .help = "shapes of both factors, as \"8,64 64,32\", instead of sizes; an ellipsis needs them", .manual = "One argument; `(8, 64) (64, 32)` is the same."},
    {"strides", 0, ALL, OPTION_TEXTS, AT(strides), .max = OPTION_TEXTS_MAX, .value = "STRIDES",
     .expects = "strides such as A=1,400,160000, given eight times at most",
     .help = "tensors that are parts of larger ones: A=1,-400;C=800,2 in elements; again for more", .manual = "See STRIDES above."},
    {"algorithm", 0, EXPLAIN, OPTION_TEXT, AT(algorithm), .value = "NAME", .expects = "the name of an algorithm",
     .help = "the loser, as `tcplan list` names it (default: the runner-up)"},
    {"algorithm", 0, LIST | EMIT | MEASURE | TRACE, OPTION_TEXT, AT(algorithm), .value = "NAME", .expects = "the name of an algorithm",
     .help = "only this algorithm, as `tcplan list` names it"},
    {"measure", 0, BATCH, OPTION_FLAG, AT(measure), .help = "run the first algorithms of each contraction too",
     .manual = "So results tell measured times and regret."},
    {"top", 0, BATCH, OPTION_NUMBER, AT(top), .min = 1, .max = INT64_MAX, .value = "N", .help = "with --measure: how many (default 5)"},
    {"from", 0, BATCH, OPTION_WORD, AT(from), .words = tcplan_words_library_formats, .value = "FORMAT",
     .help = "how to read the libraries: %s", .manual = "`any` goes by their content."},
    {"class", 0, BATCH, OPTION_TEXT, AT(size_class), .min = 1, .value = "NAME", .expects = "the name of a class of sizes",
     .help = "only sizes of this class, as small or large; all: every class", .manual = "`all` takes those that are optional, too."},
    {"only", 0, BATCH, OPTION_TEXT, AT(only), .min = 1, .value = "PATTERN", .expects = "a pattern such as ccsd* or mps/*",
     .help = "only contractions whose NAME or GROUP/NAME matches", .manual = "A pattern of sh(1); it is one of GROUP/NAME where it has a slash."},
    {"shard", 0, BATCH, OPTION_SHARD, AT(shard), .value = "K/N", .help = "only the K-th of N parts, for `tcplan merge`",
     .manual = "Equal contractions are in the same part."},
    {"restart", 0, BATCH, OPTION_FLAG, AT(restart), .help = "replace the results that are there, do not go on with them",
     .manual = "Any other file is refused."},
    {"mixed", 0, SEVERAL, OPTION_FLAG, AT(mixed), .help = "join results of different machines, versions or settings"},
    {"no-lock", 0, BATCH | MEASURE, OPTION_FLAG, AT(no_lock), .help = "do not wait for batches and measurements on this machine"},
    {"top", 0, SHOWN | ROOFLINE, OPTION_NUMBER, AT(top), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "only the first N algorithms (measure: 5 unless told)",
     .manual = "Without it the table of `rank` ends after twelve; JSON, CSV and XML hold all."},
    {"top", 0, REPORT, OPTION_NUMBER, AT(top), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "only the first N contractions of the table (default 40)"},
    {"bandwidth", 0, PORTABILITY, OPTION_TEXT, AT(bandwidth), .min = 1, .value = "LIST", .expects = "numbers such as 28.5,57",
     .help = "GB/s of each file's machine: a roof where it is lower than dgemm's", .manual = "In 1e9 bytes a second, separated by commas."},
    {"all", 0, PORTABILITY, OPTION_FLAG, AT(all), .help = "every algorithm, not only the most portable"},
    {"all", 0, RANK | MEASURE | ROOFLINE, OPTION_FLAG, AT(all), .help = "every algorithm of the space blas, also those that cannot win"},
    {"emit", 0, RANK, OPTION_TEXT, AT(emit), .min = 1, .value = "FILE.c", .expects = "the name of a file",
     .help = "write C for the fastest algorithm to FILE.c"},
    {"emit", 0, SEVERAL, OPTION_TEXT, AT(emit), .min = 1, .value = "FOLDER", .expects = "the name of a folder",
     .help = "write C for every winner to FOLDER: functions, header, Fortran module, CMake file and test",
     .manual = "The test compares every function with the sums that define it. Functions are called `contract_NAME_SIZES`."},
    {"function", 0, RANK | EMIT, OPTION_IDENTIFIER, AT(function), .value = "NAME", .help = "name of the emitted function (default contract)"},
    {"header", 0, RANK | EMIT, OPTION_TEXT, AT(header), .min = 1, .value = "FILE.h", .expects = "the name of a file",
     .help = "write a header for C and C++ as well", .manual = "The C includes it by its name without folders."},
    {"fortran", 0, RANK | EMIT, OPTION_TEXT, AT(fortran), .min = 1, .value = "FILE.f90", .expects = "the name of a file",
     .help = "write a module of Fortran with the function's interface as well", .manual = "The module is called `NAME_interface`."},
    {"with-main", 0, RANK | EMIT, OPTION_FLAG, AT(with_main), .help = "emit a driver that checks the function and times it",
     .manual = "The check is against naive loops."},
    {"measure", 0, ROOFLINE, OPTION_FLAG, AT(measure), .help = "run the algorithms for real as well"},
    {"no-fma", 0, ROOFLINE, OPTION_FLAG, AT(no_fma), .help = "hold them against multiplications and additions that are not fused"},
    {"quick", 0, ROOFLINE, OPTION_FLAG, AT(quick), .help = "coarse and in seconds: few and short windows, gemm not tuned"},
    {"small-pages", 0, ROOFLINE, OPTION_FLAG, AT(small_pages), .help = "bandwidth on pages of the usual size, not on huge ones"},
    {"remeasure", 0, ROOFLINE, OPTION_FLAG, AT(remeasure), .help = "measure the ceilings although they are kept, and keep the new ones"},
    {"ceilings", 0, ROOFLINE, OPTION_TEXT, AT(ceilings), .min = 1, .value = "FILE", .expects = "the name of a file",
     .help = "read the ceilings from FILE or, where it is not there, measure and write them to it",
     .manual = "They may be of another machine. Default: those that are kept of this one, see `store`."},
    {"ceilings", 0, RANK | MEASURE, OPTION_TEXT, AT(ceilings), .min = 1, .value = "FILE", .expects = "the name of a file",
     .help = "the machine's ceilings from FILE of `tcplan roofline`, not those that are kept"},
    {"all", 0, STORE, OPTION_FLAG, AT(all), .help = "forget: everything"},
    {"older", 0, STORE, OPTION_NUMBER, AT(older_days), .min = 1, .max = INT64_MAX, .value = "DAYS",
     .help = "forget: only what was made so many days ago or earlier"},
    {"unusable", 0, STORE, OPTION_FLAG, AT(unusable),
     .help = "forget: only what is not used here: of other machines or libraries, damaged, too old"},
    {"plot", 0, ROOFLINE, OPTION_TEXT, AT(plot), .min = 1, .value = "FILE", .expects = "the name of a file",
     .help = "draw FILE.svg or FILE.png with gnuplot; any other name receives the script", .manual = "The script holds its data."},
    {"dtype", 0, ALL | BATCH, OPTION_WORD, AT(dtype), .words = tcplan_words_dtypes, .value = "TYPE",
     .help = "%s: float, double and their complex types"},
    {"row-major", 0, ALL | BATCH, OPTION_SET, AT(order), .min = TCPLAN_ROW_MAJOR,
     .help = "the last index of a tensor is contiguous, not the first"},
    {"threads", 't', ALL | BATCH, OPTION_NUMBER, AT(threads), GIVEN(threads_given), .min = 1, .max = THREADS_MAX, .value = "N",
     .help = "threads, of the BLAS or of a loop around it (default 1)", .manual = "`roofline`: one on each core."},
    {"blas", 0, ALL | BATCH | THIS, OPTION_TEXTS, AT(blas), .min = 1, .max = TCPLAN_PROVIDER_FILES, .value = "FILE",
     .expects = "the file of a CBLAS, four of them at most", .help = "kernels of another CBLAS too, a shared library; again for more",
     .manual = "It has 32-bit integers, and is the provider `blas1` besides OpenBLAS and, where they were found when tcplan was built, libxsmm and "
               "BLIS; the next ones are `blas2` and so on. `tcplan --version` prints all providers."},
    {"predictor", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_WORD, AT(predictor), .words = tcplan_words_predictors, .value = "NAME",
     .help = "%s; thesis is the dissertation's, repeated a naive one, both of the space blas",
     .manual = "`window` times stretches of real calls after replaying the memory accesses before them; `thesis` is the method of Peise's dissertation "
               "(sections 6.2.2 to 6.2.6): the kernel is timed by itself, ten times for each class of its calls, after the accesses that `tcplan trace` "
               "shows; `repeated` times the kernel again and again on the same operands, and is there to compare with. Only `window` leaves out "
               "algorithms that cannot win."},
    {"predictor", 0, EXPLAIN, OPTION_WORD, AT(predictor), .words = explaining_predictors, .value = "NAME",
     .help = "window, the only one that explains"},
    {"stage", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_WORD, AT(stage), GIVEN(stage_given), .words = tcplan_words_stages, .value = "STAGE",
     .help = "how much of thesis: %s", .manual = "Each stage includes those before it."},
    {"cache", 0, ALL | BATCH, OPTION_WORD, AT(cache), .words = tcplan_words_cache_states, .value = "STATE",
     .help = "caches before the first call: %s", .manual = "`warm` is as after a previous execution."},
    {"machine", 0, ALL | BATCH, OPTION_TEXT, AT(machine), .value = "MACHINE", .expects = "a machine",
     .help = "caches to assume: live (default), FILE.xml of hwloc or `tcplan machine`, or a synthetic description",
     .manual = "A file's name ends in `.xml`; `tcplan machine --format xml` writes one, and so does hwloc's lstopo(1). In a synthetic description of hwloc "
               "`MB` is 1000000 bytes and `MiB` is 1048576. Times are always of this machine."},
    {"space", 0, ALL | BATCH, OPTION_WORD, AT(space), GIVEN(space_given), .words = tcplan_words_spaces, .value = "SPACE",
     .help = "%s: which algorithms; blas: one BLAS kernel on slices in loops",
     .manual = "`blas` is the dissertation's, with copies where BLAS needs them; `full` has these and candidates with fused indices, tiles, copies as a "
               "choice, streamed results, kernels of other providers, and element-wise products of batch indices. `--all` and other predictors than "
               "`window` are of the space `blas`; a note says so where `full` was asked for."},
    {"effort", 0, ALL | BATCH, OPTION_WORD, AT(effort), .words = tcplan_words_efforts, .value = "EFFORT", .help = "what planning may cost: %s",
     .manual = "`quick` looks at few loop orders of a kernel and compares the fastest briefly, `normal` tells the fastest apart to two per cent, "
               "`thorough` gives every algorithm that no bound excludes full windows."},
    {"prefer", 0, ALL | BATCH, OPTION_WORD, AT(prefer), .words = tcplan_words_preferences, .value = "WHAT",
     .help = "of equally fast algorithms: %s; ease: fewer libraries, less workspace, fewer lines",
     .manual = "What is picked of algorithms that were compared and are equally fast, within two per cent: `ease` takes the one that needs fewest libraries, then "
               "least workspace, then fewest lines of C, `speed` the fastest."},
    {"time-limit", 0, (ALL & ~LIST) | BATCH, OPTION_SECONDS, AT(time_limit_seconds), .value = "SECONDS",
     .help = "plan a contraction no longer than that; the best known then is the answer",
     .manual = "Nothing new is begun after that time, and the output says how many algorithms were not looked at. Where a look at even one would not end "
               "in time the answer is an estimate, and is called so."},
    {"time-limit", 0, LIST, OPTION_SECONDS, AT(time_limit_seconds), .value = "SECONDS",
     .help = "find candidates no longer than that (default 20)"},
    {"seed", 0, ALL | BATCH, OPTION_SEED, AT(seed), .value = "N", .help = "equal seeds choose equal samples (default 1)"},
    {"max-memory", 0, ALL | SELFTEST | BATCH, OPTION_SIZE, AT(max_memory_bytes), .value = "SIZE",
     .help = "bound on the memory of tensors, as 512M or 2GiB",
     .manual = "In bytes, or in powers of 1024 as `512M`, `512MiB` or `2G`. By default an eighth of what is free, from 384 MB to 2 GB, for predictions, and "
               "what is free for measurements."},
    {"align", 0, ALL | BATCH, OPTION_SIZE, AT(alignment_bytes), .value = "BYTES",
     .help = "arrays begin at multiples of BYTES and of no more (default 16)",
     .manual = "A power of two. What is predicted and measured depends on it: results are written past the caches by lines of 64 bytes. Arrays of malloc and "
               "numpy begin 16 bytes behind a line; 64 and 4096 are for programs that see to it that theirs begin with a line or a page."},
    {"max-workspace", 0, ALL | BATCH, OPTION_SIZE, AT(max_workspace_bytes), .value = "SIZE",
     .help = "only algorithms whose temporaries take SIZE at most, as 512K or 2GiB", .manual = "A named algorithm that needs more is refused."},
    {"format", 0, SHOWN | ROOFLINE, OPTION_WORD, AT(format), .words = formats, .value = "FORMAT", .help = "%s"},
    {"format", 0, REPORT, OPTION_WORD, AT(format), .words = formats, .value = "FORMAT", .help = "of the summary: %s"},
    {"format", 0, SEVERAL, OPTION_WORD, AT(format), GIVEN(format_given), .words = result_formats, .min = NO_DEFAULT, .value = "FORMAT",
     .help = "%s (default: by FILE's ending)", .manual = "`json` is an array, `jsonl` an object a line."},
    {"format", 0, DOCUMENTS, OPTION_WORD, AT(format), .words = document_formats, .value = "FORMAT", .help = "%s",
     .manual = "The XML of `machine` is a machine for `--machine`."},
    {"format", 0, PORTABILITY, OPTION_WORD, AT(format), .words = table_formats, .value = "FORMAT", .help = "%s"},
    {"json", 'j', SHOWN | ROOFLINE | REPORT | SEVERAL | DOCUMENTS | PORTABILITY, OPTION_SET, AT(format), GIVEN(format_given),
     .min = OUTPUT_JSON, .help = "as --format json"},
    {"limit", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_SIZE, AT(limit_bytes), .value = "SIZE",
     .help = "thesis: cut cache setups at SIZE, not 5/4 of the last cache"},
    {"output", 'o', ALL | SEVERAL | PORTABILITY | THIS | STORE | HELP, OPTION_TEXT, AT(output), .min = 1, .value = "FILE", .expects = "the name of a file",
     .help = "write to FILE instead of stdout (-)", .manual = "The file appears complete or not at all."},
    {"output", 'o', REPORT, OPTION_TEXT, AT(output), .min = 1, .value = "FILE.html", .expects = "the name of a file",
     .help = "write a page with tables and plots to FILE.html, or to stdout (-)"},
    {"quiet", 'q', ALL | LISTS | THIS, OPTION_FLAG, AT(quiet), .help = "neither progress nor notes on stderr",
     .manual = "Progress is printed on terminals only."},
    {"man", 0, COMMAND_HELP, OPTION_FLAG, AT(man), .help = "the man page, as man(1) reads it"},
    {"help", 'h', ALL | LISTS | THIS | HELP, OPTION_FLAG, AT(help), .help = "this text"},
    {"version", 'V', ALL | LISTS | THIS | HELP, OPTION_FLAG, AT(version), .help = "versions of tcplan and of what it stands on"},
};
/* clang-format on */
const size_t options_table_count = sizeof options_table / sizeof *options_table;

const struct options options_defaults = {.dtype = TCPLAN_DOUBLE,
                                         .stage = TCPLAN_STAGE_FIRST,
                                         .space = TCPLAN_SPACE_FULL,
                                         .effort = TCPLAN_EFFORT_NORMAL,
                                         .machine = "live",
                                         .threads = 1,
                                         .seed = 1};
