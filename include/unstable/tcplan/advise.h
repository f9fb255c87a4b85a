/**
 * The layout adviser: in which storage order of the tensors that may change a contraction, or a
 * program of several, would be fastest.
 *
 * A *layout* of a tensor is an order of its dimensions in memory, told as the notation tells it: of
 * `A_ija` stored as `A_jia` the second dimension comes first. A program is a list of contractions,
 * each with a weight, that says how often it runs. One name is one tensor, which has one layout in
 * all of them.
 *
 *   struct tcplan_layout_program *program;
 *   tcplan_layout_program_new(&program, &error);
 *   tcplan_layout_program_add(program, "step", contraction, extent, TCPLAN_DOUBLE, 1, &error);
 *   tcplan_layout_program_choose(program, "A,C", &error);            these may change
 *   tcplan_advise(&advice, program, &options, &error);
 *
 * docs/layouts.md says how layouts are searched, and what of that is exact.
 */
#ifndef TCPLAN_ADVISE_H
#define TCPLAN_ADVISE_H

#include "tcplan/rank.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Times within this share of the fastest are equal. */
#define TCPLAN_LAYOUT_TIE 0.02

enum {
    TCPLAN_LAYOUTS_MOST = 16,        /**< that an advice lists */
    TCPLAN_LAYOUT_PROGRAM_MOST = 256 /**< contractions of a program */
};

/** Contractions, and the tensors that they name. */
struct tcplan_layout_program;

/** An empty program, to be freed with tcplan_layout_program_free(). TCPLAN_NO_MEMORY. */
TCPLAN_API enum tcplan_status tcplan_layout_program_new(struct tcplan_layout_program **out,
                                                        struct tcplan_error *error);

/** NULL is fine. */
TCPLAN_API void tcplan_layout_program_free(struct tcplan_layout_program *program);

/**
 * Adds a contraction.
 *
 * @param name         for messages and for what is shown; copied
 * @param contraction  copied
 * @param extent       one for each index of the contraction
 * @param weight       how often it runs in one run of the program, above 0
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is added, if a tensor is in the program already
 *         with another number of dimensions, other extents, another type or another storage order,
 *         or the weight is not above 0, or there are TCPLAN_LAYOUT_PROGRAM_MOST already; the status
 *         of tcplan_problem_init(); TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_layout_program_add(
    struct tcplan_layout_program *program, const char *name,
    const struct tcplan_contraction *contraction, const int64_t extent[], enum tcplan_dtype dtype,
    double weight, struct tcplan_error *error);

/**
 * Chooses the tensors that may change; without it all may that are dense. Tensors with strides are
 * parts of something larger, and stay.
 *
 * @param names  as `A,C`
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is changed, if a name is none of the program's
 *         tensors, is there twice, or is that of a tensor with strides (`error` marks it)
 */
TCPLAN_API enum tcplan_status tcplan_layout_program_choose(struct tcplan_layout_program *program,
                                                           const char *names,
                                                           struct tcplan_error *error);

/** Whether some contraction of the program has a tensor of that name. */
TCPLAN_API bool tcplan_layout_program_has(const struct tcplan_layout_program *program,
                                          const char *name);

/**
 * Says that nobody has a tensor before the program or after it: it is made in whatever layout is
 * advised, without a conversion.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the program has no tensor of that name
 */
TCPLAN_API enum tcplan_status tcplan_layout_program_settle(struct tcplan_layout_program *program,
                                                           const char *name,
                                                           struct tcplan_error *error);

/** How often changing the layout of a tensor is paid for. */
enum tcplan_conversion {
    TCPLAN_CONVERSION_NEVER, /**< whoever makes the tensor makes it so */
    TCPLAN_CONVERSION_ONCE,  /**< each changed tensor is copied once, for `uses` runs of the program
                              */
    TCPLAN_CONVERSION_EACH /**< each contraction copies its changed factors before, and its changed
                              result behind it */
};

struct tcplan_advise_options {
    /**
     * of the decision; its effort says how: with TCPLAN_EFFORT_ESTIMATE nothing is timed. Its time
     * limit bounds everything. `machine` must be set
     */
    struct tcplan_rank_options rank;
    enum tcplan_conversion conversion;
    double uses;    /**< of TCPLAN_CONVERSION_ONCE: runs of the program that share a conversion, at
                       least 1 */
    int candidates; /**< layouts that are planned behind today's, 1 to TCPLAN_LAYOUTS_MOST - 1; 0: 4
                     */
    int64_t exact_most; /**< combinations of layouts up to which all are considered; 0: 20000 */
};

/** Layouts of all tensors together. */
struct tcplan_layouts {
    uint8_t *const *dims; /**< of each tensor: dims[t][d] is which of its dimensions, as the program
                             has them, stands at place d */
    int changed;          /**< tensors that are not as today */
    bool is_today;
    bool planned; /**< decided on by the planner, by timing; otherwise its seconds are estimated */
    bool tied;    /**< within TCPLAN_LAYOUT_TIE of the fastest of those that were planned, or of all
                     where none were: conversion included */
    double estimate_seconds;   /**< of one run of the program */
    double seconds;            /**< of one run of the program: by the planner, or else estimated */
    double low, high;          /**< 95 % interval of that, if it was planned */
    const double *conversion;  /**< of each tensor: seconds of one copy from today's layout; 0 if it
                                  is as today */
    double conversion_seconds; /**< of all of them */
    double net_seconds;        /**< seconds, and what a run of the program pays of conversions */
    const double *item_seconds; /**< of each contraction, once */
};

/** A tensor of a program. */
struct tcplan_layout_tensor {
    const char *name;
    int rank;
    bool free;    /**< it may change */
    bool strided; /**< it cannot */
    bool inner;   /**< nobody has it before or after: its layout changes without a conversion */
    const char *const *index; /**< names of its dimensions in the first contraction that has it */
    const int64_t *extent;
    double bytes;
};

/** A contraction of a program. */
struct tcplan_layout_item {
    const char *name;
    double weight;
    enum tcplan_dtype dtype;
    const struct tcplan_contraction *contraction;
    const int64_t *extent;
};

/** What came out. Everything in it lives until tcplan_advice_free(), and while the program does. */
struct tcplan_advice {
    int tensor_count;
    const struct tcplan_layout_tensor *tensor;
    int item_count;
    const struct tcplan_layout_item *item;
    int count;                            /**< layouts, at least 1 */
    const struct tcplan_layouts *layouts; /**< the advised first, then planned ones by net seconds,
                                             then others by that */
    int today;                            /**< number of today's */
    double combinations; /**< of layouts that there are; INFINITY: too many to count */
    int64_t seen;        /**< of these, those that were looked at: equal ones count */
    int64_t estimates;   /**< that were made: of those that are equal to no other */
    bool exact;          /**< no combination that was not looked at can have a lower estimate */
    bool out_of_time;    /**< the time limit ended the search, or the decision */
    int planned_count;
    double search_seconds; /**< of that estimating */
    double spent_seconds;
    char no_plans[TCPLAN_MESSAGE_SIZE]; /**< why a layout could not be planned; empty: none failed
                                         */
};

/** As tcplan_rank_defaults(); conversions are never paid. */
TCPLAN_API struct tcplan_advise_options tcplan_advise_defaults(void);

/**
 * Advises.
 *
 * @param out      receives the advice, to be freed with tcplan_advice_free()
 * @param program  what was added must not change while the advice lives
 * @return TCPLAN_OK; TCPLAN_INVALID if there is no contraction, no tensor that may change, or an
 *         option cannot be so; otherwise as tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_advise(struct tcplan_advice **out,
                                            const struct tcplan_layout_program *program,
                                            const struct tcplan_advise_options *options,
                                            struct tcplan_error *error);

/** The contraction of an item in a layout: its notation, to be freed with free(); NULL if memory
 * runs out. */
TCPLAN_API char *tcplan_advice_formula(const struct tcplan_advice *advice,
                                       const struct tcplan_layouts *layouts, int item);

/** A tensor in a layout, as "A_jia" or "A[row,col]"; likewise. */
TCPLAN_API char *tcplan_advice_tensor(const struct tcplan_advice *advice,
                                      const struct tcplan_layouts *layouts, int tensor);

/** NULL is fine. */
TCPLAN_API void tcplan_advice_free(struct tcplan_advice *advice);

#ifdef __cplusplus
}
#endif

#endif
