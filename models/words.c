#include "models/words.h"

#include <string.h>

const char *const model_statistics[] = {"minimum", "median", "maximum", "mean", "deviation", NULL};
const char *const model_placements[] = {"warm", "cold", "streaming", NULL};
const char *const model_grids[] = {"cartesian", "chebyshev", NULL};
const char *const model_measures[] = {"mean", "p90", "maximum", NULL};

static const char *word_at(const char *const words[], int count, int place) {
    return place >= 0 && place < count ? words[place] : NULL;
}

/** Returns the place of a word, or -1. */
static int place_of(const char *const words[], int count, const char *name) {
    for (int w = 0; w < count; w++) {
        if (strcmp(words[w], name) == 0) return w;
    }
    return -1;
}

const char *tcplan_model_statistic_name(enum tcplan_model_statistic statistic) {
    return word_at(model_statistics, TCPLAN_MODEL_STATISTICS, (int)statistic);
}

const char *tcplan_model_placement_name(enum tcplan_model_placement placement) {
    return word_at(model_placements, TCPLAN_MODEL_PLACEMENTS, (int)placement);
}

const char *tcplan_model_grid_name(enum tcplan_model_grid grid) {
    return word_at(model_grids, TCPLAN_MODEL_GRIDS, (int)grid);
}

const char *tcplan_model_measure_name(enum tcplan_model_measure measure) {
    return word_at(model_measures, TCPLAN_MODEL_MEASURES, (int)measure);
}

bool tcplan_model_statistic_find(enum tcplan_model_statistic *out, const char *name) {
    const int place = place_of(model_statistics, TCPLAN_MODEL_STATISTICS, name);
    if (place >= 0) *out = (enum tcplan_model_statistic)place;
    return place >= 0;
}

bool tcplan_model_placement_find(enum tcplan_model_placement *out, const char *name) {
    const int place = place_of(model_placements, TCPLAN_MODEL_PLACEMENTS, name);
    if (place >= 0) *out = (enum tcplan_model_placement)place;
    return place >= 0;
}

bool tcplan_model_grid_find(enum tcplan_model_grid *out, const char *name) {
    const int place = place_of(model_grids, TCPLAN_MODEL_GRIDS, name);
    if (place >= 0) *out = (enum tcplan_model_grid)place;
    return place >= 0;
}

bool tcplan_model_measure_find(enum tcplan_model_measure *out, const char *name) {
    const int place = place_of(model_measures, TCPLAN_MODEL_MEASURES, name);
    if (place >= 0) *out = (enum tcplan_model_measure)place;
    return place >= 0;
}
