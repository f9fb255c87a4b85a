/**
 * Cuts through a model's domain, for plots: one size varies, the others are fixed.
 */
#ifndef CLI_COMMANDS_MODEL_MODEL_CUTS_H
#define CLI_COMMANDS_MODEL_MODEL_CUTS_H

#include "tcplan/models.h"

enum { MODEL_CUTS = 4 };

/** A cut: its fixed sizes; 0 for the varying one. */
struct model_cut {
    int64_t size[TCPLAN_MODEL_SIZES];
};

/** The requested cuts. */
struct model_cuts_wanted {
    const struct tcplan_model *model;
    const struct tcplan_model_samples *samples;
    int along;                        /**< number of the size that varies */
    bool given[TCPLAN_MODEL_SIZES];   /**< whether each other size is given by the user */
    int64_t size[TCPLAN_MODEL_SIZES]; /**< the given sizes */
};

/**
 * Chooses cuts. If all other sizes are given, there is one cut. Otherwise the first cut is the one
 * with the most samples. The next ones have at least half as many and are furthest from the earlier
 * ones, measured in factors. Without samples, the cut through the middle of the domain.
 *
 * @return their number, sorted by increasing sizes; 0: out of memory
 */
int model_cuts_choose(struct model_cut out[MODEL_CUTS], const struct model_cuts_wanted *wanted);

/** Returns whether a sample is on a cut. */
bool model_cut_has(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                   const struct tcplan_model_sample *sample);

/** Returns the distance of sizes from a cut: the largest ratio between a size and the fixed one, at
 * least 1. */
double model_cut_distance(const struct model_cut *cut, const struct model_cuts_wanted *wanted,
                          const int64_t size[]);

#endif
