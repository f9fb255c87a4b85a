/**
 * Cuts through a model's domain that a picture can show: one size runs, the others are as they are.
 */
#ifndef CLI_COMMANDS_MODEL_MODEL_CUTS_H
#define CLI_COMMANDS_MODEL_MODEL_CUTS_H

#include "tcplan/models.h"

enum { MODEL_CUTS = 4 };

/** The other sizes; that of the one that runs is 0. */
struct model_cut {
    int64_t size[TCPLAN_MODEL_SIZES];
};

/** What is wanted. */
struct model_cuts_wanted {
    const struct tcplan_model *model;
    const struct tcplan_model_samples *samples;
    int along;                        /**< the size that runs */
    bool given[TCPLAN_MODEL_SIZES];   /**< which of the others are */
    int64_t size[TCPLAN_MODEL_SIZES]; /**< what these are */
};

/**
 * Chooses cuts: where all other sizes are given that one; else, of those through samples, the one
 * with most, and of those with at least half as many the ones that are furthest from those before,
 * in factors; without samples the one in the middle of the domain.
 *
 * @return how many, by rising sizes; 0: memory is out
 */
int model_cuts_choose(struct model_cut out[MODEL_CUTS], const struct model_cuts_wanted *wanted);

/** Whether a sample lies on a cut. */
bool model_cut_has(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                   const struct tcplan_model_sample *sample);

/** How far sizes are from a cut: the largest factor that brings one of the others there, from 1 on.
 */
double model_cut_distance(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                          const int64_t size[]);

#endif
