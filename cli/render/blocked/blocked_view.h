/**
 * What predictions, rankings and measurements of blocked algorithms have in common: of which
 * operation, by which models, against what peak.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_VIEW_H
#define CLI_RENDER_BLOCKED_BLOCKED_VIEW_H

#include "cli/render/document.h"
#include "cli/render/text/csv_line.h"
#include "cli/render/text/table.h"
#include "tcplan/blocked_predict.h"

/** All of it is borrowed. */
struct blocked_view {
    const char *operation; /**< `potrf_L` */
    const char *purpose;   /**< in a few words; NULL: not known */
    enum tcplan_dtype dtype;
    const struct tcplan_model_setup *setup;
    double peak_gflops; /**< of the threads; 0: not known, and there are no efficiencies */
    int format;         /**< enum output_format: CSV is told apart from text by it */
};

enum { BLOCKED_SIZES_TEXT = 64 };

/** Writes `n=500`, or `m=500,n=400`. */
const char *blocked_sizes_text(char out[BLOCKED_SIZES_TEXT], const struct tcplan_blocked *blocked,
                               const struct tcplan_blocked_sizes *sizes);

/** The lines `operation` and `models` of the text format. */
void blocked_view_print(FILE *file, const struct blocked_view *view);

/** Members of an object that is open. */
void blocked_view_write(struct document *document, const struct blocked_view *view);

/** The object `sizes` and the member `block`. */
void blocked_sizes_write(struct document *document, const struct tcplan_blocked *blocked,
                         const struct tcplan_blocked_sizes *sizes);

/** An object of five statistics, `minimum` to `deviation`, each times a factor. */
void blocked_statistics_write(struct document *document, const char *name,
                              const double value[TCPLAN_MODEL_STATISTICS], double factor);

/** The head of CSV lines for what blocked_view_add() adds: operation, dtype, provider, version,
 * threads. */
#define BLOCKED_VIEW_HEAD "operation,dtype,provider,version,threads"

/** The first values of a line of CSV. */
void blocked_view_add(struct csv_line *line, const struct blocked_view *view);

/** Values for algorithm, m, n, block: m is empty where the operation has one size. */
#define BLOCKED_SIZES_HEAD "algorithm,m,n,block"
void blocked_sizes_add(struct csv_line *line, const struct tcplan_blocked *blocked,
                       const struct tcplan_blocked_sizes *sizes);

/** Ends a line of CSV. */
void blocked_line_print(struct writer *writer, struct csv_line *line);

/** A rate of 1e9 operations per second with four digits, and a share, or `-` where the peak is not
 * known. */
void blocked_rate_add(struct table *table, double gflops);
void blocked_share_add(struct table *table, const struct blocked_view *view, double gflops);

#endif
