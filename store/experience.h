/**
 * What an experience holds: looks, those at one problem side by side, the youngest problem last;
 * times of kernels; what was met of the core's states; and what predictions were off by.
 */
#ifndef STORE_EXPERIENCE_H
#define STORE_EXPERIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "microbench/timing/states.h"
#include "store/kernel_time.h"
#include "tcplan/algorithm.h"
#include "tcplan/costs.h"
#include "tcplan/experience.h"

/** So many looks are kept in all, and so many of those at one problem: a file of some 300 KiB,
 * which is read in a few milliseconds. */
enum { EXPERIENCE_LOOKS = 2000, EXPERIENCE_LOOKS_OF_A_PROBLEM = 40 };

/** What a look at an algorithm was of, without names and numbers of its contraction, and what it
 * told. */
struct look {
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
    bool own;                  /**< not kept yet; no part of what is */
};

enum look_copy {
    LOOK_COPIED = 1,
    LOOK_INSIDE = 2,
    LOOK_TURNED = 4,
    LOOK_STREAMED = 8,
    LOOK_COPIES = 16
};

/** What so many processes met of the core's states is kept. */
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
    enum residual_kind kind;
    bool memory;    /**< of what is bound by memory */
    double count;   /**< above 0; old ones count less */
    double squares; /**< of logarithms of what came out over what was predicted, their sum */
    bool own;       /**< not kept yet; no part of what is */
};

/** More of a kind count no more than so many. */
enum { EXPERIENCE_RESIDUALS_COUNT = 200 };

/** What a comparison said of an algorithm: what a later one says is compared with it. */
struct said {
    int64_t of;   /**< tells algorithms of problems apart, and all else that a time depends on */
    int64_t made; /**< seconds since 1970 */
    enum residual_kind kind;
    bool memory;                   /**< the reference is of memory, not of the core */
    double good_seconds;           /**< with the core in its good state */
    double good_reference_seconds; /**< of the reference in that */
    double follows;                /**< the power by which times follow the reference */
    double error; /**< the standard error of `good_seconds`, of its logarithm, by its samples */
    bool own;     /**< likewise */
};

/** So many are kept: a file of some 30 KiB. */
enum { EXPERIENCE_SAID = 200 };

/** So many times of kernels are kept: a file of some 150 KiB. */
enum { EXPERIENCE_KERNELS = 1000 };

struct tcplan_experience {
    size_t count;
    size_t capacity;
    struct look *look;
    size_t kernel_count;
    size_t kernel_capacity;
    struct kernel_time *kernel; /**< the youngest last */
    int states_count;
    struct states_kept states[EXPERIENCE_STATES]; /**< the youngest last */
    int residual_count;
    struct residual residual[2 * 2 * RESIDUAL_KINDS]; /**< of each kind one that is kept and one
                                                         that is not */
    int said_count;
    struct said said[EXPERIENCE_SAID]; /**< the youngest last */
    struct tcplan_costs costs;         /**< of the machine: measured, or all zeros */
    bool costs_own;                    /**< not kept yet */
};

/** Whether two looks were of algorithms that cannot be told apart by what a look says of them. */
bool look_is_alike(const struct look *a, const struct look *b);

/**
 * Adds looks at one problem. They take the place of earlier ones at it that were of the same; where
 * there are too many, the oldest are forgotten.
 *
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY, which leaves all as it was
 */
enum tcplan_status experience_add(struct tcplan_experience *experience, const struct look look[],
                                  size_t count, struct tcplan_error *error);

/**
 * Adds the time of a kernel, with the smaller of both where there is one already; where there are
 * too many, the one that was not added for longest is forgotten.
 *
 * @return TCPLAN_OK, or TCPLAN_NO_MEMORY, which leaves all as it was
 */
enum tcplan_status experience_add_kernel(struct tcplan_experience *experience,
                                         const struct kernel_time *kernel,
                                         struct tcplan_error *error);

/** Appends the time of a kernel as it was read; status as experience_append(). */
enum tcplan_status experience_append_kernel(struct tcplan_experience *experience,
                                            const struct kernel_time *kernel,
                                            struct tcplan_error *error);

/** Adds what was met of the core's states, to what was met in the same minute; where there is too
 * much, the oldest is forgotten. */
void experience_add_states(struct tcplan_experience *experience, const struct states_kept *states);

/**
 * What earlier processes met of the core's states, as what is known before.
 *
 * @param experience  NULL: nothing is known
 */
struct states experience_known_states(const struct tcplan_experience *experience);

/** Keeps what a process met of the core's states, if it met its good one and looked for some time;
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

/** Adds residuals to those of their kind that are kept, or are not. */
void experience_add_residual(struct tcplan_experience *experience, const struct residual *residual);

/** What is known of a kind, kept or not; a count of 0: nothing. */
struct residual experience_residual(const struct tcplan_experience *experience,
                                    enum residual_kind kind, bool memory);

/** Adds what a comparison said, in the place of what an earlier one said of the same; where there
 * is too much, the oldest is forgotten. */
void experience_add_said(struct tcplan_experience *experience, const struct said *said);

/** What was said of the same earlier; NULL: nothing. */
const struct said *experience_said(const struct tcplan_experience *experience, int64_t of);

/** Appends a look as it was read; status as above, and TCPLAN_INVALID where there are too many. */
enum tcplan_status experience_append(struct tcplan_experience *experience, const struct look *look,
                                     struct tcplan_error *error);

/** What a content says, for people: appended to `out`. */
typedef void experience_show_fn(struct strbuf *out, const struct tcplan_experience *experience);

/**
 * What `show` of the kinds of an experience has in common (store/kinds.h): reads a content into an
 * experience of its own, and says what it holds.
 *
 * @param out   may be NULL: the content is only read
 * @param read  as of the kind
 */
enum tcplan_status experience_show(struct strbuf *out, const char *content, size_t length,
                                   enum tcplan_status (*read)(void *, const char *, size_t,
                                                              struct tcplan_error *),
                                   experience_show_fn *show, struct tcplan_error *error);

#endif
