#include <math.h>
#include <stdlib.h>

#include "cli/page/parts.h"
#include "cli/page/plot.h"

enum { MOST_ROWS = 48, DENSE = 400, SCATTERS = 3, HEIGHT = 300, BAR = 13, BAR_GAP = 7 };

/** A plot that is filled while documents are read. */
struct figure {
    const char *heading, *description, *caption;
    struct plot plot;
    void (*add)(struct plot *plot, int series, const struct digested *record);
};

/** All of them: one reading of the documents fills all. */
struct figures {
    struct field_visit visit;
    const struct digests *all;
    struct figure figure[SCATTERS];
    int count;
    int document; /* that is read */
};

static struct tcplan_span spans_together(
    const struct digests *all, struct tcplan_span (*span_of)(const struct tcplan_digest *digest)) {
    struct tcplan_span span = {0};
    for (int d = 0; d < all->count; d++) {
        tcplan_span_add(&span, span_of(&all->digest[d]).low);
        tcplan_span_add(&span, span_of(&all->digest[d]).high);
    }
    return span;
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

/* What tips say. */

/** "ccsd5 a=72,b=72" */
static const char *entry(struct plot *plot, const struct tcplan_result *result) {
    return plot_text(plot, "%s %s", result->name, result->sizes);
}

/** With the winner, its speed and its share. */
static const char *share_tip(struct plot *plot, const struct digested *record) {
    const struct tcplan_facts *facts = &record->facts;
    return plot_text(plot, "%s: %s, %.4g GFLOP/s (%s), %.1f\xC2\xA0%% of gemm",
                     entry(plot, record->result), facts->winner, facts->gflops,
                     facts->measured_seconds > 0 ? "measured" : "predicted", 100 * facts->share);
}

/* The plots: a mark for each record, or for each algorithm. */

static void add_prediction(struct plot *plot, int series, const struct digested *record) {
    for (size_t a = 0; a < record->result->algorithm_count; a++) {
        const struct tcplan_result_algorithm *algorithm = &record->result->algorithm[a];
        const double predicted = algorithm->predicted_seconds,
                     measured = algorithm->measured_seconds;
        if (predicted <= 0 || measured <= 0) continue;
        struct plot_mark *mark = plot_add_mark(
            plot,
            (struct plot_mark){.series = series, .x = predicted, .y = measured, .hollow = a > 0});
        if (mark)
            mark->tip = plot_text(
                plot, "%s: %s predicted %s, measured %s", entry(plot, record->result),
                algorithm->name, quantity_seconds(predicted).text, quantity_seconds(measured).text);
    }
}

static void add_share(struct plot *plot, int series, const struct digested *record) {
    const double share = record->facts.share;
    if (share <= 0) return;
    struct plot_mark *mark = plot_add_mark(
        plot, (struct plot_mark){.series = series, .x = record->result->flops, .y = share});
    if (mark) mark->tip = share_tip(plot, record);
}

static void add_planning(struct plot *plot, int series, const struct digested *record) {
    const double seconds = record->facts.seconds, planning = record->result->planning_seconds;
    if (!tcplan_result_was_planned(record->result) || seconds <= 0) return;
    struct plot_mark *mark =
        plot_add_mark(plot, (struct plot_mark){.series = series, .x = seconds, .y = planning});
    if (mark)
        mark->tip = plot_text(plot, "%s: planned in %s, as long as %.3g executions of %s",
                              entry(plot, record->result), quantity_seconds(planning).text,
                              planning / seconds, quantity_seconds(seconds).text);
}

/** The line y = factor * x. */
static void add_diagonal(struct plot *plot, double factor, const char *label) {
    const struct tcplan_span *x = &plot->x.span;
    plot_add_guide(plot, (struct plot_guide){.class = "guide",
                                             .x1 = x->low / 10,
                                             .y1 = factor * x->low / 10,
                                             .x2 = 10 * x->high,
                                             .y2 = 10 * factor * x->high,
                                             .label = label});
}

/** A colour and a shape for each document. */
static void add_documents(struct plot *plot, const struct digests *all) {
    for (int d = 0; d < all->count; d++)
        plot_add_series(plot, (struct plot_series){.style = plot_style_of((size_t)d)});
}

/** One more; axes without a span: it has nothing but its caption. */
static struct plot *begin(struct figures *figures, struct figure figure) {
    int64_t records = 0;
    for (int d = 0; d < figures->all->count; d++)
        records += figures->all->digest[d].summary.result_count;
    struct figure *added = &figures->figure[figures->count++];
    *added = figure;
    added->plot.height = HEIGHT;
    added->plot.dense = records > DENSE; /* more than marks of full weight leave readable */
    add_documents(&added->plot, figures->all);
    return &added->plot;
}

static void begin_predictions(struct figures *figures) {
    const struct tcplan_span span = spans_together(figures->all, times_of);
    struct figure figure = {
        .heading = "Predicted against measured",
        .description = "measured against predicted time",
        .caption =
            "Every algorithm that was measured; the chosen ones are filled. On the line the prediction is exact, above it the "
            "algorithm took longer than predicted.",
        .plot = {.x = {.title = "predicted time", .span = span, .label = plot_label_seconds},
                 .y = {.title = "measured time", .span = span, .label = plot_label_seconds}},
        .add = add_prediction};
    if (span.high == 0)
        figure.caption = "Nothing was measured: <code>tcplan batch --measure</code> does.";
    add_diagonal(begin(figures, figure), 1, "exact");
}

static void begin_planning(struct figures *figures) {
    const struct tcplan_span span = spans_together(figures->all, seconds_of);
    if (span.high == 0) return;
    struct plot *plot = begin(
        figures,
        (struct figure){
            .heading = "What planning costs",
            .description = "planning time against the time of an execution",
            .caption =
                "Planning is done once. On a line it takes as long as so many executions of the chosen algorithm.",
            .plot = {.x = {.title = "time of one execution by the chosen algorithm",
                           .span = span,
                           .label = plot_label_seconds},
                     .y = {.title = "planning time",
                           .span = spans_together(figures->all, planning_of),
                           .label = plot_label_seconds}},
            .add = add_planning});
    add_diagonal(plot, 1, "1\xC3\x97");
    add_diagonal(plot, 100, "100\xC3\x97");
    add_diagonal(plot, 10000, "10 000\xC3\x97");
}

static const char
    share_heading[] = "Share of gemm speed",
    share_caption[] =
        "The speed of the chosen algorithm of every contraction, as a share of what a large square gemm reaches.";

static void begin_shares(struct figures *figures, double most) {
    begin(figures, (struct figure){.heading = share_heading,
                                   .description = "share of gemm speed by work",
                                   .caption = share_caption,
                                   .plot = {.x = {.title = "work: floating-point operations",
                                                  .span = spans_together(figures->all, flops_of),
                                                  .label = plot_label_count},
                                            .y = {.title = "share of gemm speed",
                                                  .span = {0, most},
                                                  .linear = true,
                                                  .label = plot_label_share}},
                                   .add = add_share});
}

/** A field_visit. */
static void add_record(struct field_visit *visit, const void *record) {
    struct figures *figures = (struct figures *)visit;
    for (int f = 0; f < figures->count; f++) {
        struct figure *figure = &figures->figure[f];
        if (figure->plot.x.span.high > 0) figure->add(&figure->plot, figures->document, record);
    }
}

/* Bars: a row for each contraction of the first document, a bar for each document. */

struct bars {
    struct field_visit visit;
    const struct digests *all;
    struct figure figure;
};

/** The bar of a document in the last row. */
static void add_bar(struct bars *bars, int document, double share, const char *tip,
                    const char *value) {
    struct plot *plot = &bars->figure.plot;
    const double y = (BAR_GAP / 2.0 + BAR * document) / plot->row_height;
    plot_add_bar(plot, (struct plot_bar){
                           .colour = document,
                           .x = share,
                           .y = (double)plot->row_count - 1 + y,
                           .thick = (BAR - 1) / plot->row_height,
                           .tip = tip,
                           .value = tip ? plot_text(plot, "%.1f\xC2\xA0%%", 100 * share) : value});
}

/** A field_visit: bars of other documents are found by their ids. */
static void add_row(struct field_visit *visit, const void *of) {
    struct bars *bars = (struct bars *)visit;
    struct plot *plot = &bars->figure.plot;
    const struct digested *record = of;
    const struct tcplan_result *result = record->result;
    const char *size = *result->size_class ? result->size_class : result->sizes;
    plot_add_row(plot, (struct plot_row){.name = plot_text(plot, "%s %s", result->name, size),
                                         .tip = plot_text(plot, "%s: %s", entry(plot, result),
                                                          result->contraction)});
    add_bar(bars, 0, fmax(0, record->facts.share),
            record->facts.share > 0 ? share_tip(plot, record) : NULL,
            result->reason ? "failed" : "not known");
    for (int d = 1; d < bars->all->count; d++) {
        const struct tcplan_facts *peer = tcplan_peers_find(bars->all->peers[d], result->id);
        if (peer && peer->winner && peer->share > 0)
            add_bar(bars, d, peer->share,
                    plot_text(plot, "%s: %s, %.1f\xC2\xA0%% of gemm", entry(plot, result),
                              peer->winner, 100 * peer->share),
                    NULL);
    }
}

/* The page. */

static void write_figure(struct page *page, const char *class, struct figure *figure) {
    fprintf(page->file, "<figure%s><h3>%s</h3>\n", class, figure->heading);
    if (figure->plot.x.span.high > 0) {
        if (!plot_print_in_page(page->file, &figure->plot, figure->description))
            page->no_memory = true;
    } else {
        plot_free(&figure->plot);
    }
    fprintf(page->file, "<figcaption>%s</figcaption></figure>\n", figure->caption);
}

static void write_bars(struct page *page, double most) {
    struct bars bars = {
        .visit = {.use = add_row},
        .all = page->all,
        .figure = {.heading = share_heading,
                   .description = "share of gemm speed",
                   .caption = share_caption,
                   .plot = {.x = {.span = {0, most}, .linear = true, .label = plot_label_share},
                            .row_height = BAR * page->all->count + BAR_GAP}}};
    page_walk(page, 0, &bars.visit);
    write_figure(page, " class=\"wide\"", &bars.figure);
}

void page_write_plots(struct page *page) {
    struct figures figures = {.visit = {.use = add_record}, .all = page->all};
    const double share = spans_together(page->all, shares_of).high;
    const bool few = page->all->digest[0].summary.result_count <= MOST_ROWS;
    fputs("<h2>Plots</h2>\n<div class=\"plots\">\n", page->file);
    begin_predictions(&figures);
    begin_planning(&figures);
    if (share > 0 && !few) begin_shares(&figures, fmax(1, share));
    for (; figures.document < page->all->count; figures.document++)
        page_walk(page, figures.document, &figures.visit);
    for (int f = 0; f < figures.count; f++) write_figure(page, "", &figures.figure[f]);
    if (share > 0 && few) write_bars(page, share);
    fputs("</div>\n", page->file);
}
