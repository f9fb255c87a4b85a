/**
 * Reads the entries of the libraries of a batch in order, without those that its options exclude.
 */
#ifndef STUDY_BATCH_INPUT_H
#define STUDY_BATCH_INPUT_H

#include "tcplan/study/batch.h"

/** Zero-initialise, then set the options. */
struct batch_input {
    const struct tcplan_batch_options *options;
    struct tcplan_library *library; /**< the library being read; this member and all that follow are
                                       private */
    int at;                         /**< number of `library` among the libraries of the options */
    struct tcplan_library_entry refused; /**< a block-sparse entry whose blocks are invalid */
    struct tcplan_error fault;           /**< why the blocks are invalid */
};

/**
 * Reads the next entry of the selected class and names, even if it is faulty; NULL after the last
 * one.
 *
 * @param out receives the entry, valid until the next call
 */
enum tcplan_status batch_input_next(struct batch_input *input,
                                    const struct tcplan_library_entry **out,
                                    struct tcplan_error *error);

/** Starts again at the first entry of the first library. */
void batch_input_rewind(struct batch_input *input);

/** Returns whether a library can be read only once. */
bool batch_input_is_stream(const struct batch_input *input);

/** Returns whether an entry belongs to the shard of the batch. Equal problems belong to the same
 * shard, whatever their names and libraries. */
bool batch_input_in_shard(const struct batch_input *input,
                          const struct tcplan_library_entry *entry);

#endif
