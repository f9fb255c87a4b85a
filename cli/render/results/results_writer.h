/**
 * Results of batches as they come, and several documents or platforms side by side.
 */
#ifndef CLI_RENDER_RESULTS_RESULTS_WRITER_H
#define CLI_RENDER_RESULTS_RESULTS_WRITER_H

#include "cli/options/options.h"
#include "cli/render/view.h"
#include "tcplan/results.h"
#include "tcplan/study/platforms.h"

struct view;

/** Set the public fields, the rest to zero. */
struct results_writer {
    FILE *file;
    bool measured;     /**< text: there are measured times */
    size_t name_width; /**< text: of the longest name, where it is known */
    bool narrow;       /**< private: text: the terminal has no room for all columns */
    int64_t shard;     /**< XML */
    int64_t shards;    /**< XML; 0: not divided */
    const struct results_format *format; /**< private from here on */
    bool begun;                          /**< what stands before all records is written */
    int64_t provenance;                  /**< XML: the one written last */
    int64_t written;
    int64_t failed;
    int64_t reused;
    double planning_seconds;
    bool no_memory; /**< something is missing: memory ran out */
};

/** How a format writes; functions that are NULL have nothing to write. */
struct results_format {
    void (*begin)(struct results_writer *writer);
    void (*record)(struct results_writer *writer, const struct tcplan_result *result);
    void (*end)(struct results_writer *writer, const struct tcplan_results_summary *summary);
};

extern const struct results_format results_format_text;
extern const struct results_format results_format_xml;
extern const struct results_format results_format_csv;
extern const struct results_format results_format_json;
extern const struct results_format results_format_jsonl;

/** Of their JSON schema only. */
extern const struct view results_view;

/**
 * Begins an output in a format of enum output_format. Nothing is written before the first record or
 * the end: input that is refused leaves stdout empty.
 */
void results_writer_begin(struct results_writer *writer, int format);

/** Writes a record, all of which is passed on at once. */
void results_writer_put(struct results_writer *writer, const struct tcplan_result *result);

/** A tcplan_result_fn that does so; `context` is the writer. */
enum tcplan_status results_writer_take(void *context, const struct tcplan_result *result,
                                       struct tcplan_error *error);

/** Writes what stands behind all records. `summary` is NULL where not all is there. */
void results_writer_end(struct results_writer *writer,
                        const struct tcplan_results_summary *summary);

/** The format that a file's name asks for: .csv, .json, .jsonl, else XML. */
int results_format_of_path(const char *path);

struct portability_report {
    const struct tcplan_platforms *platforms;
    bool all; /**< text: every algorithm, not only the most portable */
};

extern const struct view portability_view;

#endif
