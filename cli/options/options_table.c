#include "cli/options/options_table.h"

#include <stddef.h>

#include "cli/render/sampling/sampling.h"
#include "tcplan/blocked_measure.h"
#include "tcplan/network_search.h"

#define RANK COMMAND(RANK)
#define LIST COMMAND(LIST)
#define EMIT COMMAND(EMIT)
#define MEASURE COMMAND(MEASURE)
#define TRACE COMMAND(TRACE)
#define EXPLAIN COMMAND(EXPLAIN)
#define COMPARE COMMAND(COMPARE)
#define ADVISE COMMAND(ADVISE)
#define BATCH COMMAND(BATCH)
#define ROOFLINE COMMAND(ROOFLINE)
#define MACHINE COMMAND(MACHINE)
#define SELFTEST COMMAND(SELFTEST)
#define REPORT COMMAND(REPORT)
#define STORE COMMAND_STORE
#define PLANS COMMAND_PLANS
#define MODEL COMMAND_MODEL
#define PORTABILITY COMMAND(PORTABILITY)
#define CHECK COMMAND(CHECK)
#define TUNE COMMAND(TUNE)
#define SAMPLE COMMAND(SAMPLE)
#define EXPERIMENT COMMAND_EXPERIMENT
#define BLOCKED COMMAND_BLOCKED
#define HELP (COMMAND(HELP) | COMMAND(COMPLETION))
#define SHOWN (RANK | LIST | MEASURE)
#define ORDERED (RANK | LIST | EXPLAIN | EMIT | MEASURE) /* take expressions of several tensors */
#define ALL CONTRACTIONS
#define EVERY ~HELP

/* Actions that measure models or choose some, that take sizes, that time, use the routines of a
 * BLAS, or make models. */
#define MODEL_MEASURES (MODEL_GENERATE | MODEL_CHECK)
#define MODEL_CHOOSES (MODEL & ~MODEL_IMPORT)
#define BLOCKED_SIZED (BLOCKED & ~(BLOCKED_LIST | BLOCKED_EMIT))
#define BLOCKED_RUNS                                                                               \
    (BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE | BLOCKED_WINDOWS | BLOCKED_CACHE)
#define BLOCKED_USES (BLOCKED_RUNS | BLOCKED_MODELS)
#define BLOCKED_GENERATES (BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE | BLOCKED_WINDOWS)
/* What prints tables, and documents, which have no CSV: commands that say so in their list, and
 * actions. */
enum { PRINTS_OTHER, PRINTS_TABLES, PRINTS_DOCUMENTS };
#define BIT_IF(condition, number) | ((condition) ? ACTION_BIT(number) : 0)
#define WITH_TABLES(NAME, name, prints) BIT_IF(PRINTS_##prints == PRINTS_TABLES, NUMBER_##NAME)
#define WITH_DOCUMENTS(NAME, name, prints)                                                         \
    BIT_IF(PRINTS_##prints == PRINTS_DOCUMENTS, NUMBER_##NAME)
#define TABLES                                                                                     \
    (MODEL_LIST | MODEL_SHOW | MODEL_MEASURES | (BLOCKED & ~BLOCKED_EMIT) COMMAND_LIST(WITH_TABLES))
#define DOCUMENTS (STORE_LIST | PLANS_LIST COMMAND_LIST(WITH_DOCUMENTS))

enum { NO_DEFAULT = 1 }; /* the words of the help mark none */

static const struct tcplan_word formats[] = {
    {"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"csv", OUTPUT_CSV}, {"xml", OUTPUT_XML}, {0}};
static const struct tcplan_word help_extents[] = {{"all", HELP_ALL}, {0}};
static const struct tcplan_word directions[] = {{"all", TCPLAN_DIRECTION_BOTH},
                                                {"read", TCPLAN_DIRECTION_READ},
                                                {"write", TCPLAN_DIRECTION_WRITE},
                                                {0}};
static const struct tcplan_word units[] = {{"second", false}, {"cycle", true}, {0}};
static const struct tcplan_word sample_units[] = {
    {"cycle", SAMPLE_CYCLES}, {"second", SAMPLE_SECONDS}, {"nanosecond", SAMPLE_NANOSECONDS}, {0}};
static const struct tcplan_word conversions[] = {{"never", TCPLAN_CONVERSION_NEVER},
                                                 {"once", TCPLAN_CONVERSION_ONCE},
                                                 {"each", TCPLAN_CONVERSION_EACH},
                                                 {0}};
static const struct tcplan_word objectives[] = {{"time", TCPLAN_OBJECTIVE_TIME},
                                                {"flops", TCPLAN_OBJECTIVE_FLOPS},
                                                {"memory", TCPLAN_OBJECTIVE_MEMORY},
                                                {0}};
static const struct tcplan_word sample_formats[] = {
    {"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"csv", OUTPUT_CSV}, {0}};
static const struct tcplan_word extents[] = {{"fixed", false}, {"runtime", true}, {0}};
static const struct tcplan_word document_formats[] = {
    {"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"xml", OUTPUT_XML}, {0}};
static const struct tcplan_word result_formats[] = {
    {"text", OUTPUT_TEXT}, {"xml", OUTPUT_XML},          {"csv", OUTPUT_CSV},
    {"json", OUTPUT_JSON}, {"jsonl", OUTPUT_JSON_LINES}, {0}};
static const struct tcplan_word others[] = {{"numpy", TCPLAN_CONTENDER_NUMPY}, {0}};
/* clang-format off */
#define PROVIDER_WORD(NUMBER, name) {#name, TCPLAN_PROVIDER_##NUMBER},
static const struct tcplan_word providers[] = {
    TCPLAN_PROVIDER_LIST(PROVIDER_WORD)
    {"emitted", TCPLAN_PROVIDER_EMITTED},
    {"blas1", TCPLAN_PROVIDER_FILE_1},
    {"blas2", TCPLAN_PROVIDER_FILE_2},
    {"blas3", TCPLAN_PROVIDER_FILE_3},
    {"blas4", TCPLAN_PROVIDER_FILE_4},
    {0}};
/* clang-format on */
static const struct tcplan_word placements[] = {{"warm", TCPLAN_MODEL_WARM},
                                                {"cold", TCPLAN_MODEL_COLD},
                                                {"streaming", TCPLAN_MODEL_STREAMING},
                                                {0}};
static const struct tcplan_word grids[] = {
    {"chebyshev", TCPLAN_MODEL_CHEBYSHEV}, {"cartesian", TCPLAN_MODEL_CARTESIAN}, {0}};
static const struct tcplan_word references[] = {
    {"minimum", TCPLAN_MODEL_MINIMUM}, {"median", TCPLAN_MODEL_MEDIAN}, {0}};
static const struct tcplan_word error_measures[] = {{"maximum", TCPLAN_MODEL_OF_MAXIMUM},
                                                    {"p90", TCPLAN_MODEL_OF_MOST},
                                                    {"mean", TCPLAN_MODEL_OF_MEAN},
                                                    {0}};
static const struct tcplan_word blocked_predictors[] = {
    {"models", BLOCKED_BY_MODELS}, {"windows", BLOCKED_BY_WINDOWS}, {0}};

static const struct tcplan_word explaining_predictors[] = {{"window", TCPLAN_PREDICT_WINDOW}, {0}};

#define AT(member) offsetof(struct options, member), sizeof(((struct options *)0)->member)
/** In a group of the help, and among the common options of some commands and actions. */
#define IN(name, commons) .group = GROUP_##name, .common = (commons)
#define EVERYWHERE UINT64_MAX

/* clang-format off */
const struct option options_table[] = {
    {"sizes", 's', ALL | COMPARE | ADVISE, OPTION_TEXT, AT(sizes), IN(INPUT, EVERYWHERE), .requires = "contraction", .excludes = "shapes", .value = "SIZES",
     .expects = "sizes such as a=400,b=400,i=8", .help = "extents: a=400,i=8 or \"a=400 i=8\"; shared: a=b=400,i=8; a sweep: a=64:512:64,i=8",
     .manual = "They may name more indices than the contraction has, as one list does for many contractions; a note names these."},
    {"shapes", 0, ALL | COMPARE | ADVISE, OPTION_TEXT, AT(shapes), IN(INPUT, RANK), .requires = "contraction", .value = "SHAPES",
     .expects = "the shape of each tensor, such as \"8,64 64,32\"",
     .help = "shape of each tensor, as \"8,64 64,32\", instead of sizes; an ellipsis needs them",
     .manual = "One argument; `(8, 64) (64, 32)` is the same. Of several tensors the shapes follow in the order in which the expression first names each."},
    {"strides", 0, ALL | COMPARE | ADVISE, OPTION_TEXTS, AT(strides), IN(INPUT, 0), .requires = "contraction", .excludes = "several", .max = OPTION_TEXTS_MAX,
     .value = "STRIDES", .expects = "strides such as A=1,400,160000, given eight times at most",
     .help = "tensors that are parts of larger ones: A=1,-400;C=800,2 in elements; again for more", .manual = "See STRIDES above."},
    {"conj", 0, ALL | ADVISE, OPTION_TEXT, AT(conjugates), IN(INPUT, 0), .requires = "contraction", .excludes = "several", .value = "NAMES",
     .expects = "names of tensors such as A or A,B", .help = "take the conjugates of these tensors: A or A,B, as conj(A)_ai does in formulas"},
    {"objective", 0, ORDERED, OPTION_WORD, AT(objective), IN(SEARCH, 0), .requires = "several", .excludes = "effort=quick effort=normal effort=thorough",
     .words = objectives, .value = "WHAT", .help = "of several tensors: the order that needs least %s",
     .manual = "`memory` is what intermediates take at once."},
    {"path", 0, ORDERED, OPTION_TEXT, AT(path), IN(SEARCH, EXPLAIN), .requires = "several", .excludes = "objective", .min = 1, .value = "PATH",
     .expects = "a path such as \"[(0, 1), (0, 1)]\"", .help = "of several tensors: take this order, as opt_einsum writes it: \"[(0, 1), (0, 1)]\"",
     .manual = "Of a sum one path for each term, with `; ` between them. `rank` and `explain` print the order that they would choose beside it."},
    {"free", 0, ADVISE, OPTION_TEXT, AT(layout.names), IN(INPUT, EVERYWHERE), .min = 1, .value = "NAMES", .expects = "names of tensors such as A or A,C",
     .help = "only these tensors may change: A or A,C (default: all)"},
    {"with", 0, ADVISE, OPTION_TEXT, AT(layout.program), IN(INPUT, EVERYWHERE), .role = FILE_INPUT, .value = "FILE",
     .help = "a list of contractions that share tensors by their names: a whole program",
     .manual = "Lines `NAME | CONTRACTION | SIZES | x12`, or as `batch` reads them; `x12` runs twelve times. One name is one tensor, with one layout in all "
     "of them."},
    {"conversion", 0, ADVISE, OPTION_WORD, AT(layout.conversion), IN(INPUT, EVERYWHERE), .words = conversions, .value = "WHEN",
     .help = "how often changing a tensor's layout is paid for: %s",
     .manual = "`never`: whoever makes the tensor makes it so; `once`: it is copied once, for `--uses` runs; `each`: each contraction copies its changed "
     "factors before it, and its changed result behind it."},
    {"uses", 0, ADVISE, OPTION_NUMBER, AT(layout.uses), IN(INPUT, EVERYWHERE), .requires = "conversion=once", .min = 1, .max = INT32_MAX, .value = "N",
     .help = "with --conversion once: runs that share a conversion (default 1)"},
    {"top", 0, ADVISE, OPTION_NUMBER, AT(top), IN(SEARCH, EVERYWHERE), .excludes = "effort=estimate", .min = 1, .max = TCPLAN_LAYOUTS_MOST - 1, .value = "N",
     .help = "time the best N layouts beside today's (default 4)"},
    {"n", 0, BLOCKED_SIZED, OPTION_TEXT, AT(blocked.n), IN(INPUT, EVERYWHERE), .excludes = "sizes", .min = 1, .value = "N",
     .expects = "a size, or first:last:step", .help = "order of the matrix, or its columns: 1000, or a sweep 500:4000:500"},
    {"m", 0, BLOCKED_SIZED, OPTION_TEXT, AT(blocked.m), IN(INPUT, EVERYWHERE), .requires = "n", .excludes = "sizes", .min = 1, .value = "M",
     .expects = "a size, or first:last:step", .help = "its rows, of getrf, geqrf and trsyl (default: as many as columns)"},
    {"sizes", 's', BLOCKED_SIZED, OPTION_TEXT, AT(sizes), IN(INPUT, 0), .min = 1, .value = "SIZES", .expects = "sizes such as m=1000,k=50,n=800",
     .help = "sizes by name instead, as products of several matrices have them: m=1000,k=50:500:50"},
    {"block", 'b', BLOCKED_SIZED, OPTION_TEXT, AT(blocked.block), IN(INPUT, EVERYWHERE), .min = 1, .value = "B",
     .expects = "a block size, or first:last:step", .help = "block size, or a sweep 24:536:8 (default: LAPACK's)"},
    {"function", 0, BLOCKED_EMIT | BLOCKED_RANK, OPTION_IDENTIFIER, AT(function), IN(OUTPUT, 0), .requires = "emit", .value = "NAME",
     .help = "name of the function (default: the algorithm's; block_size)"},
    {"algorithms", 0, BLOCKED, OPTION_TEXT, AT(blocked.algorithms), IN(INPUT, BLOCKED_CHECK), .role = FILE_INPUT, .value = "FILE.xml",
     .help = "algorithms of your own, instead of tcplan's"},
    {"repetitions", 0, BLOCKED_RANK | BLOCKED_MEASURE | BLOCKED_WINDOWS | BLOCKED_CACHE, OPTION_NUMBER, AT(blocked.repetitions),
     .requires = "predictor=windows", IN(SEARCH, BLOCKED & ~BLOCKED_RANK), .min = 1, .max = 1000, .value = "N",
     .help = "runs, of cache timings of each call, of windows samples (default 10)"},
    {"leading", 0, BLOCKED_MEASURE, OPTION_NUMBER, AT(blocked.leading), IN(EXPERT, EVERYWHERE), .min = 1, .max = INT32_MAX, .value = "N",
     .help = "leading dimension of the matrices (default: as many as rows)"},
    {"level", 0, BLOCKED_CACHE, OPTION_NUMBER, AT(blocked.level), IN(OUTPUT, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_CACHE_LEVELS, .value = "L",
     .help = "which cache is meant (default: the last one)"},
    {"cache-size", 0, BLOCKED_CACHE, OPTION_SIZE, AT(blocked.cache_bytes), IN(EXPERT, EVERYWHERE), .value = "SIZE",
     .help = "its size (default: what the machine says)"},
    {"measure", 0, BLOCKED_RANK | BLOCKED_WINDOWS, OPTION_FLAG, AT(measure), IN(SEARCH, BLOCKED_WINDOWS), .requires = "predictor=windows",
     .help = "run the whole algorithm behind each sample as well"},
    {"all", 0, BLOCKED_CACHE, OPTION_FLAG, AT(all), IN(SEARCH, EVERYWHERE), .help = "JSON and XML have every call"},
    {"blas", 0, BLOCKED_USES, OPTION_TEXTS, AT(blas), IN(SEARCH, 0), .max = TCPLAN_PROVIDER_FILES, .role = FILE_INPUT, .value = "FILE",
     .expects = "the file of a CBLAS, four of them at most", .help = "another library, the provider blas1; again for more"},
    {"with-main", 0, BLOCKED_EMIT, OPTION_FLAG, AT(with_main), IN(OUTPUT, 0),
     .help = "add a driver that checks the function beside LAPACK's routine and times it"},
    {"predictor", 0, BLOCKED_RANK, OPTION_WORD, AT(blocked.predictor), IN(EXPERT, EVERYWHERE), .words = blocked_predictors, .min = NO_DEFAULT,
     .value = "NAME", .help = "rank by %s (default: by models, or by windows if models are missing)",
     .manual = "`windows` is what `blocked windows` does: stretches of calls are timed, and the models' prediction stands beside where there are models."},
    {"without-result", 0, BLOCKED_CHECK, OPTION_FLAG, AT(blocked.without_result), .common = EVERYWHERE,
     .help = "check matrices that are singular or not positive definite"},
    {"generate", 0, BLOCKED_GENERATES, OPTION_FLAG, AT(blocked.generate), IN(STORED, BLOCKED_GENERATES), .excludes = "no-generate",
     .help = "make the models that are missing first",
     .manual = "That measures, for minutes or, of three sizes and large ones, for hours; with `--time-limit` models are kept as they are by then."},
    {"no-generate", 0, BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE, OPTION_FLAG, AT(blocked.no_generate), .group = GROUP_STORED,
     .help = "do not ask whether to make them, but say which are missing"},
    {"provider", 0, BLOCKED_USES, OPTION_WORD, AT(model.provider), IN(INPUT, BLOCKED_MODELS), .words = providers, .min = NO_DEFAULT, .value = "NAME",
     .help = "whose routines: openblas (default), libxsmm, blis, blas1 to blas4"},
    {"tolerance", 0, BLOCKED_RANK, OPTION_PERCENT, AT(blocked.tie), IN(SEARCH, 0), .excludes = "predictor=windows", .value = "PERCENT",
     .help = "predicted times within it are tied (default 1.5)"},
    {"plot", 0, BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .excludes = "predictor=windows",
     .role = FILE_OUTPUT, .value = "FILE.svg", .help = "draw performance over n or b, or over both as colours",
     .manual = "`predict` of one algorithm over block sizes draws the shares of its kernels. Then nothing is printed unless `-o` or `--format` asks for it."},
    {"emit", 0, BLOCKED_RANK, OPTION_TEXT, AT(emit), IN(OUTPUT, EVERYWHERE), .excludes = "predictor=windows", .role = FILE_OUTPUT, .value = "FILE.c",
     .help = "write the best block sizes of one algorithm as a C function of n", .manual = "Then nothing is printed unless `-o` or `--format` asks for it."},
    {"time-limit", 0, BLOCKED_RUNS, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, BLOCKED_WINDOWS), .value = "SECONDS",
     .help = "measure no longer than that, and go on with what is there",
     .manual = "Of `windows` for each algorithm and size by itself. Models that are not complete by then are kept as they are; `tcplan model generate` goes "
     "on."},
    {"seed", 0, BLOCKED_RUNS, OPTION_SEED, AT(seed), .value = "N", .help = "of random places, and of the order of measurements (default 1)"},
    {"max-memory", 0, BLOCKED_RUNS, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "bound on operands (default: most of what is free)"},
    {"no-lock", 0, BLOCKED_RUNS, OPTION_FLAG, AT(no_lock), .help = "do not wait for batches and measurements on this machine"},
    {"algorithm", 0, EXPLAIN, OPTION_TEXT, AT(algorithm), IN(SEARCH, EVERYWHERE), .excludes = "several", .value = "NAME",
     .expects = "the name of an algorithm", .help = "the loser, as `tcplan list` names it (default: the runner-up)"},
    {"algorithm", 0, LIST | EMIT | MEASURE | TRACE, OPTION_TEXT, AT(algorithm), IN(SEARCH, EVERYWHERE), .excludes = "several top all", .value = "NAME",
     .expects = "the name of an algorithm", .help = "only this algorithm, as `tcplan list` names it"},
    {"algorithm", 0, ROOFLINE, OPTION_TEXTS, AT(algorithms), IN(SEARCH, 0), .requires = "contraction", .excludes = "top all", .min = 1,
     .max = OPTION_TEXTS_MAX, .value = "NAME", .expects = "the name of an algorithm, given eight times at most",
     .help = "only this algorithm, as `tcplan list` names it; again for more",
     .manual = "Nothing is ranked then. A sweep of sizes gives each a line of points; without names those that are first at the last size, `--top` (4) of "
     "them."},
    {"baseline", 0, RANK | MEASURE, OPTION_TEXT, AT(baseline), IN(SEARCH, 0), .excludes = "several", .value = "NAME", .expects = "the name of an algorithm",
     .help = "compare the winner with this algorithm, not with one plain call",
     .manual = "If the search did not compare the two, they run in turns for a second at most."},
    {"measure", 0, BATCH, OPTION_FLAG, AT(measure), IN(SEARCH, EVERYWHERE), .excludes = "effort=estimate",
     .help = "run the first algorithms of each contraction too", .manual = "So results tell measured times and regret."},
    {"top", 0, BATCH, OPTION_NUMBER, AT(top), IN(SEARCH, 0), .requires = "measure", .min = 1, .max = INT64_MAX, .value = "N",
     .help = "with --measure: how many (default 5)"},
    {"from", 0, BATCH, OPTION_WORD, AT(from), IN(INPUT, 0), .words = tcplan_words_library_formats, .value = "FORMAT", .help = "how to read the libraries: %s",
     .manual = "`any` goes by their content."},
    {"class", 0, BATCH, OPTION_TEXT, AT(size_class), IN(INPUT, EVERYWHERE), .min = 1, .value = "NAME", .expects = "the name of a class of sizes",
     .help = "only sizes of this class, as small or large; all: every class", .manual = "`all` takes those that are optional, too."},
    {"only", 0, BATCH, OPTION_TEXT, AT(only), IN(INPUT, EVERYWHERE), .min = 1, .value = "PATTERN", .expects = "a pattern such as ccsd* or mps/*",
     .help = "only contractions whose NAME or GROUP/NAME matches", .manual = "A pattern of sh(1); it is one of GROUP/NAME where it has a slash."},
    {"shard", 0, BATCH, OPTION_SHARD, AT(shard), IN(INPUT, EVERYWHERE), .value = "K/N", .help = "only the K-th of N parts, for `tcplan merge`",
     .manual = "Equal contractions are in the same part."},
    {"restart", 0, BATCH, OPTION_FLAG, AT(restart), IN(STORED, EVERYWHERE), .help = "replace the results that are there, do not go on with them",
     .manual = "Any other file is refused."},
    {"mixed", 0, SEVERAL, OPTION_FLAG, AT(mixed), IN(STORED, 0), .help = "join results of different machines, versions or settings"},
    {"no-lock", 0, BATCH | MEASURE | COMPARE | ADVISE, OPTION_FLAG, AT(no_lock), .help = "do not wait for batches and measurements on this machine"},
    {"top", 0, MEASURE, OPTION_NUMBER, AT(top), IN(SEARCH, EVERYWHERE), .excludes = "several all", .min = 1, .max = INT64_MAX, .value = "N",
     .help = "only the first N algorithms (default 5)"},
    {"top", 0, RANK | LIST | ROOFLINE, OPTION_NUMBER, AT(top), IN(SEARCH, RANK | LIST), .requires = "contraction", .excludes = "several", .min = 1,
     .max = INT64_MAX, .value = "N", .help = "only the first N algorithms",
     .manual = "Without it the table of `rank` ends after twelve; JSON, CSV and XML hold all."},
    {"full", 0, RANK | MEASURE, OPTION_FLAG, AT(full), IN(OUTPUT, 0), .help = "of a sweep: print the table of each size, not one line"},
    {"max-points", 0, SHOWN | ROOFLINE, OPTION_NUMBER, AT(max_points), IN(OUTPUT, 0), .requires = "contraction", .min = 1, .max = INT64_MAX, .value = "N",
     .help = "refuse a sweep of more than N size points (default 1000)"},
    {"top", 0, REPORT, OPTION_NUMBER, AT(top), IN(SEARCH, 0), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "only the first N contractions of the table (default 40)"},
    {"ceilings", 0, PORTABILITY, OPTION_TEXTS, AT(platforms), IN(STORED, 0), .max = OPTION_TEXTS_MAX, .role = FILE_INPUT, .value = "FILE",
     .help = "ceilings of a machine, from `tcplan roofline --ceilings FILE` there; again for more",
     .manual = "Each platform takes those of its CPU, cores, caches and number of threads. Those that are kept of this machine are used unasked."},
    {"all", 0, PORTABILITY, OPTION_FLAG, AT(all), IN(SEARCH, 0), .help = "every algorithm, not only the most portable"},
    {"all", 0, RANK | MEASURE | ROOFLINE, OPTION_FLAG, AT(all), IN(SEARCH, MEASURE | ROOFLINE), .requires = "contraction",
     .excludes = "several effort=estimate", .help = "every algorithm of the space blas, also those that cannot win"},
    {"emit", 0, RANK, OPTION_TEXT, AT(emit), IN(OUTPUT, RANK | BATCH), .role = FILE_OUTPUT, .value = "FILE.c",
     .help = "write C for the fastest algorithm to FILE.c"},
    {"emit", 0, SEVERAL, OPTION_TEXT, AT(emit), IN(OUTPUT, RANK | BATCH), .requires = "output", .role = FILE_OUTPUT, .value = "FOLDER",
     .expects = "the name of a folder", .help = "write C for every winner to FOLDER: functions, header, Fortran module, CMake file and test",
     .manual = "The test compares every function with the sums that define it. Functions are called `contract_NAME_SIZES`."},
    {"function", 0, RANK | EMIT, OPTION_IDENTIFIER, AT(function), IN(OUTPUT, EMIT), .requires = "emit", .value = "NAME",
     .help = "name of the emitted function (default contract)"},
    {"header", 0, RANK | EMIT, OPTION_TEXT, AT(header), IN(OUTPUT, EMIT), .requires = "emit", .role = FILE_OUTPUT, .value = "FILE.h",
     .help = "write a header for C and C++ as well", .manual = "The C includes it by its name without folders."},
    {"fortran", 0, RANK | EMIT, OPTION_TEXT, AT(fortran), IN(OUTPUT, EMIT), .requires = "emit", .role = FILE_OUTPUT,
     .value = "FILE.f90", .help = "write a module of Fortran with the function's interface as well", .manual = "The module is called `NAME_interface`."},
    {"extents", 0, RANK | EMIT, OPTION_WORD, AT(takes_extents), .requires = "emit", .excludes = "several", .words = extents, .value = "KIND",
     .help = "extents of the emitted function: %s",
     .manual = "`runtime`: it takes them as arguments, and the strides of tensors that have `--strides`, such as leading dimensions; steps of tiles stay "
     "those of the algorithm."},
    {"with-main", 0, RANK | EMIT, OPTION_FLAG, AT(with_main), IN(OUTPUT, EMIT), .requires = "emit",
     .help = "emit a driver that checks the function and times it", .manual = "The check is against naive loops."},
    {"stops", 0, TUNE, OPTION_WORD, AT(stops), IN(SEARCH, EVERYWHERE), .words = tcplan_words_tune_stops, .value = "LETTERS",
     .help = "what ends a measurement early: %s",
     .manual = "`C`: iterations end when their mean is precise. `I`: iterations end when they are beaten for certain by the best so far. `O`: invocations "
     "end by both. `none`: every iteration of every invocation is made."},
    {"order", 0, TUNE, OPTION_WORD, AT(search_order), IN(SEARCH, 0), .words = tcplan_words_tune_orders, .value = "ORDER",
     .help = "of the configurations, from small to large: %s"},
    {"invocations", 0, TUNE, OPTION_NUMBER, AT(invocations), IN(SEARCH, EVERYWHERE), .min = 1, .max = 1000000, .value = "N",
     .help = "of a configuration at most, each a process of its own (default 10)"},
    {"iterations", 0, TUNE, OPTION_NUMBER, AT(iterations), IN(SEARCH, EVERYWHERE), .min = 1, .max = 1000000, .value = "N",
     .help = "of an invocation at most (default 200)"},
    {"seconds", 0, TUNE, OPTION_SECONDS, AT(invocation_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS", .help = "of an invocation at most (default 10)"},
    {"tolerance", 0, TUNE, OPTION_PERCENT, AT(tolerance), IN(SEARCH, 0), .value = "PERCENT",
     .help = "precise is a 99 % interval of the mean that reaches no further (default 1)"},
    {"interval", 0, TUNE, OPTION_WORD, AT(interval), IN(SEARCH, 0), .words = tcplan_words_tune_intervals, .value = "KIND", .help = "of means: %s",
     .manual = "The normal one is the paper's; of few samples it is too narrow, and so quicker."},
    {"least-count", 0, TUNE, OPTION_NUMBER, AT(least_count), .min = 2, .max = 1000000, .value = "N",
     .help = "iterations before any counts as beaten (default 2)", .manual = "More protect what becomes fast late."},
    {"extents", 0, TUNE, OPTION_WORD, AT(tuned_extents), IN(EXPERT, EVERYWHERE), .words = tcplan_words_tune_extents, .value = "WHICH",
     .help = "of dgemm: %s; 45 that take seconds, or the paper's 96"},
    {"threads", 't', TUNE, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS, .value = "N",
     .help = "only so many threads (default: of a core, a NUMA node, a socket and the machine)"},
    {"domain", 0, MODEL_GENERATE, OPTION_TEXT, AT(model.domain), IN(INPUT, EVERYWHERE), .min = 1, .value = "DOMAIN",
     .expects = "a domain such as m=24:536,n=24:4152", .help = "sizes, as m=24:536,n=24:4152 (default: what the case is used for)",
     .manual = "Ends are multiples of 8; one number is one size."},
    {"provider", 0, MODEL_CHOOSES, OPTION_WORD, AT(model.provider), IN(INPUT, EVERYWHERE), .words = providers, .min = NO_DEFAULT, .value = "NAME",
     .help = "whose routines: openblas (default), libxsmm, blis, blas1 to blas4"},
    {"placement", 0, MODEL_CHOOSES, OPTION_WORD, AT(model.placement), IN(INPUT, EVERYWHERE), .words = placements, .value = "WHERE",
     .help = "operands before a call: %s",
     .manual = "`warm`: the call ran just before on the same ones. `cold`: in memory only. `streaming`: in memory, behind those of the call before."},
    {"threads", 't', MODEL_CHOOSES, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS, .value = "N",
     .help = "of the library (default 1)"},
    {"blas", 0, MODEL_MEASURES, OPTION_TEXTS, AT(blas), IN(SEARCH, 0), .max = TCPLAN_PROVIDER_FILES, .role = FILE_INPUT, .value = "FILE",
     .expects = "the file of a CBLAS, four of them at most", .help = "another library, the provider blas1; again for more"},
    {"overfitting", 0, MODEL_GENERATE, OPTION_NUMBER, AT(model.overfitting), .min = 0, .max = 4, .value = "N",
     .help = "degrees above those of the operations (default 2; with three sizes 0)"},
    {"oversampling", 0, MODEL_GENERATE, OPTION_NUMBER, AT(model.oversampling), .min = 1, .max = 20, .value = "N",
     .help = "points of each size beyond what degrees need (default 4)"},
    {"grid", 0, MODEL_GENERATE, OPTION_WORD, AT(model.grid), .words = grids, .min = NO_DEFAULT, .value = "KIND", .help = "chebyshev (default) or cartesian"},
    {"repetitions", 0, MODEL_MEASURES, OPTION_NUMBER, AT(model.repetitions), IN(SEARCH, EVERYWHERE), .min = 1, .max = 1000, .value = "N",
     .help = "of each point; of a check in each session (default 10)"},
    {"reference", 0, MODEL_GENERATE, OPTION_WORD, AT(model.reference), .words = references, .min = NO_DEFAULT, .value = "WHICH",
     .help = "whose error counts, minimum (default) or median"},
    {"measure", 0, MODEL_GENERATE, OPTION_WORD, AT(model.measure), IN(SEARCH, 0), .words = error_measures, .min = NO_DEFAULT, .value = "OF",
     .help = "which error counts: maximum (default), p90 or mean of the points"},
    {"bound", 0, MODEL_GENERATE, OPTION_PERCENT, AT(model.bound), IN(SEARCH, EVERYWHERE), .value = "PERCENT",
     .help = "of that; a piece above it is halved (default 1)"},
    {"width", 0, MODEL_GENERATE, OPTION_NUMBER, AT(model.min_width), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "narrower pieces are not halved (default 32; 64 with three sizes)", .manual = "With several threads 64, and 256 with three sizes."},
    {"points", 0, MODEL_CHECK, OPTION_NUMBER, AT(model.points), IN(INPUT, EVERYWHERE), .min = 1, .max = TCPLAN_CHECKED_POINTS, .value = "N",
     .help = "random points of each model (default 30)"},
    {"samples", 0, MODEL_GENERATE, OPTION_TEXT, AT(model.samples), IN(STORED, 0), .role = FILE_OUTPUT, .value = "FILE",
     .help = "where samples are kept as they are taken (default: in the store)",
     .manual = "A generation that was interrupted goes on with them, and so does one with another configuration."},
    {"restart", 0, MODEL_GENERATE, OPTION_FLAG, AT(restart), IN(STORED, EVERYWHERE), .help = "drop the samples that are there",
     .manual = "Any other file is refused."},
    {"time-limit", 0, MODEL_MEASURES, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "measure no longer than that", .manual = "Models that are not complete by then are kept as they are; the same command goes on."},
    {"seed", 0, MODEL_MEASURES, OPTION_SEED, AT(seed), .value = "N", .help = "of the order of measurements and of random points (default 1)"},
    {"max-memory", 0, MODEL_MEASURES, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "bound on operands (default: four fifths of what is free)"},
    {"no-lock", 0, MODEL_MEASURES, OPTION_FLAG, AT(no_lock), .help = "do not wait for batches and measurements on this machine"},
    {"traffic", 0, ROOFLINE, OPTION_WORD, AT(traffic), .requires = "contraction", .words = directions, .value = "WHICH",
     .help = "hold them against the bandwidth of %s their traffic",
     .manual = "`read`: loads; `write`: stores. Reads tell why something is slower than all its traffic says."},
    {"unit", 0, ROOFLINE | SELFTEST, OPTION_WORD, AT(per_cycle), IN(OUTPUT, 0), .words = units, .value = "UNIT", .help = "rates per %s",
     .manual = "Cycles are those of the measured core clock, not of the time-stamp counter."},
    {"unit", 0, SAMPLE, OPTION_WORD, AT(sample_unit), IN(OUTPUT, EVERYWHERE), .words = sample_units, .value = "UNIT", .help = "text says times in %ss",
     .manual = "Cycles are those of the processor's constant counter, the time-stamp counter of x86. JSON and CSV have cycles and seconds."},
    {"check", 0, SAMPLE, OPTION_FLAG, AT(check_only), IN(OUTPUT, EVERYWHERE), .help = "check the script, and run nothing"},
    {"counters", 0, SAMPLE, OPTION_TEXT, AT(counters), IN(EXPERT, EVERYWHERE), .role = FILE_INPUT, .value = "SOURCE",
     .expects = "perf, none or the name of a file", .help = "what set_counters counts with: perf (default), none, or a FILE of recorded counts"},
    {"threads", 't', SAMPLE, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS, .value = "N",
     .help = "threads, of the libraries, or of {omp regions with one in each call (default 1)"},
    {"align", 0, SAMPLE, OPTION_SIZE, AT(alignment_bytes), IN(INPUT, 0), .value = "BYTES", .help = "all memory begins at multiples of BYTES (default 64)",
     .manual = "A power of two from 16 on."},
    {"first-offset", 0, SAMPLE, OPTION_SIZE, AT(offset_bytes), .value = "BYTES", .help = "anonymous memory begins BYTES behind a page (default 0)",
     .manual = "A multiple of 16."},
    {"max-memory", 0, SAMPLE, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE", .help = "bound on all buffers (default: what is free)"},
    {"time-limit", 0, SAMPLE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "calls up to a `go` take no longer than that, or the command ends",
     .manual = "What was sampled until then is printed. Calls run in a thread of their own then."},
    {"run", 0, ROOFLINE, OPTION_TEXT, AT(run), IN(INPUT, EVERYWHERE), .excludes = "contraction curves unit=cycle", .min = 1, .value = "COMMAND",
     .expects = "a program and its arguments", .help = "run a program, and place it and the regions that it marks",
     .manual = "Words are divided at blanks; quotes and backslashes keep them together, and nothing is expanded. `--time-limit` ends it. Regions are marked "
     "with <tcplan/region.h>."},
    {"shell", 0, ROOFLINE, OPTION_FLAG, AT(shell), .requires = "run", .help = "with --run: let /bin/sh run the command"},
    {"run-output", 0, ROOFLINE, OPTION_TEXT, AT(run_output), IN(OUTPUT, 0), .requires = "run", .role = FILE_OUTPUT, .value = "FILE",
     .help = "with --run: its standard output goes to FILE",
     .manual = "Otherwise to the same place as the text, and to stderr where JSON, XML or CSV go to stdout."},
    {"counters", 0, ROOFLINE, OPTION_TEXT, AT(counters), .requires = "run kernel", .role = FILE_INPUT, .value = "SOURCE",
     .expects = "perf, none or the name of a file", .help = "with --run and --kernel: what counts: perf (default), none, or a FILE of recorded counts",
     .manual = "With `--kernel` also `simulated`: the bytes of traced runs in the caches of this machine."},
    {"counters", 0, SELFTEST, OPTION_TEXT, AT(counters), .role = FILE_INPUT, .value = "SOURCE", .expects = "perf, none, simulated or the name of a file",
     .help = "what counts work and traffic: perf (default), none, simulated, or a FILE of recorded counts",
     .manual = "`simulated` is the bytes of traced runs in the caches of this machine, which takes as long as these are large."},
    {"kernel", 0, ROOFLINE, OPTION_TEXTS, AT(kernels), IN(INPUT, EVERYWHERE), .requires = "dtype=d", .excludes = "contraction run points machine curves",
     .min = 1, .max = OPTION_TEXTS_MAX, .value = "NAME=N[,N...]", .expects = "a kernel and its sizes, as fft=1024,4096, given eight times at most",
     .help = "place daxpy, dgemv, dgemm or fft of these sizes, cold and warm; again for more",
     .manual = "Measured by the protocol of Ofenbeck et al.; N elements, or N x N. `fft` is FFTW's, which is opened where it is installed. Bytes are "
     "analytic, simulated or counted (`--counters`), and are called so."},
    {"flops", 0, ROOFLINE, OPTION_TEXTS, AT(flops), .requires = "run", .min = 1, .max = OPTION_TEXTS_MAX, .value = "[NAME=]N",
     .expects = "operations, as 2e9 or triad=2e9, given eight times at most",
     .help = "with --run: operations of the program, or of region NAME; again for more",
     .manual = "Of all its calls together. It is called given, and takes the place of what is counted."},
    {"bytes", 0, ROOFLINE, OPTION_TEXTS, AT(bytes), .requires = "run", .min = 1, .max = OPTION_TEXTS_MAX, .value = "[NAME=]N",
     .expects = "bytes, as 48e9 or triad=48e9, given eight times at most", .help = "with --run: bytes that it moves to and from memory, likewise"},
    {"points", 0, ROOFLINE, OPTION_TEXT, AT(points), IN(INPUT, 0), .excludes = "contraction curves unit=cycle", .role = FILE_INPUT, .value = "FILE.csv",
     .help = "place what others measured: CSV of likwid-perfctr -O, or name,flops,bytes,seconds",
     .manual = "Or name,intensity,gflops. Groups and regions of LIKWID are sums over its threads; the intensity is the sum of operations over that of "
     "bytes."},
    {"bandwidth", 0, ROOFLINE, OPTION_TEXT, AT(bandwidth), .requires = "run points", .min = 1, .value = "KERNEL",
     .expects = "the name of a bandwidth, such as load or triad", .help = "hold --run and --points against this kernel's bandwidth",
     .manual = "Otherwise that of the kernel that writes as large a share, `load` where that is not known."},
    {"measure", 0, ROOFLINE, OPTION_FLAG, AT(measure), IN(SEARCH, EVERYWHERE), .requires = "contraction", .excludes = "effort=estimate",
     .help = "run the algorithms for real as well"},
    {"no-fma", 0, ROOFLINE, OPTION_FLAG, AT(no_fma), .requires = "contraction run points kernel",
     .help = "hold them against multiplications and additions that are not fused"},
    {"quick", 0, ROOFLINE, OPTION_FLAG, AT(quick), IN(SEARCH, EVERYWHERE), .help = "coarse, in 15 s at most: few and short windows, gemm not tuned"},
    {"intensities", 0, ROOFLINE, OPTION_FLAG, AT(intensities), .help = "a kernel of 1 to 1024 operations an element in each level: where its rate bends"},
    {"strided", 0, ROOFLINE, OPTION_FLAG, AT(strided), .help = "loads and stores of one element of 1 to 64: shares of unit stride's bandwidth",
     .manual = "Beside them stands what follows where lines are moved as fast as at unit stride. Without it only four strides of loads are measured."},
    {"widths", 0, ROOFLINE, OPTION_FLAG, AT(widths), .help = "bandwidth with narrower vectors too, and without vectors"},
    {"sweep", 0, ROOFLINE, OPTION_TEXT, AT(sweep), .min = 1, .value = "KERNELS", .expects = "kernels such as store,triad",
     .help = "rates over the working set of these kernels too, beside loads",
     .manual = "They are in JSON and CSV. Levels of the memory are found from loads."},
    {"small-pages", 0, ROOFLINE, OPTION_FLAG, AT(small_pages), .help = "bandwidth on pages of the usual size, not on huge ones"},
    {"remeasure", 0, ROOFLINE, OPTION_FLAG, AT(remeasure), IN(STORED, 0), .help = "measure all ceilings although they are kept, and keep the new ones"},
    {"ceilings", 0, ROOFLINE, OPTION_TEXTS, AT(ceiling_files), IN(STORED, EVERYWHERE), .max = OPTION_TEXTS_MAX, .role = FILE_OUTPUT, .value = "FILE",
     .expects = "the name of a file, eight times at most",
     .help = "read the ceilings from FILE or, where it is not there, measure and write them to it; again for those that --plot draws beside them",
     .manual = "They may be of another machine. Default: those that are kept of this one, see `store`."},
    {"ceilings", 0, TUNE, OPTION_TEXT, AT(ceilings), IN(STORED, 0), .role = FILE_INPUT, .value = "FILE",
     .help = "sizes of caches as found, from FILE of `tcplan roofline` (default: those that are kept)",
     .manual = "Without either, and with `--machine`, they are those that the system or the description reports."},
    {"ceilings", 0, RANK | MEASURE | BATCH, OPTION_TEXT, AT(ceilings), IN(STORED, 0), .role = FILE_INPUT, .value = "FILE",
     .help = "the machine's ceilings from FILE of `tcplan roofline`, not those that are kept"},
    {"ceilings", 0, REPORT, OPTION_TEXT, AT(ceilings), IN(STORED, 0), .role = FILE_INPUT, .value = "FILE",
     .help = "draw the machine's ceilings from FILE (default: those that are kept, where results are of this machine)"},
    {"no-store", 0, RANK | EMIT | MEASURE | EXPLAIN | BATCH | TUNE | ADVISE, OPTION_FLAG, AT(no_store), .group = GROUP_STORED,
     .help = "neither use nor keep what is kept about this machine", .manual = "See `store`. An empty $TCPLAN_STORE does so for every command."},
    {"plans", 0, RANK | EMIT | MEASURE | EXPLAIN | BATCH | PLANS, OPTION_TEXT, AT(plans), IN(STORED, 0), .excludes = "no-plans several", .role = FILE_OUTPUT,
     .value = "FILE", .help = "stored plans are in FILE (default: $TCPLAN_PLANS, else what is kept)",
     .manual = "What is found is added to it; it is made where it is not there. `emit` takes a plan from it instead of looking for one, `explain` explains "
     "it; `rank`, `measure` and `batch` begin their search with it. It may be a folder. See `plans`."},
    {"no-plans", 0, RANK | EMIT | MEASURE | EXPLAIN | BATCH, OPTION_FLAG, AT(no_plans), IN(STORED, 0), .help = "neither use nor add stored plans",
     .manual = "An empty $TCPLAN_PLANS does so for every command."},
    {"all", 0, STORE_FORGET | PLANS_FORGET, OPTION_FLAG, AT(all), IN(SEARCH, 0), .help = "forget everything"},
    {"older", 0, PLANS_FORGET, OPTION_NUMBER, AT(older_days), IN(STORED, 0), .min = 1, .max = INT64_MAX, .value = "DAYS",
     .help = "forget only what was last used so many days ago or earlier"},
    {"most", 0, PLANS_FORGET, OPTION_NUMBER, AT(most), IN(STORED, 0), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "keep the N plans that were used last"},
    {"unusable", 0, PLANS_FORGET, OPTION_FLAG, AT(unusable), .group = GROUP_STORED,
     .help = "forget only what is not used here: of other machines or libraries, damaged, too old"},
    {"older", 0, STORE_FORGET, OPTION_NUMBER, AT(older_days), IN(STORED, 0), .min = 1, .max = INT64_MAX, .value = "DAYS",
     .help = "forget only what was made so many days ago or earlier"},
    {"unusable", 0, STORE_FORGET, OPTION_FLAG, AT(unusable), .group = GROUP_STORED,
     .help = "forget only what is not used here: of other machines or libraries, damaged, too old"},
    {"plot", 0, EXPLAIN, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "of several tensors: draw the order as a tree, FILE.svg", .manual = "A box for each step; what takes more of the time is fuller in colour."},
    {"plot", 0, ROOFLINE, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.svg|-", .expects = "the name of a file, or -",
     .help = "draw the roofs and what stands under them as FILE.svg, or in the terminal (-) by gnuplot",
     .manual = "`-` draws behind the text, and needs gnuplot. With `--intensities`, and without a contraction, a program or points, FILE.svg has the rates "
     "over the intensity in each level, and where they bend."},
    {"sizes", 's', MODEL_SHOW | MODEL_PLOT, OPTION_TEXT, AT(sizes), IN(INPUT, EVERYWHERE), .min = 1, .value = "SIZES", .expects = "sizes such as m=256,n=512",
     .help = "show: evaluate models there, as m=256,n=512; plot: the sizes that stay as they are"},
    {"foreign", 0, MODEL_IMPORT, OPTION_FLAG, AT(foreign), IN(STORED, 0), .help = "keep models of another machine or library as this one's"},
    {"curves", 0, ROOFLINE, OPTION_TEXT, AT(curves), IN(OUTPUT, 0), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw the rates over the working set as FILE.svg, with the levels found and reported"},
    {"dtype", 0, ALL | BATCH | COMPARE | BLOCKED | ADVISE, OPTION_WORD, AT(dtype), IN(INPUT, ~ROOFLINE), .words = tcplan_words_dtypes, .value = "TYPE",
     .help = "%s: float, double and their complex types, or numpy's names: float64"},
    {"row-major", 0, ALL | BATCH | COMPARE | ADVISE, OPTION_SET, AT(order), IN(INPUT, ~(ROOFLINE | ADVISE | BATCH)), .requires = "contraction with",
     .min = TCPLAN_ROW_MAJOR, .help = "the last index of a tensor is contiguous, not the first"},
    {"threads", 't', ALL | BATCH | COMPARE | BLOCKED_USES | ADVISE, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS,
     .value = "N", .help = "up to N threads, of the BLAS or of a loop around it (default 1)",
     .manual = "One thread competes with N, and the answer has as many as are faster; with `--algorithm`, and for `explain` and `compare`, exactly N. "
     "`roofline`: one on each core."},
    {"oversubscribe", 0, RANK | MEASURE | EMIT | EXPLAIN | BATCH | COMPARE | ADVISE, OPTION_FLAG, AT(oversubscribe),
     .help = "allow more threads than the machine has processing units"},
    {"blas", 0, ALL | BATCH | COMPARE | MACHINE | SELFTEST | SAMPLE | ADVISE, OPTION_TEXTS, AT(blas), IN(SEARCH, 0), .max = TCPLAN_PROVIDER_FILES,
     .role = FILE_INPUT, .value = "FILE", .expects = "the file of a CBLAS, four of them at most",
     .help = "kernels of another CBLAS too, a shared library; again for more",
     .manual = "It has 32-bit integers, and is the provider `blas1` besides those that were found when tcplan was built; the next ones are `blas2` and so "
     "on. `tcplan --version` prints all providers."},
    {"metric", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(metric), IN(OUTPUT, 0), .min = 1, .value = "NAME", .expects = "the name of a metric or counter",
     .help = "cycles, s, ms, flops, flops/cycle, gflops (default), efficiency, bandwidth, or a counter",
     .manual = "Computed of every repetition before any statistic. Counters are called as in the experiment; those that a metric is called like as "
     "`counted-cycles`."},
    {"select", 0, EXPERIMENT_REPORT, OPTION_TEXTS, AT(selectors), IN(OUTPUT, 0), .min = 1, .max = OPTION_TEXTS_MAX, .value = "CALLS",
     .expects = "calls as [LABEL=]gemm+2*trsm, given eight times at most",
     .help = "which calls: a name, a sum as trsm+gemm or a-0.5*b; again for more (default all)",
     .manual = "`all` is the sum of all calls. A label stands in front of a `=`."},
    {"statistics", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(statistics), IN(OUTPUT, 0), .min = 1, .value = "LIST", .expects = "some of min,med,max,avg,std,all",
     .help = "some of min,med,max,avg,std,all",
     .manual = "In a picture min and max are a band, std a band around avg, `all` a mark for every sample (default min,med,max)."},
    {"discard-first", 0, EXPERIMENT_REPORT, OPTION_FLAG, AT(discard_first), IN(OUTPUT, 0), .help = "leave the first repetition out"},
    {"plot", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw it as FILE.svg, a line over the range or bars", .manual = "Then nothing is printed unless `-o` or `--format` asks for it."},
    {"shard", 0, EXPERIMENT_RUN, OPTION_SHARD, AT(shard), IN(INPUT, 0), .value = "K/N", .help = "only every N-th value of the range, for `experiment merge`"},
    {"restart", 0, EXPERIMENT_RUN, OPTION_FLAG, AT(restart), IN(STORED, 0), .help = "replace the report that is there, do not go on with it",
     .manual = "Any other file is refused."},
    {"mixed", 0, EXPERIMENT_RUN | EXPERIMENT_MERGE, OPTION_FLAG, AT(mixed), IN(STORED, 0), .help = "join samples of different machines or libraries"},
    {"no-lock", 0, EXPERIMENT_RUN, OPTION_FLAG, AT(no_lock), .help = "do not wait for batches and measurements on this machine"},
    {"time-limit", 0, EXPERIMENT_RUN, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "begin nothing after that; the same command goes on"},
    {"max-memory", 0, EXPERIMENT_RUN, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "bound on the operands (default: what is free)"},
    {"counters", 0, EXPERIMENT_RUN, OPTION_TEXT, AT(counters), .role = FILE_INPUT, .value = "SOURCE", .expects = "perf, none or the name of a file",
     .help = "what counts: perf (default), none, or a FILE of recorded counts"},
    {"blas", 0, EXPERIMENT_RUN, OPTION_TEXTS, AT(blas), IN(SEARCH, 0), .max = TCPLAN_PROVIDER_FILES, .role = FILE_INPUT, .value = "FILE",
     .expects = "the file of a CBLAS, four of them at most", .help = "another library, which the experiment calls blas1; again for more"},
    {"format", 0, EXPERIMENT_REPORT, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = formats, .value = "FORMAT", .help = "%s"},
    {"json", 'J', EXPERIMENT_REPORT, OPTION_SET, AT(format), IN(OUTPUT, 0), .excludes = "format=csv format=xml", .min = OUTPUT_JSON,
     .help = "as --format json"},
    {"output", 'o', EXPERIMENT_RUN, OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE",
     .help = "the report, which it goes on with (default FILE-report.xml)"},
    {"output", 'o', EXPERIMENT & ~EXPERIMENT_RUN, OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE",
     .help = "write to FILE instead of stdout (-)"},
    {"predictor", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_WORD, AT(predictor), .excludes = "several effort=estimate", .words = tcplan_words_predictors,
     .value = "NAME", .help = "%s; thesis is the dissertation's, repeated a naive one, both of the space blas",
     .manual = "`window` times stretches of real calls after replaying the memory accesses before them; `thesis` is the method of Peise's dissertation "
     "(sections 6.2.2 to 6.2.6): the kernel is timed by itself, ten times for each class of its calls, after the accesses that `tcplan trace` shows; "
     "`repeated` times the kernel again and again on the same operands, and is there to compare with. Only `window` leaves out algorithms that cannot win."},
    {"predictor", 0, EXPLAIN, OPTION_WORD, AT(predictor), .words = explaining_predictors, .value = "NAME", .help = "window, the only one that explains"},
    {"stage", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_WORD, AT(stage), IN(EXPERT, TRACE), .requires = "contraction, predictor=thesis trace",
     .excludes = "several", .words = tcplan_words_stages, .value = "STAGE", .help = "how much of thesis: %s",
     .manual = "Each stage includes those before it."},
    {"cache", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(cache), IN(SEARCH, TRACE), .words = tcplan_words_cache_states, .value = "STATE",
     .help = "caches before the first call: %s", .manual = "`warm` is as after a previous execution."},
    {"machine", 0, ALL | BATCH | COMPARE | TUNE | ADVISE, OPTION_TEXT, AT(machine), IN(EXPERT, TRACE), .role = FILE_INPUT, .value = "MACHINE",
     .expects = "a machine", .help = "caches to assume: live (default), FILE.xml of hwloc or `tcplan machine`, or a synthetic description",
     .manual = "A file's name ends in `.xml`; `tcplan machine --format xml` writes one, and so does hwloc's lstopo(1). In a synthetic description of hwloc "
     "`MB` is 1000000 bytes and `MiB` is 1048576. Times are always of this machine."},
    {"space", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(space), IN(SEARCH, LIST), .words = tcplan_words_spaces, .value = "SPACE",
     .help = "%s: which algorithms; blas: one BLAS kernel on slices in loops",
     .manual = "`blas` is the dissertation's, with copies where BLAS needs them; `full` has these and candidates with fused indices, tiles, copies as a "
     "choice, streamed results, kernels of other providers, and element-wise products of batch indices. `--all` and other predictors than `window` are of "
     "the space `blas`; a note says so where `full` was asked for."},
    {"effort", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(effort), IN(SEARCH, ~(LIST | TRACE | ROOFLINE)), .words = tcplan_words_efforts, .value = "EFFORT",
     .help = "what planning may cost: %s",
     .manual = "`estimate` times nothing and takes milliseconds: a coarse model ranks, by times of kernels and ceilings that are kept where there are any, "
     "and nothing is compared. `quick` looks at few loop orders of a kernel and compares the fastest briefly, `normal` tells the fastest apart to two per "
     "cent, `thorough` gives every algorithm that no bound excludes full windows. Of several tensors, the steps that take most of the time are ranked so, at "
     "most eight products; `thorough` times all steps, and the others keep their estimates."},
    {"prefer", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(prefer), IN(SEARCH, 0), .requires = "contraction with", .words = tcplan_words_preferences,
     .value = "WHAT", .help = "of equally fast algorithms: %s; simple: fewer libraries, less workspace, fewer lines",
     .manual = "Chooses among algorithms that were compared and are equally fast, within two per cent: `simple` takes the one that needs the fewest "
     "libraries, then the least workspace, then the fewest lines of C, `speed` the fastest. `*` marks it if it is not the first."},
    {"time-limit", 0, (ALL & ~(LIST | ROOFLINE)) | BATCH, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "plan a contraction no longer than that; the best known then is the answer",
     .manual = "Nothing new is begun after that time, and the output says how many algorithms were not evaluated. Where a look at even one would not end in "
     "time the answer is an estimate, and is called so."},
    {"time-limit", 0, ROOFLINE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "end after that time, all in all, with the ceilings measured until then",
     .manual = "What was measured is kept and printed, and a note says how many ceilings are missing; the same command measures these alone. ^C does the "
     "same. With `--run` the program has that time, and the ceilings have it again. `--quick` alone has 15 s."},
    {"time-limit", 0, LIST, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "find candidates no longer than that (default 0.9)"},
    {"time-limit", 0, ADVISE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "search and time no longer than that, all in all", .manual = "What was not looked at, or not timed, is said."},
    {"time-limit", 0, COMPARE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "no round is begun after that (default 20)", .manual = "A numpy that does not answer for so long is left out."},
    {"compare", 0, RANK | MEASURE, OPTION_WORD, AT(compared), IN(SEARCH, 0), .excludes = "several effort=estimate", .words = others, .min = NO_DEFAULT,
     .value = "numpy", .help = "run numpy.einsum in turns with the first algorithm",
     .manual = "Products with an index in all three tensors are compared with numpy.matmul, too. Needs a python3 with numpy; see `compare`."},
    {"random", 0, CHECK, OPTION_NUMBER, AT(random_count), IN(SEARCH, EVERYWHERE), .min = 0, .max = 1000000, .value = "N",
     .help = "number of random products (default 200)"},
    {"seed", 0, CHECK, OPTION_SEED, AT(seed), IN(SEARCH, EVERYWHERE), .value = "N", .help = "of random products (default 1)"},
    {"time-limit", 0, CHECK, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "of each case (default 10)"},
    {"seed", 0, TUNE, OPTION_SEED, AT(seed), .value = "N", .help = "of the random order (default 1)"},
    {"seed", 0, ALL | BATCH | ADVISE, OPTION_SEED, AT(seed), .value = "N", .help = "equal seeds choose equal samples (default 1)"},
    {"max-memory", 0, TUNE, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, EVERYWHERE), .value = "SIZE",
     .help = "bound on the vectors of triad (default: half of what is free)"},
    {"max-memory", 0, ALL | SELFTEST | BATCH | COMPARE | ADVISE, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "bound on the memory of tensors, as 512M or 2GiB",
     .manual = "In bytes, or in powers of 1024 as `512M`, `512MiB` or `2G`. By default an eighth of what is free, from 384 MB to 2 GB, for predictions, and "
     "what is free for measurements."},
    {"align", 0, ALL | BATCH | COMPARE | ADVISE, OPTION_SIZE, AT(alignment_bytes), IN(INPUT, 0), .requires = "contraction with", .value = "BYTES",
     .help = "arrays begin at multiples of BYTES and of no more (default 16)",
     .manual = "A power of two. What is predicted and measured depends on it: results are written past the caches by lines of 64 bytes. Arrays of malloc "
     "and numpy begin 16 bytes behind a line; 64 and 4096 are for programs that see to it that theirs begin with a line or a page."},
    {"max-workspace", 0, ALL | BATCH | ADVISE, OPTION_SIZE, AT(max_workspace_bytes), IN(SEARCH, 0), .requires = "contraction with", .value = "SIZE",
     .help = "only algorithms whose temporaries take SIZE at most, as 512K or 2GiB", .manual = "A named algorithm that needs more is refused."},
    {"format", 0, TABLES, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = formats, .value = "FORMAT", .help = "%s"},
    {"format", 0, REPORT, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = formats, .value = "FORMAT", .help = "of the summary: %s"},
    {"format", 0, SEVERAL, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = result_formats, .min = NO_DEFAULT, .value = "FORMAT",
     .help = "%s (default: by FILE's ending)", .manual = "`json` is an array, `jsonl` an object a line."},
    {"format", 0, DOCUMENTS, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = document_formats, .value = "FORMAT", .help = "%s",
     .manual = "The XML of `machine` is a machine for `--machine`."},
    {"format", 0, SAMPLE, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = sample_formats, .value = "FORMAT", .help = "%s",
     .manual = "What `print` prints goes to stderr beside JSON and CSV."},
    {"json", 'J', TABLES | DOCUMENTS | SAMPLE | ADVISE | REPORT | SEVERAL, OPTION_SET, AT(format), IN(OUTPUT, 0), .excludes = "format=csv format=xml",
     .min = OUTPUT_JSON, .help = "as --format json"},
    {"format", 0, ADVISE, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = sample_formats, .value = "FORMAT", .help = "%s"},
    {"limit", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_SIZE, AT(limit_bytes), .requires = "contraction, predictor=thesis trace", .value = "SIZE",
     .help = "thesis: cut cache setups at SIZE, not 5/4 of the last cache"},
    {"output", 'o', TABLES | DOCUMENTS | EMIT | ADVISE | SEVERAL | SAMPLE | STORE_SHOW | PLANS_SHOW | PLANS_EXPORT | MODEL_CHOOSES | BLOCKED | HELP,
     OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .requires = "man schema", .role = FILE_OUTPUT, .value = "FILE",
     .help = "write to FILE instead of stdout (-)", .manual = "The file appears complete or not at all."},
    {"output", 'o', REPORT, OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.html",
     .help = "write a page with tables and plots to FILE.html, or to stdout (-)"},
    {"quiet", 'q', EVERY, OPTION_FLAG, AT(quiet), IN(OUTPUT, 0), .help = "neither progress nor notes on stderr",
     .manual = "Progress is printed on terminals only."},
    {"verbose", 'v', RANK | MEASURE, OPTION_FLAG, AT(verbose), IN(OUTPUT, RANK | MEASURE),
     .help = "print more rows and columns, the settings, and what was left out and why", .manual = "JSON, CSV and XML hold all of it anyway."},
    {"man", 0, COMMAND(HELP), OPTION_FLAG, AT(man), IN(OUTPUT, 0), .help = "the man page of tcplan, or of a command, as man(1) reads it"},
    {"schema", 0, COMMAND(HELP), OPTION_FLAG, AT(schema), IN(OUTPUT, 0), .excludes = "man",
     .help = "the JSON schema of what COMMAND prints; without one, the names of all"},
    {"help", 'h', EVERY | HELP, OPTION_SET, AT(help), IN(OUTPUT, EVERYWHERE), .min = HELP_COMMON, .words = help_extents, .value = "[all]",
     .help = "this text; all: every option"},
    {"version", 'V', EVERY | HELP, OPTION_FLAG, AT(version), IN(OUTPUT, 0), .help = "versions of tcplan and of what it stands on"},
};
/* clang-format on */
const size_t options_table_count = sizeof options_table / sizeof *options_table;

const struct options options_defaults = {
    .dtype = TCPLAN_DOUBLE,
    .stage = TCPLAN_STAGE_FIRST,
    .space = TCPLAN_SPACE_FULL,
    .effort = TCPLAN_EFFORT_NORMAL,
    .machine = "live",
    .model = {.overfitting = -1, .grid = -1, .reference = -1, .measure = -1},
    .stops = TCPLAN_TUNE_PRECISE | TCPLAN_TUNE_INNER | TCPLAN_TUNE_OUTER,
    .invocation_seconds = 10,
    .tolerance = 0.01,
    .random_count = 200,
    .invocations = 10,
    .iterations = 200,
    .least_count = 2,
    .threads = 1,
    .max_points = 1000,
    .seed = 1};
