#include "cli/render/blocked/blocked_windows.h"

#include <inttypes.h>

#include "base/quantity.h"
#include "cli/render/document.h"
#include "cli/render/text/table.h"

static double gflops_of(const struct windowed *of) {
    return 1e-9 * of->windows.flops / of->windows.estimate.seconds;
}

static double error_of(const struct windowed *of) {
    return of->windows.estimate.seconds / of->windows.measured.seconds - 1;
}

static double models_of(const struct windowed *of) {
    return of->models.seconds[TCPLAN_MODEL_MEDIAN];
}

static double models_error_of(const struct windowed *of) {
    return models_of(of) / of->windows.measured.seconds - 1;
}

/** By how much the interval reaches to either side, as a share. */
static double half_of(const struct tcplan_estimate *estimate) {
    return (estimate->high - estimate->low) / 2 / estimate->seconds;
}

/* Text. */

/** A time or share of what models say; nothing where some model is missing. */
static void add_models(struct table *table, const struct windowed *of, bool measured) {
    if (!of->has_models) {
        table_add(table, "-");
        if (measured) table_add(table, "-");
        return;
    }
    table_add(table, "%s", quantity_seconds(models_of(of)).text);
    if (measured) table_add(table, "%+.2f %%", 100 * models_error_of(of));
}

static void add_row(struct table *table, size_t place, const struct windowed *of,
                    const struct windows_view *view) {
    const struct tcplan_blocked_windows *windows = &of->windows;
    table_add(table, "%zu", place + 1);
    table_add(table, "%s", tcplan_blocked_name(of->blocked));
    table_add(table, "%" PRId64, of->sizes.block);
    table_add(table, "%s", quantity_seconds(windows->estimate.seconds).text);
    table_add(table, "+- %.1f %%", 100 * half_of(&windows->estimate));
    table_add(table, "%.2f", gflops_of(of));
    table_add(table, "%.2f%s", windows->executed, windows->whole ? " *" : "");
    table_add(table, "%s", quantity_seconds(windows->spent_seconds).text);
    if (view->measured) {
        table_add(table, "%s", quantity_seconds(windows->measured.seconds).text);
        table_add(table, "+- %.1f %%", 100 * half_of(&windows->measured));
        table_add(table, "%+.2f %%", 100 * error_of(of));
    }
    if (view->has_models) add_models(table, of, view->measured);
}

/** Headings, with what a narrow terminal may leave out, and the columns' alignment. */
static void add_headings(struct table *table, char columns[16], char optional[16],
                         const struct windows_view *view) {
    static const struct {
        const char *text;
        char align, optional;
        bool measured, models;
    } heading[] = {{"", 'r', '0', false, false},         {"algorithm", 'l', '0', false, false},
                   {"b", 'r', '0', false, false},        {"predicted", 'r', '0', false, false},
                   {"interval", 'r', '1', false, false}, {"GFLOP/s", 'r', '0', false, false},
                   {"executed", 'r', '1', false, false}, {"cost", 'r', '2', false, false},
                   {"measured", 'r', '0', true, false},  {"interval", 'r', '1', true, false},
                   {"error", 'r', '0', true, false},     {"models", 'r', '0', false, true},
                   {"error", 'r', '0', true, true}};
    size_t count = 0;
    for (size_t h = 0; h < sizeof heading / sizeof *heading; h++) {
        if ((heading[h].measured && !view->measured) || (heading[h].models && !view->has_models))
            continue;
        columns[count] = heading[h].align;
        optional[count++] = heading[h].optional;
        table_add(table, "%s", heading[h].text);
    }
    columns[count] = optional[count] = '\0';
    table->columns = columns;
    table->optional = optional;
}

static void print_point(struct writer *writer, const struct windows_view *view,
                        const struct windowed_point *point) {
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(point->of[0].blocked);
    char columns[16], optional[16];
    struct table table = {.columns = ""};
    bool whole = false, disturbed = false;
    for (int s = 0; s < blocks->size_count; s++)
        fprintf(writer->file, "%s%s = %" PRId64, s > 0 ? ", " : "", blocks->size_name[s],
                point->of[0].sizes.size[s]);
    fputs("\n\n", writer->file);
    add_headings(&table, columns, optional, view);
    for (size_t a = 0; a < point->count; a++) {
        add_row(&table, a, &point->of[a], view);
        whole = whole || point->of[a].windows.whole;
        disturbed = disturbed || point->of[a].windows.disturbed;
    }
    if (!table_print(&table, writer->file)) writer->no_memory = true;
    if (whole)
        fputs("* Samples are whole runs: some algorithm has too few steps for stretches.\n",
              writer->file);
    if (disturbed)
        fputs("Other work had the core meanwhile, however often some stretches were made.\n",
              writer->file);
}

static void print_text(struct writer *writer, const struct windows_view *view) {
    fprintf(writer->file, "windows  stretches of calls at random places, %d thread%s, %s\n",
            view->threads, view->threads == 1 ? "" : "s", view->library);
    for (size_t p = 0; p < view->count; p++) {
        fputc('\n', writer->file);
        print_point(writer, view, &view->point[p]);
    }
    fputs(
        "\nexecuted: the work of all calls that were made, whose algorithm is 1; cost: seconds of it, with what prepares memory.\n",
        writer->file);
    if (view->has_models)
        fprintf(
            writer->file,
            "models: medians by models of the kernels, all of them in %s, without making models.\n",
            quantity_seconds(view->models_spent_seconds).text);
}

/* Documents. */

static void write_kernel(struct document *document,
                         const struct tcplan_blocked_windows_kernel *kernel) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "kernel");
    kind->text(document, "name", kernel->name);
    kind->integer(document, "calls", kernel->calls);
    kind->integer(document, "timed", kernel->timed);
    kind->number(document, "seconds", kernel->seconds);
    kind->end(document);
}

static void write_algorithm(struct document *document, size_t place, const struct windowed *of,
                            bool measured) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocked_windows *windows = &of->windows;
    kind->object(document, "algorithm");
    kind->integer(document, "rank", (int64_t)place + 1);
    kind->text(document, "name", tcplan_blocked_name(of->blocked));
    kind->integer(document, "block", of->sizes.block);
    kind->number(document, "predicted_seconds", windows->estimate.seconds);
    kind->number(document, "predicted_low", windows->estimate.low);
    kind->number(document, "predicted_high", windows->estimate.high);
    kind->number(document, "predicted_gflops", gflops_of(of));
    kind->integer(document, "samples", windows->estimate.sample_count);
    kind->integer(document, "calls", windows->calls);
    kind->integer(document, "stretches", windows->stretches);
    kind->boolean(document, "whole", windows->whole);
    kind->boolean(document, "disturbed", windows->disturbed);
    kind->number(document, "executed", windows->executed);
    kind->number(document, "spent_seconds", windows->spent_seconds);
    if (measured) {
        kind->number(document, "measured_seconds", windows->measured.seconds);
        kind->number(document, "measured_low", windows->measured.low);
        kind->number(document, "measured_high", windows->measured.high);
        kind->number(document, "measured_spent_seconds", windows->measured_spent_seconds);
        kind->number(document, "error", error_of(of));
    }
    if (of->has_models) kind->number(document, "models_seconds", models_of(of));
    if (of->has_models && measured) kind->number(document, "models_error", models_error_of(of));
    kind->list(document, "kernels");
    for (int k = 0; k < windows->kernel_count; k++) write_kernel(document, &windows->kernel[k]);
    kind->end(document);
    kind->end(document);
}

static void write_point(struct document *document, const struct windows_view *view,
                        const struct windowed_point *point) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(point->of[0].blocked);
    kind->object(document, "point");
    for (int s = 0; s < blocks->size_count; s++)
        kind->integer(document, blocks->size_name[s], point->of[0].sizes.size[s]);
    kind->number(document, "flops", point->of[0].windows.flops);
    kind->list(document, "algorithms");
    for (size_t a = 0; a < point->count; a++)
        write_algorithm(document, a, &point->of[a], view->measured);
    kind->end(document);
    kind->end(document);
}

static void write_windows(struct document *document, const struct windows_view *view) {
    const struct document_kind *kind = document->kind;
    document_open(document, "blocked_windows");
    kind->integer(document, "threads", view->threads);
    kind->text(document, "library", view->library);
    if (view->has_models)
        kind->number(document, "models_spent_seconds", view->models_spent_seconds);
    kind->list(document, "points");
    for (size_t p = 0; p < view->count; p++) write_point(document, view, &view->point[p]);
    kind->end(document);
    kind->end(document);
}

void blocked_windows_print(struct writer *writer, const struct windows_view *view) {
    if (writer->document) {
        write_windows(writer->document, view);
    } else {
        print_text(writer, view);
    }
}
