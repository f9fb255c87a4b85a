/**
 * The options of every command: one table, one parser.
 */
#ifndef CLI_OPTIONS_OPTIONS_H
#define CLI_OPTIONS_OPTIONS_H

#include <stdio.h>

#include "cli/commands/command_list.h"
#include "cli/diagnostics.h"
#include "tcplan/advise.h"
#include "tcplan/explain.h"
#include "tcplan/generation.h"
#include "tcplan/points.h"
#include "tcplan/provider.h"
#include "tcplan/study/turns.h"
#include "tcplan/study/words.h"
#include "tcplan/tuning.h"

/**
 * Bits of commands and actions. The bits of a command with actions are those of all its actions, so
 * that one column of the option table lists all commands and actions that accept an option.
 * Commands use the lowest bits, actions the highest.
 */
#define ACTION_BIT(number) (UINT64_C(1) << (number))
#define COMMAND(NAME) ACTION_BIT(NUMBER_##NAME)
#define COMMAND_NUMBER(NAME, name, prints) NUMBER_##NAME,
enum { COMMAND_LIST(COMMAND_NUMBER) COMMAND_COUNT };

#define STORE_LIST ACTION_BIT(63)
#define STORE_SHOW ACTION_BIT(62)
#define STORE_FORGET ACTION_BIT(61)
#define COMMAND_STORE (STORE_LIST | STORE_SHOW | STORE_FORGET)

#define PLANS_LIST ACTION_BIT(60)
#define PLANS_SHOW ACTION_BIT(59)
#define PLANS_FORGET ACTION_BIT(58)
#define PLANS_EXPORT ACTION_BIT(57)
#define PLANS_IMPORT ACTION_BIT(56)
#define COMMAND_PLANS (PLANS_LIST | PLANS_SHOW | PLANS_FORGET | PLANS_EXPORT | PLANS_IMPORT)

#define MODEL_LIST ACTION_BIT(55)
#define MODEL_SHOW ACTION_BIT(54)
#define MODEL_PLOT ACTION_BIT(53)
#define MODEL_EXPORT ACTION_BIT(52)
#define MODEL_IMPORT ACTION_BIT(51)
#define MODEL_GENERATE ACTION_BIT(50)
#define MODEL_CHECK ACTION_BIT(49)
#define MODEL_STUDY ACTION_BIT(34)
#define COMMAND_MODEL                                                                              \
    (MODEL_LIST | MODEL_SHOW | MODEL_PLOT | MODEL_EXPORT | MODEL_IMPORT | MODEL_GENERATE |         \
     MODEL_CHECK | MODEL_STUDY)

#define EXPERIMENT_RUN ACTION_BIT(48)
#define EXPERIMENT_REPORT ACTION_BIT(47)
#define EXPERIMENT_SCRIPT ACTION_BIT(46)
#define EXPERIMENT_MERGE ACTION_BIT(45)
#define COMMAND_EXPERIMENT                                                                         \
    (EXPERIMENT_RUN | EXPERIMENT_REPORT | EXPERIMENT_SCRIPT | EXPERIMENT_MERGE)

#define BLOCKED_LIST ACTION_BIT(44)
#define BLOCKED_TRACE ACTION_BIT(43)
#define BLOCKED_MODELS ACTION_BIT(42)
#define BLOCKED_PREDICT ACTION_BIT(41)
#define BLOCKED_RANK ACTION_BIT(40)
#define BLOCKED_MEASURE ACTION_BIT(39)
#define BLOCKED_EMIT ACTION_BIT(38)
#define BLOCKED_CHECK ACTION_BIT(37)
#define BLOCKED_WINDOWS ACTION_BIT(36)
#define BLOCKED_CACHE ACTION_BIT(35)
#define COMMAND_BLOCKED                                                                            \
    (BLOCKED_LIST | BLOCKED_TRACE | BLOCKED_MODELS | BLOCKED_PREDICT | BLOCKED_RANK |              \
     BLOCKED_MEASURE | BLOCKED_EMIT | BLOCKED_CHECK | BLOCKED_WINDOWS | BLOCKED_CACHE)

/** Amount of help that is requested. */
enum help_extent { HELP_NONE, HELP_COMMON, HELP_ALL };

/** How a command uses a file. A file that is read and rewritten counts as an output. */
enum file_role { FILE_NONE, FILE_INPUT, FILE_OUTPUT };

struct command;
struct action;
struct option;

/** An option of a command line. */
struct given_option {
    const struct option *option;
    const char *value; /**< value as given; NULL if the option has no value */
};

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_CSV, OUTPUT_XML, OUTPUT_JSON_LINES };

enum { OPTION_TEXTS_MAX = 8 };

/** Values of an option that may be given several times. */
struct text_list {
    int count;
    const char *text[OPTION_TEXTS_MAX];
};

/** A part of a batch or experiment: number `part` of `parts`. */
struct shard {
    int64_t number; /**< number of the part, 1 to `count` */
    int64_t count;  /**< number of parts; 0: not divided */
};

/** How blocked algorithms are ranked. */
enum blocked_predictor {
    BLOCKED_BY_EITHER, /**< ranking by models; if models are missing, by windows */
    BLOCKED_BY_MODELS,
    BLOCKED_BY_WINDOWS
};

/** Pictures of blocked algorithms. */
enum blocked_figure {
    BLOCKED_PERFORMANCE, /**< performance over sizes or block sizes, or over both as a colour map */
    BLOCKED_ERROR,       /**< errors of predictions over sizes or block sizes */
    BLOCKED_YIELD,       /**< performance of the predicted choice relative to the best */
    BLOCKED_BLOCKS,      /**< best block sizes over sizes */
    BLOCKED_OPTIMA,      /**< performance over block sizes, a line for each size */
    BLOCKED_KERNELS      /**< performance of kernels over block sizes */
};

/** Pictures of models. */
enum model_figure {
    MODEL_TIMES,    /**< time over one size */
    MODEL_BY_PIECES /**< pieces over two sizes */
};

/** Names of the pictures of blocked algorithms. */
extern const struct tcplan_word blocked_figures[];

/** Options of `blocked`. Sizes are numbers or sweeps; they are parsed when the algorithm is
 * known. */
struct blocked_options {
    const char *n; /**< value of --n; NULL: not given. The same holds for the following texts */
    const char *m;
    const char *block;
    const char *algorithms; /**< file with users' algorithms */
    int predictor;          /**< prediction method of a ranking, an enum blocked_predictor */
    int repetitions;        /**< number of repetitions; 0: the default */
    int level;              /**< cache level to study; 0: the last cache */
    int64_t cache_bytes;    /**< capacity of that cache in bytes; 0: as the machine reports it */
    bool generate;          /**< whether to make missing models without asking */
    bool extrapolate;       /**< whether to predict calls whose sizes no model contains */
    bool no_generate;       /**< whether to make no models, without asking */
    double tie;             /**< relative difference of tied algorithms; 0: TCPLAN_BLOCKED_TIE */
    int64_t leading;     /**< leading dimension of the matrices; 0: equal to the number of rows */
    bool without_result; /**< whether to check also matrices for which the operation fails */
};

/** Options of `advise`. */
struct layout_options {
    const char *names;   /**< names of tensors that may change their layout; NULL: all */
    const char *program; /**< file with a program of contractions; NULL: none */
    int conversion;      /**< enum tcplan_conversion */
    int uses;            /**< number of runs that share a conversion; 0: not given */
};

/** Options of distributed contractions. */
struct distributed_options {
    int processes;          /**< number of processes; 0: not distributed */
    int ranks_per_node;     /**< number of consecutive ranks on a node; 0: all ranks */
    const char *grid;       /**< process grid; NULL: any grid */
    const char *distribute; /**< prescribed distributions of tensors; NULL: the planner chooses all
                             */
    const char *communication; /**< file with models of communication; NULL: stored or assumed
                                  models */
};

/** Options for block-sparse tensors, as text for tcplan_block_product_parse(). */
struct block_options {
    const char *sections;   /**< sections of the indices; NULL: tensors are dense */
    const char *charge;     /**< conservation rules; NULL: none */
    struct text_list lists; /**< lists of blocks, each as TENSOR=FILE */
};

/** The parsed command line; free it with options_free(). Strings point into argv. */
struct options {
    const struct command *command;
    const struct action *action; /**< action of a command with actions: the named one, or the first
                                    one */
    const char *argument;        /**< the contraction; for `help`, a command; NULL: not given */
    int argument_count;
    const char **arguments; /**< all arguments, for commands that accept several. For commands with
                               actions, the first one names the action */
    int given_count;
    struct given_option *given; /**< given options: the last occurrence of each name, but all
                                   occurrences of options of type OPTION_TEXTS */
    const char *sizes;
    const char *shapes; /**< value of --shapes, given instead of sizes */
    struct distributed_options distributed;
    struct block_options blocks;
    struct text_list strides; /**< values of --strides, for tcplan_strides_parse() */
    const char *conjugates; /**< text for tcplan_conjugates_parse(); NULL: only the notation states
                               which tensors are conjugated */
    const char *path; /**< order of an expression's products, in the notation of opt_einsum; NULL:
                         the order is searched */
    const char *algorithm;
    struct text_list algorithms; /**< algorithms that `roofline` draws */
    const char *baseline;        /**< algorithm with which the winner is compared; NULL: the default
                                    baseline */
    const char *machine;
    bool no_warm_up; /**< whether `sample` omits the BLAS call before the first timed one */
    const char *cores, *memory; /**< values for tcplan_binding_make(); NULL: not given */
    const char *export;         /**< file that `machine` exports to; NULL: none */
    const char *output;
    const char *emit;
    const char *function;
    const char *header;  /**< file for the header of emitted C; NULL: none */
    const char *fortran; /**< file for the Fortran module of emitted C; NULL: none */
    const char *size_class;
    const char *only;
    const char *plot;
    int figure; /**< figure to draw: enum blocked_figure, enum model_figure or enum cache_figure */
    const char *curves;
    const char *ceilings;
    const char *plans;      /**< file or folder of stored plans; NULL: the default place */
    const char *sweep;      /**< bandwidth kernels for sweeps over sizes, separated by commas, as
                               store,triad */
    const char *run;        /**< command line of a program whose regions are measured */
    const char *run_output; /**< file for the program's standard output; NULL: not redirected */
    const char *counters; /**< source of hardware counts for `roofline` and `sample`; NULL: perf */
    struct text_list kernels;   /**< kernels with known operations and sizes, as fft=1024,4096 */
    const char *points;         /**< file of regions that other tools measured */
    const char *metric;         /**< metric of `experiment report`; NULL: gflops */
    const char *roofline;       /**< picture that `experiment report` writes; NULL: none */
    const char *statistics;     /**< statistics of `experiment report`; NULL: the default ones */
    struct text_list selectors; /**< selectors of the calls that `experiment report` evaluates */
    const char *bandwidth;  /**< kernel whose bandwidth the points are compared with; NULL: the most
                               similar kernel */
    struct text_list flops; /**< operations of the program and of its regions, as given */
    struct text_list bytes; /**< bytes of the program and of its regions, as given */
    struct text_list platforms; /**< files of ceilings */
    int ceiling;                /**< enum program_ceiling */
    bool canonical;        /**< whether to count the operations as the source code states them */
    struct text_list blas; /**< files of CBLAS libraries to open */
    const char *page;      /**< HTML file that `check` or `merge` writes */
    struct text_list tapp; /**< TAPP libraries to open, as NAME=FILE */
    int objective;         /**< enum tcplan_objective */
    int dtype;             /**< enum tcplan_dtype */
    int order;             /**< enum tcplan_order */
    int predictor;         /**< enum tcplan_predictor */
    int stage;             /**< enum tcplan_stage */
    int cache;             /**< enum tcplan_cache_state */
    int format;            /**< enum output_format */
    int space;             /**< enum search_space */
    int effort;            /**< enum tcplan_effort */
    int prefer;            /**< enum tcplan_preference */
    double time_limit_seconds; /**< 0: none */
    int from;                  /**< enum tcplan_library_format */
    int traffic;               /**< enum tcplan_direction */
    int per_cycle;             /**< unit of rates; 1: per cycle, 0: per second */
    int compared; /**< contender to compare with the winner, an enum tcplan_contender_kind;
                     `algorithm`: none */
    struct text_list ceiling_files; /**< all files of ceilings, which `roofline` draws together; the
                                       first is `ceilings` */
    int threads;
    struct shard shard;
    int64_t top;              /**< number of rows to print; 0: not given */
    int64_t max_points;       /**< maximum number of points of a sweep */
    const char *contractions; /**< library of contractions on which `check` times libraries */
    uint64_t seed;
    int random_count;            /**< number of random products that `check` computes */
    int64_t max_memory_bytes;    /**< memory limit; 0: not given */
    int64_t alignment_bytes;     /**< alignment of arrays; 0: not given */
    int64_t max_workspace_bytes; /**< limit on temporaries; 0: not given */
    int64_t limit_bytes;         /**< limit on cache setups; 0: not given */
    int64_t older_days;          /**< minimum age of entries to remove; 0: not given */
    int64_t most;       /**< maximum number of plans that `plans forget` leaves; 0: not given */
    bool oversubscribe; /**< whether to allow more threads than processors */
    bool measure;
    bool restart;
    bool mixed;
    bool by_machine;
    bool no_lock;
    bool all;
    bool quiet;
    bool full; /**< whether to print a complete table for each size of a sweep */
    bool verbose;
    int takes_extents; /**< whether the emitted function has extents as arguments: 1 or 0 */
    bool with_main;
    bool no_fma;
    bool shell; /**< whether /bin/sh runs the command of --run */
    bool quick;
    bool intensities;
    int sample_unit;      /**< enum sample_unit */
    int64_t offset_bytes; /**< bytes after a page boundary at which memory without names starts; 0:
                             not given */
    bool check_only;      /**< whether to check the script of `sample` without executing it */
    bool strided;
    bool widths;
    bool small_pages;
    bool remeasure;
    bool no_store;
    bool no_plans;
    struct tcplan_generation_options model; /**< options of `model` */
    int configurations;                     /**< enum tcplan_configurations */
    int64_t step;                           /**< step of the grid of `model study` */
    struct tcplan_tune_options tune;        /**< options of `tune` */
    struct blocked_options blocked;
    struct layout_options layout;
    bool unusable;
    bool foreign;
    bool discard_first; /**< whether to exclude the first repetition of each sample */
    bool man, schema;
    int help; /**< enum help_extent */
    bool version;
};

/** The options of a command line without options. */
extern const struct options options_defaults;

/**
 * Parses the command line after the command's name: `--option value`, `--option=value`, `-o value`,
 * `-ovalue`, mixed with arguments in any order. Every word after `--` is an argument. Rejects
 * options that the command, or its action, does not accept. --all, and predictors other than
 * `window`, set the space to `blas`.
 *
 * @param out  must be freed with options_free(), even after an error
 * @return EXIT_DONE, or EXIT_USAGE or EXIT_ENVIRONMENT after a message
 */
enum exit_status options_parse(struct options *out, const struct command *command, int count,
                               char *const arguments[]);

void options_free(struct options *options);

/** Returns whether the command is one of `bits`, which come from COMMAND(). */
bool options_run(const struct options *options, uint64_t bits);

/** Returns whether an option with this name is given. */
bool options_given(const struct options *options, const char *name);

/** Prints, after a message about the command line, how to get the help of the command or action.
 * Returns EXIT_USAGE. */
enum exit_status options_usage(const struct options *options);

/** Returns whether --format or --json is given. */
bool options_name_format(const struct options *options);

#endif
