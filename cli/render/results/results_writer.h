/**
 * Output of results of batches as they arrive.
 */
#ifndef CLI_RENDER_RESULTS_RESULTS_WRITER_H
#define CLI_RENDER_RESULTS_RESULTS_WRITER_H

#include "cli/options/options.h"
#include "cli/render/view.h"
#include "tcplan/results.h"

/** Set the public fields, the rest to zero. */
struct results_writer {
    FILE *file;
    bool measured;                       /**< text: with measured times */
    size_t name_width;                   /**< text: of the longest name, if known */
    bool narrow;                         /**< private: text: too few columns on the terminal */
    int64_t shard;                       /**< XML */
    int64_t shards;                      /**< XML; 0: not divided */
    const struct results_format *format; /**< private from here on */
    bool begun;                          /**< the beginning is written */
    int64_t provenance;                  /**< XML: the last one written */
    int64_t written;
    int64_t failed;
    int64_t reused;
    double planning_seconds;
    bool no_memory; /**< output is incomplete */
};

/**
 * Begins an output in a format of enum output_format. Writes nothing before the first record or the
 * end, so that rejected input leaves stdout empty.
 */
void results_writer_begin(struct results_writer *writer, int format);

/** Writes a record and flushes it. */
void results_writer_put(struct results_writer *writer, const struct tcplan_result *result);

/** A tcplan_result_fn that writes a record; `context` is the writer. */
enum tcplan_status results_writer_take(void *context, const struct tcplan_result *result,
                                       struct tcplan_error *error);

/** Writes the end of the output. `summary` is NULL if results are missing. */
void results_writer_end(struct results_writer *writer,
                        const struct tcplan_results_summary *summary);

/** Returns the format for a file's name: .csv, .json, .jsonl, else XML. */
int results_format_of_path(const char *path);

#endif
