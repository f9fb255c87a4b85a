/**
 * Writes results of batches as they arrive.
 */
#ifndef CLI_RENDER_RESULTS_RESULTS_WRITER_H
#define CLI_RENDER_RESULTS_RESULTS_WRITER_H

#include "cli/options/options.h"
#include "cli/render/view.h"
#include "tcplan/results.h"

/** State of writing results. Set the public members, all others to zero. */
struct results_writer {
    FILE *file;
    bool measured;     /**< text: whether to print columns for measured times */
    size_t name_width; /**< text: width of the longest name; 0 if unknown */
    bool narrow;       /**< private; text: whether the terminal is too narrow for all columns */
    int64_t shard;     /**< XML: number of the shard */
    int64_t shards;    /**< XML: number of shards; 0: not divided */
    const struct results_format *format; /**< private, like all following members */
    bool begun;                          /**< whether the beginning was written */
    int64_t provenance;                  /**< XML: number of the last provenance that was written */
    int64_t written;
    int64_t failed;
    int64_t reused;
    double planning_seconds;
    bool no_memory; /**< whether memory ran out, so that output is incomplete */
};

/**
 * Begins an output; `format` is an enum output_format. Writes nothing before the first record or
 * the end, so that stdout stays empty for invalid input.
 */
void results_writer_begin(struct results_writer *writer, int format);

/** Writes a record, and flushes the output. */
void results_writer_put(struct results_writer *writer, const struct tcplan_result *result);

/** Writes a record; a tcplan_result_fn whose `context` is the writer. */
enum tcplan_status results_writer_take(void *context, const struct tcplan_result *result,
                                       struct tcplan_error *error);

/** Writes the end of the output. `summary` is NULL if some results are missing. */
void results_writer_end(struct results_writer *writer,
                        const struct tcplan_results_summary *summary);

/** Returns the format for a file name: CSV for .csv, JSON for .json and .jsonl, otherwise XML. */
int results_format_of_path(const char *path);

#endif
