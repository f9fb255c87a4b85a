#include <math.h>
#include <stdlib.h>

#include "cli/page/markup.h"
#include "cli/page/parts.h"
#include "cli/page/plot.h"

enum { ROWS_MAX = 48, DENSE = 400, SCATTERS = 3 };

/** A plot with a mark for each record, or for each algorithm. It is written to memory, so that one
 * reading of the documents fills all. */
struct scatter {
    struct plot plot;
    void (*draw)(struct plot *plot, int series, const struct digested *record);
    const char *caption;
    char *text;
    size_t length;
};

/** All of them. */
struct scatters {
    struct field_visit visit;
    struct page *page;
    struct scatter scatter[SCATTERS];
    int count;
    int series; /* the document that is read */
};

/** Whether the documents have more records than marks of full weight leave readable. */
static bool is_dense(const struct page *page) {
    int64_t records = 0;
    for (int d = 0; d < page->all->count; d++) records += page->all->digest[d].summary.result_count;
    return records > DENSE;
}

static struct tcplan_span spans_together(
    const struct page *page, struct tcplan_span (*span_of)(const struct tcplan_digest *digest)) {
    struct tcplan_span all = {0};
    for (int d = 0; d < page->all->count; d++) {
        tcplan_span_add(&all, span_of(&page->all->digest[d]).low);
        tcplan_span_add(&all, span_of(&page->all->digest[d]).high);
    }
    return all;
}

static struct tcplan_span times_of(const struct tcplan_digest *digest) {
    return digest->times;
}

static struct tcplan_span seconds_of(const struct tcplan_digest *digest) {
    return digest->seconds;
}

static struct tcplan_span planning_of(const struct tcplan_digest *digest) {
    return digest->planning;
}

static struct tcplan_span flops_of(const struct tcplan_digest *digest) {
    return digest->flops;
}

static struct tcplan_span shares_of(const struct tcplan_digest *digest) {
    struct tcplan_span span = {0};
    for (size_t s = 0; s < digest->share.count; s++) tcplan_span_add(&span, digest->share.value[s]);
    return span;
}

/** One more plot, with `axes` drawn; NULL when memory is out, which is noted. */
static struct plot *begin_scatter(struct scatters *scatters, const struct plot *axes,
                                  const char *heading, const char *description) {
    struct scatter *scatter = &scatters->scatter[scatters->count];
    *scatter = (struct scatter){.plot = *axes};
    scatter->plot.dense = is_dense(scatters->page);
    scatter->plot.file = open_memstream(&scatter->text, &scatter->length);
    if (!scatter->plot.file) {
        scatters->page->no_memory = true;
        return NULL;
    }
    scatters->count++;
    fprintf(scatter->plot.file, "<figure><h3>%s</h3>\n", heading);
    if (axes->x.span.high == 0 || plot_begin(&scatter->plot, description)) return &scatter->plot;
    scatters->page->no_memory = true;
    return NULL;
}

/** What is drawn on the plot that was begun last. */
static void finish_scatter(struct scatters *scatters,
                           void (*draw)(struct plot *, int, const struct digested *),
                           const char *caption) {
    scatters->scatter[scatters->count - 1].draw = draw;
    scatters->scatter[scatters->count - 1].caption = caption;
}

/** Every document has a colour and a shape of its own. */
static struct plot_style series_style(int series, bool hollow) {
    return (struct plot_style){.colour = series, .shape = series, .hollow = hollow};
}

static void draw_prediction(struct plot *plot, int series, const struct digested *record) {
    const struct tcplan_result *result = record->result;
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const struct tcplan_result_algorithm *algorithm = &result->algorithm[a];
        const double predicted = algorithm->predicted_seconds,
                     measured = algorithm->measured_seconds;
        if (predicted <= 0 || measured <= 0) continue;
        if (!plot_mark(plot, series_style(series, a > 0), predicted, measured)) continue;
        page_write_entry(plot->file, result);
        markup_text(plot->file, algorithm->name);
        fputs(" predicted ", plot->file);
        fputs(quantity_seconds(predicted).text, plot->file);
        fputs(", measured ", plot->file);
        fputs(quantity_seconds(measured).text, plot->file);
        plot_mark_end(plot);
    }
}

static void begin_predictions(struct scatters *scatters) {
    const struct tcplan_span span = spans_together(scatters->page, times_of);
    const struct plot axes = {
        .x = {.title = "predicted time", .span = span, .label = plot_label_seconds},
        .y = {.title = "measured time", .span = span, .label = plot_label_seconds}};
    struct plot *plot = begin_scatter(scatters, &axes, "Predicted against measured",
                                      "measured against predicted time");
    if (!plot) return;
    if (span.high == 0) {
        finish_scatter(scatters, NULL,
                       "Nothing was measured: <code>tcplan batch --measure</code> does.");
        return;
    }
    plot_diagonal(plot, 1, "exact");
    finish_scatter(
        scatters, draw_prediction,
        "Every algorithm that was measured; the chosen ones are filled. On the line the prediction is exact, above it the "
        "algorithm took longer than predicted.");
}

static void draw_share(struct plot *plot, int series, const struct digested *record) {
    const double share = record->facts.share;
    if (share <= 0 || !plot_mark(plot, series_style(series, false), record->result->flops, share))
        return;
    page_write_share_of(plot->file, record);
    plot_mark_end(plot);
}

static void begin_shares(struct scatters *scatters, double most) {
    const struct plot axes = {.x = {.title = "work: floating-point operations",
                                    .span = spans_together(scatters->page, flops_of),
                                    .label = plot_label_count},
                              .y = {.title = "share of gemm speed",
                                    .span = {0, most},
                                    .linear = true,
                                    .label = plot_label_share}};
    if (begin_scatter(scatters, &axes, "Share of gemm speed", "share of gemm speed by work")) {
        finish_scatter(scatters, draw_share, page_share_caption);
    }
}

static void draw_planning(struct plot *plot, int series, const struct digested *record) {
    const struct tcplan_result *result = record->result;
    const struct tcplan_facts facts = record->facts;
    if (!tcplan_result_was_planned(result) || facts.seconds <= 0) return;
    if (!plot_mark(plot, series_style(series, false), facts.seconds, result->planning_seconds))
        return;
    page_write_entry(plot->file, result);
    fputs("planned in ", plot->file);
    fputs(quantity_seconds(result->planning_seconds).text, plot->file);
    fprintf(plot->file, ", as long as %.3g executions of ",
            result->planning_seconds / facts.seconds);
    fputs(quantity_seconds(facts.seconds).text, plot->file);
    plot_mark_end(plot);
}

static void begin_planning(struct scatters *scatters) {
    const struct page *page = scatters->page;
    const struct plot axes = {.x = {.title = "time of one execution by the chosen algorithm",
                                    .span = spans_together(page, seconds_of),
                                    .label = plot_label_seconds},
                              .y = {.title = "planning time",
                                    .span = spans_together(page, planning_of),
                                    .label = plot_label_seconds}};
    if (axes.x.span.high == 0) return;
    struct plot *plot = begin_scatter(scatters, &axes, "What planning costs",
                                      "planning time against the time of an execution");
    if (!plot) return;
    plot_diagonal(plot, 1, "1\xC3\x97");
    plot_diagonal(plot, 100, "100\xC3\x97");
    plot_diagonal(plot, 10000, "10 000\xC3\x97");
    finish_scatter(
        scatters, draw_planning,
        "Planning is done once. On a line it takes as long as so many executions of the chosen algorithm.");
}

/** A field_visit. */
static void draw_record(struct field_visit *visit, const void *record) {
    struct scatters *scatters = (struct scatters *)visit;
    for (int s = 0; s < scatters->count; s++) {
        struct scatter *scatter = &scatters->scatter[s];
        if (scatter->draw) scatter->draw(&scatter->plot, scatters->series, record);
    }
}

/** Ends a plot and hands its text to the page. */
static void end_scatter(struct page *page, struct scatter *scatter) {
    if (scatter->draw) plot_end(&scatter->plot);
    if (scatter->caption)
        fprintf(scatter->plot.file, "<figcaption>%s</figcaption></figure>\n", scatter->caption);
    if (fclose(scatter->plot.file) != 0) page->no_memory = true;
    if (scatter->text) fwrite(scatter->text, 1, scatter->length, page->file);
    free(scatter->text);
}

static void write_scatters(struct scatters *scatters) {
    struct page *page = scatters->page;
    for (; scatters->series < page->all->count && !page->no_memory; scatters->series++) {
        page_walk(page, scatters->series, &scatters->visit);
    }
    for (int s = 0; s < scatters->count; s++) end_scatter(page, &scatters->scatter[s]);
}

void page_write_plots(struct page *page) {
    struct scatters scatters = {.visit = {.use = draw_record}, .page = page};
    const double share = spans_together(page, shares_of).high;
    const bool few = page->all->digest[0].summary.result_count <= ROWS_MAX;
    fputs("<h2>Plots</h2>\n<div class=\"plots\">\n", page->file);
    begin_predictions(&scatters);
    begin_planning(&scatters);
    if (share > 0 && !few) begin_shares(&scatters, fmax(1, share));
    write_scatters(&scatters);
    if (share > 0 && few) page_write_bars(page, share);
    fputs("</div>\n", page->file);
}
