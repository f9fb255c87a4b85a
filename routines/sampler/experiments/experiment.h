/**
 * An experiment (dissertation, section 2.2.2): which calls are timed, over which sizes, how often,
 * in which order, on which memory. A value: nothing here measures. The format is described in
 * docs/experiments.md, the schema for other programs is docs/schema/experiment.rng.
 */
#ifndef SAMPLER_EXPERIMENT_H
#define SAMPLER_EXPERIMENT_H

#include "routines/sampler/experiments/sweep.h"
#include "routines/sampler/signatures/signature.h"
#include "tcplan/experiment.h"
#include "tcplan/provider.h"

enum {
    EXPERIMENT_CALLS_MAX = 64,
    EXPERIMENT_OPERANDS_MAX = 64,
    EXPERIMENT_POINTS_MAX = 100000,
    EXPERIMENT_REPETITIONS_MAX = 1000000,
    EXPERIMENT_SAMPLES_MAX = 100000, /**< of one repetition at one point */
    EXPERIMENT_QUEUED_MAX = 1000000  /**< calls that one `go` runs */
};

/** The form of a routine's argument. */
struct experiment_argument {
    bool given;              /**< in the text of the call */
    int64_t flag;            /**< flags: the letter or number */
    struct expression value; /**< sizes, increments, leading dimensions, lengths; scalars: the real
                                part */
    struct expression imaginary; /**< scalars: without a root if it is 0 */
    int operand;                 /**< data: its place in experiment.operand; others: -1 */
    int rows, columns; /**< data: which sizes of the routine these are, as places of arguments; -1:
                          none of them */
};

struct experiment_call {
    const struct signature *signature;
    const char *name; /**< for selectors; unique */
    const char *text; /**< the text as written, with single blanks */
    bool named;       /**< the name was written */
    size_t line;      /**< of the document; 0: unknown */
    struct experiment_argument argument[SIGNATURE_MAX_ARGUMENTS];
};

/** Data that calls share by their name. */
struct experiment_operand {
    const char *name;
    size_t line;              /**< where it is declared; 0: it is not */
    bool declared;            /**< has an element of its own */
    bool with_repetition;     /**< other memory in every repetition */
    bool with_sum;            /**< for every value of the sum variable */
    int along;                /**< 0: below each other, 1: beside each other */
    struct expression offset; /**< elements between one and the next; no root: 0 */
    char type;                /**< `s`, `d`, `c`, `z`, or `i`: integers; 0: no call uses it */
    int bytes;                /**< of an element */
    bool is_vector;           /**< to the first call that uses it */
    bool has_ld;              /**< it is a matrix with a leading dimension */
    struct expression rows, columns, ld; /**< what calls say; no root: none says it */
};

struct tcplan_experiment {
    struct arena arena;
    const char *path;  /**< of its file, for messages; NULL: it has none */
    uint32_t checksum; /**< of its text, see experiment_add_element(), without indentation */
    const char *name, *title, *comment; /**< "": none */
    enum tcplan_provider library;
    const char *counters; /**< names, in single blanks; "": none */
    bool shuffle, randomize, parallel_calls, parallel_sum;
    double flops_per_cycle;                     /**< of a core, in double precision; 0: not given */
    struct expression threads;                  /**< of the range variable */
    struct expression repetitions;              /**< likewise */
    const char *variable[EXPRESSION_VARIABLES]; /**< NULL: there is no range, no sum */
    struct sweep sweep[EXPRESSION_VARIABLES];
    size_t point_count; /**< values of the range variable; 1 without */
    const int64_t *point;
    int call_count;
    struct experiment_call call[EXPERIMENT_CALLS_MAX];
    int operand_count;
    struct experiment_operand operand[EXPERIMENT_OPERANDS_MAX];
};

/** The names that expressions of the experiment may hold: the range variable, and with `sum` the
 * other one. */
struct expression_scope experiment_scope(const struct tcplan_experiment *experiment, bool sum);

/** The operand of a name, which is added if it is not there; -1: there are too many. */
int experiment_operand(struct tcplan_experiment *experiment, const char *name, size_t length);

/**
 * Reads the text of a call, arguments as `NAME=VALUE` with blanks between them (within parentheses
 * blanks are part of a value).
 *
 * @param out  the next of experiment.call, with its line; signature and text are set
 * @return TCPLAN_OK; TCPLAN_INVALID, TCPLAN_OVERFLOW with the name of the argument in the message;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status experiment_call_parse(struct experiment_call *out,
                                         struct tcplan_experiment *experiment, const char *routine,
                                         const char *text, struct tcplan_error *error);

/**
 * Once all calls are there: hands sizes from call to call through the operands that they share,
 * names the calls, checks that everything is known.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, with the line of the call or operand
 */
enum tcplan_status experiment_resolve(struct tcplan_experiment *experiment,
                                      struct tcplan_error *error);

/** Adds the place of an error in the experiment: sets the line (0: none) and puts the file's name
 * in front of the message. NULL is fine. */
void experiment_blame(const struct tcplan_experiment *experiment, size_t line,
                      struct tcplan_error *error);

#endif
