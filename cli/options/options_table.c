#include "cli/options/options_table.h"

#include <stddef.h>

#include "cli/commands/blocked/cache_plot.h"
#include "cli/render/sampling/sampling.h"
#include "cli/roofs/programs.h"
#include "cli/survey_plot.h"
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
/* Commands that accept --processes, --sections, and expressions of several tensors. */
#define ORDERED (RANK | LIST | EXPLAIN | EMIT | MEASURE)
#define DISTRIBUTED (RANK | LIST | EXPLAIN | EMIT | MEASURE)
#define BLOCK_SPARSE (RANK | LIST | EXPLAIN | EMIT | MEASURE | COMPARE)
#define ALL CONTRACTIONS
#define EVERY ~HELP

/* Sets of actions. */
#define MODEL_FITS (MODEL_GENERATE | MODEL_STUDY)
#define MODEL_MEASURES (MODEL_FITS | MODEL_CHECK)
#define MODEL_CHOOSES (MODEL & ~MODEL_IMPORT)
#define BLOCKED_SIZED (BLOCKED & ~(BLOCKED_LIST | BLOCKED_EMIT))
#define BLOCKED_RUNS                                                                               \
    (BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE | BLOCKED_WINDOWS | BLOCKED_CACHE)
#define BOUND                                                                                      \
    (RANK | MEASURE | SAMPLE | EXPERIMENT_RUN | MODEL_MEASURES | BLOCKED_RUNS | BLOCKED_MODELS)
#define BLOCKED_USES (BLOCKED_RUNS | BLOCKED_MODELS)
#define BLOCKED_GENERATES (BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE | BLOCKED_WINDOWS)
/* Kind of a command's output, from its line in command_list.h. Documents have no CSV. */
enum { PRINTS_OTHER, PRINTS_TABLES, PRINTS_DOCUMENTS };
#define BIT_IF(condition, number) | ((condition) ? ACTION_BIT(number) : 0)
#define WITH_TABLES(NAME, name, prints) BIT_IF(PRINTS_##prints == PRINTS_TABLES, NUMBER_##NAME)
#define WITH_DOCUMENTS(NAME, name, prints)                                                         \
    BIT_IF(PRINTS_##prints == PRINTS_DOCUMENTS, NUMBER_##NAME)
#define TABLES                                                                                     \
    (MODEL_LIST | MODEL_SHOW | MODEL_MEASURES | (BLOCKED & ~BLOCKED_EMIT) COMMAND_LIST(WITH_TABLES))
/* Actions that hold the lock of this machine. */
#define LOCKED (BATCH | MEASURE | COMPARE | ADVISE | BLOCKED_RUNS | EXPERIMENT_RUN | MODEL_MEASURES)
#define DOCUMENTS (STORE_LIST | PLANS_LIST COMMAND_LIST(WITH_DOCUMENTS))

enum { NO_DEFAULT = 1 }; /* a value of .min: the help marks no word as the default */

static const struct tcplan_word formats[] = {
    {"text", OUTPUT_TEXT}, {"json", OUTPUT_JSON}, {"csv", OUTPUT_CSV}, {"xml", OUTPUT_XML}, {0}};
static const struct tcplan_word help_extents[] = {{"all", HELP_ALL}, {0}};
static const struct tcplan_word directions[] = {{"all", TCPLAN_DIRECTION_BOTH},
                                                {"read", TCPLAN_DIRECTION_READ},
                                                {"write", TCPLAN_DIRECTION_WRITE},
                                                {0}};
static const struct tcplan_word program_ceilings[] = {
    {"fma", CEILING_FMA},
    {"mul_add", CEILING_MUL_ADD},
    {"divide", CEILING_DIVIDE},
    {"theoretical", CEILING_THEORETICAL},
    {"theoretical-mul_add", CEILING_THEORETICAL_MUL_ADD},
    {0}};
static const struct tcplan_word counted_flops[] = {{"executed", false}, {"canonical", true}, {0}};
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
static const struct tcplan_word configurations[] = {
    {"paper", TCPLAN_CONFIGURATIONS_PAPER}, {"all", TCPLAN_CONFIGURATIONS_ALL}, {0}};
static const struct tcplan_word blocked_predictors[] = {
    {"models", BLOCKED_BY_MODELS}, {"windows", BLOCKED_BY_WINDOWS}, {0}};

const struct tcplan_word blocked_figures[] = {{"performance", BLOCKED_PERFORMANCE},
                                              {"error", BLOCKED_ERROR},
                                              {"yield", BLOCKED_YIELD},
                                              {"blocks", BLOCKED_BLOCKS},
                                              {"optima", BLOCKED_OPTIMA},
                                              {"kernels", BLOCKED_KERNELS},
                                              {0}};

static const struct tcplan_word survey_figures[] = {
    {"performance", SURVEY_PERFORMANCE}, {"error", SURVEY_ERROR}, {"speedup", SURVEY_SPEEDUP}, {0}};
#define STAGE_WORD(name, stage)                                                                    \
    { name, CACHE_STAGE + TCPLAN_CACHE_##stage }
static const struct tcplan_word cache_figures[] = {{"scatter", CACHE_SCATTER},
                                                   {"times", CACHE_TIMES},
                                                   STAGE_WORD("repeated", REPEATED),
                                                   STAGE_WORD("in", IN),
                                                   STAGE_WORD("out", OUT),
                                                   STAGE_WORD("initial", INITIAL),
                                                   STAGE_WORD("splitting", SPLITTING),
                                                   STAGE_WORD("smoothed", SMOOTHED),
                                                   STAGE_WORD("distinct", DISTINCT),
                                                   STAGE_WORD("aware", AWARE),
                                                   {0}};
static const struct tcplan_word model_figures[] = {
    {"cuts", MODEL_TIMES}, {"pieces", MODEL_BY_PIECES}, {0}};

static const struct tcplan_word explaining_predictors[] = {{"window", TCPLAN_PREDICT_WINDOW}, {0}};

#define AT(member) offsetof(struct options, member), sizeof(((struct options *)0)->member)
/** Sets an option's group in the help, and the commands and actions whose short help lists the
 * option. */
#define IN(name, commons) .group = GROUP_##name, .common = (commons)
#define EVERYWHERE UINT64_MAX

/* clang-format off */
const struct option options_table[] = {
    {"sizes", 's', ALL | COMPARE | ADVISE, OPTION_TEXT, AT(sizes), IN(INPUT, EVERYWHERE), .requires = "contraction", .excludes = "shapes", .value = "SIZES",
     .expects = "sizes such as a=400,b=400,i=8", .help = "extents: a=400,i=8 or \"a=400 i=8\"; shared: a=b=400,i=8; a sweep: a=64:512:64,i=8",
     .manual = "Indices that the contraction lacks are ignored with a note, so that one list serves many contractions."},
    {"shapes", 0, ALL | COMPARE | ADVISE, OPTION_TEXT, AT(shapes), IN(INPUT, RANK), .requires = "contraction", .value = "SHAPES",
     .expects = "the shape of each tensor, such as \"8,64 64,32\"",
     .help = "shape of each tensor instead of sizes: \"8,64 64,32\"; required for an ellipsis",
     .manual = "One argument; `(8, 64) (64, 32)` is the same. Shapes follow the order in which the expression first names each tensor."},
    {"strides", 0, ALL | COMPARE | ADVISE, OPTION_TEXTS, AT(strides), IN(INPUT, 0), .requires = "contraction", .excludes = "several", .max = OPTION_TEXTS_MAX,
     .value = "STRIDES", .expects = "strides such as A=1,400,160000, given eight times at most",
     .help = "strides in elements, for parts of larger tensors: A=1,-400;C=800,2; repeatable", .manual = "See STRIDES above."},
    {"conj", 0, ALL | ADVISE, OPTION_TEXT, AT(conjugates), IN(INPUT, 0), .requires = "contraction", .excludes = "several", .value = "NAMES",
     .instead = "write conj(A)_ai in the expression",
     .expects = "names of tensors such as A or A,B", .help = "conjugate these tensors: A or A,B; in formulas: conj(A)_ai"},
    {"objective", 0, ORDERED, OPTION_WORD, AT(objective), IN(SEARCH, 0), .requires = "several", .excludes = "effort=quick effort=normal effort=thorough",
     .words = objectives, .value = "WHAT", .help = "several tensors: choose the order with the least %s",
     .manual = "`memory` is the peak size of the intermediates."},
    {"path", 0, ORDERED, OPTION_TEXT, AT(path), IN(SEARCH, EXPLAIN), .requires = "several", .excludes = "objective", .min = 1, .value = "PATH",
     .expects = "a path such as \"[(0, 1), (0, 1)]\"", .help = "several tensors: use this order, as opt_einsum writes it: \"[(0, 1), (0, 1)]\"",
     .manual = "A sum takes one path for each term, separated by `; `. `rank` and `explain` also print the order that they would choose."},
    {"processes", 0, DISTRIBUTED, OPTION_NUMBER, AT(distributed.processes), IN(INPUT, 0), .requires = "contraction", .excludes = "objective strides baseline "
     "all header fortran extents full max-points predictor stage cache machine space seed compare tapp ceilings", .min = 1,
     .max = 1 << 24, .value = "N", .help = "distribute the contraction over N processes of MPI",
     .manual = "Algorithms are named by a grid and the index that each axis splits: `4x2:a,i`. "
     "An expression of several tensors has a name for each step, `4:a;2x2:a,d`, or slices, `slices:2x2:b,d`. "
     "`--effort` decides how this process times the local products."},
    {"ranks-per-node", 0, DISTRIBUTED, OPTION_NUMBER, AT(distributed.ranks_per_node), IN(INPUT, 0), .requires = "processes", .min = 1, .max = 1 << 24,
     .value = "M", .help = "M consecutive processes share a node (default: all)"},
    {"grid", 0, DISTRIBUTED, OPTION_TEXT, AT(distributed.grid), IN(INPUT, 0), .requires = "processes", .min = 1, .value = "GRID",
     .expects = "a grid such as 4x2", .help = "arrange processes in this grid: 4x2 (default: any)"},
    {"distribute", 0, DISTRIBUTED, OPTION_TEXT, AT(distributed.distribute), IN(INPUT, 0), .requires = "grid", .min = 1, .value = "LAYOUTS",
     .expects = "layouts such as \"A=a:0,i:1 C=a:0\"", .help = "distribution of tensors: \"A=a:0,i:1 C=a:0\" splits A along axes 0 and 1 of the grid",
     .manual = "tcplan chooses the distribution of the other tensors. Ranks along an axis that splits no index hold copies."},
    {"communication", 0, DISTRIBUTED, OPTION_TEXT, AT(distributed.communication), IN(SEARCH, 0), .requires = "processes", .role = FILE_INPUT, .value = "FILE",
     .help = "measured times of MPI calls: FILE of `tcplan-mpi-sample -o FILE` (default: the store)"},
    {"sections", 0, BLOCK_SPARSE, OPTION_TEXT, AT(blocks.sections), IN(INPUT, 0), .requires = "contraction", .excludes = "objective strides baseline all "
     "top fortran extents processes full max-points predictor stage cache machine space seed tapp ceilings shapes", .min = 1, .value = "SECTIONS",
     .expects = "sections such as \"a=3+5+2 b=8x4\"", .help = "block-sparse: sections of each index: \"a=3+5 b=8x4\", with charges \"a=3@0+5@1\"",
     .manual = "Blocks are the combinations of sections. tcplan chooses how to multiply them: pair by pair, all pairs of a sum at once, or fused "
      "by sector. `--algorithm` names "
     "one of these ways: blocks, grouped, fused, mixed, dense or packed. Up to eight tensors are multiplied two by two, "
      "in the fastest order or that of `--path`."},
    {"charge", 0, BLOCK_SPARSE, OPTION_TEXT, AT(blocks.charge), IN(INPUT, 0), .requires = "sections", .min = 1, .value = "RULES",
     .expects = "rules such as \"A:a+b-i=0\"", .help = "only blocks that conserve charges are nonzero: \"A:a-i=0; B:i-b=1 mod 2\"",
     .manual = "Rule n of a tensor applies to charge n of its sections; a single rule applies to every charge."},
    {"blocks", 0, BLOCK_SPARSE, OPTION_TEXTS, AT(blocks.lists), IN(INPUT, 0), .requires = "sections", .min = 1, .max = OPTION_TEXTS_MAX, .value = "LIST",
     .expects = "a tensor and a file such as A=FILE", .help = "nonzero blocks from a file: A=FILE, with a line of section numbers for each",
     .manual = "Numbers begin at 0; `#` begins a comment. Repeatable."},
    {"free", 0, ADVISE, OPTION_TEXT, AT(layout.names), IN(INPUT, EVERYWHERE), .min = 1, .value = "NAMES", .expects = "names of tensors such as A or A,C",
     .help = "only these tensors may change: A or A,C (default: all)"},
    {"with", 0, ADVISE, OPTION_TEXT, AT(layout.program), IN(INPUT, EVERYWHERE), .role = FILE_INPUT, .value = "FILE",
     .help = "a program: a list of contractions that share tensors by name",
     .manual = "Lines are `NAME | CONTRACTION | SIZES | x12`, or any form that `batch` reads; `x12` means that it runs twelve times. Equal names are one "
     "tensor, with one layout in the whole program."},
    {"conversion", 0, ADVISE, OPTION_WORD, AT(layout.conversion), IN(INPUT, EVERYWHERE), .words = conversions, .value = "WHEN",
     .help = "how often a changed tensor is copied to its new layout: %s",
     .manual = "`never`: the program creates the tensor in its new layout; `once`: one copy serves `--uses` runs; `each`: each contraction copies changed "
     "factors before it and a changed result after it."},
    {"uses", 0, ADVISE, OPTION_NUMBER, AT(layout.uses), IN(INPUT, EVERYWHERE), .requires = "conversion=once", .min = 1, .max = INT32_MAX, .value = "N",
     .help = "runs that share one conversion (default 1)"},
    {"top", 0, ADVISE, OPTION_NUMBER, AT(top), IN(SEARCH, EVERYWHERE), .excludes = "effort=estimate", .min = 1, .max = TCPLAN_LAYOUTS_MOST - 1, .value = "N",
     .help = "time the current layout and the best N others (default 4)"},
    {"n", 0, BLOCKED_SIZED, OPTION_TEXT, AT(blocked.n), IN(INPUT, EVERYWHERE), .excludes = "sizes", .min = 1, .value = "N",
     .expects = "a size, or first:last:step", .help = "columns of the matrix: 1000, or a sweep 500:4000:500"},
    {"m", 0, BLOCKED_SIZED, OPTION_TEXT, AT(blocked.m), IN(INPUT, EVERYWHERE), .requires = "n", .excludes = "sizes", .min = 1, .value = "M",
     .expects = "a size, or first:last:step", .help = "rows of the matrix, for getrf, geqrf and trsyl (default: as many as columns)"},
    {"sizes", 's', BLOCKED_SIZED, OPTION_TEXT, AT(sizes), IN(INPUT, 0), .min = 1, .value = "SIZES", .expects = "sizes such as m=1000,k=50,n=800",
     .help = "sizes by name, for products of several matrices: m=1000,k=50:500:50"},
    {"block", 'b', BLOCKED_SIZED, OPTION_TEXT, AT(blocked.block), IN(INPUT, EVERYWHERE), .min = 1, .value = "B",
     .expects = "a block size, or first:last:step", .help = "block size, or a sweep 24:536:8 (default: LAPACK's)"},
    {"function", 0, BLOCKED_EMIT | BLOCKED_RANK, OPTION_IDENTIFIER, AT(function), IN(OUTPUT, 0), .requires = "emit", .value = "NAME",
     .help = "name of the function (default: the algorithm's; block_size)"},
    {"algorithms", 0, BLOCKED, OPTION_TEXT, AT(blocked.algorithms), IN(INPUT, BLOCKED_CHECK), .role = FILE_INPUT, .value = "FILE.xml",
     .help = "use the algorithms in this file instead of the built-in ones"},
    {"repetitions", 0, BLOCKED_RANK | BLOCKED_MEASURE | BLOCKED_WINDOWS | BLOCKED_CACHE, OPTION_NUMBER, AT(blocked.repetitions),
     .requires = "predictor=windows", IN(SEARCH, BLOCKED & ~BLOCKED_RANK), .min = 1, .max = 1000, .value = "N",
     .help = "number of runs, samples, or cache timings of each call (default 10)"},
    {"leading", 0, BLOCKED_MEASURE, OPTION_NUMBER, AT(blocked.leading), IN(EXPERT, EVERYWHERE), .min = 1, .max = INT32_MAX, .value = "N",
     .help = "leading dimension of the matrices (default: as many as rows)"},
    {"level", 0, BLOCKED_CACHE, OPTION_NUMBER, AT(blocked.level), IN(OUTPUT, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_CACHE_LEVELS, .value = "L",
     .help = "cache level (default: the last one)"},
    {"cache-size", 0, BLOCKED_CACHE, OPTION_SIZE, AT(blocked.cache_bytes), IN(EXPERT, EVERYWHERE), .value = "SIZE",
     .help = "size of the cache that --level selects (default: as the system reports)"},
    {"measure", 0, BLOCKED_RANK | BLOCKED_WINDOWS, OPTION_FLAG, AT(measure), IN(SEARCH, BLOCKED_WINDOWS),
     .help = "run whole algorithms, too",
     .manual = "After each sample of windows, runs the whole algorithm. With models, `rank` runs the algorithms that the models cannot separate from the "
               "first, and ranks them by measured time."},
    {"all", 0, BLOCKED_CACHE, OPTION_FLAG, AT(all), IN(SEARCH, EVERYWHERE), .help = "list every call in JSON and XML"},
    {"with-main", 0, BLOCKED_EMIT, OPTION_FLAG, AT(with_main), IN(OUTPUT, 0),
     .help = "add a driver that compares the function with LAPACK's routine and times both"},
    {"predictor", 0, BLOCKED_RANK, OPTION_WORD, AT(blocked.predictor), IN(EXPERT, EVERYWHERE), .words = blocked_predictors, .min = NO_DEFAULT,
     .value = "NAME", .help = "rank by %s (default: models, or windows if models are missing)",
     .manual = "`windows` times stretches of calls, as `blocked windows` does, and also prints the models' prediction if there are models."},
    {"without-result", 0, BLOCKED_CHECK, OPTION_FLAG, AT(blocked.without_result), .common = EVERYWHERE,
     .help = "check matrices that are singular or not positive definite"},
    {"generate", 0, BLOCKED_GENERATES, OPTION_FLAG, AT(blocked.generate), IN(STORED, BLOCKED_GENERATES), .excludes = "no-generate",
     .help = "first generate missing models",
     .manual = "This takes minutes, or hours for large models of three sizes. After `--time-limit` incomplete models are stored."},
    {"no-generate", 0, BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE, OPTION_FLAG, AT(blocked.no_generate), .group = GROUP_STORED,
     .help = "do not offer to generate missing models; list them"},
    {"extrapolate", 0, BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE, OPTION_FLAG, AT(blocked.extrapolate), .excludes = "generate predictor=windows",
     .help = "predict calls of all sizes, also outside the domains of the models",
     .manual = "Such a call takes the time at the nearest sizes, multiplied by the ratio of the operations. Results mark these predictions, with an "
     "interval; in plots they are hollow."},
    {"provider", 0, BLOCKED_USES, OPTION_WORD, AT(model.provider), IN(INPUT, BLOCKED_MODELS), .words = providers, .min = NO_DEFAULT, .value = "NAME",
     .help = "library of the routines: openblas (default), libxsmm, blis, blas1 to blas4"},
    {"tolerance", 0, BLOCKED_RANK, OPTION_PERCENT, AT(blocked.tie), IN(SEARCH, 0), .excludes = "predictor=windows", .value = "PERCENT",
     .help = "treat predicted times within PERCENT as tied (default 1.5)"},
    {"plot", 0, BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .excludes = "predictor=windows",
     .role = FILE_OUTPUT, .value = "FILE.svg", .help = "draw performance over n or b, or over both as a colour map",
     .manual = "`predict` draws the shares of the kernels if it has one algorithm and a sweep of block sizes. Prints no table unless `-o` or `--format` is "
     "given."},
    {"figure", 0, BLOCKED_PREDICT | BLOCKED_RANK | BLOCKED_MEASURE, OPTION_WORD, AT(figure), IN(OUTPUT, 0), .words = blocked_figures,
     .requires = "plot", .value = "NAME", .help = "what to draw: %s",
     .manual = "`error`: predicted minus measured time; `yield`: performance of the predicted choice relative to the best; `blocks`: best block sizes over n; "
     "`optima`: performance over b, a line for each n; `kernels`: performance of each kernel over b."},
    {"plot", 0, BLOCKED_CACHE, OPTION_TEXT, AT(plot), IN(OUTPUT, 0), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw each call", .manual = "Prints no table unless `-o` or `--format` is given."},
    {"figure", 0, BLOCKED_CACHE, OPTION_WORD, AT(figure), IN(OUTPUT, 0), .words = cache_figures, .requires = "plot", .value = "NAME",
     .help = "what to draw: %s",
     .manual = "`scatter`: measured over estimated time (stage `smoothed`); `times`: measured time over the number of the call; a stage: its error over the "
     "number of the call."},
    {"plot", 0, RANK, OPTION_TEXT, AT(plot), IN(OUTPUT, 0), .excludes = "several sections grid", .role = FILE_OUTPUT, .value = "FILE.svg",
     .instead = "`explain --plot` draws its steps",
     .help = "sweeps: draw performance over the sizes; --processes N: time on 1, 2, 4, ..., N processes",
     .manual = "Draws the eight fastest algorithms of a sweep, or all with `--all`. For several processes, the lines are the fastest algorithm, its local "
     "products and its communication, by estimate, and ScaLAPACK if it applies."},
    {"plot", 0, MEASURE, OPTION_TEXT, AT(plot), IN(OUTPUT, 0), .excludes = "several sections processes", .role = FILE_OUTPUT, .value = "FILE.svg",
     .instead = "`explain --plot` draws its steps",
     .help = "sweeps: draw predicted and measured performance over the sizes", .manual = "Draws the eight fastest algorithms, or all with `--all`."},
    {"figure", 0, MEASURE, OPTION_WORD, AT(figure), IN(OUTPUT, 0), .words = survey_figures, .requires = "plot", .value = "NAME",
     .help = "what to draw: %s", .manual = "`error`: predicted minus measured time over the sizes. `speedup`: time of the measured runs over that "
     "of the prediction."},
    {"emit", 0, BLOCKED_RANK, OPTION_TEXT, AT(emit), IN(OUTPUT, EVERYWHERE), .excludes = "predictor=windows", .role = FILE_OUTPUT, .value = "FILE.c",
     .help = "write the best block sizes of one algorithm as a C function of n", .manual = "Prints no table unless `-o` or `--format` is given."},
    {"time-limit", 0, BLOCKED_RUNS, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, BLOCKED_WINDOWS), .value = "SECONDS",
     .help = "stop measuring after that time and continue with the results so far",
     .manual = "For `windows` the limit applies to each algorithm and size. Incomplete models are stored; `tcplan model generate` resumes them."},
    {"seed", 0, BLOCKED_RUNS, OPTION_SEED, AT(seed), .value = "N", .help = "seed of random positions and of the order of measurements (default 1)"},
    {"max-memory", 0, BLOCKED_RUNS, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "memory limit for operands (default: most of the free memory)"},
    {"algorithm", 0, EXPLAIN, OPTION_TEXT, AT(algorithm), IN(SEARCH, EVERYWHERE), .excludes = "several", .value = "NAME",
     .expects = "the name of an algorithm", .help = "the slower algorithm, as `tcplan list` names it (default: the second fastest)"},
    {"algorithm", 0, LIST | EMIT | MEASURE | TRACE, OPTION_TEXT, AT(algorithm), IN(SEARCH, EVERYWHERE), .excludes = "several top all", .value = "NAME",
     .expects = "the name of an algorithm", .help = "only this algorithm, as `tcplan list` names it"},
    {"algorithm", 0, ROOFLINE, OPTION_TEXTS, AT(algorithms), IN(SEARCH, 0), .requires = "contraction", .excludes = "top all", .min = 1,
     .max = OPTION_TEXTS_MAX, .value = "NAME", .expects = "the name of an algorithm, given eight times at most",
     .help = "only this algorithm, as `tcplan list` names it; repeatable",
     .manual = "Skips the ranking. A sweep of sizes draws a line of points for each algorithm; by default for the `--top` fastest at the last size (4 without "
               "`--top`)."},
    {"baseline", 0, RANK | MEASURE, OPTION_TEXT, AT(baseline), IN(SEARCH, 0), .excludes = "several", .value = "NAME", .expects = "the name of an algorithm",
     .help = "compare the winner with this algorithm instead of one plain call",
     .manual = "If the search did not compare the two, they run alternately for at most one second."},
    {"measure", 0, BATCH, OPTION_FLAG, AT(measure), IN(SEARCH, EVERYWHERE), .excludes = "effort=estimate",
     .help = "also run the fastest algorithms of each contraction", .manual = "Results then contain measured times and the regret: the time of the chosen "
                                                                              "algorithm relative to the fastest measured one."},
    {"top", 0, BATCH, OPTION_NUMBER, AT(top), IN(SEARCH, 0), .requires = "measure", .min = 1, .max = INT64_MAX, .value = "N",
     .help = "with --measure: number of algorithms to run (default 5)"},
    {"from", 0, BATCH, OPTION_WORD, AT(from), IN(INPUT, 0), .words = tcplan_words_library_formats, .value = "FORMAT", .help = "how to read the libraries: %s",
     .manual = "`any` detects the format from the content."},
    {"class", 0, BATCH, OPTION_TEXT, AT(size_class), IN(INPUT, EVERYWHERE), .min = 1, .value = "NAME", .expects = "the name of a class of sizes",
     .help = "only sizes of this class, such as small or large; all: every class", .manual = "`all` includes optional classes."},
    {"only", 0, BATCH, OPTION_TEXT, AT(only), IN(INPUT, EVERYWHERE), .min = 1, .value = "PATTERN", .expects = "a pattern such as ccsd* or mps/*",
     .help = "only contractions whose NAME or GROUP/NAME matches", .manual = "A pattern of sh(1). It applies to GROUP/NAME if it contains a slash."},
    {"shard", 0, BATCH, OPTION_SHARD, AT(shard), IN(INPUT, EVERYWHERE), .value = "K/N", .help = "only the K-th of N parts, for `tcplan merge`",
     .manual = "Equal contractions are in the same part."},
    {"restart", 0, BATCH, OPTION_FLAG, AT(restart), IN(STORED, EVERYWHERE), .help = "replace existing results instead of resuming",
     .manual = "A file of another kind is never replaced."},
    {"mixed", 0, SEVERAL, OPTION_FLAG, AT(mixed), IN(STORED, 0), .help = "accept results of different machines, versions or settings"},
    {"by-machine", 0, COMMAND(MERGE), OPTION_FLAG, AT(by_machine), IN(OUTPUT, EVERYWHERE), .excludes = "mixed emit format=jsonl",
     .help = "print which algorithm wins on which machine, and what it would lose on the others",
     .manual = "Results in a file that share provenance and number of threads count as one machine; at most eight machines are compared. The default format is "
               "text."},
    {"no-lock", 0, LOCKED, OPTION_FLAG, AT(no_lock), .help = "do not wait until other measurements on this machine end"},
    {"top", 0, MEASURE, OPTION_NUMBER, AT(top), IN(SEARCH, EVERYWHERE), .excludes = "several all", .min = 1, .max = INT64_MAX, .value = "N",
     .help = "only the first N algorithms (default 5)"},
    {"top", 0, RANK | LIST | ROOFLINE, OPTION_NUMBER, AT(top), IN(SEARCH, RANK | LIST), .requires = "contraction", .excludes = "several", .min = 1,
     .max = INT64_MAX, .value = "N", .help = "only the first N algorithms",
     .manual = "Without it, the table of `rank` has at most twelve rows; JSON, CSV and XML have all algorithms."},
    {"full", 0, RANK | MEASURE, OPTION_FLAG, AT(full), IN(OUTPUT, 0), .help = "for a sweep: print a table for each size instead of one line"},
    {"max-points", 0, SHOWN | ROOFLINE, OPTION_NUMBER, AT(max_points), IN(OUTPUT, 0), .requires = "contraction", .min = 1, .max = INT64_MAX, .value = "N",
     .help = "refuse a sweep of more than N size points (default 1000)"},
    {"top", 0, REPORT, OPTION_NUMBER, AT(top), IN(SEARCH, 0), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "only the first N contractions of the table (default 40)"},
    {"ceilings", 0, PORTABILITY, OPTION_TEXTS, AT(platforms), IN(STORED, 0), .max = OPTION_TEXTS_MAX, .role = FILE_INPUT, .value = "FILE",
     .help = "ceilings of a machine, written there by `tcplan roofline --ceilings FILE`; repeatable",
     .manual = "Each platform uses the ceilings of its CPU, cores, caches and number of threads. Stored ceilings of this machine are used automatically."},
    {"ceiling", 0, PORTABILITY, OPTION_WORD, AT(ceiling), IN(SEARCH, 0), .words = program_ceilings, .value = "NAME",
     .help = "programs: compute ceiling to compare with: %s", .manual = "`mul_add` is the peak of code without FMA, `divide` that of divisions. Theoretical "
                                                                        "ceilings follow from the clock and the vector units, not from a measurement."},
    {"flops", 0, PORTABILITY, OPTION_WORD, AT(canonical), IN(SEARCH, 0), .words = counted_flops, .value = "WHICH",
     .help = "programs: which operations count: %s",
     .manual = "`canonical` takes the column canonical_flops, in which a division is one operation. A processor executes several operations for a division; "
               "`flops` counts all of them."},
    {"all", 0, PORTABILITY, OPTION_FLAG, AT(all), IN(SEARCH, 0), .help = "print every algorithm, not only the most portable"},
    {"all", 0, RANK | MEASURE | ROOFLINE, OPTION_FLAG, AT(all), IN(SEARCH, MEASURE | ROOFLINE), .requires = "contraction",
     .excludes = "several effort=estimate", .help = "every algorithm of the space blas, even those that a lower bound rules out"},
    {"emit", 0, RANK, OPTION_TEXT, AT(emit), IN(OUTPUT, RANK | BATCH), .role = FILE_OUTPUT, .value = "FILE.c",
     .help = "write C for the fastest algorithm to FILE.c"},
    {"emit", 0, SEVERAL, OPTION_TEXT, AT(emit), IN(OUTPUT, RANK | BATCH), .requires = "output", .role = FILE_OUTPUT, .value = "FOLDER",
     .expects = "the name of a folder", .help = "write C for every winner to FOLDER: functions, header, Fortran module, CMake file and test",
     .manual = "The test compares every function with the sums that define it. Functions are named `contract_NAME_SIZES`."},
    {"function", 0, RANK | EMIT, OPTION_IDENTIFIER, AT(function), IN(OUTPUT, EMIT), .requires = "emit", .value = "NAME",
     .help = "name of the emitted function (default contract)"},
    {"header", 0, RANK | EMIT, OPTION_TEXT, AT(header), IN(OUTPUT, EMIT), .requires = "emit", .role = FILE_OUTPUT, .value = "FILE.h",
     .help = "also write a header for C and C++", .manual = "The C code includes it by its name without folders."},
    {"fortran", 0, RANK | EMIT, OPTION_TEXT, AT(fortran), IN(OUTPUT, EMIT), .requires = "emit", .role = FILE_OUTPUT,
     .value = "FILE.f90", .help = "also write a Fortran module with the function's interface", .manual = "The module is named `NAME_interface`."},
    {"extents", 0, RANK | EMIT, OPTION_WORD, AT(takes_extents), .requires = "emit", .excludes = "several", .words = extents, .value = "KIND",
     .help = "extents of the emitted function: %s",
     .manual = "A function with `runtime` extents takes them as arguments, and also the strides of tensors with `--strides`, such as leading dimensions. "
     "Tile sizes are those of the algorithm. The algorithm is the fastest whose kernel can have such extents; those of `emitted` cannot."},
    {"with-main", 0, RANK | EMIT, OPTION_FLAG, AT(with_main), IN(OUTPUT, EMIT), .requires = "emit",
     .help = "emit a driver that checks the function and times it", .manual = "It compares the result with naive loops."},
    {"stops", 0, TUNE, OPTION_WORD, AT(tune.stops), IN(SEARCH, EVERYWHERE), .words = tcplan_words_tune_stops, .value = "LETTERS",
     .help = "which rules end a measurement early: %s",
     .manual = "`C`: iterations end when their mean is precise. `I`: iterations end when they are certainly slower than the best so far. `O`: both rules "
     "also end invocations. `none`: all iterations of all invocations run."},
    {"order", 0, TUNE, OPTION_WORD, AT(tune.order), IN(SEARCH, 0), .words = tcplan_words_tune_orders, .value = "ORDER",
     .help = "order of the configurations: %s (forward: from small to large)"},
    {"invocations", 0, TUNE, OPTION_NUMBER, AT(tune.invocations), IN(SEARCH, EVERYWHERE), .min = 1, .max = 1000000, .value = "N",
     .help = "at most N invocations of a configuration, each a process (default 10)"},
    {"iterations", 0, TUNE, OPTION_NUMBER, AT(tune.iterations), IN(SEARCH, EVERYWHERE), .min = 1, .max = 1000000, .value = "N",
     .help = "at most N iterations of an invocation (default 200)"},
    {"seconds", 0, TUNE, OPTION_SECONDS, AT(tune.seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "time limit of an invocation (default 10)"},
    {"tolerance", 0, TUNE, OPTION_PERCENT, AT(tune.tolerance), IN(SEARCH, 0), .value = "PERCENT",
     .help = "a mean is precise if its 99 % interval is within PERCENT of it (default 1)"},
    {"interval", 0, TUNE, OPTION_WORD, AT(tune.interval), IN(SEARCH, 0), .words = tcplan_words_tune_intervals, .value = "KIND",
     .help = "confidence interval of means: %s",
     .manual = "`normal` is that of the paper: it is too narrow for few samples, so measurements end earlier. `median` compares medians of iterations, "
     "which single slow iterations do not move, and needs eight iterations."},
    {"least-count", 0, TUNE, OPTION_NUMBER, AT(tune.least_count), .min = 2, .max = 1000000, .value = "N",
     .help = "iterations before a configuration may be ruled out (default 2)", .manual = "A larger N protects configurations that are slow at first."},
    {"ramps", 0, TUNE, OPTION_FLAG, AT(tune.ramps), IN(SEARCH, 0),
     .help = "do not count iterations during which a configuration becomes faster",
     .manual = "Mann's trend test on the last 32 iterations decides, with 1 % error. No configuration is ruled out while it becomes faster."},
    {"configurations", 0, TUNE, OPTION_FLAG, AT(tune.configurations), IN(OUTPUT, EVERYWHERE),
     .help = "print a row for each configuration instead of the fastest"},
    {"plot", 0, TUNE, OPTION_TEXT, AT(plot), IN(OUTPUT, 0), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "with --configurations: draw the rates, and the times of their measurement"},
    {"provider", 0, TUNE, OPTION_WORD, AT(model.provider), IN(INPUT, EVERYWHERE), .words = providers, .min = NO_DEFAULT, .value = "NAME",
     .help = "library of the gemm: openblas (default), libxsmm, blis, blas1 to blas4"},
    {"extents", 0, TUNE, OPTION_WORD, AT(tune.extents), IN(EXPERT, EVERYWHERE), .words = tcplan_words_tune_extents, .value = "WHICH",
     .help = "sizes of the gemm: %s (45 sizes that take seconds, or the 96 of the paper)"},
    {"threads", 't', TUNE, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS, .value = "N",
     .help = "only N threads (default: those of a core, a NUMA node, a socket and the machine)"},
    {"domain", 0, MODEL_FITS, OPTION_TEXT, AT(model.domain), IN(INPUT, EVERYWHERE), .min = 1, .value = "DOMAIN",
     .expects = "a domain such as m=24:536,n=24:4152", .help = "range of sizes: m=24:536,n=24:4152 (default: those that tcplan uses)",
     .manual = "Ends are multiples of 8; a single number is one size."},
    {"provider", 0, MODEL_CHOOSES, OPTION_WORD, AT(model.provider), IN(INPUT, EVERYWHERE), .words = providers, .min = NO_DEFAULT, .value = "NAME",
     .help = "library of the routines: openblas (default), libxsmm, blis, blas1 to blas4"},
    {"placement", 0, MODEL_CHOOSES, OPTION_WORD, AT(model.placement), IN(INPUT, EVERYWHERE), .words = placements, .value = "WHERE",
     .help = "operands before a call: %s",
     .manual = "`warm`: cached by the same call just before. `cold`: in memory only. `streaming`: in memory, directly after those of the previous call."},
    {"threads", 't', MODEL_CHOOSES, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS, .value = "N",
     .help = "threads of the library (default 1)"},
    {"overfitting", 0, MODEL_FITS, OPTION_NUMBER, AT(model.config.overfitting), .min = 0, .max = 4, .value = "N",
     .help = "polynomial degrees above those of the operation count (default 2; 0 for three sizes)"},
    {"oversampling", 0, MODEL_FITS, OPTION_NUMBER, AT(model.config.oversampling), .min = 1, .max = 20, .value = "N",
     .help = "points along each size, in addition to those that the degree needs (default 4)"},
    {"grid", 0, MODEL_FITS, OPTION_WORD, AT(model.config.grid), .words = grids, .min = NO_DEFAULT, .value = "KIND",
     .help = "grid of the measured points: chebyshev (default) or cartesian"},
    {"repetitions", 0, MODEL_MEASURES, OPTION_NUMBER, AT(model.config.repetitions), IN(SEARCH, EVERYWHERE), .min = 1, .max = 1000, .value = "N",
     .help = "repetitions of each point; in a check, of each session (default 10)"},
    {"reference", 0, MODEL_FITS, OPTION_WORD, AT(model.config.reference), .words = references, .min = NO_DEFAULT, .value = "WHICH",
     .help = "statistic to which the error refers: minimum (default) or median"},
    {"measure", 0, MODEL_FITS, OPTION_WORD, AT(model.config.measure), IN(SEARCH, 0), .words = error_measures, .min = NO_DEFAULT, .value = "OF",
     .help = "error of a piece: maximum (default), p90 or mean of the errors at its points"},
    {"bound", 0, MODEL_FITS, OPTION_PERCENT, AT(model.config.bound), IN(SEARCH, MODEL_GENERATE), .value = "PERCENT",
     .help = "halve pieces whose error exceeds PERCENT (default 1)"},
    {"width", 0, MODEL_FITS, OPTION_NUMBER, AT(model.config.min_width), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "do not halve pieces narrower than N (default 32; 64 for three sizes)",
      .manual = "The defaults for several threads are 64, and 256 for three sizes."},
    {"points", 0, MODEL_CHECK, OPTION_NUMBER, AT(model.points), IN(INPUT, EVERYWHERE), .min = 1, .max = TCPLAN_CHECKED_POINTS, .value = "N",
     .help = "random points to check in each model (default 30)"},
    {"samples", 0, MODEL_FITS, OPTION_TEXT, AT(model.samples), IN(STORED, 0), .role = FILE_OUTPUT, .value = "FILE",
     .help = "file to save samples in while they are taken (default: in the store)",
     .manual = "The same command resumes an interrupted generation from FILE. Other configurations reuse its samples."},
    {"restart", 0, MODEL_FITS, OPTION_FLAG, AT(restart), IN(STORED, MODEL_GENERATE), .help = "discard existing samples",
     .manual = "A file of another kind is never replaced."},
    {"counter", 0, MODEL_FITS, OPTION_TEXT, AT(model.counter), IN(EXPERT, 0), .min = 1, .value = "EVENT",
     .help = "model counts of an event instead of times, such as instructions or branch-misses",
     .manual = "EVENT is cycles, instructions, misses (bytes), flops or an event of perf. Such models predict no times, so rankings do not use them."},
    {"counters", 0, MODEL_FITS, OPTION_TEXT, AT(model.counters), IN(EXPERT, 0), .requires = "counter", .role = FILE_INPUT, .value = "SOURCE",
     .expects = "perf, none or the name of a file", .help = "source of the counts: perf (default), none, or a FILE of recorded counts"},
    {"configurations", 0, MODEL_STUDY, OPTION_WORD, AT(configurations), IN(INPUT, EVERYWHERE), .words = configurations, .value = "SET",
     .help = "configurations to fit: %s (14 or all 2880 of the dissertation)",
     .manual = "Options such as `--bound` or `--width` replace that parameter in each configuration."},
    {"step", 0, MODEL_STUDY, OPTION_NUMBER, AT(step), IN(INPUT, EVERYWHERE), .min = 1, .max = TCPLAN_MODEL_LARGEST, .value = "N",
     .help = "measure all sizes that are multiples of N (default 8)"},
    {"plot", 0, MODEL_STUDY, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw the error of each configuration over its cost"},
    {"time-limit", 0, MODEL_MEASURES, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "stop measuring after that time", .manual = "Incomplete models are stored; the same command resumes."},
    {"seed", 0, MODEL_MEASURES, OPTION_SEED, AT(seed), .value = "N", .help = "seed of the order of measurements and of random points (default 1)"},
    {"max-memory", 0, MODEL_MEASURES, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "memory limit for operands (default: four fifths of the free memory)"},
    {"traffic", 0, ROOFLINE, OPTION_WORD, AT(traffic), .requires = "contraction run points kernel", .words = directions, .value = "WHICH",
     .help = "compare with the bandwidth of %s traffic",
     .manual = "`read`: loads; `write`: stores. `read` helps to explain a time that the total traffic does not."},
    {"unit", 0, ROOFLINE | SELFTEST, OPTION_WORD, AT(per_cycle), IN(OUTPUT, 0), .words = units, .value = "UNIT", .help = "rates per %s",
     .manual = "Cycles are those of the measured core clock, not of the time-stamp counter."},
    {"unit", 0, SAMPLE, OPTION_WORD, AT(sample_unit), IN(OUTPUT, EVERYWHERE), .words = sample_units, .value = "UNIT", .help = "unit of times in text: %s",
     .manual = "Cycles are those of the constant counter of the processor, on x86 the time-stamp counter. JSON and CSV have both cycles and seconds."},
    {"check", 0, SAMPLE, OPTION_FLAG, AT(check_only), IN(OUTPUT, EVERYWHERE), .help = "check the script without running it"},
    {"counters", 0, SAMPLE, OPTION_TEXT, AT(counters), IN(EXPERT, EVERYWHERE), .role = FILE_INPUT, .value = "SOURCE",
     .expects = "perf, none or the name of a file", .help = "source for set_counters: perf (default), none, or a FILE of recorded counts"},
    {"cores", 0, BOUND, OPTION_TEXT, AT(cores), IN(SEARCH, 0), .excludes = "several sections processes effort=estimate plans", .min = 1, .value = "CORES",
     .expects = "close, spread, unbound or numbers such as 0-3,6",
     .help = "run threads on CORES: close, spread, unbound, or numbers such as 0-3,6",
     .manual = "Cores are numbered from 0 in the order of hwloc's topology. `close` takes as many as there are threads, next to each other; `spread`, as far "
     "apart as possible. `unbound` does not even keep a single thread on its core. `rank` and `measure` then use no stored times and plans."},
    {"memory", 0, BOUND, OPTION_TEXT, AT(memory), IN(SEARCH, 0), .excludes = "several sections processes effort=estimate plans", .min = 1, .value = "NODES",
     .expects = "local, interleave or numbers such as 0,1",
     .help = "take memory from NODES: local, interleave, or numbers of NUMA nodes such as 0,1",
     .manual = "`local` memory is in the node of the core that writes it first; `interleave` takes pages from all nodes in turn."},
    {"no-warm-up", 0, SAMPLE, OPTION_FLAG, AT(no_warm_up), .help = "make no BLAS call before the first timed one, which then starts the library"},
    {"threads", 't', SAMPLE, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS, .value = "N",
     .help = "threads of the libraries, or of {omp regions, in which each call uses one thread "
             "(default 1)"},
    {"align", 0, SAMPLE, OPTION_SIZE, AT(alignment_bytes), IN(INPUT, 0), .value = "BYTES", .help = "align all memory to multiples of BYTES (default 64)",
     .manual = "A power of two, at least 16."},
    {"first-offset", 0, SAMPLE, OPTION_SIZE, AT(offset_bytes), .value = "BYTES", .help = "anonymous memory starts BYTES after a page boundary (default 0)",
     .manual = "A multiple of 16."},
    {"max-memory", 0, SAMPLE, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "memory limit for all buffers (default: the free memory)"},
    {"time-limit", 0, SAMPLE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "end the command if the calls of one `go` take longer than SECONDS",
     .manual = "Samples until then are printed. Calls run in a separate thread."},
    {"run", 0, ROOFLINE, OPTION_TEXT, AT(run), IN(INPUT, EVERYWHERE), .excludes = "contraction curves unit=cycle", .min = 1, .value = "COMMAND",
     .expects = "a program and its arguments", .help = "run a program and place it and its marked regions under the roofs",
     .manual = "Blanks separate words; quotes and backslashes protect blanks, and nothing is expanded. `--time-limit` ends the program. Mark regions with "
     "<tcplan/region.h>."},
    {"shell", 0, ROOFLINE, OPTION_FLAG, AT(shell), .requires = "run", .help = "with --run: run the command by /bin/sh"},
    {"run-output", 0, ROOFLINE, OPTION_TEXT, AT(run_output), IN(OUTPUT, 0), .requires = "run", .role = FILE_OUTPUT, .value = "FILE",
     .help = "with --run: write its standard output to FILE",
     .manual = "By default its output goes where the text goes, or to stderr if JSON, XML or CSV go to stdout."},
    {"counters", 0, ROOFLINE, OPTION_TEXT, AT(counters), .requires = "run kernel", .role = FILE_INPUT, .value = "SOURCE",
     .expects = "perf, none or the name of a file", .help = "with --run and --kernel, source of counts: perf (default), none, or a FILE of recorded counts",
     .manual = "`--kernel` also accepts `simulated`, which simulates traces of the runs in the caches of this machine."},
    {"counters", 0, SELFTEST, OPTION_TEXT, AT(counters), .role = FILE_INPUT, .value = "SOURCE", .expects = "perf, none, simulated or the name of a file",
     .help = "source of counts: perf (default), none, simulated, or a FILE of recorded counts",
     .manual = "`simulated` simulates traces of the runs in the caches of this machine; large caches take long."},
    {"kernel", 0, ROOFLINE, OPTION_TEXTS, AT(kernels), IN(INPUT, EVERYWHERE), .requires = "dtype=d", .excludes = "contraction run points machine curves",
     .min = 1, .max = OPTION_TEXTS_MAX, .value = "NAME=N[,N...]", .expects = "a kernel and its sizes, such as fft=1024,4096, given eight times at most",
     .help = "place daxpy, dgemv, dgemm or fft of these sizes, cold and warm, or any routine: dtrsm=100,200; repeatable",
     .manual = "Follows the protocol of Ofenbeck et al. N is a number of elements, or stands for an N x N matrix. `fft` needs an installed FFTW. Bytes are "
               "analytic, simulated or counted (`--counters`), and labelled so. Any routine of `sample` is timed warm, 20 times: "
               "`dgemm@blis:transA=T,k=64,n=100:1000:100` names a library and arguments; the last argument is the range. Omitted sizes equal the last one; "
               "omitted flags have their first letter. If one kernel is such a routine, all kernels are timed this way."},
    {"flops", 0, ROOFLINE, OPTION_TEXTS, AT(flops), .requires = "run", .min = 1, .max = OPTION_TEXTS_MAX, .value = "[NAME=]N",
     .expects = "operations, such as 2e9 or triad=2e9, given eight times at most",
     .help = "with --run: operations of the program, or of region NAME; repeatable",
     .manual = "The number is the total of all calls. It replaces the counted value, and is "
               "labelled given."},
    {"bytes", 0, ROOFLINE, OPTION_TEXTS, AT(bytes), .requires = "run", .min = 1, .max = OPTION_TEXTS_MAX, .value = "[NAME=]N",
     .expects = "bytes, such as 48e9 or triad=48e9, given eight times at most",
     .help = "with --run: bytes moved to and from memory by the program, or by region "
     "NAME; repeatable"},
    {"points", 0, ROOFLINE, OPTION_TEXT, AT(points), IN(INPUT, 0), .excludes = "contraction curves unit=cycle", .role = FILE_INPUT, .value = "FILE",
     .help = "place results: REPORT.xml of `experiment run`, CSV of likwid-perfctr -O, or name,flops,bytes,seconds",
     .manual = "The CSV may also have name,intensity,gflops. Groups and regions of LIKWID are summed over its threads. A report has a "
     "point for each value of its range: operations and compulsory bytes of its routines, and the median time."},
    {"select", 0, ROOFLINE, OPTION_TEXTS, AT(selectors), IN(OUTPUT, 0), .requires = "points", .min = 1, .max = OPTION_TEXTS_MAX, .value = "CALLS",
     .expects = "calls as [LABEL=]gemm+2*trsm, given eight times at most",
     .help = "calls of a report to place, as for `experiment report`; repeatable (default all)"},
    {"bandwidth", 0, ROOFLINE, OPTION_TEXT, AT(bandwidth), .requires = "run points", .min = 1, .value = "KERNEL",
     .expects = "the name of a bandwidth, such as load or triad", .help = "compare --run and --points with this kernel's bandwidth",
     .manual = "By default tcplan takes the kernel with the nearest share of writes, or `load` if the share is unknown."},
    {"measure", 0, ROOFLINE, OPTION_FLAG, AT(measure), IN(SEARCH, EVERYWHERE), .requires = "contraction", .excludes = "effort=estimate",
     .help = "also run the algorithms"},
    {"no-fma", 0, ROOFLINE, OPTION_FLAG, AT(no_fma), .requires = "contraction run points kernel",
     .help = "compare with the peak of separate multiplications and additions"},
    {"quick", 0, ROOFLINE, OPTION_FLAG, AT(quick), IN(SEARCH, EVERYWHERE), .help = "coarse, in at most 15 s: few short windows, gemm not tuned"},
    {"intensities", 0, ROOFLINE, OPTION_FLAG, AT(intensities),
     .help = "measure a kernel of 1 to 1024 operations per element in each level, and its ridge point"},
    {"strided", 0, ROOFLINE, OPTION_FLAG, AT(strided), .help = "loads and stores at strides of 1 to 64 elements, relative to unit stride",
     .manual = "Also prints the share expected if whole cache lines move as fast as at unit stride. Without this option only four strides of loads are "
     "measured."},
    {"widths", 0, ROOFLINE, OPTION_FLAG, AT(widths), .help = "also measure bandwidth with narrower vectors and without vectors"},
    {"sweep", 0, ROOFLINE, OPTION_TEXT, AT(sweep), .min = 1, .value = "KERNELS", .expects = "kernels such as store,triad",
     .help = "also measure these kernels over the working set, not only loads",
     .manual = "The rates appear in JSON and CSV. Cache levels are detected from loads."},
    {"small-pages", 0, ROOFLINE, OPTION_FLAG, AT(small_pages), .help = "measure bandwidth on pages of the default size instead of huge ones"},
    {"remeasure", 0, ROOFLINE, OPTION_FLAG, AT(remeasure), IN(STORED, 0), .help = "measure and store all ceilings again"},
    {"ceilings", 0, ROOFLINE, OPTION_TEXTS, AT(ceiling_files), IN(STORED, EVERYWHERE), .max = OPTION_TEXTS_MAX, .role = FILE_OUTPUT, .value = "FILE",
     .expects = "the name of a file, eight times at most",
     .help = "read ceilings from FILE, or measure and write them if FILE is missing; further FILEs are drawn for comparison by --plot",
     .manual = "FILE may come from another machine. Default: the stored ceilings of this machine, see `store`."},
    {"ceilings", 0, TUNE, OPTION_TEXT, AT(ceilings), IN(STORED, 0), .role = FILE_INPUT, .value = "FILE",
     .help = "measured cache sizes, from FILE of `tcplan roofline` (default: those in the store)",
     .manual = "If both are missing, or with `--machine`, the sizes come from the system or the description."},
    {"ceilings", 0, RANK | MEASURE | BATCH, OPTION_TEXT, AT(ceilings), IN(STORED, 0), .role = FILE_INPUT, .value = "FILE",
     .help = "ceilings from FILE of `tcplan roofline` instead of the store"},
    {"ceilings", 0, REPORT, OPTION_TEXT, AT(ceilings), IN(STORED, 0), .role = FILE_INPUT, .value = "FILE",
     .help = "draw the machine's ceilings from FILE (default: from the store, if the results are of this machine)"},
    {"no-store", 0, RANK | EMIT | MEASURE | EXPLAIN | BATCH | TUNE | ADVISE, OPTION_FLAG, AT(no_store), .group = GROUP_STORED,
     .help = "do not read or write the store", .manual = "An empty $TCPLAN_STORE has this effect for every command. See `store`."},
    {"plans", 0, RANK | EMIT | MEASURE | EXPLAIN | BATCH | PLANS, OPTION_TEXT, AT(plans), IN(STORED, 0), .excludes = "no-plans several", .role = FILE_OUTPUT,
     .value = "FILE", .help = "file or folder of stored plans (default: $TCPLAN_PLANS, else the store)",
     .manual = "New plans are added; a missing file is created. `emit` takes a plan from it instead of searching, `explain` explains it, and `rank`, "
     "`measure` and `batch` start their search with it. See `plans`."},
    {"no-plans", 0, RANK | EMIT | MEASURE | EXPLAIN | BATCH, OPTION_FLAG, AT(no_plans), IN(STORED, 0), .help = "do not read or write stored plans",
     .manual = "An empty $TCPLAN_PLANS has this effect for every command."},
    {"all", 0, STORE_FORGET | PLANS_FORGET, OPTION_FLAG, AT(all), IN(SEARCH, 0), .help = "delete everything"},
    {"older", 0, PLANS_FORGET, OPTION_NUMBER, AT(older_days), IN(STORED, 0), .min = 1, .max = INT64_MAX, .value = "DAYS",
     .help = "delete only plans that were last used at least DAYS days ago"},
    {"most", 0, PLANS_FORGET, OPTION_NUMBER, AT(most), IN(STORED, 0), .min = 1, .max = INT64_MAX, .value = "N",
     .help = "keep the N most recently used plans"},
    {"unusable", 0, PLANS_FORGET | STORE_FORGET, OPTION_FLAG, AT(unusable), .group = GROUP_STORED,
     .help = "delete only unusable entries: of other machines or libraries, damaged, too old"},
    {"older", 0, STORE_FORGET, OPTION_NUMBER, AT(older_days), IN(STORED, 0), .min = 1, .max = INT64_MAX, .value = "DAYS",
     .help = "delete only entries that are at least DAYS days old"},
    {"plot", 0, EXPLAIN, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .excludes = "processes", .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw the order of several tensors as a tree, or blocks of --sections",
     .manual = "Each step is a box; a stronger colour is a larger share of the time. Blocks have the colour of the way that computes them."},
    {"plot", 0, ROOFLINE, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.svg|-", .expects = "the name of a file, or -",
     .help = "draw the roofs and the points under them as FILE.svg, or in the terminal (-)",
     .manual = "`-` draws after the text and needs gnuplot. With `--intensities` alone, FILE.svg shows the rates over the intensity in each level, and "
     "their ridge points."},
    {"sizes", 's', MODEL_SHOW | MODEL_PLOT, OPTION_TEXT, AT(sizes), IN(INPUT, EVERYWHERE), .min = 1, .value = "SIZES", .expects = "sizes such as m=256,n=512",
     .help = "show: sizes at which to evaluate models, such as m=256,n=512; plot: sizes to fix"},
    {"figure", 0, MODEL_PLOT, OPTION_WORD, AT(figure), IN(OUTPUT, 0), .words = model_figures, .value = "NAME", .help = "what to draw: %s",
     .manual = "`cuts`: time over one size; `pieces`: the pieces over two sizes, coloured by their error, and the samples."},
    {"foreign", 0, MODEL_IMPORT, OPTION_FLAG, AT(foreign), IN(STORED, 0), .help = "import models of another machine or library as this machine's"},
    {"curves", 0, ROOFLINE, OPTION_TEXT, AT(curves), IN(OUTPUT, 0), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw rates over the working set as FILE.svg, with measured and reported cache levels"},
    {"dtype", 0, ALL | BATCH | COMPARE | BLOCKED | ADVISE, OPTION_WORD, AT(dtype), IN(INPUT, ~ROOFLINE), .words = tcplan_words_dtypes, .value = "TYPE",
     .help = "%s: float, double and their complex types, or numpy's names: float64"},
    {"row-major", 0, ALL | BATCH | COMPARE | ADVISE, OPTION_SET, AT(order), IN(INPUT, ~(ROOFLINE | ADVISE | BATCH)), .requires = "contraction with",
     .min = TCPLAN_ROW_MAJOR, .help = "make the last index of a tensor contiguous instead of the first"},
    {"threads", 't', ALL | BATCH | COMPARE | BLOCKED_USES | ADVISE, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .min = 1, .max = TCPLAN_MAX_THREADS,
     .value = "N", .help = "up to N threads, of the BLAS or of a loop around it (default 1)",
     .manual = "tcplan compares one thread with N and answers with the faster. `--algorithm`, `explain` and `compare` use exactly N. `roofline` pins one to "
     "each core."},
    {"oversubscribe", 0, RANK | MEASURE | EMIT | EXPLAIN | BATCH | COMPARE | ADVISE, OPTION_FLAG, AT(oversubscribe),
     .help = "allow more threads than the machine has processing units"},
    {"blas", 0, ALL | BATCH | COMPARE | MACHINE | SELFTEST | SAMPLE | ADVISE | BLOCKED_USES | MODEL_MEASURES | EXPERIMENT_RUN | TUNE,
     OPTION_TEXTS, AT(blas), IN(SEARCH, 0), .max = TCPLAN_PROVIDER_BLAS_FILES,
     .role = FILE_INPUT, .value = "FILE", .expects = "the file of a CBLAS, four of them at most",
     .help = "also use kernels of this CBLAS, a shared library; repeatable",
     .manual = "Its integers must have 32 bits. It is the provider `blas1`, the next is `blas2`, and so on. `tcplan --version` prints the built-in "
     "providers."},
    {"tapp", 0, ALL | BATCH | COMPARE | ADVISE, OPTION_TEXTS, AT(tapp), IN(SEARCH, 0), .max = TCPLAN_PROVIDER_TAPPS,
     .value = "NAME=FILE", .expects = "a name and the file of a TAPP library, such as ours=libtcplan-tapp.so, four of them at most",
     .help = "also use this TAPP library; its algorithm is tapp@NAME; repeatable",
     .manual = "A child process tries the library first. A library that crashes, hangs or computes wrongly is not used, and a note says why."},
    {"page", 0, CHECK, OPTION_TEXT, AT(page), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.html",
     .help = "also write rules, failures and times as a page, FILE.html"},
    {"page", 0, COMMAND(MERGE), OPTION_TEXT, AT(page), IN(OUTPUT, EVERYWHERE), .requires = "by-machine", .role = FILE_OUTPUT, .value = "FILE.html",
     .help = "also write the table as a page, FILE.html"},
    {"page", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(page), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.html",
     .help = "write a page with pictures of all metrics and statistics, FILE.html", .manual = "Prints no table unless `-o` or `--format` is given."},
    {"metric", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(metric), IN(OUTPUT, EVERYWHERE), .min = 1, .value = "NAME", .expects = "the name of a metric or counter",
     .help = "cycles, s, ms, flops, flops/cycle, gflops (default), efficiency, bandwidth, bytes, written, intensity, or a counter",
     .manual = "Metrics are computed for every repetition, and statistics over the repetitions. Counters have the names of the experiment; a counter with the "
               "name of a metric has the prefix `counted-`."},
    {"select", 0, EXPERIMENT_REPORT, OPTION_TEXTS, AT(selectors), IN(OUTPUT, EVERYWHERE), .min = 1, .max = OPTION_TEXTS_MAX, .value = "CALLS",
     .expects = "calls as [LABEL=]gemm+2*trsm, given eight times at most",
     .help = "calls to evaluate: a name, or a sum such as trsm+gemm or a-0.5*b; repeatable (default all)",
     .manual = "`all` is the sum of all calls. `LABEL=CALLS` sets a label."},
    {"statistics", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(statistics), IN(OUTPUT, 0), .min = 1, .value = "LIST",
     .expects = "some of min,med,max,avg,std,p25,p75,p90,all",
     .help = "some of min,med,max,avg,std,p25,p75,p90,all",
     .manual = "A plot draws min and max as a band, also p25 and p75, std as a band around avg, and `all` as a mark for each sample (default min,med,max)."},
    {"discard-first", 0, EXPERIMENT_REPORT, OPTION_FLAG, AT(discard_first), IN(OUTPUT, 0), .help = "omit the first repetition"},
    {"plot", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(plot), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw FILE.svg: a line over the range, or bars", .manual = "Prints no table unless `-o` or `--format` is given."},
    {"roofline", 0, EXPERIMENT_REPORT, OPTION_TEXT, AT(roofline), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.svg",
     .help = "draw the calls under the roofs of this machine, FILE.svg", .manual = "As `tcplan roofline --points REPORT.xml --plot FILE.svg`. Prints no "
     "table unless `-o` or `--format` is given."},
    {"ceilings", 0, EXPERIMENT_REPORT, OPTION_TEXTS, AT(ceiling_files), IN(STORED, 0), .max = 1, .role = FILE_INPUT,
     .value = "FILE", .expects = "the name of a file", .help = "with --roofline: ceilings from FILE of `tcplan roofline` (default: the stored ones)"},
    {"shard", 0, EXPERIMENT_RUN, OPTION_SHARD, AT(shard), IN(INPUT, EVERYWHERE), .value = "K/N",
     .help = "only every N-th value of the range, for `experiment merge`"},
    {"restart", 0, EXPERIMENT_RUN, OPTION_FLAG, AT(restart), IN(STORED, EVERYWHERE), .help = "replace an existing report instead of resuming",
     .manual = "A file of another kind is never replaced."},
    {"mixed", 0, EXPERIMENT_RUN | EXPERIMENT_MERGE, OPTION_FLAG, AT(mixed), IN(STORED, 0), .help = "accept samples of different machines or libraries"},
    {"time-limit", 0, EXPERIMENT_RUN, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "start no new calls after that time; the same command resumes"},
    {"max-memory", 0, EXPERIMENT_RUN, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, EVERYWHERE), .value = "SIZE",
     .help = "memory limit for operands (default: the free memory)"},
    {"counters", 0, EXPERIMENT_RUN, OPTION_TEXT, AT(counters), .role = FILE_INPUT, .value = "SOURCE", .expects = "perf, none or the name of a file",
     .help = "source of counts: perf (default), none, or a FILE of recorded counts"},
    {"output", 'o', EXPERIMENT_RUN, OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE",
     .help = "write the report to FILE, or resume it (default FILE-report.xml)"},
    {"output", 'o', EXPERIMENT & ~EXPERIMENT_RUN, OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE",
     .help = "write to FILE instead of stdout (-)"},
    {"predictor", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_WORD, AT(predictor), .excludes = "several effort=estimate", .words = tcplan_words_predictors,
     .value = "NAME", .help = "%s; thesis: as in Peise's dissertation; repeated: the kernel on the same operands; both imply --space blas",
     .manual = "`window` times stretches of real calls after replaying the memory accesses before them; `thesis` is the method of Peise's dissertation "
     "(sections 6.2.2 to 6.2.6): it times the kernel alone, ten times for each class of its calls, after the accesses that `tcplan trace` shows. `repeated` "
     "times the kernel repeatedly on the same operands, for comparison. Only `window` skips algorithms that a lower bound rules out."},
    {"predictor", 0, EXPLAIN, OPTION_WORD, AT(predictor), .words = explaining_predictors, .value = "NAME", .help = "only the predictor window can explain"},
    {"stage", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_WORD, AT(stage), IN(EXPERT, TRACE), .requires = "contraction, predictor=thesis trace",
     .excludes = "several", .words = tcplan_words_stages, .value = "STAGE", .help = "last stage of thesis to apply: %s", .manual = "Each stage includes the "
     "earlier ones."},
    {"cache", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(cache), IN(SEARCH, TRACE), .words = tcplan_words_cache_states, .value = "STATE",
     .help = "caches before the first call: %s", .manual = "`warm` is their state after a previous execution."},
    {"machine", 0, EXPERIMENT_SCRIPT, OPTION_TEXT, AT(machine), .role = FILE_INPUT, .value = "MACHINE", .expects = "a machine",
     .help = "for comments that name the cores and nodes of MACHINE: live, FILE.xml of hwloc, or a synthetic description"},
    {"machine", 0, ALL | BATCH | COMPARE | TUNE | ADVISE, OPTION_TEXT, AT(machine), IN(EXPERT, TRACE), .role = FILE_INPUT, .value = "MACHINE",
     .expects = "a machine",
     .help = "machine to plan for: live (default), a file of `tcplan machine --export`; or caches to assume: FILE.xml of hwloc, a synthetic description",
     .manual = "The name of a file ends in `.xml`; `tcplan machine --format xml` and hwloc's lstopo(1) write such files. In a synthetic description `MB` is "
     "1000000 bytes and `MiB` is 1048576. Times are measured on this machine. But with a file of `tcplan machine --export`, `rank`, `emit`, `batch` and "
     "`advise` time nothing: they plan by estimate, with that machine's ceilings, costs, kernel times and models."},
    {"export", 0, COMMAND(MACHINE), OPTION_TEXT, AT(export), IN(OUTPUT, COMMAND(MACHINE)), .role = FILE_OUTPUT, .value = "FILE",
     .help = "write FILE, with which another computer can plan for this machine (--machine FILE)",
     .manual = "FILE contains the topology and the stored data of this machine: ceilings, costs, observations and models. `tcplan roofline` and rankings store "
               "these data. Nothing else is printed."},
    {"space", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(space), IN(SEARCH, LIST), .words = tcplan_words_spaces, .value = "SPACE",
     .help = "algorithms to consider: %s; blas: one BLAS kernel on slices in loops",
     .manual = "`blas` is the dissertation's space, with copies only if BLAS needs them. `full` adds fused indices, tiles, optional copies, results written "
     "with non-temporal stores, kernels of other providers, and element-wise products of batch indices. `--all` and predictors other than `window` use the "
     "space `blas`."},
    {"effort", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(effort), IN(SEARCH, ~(LIST | TRACE | ROOFLINE)), .words = tcplan_words_efforts, .value = "EFFORT",
     .help = "planning effort: %s",
     .manual = "`estimate` times nothing and takes milliseconds: a coarse model ranks the algorithms, from stored kernel times and ceilings if there are "
     "any. `quick` evaluates few loop orders of a kernel and compares the fastest briefly. `normal` separates the fastest to two per cent. `thorough` times "
     "full windows of every algorithm that no lower bound rules out. For several tensors, the most expensive steps are ranked with this "
     "effort, at most eight products; `thorough` times all steps. The other steps keep their estimates."},
    {"prefer", 0, ALL | BATCH | ADVISE, OPTION_WORD, AT(prefer), IN(SEARCH, 0), .requires = "contraction with", .words = tcplan_words_preferences,
     .value = "WHAT", .help = "choice among equally fast algorithms: %s; simple: fewer libraries, less workspace, fewer lines",
     .manual = "Equally fast algorithms were compared and are within two per cent. `simple` chooses the one with the fewest libraries, then the least "
     "workspace, then the fewest lines of C; `speed` chooses the fastest. `*` marks the choice if it is not the first row."},
    {"time-limit", 0, (ALL & ~(LIST | ROOFLINE)) | BATCH, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "stop planning a contraction after that time and answer with the best so far",
     .manual = "The output states how many algorithms were not evaluated. If there is no time for even one evaluation, the answer is an estimate, and "
     "labelled so."},
    {"time-limit", 0, ROOFLINE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "total time; stop with the ceilings measured until then",
     .manual = "Measured ceilings are stored and printed, and a note counts the missing ones; the same command measures only these. ^C has the same effect. "
     "With `--run` the limit applies to the program, and again to the ceilings. The default with `--quick` is 15 s."},
    {"time-limit", 0, LIST, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "stop searching for candidates after that time (default 0.9)"},
    {"time-limit", 0, ADVISE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, 0), .value = "SECONDS",
     .help = "total time for searching and timing", .manual = "The output states which layouts were not evaluated or timed."},
    {"time-limit", 0, COMPARE, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "start no round after that time (default 20)", .manual = "If numpy takes longer to answer, it is omitted."},
    {"compare", 0, RANK | MEASURE, OPTION_WORD, AT(compared), IN(SEARCH, 0), .excludes = "several effort=estimate", .words = others, .min = NO_DEFAULT,
     .value = "numpy", .help = "run numpy.einsum alternately with the fastest algorithm",
     .manual = "Products with an index in all three tensors are also compared with numpy.matmul. Needs a python3 with numpy; see `compare`."},
    {"library", 0, CHECK, OPTION_TEXT, AT(contractions), IN(INPUT, EVERYWHERE), .role = FILE_INPUT, .value = "FILE",
     .help = "time the contractions of this library too; tccg is shipped"},
    {"class", 0, CHECK, OPTION_TEXT, AT(size_class), IN(INPUT, EVERYWHERE), .requires = "library", .min = 1, .value = "NAME",
     .expects = "the name of a class of sizes", .help = "time only sizes of this class, such as small or large; all: every class"},
    {"only", 0, CHECK, OPTION_TEXT, AT(only), IN(INPUT, EVERYWHERE), .requires = "library", .min = 1, .value = "PATTERN",
     .expects = "a pattern such as ccsd*", .help = "time only contractions whose NAME matches"},
    {"threads", 't', CHECK, OPTION_NUMBER, AT(threads), IN(SEARCH, EVERYWHERE), .requires = "library", .min = 1, .max = TCPLAN_MAX_THREADS, .value = "N",
     .help = "threads of the libraries while they are timed (default 1)"},
    {"max-memory", 0, CHECK, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, EVERYWHERE), .requires = "library", .value = "SIZE",
     .help = "time only contractions whose tensors take SIZE at most (default 2G)"},
    {"no-lock", 0, CHECK, OPTION_FLAG, AT(no_lock), .requires = "library", .help = "do not wait for batches and measurements on this machine"},
    {"random", 0, CHECK, OPTION_NUMBER, AT(random_count), IN(SEARCH, EVERYWHERE), .min = 0, .max = 1000000, .value = "N",
     .help = "number of random products (default 200)"},
    {"seed", 0, CHECK, OPTION_SEED, AT(seed), IN(SEARCH, EVERYWHERE), .value = "N", .help = "seed of the random products (default 1)"},
    {"time-limit", 0, CHECK, OPTION_SECONDS, AT(time_limit_seconds), IN(SEARCH, EVERYWHERE), .value = "SECONDS",
     .help = "time limit of each case (default 10)"},
    {"seed", 0, TUNE, OPTION_SEED, AT(seed), .value = "N", .help = "seed of the random order (default 1)"},
    {"seed", 0, ALL | BATCH | ADVISE, OPTION_SEED, AT(seed), .value = "N", .help = "equal seeds choose equal samples (default 1)"},
    {"max-memory", 0, TUNE, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, EVERYWHERE), .value = "SIZE",
     .help = "memory limit for the vectors of triad (default: half of the free memory)"},
    {"max-memory", 0, ALL | SELFTEST | BATCH | COMPARE | ADVISE, OPTION_SIZE, AT(max_memory_bytes), IN(SEARCH, 0), .value = "SIZE",
     .help = "memory limit for tensors, such as 512M or 2GiB",
     .manual = "In bytes, or in powers of 1024 such as `512M`, `512MiB` or `2G`. Predictions use by default an eighth of the free memory, from 384 MB to 2 GB; "
     "measurements use all of it."},
    {"align", 0, ALL | BATCH | COMPARE | ADVISE, OPTION_SIZE, AT(alignment_bytes), IN(INPUT, 0), .requires = "contraction with", .value = "BYTES",
     .help = "alignment of arrays: multiples of BYTES, but not of 2 * BYTES (default 16)",
     .manual = "A power of two. Times depend on it because non-temporal stores write whole cache lines of 64 bytes. Large arrays of malloc and numpy start "
     "16 bytes after a cache line. Use 64 or 4096 for programs that align their arrays to cache lines or pages."},
    {"max-workspace", 0, ALL | BATCH | ADVISE, OPTION_SIZE, AT(max_workspace_bytes), IN(SEARCH, 0), .requires = "contraction with", .value = "SIZE",
     .help = "only algorithms with temporaries of at most SIZE, such as 512K or 2GiB", .manual = "A named algorithm that needs more is rejected."},
    {"format", 0, TABLES | EXPERIMENT_REPORT, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = formats, .value = "FORMAT", .help = "%s"},
    {"format", 0, REPORT, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = formats, .value = "FORMAT", .help = "format of the summary: %s"},
    {"format", 0, SEVERAL, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = result_formats, .min = NO_DEFAULT, .value = "FORMAT",
     .help = "%s (default: from the ending of FILE)", .manual = "`json` is an array; `jsonl` has one object per line."},
    {"format", 0, DOCUMENTS, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = document_formats, .value = "FORMAT", .help = "%s",
     .manual = "`--machine` reads the XML of `machine`."},
    {"format", 0, SAMPLE, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = sample_formats, .value = "FORMAT", .help = "%s",
     .manual = "With JSON and CSV, the output of `print` goes to stderr."},
    {"json", 'J', TABLES | EXPERIMENT_REPORT | DOCUMENTS | SAMPLE | ADVISE | REPORT | SEVERAL, OPTION_SET, AT(format), IN(OUTPUT, 0),
     .excludes = "format=csv format=xml",
     .min = OUTPUT_JSON, .help = "as --format json"},
    {"format", 0, ADVISE, OPTION_WORD, AT(format), IN(OUTPUT, EVERYWHERE), .words = sample_formats, .value = "FORMAT", .help = "%s"},
    {"limit", 0, (ALL & ~EXPLAIN) | BATCH, OPTION_SIZE, AT(limit_bytes), .requires = "contraction, predictor=thesis trace", .value = "SIZE",
     .help = "thesis: limit of a cache setup (default: 5/4 of the last cache)"},
    {"output", 'o', TABLES | DOCUMENTS | EMIT | ADVISE | SEVERAL | SAMPLE | STORE_SHOW | PLANS_SHOW | PLANS_EXPORT | MODEL_CHOOSES | BLOCKED | HELP,
     OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .requires = "man schema", .role = FILE_OUTPUT, .value = "FILE",
     .help = "write to FILE instead of stdout (-)", .manual = "The file is written completely or not at all."},
    {"output", 'o', REPORT, OPTION_TEXT, AT(output), IN(OUTPUT, EVERYWHERE), .role = FILE_OUTPUT, .value = "FILE.html",
     .help = "write a page with tables and plots to FILE.html, or to stdout (-)"},
    {"quiet", 'q', EVERY, OPTION_FLAG, AT(quiet), IN(OUTPUT, 0), .help = "print no progress and no notes on stderr",
     .manual = "Progress is printed only on terminals."},
    {"verbose", 'v', RANK | MEASURE, OPTION_FLAG, AT(verbose), IN(OUTPUT, RANK | MEASURE),
     .help = "print more rows and columns, the settings, and why algorithms were omitted", .manual = "JSON, CSV and XML always contain all of it."},
    {"man", 0, COMMAND(HELP), OPTION_FLAG, AT(man), IN(OUTPUT, 0), .help = "print the man page of tcplan or of a command, in the format of man(1)"},
    {"schema", 0, COMMAND(HELP), OPTION_FLAG, AT(schema), IN(OUTPUT, 0), .excludes = "man",
     .help = "print the JSON schema of COMMAND's output; without COMMAND, the names of all schemas"},
    {"help", 'h', EVERY | HELP, OPTION_SET, AT(help), IN(OUTPUT, EVERYWHERE), .min = HELP_COMMON, .words = help_extents, .value = "[all]",
     .help = "print this help; all: every option"},
    {"version", 'V', EVERY | HELP, OPTION_FLAG, AT(version), IN(OUTPUT, 0), .help = "print the versions of tcplan and its libraries"},
};
/* clang-format on */
const size_t options_table_count = sizeof options_table / sizeof *options_table;

const struct options options_defaults = {
    .dtype = TCPLAN_DOUBLE,
    .stage = TCPLAN_STAGE_FIRST,
    .space = TCPLAN_SPACE_FULL,
    .effort = TCPLAN_EFFORT_NORMAL,
    .machine = "live",
    .step = 8,
    .model = {.config = {.overfitting = -1, .grid = -1, .reference = -1, .measure = -1}},
    .tune = {.stops = TCPLAN_TUNE_PRECISE | TCPLAN_TUNE_INNER | TCPLAN_TUNE_OUTER,
             .seconds = 10,
             .tolerance = 0.01,
             .invocations = 10,
             .iterations = 200,
             .least_count = 2},
    .random_count = 200,
    .threads = 1,
    .max_points = 1000,
    .seed = 1};
