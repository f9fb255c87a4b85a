#include "cli/render/blocked/blocked_view.h"

#include <stdio.h>
#include <string.h>

#include "tcplan/study/words.h"

const char *blocked_sizes_text(char out[BLOCKED_SIZES_TEXT], const struct tcplan_blocked *blocked,
                               const struct tcplan_blocked_sizes *sizes) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(blocked);
    size_t length = 0;
    out[0] = '\0';
    for (int s = 0; s < blocks->size_count && length < BLOCKED_SIZES_TEXT; s++) {
        length +=
            (size_t)snprintf(out + length, BLOCKED_SIZES_TEXT - length, "%s%s=%lld",
                             s > 0 ? "," : "", blocks->size_name[s], (long long)sizes->size[s]);
    }
    return out;
}

void blocked_view_print(FILE *file, const struct blocked_view *view) {
    const struct tcplan_model_setup *setup = view->setup;
    fprintf(file, "operation  %s%s%s, type %s\n", view->operation, view->purpose ? ": " : "",
            view->purpose ? view->purpose : "", tcplan_word(tcplan_words_dtypes, (int)view->dtype));
    fprintf(file, "models     %s%s%s%s, %d thread%s, %s\n", setup->provider,
            *setup->version ? " (" : "", setup->version, *setup->version ? ")" : "", setup->threads,
            setup->threads == 1 ? "" : "s", tcplan_model_placement_name(setup->placement));
    if (view->peak_gflops > 0)
        fprintf(file, "peak       %.4g GFLOP/s, as the roofline measured it\n", view->peak_gflops);
}

void blocked_view_write(struct document *document, const struct blocked_view *view) {
    const struct document_kind *kind = document->kind;
    kind->text(document, "operation", view->operation);
    kind->text(document, "dtype", tcplan_word(tcplan_words_dtypes, (int)view->dtype));
    kind->text(document, "provider", view->setup->provider);
    if (*view->setup->version) kind->text(document, "version", view->setup->version);
    kind->integer(document, "threads", view->setup->threads);
    if (view->peak_gflops > 0) kind->number(document, "peak_gflops", view->peak_gflops);
}

void blocked_sizes_write(struct document *document, const struct tcplan_blocked *blocked,
                         const struct tcplan_blocked_sizes *sizes) {
    char text[BLOCKED_SIZES_TEXT];
    document->kind->integer(document, "block", sizes->block);
    document->kind->sizes(document, blocked_sizes_text(text, blocked, sizes));
}

void blocked_statistics_write(struct document *document, const char *name,
                              const double value[TCPLAN_MODEL_STATISTICS], double factor) {
    document->kind->object(document, name);
    for (int s = 0; s < TCPLAN_MODEL_STATISTICS; s++)
        document->kind->number(document,
                               tcplan_model_statistic_name((enum tcplan_model_statistic)s),
                               factor * value[s]);
    document->kind->end(document);
}

void blocked_view_add(struct csv_line *line, const struct blocked_view *view) {
    csv_add_text(line, view->operation);
    csv_add_text(line, tcplan_word(tcplan_words_dtypes, (int)view->dtype));
    csv_add_text(line, view->setup->provider);
    csv_add_text(line, view->setup->version);
    csv_add_integer(line, view->setup->threads);
}

void blocked_sizes_add(struct csv_line *line, const struct tcplan_blocked *blocked,
                       const struct tcplan_blocked_sizes *sizes) {
    const int count = tcplan_blocked_blocks(blocked)->size_count;
    csv_add_text(line, tcplan_blocked_name(blocked));
    csv_add_number(line, count > 1, (double)sizes->size[0]);
    csv_add_integer(line, sizes->size[count > 1 ? 1 : 0]);
    csv_add_integer(line, sizes->block);
}

void blocked_line_print(struct writer *writer, struct csv_line *line) {
    if (!csv_print(line, writer->file)) writer->no_memory = true;
}

void blocked_rate_add(struct table *table, double gflops) {
    table_add(table, gflops < 9.995 ? "%.3f" : "%.2f", gflops);
}

void blocked_share_add(struct table *table, const struct blocked_view *view, double gflops) {
    if (view->peak_gflops > 0) {
        table_add(table, "%.1f %%", 100 * gflops / view->peak_gflops);
    } else {
        table_add(table, "-");
    }
}
