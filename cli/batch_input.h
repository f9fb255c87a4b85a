/**
 * The entries of all libraries that a batch names, one after the other, as far as they are asked for.
 */
#ifndef CLI_BATCH_INPUT_H
#define CLI_BATCH_INPUT_H

#include "cli/options.h"
#include "tcplan/library.h"

/** Zero-initialise, then set the options. */
struct batch_input {
    const struct options *options;
    struct tcplan_library *library; /**< private from here on: the one being read */
    int at;                         /**< which it is */
};

/**
 * The next entry that --class and --only let through, faults included; NULL behind the last one. What goes wrong is told on stderr.
 *
 * @param out  valid until the next call
 */
enum exit_status batch_input_next(struct batch_input *input, const struct tcplan_library_entry **out);

/** Starts again at the first entry of the first library. */
void batch_input_rewind(struct batch_input *input);

/** Whether a library is standard input, which can be read once. */
bool batch_input_is_stream(const struct batch_input *input);

/** Whether an entry belongs to the shard: equal problems are in the same one, whatever their names and the library around them. */
bool batch_input_in_shard(const struct tcplan_library_entry *entry, const struct options *options);

/** Tells an entry's fault on stderr, with its place. */
void batch_input_tell_fault(const struct tcplan_library_entry *entry);

#endif
