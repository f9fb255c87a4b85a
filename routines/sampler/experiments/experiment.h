/**
 * An experiment (dissertation, section 2.2.2): which calls are timed, over which sizes, how often,
 * in which order, on which memory. This module only describes experiments; it measures nothing. The
 * format is described in docs/experiments.md, the schema for other programs is
 * docs/schema/experiment.rng.
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
    EXPERIMENT_SAMPLES_MAX = 100000, /**< maximum number of repetitions of one point */
    EXPERIMENT_QUEUED_MAX = 1000000  /**< maximum number of calls in one `go` */
};

/** The value of a routine's argument, as written. */
struct experiment_argument {
    bool given;              /**< whether the text of the call contains the argument */
    int64_t flag;            /**< for a flag: the letter or number */
    struct expression value; /**< for sizes, increments, leading dimensions and lengths: the value;
                                for scalars: the real part */
    struct expression imaginary; /**< for scalars: the imaginary part; without a root if it is 0 */
    int operand; /**< for data: the number of the operand in experiment.operand; for other arguments
                    -1 */
    int rows, columns; /**< for data: the arguments of the routine that are its sizes; -1: none */
};

struct experiment_call {
    const struct signature *signature;
    const char *name;             /**< unique name of the call, for selectors */
    const char *text;             /**< the text of the call as written, with single blanks */
    bool named;                   /**< whether the name was given in the document */
    enum tcplan_provider library; /**< library of the routine, by default that of the experiment */
    bool has_library;             /**< whether the document names the library of this call */
    size_t line;                  /**< line in the document; 0: unknown */
    struct experiment_argument argument[SIGNATURE_MAX_ARGUMENTS];
};

/** Data that calls share by name. */
struct experiment_operand {
    const char *name;
    size_t line;          /**< line of the operand's declaration; 0: it is not declared */
    bool declared;        /**< whether the document has an element <operand> for this operand */
    bool with_repetition; /**< whether it has different memory in every repetition */
    bool with_sum; /**< whether it has different memory for every value of the sum variable */
    int along; /**< direction in which instances follow each other; 0: downwards, 1: to the right */
    struct expression offset; /**< elements between adjacent instances; without a root: 0 */
    char type;                /**< `s`, `d`, `c`, `z`, or `i` for integers; 0: no call uses it */
    int bytes;                /**< size of an element */
    bool is_vector;           /**< whether the calls use it as a vector */
    bool has_ld;              /**< whether the calls use it as a matrix with a leading dimension */
    struct expression rows, columns,
        ld; /**< sizes that follow from calls; without a root: unknown */
};

struct tcplan_experiment {
    struct arena arena;
    const char *path;  /**< name of the experiment's file, for messages; NULL: none */
    uint32_t checksum; /**< checksum of the experiment's text without indentation, see
                          experiment_add_element() */
    const char *name, *title, *comment; /**< name, title and comment of the experiment; "": none */
    enum tcplan_provider library;
    const char *cores, *memory; /**< texts of tcplan/binding.h: one for all points, or one for each
                                   point, separated by `|`; "": not bound */
    const char *counters;       /**< names of counters separated by single blanks; "": none */
    bool shuffle, randomize, parallel_calls, parallel_sum;
    double flops_per_cycle;        /**< peak of a core in double precision; 0: not given */
    struct expression threads;     /**< number of threads, which may depend on the range variable */
    struct expression repetitions; /**< number of repetitions, which may depend on the range
                                      variable */
    const char *variable[EXPRESSION_VARIABLES]; /**< names of the variables; NULL: no range, or no
                                                   sum */
    struct sweep sweep[EXPRESSION_VARIABLES];
    size_t point_count; /**< number of values of the range variable; 1 without a range */
    const int64_t *point;
    int call_count;
    struct experiment_call call[EXPERIMENT_CALLS_MAX];
    int operand_count;
    struct experiment_operand operand[EXPERIMENT_OPERANDS_MAX];
};

/** Returns the names that expressions may contain: the range variable and, with `sum`, the sum
 * variable. */
struct expression_scope experiment_scope(const struct tcplan_experiment *experiment, bool sum);

/** Returns the number of the operand with a name, which is added if necessary; -1: too many
 * operands. */
int experiment_operand(struct tcplan_experiment *experiment, const char *name, size_t length);

/**
 * Reads the text of a call: arguments `NAME=VALUE`, separated by blanks (blanks within parentheses
 * belong to a value).
 *
 * @param out  the next free element of experiment.call, with line, signature and text set
 * @return TCPLAN_OK; TCPLAN_INVALID or TCPLAN_OVERFLOW with the argument's name in the message;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status experiment_call_parse(struct experiment_call *out,
                                         struct tcplan_experiment *experiment, const char *routine,
                                         const char *text, struct tcplan_error *error);

/**
 * Completes the calls: copies sizes between calls that share operands, names the calls, and checks
 * that every value is known.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, with the line of the call or operand
 */
enum tcplan_status experiment_resolve(struct tcplan_experiment *experiment,
                                      struct tcplan_error *error);

/** Returns the binding of a point. Returns a status of tcplan_binding_make(); TCPLAN_OK after
 * experiment_check_bindings() has succeeded. */
enum tcplan_status experiment_binding(struct tcplan_binding *out,
                                      const struct tcplan_experiment *experiment, size_t point,
                                      struct tcplan_error *error);

/** Checks the attributes `cores` and `memory`; TCPLAN_INVALID if one is malformed. */
enum tcplan_status experiment_check_bindings(const struct tcplan_experiment *experiment,
                                             struct tcplan_error *error);

/** Sets the checksum of the experiment's text; TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status experiment_add_checksum(struct tcplan_experiment *experiment,
                                           struct tcplan_error *error);

/** Adds a place in the experiment to an error: sets the line (0: none) and puts the file's name
 * before the message. `error` may be NULL. */
void experiment_blame(const struct tcplan_experiment *experiment, size_t line,
                      struct tcplan_error *error);

#endif
