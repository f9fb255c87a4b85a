#include "base/error.h"
#include "models/grid.h"
#include "tcplan/models.h"

enum {
    THREE_SIZES = 3,
    MOST_OVERFITTING = 4,
    MOST_OVERSAMPLING = 20,
    MOST_REPETITIONS = 1000,
    WIDTH = 32,
    WIDTH_OF_THREE_SIZES = 64,
    WIDTH_OF_THREADS = 64,
    WIDTH_OF_THREE_SIZES_AND_THREADS = 256,
    MOST_PIECES = 256
};

_Static_assert(MOST_OVERFITTING + MOST_OVERSAMPLING + 1 + GRID_DEGREE <= GRID_POINTS,
               "the largest grid has room");
_Static_assert(MOST_OVERFITTING + GRID_DEGREE <= TCPLAN_MODEL_DEGREE,
               "the highest degree is known");

struct tcplan_model_config tcplan_model_config_default(int sizes, int threads) {
    const bool three = sizes >= THREE_SIZES;
    const int64_t single = three ? WIDTH_OF_THREE_SIZES : WIDTH,
                  several = three ? WIDTH_OF_THREE_SIZES_AND_THREADS : WIDTH_OF_THREADS;
    return (struct tcplan_model_config){.overfitting = three ? 0 : 2,
                                        .oversampling = 4,
                                        .grid = TCPLAN_MODEL_CHEBYSHEV,
                                        .repetitions = 10,
                                        .reference = TCPLAN_MODEL_MINIMUM,
                                        .measure = TCPLAN_MODEL_OF_MAXIMUM,
                                        .bound = 0.01,
                                        .min_width = threads > 1 ? several : single,
                                        .multiple = 8,
                                        .most_pieces = MOST_PIECES};
}

static enum tcplan_status check_whole(const char *name, int64_t value, int64_t least, int64_t most,
                                      struct tcplan_error *error) {
    if (value >= least && value <= most) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "%s is %lld, expected %lld to %lld", name,
                     (long long)value, (long long)least, (long long)most);
}

enum tcplan_status tcplan_model_config_check(const struct tcplan_model_config *config,
                                             struct tcplan_error *error) {
    const struct {
        const char *name;
        int64_t value, least, most;
    } whole[] = {
        {"overfitting", config->overfitting, 0, MOST_OVERFITTING},
        {"oversampling", config->oversampling, 1, MOST_OVERSAMPLING},
        {"grid", (int64_t)config->grid, 0, TCPLAN_MODEL_GRIDS - 1},
        {"repetitions", config->repetitions, 1, MOST_REPETITIONS},
        {"measure", (int64_t)config->measure, 0, TCPLAN_MODEL_MEASURES - 1},
        {"the least width", config->min_width, 1, TCPLAN_MODEL_LARGEST},
        {"multiple", config->multiple, 1, TCPLAN_MODEL_LARGEST},
        {"the most pieces", config->most_pieces, 1, TCPLAN_MODEL_PIECES},
    };
    enum tcplan_status status = TCPLAN_OK;
    for (size_t i = 0; i < sizeof whole / sizeof *whole && status == TCPLAN_OK; i++) {
        status = check_whole(whole[i].name, whole[i].value, whole[i].least, whole[i].most, error);
    }
    if (status != TCPLAN_OK) return status;
    if (config->reference != TCPLAN_MODEL_MINIMUM && config->reference != TCPLAN_MODEL_MEDIAN) {
        return error_set(error, TCPLAN_INVALID, "expected the reference minimum or median");
    }
    if (!(config->bound > 0 && config->bound <= 1)) {
        return error_set(error, TCPLAN_INVALID,
                         "the bound of the error is %g, expected a number above 0 and at most 1",
                         config->bound);
    }
    return TCPLAN_OK;
}
