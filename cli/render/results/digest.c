#include "cli/render/results/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/text/visible.h"

enum { ROWS_SHOWN = 40, FAILURES_SHOWN = 10, NAME_WIDTH = 40 };

/** A document among others. */
struct digest_of {
    const struct digests *all;
    struct tcplan_digest *digest; /* its samples are sorted */
};

/** A record of it. */
struct digested {
    const struct digests *all;
    const struct tcplan_digest *digest;
    const struct tcplan_result *result;
    struct tcplan_facts facts;
};

/** Visits the first records of a document, `most` at most; 0: all. */
static void each_result(struct field_visit *visit, const struct digest_of *of, int64_t most) {
    struct tcplan_results *results = NULL;
    const struct tcplan_result *result = NULL;
    struct reading_status *status = of->all->status;
    if (status->status != TCPLAN_OK) return;
    status->status = tcplan_results_open(&results, of->digest->path, &status->error);
    for (int64_t count = 1; status->status == TCPLAN_OK; count++) {
        status->status = tcplan_results_next(results, &result, &status->error);
        if (status->status != TCPLAN_OK || !result) break;
        const struct digested digested = {of->all, of->digest, result, tcplan_result_facts(result)};
        FIELD_VISIT(&digested);
        if (count == most) break;
    }
    tcplan_results_close(results);
}

static void each_document(struct field_visit *visit, const struct digests *all) {
    for (int d = 0; d < all->count; d++) FIELD_VISIT(&(struct digest_of){all, &all->digest[d]});
}

/** A text that is cut where it is too long, and freed; NULL: memory is out. */
static char *shortened(char *text) {
    char *shown = text ? visible_text(text) : NULL, *cut = shown;
    free(text);
    if (!shown || visible_width(shown) <= NAME_WIDTH) return shown;
    if (asprintf(&cut, "%.*s...", (int)visible_cut(shown, NAME_WIDTH - 3), shown) < 0) cut = NULL;
    free(shown);
    return cut;
}

/** Name and class. */
static struct field_value label(const void *record) {
    const struct tcplan_result *result = ((const struct digested *)record)->result;
    char *text = NULL;
    const char *blank = *result->size_class ? " " : "";
    if (asprintf(&text, "%s%s%s", result->name, blank, result->size_class) < 0) text = NULL;
    return field_owned(shortened(text));
}

/** What else tells contractions of one name and class apart. */
static struct field_value problem(const void *record) {
    const struct tcplan_result *result = ((const struct digested *)record)->result;
    struct strbuf out = {0};
    strbuf_add(&out, "%s", result->sizes);
    if (result->dtype != TCPLAN_DOUBLE)
        strbuf_add(&out, " (%s)", tcplan_word(tcplan_words_dtypes, (int)result->dtype));
    if (result->threads > 1) strbuf_add(&out, " (%lld threads)", (long long)result->threads);
    return field_owned(strbuf_finish(&out));
}

static struct field_value winner(const void *record) {
    const char *name = ((const struct digested *)record)->facts.winner;
    return field_text(name ? name : "failed");
}

static bool is_measured(const void *record) {
    return ((const struct digested *)record)->all->measured;
}

static bool is_limited(const void *record) {
    return ((const struct digested *)record)->all->limited;
}

/** Quantiles of a sample: of `share`, the median, and of 1 - `share`. */
struct quantiles {
    struct tcplan_sample *sample;
    double share;
};

static void visit_sample(struct field_visit *visit, struct tcplan_sample *sample, double share) {
    if (sample->count > 0) FIELD_VISIT(&(struct quantiles){sample, share});
}

#define FROM(member) field_if(r->digest->has_provenance, field_word(r->digest->provenance.member))
#define QUANTILE(share) field_number(tcplan_sample_quantile(r->sample, share))
#define SUMMARY r->digest->summary
#define SHARD(member) field_if(SUMMARY.shards > 0, field_integer(SUMMARY.member))

/* clang-format off */

#define RESULT(F, T) \
    F(T, file, TEXT, field_word(r->digest->name), "name of the document", CSV(1), .hidden = true) \
    F(T, id, TEXT, field_text(r->result->id), "of the entry, the same in every run over the same library", CSV(2), \
      .schema = "\"type\": \"string\", \"pattern\": \"^[0-9a-f]{16}$\"", ALWAYS) \
    F(T, name, TEXT, field_word(r->result->name), "name in the library", CSV(3), COLUMN(1, "contraction"), .shown = label, ALWAYS) \
    F(T, class, TEXT, field_word(r->result->size_class), "class of the sizes", CSV(4), ALWAYS) \
    F(T, contraction, TEXT, field_word(r->result->contraction), "as tcplan reads it", CSV(5), ALWAYS) \
    F(T, sizes, SIZES, field_word(r->result->sizes), "extent of each index", CSV(6), COLUMN(9, "sizes"), .shown = problem, .optional = '6', ALWAYS) \
    F(T, winner, TEXT, field_text(r->facts.winner), "algorithm that was chosen", CSV(7), COLUMN(2, "algorithm"), .shown = winner) \
    F(T, reason, TEXT, field_text(r->result->reason), "why it failed", CSV(13)) \
    F(T, predicted_seconds, NUMBER, field_positive(r->facts.predicted_seconds), "predicted time", \
      CSV(8), COLUMN(3, "predicted"), .format = FIELD_SECONDS, .optional = '1') \
    F(T, measured_seconds, NUMBER, field_positive(r->facts.measured_seconds), "measured time", \
      CSV(9), COLUMN(4, "measured"), .format = FIELD_SECONDS, .applies = is_measured) \
    F(T, gemm_share, NUMBER, field_positive(r->facts.share), "share of gemm's speed", \
      CSV(10), COLUMN(5, "of gemm"), .format = FIELD_PERCENT, .optional = '3') \
    F(T, limit_share, NUMBER, field_positive(r->facts.limit_share), "shortest time by the machine's ceilings over its time", \
      CSV(14), COLUMN(6, "of limit"), .format = FIELD_PERCENT, .optional = '4', .applies = is_limited) \
    F(T, regret, NUMBER, field_positive(r->facts.regret), "measured time over that of the fastest measured", \
      CSV(11), COLUMN(7, "regret"), .format = FIELD_RATIO, .optional = '2', .applies = is_measured) \
    F(T, planning_seconds, NUMBER, field_positive(r->result->planning_seconds), "time that planning took", \
      CSV(12), COLUMN(8, "planning"), .format = FIELD_SECONDS, .optional = '5')

#define QUANTILES(F, T) \
    F(T, count, INTEGER, field_integer((int64_t)r->sample->count), "number of contractions", ALWAYS) \
    F(T, low, NUMBER, QUANTILE(r->share), "low end", ALWAYS) \
    F(T, median, NUMBER, QUANTILE(0.5), "median", ALWAYS) \
    F(T, high, NUMBER, QUANTILE(1 - r->share), "high end", ALWAYS)

#define CHOICE(F, T) \
    F(T, count, INTEGER, field_integer((int64_t)r->regret.count), "number of contractions", ALWAYS) \
    F(T, fastest, INTEGER, field_integer((int64_t)tcplan_digest_regret(r).fastest), "choices that were the fastest measured", ALWAYS) \
    F(T, mean_loss, NUMBER, field_number(tcplan_digest_regret(r).mean_loss), "mean of regret - 1", .schema = "\"type\": \"number\"", ALWAYS) \
    F(T, largest_regret, NUMBER, field_number(r->largest_regret.value), "largest regret", ALWAYS)

#define DOCUMENT(F, T) \
    F(T, name, TEXT, field_word(r->digest->name), "name of the document", ALWAYS) \
    F(T, complete, FLAG, field_flag(SUMMARY.state == TCPLAN_RESULTS_COMPLETE), "whether no entry of the libraries is missing", ALWAYS) \
    F(T, result_count, INTEGER, field_integer(SUMMARY.result_count), "number of contractions", ALWAYS) \
    F(T, failed_count, INTEGER, field_integer(SUMMARY.failed_count), "of these, failed", ALWAYS) \
    F(T, reused_count, INTEGER, field_integer(r->digest->reused), "of these, taken over from equal contractions", ALWAYS) \
    F(T, shard, INTEGER, SHARD(shard), "which shard it is") \
    F(T, shards, INTEGER, SHARD(shards), "number of shards") \
    F(T, planning_seconds, NUMBER, field_number(r->digest->planning_seconds), "time that planning took", ALWAYS) \
    F(T, cpu, TEXT, FROM(cpu), "processor") \
    F(T, cores, INTEGER, field_if(r->digest->has_provenance, field_integer(r->digest->provenance.cores)), "its cores") \
    F(T, blas_name, TEXT, FROM(blas_name), "name of the BLAS") \
    F(T, blas_version, TEXT, FROM(blas_version), "its version") \
    F(T, blas_core, TEXT, FROM(blas_core), "which of its kernels it chose") \
    F(T, blas_advice, TEXT, field_if(r->digest->has_provenance, field_text(r->digest->provenance.blas_advice)), "how to make it faster, or right") \
    F(T, gemm_gflops, NUMBER, field_if(r->digest->has_provenance, field_positive(r->digest->gemm_gflops)), "speed of a large gemm") \
    F(T, tcplan, TEXT, FROM(tcplan), "version of tcplan that planned") \
    F(T, settings, TEXT, FROM(settings), "settings of planning") \
    F(T, mixed, FLAG, field_if(r->digest->has_provenance, field_flag(r->digest->mixed)), "whether machines, versions or settings differ") \
    F(T, gemm_share, OBJECT, visit_sample(visit, &r->digest->share, 0), "smallest, median and largest share of gemm's speed", .fields = quantiles_fields) \
    F(T, limit_share, OBJECT, visit_sample(visit, &r->digest->limit_share, 0), \
      "smallest, median and largest share of the speed that the ceilings allow", .fields = quantiles_fields) \
    F(T, predicted_over_measured, OBJECT, visit_sample(visit, &r->digest->error, 0.1), \
      "a tenth, half and nine tenths of the ratios are below these", .fields = quantiles_fields) \
    F(T, choice, OBJECT, if (r->digest->regret.count > 0) FIELD_VISIT(r->digest), "how good the choices were", .fields = choice_fields) \
    F(T, contractions, LIST, each_result(visit, r, r->all->rows), "the contractions", .item = "contraction", .fields = result_fields, ALWAYS)

#define REPORT(F, T) \
    F(T, documents, LIST, each_document(visit, r), "documents of results", .item = "document", .fields = document_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(result, digested, RESULT);
FIELD_TABLE(quantiles, quantiles, QUANTILES);
FIELD_TABLE(choice, tcplan_digest, CHOICE);
FIELD_TABLE(document, digest_of, DOCUMENT);
FIELD_TABLE(report, digests, REPORT);

/* Text. */

static const char *state_words(const struct tcplan_results_summary *summary) {
    return summary->state == TCPLAN_RESULTS_COMPLETE ? "complete"
                                                     : "unfinished: interrupted, or running";
}

static void print_counts(FILE *file, const struct tcplan_digest *digest) {
    const struct tcplan_results_summary *summary = &digest->summary;
    fputs("results    ", file);
    visible_print(file, digest->name);
    fprintf(file, "; %lld contraction%s", (long long)summary->result_count,
            summary->result_count == 1 ? "" : "s");
    if (summary->shards > 0)
        fprintf(file, " (shard %lld of %lld)", (long long)summary->shard,
                (long long)summary->shards);
    if (summary->failed_count > 0) fprintf(file, ", %lld failed", (long long)summary->failed_count);
    if (digest->reused > 0)
        fprintf(file, ", %lld taken over from equal ones", (long long)digest->reused);
    fprintf(file, "; %s\n", state_words(summary));
}

static void print_provenance(FILE *file, const struct tcplan_digest *digest) {
    const struct tcplan_provenance *from = &digest->provenance;
    fputs("machine    ", file);
    visible_print(file, *from->cpu ? from->cpu : from->machine);
    fprintf(file, "; %lld core%s", (long long)from->cores, from->cores == 1 ? "" : "s");
    for (int c = 0; c < from->cache_count; c++)
        fprintf(file, ", L%d %s", c + 1, quantity_bytes(from->cache_bytes[c]).text);
    fputs(digest->mixed ? "; others, too\nBLAS       " : "\nBLAS       ", file);
    visible_print(file, from->blas_name);
    fputs(" ", file);
    visible_print(file, from->blas_version);
    fputs(" (", file);
    visible_print(file, from->blas_core);
    fputs(")", file);
    if (digest->gemm_gflops > 0)
        fprintf(file, "; gemm reaches %.4g GFLOP/s at most", digest->gemm_gflops);
    fputs("\n", file);
    if (from->blas_advice && *from->blas_advice) {
        fputs("warning    ", file);
        visible_print(file, from->blas_advice);
        fputs("\n", file);
    }
    fputs("planned by tcplan ", file);
    visible_print(file, from->tcplan);
    fputs("; ", file);
    visible_print(file, from->settings);
    fputs("\n", file);
}

/** Rows of a table, or sentences, of records. */
struct telling {
    struct field_visit visit;
    const struct digests *all;
    FILE *file;
    struct field_table alone;
    struct table *table;
    int64_t failures;
};

/** A field_visit. */
static void add_alone(struct field_visit *visit, const void *record) {
    fields_table_row(&((struct telling *)visit)->alone, record);
}

/** A field_visit. */
static void add_side_by_side(struct field_visit *visit, const void *record) {
    const struct telling *telling = (struct telling *)visit;
    const struct digested *digested = record;
    const struct field_value name = label(record), sizes = problem(record);
    table_add_owned(telling->table, name.owned);
    table_add_owned(telling->table, sizes.owned);
    for (int d = 0; d < telling->all->count; d++) {
        const struct tcplan_facts *peer =
            tcplan_peers_find(telling->all->peers[d], digested->result->id);
        const char *winner = !peer ? "-" : peer->winner ? peer->winner : "failed";
        table_add(telling->table, "%s", winner);
        table_add(telling->table, "%s",
                  peer && peer->seconds > 0 ? quantity_seconds(peer->seconds).text : "-");
        if (peer && peer->share > 0) {
            table_add(telling->table, "%.1f %%", 100 * peer->share);
        } else {
            table_add(telling->table, "-");
        }
    }
}

/** A field_visit. */
static void print_failure(struct field_visit *visit, const void *record) {
    struct telling *telling = (struct telling *)visit;
    const struct tcplan_result *result = ((const struct digested *)record)->result;
    FILE *file = telling->file;
    if (!result->reason || telling->failures >= FAILURES_SHOWN) return;
    fputs(telling->failures++ == 0 ? "\nFailed:\n  " : "  ", file);
    visible_print(file, result->name);
    fputs(" ", file);
    visible_print(file, result->sizes);
    if (*result->library) {
        fputs(" (", file);
        visible_print(file, result->library);
        if (result->line > 0) fprintf(file, ":%lld", (long long)result->line);
        fputs(")", file);
    }
    fputs(": ", file);
    visible_print(file, result->reason);
    fputs("\n", file);
}

static void print_share(FILE *file, struct tcplan_digest *digest) {
    if (digest->share.count == 0) return;
    fprintf(file, "Share of gemm speed: median %.1f %%, from %.1f %% (",
            100 * tcplan_sample_quantile(&digest->share, 0.5),
            100 * tcplan_sample_quantile(&digest->share, 0));
    visible_print(file, digest->lowest_share.name);
    fprintf(file, ") to %.1f %%.\n", 100 * tcplan_sample_quantile(&digest->share, 1));
}

static void print_limit(FILE *file, struct tcplan_digest *digest) {
    if (digest->limit_share.count == 0) return;
    fprintf(
        file,
        "Share of the limit by the machine's ceilings: median %.1f %%, from %.1f %% to %.1f %%.\n",
        100 * tcplan_sample_quantile(&digest->limit_share, 0.5),
        100 * tcplan_sample_quantile(&digest->limit_share, 0),
        100 * tcplan_sample_quantile(&digest->limit_share, 1));
}

static void print_accuracy(FILE *file, struct tcplan_digest *digest) {
    if (digest->error.count == 0) return;
    fprintf(file, "Predicted / measured: median %.2f; 80 %% of %zu within %.2f and %.2f.\n",
            tcplan_sample_quantile(&digest->error, 0.5), digest->error.count,
            tcplan_sample_quantile(&digest->error, 0.1),
            tcplan_sample_quantile(&digest->error, 0.9));
}

static void print_regret(FILE *file, const struct tcplan_digest *digest) {
    const struct tcplan_regret words = tcplan_digest_regret(digest);
    if (digest->regret.count == 0) return;
    fprintf(file, "The choice was the fastest measured in %zu of %zu; on average it loses %.1f %%",
            words.fastest, digest->regret.count, 100 * words.mean_loss);
    if (digest->largest_regret.value > 1) {
        fprintf(file, ", at most %.1f %% (", 100 * (digest->largest_regret.value - 1));
        visible_print(file, digest->largest_regret.name);
        fputs(")", file);
    }
    fputs(".\n", file);
}

static void print_statements(FILE *file, struct tcplan_digest *digest) {
    print_share(file, digest);
    print_limit(file, digest);
    print_accuracy(file, digest);
    print_regret(file, digest);
    if (digest->summary.result_count == 0) return;
    fprintf(file, "Planned in %s", quantity_seconds(digest->planning_seconds).text);
    if (digest->summary.result_count > 1) {
        fprintf(
            file, ", %s a contraction",
            quantity_seconds(digest->planning_seconds / (double)digest->summary.result_count).text);
    }
    fputs(".\n", file);
}

static void print_table(struct writer *writer, const struct digests *all, int64_t rows) {
    static const char side_by_side[] = "lllrrlrrlrrlrrlrrlrrlrrlrr"; /* eight at most */
    char columns[sizeof side_by_side];
    const struct digest_of first = {all, &all->digest[0]};
    struct table table = {.columns = columns, .optional = "06103203203203203203203203"};
    struct telling telling = {.visit = {.use = all->count > 1 ? add_side_by_side : add_alone},
                              .all = all,
                              .table = &table};
    snprintf(columns, sizeof columns, "%.*s", 2 + 3 * all->count, side_by_side);
    if (all->count > 1) {
        table_add(&table, "contraction");
        table_add(&table, "sizes");
        for (int d = 0; d < all->count; d++) {
            table_add(&table, "algorithm");
            table_add(&table, "time");
            table_add(&table, "of gemm");
        }
    } else {
        fields_table_begin(&telling.alone, result_fields, false, time_unit_for(1),
                           &(struct digested){.all = all});
        telling.table = &telling.alone.table;
    }
    each_result(&telling.visit, &first, rows);
    fputs("\n", writer->file);
    if (!table_print(telling.table, writer->file)) writer->no_memory = true;
    const int64_t hidden = all->digest[0].summary.result_count - rows;
    if (hidden > 0)
        fprintf(writer->file, "%lld more are not shown here (--top N).\n", (long long)hidden);
}

static void print(struct writer *writer, const void *record) {
    struct digests all = *(const struct digests *)record;
    FILE *file = writer->file;
    for (int d = 0; d < all.count; d++) {
        if (d > 0) fputs("\n", file);
        print_counts(file, &all.digest[d]);
        if (all.digest[d].has_provenance) print_provenance(file, &all.digest[d]);
        all.measured = all.measured || all.digest[d].error.count > 0;
        all.limited = all.digest[d].limit_share.count > 0;
    }
    if (all.digest[0].summary.result_count > 0)
        print_table(writer, &all, all.rows > 0 ? all.rows : ROWS_SHOWN);
    for (int d = 0; d < all.count; d++) {
        struct telling failing = {.visit = {.use = print_failure}, .file = file};
        const int64_t failed = all.digest[d].summary.failed_count;
        if (failed > 0) each_result(&failing.visit, &(struct digest_of){&all, &all.digest[d]}, 0);
        if (failed > FAILURES_SHOWN)
            fprintf(file, "  %lld more\n", (long long)(failed - FAILURES_SHOWN));
    }
    for (int d = 0; d < all.count && all.status->status == TCPLAN_OK; d++) {
        fputs("\n", file);
        if (all.count > 1) {
            visible_print(file, all.digest[d].name);
            fputs(":\n", file);
        }
        print_statements(file, &all.digest[d]);
    }
}

const struct view digests_view = {.element = "report",
                                  .says = "Results of batches in summary.",
                                  .fields = report_fields,
                                  .text = print};
