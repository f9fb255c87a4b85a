/** Stored models of this machine, and the selection of models by words. */
#ifndef CLI_MODELS_H
#define CLI_MODELS_H

#include "cli/stored.h"
#include "tcplan/models.h"

/** Zero-initialise before use. */
struct chosen_models {
    struct stored stored;
    struct tcplan_models *models;      /**< all stored models that this machine can use */
    const struct tcplan_model **model; /**< the selected models, in the order of `models`, which
                                          owns them */
    size_t count;
};

/**
 * Opens the store of this machine and selects models. Prints notes about damaged models and models
 * of other versions.
 *
 * @param word  `count` words: the name of a routine, arguments of its case as `transA=N`,
 *              `provider=openblas`, `threads=1`, `placement=warm`; a model must match all words. A
 *              word may have several parts, separated by blanks. Without words, all models are
 *              selected
 * @return EXIT_DONE, even if none is selected; another status after a message. The caller must call
 *         chosen_models_close() in either case
 */
enum exit_status chosen_models_open(struct chosen_models *out, const struct options *options,
                                    const char *const word[], int count);

void chosen_models_close(struct chosen_models *chosen);

/** Sizes by name, from the option --sizes. */
struct model_sizes {
    int count;
    char name[TCPLAN_MODEL_SIZES][TCPLAN_MODEL_SIZE_NAME];
    int64_t value[TCPLAN_MODEL_SIZES];
};

/** Reads sizes as `m=256,n=512`; NULL means no sizes. Returns EXIT_USAGE after a message if the
 * text is malformed. */
enum exit_status model_sizes_read(struct model_sizes *out, const char *text);

/** Returns the size with this name; -1 if it is not given. */
int64_t model_sizes_value(const struct model_sizes *sizes, const char *name);

/** Finds the sizes of a model in the model's order; false if one of them is not given. */
bool model_sizes_of(int64_t out[TCPLAN_MODEL_SIZES], const struct model_sizes *sizes,
                    const struct tcplan_model *model);

#endif
