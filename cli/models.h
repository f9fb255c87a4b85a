/**
 * Models that a command is about: those that are kept for this machine, and of these the ones that
 * words choose.
 */
#ifndef CLI_MODELS_H
#define CLI_MODELS_H

#include "cli/kept.h"
#include "tcplan/models.h"

/** Zero-initialise before use. */
struct chosen_models {
    struct kept kept;
    struct tcplan_models *models;      /**< all that are kept and used here */
    const struct tcplan_model **model; /**< those that were chosen, in their order; borrowed from
                                          the set */
    size_t count;
};

/**
 * Opens the store of this machine, and chooses models. What is damaged or of another version is a
 * note.
 *
 * @param word  `count` words: the name of a routine, arguments of its case as `transA=N`,
 *              `provider=openblas`, `threads=1`, `placement=warm`; a model is chosen where all of
 *              them hold, also several in one word with blanks between. No word: all models
 * @return EXIT_DONE, also where none is chosen; another status after a message.
 *         chosen_models_close() is needed in either case
 */
enum exit_status chosen_models_open(struct chosen_models *out, const struct options *options,
                                    const char *const word[], int count);

void chosen_models_close(struct chosen_models *chosen);

/** Opens the store alone. */
enum exit_status chosen_models_open_store(struct chosen_models *out);

/** Sizes by name, as --sizes has them. */
struct model_sizes {
    int count;
    char name[TCPLAN_MODEL_SIZES][TCPLAN_MODEL_SIZE_NAME];
    int64_t value[TCPLAN_MODEL_SIZES];
};

/** Reads `m=256,n=512`; NULL: none. EXIT_USAGE after a message where it is no such text. */
enum exit_status model_sizes_read(struct model_sizes *out, const char *text);

/** The value of a size of a model; -1 where none was given. */
int64_t model_sizes_value(const struct model_sizes *sizes, const char *name);

/** The sizes of a model, in its order; false where one of them was not given. */
bool model_sizes_of(int64_t out[TCPLAN_MODEL_SIZES], const struct model_sizes *sizes,
                    const struct tcplan_model *model);

#endif
