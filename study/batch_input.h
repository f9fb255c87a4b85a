/**
 * The entries of all libraries that a batch names, one after the other, as far as they are asked
 * for.
 */
#ifndef STUDY_BATCH_INPUT_H
#define STUDY_BATCH_INPUT_H

#include "tcplan/study/batch.h"

/** Zero-initialise, then set the options. */
struct batch_input {
    const struct tcplan_batch_options *options;
    struct tcplan_library *library; /**< private from here on: the one being read */
    int at;                         /**< its number among the libraries */
};

/**
 * The next entry of the class and names asked for, faults included; NULL behind the last one.
 *
 * @param out  valid until the next call
 */
enum tcplan_status batch_input_next(struct batch_input *input,
                                    const struct tcplan_library_entry **out,
                                    struct tcplan_error *error);

/** Starts again at the first entry of the first library. */
void batch_input_rewind(struct batch_input *input);

/** Whether a library can be read only once. */
bool batch_input_is_stream(const struct batch_input *input);

/** Whether an entry belongs to the shard: equal problems are in the same one, whatever their names
 * and the library around them. */
bool batch_input_in_shard(const struct batch_input *input,
                          const struct tcplan_library_entry *entry);

#endif
