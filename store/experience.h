/**
 * Summaries of observations: evaluations of algorithms ("looks"), grouped by problem with the
 * youngest problem last; times of kernels; the core's clock regimes ("states"); and errors of
 * predictions ("residuals"). Each observation is folded into these bounded summaries, and noted as
 * a line for the log (store/log.h).
 */
#ifndef STORE_EXPERIENCE_H
#define STORE_EXPERIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "microbench/timing/states.h"
#include "store/fields.h"
#include "store/kernel_time.h"
#include "tcplan/algorithm.h"
#include "tcplan/costs.h"
#include "tcplan/experience.h"

/** The most looks in all, and of one problem. */
enum { EXPERIENCE_LOOKS = 2000, EXPERIENCE_LOOKS_OF_A_PROBLEM = 40 };

/** What a look at an algorithm was of, without names and numbers of its contraction, and what it
 * told. */
struct look {
    int64_t made;    /**< seconds since 1970, as the first member of every observation */
    int64_t problem; /**< tells problems apart */
    enum tcplan_dtype dtype;
    enum tcplan_kernel kernel;
    enum tcplan_provider provider; /**< none that is opened as a file */
    int threads;
    bool parallel; /**< threads share a loop */
    bool cold;     /**< the caches, where executions begin */
    bool tiled;    /**< an index is split */
    int inner;     /**< the tensors that the innermost loop moves in: bit t stands for operand t */
    int outer;     /**< likewise of the outermost */
    int copy[TCPLAN_OPERANDS]; /**< bits of enum look_copy */
    double m, n, k;            /**< extents of a call */
    double call_ns;            /**< of a call by itself */
    double ratio;              /**< seconds over those estimated before the look */
    bool cut;                  /**< the run was cut off: it is that or more */
};

enum look_copy {
    LOOK_COPIED = 1,
    LOOK_INSIDE = 2,
    LOOK_TURNED = 4,
    LOOK_STREAMED = 8,
    LOOK_COPIES = 16
};

/** The most states of the core and of memory. */
enum { EXPERIENCE_STATES = 32 };

/** Kinds of predictions by what they are judged by: in the same ranking by what was compared, or by
 * what a later process says in its comparison. */
enum residual_kind {
    RESIDUAL_SCOUTS,
    RESIDUAL_WINDOWS,
    RESIDUAL_RUNS,
    RESIDUAL_COMPARED_WINDOWS, /**< from here on by later processes */
    RESIDUAL_COMPARED_RUNS,
    RESIDUAL_KINDS
};

/** What predictions of a kind were off by, in the same state of the core. */
struct residual {
    int64_t made; /**< the last one */
    enum residual_kind kind;
    bool memory;    /**< of what is bound by memory */
    double count;   /**< above 0; old ones count less */
    double squares; /**< of logarithms of what came out over what was predicted, their sum */
};

/** More of a kind count no more than so many. */
enum { EXPERIENCE_RESIDUALS_COUNT = 200 };

/** What a comparison said of an algorithm: what a later one says is compared with it. */
struct said {
    int64_t made;
    int64_t of; /**< tells algorithms of problems apart, and all else that a time depends on */
    enum residual_kind kind;
    bool memory;                   /**< the reference is of memory, not of the core */
    double good_seconds;           /**< with the core in its good state */
    double good_reference_seconds; /**< of the reference in that */
    double follows;                /**< the power by which times follow the reference */
    double error; /**< the standard error of `good_seconds`, of its logarithm, by its samples */
};

/** The most of them. */
enum { EXPERIENCE_SAID = 200 };

/** The most times of kernels. */
enum { EXPERIENCE_KERNELS = 1000 };

struct tcplan_experience {
    size_t count;
    struct look *look; /**< room for the most of them; NULL: there is none */
    size_t kernel_count;
    struct kernel_time *kernel; /**< likewise, the youngest last */
    int states_count;
    struct states_kept states[EXPERIENCE_STATES]; /**< the youngest last */
    int residual_count;
    struct residual residual[2 * RESIDUAL_KINDS]; /**< one of each kind, of the core and of memory
                                                   */
    int said_count;
    struct said said[EXPERIENCE_SAID]; /**< the youngest last */
    struct tcplan_costs costs;         /**< of the machine: measured, or all zeros */
    struct strbuf noted;               /**< lines that the log lacks, behind an empty one */
};

/**
 * A type of observations. A log has a line for each: the word, and the fields of the struct.
 *
 * Observations of this process and of a log get into an experience by folding only. Folding a
 * summary yields the same summary.
 */
struct observation_type {
    const char *word;
    const struct store_kind *kind; /**< several types may share one */
    size_t size;                   /**< of the struct */
    const struct field *field;

    /** Whether the values of an observation are possible. */
    bool (*can_be)(const void *observation);

    /** Adds an observation to its summary; on TCPLAN_NO_MEMORY the summary is unchanged. */
    enum tcplan_status (*fold)(struct tcplan_experience *experience, const void *observation);

    /** Returns an observation of the summary; NULL behind the last. */
    const void *(*at)(const struct tcplan_experience *experience, size_t place);
};

/** The names of kernels and of providers that are no files, for fields; NULL behind the last. */
const char *observation_kernel_name(int kernel);
const char *observation_provider_name(int provider);

extern const struct observation_type observation_look, observation_kernel, observation_states,
    observation_residual, observation_said;

/** All types, ended by NULL. */
extern const struct observation_type *const observation_types[];

/** Removes entries of a list from a place on. */
void experience_drop(void *list, size_t size, size_t *count, size_t first, size_t dropped);

/** Beyond the most looks or kernels this share of the oldest goes at once, so that not each one
 * that is added moves all others. */
enum { EXPERIENCE_FORGOTTEN_SHARE = 20 };

/** Any observation. */
union observation {
    int64_t made;
    struct look look;
    struct kernel_time kernel;
    struct states_kept states;
    struct residual residual;
    struct said said;
};

/** Appends the line of an observation, behind its checksum (store/log.h). False when memory is out:
 * the text is as it was. */
bool observation_write(struct strbuf *out, const struct observation_type *type,
                       const void *observation);

/** Whether two looks were of algorithms that cannot be told apart by what a look says of them. */
bool look_is_alike(const struct look *a, const struct look *b);

/**
 * Adds looks of one ranking. They replace indistinguishable looks of earlier rankings of the same
 * problem. Beyond the bounds the oldest looks of the problem, or the oldest problems, are dropped.
 *
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY
 */
enum tcplan_status experience_add(struct tcplan_experience *experience, const struct look look[],
                                  size_t count, struct tcplan_error *error);

/**
 * Adds the time of a kernel, with the smaller of both where there is one already; beyond the most
 * those go that were not added for longest.
 *
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY, which leaves all as it was
 */
enum tcplan_status experience_add_kernel(struct tcplan_experience *experience,
                                         const struct kernel_time *kernel,
                                         struct tcplan_error *error);

/** Adds what was met of the core's states, to what was met in the same minute; beyond the most the
 * oldest go. */
void experience_add_states(struct tcplan_experience *experience, const struct states_kept *states);

/**
 * What earlier processes met of the core's states, as what is known before.
 *
 * @param experience  NULL: nothing is known
 */
struct states experience_known_states(const struct tcplan_experience *experience);

/** Adds what a process met of the core's states, if it met its good one and looked for some time;
 * `experience` may be NULL. */
void experience_note_states(struct tcplan_experience *experience, const struct states *met);

/**
 * What earlier processes met by references of the core, or of memory.
 *
 * @param out  receives it, the youngest last; with so many entries is room for all
 * @return how many there are
 */
int experience_kept_states(struct states_kept out[EXPERIENCE_STATES],
                           const struct tcplan_experience *experience, bool memory);

/** What predictions of a kind were off by, as a standard deviation of logarithms. */
double residual_deviation(const struct residual *residual);

/** Adds residuals to those of their kind. */
void experience_add_residual(struct tcplan_experience *experience, const struct residual *residual);

/** What is known of a kind; a count of 0: nothing. */
struct residual experience_residual(const struct tcplan_experience *experience,
                                    enum residual_kind kind, bool memory);

/** Adds what a comparison said, in the place of what an earlier one said of the same; beyond the
 * most the oldest goes. */
void experience_add_said(struct tcplan_experience *experience, const struct said *said);

/** What was said of the same earlier; NULL: nothing. */
const struct said *experience_said(const struct tcplan_experience *experience, int64_t of);

#endif
