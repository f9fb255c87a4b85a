/**
 * Makes a model as a state machine: requests points, takes their samples, halves pieces whose
 * error is too large, and ends (Peise 2017, 3.2.5).
 *
 *   struct model_refinement *refinement;
 *   model_refinement_new(&refinement, &domain, degree, &config, &error);
 *   for (each sample recorded by an earlier run) model_refinement_add(refinement, &sample, spread,
 *   &error);
 *   while ((count = model_refinement_next(refinement, points, MOST)) > 0) {
 *       measure the points, in any order; model_refinement_add() each
 *   }
 *   model_refinement_result(&model, refinement, &error);
 *
 * The result depends only on domain, degrees, configuration and samples, not on their order: an
 * interrupted run that receives its samples again ends like an uninterrupted one. Each round
 * halves the pieces whose error exceeds config.bound, the worst first, up to config.most_pieces. A
 * piece whose errors are explained by the spread of its samples (models/spread.h) is not halved,
 * because the halves would have the same errors.
 */
#ifndef MODELS_REFINEMENT_H
#define MODELS_REFINEMENT_H

#include "tcplan/models.h"

struct model_refinement;

/**
 * Begins a refinement.
 *
 * @param out  receives the refinement, to be freed with model_refinement_free()
 * @param domain  the ends of each size are positive multiples of config->multiple, or equal
 * @param degree  degree of each size in the number of operations, 0 to 4
 * @return TCPLAN_OK; TCPLAN_INVALID if the configuration, the domain or a degree is invalid, or a
 *     grid would have more than TCPLAN_MODEL_POINTS points or a polynomial more than
 *     TCPLAN_MODEL_COEFFICIENTS; TCPLAN_NO_MEMORY
 */
enum tcplan_status model_refinement_new(struct model_refinement **out,
                                        const struct tcplan_model_domain *domain,
                                        const int degree[],
                                        const struct tcplan_model_config *config,
                                        struct tcplan_error *error);

/** A point: the sizes of a call, followed by zeros. */
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
 * Adds a sample. If its point is not requested yet, the sample is used when it is. A second sample
 * of a point is ignored. The last sample of a round fits that round's pieces, which takes
 * milliseconds.
 *
 * @param spread  estimated relative error of the sample (models/spread.h); 0: none, or unknown
 * @return TCPLAN_OK; TCPLAN_INVALID if a time is invalid (tcplan_model_samples_add());
 *     TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if LAPACK finds no least-squares solution. If fitting
 *     or halving fails, the refinement requests no further points
 */
enum tcplan_status model_refinement_add(struct model_refinement *refinement,
                                        const struct tcplan_model_sample *sample, double spread,
                                        struct tcplan_error *error);

/** The progress of a refinement. */
struct model_progress {
    double share; /**< estimated share of the work done: 0 to 1, never falling */
    bool done;
    size_t wanted;    /**< number of points of this round without a sample */
    size_t samples;   /**< number of samples added */
    size_t pieces;    /**< number of pieces so far */
    size_t waiting;   /**< number of pieces that have no polynomial of their own yet */
    double error;     /**< largest error of the pieces that have a polynomial; 0 before the first */
    double whole;     /**< error of a single polynomial on the whole domain; 0 until it is known */
    double spread;    /**< mean spread of the samples added */
    size_t explained; /**< number of pieces whose error exceeds the bound but is explained by the
                         spread of their samples */
    int rounds;       /**< completed rounds of halving */
};

struct model_progress model_refinement_progress(const struct model_refinement *refinement);

/** Returns all samples added, requested or not; valid until the next one is added. */
const struct tcplan_model_samples *model_refinement_samples(
    const struct model_refinement *refinement);

/**
 * Makes a model of the polynomials fitted so far. A piece counts as undivided until both of its
 * halves have polynomials (`complete` is false then), so generation may end at any time after the
 * first round.
 *
 * @param out  receives the model, to be freed with tcplan_model_free(), with domain, degrees,
 *     configuration, points and pieces. The caller sets case, setup, names, date and seconds
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE before the first round is complete; TCPLAN_NO_MEMORY;
 *     TCPLAN_ENVIRONMENT as model_refinement_add()
 */
enum tcplan_status model_refinement_result(struct tcplan_model **out,
                                           struct model_refinement *refinement,
                                           struct tcplan_error *error);

/** Frees a refinement; NULL is fine. */
void model_refinement_free(struct model_refinement *refinement);

#endif
