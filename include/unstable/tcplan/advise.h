/**
 * Advises on layouts: finds the storage orders of tensors with which a contraction, or a program of
 * several contractions, is fastest.
 *
 * A *layout* of a tensor is an order of its dimensions in memory, written in the notation: `A_ija`
 * stored as `A_jia` has its second dimension first. A program is a list of contractions with
 * weights, the number of times each runs. A name denotes the same tensor, with the same layout, in
 * all of them.
 *
 *   struct tcplan_layout_program *program;
 *   tcplan_layout_program_new(&program, &error);
 *   tcplan_layout_program_add(program, "step", contraction, extent, TCPLAN_DOUBLE, 1, &error);
 *   tcplan_layout_program_choose(program, "A,C", &error);            these may change
 *   tcplan_advise(&advice, program, &options, &error);
 *
 * docs/layouts.md describes the search and which of its results are exact.
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
    TCPLAN_LAYOUTS_MOST = 16,        /**< maximum number of layouts in an advice */
    TCPLAN_LAYOUT_PROGRAM_MOST = 256 /**< maximum number of contractions in a program */
};

/** A program: contractions and their tensors. */
struct tcplan_layout_program;

/** Makes an empty program, to be freed with tcplan_layout_program_free(). Returns TCPLAN_OK or
 * TCPLAN_NO_MEMORY. */
TCPLAN_API enum tcplan_status tcplan_layout_program_new(struct tcplan_layout_program **out,
                                                        struct tcplan_error *error);

/** Frees a program; does nothing if it is NULL. */
TCPLAN_API void tcplan_layout_program_free(struct tcplan_layout_program *program);

/**
 * Adds a contraction.
 *
 * @param name         name of the contraction in messages and output; copied
 * @param contraction  copied
 * @param extent       one for each index of the contraction
 * @param weight       how often it runs in one run of the program, above 0
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is added, if the program has a tensor with the
 * name of one of the contraction's, but another rank, extents, type or storage order; if the weight
 * is not above 0; or if the program is full (TCPLAN_LAYOUT_PROGRAM_MOST); the status of
 * tcplan_problem_init(); TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_layout_program_add(
    struct tcplan_layout_program *program, const char *name,
    const struct tcplan_contraction *contraction, const int64_t extent[], enum tcplan_dtype dtype,
    double weight, struct tcplan_error *error);

/**
 * Chooses the tensors whose layout may change; by default all dense ones. Tensors with strides are
 * parts of larger arrays and keep their layout.
 *
 * @param names  names of tensors, separated by commas: `A,C`
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is changed, if a name is none of the program's
 *         tensors, occurs twice, or belongs to a tensor with strides (`error` marks it)
 */
TCPLAN_API enum tcplan_status tcplan_layout_program_choose(struct tcplan_layout_program *program,
                                                           const char *names,
                                                           struct tcplan_error *error);

/** Returns whether a contraction of the program has a tensor of that name. */
TCPLAN_API bool tcplan_layout_program_has(const struct tcplan_layout_program *program,
                                          const char *name);

/**
 * Marks a tensor as internal: it exists only within the program, so changing its layout needs no
 * conversion.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the program has no tensor of that name
 */
TCPLAN_API enum tcplan_status tcplan_layout_program_settle(struct tcplan_layout_program *program,
                                                           const char *name,
                                                           struct tcplan_error *error);

/** How often a tensor must be converted to a changed layout. */
enum tcplan_conversion {
    TCPLAN_CONVERSION_NEVER, /**< the tensor is produced in the new layout */
    TCPLAN_CONVERSION_ONCE, /**< each changed tensor is copied once, and the copy serves `uses` runs
                               of the program */
    TCPLAN_CONVERSION_EACH /**< each contraction copies its changed operands before it runs, and its
                              changed result afterwards */
};

struct tcplan_advise_options {
    /**
     * options for ranking the contractions. With effort TCPLAN_EFFORT_ESTIMATE nothing is timed.
     * The time limit covers the whole call. `machine` must be set
     */
    struct tcplan_rank_options rank;
    enum tcplan_conversion conversion;
    double uses;    /**< for TCPLAN_CONVERSION_ONCE: number of runs of the program that share one
                       conversion, at least 1 */
    int candidates; /**< number of layouts to plan in addition to the current one, 1 to
                       TCPLAN_LAYOUTS_MOST - 1; 0: 4 */
    int64_t exact_most; /**< up to this number of combinations of layouts, all are searched; 0:
                           20000 */
};

/** One layout for each tensor of the program, and the resulting times. */
struct tcplan_layouts {
    uint8_t *const *dims; /**< dims[t][d]: the dimension of tensor t, in the program's numbering, at
                             place d of the layout */
    int changed;          /**< number of tensors whose layout differs from the current one */
    bool is_today;
    bool planned; /**< whether the planner timed it; otherwise the seconds are estimated */
    bool tied; /**< whether net_seconds is within TCPLAN_LAYOUT_TIE of the fastest planned layout,
                  or of the fastest estimated one if none was planned */
    double estimate_seconds; /**< estimated seconds of one run of the program */
    double seconds;          /**< seconds of one run of the program: timed by the planner, otherwise
                                estimated */
    double low, high;        /**< 95 % interval of `seconds` if it was timed by the planner */
    const double *conversion; /**< for each tensor, the seconds of one copy from the current layout;
                                 0 if its layout is unchanged */
    double conversion_seconds; /**< sum of `conversion` over all tensors */
    double net_seconds;        /**< `seconds` plus the share of the conversions that one run pays */
    const double *item_seconds; /**< for each contraction, the seconds of one execution */
};

/** A tensor of a program. */
struct tcplan_layout_tensor {
    const char *name;
    int rank;
    bool free;    /**< whether its layout may change */
    bool strided; /**< whether it was given with strides, so that its layout cannot change */
    bool inner; /**< whether it exists only within the program, so that its layout changes without a
                   conversion */
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

/** The advice. Its contents are valid until tcplan_advice_free(), and only while the program
 * exists. */
struct tcplan_advice {
    int tensor_count;
    const struct tcplan_layout_tensor *tensor;
    int item_count;
    const struct tcplan_layout_item *item;
    int count;                            /**< number of layouts, at least 1 */
    const struct tcplan_layouts *layouts; /**< the advised layout, then the other planned ones, then
                                             the estimated ones; the last two groups sorted by
                                             net_seconds */
    int today; /**< position in `layouts` of the current layout: that of the program as given */
    double combinations; /**< number of possible combinations of layouts; INFINITY: too many to
                            count */
    int64_t seen; /**< number of combinations considered, including combinations equal to an earlier
                     one */
    int64_t estimates; /**< number of estimates made; equal combinations share one */
    bool exact; /**< whether no combination that was not considered can have a lower estimate */
    bool out_of_time; /**< whether the time limit ended the search or the comparison */
    int planned_count;
    double search_seconds; /**< seconds of the search by estimates */
    double spent_seconds;
    char no_plans[TCPLAN_MESSAGE_SIZE]; /**< why a layout could not be planned; empty if none failed
                                         */
};

/** Returns the defaults: those of tcplan_rank_defaults(), and TCPLAN_CONVERSION_NEVER. */
TCPLAN_API struct tcplan_advise_options tcplan_advise_defaults(void);

/**
 * Finds the fastest layouts.
 *
 * @param out      receives the advice, to be freed with tcplan_advice_free()
 * @param program  must not change while the advice exists
 * @return TCPLAN_OK; TCPLAN_INVALID if there is no contraction, no tensor may change, or an option
 *         is out of range; a status of tcplan_rank()
 */
TCPLAN_API enum tcplan_status tcplan_advise(struct tcplan_advice **out,
                                            const struct tcplan_layout_program *program,
                                            const struct tcplan_advise_options *options,
                                            struct tcplan_error *error);

/** Returns the notation of a contraction in a layout. The caller frees it with free(); NULL if
 * memory runs out. */
TCPLAN_API char *tcplan_advice_formula(const struct tcplan_advice *advice,
                                       const struct tcplan_layouts *layouts, int item);

/** Returns a tensor in a layout, such as "A_jia" or "A[row,col]". The caller frees it with free();
 * NULL if memory runs out. */
TCPLAN_API char *tcplan_advice_tensor(const struct tcplan_advice *advice,
                                      const struct tcplan_layouts *layouts, int tensor);

/** Frees an advice; does nothing if it is NULL. */
TCPLAN_API void tcplan_advice_free(struct tcplan_advice *advice);

#ifdef __cplusplus
}
#endif

#endif
