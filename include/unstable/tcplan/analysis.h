/**
 * The dissertation's analysis of a loop nest (sections 6.2.3-6.2.6): how far back each operand of
 * the kernel was last touched or prefetched, the accesses that recreate that state, and which calls
 * differ from the steady ones.
 *
 * Distances and sizes count elements. The model is a fully associative cache with
 * least-recently-used replacement. A nest may combine loops, copies, scalings and one kernel.
 *
 * Distances are symbolic: `B[:,:,c]` counts once, even if parts of it are touched for two values of
 * c between two accesses. A simulation of every access gives distances between that number and
 * twice that number (both including the kernel's own operands, which the method omits). In the
 * first iteration of a loop, the distance of an operand that is constant in the loop is
 * overestimated (section 6.2.6).
 */
#ifndef TCPLAN_ANALYSIS_H
#define TCPLAN_ANALYSIS_H

#include "tcplan/machine.h"
#include "tcplan/nest.h"
#include "tcplan/predict.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_MAX_COLLECTED = 16,
    TCPLAN_MAX_SETUP = 16,
    TCPLAN_MAX_CLASSES = TCPLAN_MAX_INDICES + 2
};

/** A slice that includes the iterations of some loops: the parts of an operand that these loops
 * touch, joined. */
struct tcplan_joined {
    struct tcplan_slice slice; /**< the slice; its span has the kernel's indices and those of the
                                  joined loops */
    int64_t elems;
};

/** One operand at the kernel call. */
struct tcplan_access {
    struct tcplan_slice slice;
    int64_t elems; /**< number of elements of the kernel's operand */
    bool never;    /**< whether the operand was not touched before: caches are cold, and this is the
                      first access */
    int64_t distance_elems; /**< access distance: the number of elements touched since its last
                               access (the size of the collection M in section 6.2.3); INT64_MAX if
                               `never` */
    int collected_count; /**< the collection M, the slices touched since that access: those of A, B,
                            C, then of their temporaries */
    struct tcplan_joined collected[TCPLAN_MAX_COLLECTED];
    bool prefetched;   /**< whether the conditions of section 6.2.4 for prefetching hold, and no
                          access has touched the data since the prefetch */
    bool shares_lines; /**< whether the innermost loop runs over the operand's first dimension, so
                          prefetching fails once per cache line. Also set, with `prefetched` false,
                          in the class of the calls in which it fails */
    int64_t prefetch_distance_elems; /**< number of elements touched since the prefetch */
};

/** One step of a cache setup: an access to (part of) an operand, or to remote memory. */
struct tcplan_setup_step {
    bool remote;
    enum tcplan_operand operand; /**< the slice is access[operand].slice; unused if `remote` */
    bool prefetch; /**< whether only one cache line along the operand's first dimension is touched;
                      unused if `remote` */
    int64_t elems;
};

/** Why a class of calls is timed separately. */
enum tcplan_class_kind {
    TCPLAN_CLASS_STEADY,
    TCPLAN_CLASS_PREFETCH_FAILURE, /**< prefetching fails, because operands that share lines across
                                      iterations reach a new line: one in (line size / element size)
                                      calls */
    TCPLAN_CLASS_FIRST /**< first iterations of loop `loop` and of all loops inside it */
};

/** Calls that find the cache in the same state, with the setup that recreates this state. */
struct tcplan_call_class {
    enum tcplan_class_kind kind;
    int loop;      /**< TCPLAN_CLASS_FIRST: position of the outermost loop that is in its first
                      iteration; otherwise -1 */
    int64_t calls; /**< number of calls; the classes add up exactly to the calls of the nest */
    struct tcplan_access access[TCPLAN_OPERANDS];
    int setup_count;  /**< number of steps to execute; 0: none, because each repetition touches all
                         operands for the next */
    int listed_count; /**< number of steps in `setup`, including redundant ones: for display, not
                         for replay */
    struct tcplan_setup_step setup[TCPLAN_MAX_SETUP]; /**< steps in the order of the accesses */
    bool truncated; /**< whether the setup ends at the size limit */
};

/** Stages of the method. Each includes the earlier stages. */
enum tcplan_stage {
    TCPLAN_STAGE_REPEATED, /**< section 6.2.2: no setup */
    TCPLAN_STAGE_ACCESS,   /**< section 6.2.3: access distances */
    TCPLAN_STAGE_PREFETCH, /**< section 6.2.4: prefetch distances */
    TCPLAN_STAGE_FAILURE,  /**< section 6.2.5: prefetching failures */
    TCPLAN_STAGE_FIRST     /**< section 6.2.6: first loop iterations */
};

struct tcplan_analysis_options {
    enum tcplan_stage stage;
    enum tcplan_cache_state cache;
    int64_t line_bytes;
    double limit_bytes; /**< setups end at this many bytes; INFINITY: no limit */
    double first_share; /**< first iterations of outer loops form a class if they exceed this share
                           of all calls */
};

struct tcplan_analysis {
    int64_t calls; /**< number of kernel calls; 0 if there is nothing to multiply */
    int class_count;
    struct tcplan_call_class call_class[TCPLAN_MAX_CLASSES]; /**< the classes, the steady one first.
                                                                Empty classes are omitted, so there
                                                                is none if there is no call */
};

/** Returns the dissertation's options: all stages, warm caches, first_share 1 %, setups truncated
 * at 5/4 of the machine's last cache level. */
TCPLAN_API struct tcplan_analysis_options tcplan_analysis_defaults(
    const struct tcplan_machine *machine);

/**
 * Analyses a nest for a problem of the original contraction. Counts of calls are exact; distances
 * and sizes assume that all tiles are full.
 *
 * @param out  receives the analysis, to be freed with tcplan_analysis_free()
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the calls or a distance do not fit an int64_t;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_analysis_build(struct tcplan_analysis **out,
                                                    const struct tcplan_nest *nest,
                                                    const struct tcplan_problem *problem,
                                                    const struct tcplan_analysis_options *options,
                                                    struct tcplan_error *error);

/** Frees an analysis; does nothing if it is NULL. */
TCPLAN_API void tcplan_analysis_free(struct tcplan_analysis *analysis);

#ifdef __cplusplus
}
#endif

#endif
