#include "cli/render/results/digest_format.h"

#include "base/error.h"
#include "cli/render/text/csv_line.h"

/** A document whose contractions are being written. */
struct rows {
    struct writer *writer;
    const struct tcplan_digest *digest;
    int64_t left; /* contractions that may come; negative: any number */
};

static bool take_row(struct rows *rows) {
    if (rows->left == 0) return false;
    if (rows->left > 0) rows->left--;
    return true;
}

static struct rows rows_of(struct writer *writer, const struct tcplan_digest *digest,
                           int64_t rows) {
    return (struct rows){.writer = writer, .digest = digest, .left = rows > 0 ? rows : -1};
}

/* JSON and XML: numbers that are not known are left out. */

static void write_known(struct document *document, const char *name, double value) {
    if (value > 0) document->kind->number(document, name, value);
}

/** A tcplan_result_fn. */
static enum tcplan_status write_result(void *context, const struct tcplan_result *result,
                                       struct tcplan_error *error) {
    (void)error;
    struct rows *rows = context;
    struct document *document = rows->writer->document;
    const struct document_kind *kind = document->kind;
    const struct tcplan_facts facts = tcplan_result_facts(result);
    if (!take_row(rows)) return TCPLAN_OK;
    kind->object(document, "contraction");
    kind->text(document, "id", result->id);
    kind->text(document, "name", result->name);
    kind->text(document, "class", result->size_class);
    kind->text(document, "contraction", result->contraction);
    kind->sizes(document, result->sizes);
    if (facts.winner) kind->text(document, "winner", facts.winner);
    if (result->reason) kind->text(document, "reason", result->reason);
    write_known(document, "predicted_seconds", facts.predicted_seconds);
    write_known(document, "measured_seconds", facts.measured_seconds);
    write_known(document, "gemm_share", facts.share);
    write_known(document, "limit_share", facts.limit_share);
    write_known(document, "regret", facts.regret);
    write_known(document, "planning_seconds", result->planning_seconds);
    kind->end(document);
    return TCPLAN_OK;
}

static void write_origin(struct document *document, const struct tcplan_digest *digest) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_provenance *from = &digest->provenance;
    if (!digest->has_provenance) return;
    kind->text(document, "cpu", from->cpu);
    kind->integer(document, "cores", from->cores);
    kind->text(document, "blas_name", from->blas_name);
    kind->text(document, "blas_version", from->blas_version);
    kind->text(document, "blas_core", from->blas_core);
    if (from->blas_advice && *from->blas_advice)
        kind->text(document, "blas_advice", from->blas_advice);
    write_known(document, "gemm_gflops", digest->gemm_gflops);
    kind->text(document, "tcplan", from->tcplan);
    kind->text(document, "settings", from->settings);
    kind->boolean(document, "mixed", digest->mixed);
}

static void write_counts(struct document *document, const struct tcplan_digest *digest) {
    const struct document_kind *kind = document->kind;
    kind->text(document, "name", digest->name);
    kind->boolean(document, "complete", digest->summary.state == TCPLAN_RESULTS_COMPLETE);
    kind->integer(document, "result_count", digest->summary.result_count);
    kind->integer(document, "failed_count", digest->summary.failed_count);
    kind->integer(document, "reused_count", digest->reused);
    if (digest->summary.shards > 0) kind->integer(document, "shard", digest->summary.shard);
    if (digest->summary.shards > 0) kind->integer(document, "shards", digest->summary.shards);
    kind->number(document, "planning_seconds", digest->planning_seconds);
}

/** Quantiles of a sample, where there is one: of `share`, the median, and of 1 - `share`. */
static void write_sample(struct document *document, const char *name, struct tcplan_sample *sample,
                         double share) {
    const struct document_kind *kind = document->kind;
    if (sample->count == 0) return;
    kind->object(document, name);
    kind->integer(document, "count", (int64_t)sample->count);
    kind->number(document, "low", tcplan_sample_quantile(sample, share));
    kind->number(document, "median", tcplan_sample_quantile(sample, 0.5));
    kind->number(document, "high", tcplan_sample_quantile(sample, 1 - share));
    kind->end(document);
}

static void write_choice(struct document *document, const struct tcplan_digest *digest) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_regret words = tcplan_digest_regret(digest);
    if (digest->regret.count == 0) return;
    kind->object(document, "choice");
    kind->integer(document, "count", (int64_t)digest->regret.count);
    kind->integer(document, "fastest", (int64_t)words.fastest);
    kind->number(document, "mean_loss", words.mean_loss);
    kind->number(document, "largest_regret", digest->largest_regret.value);
    kind->end(document);
}

static enum tcplan_status write_digest(struct writer *writer, struct tcplan_digest *digest,
                                       int64_t most, struct tcplan_error *error) {
    struct document *document = writer->document;
    const struct document_kind *kind = document->kind;
    struct rows rows = rows_of(writer, digest, most);
    kind->object(document, "document");
    write_counts(document, digest);
    write_origin(document, digest);
    write_sample(document, "gemm_share", &digest->share, 0);
    write_sample(document, "limit_share", &digest->limit_share, 0);
    write_sample(document, "predicted_over_measured", &digest->error, 0.1);
    write_choice(document, digest);
    kind->list(document, "contractions");
    const enum tcplan_status status =
        tcplan_results_walk(digest->path, write_result, &rows, NULL, error);
    kind->end(document);
    kind->end(document);
    return status;
}

enum tcplan_status digests_document(struct writer *writer, struct tcplan_digest digest[], int count,
                                    int64_t rows, struct tcplan_error *error) {
    struct document *document = writer->document;
    enum tcplan_status status = TCPLAN_OK;
    if (!document) return status; /* which the writer has noted */
    document_open(document, "report");
    document->kind->list(document, "documents");
    for (int d = 0; d < count && status == TCPLAN_OK; d++)
        status = write_digest(writer, &digest[d], rows, error);
    document->kind->end(document);
    document->kind->end(document);
    return status;
}

/* CSV. */

static void add_known(struct csv_line *line, double value) {
    csv_add_number(line, value > 0, value);
}

/** A tcplan_result_fn. */
static enum tcplan_status write_line(void *context, const struct tcplan_result *result,
                                     struct tcplan_error *error) {
    struct rows *rows = context;
    struct csv_line line = {0};
    const struct tcplan_facts facts = tcplan_result_facts(result);
    if (!take_row(rows)) return TCPLAN_OK;
    csv_add_text(&line, rows->digest->name);
    csv_add_text(&line, result->id);
    csv_add_text(&line, result->name);
    csv_add_text(&line, result->size_class);
    csv_add_text(&line, result->contraction);
    csv_add_text(&line, result->sizes);
    csv_add_text(&line, facts.winner ? facts.winner : "");
    add_known(&line, facts.predicted_seconds);
    add_known(&line, facts.measured_seconds);
    add_known(&line, facts.share);
    add_known(&line, facts.regret);
    add_known(&line, result->planning_seconds);
    csv_add_text(&line, result->reason ? result->reason : "");
    add_known(&line, facts.limit_share);
    return csv_print(&line, rows->writer->file) ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status digests_csv(struct writer *writer, const struct tcplan_digest digest[],
                               int count, int64_t rows, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    fputs(
        "file,id,name,class,contraction,sizes,winner,predicted_seconds,measured_seconds,gemm_share,regret,planning_seconds,reason,limit_share\n",
        writer->file);
    for (int d = 0; d < count && status == TCPLAN_OK; d++) {
        struct rows lines = rows_of(writer, &digest[d], rows);
        status = tcplan_results_walk(digest[d].path, write_line, &lines, NULL, error);
    }
    return status;
}
