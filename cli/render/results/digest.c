#include "cli/render/results/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/text/visible.h"

enum { ROWS_SHOWN = 40, FAILURES_SHOWN = 10, NAME_WIDTH = 40, PLANNER = 5 };

/** An algorithm in a record of results. */
struct algorithm_of {
    const struct tcplan_result *result;
    const struct tcplan_result_algorithm *algorithm;
};

/** Visits up to `most` records of a document; 0 means all. */
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

/** Truncates a long text and frees the original; NULL means that memory ran out. */
static char *shortened(char *text) {
    char *shown = text ? visible_text(text) : NULL, *cut = shown;
    free(text);
    if (!shown || visible_width(shown) <= NAME_WIDTH) return shown;
    if (asprintf(&cut, "%.*s...", (int)visible_cut(shown, NAME_WIDTH - 3), shown) < 0) cut = NULL;
    free(shown);
    return cut;
}

/** Returns the name and class of a contraction. */
static struct field_value label(const void *record) {
    const struct tcplan_result *result = ((const struct digested *)record)->result;
    char *text = NULL;
    const char *blank = *result->size_class ? " " : "";
    if (asprintf(&text, "%s%s%s", result->name, blank, result->size_class) < 0) text = NULL;
    return field_owned(shortened(text));
}

/** Returns the properties that distinguish contractions of the same name and class. */
static struct field_value problem(const void *record) {
    const struct tcplan_result *result = ((const struct digested *)record)->result;
    struct strbuf out = {0};
    strbuf_add(&out, "%s", result->sizes);
    if (result->dtype != TCPLAN_DOUBLE)
        strbuf_add(&out, " (%s)", tcplan_word(tcplan_words_dtypes, (int)result->dtype));
    if (result->threads > 1) strbuf_add(&out, " (%lld threads)", (long long)result->threads);
    return field_owned(strbuf_finish(&out));
}

FIELD_GETTER(struct digested, winner, field_text(r->facts.winner ? r->facts.winner : "failed"))

/** Returns the type, order and threads, such as "complex double, row-major, 2 threads". */
static struct field_value type(const void *record) {
    static const char *const words[TCPLAN_DTYPES] = {"float", "double", "complex float",
                                                     "complex double"};
    const struct tcplan_result *result = ((const struct digested *)record)->result;
    struct strbuf out = {0};
    strbuf_add(&out, "%s%s", words[result->dtype],
               result->order == TCPLAN_ROW_MAJOR ? ", row-major" : "");
    if (result->threads > 1) strbuf_add(&out, ", %lld threads", (long long)result->threads);
    return field_owned(strbuf_finish(&out));
}

FIELD_TEST(struct digest_group, is_several, r->of->all->count > 1)

/* Defines fields. If several documents are compared, each document has only a few columns. */

FIELD_TEST(struct digested, is_alone, r->all->count == 1)
FIELD_TEST(struct digested, is_measured, is_alone(r) && r->all->digest->error.count > 0)
FIELD_TEST(struct digested, is_limited, is_alone(r) && r->all->digest->limit_share.count > 0)

FIELD_STYLE(void, as_failed, STYLE_BAD)

static bool is_whole(const struct tcplan_results_summary *summary) {
    return summary->state == TCPLAN_RESULTS_COMPLETE && summary->failed_count == 0;
}

FIELD_STYLE(struct digest_of, by_state, is_whole(&r->digest->summary) ? STYLE_PLAIN : STYLE_BAD)
FIELD_STYLE(struct digest_group, by_failures, r->group->failed > 0 ? STYLE_BAD : STYLE_PLAIN)

FIELD_STYLE(struct digest_peer, by_outcome, r->facts && !r->facts->winner ? STYLE_BAD : STYLE_PLAIN)

/* Returns the number of results of a document, as text. */

static struct field_value count_words(const struct tcplan_digest *digest) {
    const struct tcplan_results_summary *summary = &digest->summary;
    struct strbuf out = {0};
    strbuf_add(&out, "%s; %s", digest->name, counted(summary->result_count, "contraction").text);
    if (summary->shards > 0)
        strbuf_add(&out, " (shard %lld of %lld)", (long long)summary->shard,
                   (long long)summary->shards);
    if (summary->failed_count > 0)
        strbuf_add(&out, ", %lld failed", (long long)summary->failed_count);
    if (digest->reused > 0)
        strbuf_add(&out, ", %lld reused from equal ones", (long long)digest->reused);
    strbuf_add(&out, "; %s",
               summary->state == TCPLAN_RESULTS_COMPLETE
                   ? "complete"
                   : "unfinished: interrupted or still running");
    return field_owned(strbuf_finish(&out));
}

static struct field_value machine_words(const struct tcplan_digest *digest) {
    const struct tcplan_provenance *from = &digest->provenance;
    struct strbuf out = {0};
    if (!digest->has_provenance) return field_unknown();
    strbuf_add(&out, "%s; %s", *from->cpu ? from->cpu : from->machine,
               counted(from->cores, "core").text);
    for (int c = 0; c < from->cache_count; c++)
        strbuf_add(&out, ", L%d %s", c + 1, quantity_bytes(from->cache_bytes[c]).text);
    if (digest->mixed) strbuf_add(&out, "; and others");
    return field_owned(strbuf_finish(&out));
}

static struct field_value blas_words(const struct tcplan_digest *digest) {
    const struct tcplan_provenance *from = &digest->provenance;
    struct strbuf out = {0};
    if (!digest->has_provenance) return field_unknown();
    strbuf_add(&out, "%s %s (%s)", from->blas_name, from->blas_version, from->blas_core);
    if (digest->gemm_gflops > 0)
        strbuf_add(&out, "; gemm reaches up to %.4g GFLOP/s", digest->gemm_gflops);
    return field_owned(strbuf_finish(&out));
}

/** Returns a summary of shares, such as "median 52.8 %, from 38.9 % (ccsd11) to 91.7 %". */
static struct field_value share_words(struct tcplan_sample *sample, const char *lowest) {
    struct strbuf out = {0};
    if (sample->count == 0) return field_unknown();
    strbuf_add(&out, "median %.1f %%, from %.1f %%", 100 * tcplan_sample_quantile(sample, 0.5),
               100 * tcplan_sample_quantile(sample, 0));
    if (lowest) strbuf_add(&out, " (%s)", lowest);
    strbuf_add(&out, " to %.1f %%", 100 * tcplan_sample_quantile(sample, 1));
    return field_owned(strbuf_finish(&out));
}

static struct field_value accuracy_words(struct tcplan_sample *sample) {
    if (sample->count == 0) return field_unknown();
    return field_printed("median %.2f; 80 %% of %zu within %.2f and %.2f",
                         tcplan_sample_quantile(sample, 0.5), sample->count,
                         tcplan_sample_quantile(sample, 0.1), tcplan_sample_quantile(sample, 0.9));
}

static struct field_value choice_words(const struct tcplan_digest *digest) {
    const struct tcplan_regret words = tcplan_digest_regret(digest);
    const struct tcplan_notable *largest = &digest->largest_regret;
    struct strbuf out = {0};
    if (digest->regret.count == 0) return field_unknown();
    strbuf_add(&out, "the fastest measured in %zu of %zu; mean loss %.1f %%", words.fastest,
               digest->regret.count, 100 * words.mean_loss);
    if (largest->value > 1)
        strbuf_add(&out, ", largest %.1f %% (%s)", 100 * (largest->value - 1), largest->name);
    return field_owned(strbuf_finish(&out));
}

static struct field_value planning_words(const struct tcplan_digest *digest) {
    const int64_t count = digest->summary.result_count;
    struct strbuf out = {0};
    if (count == 0) return field_unknown();
    strbuf_add(&out, "%s", quantity_seconds(digest->planning_seconds).text);
    if (count > 1)
        strbuf_add(&out, ", %s per contraction",
                   quantity_seconds(digest->planning_seconds / (double)count).text);
    return field_owned(strbuf_finish(&out));
}

/** A setting that is printed as `key=value`, like in the text of rankings. */
struct setting {
    const char *key;
    const char *before,
        *after; /**< texts before and after the value; NULL: the setting is not printed */
};

/** Returns the settings of planning, such as "tcplan 0.1.0; window prediction, effort quick, warm
 * cache, full space". */
static struct field_value planner_words(const struct tcplan_digest *digest) {
    static const struct setting settings[] = {{"predictor", "", " prediction"},
                                              {"cache", "", " cache"},
                                              {"space", "", " space"},
                                              {"measured", "fastest ", " measured"},
                                              {"max-memory", "memory limit ", " bytes"},
                                              {"max-workspace", "workspace limit ", " bytes"},
                                              {"align", "alignment ", " bytes"},
                                              {"limit", "setup limit ", " bytes"},
                                              {"time-limit", "time limit ", " s"},
                                              {"providers", NULL, NULL},
                                              {"names", NULL, NULL}};
    struct strbuf out = {0};
    if (!digest->has_provenance) return field_unknown();
    strbuf_add(&out, "tcplan %s", digest->provenance.tcplan);
    const char *separator = "; ", *text = digest->provenance.settings;
    while (*text) {
        const int length = (int)strcspn(text, " "), key = (int)strcspn(text, "= ");
        const char *value = key < length ? text + key + 1 : text + key;
        const int value_length = (int)(text + length - value);
        struct setting used = {NULL, NULL, ""};
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
            if ((int)strlen(settings[s].key) == key &&
                memcmp(settings[s].key, text, (size_t)key) == 0)
                used = settings[s];
        }
        const bool none = used.key && strcmp(used.key, "measured") == 0 && *value == '0';
        if (!used.key) strbuf_add(&out, "%s%.*s %.*s", separator, key, text, value_length, value);
        if (used.before && !none)
            strbuf_add(&out, "%s%s%.*s%s", separator, used.before, value_length, value, used.after);
        if (!used.key || (used.before && !none)) separator = ", ";
        text += length + (int)strspn(text + length, " ");
    }
    return field_owned(strbuf_finish(&out));
}

/** Three quantiles of a sample: `share`, the median, and 1 - `share`. */
struct quantiles {
    struct tcplan_sample *sample;
    double share;
};

static void visit_sample(struct field_visit *visit, struct tcplan_sample *sample, double share) {
    if (sample->count > 0) FIELD_VISIT(&(struct quantiles){sample, share});
}

/** Returns one end of a prediction's 95 % interval; unknown if the prediction has none. */
static struct field_value interval(const struct tcplan_result_algorithm *of) {
    const bool is_known = of && of->predicted_low > 0 && of->predicted_high > 0;
    return is_known ? field_interval(of->predicted_low, of->predicted_high) : field_unknown();
}

/** Returns a quantile; unknown if the sample is empty. */
static struct field_value quantile(struct tcplan_sample *sample, double share) {
    return field_if(sample->count > 0, field_number(tcplan_sample_quantile(sample, share)));
}

#define FROM(member) field_if(r->digest->has_provenance, field_word(r->digest->provenance.member))
#define FROM_TEXT(member)                                                                          \
    field_if(r->digest->has_provenance, field_text(r->digest->provenance.member))
#define QUANTILE(share) quantile(r->sample, share)
#define SUMMARY r->digest->summary
/** Describes an end of the interval of a prediction. */
#define PREDICTED_END(end)                                                                         \
    end " end of the 95 % interval; if the batch timed nothing, of the range of possible times"
#define SHARD(member) field_if(SUMMARY.shards > 0, field_integer(SUMMARY.member))

/* clang-format off */

#define ALGORITHM(F, T) \
    F(T, name, TEXT, field_word(r->algorithm->name), "name of the algorithm", COLUMN(1, "algorithm"), .code = true, ALWAYS) \
    F(T, chosen, FLAG, field_flag(r->algorithm == tcplan_result_winner(r->result)), "whether the algorithm was chosen", ALWAYS) \
    F(T, tied, FLAG, field_flag(r->algorithm->tied), "whether the samples do not distinguish the algorithm from the chosen one", COLUMN(5, "tied"), ALWAYS) \
    F(T, predicted_seconds, NUMBER, field_positive(r->algorithm->predicted_seconds), "predicted time", COLUMN(2, "predicted"), .format = FIELD_SECONDS) \
    F(T, predicted_low, NUMBER, interval(r->algorithm), PREDICTED_END("lower"), COLUMN(3, "interval"), .format = FIELD_SPAN) \
    F(T, predicted_high, NUMBER, field_positive(r->algorithm->predicted_high), PREDICTED_END("upper")) \
    F(T, measured_seconds, NUMBER, field_positive(r->algorithm->measured_seconds), "measured time", COLUMN(4, "measured"), .format = FIELD_SECONDS)

#define RESULT(F, T) \
    F(T, file, TEXT, field_word(r->digest->name), "name of the document", CSV(1), .hidden = true) \
    F(T, id, TEXT, field_text(r->result->id), "id of the entry, equal in every run over the same library", CSV(2), \
      .schema = "\"type\": \"string\", \"pattern\": \"^[0-9a-f]{16}$\"", ALWAYS) \
    F(T, name, TEXT, field_word(r->result->name), "name in the library", CSV(3), COLUMN(1, "contraction"), .shown = label, ALWAYS) \
    F(T, class, TEXT, field_word(r->result->size_class), "class of the sizes", CSV(4), .below = "name", ALWAYS) \
    F(T, contraction, TEXT, field_word(r->result->contraction), "the contraction in tcplan's notation", CSV(5), .below = "name", .code = true, ALWAYS) \
    F(T, sizes, SIZES, field_word(r->result->sizes), "extent of each index", CSV(6), COLUMN(12, "sizes"), .shown = problem, .optional = '6', \
      .below = "name", .code = true, ALWAYS) \
    F(T, strides, TEXT, field_text(r->result->strides), "strides of tensors that are parts of larger ones", .below = "name", .code = true) \
    F(T, sections, TEXT, field_text(r->result->sections), "sections of the indices of block-sparse tensors", .below = "name", .code = true) \
    F(T, charge, TEXT, field_text(r->result->charge), "conservation rules of their blocks", .below = "name", .code = true) \
    F(T, library, TEXT, field_text(r->result->library), "library of the contraction", .below = "name") \
    F(T, source, TEXT, field_text(r->result->source), "source given by the library", .below = "name") \
    F(T, type, TEXT, type(r), "element type, storage order and threads", COLUMN(2, "type"), .verbose = true, ALWAYS) \
    F(T, flops, NUMBER, field_positive(r->result->flops), "floating-point operations", COLUMN(3, "work"), .format = FIELD_FLOPS, .verbose = true) \
    F(T, winner, TEXT, field_text(r->facts.winner), "chosen algorithm", CSV(7), COLUMN(4, "algorithm"), .shown = winner, .code = true, .applies = is_alone) \
    F(T, reason, TEXT, field_text(r->result->reason), "reason for the failure", CSV(13), .below = "winner", .style = as_failed) \
    F(T, predicted_seconds, NUMBER, field_positive(r->facts.predicted_seconds), "predicted time", \
      CSV(8), COLUMN(5, "predicted"), .format = FIELD_SECONDS, .optional = '1', .applies = is_alone) \
    F(T, predicted_low, NUMBER, interval(tcplan_result_winner(r->result)), PREDICTED_END("lower"), \
      .format = FIELD_SPAN, .below = "predicted_seconds") \
    F(T, measured_seconds, NUMBER, field_positive(r->facts.measured_seconds), "measured time", \
      CSV(9), COLUMN(6, "measured"), .format = FIELD_SECONDS, .applies = is_measured) \
    F(T, gflops, NUMBER, field_positive(r->facts.gflops), "speed in GFLOP/s", COLUMN(7, "GFLOP/s"), .format = FIELD_DIGITS, .verbose = true, \
      .applies = is_alone) \
    F(T, gemm_share, NUMBER, field_positive(r->facts.share), "speed relative to gemm", \
      CSV(10), COLUMN(8, "of gemm"), .format = FIELD_PERCENT, .optional = '3', .applies = is_alone) \
    F(T, limit_share, NUMBER, field_positive(r->facts.limit_share), "shortest time that the ceilings allow over the time of the algorithm", \
      CSV(14), COLUMN(9, "of limit"), .format = FIELD_PERCENT, .optional = '4', .applies = is_limited) \
    F(T, regret, NUMBER, field_positive(r->facts.regret), "measured time relative to the fastest measured one", \
      CSV(11), COLUMN(10, "regret"), .format = FIELD_RATIO, .optional = '2', .applies = is_measured) \
    F(T, planning_seconds, NUMBER, field_positive(r->result->planning_seconds), "planning time", \
      CSV(12), COLUMN(11, "planning"), .format = FIELD_SECONDS, .optional = '5', .applies = is_alone) \
    F(T, algorithms, LIST, FIELD_VISIT_ALL(r->result->algorithm_count, &(struct algorithm_of){r->result, &r->result->algorithm[i]}), \
      "algorithms by time", .item = "algorithm", .fields = algorithm_fields, \
      .below = "winner", ALWAYS)

#define PEER(F, T) \
    F(T, winner, TEXT, field_text(!r->facts ? NULL : r->facts->winner ? r->facts->winner : "failed"), "chosen algorithm", \
      COLUMN(1, "algorithm"), .code = true, .style = by_outcome, .optional = '2') \
    F(T, seconds, NUMBER, field_positive(r->facts ? r->facts->seconds : 0), "measured time, otherwise the predicted one", COLUMN(2, "time"), \
      .format = FIELD_SECONDS) \
    F(T, gemm_share, NUMBER, field_positive(r->facts ? r->facts->share : 0), "speed relative to gemm", COLUMN(3, "of gemm"), \
      .format = FIELD_PERCENT, .optional = '3')

#define GROUP(F, T) \
    F(T, name, TEXT, field_text(*r->group->name ? r->group->name : "(none)"), "name of the group", COLUMN(1, "group"), ALWAYS) \
    F(T, document, TEXT, field_word(r->of->digest->name), "name of the document", COLUMN(2, "results"), .applies = is_several, .hidden = true) \
    F(T, result_count, INTEGER, field_integer(r->group->records), "number of contractions", COLUMN(3, "contractions"), ALWAYS) \
    F(T, failed_count, INTEGER, field_integer(r->group->failed), "number of failed contractions", COLUMN(4, "failed"), .style = by_failures, ALWAYS) \
    F(T, gemm_share_low, NUMBER, quantile(&r->group->share, 0), "smallest speed relative to gemm", COLUMN(5, "of gemm: lowest"), .format = FIELD_PERCENT) \
    F(T, gemm_share, NUMBER, quantile(&r->group->share, 0.5), "median share", COLUMN(6, "median"), .format = FIELD_PERCENT) \
    F(T, gemm_share_high, NUMBER, quantile(&r->group->share, 1), "largest share", COLUMN(7, "highest"), .format = FIELD_PERCENT) \
    F(T, predicted_over_measured, NUMBER, quantile(&r->group->error, 0.5), "median of predicted over measured time", COLUMN(8, "predicted / measured"), \
      .format = FIELD_RATIO) \
    F(T, largest_regret, NUMBER, quantile(&r->group->regret, 1), "largest regret", COLUMN(9, "largest regret"), .format = FIELD_RATIO) \
    F(T, planning_seconds, NUMBER, field_positive(r->group->planning_seconds), "planning time", COLUMN(10, "planning"), .format = FIELD_SECONDS)

#define QUANTILES(F, T) \
    F(T, count, INTEGER, field_integer((int64_t)r->sample->count), "number of contractions", ALWAYS) \
    F(T, low, NUMBER, QUANTILE(r->share), "low end", ALWAYS) \
    F(T, median, NUMBER, QUANTILE(0.5), "median", ALWAYS) \
    F(T, high, NUMBER, QUANTILE(1 - r->share), "high end", ALWAYS)

#define CHOICE(F, T) \
    F(T, count, INTEGER, field_integer((int64_t)r->regret.count), "number of contractions", ALWAYS) \
    F(T, fastest, INTEGER, field_integer((int64_t)tcplan_digest_regret(r).fastest), "choices with the shortest measured time", ALWAYS) \
    F(T, mean_loss, NUMBER, field_number(tcplan_digest_regret(r).mean_loss), "mean of regret - 1", .schema = "\"type\": \"number\"", ALWAYS) \
    F(T, largest_regret, NUMBER, field_number(r->largest_regret.value), "largest regret", ALWAYS)

/* Facts about a document, for text and pages. In text, the facts up to PLANNER precede the table,
 * the others follow it. */
#define FACTS(F, T) \
    F(T, results, TEXT, count_words(r->digest), "name and counts", COLUMN(1, "results"), .style = by_state, .hidden = true) \
    F(T, machine, TEXT, machine_words(r->digest), "processor and caches", COLUMN(2, "machine"), .hidden = true) \
    F(T, blas, TEXT, blas_words(r->digest), "BLAS and its speed", COLUMN(3, "BLAS"), .hidden = true) \
    F(T, warning, TEXT, FROM_TEXT(blas_advice), "advice to make the BLAS faster or correct", COLUMN(4, "warning"), .style = as_failed, .hidden = true) \
    F(T, planner, TEXT, planner_words(r->digest), "version and settings", COLUMN(PLANNER, "planned by"), .hidden = true) \
    F(T, of_gemm, TEXT, share_words(&r->digest->share, r->digest->lowest_share.name), "median and range", COLUMN(6, "Share of gemm speed"), .hidden = true) \
    F(T, of_limit, TEXT, share_words(&r->digest->limit_share, NULL), "median and range", \
      COLUMN(7, "Share of the speed that the ceilings allow"), .hidden = true) \
    F(T, accuracy, TEXT, accuracy_words(&r->digest->error), "ratios", COLUMN(8, "Predicted / measured"), .hidden = true) \
    F(T, quality, TEXT, choice_words(r->digest), "mean time that the choices lose", COLUMN(9, "Choice"), .hidden = true) \
    F(T, planning, TEXT, planning_words(r->digest), "time of planning", COLUMN(10, "Planning"), .hidden = true) \
    F(T, last_finished, TEXT, field_text(r->digest->last_finished), "date of the last finished contraction", COLUMN(11, "Finished"), .verbose = true)

#define DOCUMENT(F, T) \
    FACTS(F, T) \
    F(T, name, TEXT, field_word(r->digest->name), "name of the document", ALWAYS) \
    F(T, complete, FLAG, field_flag(SUMMARY.state == TCPLAN_RESULTS_COMPLETE), "whether all entries of the libraries have results", ALWAYS) \
    F(T, result_count, INTEGER, field_integer(SUMMARY.result_count), "number of contractions", ALWAYS) \
    F(T, failed_count, INTEGER, field_integer(SUMMARY.failed_count), "number of failed contractions", ALWAYS) \
    F(T, reused_count, INTEGER, field_integer(r->digest->reused), "number of results that were reused from equal contractions", ALWAYS) \
    F(T, shard, INTEGER, SHARD(shard), "number of the shard") \
    F(T, shards, INTEGER, SHARD(shards), "number of shards") \
    F(T, planning_seconds, NUMBER, field_number(r->digest->planning_seconds), "planning time", ALWAYS) \
    F(T, cpu, TEXT, FROM(cpu), "processor") \
    F(T, cores, INTEGER, field_if(r->digest->has_provenance, field_integer(r->digest->provenance.cores)), "number of cores") \
    F(T, blas_name, TEXT, FROM(blas_name), "name of the BLAS") \
    F(T, blas_version, TEXT, FROM(blas_version), "version of the BLAS") \
    F(T, blas_core, TEXT, FROM(blas_core), "core type of the kernels of the BLAS") \
    F(T, blas_advice, TEXT, FROM_TEXT(blas_advice), "advice to make the BLAS faster or correct") \
    F(T, gemm_gflops, NUMBER, field_if(r->digest->has_provenance, field_positive(r->digest->gemm_gflops)), "speed of a large gemm") \
    F(T, tcplan, TEXT, FROM(tcplan), "version of tcplan that chose the algorithm") \
    F(T, settings, TEXT, FROM(settings), "settings of planning") \
    F(T, mixed, FLAG, field_if(r->digest->has_provenance, field_flag(r->digest->mixed)), "whether machines, versions or settings differ") \
    F(T, gemm_share, OBJECT, visit_sample(visit, &r->digest->share, 0), "smallest, median and largest speed relative to gemm", .fields = quantiles_fields) \
    F(T, limit_share, OBJECT, visit_sample(visit, &r->digest->limit_share, 0), \
      "smallest, median and largest share of the speed that the ceilings allow", .fields = quantiles_fields) \
    F(T, predicted_over_measured, OBJECT, visit_sample(visit, &r->digest->error, 0.1), \
      "10 %, 50 % and 90 % quantiles of the ratios", .fields = quantiles_fields) \
    F(T, choice, OBJECT, if (r->digest->regret.count > 0) FIELD_VISIT(r->digest), "quality of the choices", .fields = choice_fields) \
    F(T, groups, LIST, FIELD_VISIT_ALL(r->digest->group_count, &(struct digest_group){r, &r->digest->group[i]}), \
      "summaries of the groups of the libraries", .item = "group", .fields = group_fields, ALWAYS) \
    F(T, contractions, LIST, each_result(visit, r, r->all->rows), "the contractions", .item = "contraction", .fields = result_fields, ALWAYS)

#define REPORT(F, T) \
    F(T, documents, LIST, FIELD_VISIT_ALL(r->count, &(struct digest_of){r, &r->digest[i]}), \
      "documents of results", .item = "document", .fields = document_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(algorithm, algorithm_of, ALGORITHM);
FIELD_TABLE(result, digested, RESULT);
FIELD_TABLE_SHARED(digest_peer, digest_peer, PEER);
FIELD_TABLE(group, digest_group, GROUP);
FIELD_TABLE(quantiles, quantiles, QUANTILES);
FIELD_TABLE(choice, tcplan_digest, CHOICE);
FIELD_TABLE(document, digest_of, DOCUMENT);
FIELD_TABLE(report, digests, REPORT);

/* Text. */

/** Prints the known facts whose columns are from `first` to `last`. */
static void print_facts(struct writer *writer, const struct digest_of *of, int first, int last) {
    const struct field *field;
    for (int place = first - 1;
         (field = fields_next_column(document_fields, place)) && field->column <= last;
         place = field->column) {
        if (field->verbose) continue;
        const struct field_value value = field->get(of);
        const bool known = value.known;
        char *text = field_value_text(field, value, time_unit_for(1));
        if (!text) writer->no_memory = true;
        if (text && known) {
            fprintf(writer->file, last == PLANNER ? "%-11s" : "%s: ", field->heading);
            visible_print(writer->file, text);
            fputs(last == PLANNER ? "\n" : ".\n", writer->file);
        }
        free(text);
    }
}

/** State of printing records as rows or as sentences. */
struct telling {
    struct field_visit visit;
    const struct digests *all;
    FILE *file;
    struct field_table table;
    int own; /* number of columns that describe the contraction */
    int64_t failures;
};

/** Adds a contraction as a row to the table of a single document; implements field_visit. */
static void add_alone(struct field_visit *visit, const void *record) {
    fields_table_row(&((struct telling *)visit)->table, record);
}

/** Adds a contraction as a row to the table that compares several documents, with cells for each
 * document; implements field_visit. */
static void add_side_by_side(struct field_visit *visit, const void *record) {
    struct telling *telling = (struct telling *)visit;
    const struct digests *all = telling->all;
    const int each = (telling->table.count - telling->own) / all->count;
    fields_table_cells(&telling->table, 0, telling->own, record);
    for (int d = 0; d < all->count; d++)
        fields_table_cells(&telling->table, telling->own + d * each, telling->own + (d + 1) * each,
                           &(struct digest_peer){tcplan_peers_find(
                               all->peers[d], ((const struct digested *)record)->result->id)});
}

/** Prints a line for a contraction that failed, for at most a maximum number of them; implements
 * field_visit. */
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

static void print_table(struct writer *writer, const struct digests *all, int64_t rows) {
    const struct digest_of first = {all, &all->digest[0]};
    struct telling telling = {.visit = {.use = all->count > 1 ? add_side_by_side : add_alone},
                              .all = all};
    fields_table_begin(&telling.table, result_fields, false, time_unit_for(1),
                       &(struct digested){.all = all});
    telling.own = telling.table.count;
    for (int d = 0; d < all->count && all->count > 1; d++)
        fields_table_columns(&telling.table, digest_peer_fields, false, NULL);
    each_result(&telling.visit, &first, rows);
    fputs("\n", writer->file);
    if (!table_print(&telling.table.table, writer->file)) writer->no_memory = true;
    const int64_t hidden = all->digest[0].summary.result_count - rows;
    if (hidden > 0)
        fprintf(writer->file, "%lld more are not shown (--top N).\n", (long long)hidden);
}

static void print(struct writer *writer, const void *record) {
    const struct digests *all = record;
    FILE *file = writer->file;
    for (int d = 0; d < all->count; d++) {
        if (d > 0) fputs("\n", file);
        print_facts(writer, &(struct digest_of){all, &all->digest[d]}, 1, PLANNER);
    }
    if (all->digest[0].summary.result_count > 0)
        print_table(writer, all, all->rows > 0 ? all->rows : ROWS_SHOWN);
    for (int d = 0; d < all->count; d++) {
        struct telling failing = {.visit = {.use = print_failure}, .file = file};
        const int64_t failed = all->digest[d].summary.failed_count;
        if (failed > 0) each_result(&failing.visit, &(struct digest_of){all, &all->digest[d]}, 0);
        if (failed > FAILURES_SHOWN)
            fprintf(file, "  %lld more\n", (long long)(failed - FAILURES_SHOWN));
    }
    for (int d = 0; d < all->count && all->status->status == TCPLAN_OK; d++) {
        fputs("\n", file);
        if (all->count > 1) {
            visible_print(file, all->digest[d].name);
            fputs(":\n", file);
        }
        print_facts(writer, &(struct digest_of){all, &all->digest[d]}, PLANNER + 1, FIELD_COLUMNS);
    }
}

VIEW(digests, report, "report", print, "Summary of results of batches.");
