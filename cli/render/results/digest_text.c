#include "cli/render/results/digest_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quantity.h"
#include "cli/render/text/table.h"
#include "cli/render/text/visible.h"

enum { FAILURES_SHOWN = 10, NAME_WIDTH = 40 };

/** What is printed while the first document is read again. */
struct printing {
    FILE *file;
    struct tcplan_digest *digest;
    struct tcplan_peers *const *peers;
    int count;
    int64_t rows; /* still to come */
    int64_t failures;
    bool measured;
    bool limited; /* the limit of some is known, and one document is told about */
    struct table table;
};

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
    fprintf(file, "); gemm reaches %.4g GFLOP/s\n", digest->gemm_gflops);
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

static void add_seconds(struct table *table, double seconds) {
    table_add(table, "%s", seconds > 0 ? quantity_seconds(seconds).text : "-");
}

static void add_share(struct table *table, double share) {
    if (share > 0) {
        table_add(table, "%.1f %%", 100 * share);
    } else {
        table_add(table, "-");
    }
}

static void add_headings(struct printing *printing) {
    struct table *table = &printing->table;
    table_add(table, "contraction");
    for (int d = 0; d < printing->count; d++) {
        table_add(table, "algorithm");
        if (printing->count == 1) table_add(table, "predicted");
        if (printing->count == 1 && printing->measured) table_add(table, "measured");
        if (printing->count > 1) table_add(table, "time");
        table_add(table, "of gemm");
    }
    if (printing->count > 1) return;
    if (printing->limited) table_add(table, "of limit");
    if (printing->measured) table_add(table, "regret");
    table_add(table, "planning");
}

/** Name and class, or the beginning of the sizes. */
static void add_name(struct table *table, const struct tcplan_result *result) {
    char label[512];
    snprintf(label, sizeof label, "%s %s", result->name,
             *result->size_class ? result->size_class : result->sizes);
    char *shown = visible_text(label);
    const bool cut = shown && visible_width(shown) > NAME_WIDTH;
    if (cut) {
        table_add(table, "%.*s...", (int)visible_cut(shown, NAME_WIDTH - 3), shown);
        free(shown);
    } else {
        table_add_owned(table, shown);
    }
}

static void add_alone(const struct printing *printing, struct table *table,
                      const struct tcplan_result *result) {
    const struct tcplan_facts facts = tcplan_result_facts(result);
    table_add(table, "%s", facts.winner ? facts.winner : "failed");
    add_seconds(table, facts.predicted_seconds);
    if (printing->measured) add_seconds(table, facts.measured_seconds);
    add_share(table, facts.share);
    if (printing->limited) add_share(table, facts.limit_share);
    if (printing->measured && facts.regret > 0) table_add(table, "%.2f", facts.regret);
    if (printing->measured && facts.regret <= 0) table_add(table, "-");
    add_seconds(table, result->planning_seconds);
}

static void add_side_by_side(const struct printing *printing, struct table *table,
                             const struct tcplan_result *result) {
    for (int d = 0; d < printing->count; d++) {
        const struct tcplan_facts *peer = tcplan_peers_find(printing->peers[d], result->id);
        const char *winner = !peer ? "-" : peer->winner ? peer->winner : "failed";
        table_add(table, "%s", winner);
        add_seconds(table, peer ? peer->seconds : 0);
        add_share(table, peer ? peer->share : 0);
    }
}

/** Reads a document as far as `use` wants more of it. */
static enum tcplan_status read_while(const char *path,
                                     bool (*use)(struct printing *printing,
                                                 const struct tcplan_result *result),
                                     struct printing *printing, struct tcplan_error *error) {
    struct tcplan_results *results = NULL;
    const struct tcplan_result *result = NULL;
    enum tcplan_status status = tcplan_results_open(&results, path, error);
    if (status != TCPLAN_OK) return status;
    do status = tcplan_results_next(results, &result, error);
    while (status == TCPLAN_OK && result && use(printing, result));
    tcplan_results_close(results);
    return status;
}

/** False behind the last one that is shown. */
static bool add_row(struct printing *printing, const struct tcplan_result *result) {
    add_name(&printing->table, result);
    if (printing->count == 1) {
        add_alone(printing, &printing->table, result);
    } else {
        add_side_by_side(printing, &printing->table, result);
    }
    return --printing->rows > 0;
}

/** False behind the last one that is shown. */
static bool print_failure(struct printing *printing, const struct tcplan_result *result) {
    if (!result->reason) return true;
    fputs(printing->failures++ == 0 ? "\nFailed:\n  " : "  ", printing->file);
    visible_print(printing->file, result->name);
    fputs(" ", printing->file);
    visible_print(printing->file, result->sizes);
    if (*result->library) {
        fputs(" (", printing->file);
        visible_print(printing->file, result->library);
        if (result->line > 0) fprintf(printing->file, ":%lld", (long long)result->line);
        fputs(")", printing->file);
    }
    fputs(": ", printing->file);
    visible_print(printing->file, result->reason);
    fputs("\n", printing->file);
    return printing->failures < FAILURES_SHOWN;
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

static enum tcplan_status print_table(struct printing *printing, struct tcplan_error *error) {
    static const char *const alone[][2] = {{"llrrr", "llrrrr"}, {"llrrrrr", "llrrrrrr"}};
    static const char *const alone_optional[][2] = {{"00012", "000123"}, {"0010324", "00103425"}};
    static const char side_by_side[] = "llrrlrrlrrlrrlrrlrrlrrlrr"; /* eight at most */
    char columns[sizeof side_by_side];
    const int64_t hidden = printing->digest[0].summary.result_count - printing->rows;
    snprintf(columns, sizeof columns, "%.*s", 1 + 3 * printing->count, side_by_side);
    printing->table.columns =
        printing->count > 1 ? columns : alone[printing->measured][printing->limited];
    printing->table.optional = printing->count > 1
                                   ? "0103203203203203203203203"
                                   : alone_optional[printing->measured][printing->limited];
    add_headings(printing);
    enum tcplan_status status = printing->rows > 0
                                    ? read_while(printing->digest[0].path, add_row, printing, error)
                                    : TCPLAN_OK;
    fputs("\n", printing->file);
    if (!table_print(&printing->table, printing->file)) return error_no_memory(error);
    if (hidden > 0)
        fprintf(printing->file, "%lld more are not shown here (--top N).\n", (long long)hidden);
    return status;
}

enum tcplan_status digests_print(FILE *file, struct tcplan_digest digest[],
                                 struct tcplan_peers *const peers[], int count, int64_t rows,
                                 struct tcplan_error *error) {
    struct printing printing = {
        .file = file, .digest = digest, .peers = peers, .count = count, .rows = rows};
    enum tcplan_status status = TCPLAN_OK;
    for (int d = 0; d < count; d++) {
        if (d > 0) fputs("\n", file);
        print_counts(file, &digest[d]);
        if (digest[d].has_provenance) print_provenance(file, &digest[d]);
        printing.measured = printing.measured || digest[d].error.count > 0;
        printing.limited = digest[d].limit_share.count > 0;
    }
    if (digest[0].summary.result_count > 0) status = print_table(&printing, error);
    for (int d = 0; d < count && status == TCPLAN_OK; d++) {
        const int64_t failed = digest[d].summary.failed_count;
        printing.failures = 0;
        if (failed > 0) status = read_while(digest[d].path, print_failure, &printing, error);
        if (failed > FAILURES_SHOWN)
            fprintf(file, "  %lld more\n", (long long)(failed - FAILURES_SHOWN));
    }
    for (int d = 0; d < count && status == TCPLAN_OK; d++) {
        fputs("\n", file);
        if (count > 1) {
            visible_print(file, digest[d].name);
            fputs(":\n", file);
        }
        print_statements(file, &digest[d]);
    }
    return status;
}
