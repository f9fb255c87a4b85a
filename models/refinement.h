/**
 * The making of a model as a state machine: it requests points, takes samples, halves pieces whose
 * error is too large, and ends (Peise 2017, 3.2.5).
 *
 *   struct model_refinement *refinement;
 *   model_refinement_new(&refinement, &domain, degree, &config, &error);
 *   for (each sample kept from an earlier run) model_refinement_add(refinement, &sample, spread,
 *   &error);
 *   while ((count = model_refinement_next(refinement, points, MOST)) > 0) {
 *       measure the points, in any order; model_refinement_add() each
 *   }
 *   model_refinement_result(&model, refinement, &error);
 *
 * The result depends only on domain, degrees, configuration and samples, not on their order: an
 * interrupted run that receives its samples again ends like an uninterrupted one. Pieces are halved
 * round by round: those above the bound of one round, the worst first, as long as there may be more
 * pieces. A piece whose errors are explained by the spread of its samples (models/spread.h) is not
 * halved, because the halves would have the same errors.
 */
#ifndef MODELS_REFINEMENT_H
#define MODELS_REFINEMENT_H

#include "tcplan/models.h"

struct model_refinement;

/**
 * Begins a refinement.
 *
 * @param out     receives it, to be freed with model_refinement_free()
 * @param domain  its ends are multiples of config->multiple, from it on
 * @param degree  of each size in the number of operations: 0 to 4
 * @return TCPLAN_OK; TCPLAN_INVALID where the configuration, the domain or a degree is refused, or
 *         a grid would have more than TCPLAN_MODEL_POINTS points or a polynomial more than
 *         TCPLAN_MODEL_COEFFICIENTS; TCPLAN_NO_MEMORY
 */
enum tcplan_status model_refinement_new(struct model_refinement **out,
                                        const struct tcplan_model_domain *domain,
                                        const int degree[],
                                        const struct tcplan_model_config *config,
                                        struct tcplan_error *error);

/** A point of the sizes; those beyond the routine's are 0. */
struct model_point {
    int64_t size[TCPLAN_MODEL_SIZES];
};

/**
 * Lists the requested points without a sample, the smallest first, each once. All points of a round
 * are listed until samples are added.
 * @param out  receives up to `capacity` points; NULL with 0: they are only counted
 * @return the number of requested points, which may exceed `capacity`; 0: the refinement is
 *   complete
 */
size_t model_refinement_next(const struct model_refinement *refinement, struct model_point out[],
                             size_t capacity);

/**
 * Adds a sample. One that is not wanted (yet) is kept and used when its point is wanted; one of a
 * point that has one is ignored. After the last one of a round pieces are fitted, which takes
 * milliseconds.
 *
 * @param spread  how well it is known, relative (models/spread.h); 0: exactly, as far as anybody
 *                knows
 * @return TCPLAN_OK; TCPLAN_INVALID where a time is refused (tcplan_model_samples_add());
 *         TCPLAN_NO_MEMORY, after which the refinement goes no further; TCPLAN_ENVIRONMENT where
 *         LAPACK did not find a least-squares solution
 */
enum tcplan_status model_refinement_add(struct model_refinement *refinement,
                                        const struct tcplan_model_sample *sample, double spread,
                                        struct tcplan_error *error);

/** The progress of a refinement. */
struct model_progress {
    double share; /**< estimated share of the work done: from 0, never falling, to 1 at the end */
    bool done;
    size_t wanted;  /**< points of this round without a sample */
    size_t samples; /**< that were added */
    size_t pieces;  /**< so far */
    size_t waiting; /**< of them without a polynomial of their own yet */
    double error;   /**< the largest of the pieces that have one; 0 before the first */
    double whole;   /**< the error of the domain as a whole, before it was halved; 0 before that is
                       known */
    double spread;  /**< of the samples that were added, on average */
    size_t explained; /**< pieces above the bound whose errors the samples' own spread explains */
    int rounds;       /**< of halving that are over */
};

struct model_progress model_refinement_progress(const struct model_refinement *refinement);

/** All samples that were added, also those that were not wanted; valid until the next one is added.
 */
const struct tcplan_model_samples *model_refinement_samples(
    const struct model_refinement *refinement);

/**
 * The model as it is now: it can be evaluated. A piece whose halves do not both have their samples
 * yet is not halved in it (`complete` is false then), so that generation may end at any time after
 * the first round.
 *
 * @param out  receives the model, to be freed with tcplan_model_free(): domain, degrees,
 *             configuration, points, pieces. Case, setup, names, date and seconds are the caller's
 *             to set
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE before the first round is over; TCPLAN_NO_MEMORY;
 *         TCPLAN_ENVIRONMENT as model_refinement_add()
 */
enum tcplan_status model_refinement_result(struct tcplan_model **out,
                                           struct model_refinement *refinement,
                                           struct tcplan_error *error);

/** Frees a refinement; NULL is fine. */
void model_refinement_free(struct model_refinement *refinement);

#endif
