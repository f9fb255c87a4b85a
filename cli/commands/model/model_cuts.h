/**
 * Cuts through a model's domain, for plots: one size varies, the others are fixed.
 */
#ifndef CLI_COMMANDS_MODEL_MODEL_CUTS_H
#define CLI_COMMANDS_MODEL_MODEL_CUTS_H

#include "tcplan/models.h"

enum { MODEL_CUTS = 4 };

/** A cut through a model's domain: the fixed sizes, and 0 for the size that varies. */
struct model_cut {
    int64_t size[TCPLAN_MODEL_SIZES];
};

/** What the user requested of the cuts through a model. */
struct model_cuts_wanted {
    const struct tcplan_model *model;
    const struct tcplan_model_samples *samples;
    int along;                        /**< number of the size that varies */
    bool given[TCPLAN_MODEL_SIZES];   /**< for each size, whether the user gave it */
    int64_t size[TCPLAN_MODEL_SIZES]; /**< sizes that the user gave */
};

/**
 * Chooses cuts. If the user gave all other sizes, there is only one cut. Otherwise, the first cut
 * is the one with the most samples. Each further cut has at least half as many samples and is the
 * one furthest from the earlier cuts, measured by ratios of sizes. Without samples, the only cut
 * goes through the middle of the domain.
 *
 * @return the number of cuts, which are sorted by increasing sizes; 0 if memory runs out
 */
int model_cuts_choose(struct model_cut out[MODEL_CUTS], const struct model_cuts_wanted *wanted);

/** Returns whether a sample lies on a cut. */
bool model_cut_has(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                   const struct tcplan_model_sample *sample);

/** Returns the distance of sizes from a cut: the largest ratio between a size and the cut's fixed
 * size, at least 1. */
double model_cut_distance(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                          const int64_t size[]);

#endif
