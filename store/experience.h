/**
 * Summaries of observations: evaluations of algorithms ("looks"), grouped by problem with the
 * youngest problem last; times of kernels; and times of winners. Each observation is folded into
 * these bounded summaries, and noted as a line for the log (store/log.h).
 */
#ifndef STORE_EXPERIENCE_H
#define STORE_EXPERIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
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

/** The time of a ranking's winner, which later processes compare theirs with. */
struct winner {
    int64_t made;
    int64_t of; /**< tells algorithms of problems apart, and all else that a time depends on */
    double seconds;
    double error; /**< the standard error of its logarithm, by its samples */
    double count; /**< differences of later times to earlier ones; in a line, of this one: 0 or 1 */
    double squares; /**< of these as logarithms, beside errors of samples: their sum */
};

/** The most winners, and differences of one that count. */
enum { EXPERIENCE_WINNERS = 200, EXPERIENCE_DIFFERENCES = 50 };

/** The most times of kernels. */
enum { EXPERIENCE_KERNELS = 1000 };

struct tcplan_experience {
    size_t count;
    struct look *look; /**< room for the most of them; NULL: there is none */
    size_t kernel_count;
    struct kernel_time *kernel; /**< likewise, the youngest last */
    int winner_count;
    struct winner winner[EXPERIENCE_WINNERS]; /**< the youngest last */
    struct tcplan_costs costs;                /**< of the machine: measured, or all zeros */
    struct strbuf noted;                      /**< lines that the log lacks, behind an empty one */
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

extern const struct observation_type observation_look, observation_kernel, observation_winner;

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
    struct winner winner;
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

/** Records a winner in the place of an earlier time of the same, and adds its difference to those
 * of that; beyond the most the oldest winner is dropped. */
void experience_add_winner(struct tcplan_experience *experience, const struct winner *winner);

/** Returns the winner of that number; NULL if there is none. */
const struct winner *experience_winner(const struct tcplan_experience *experience, int64_t of);

#endif
