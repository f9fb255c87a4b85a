#include "cli/render/blocked/blocked_cache.h"

#include <inttypes.h>

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/table.h"

/** What a stage is, for people. */
static const char *const stage_words[TCPLAN_CACHE_STAGES] = {
    [TCPLAN_CACHE_REPEATED] = "repeated by itself",
    [TCPLAN_CACHE_IN] = "operands in the cache",
    [TCPLAN_CACHE_OUT] = "operands out of the cache",
    [TCPLAN_CACHE_INITIAL] = "mixed by distances",
    [TCPLAN_CACHE_SPLITTING] = "and small results touched last",
    [TCPLAN_CACHE_SMOOTHED] = "and smoothed: the source's final one",
    [TCPLAN_CACHE_DISTINCT] = "and exact distances",
    [TCPLAN_CACHE_AWARE] = "behind the algorithm's own calls",
};

/* Text. */

static void print_head(FILE *file, const struct tcplan_blocked_cache *study,
                       const struct blocked_cache_view *view) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(view->blocked);
    fprintf(file, "algorithm  %s,", tcplan_blocked_name(view->blocked));
    for (int s = 0; s < blocks->size_count; s++)
        fprintf(file, " %s = %" PRId64 ",", blocks->size_name[s], view->sizes->size[s]);
    fprintf(file, " b = %" PRId64 ", %d thread%s, %s\n", view->sizes->block, view->threads,
            view->threads == 1 ? "" : "s", view->library);
    fprintf(file, "cache      %s%.0d, %s; the matrices are %s\n",
            study->level > 0 ? "L" : "of the given size", study->level,
            quantity_bytes((double)study->cache_bytes).text,
            quantity_bytes(study->matrix_bytes).text);
    fprintf(file,
            "calls      %" PRId64 ", %s in the algorithm, medians of %" PRId64
            " runs; by themselves medians of %d%s\n",
            study->count, quantity_seconds(study->seconds).text, study->runs, study->repetitions,
            study->time_over ? ", as time was over" : "");
    fprintf(
        file,
        "spread     %.2f %%: what medians over every other run differ by from those over the rest\n\n",
        100 * study->spread);
}

static void print_stages(struct writer *writer, const struct tcplan_blocked_cache *study) {
    struct table table = {.columns = "lrrrrrl", .optional = "0000021"};
    static const char *const heading[] = {"stage", "error",   "lowest", "highest",
                                          "total", "timings", ""};
    for (size_t h = 0; h < sizeof heading / sizeof *heading; h++)
        table_add(&table, "%s", heading[h]);
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++) {
        table_add(&table, "%s", tcplan_cache_stage_name((enum tcplan_cache_stage)s));
        table_add(&table, "%.2f %%", 100 * study->error[s]);
        table_add(&table, "%+.2f %%", 100 * study->under[s]);
        table_add(&table, "%+.2f %%", 100 * study->over[s]);
        table_add(&table, "%+.2f %%", 100 * study->total[s]);
        table_add(&table, "%s", quantity_seconds(study->spent_seconds[s]).text);
        table_add(&table, "%s", stage_words[s]);
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_kernels(struct writer *writer, const struct tcplan_blocked_cache *study) {
    static const enum tcplan_cache_stage shown[] = {
        TCPLAN_CACHE_REPEATED,  TCPLAN_CACHE_IN,       TCPLAN_CACHE_OUT,  TCPLAN_CACHE_INITIAL,
        TCPLAN_CACHE_SPLITTING, TCPLAN_CACHE_SMOOTHED, TCPLAN_CACHE_AWARE};
    struct table table = {.columns = "lrrrrrrrrr", .optional = "0010322101"};
    table_add(&table, "kernel");
    table_add(&table, "calls");
    table_add(&table, "of the time");
    for (size_t s = 0; s < sizeof shown / sizeof *shown; s++)
        table_add(&table, "%s", tcplan_cache_stage_name(shown[s]));
    for (int k = 0; k < study->kernel_count; k++) {
        const struct tcplan_blocked_cache_kernel *kernel = &study->kernel[k];
        table_add(&table, "%s%s", kernel->name, kernel->counts ? "" : " *");
        table_add(&table, "%" PRId64, kernel->calls);
        table_add(&table, "%.1f %%",
                  study->seconds > 0 ? 100 * kernel->seconds / study->seconds : 0);
        for (size_t s = 0; s < sizeof shown / sizeof *shown; s++)
            table_add(&table, "%.2f %%", 100 * kernel->error[shown[s]]);
    }
    fputc('\n', writer->file);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static bool has_uncounted(const struct tcplan_blocked_cache *study) {
    for (int k = 0; k < study->kernel_count; k++) {
        if (!study->kernel[k].counts) return true;
    }
    return false;
}

static void print_text(struct writer *writer, const struct tcplan_blocked_cache *study,
                       const struct blocked_cache_view *view) {
    print_head(writer->file, study, view);
    print_stages(writer, study);
    print_kernels(writer, study);
    fputs(
        "\nErrors are means over calls of |estimate - time in the algorithm| / time; the total is that of all times together.\n",
        writer->file);
    if (has_uncounted(study))
        fputs("* Computes nothing: left out of the mean over all calls, not out of the total.\n",
              writer->file);
}

/* Documents. */

static void write_stages(struct document *document, const char *name,
                         const double value[TCPLAN_CACHE_STAGES]) {
    const struct document_kind *kind = document->kind;
    kind->object(document, name);
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++)
        kind->number(document, tcplan_cache_stage_name((enum tcplan_cache_stage)s), value[s]);
    kind->end(document);
}

static void write_kernel(struct document *document,
                         const struct tcplan_blocked_cache_kernel *kernel) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "kernel");
    kind->text(document, "name", kernel->name);
    kind->integer(document, "calls", kernel->calls);
    kind->boolean(document, "counts", kernel->counts);
    kind->number(document, "seconds", kernel->seconds);
    write_stages(document, "error", kernel->error);
    kind->end(document);
}

static void write_call(struct document *document, const struct tcplan_blocked_cache *study,
                       const struct tcplan_blocked_cache_call *call) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "call");
    kind->text(document, "kernel", study->kernel[call->kernel].name);
    kind->integer(document, "step", call->step);
    kind->number(document, "flops", call->flops);
    kind->number(document, "seconds", call->seconds);
    kind->number(document, "in_cache_share", call->share);
    write_stages(document, "estimate", call->estimate);
    kind->end(document);
}

static void write_study(struct document *document, const struct tcplan_blocked_cache *study,
                        const struct blocked_cache_view *view) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(view->blocked);
    document_open(document, "blocked_cache");
    kind->text(document, "algorithm", tcplan_blocked_name(view->blocked));
    for (int s = 0; s < blocks->size_count; s++)
        kind->integer(document, blocks->size_name[s], view->sizes->size[s]);
    kind->integer(document, "block", view->sizes->block);
    kind->integer(document, "threads", view->threads);
    kind->text(document, "library", view->library);
    if (study->level > 0) kind->integer(document, "level", study->level);
    kind->integer(document, "cache_bytes", study->cache_bytes);
    kind->number(document, "matrix_bytes", study->matrix_bytes);
    kind->integer(document, "call_count", study->count);
    kind->integer(document, "repetitions", study->repetitions);
    kind->integer(document, "runs", study->runs);
    kind->boolean(document, "time_over", study->time_over);
    kind->number(document, "seconds", study->seconds);
    kind->number(document, "spread", study->spread);
    kind->number(document, "algorithm_spent_seconds", study->algorithm_spent_seconds);
    write_stages(document, "error", study->error);
    write_stages(document, "lowest", study->under);
    write_stages(document, "highest", study->over);
    write_stages(document, "total", study->total);
    write_stages(document, "spent_seconds", study->spent_seconds);
    kind->list(document, "kernels");
    for (int k = 0; k < study->kernel_count; k++) write_kernel(document, &study->kernel[k]);
    kind->end(document);
    if (view->calls) {
        kind->list(document, "calls");
        for (int64_t c = 0; c < study->count; c++) write_call(document, study, &study->call[c]);
        kind->end(document);
    }
    kind->end(document);
}

void blocked_cache_print(struct writer *writer, const struct tcplan_blocked_cache *study,
                         const struct blocked_cache_view *view) {
    if (writer->document) {
        write_study(writer->document, study, view);
    } else {
        print_text(writer, study, view);
    }
}
