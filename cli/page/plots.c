#include <math.h>
#include <stddef.h>

#include "cli/page/page.h"
#include "cli/page/pictures.h"

enum { MOST_ROWS = 48, DENSE = 400, HEIGHT = 300, DIAGONALS = 3, BAR = 13, BAR_GAP = 7 };
enum { NARROW = 560 };

/* Tips. */

/** "ccsd5 a=72,b=72" */
static const char *entry(struct plot *plot, const struct digested *record) {
    return plot_text(plot, "%s %s", record->result->name, record->result->sizes);
}

/** Returns a tooltip with the winner of a record, its speed, and its share of gemm's speed. */
static const char *share_tip(struct plot *plot, const struct digested *record) {
    const struct tcplan_facts *facts = &record->facts;
    return plot_text(plot, "%s: %s, %.4g GFLOP/s (%s), %.1f\xC2\xA0%% of gemm", entry(plot, record),
                     facts->winner, facts->gflops,
                     facts->measured_seconds > 0 ? "measured" : "predicted", 100 * facts->share);
}

/* Adds marks for a record: one for the winner, or one for each algorithm. */

static void add_predictions(struct plot *plot, int series, const struct digested *record) {
    for (size_t a = 0; a < record->result->algorithm_count; a++) {
        const struct tcplan_result_algorithm *algorithm = &record->result->algorithm[a];
        const double predicted = algorithm->predicted_seconds,
                     measured = algorithm->measured_seconds;
        if (predicted <= 0 || measured <= 0) continue;
        struct plot_mark *mark = plot_add_mark(
            plot,
            (struct plot_mark){.series = series, .x = predicted, .y = measured, .hollow = a > 0});
        if (mark)
            mark->tip = plot_text(plot, "%s: %s predicted %s, measured %s", entry(plot, record),
                                  algorithm->name, quantity_seconds(predicted).text,
                                  quantity_seconds(measured).text);
    }
}

static void add_planning(struct plot *plot, int series, const struct digested *record) {
    const double seconds = record->facts.seconds, planning = record->result->planning_seconds;
    if (!tcplan_result_was_planned(record->result) || seconds <= 0) return;
    struct plot_mark *mark =
        plot_add_mark(plot, (struct plot_mark){.series = series, .x = seconds, .y = planning});
    if (mark)
        mark->tip = plot_text(plot, "%s: planned in %s, which equals %.3g executions of %s",
                              entry(plot, record), quantity_seconds(planning).text,
                              planning / seconds, quantity_seconds(seconds).text);
}

static void add_share(struct plot *plot, int series, const struct digested *record) {
    const double share = record->facts.share, flops = record->result->flops;
    if (share <= 0) return;
    struct plot_mark *mark =
        plot_add_mark(plot, (struct plot_mark){.series = series, .x = flops, .y = share});
    if (mark) mark->tip = share_tip(plot, record);
}

/* The plots. */

struct kind {
    const char *heading, *description, *caption;
    struct axis x, y;
    size_t x_span, y_span; /* offsets of the members for the axes' ranges in a digest; unused for
                              linear axes */
    void (*add)(struct plot *plot, int series, const struct digested *record);
    struct diagonal {
        double factor; /* slope of the line y = factor * x that is drawn; 0: no line */
        const char *label;
    } diagonal[DIAGONALS];
};

#define SHARE_HEADING "Share of gemm speed"
#define SHARE_CAPTION                                                                              \
    "Speed of the chosen algorithm of each contraction, relative to a large square gemm."
#define SPAN(member) offsetof(struct tcplan_digest, member)

static const struct kind kinds[] = {
    {.heading = "Measured and predicted times",
     .description = "measured time over predicted time",
     .caption =
         "Each mark is a measured algorithm; filled marks are the chosen ones. On the line the prediction is exact; above it the algorithm took "
         "longer than predicted.",
     .x = {.title = "predicted time", .label = plot_label_seconds},
     .y = {.title = "measured time", .label = plot_label_seconds},
     .x_span = SPAN(times),
     .y_span = SPAN(times),
     .add = add_predictions,
     .diagonal = {{1, "exact"}}},
    {.heading = "Cost of planning",
     .description = "planning time over the time of an execution",
     .caption =
         "Planning is done once. On a line, planning takes as long as this many executions of the chosen algorithm.",
     .x = {.title = "time of one execution by the chosen algorithm", .label = plot_label_seconds},
     .y = {.title = "planning time", .label = plot_label_seconds},
     .x_span = SPAN(seconds),
     .y_span = SPAN(planning),
     .add = add_planning,
     .diagonal = {{1, "1\xC3\x97"}, {100, "100\xC3\x97"}, {10000, "10 000\xC3\x97"}}},
    {.heading = SHARE_HEADING,
     .description = "share of gemm speed by work",
     .caption = SHARE_CAPTION,
     .x = {.title = "work: floating-point operations", .label = plot_label_count},
     .y = {.title = "share of gemm speed", .linear = true, .label = plot_label_share},
     .x_span = SPAN(flops),
     .add = add_share},
};

enum { KINDS = sizeof kinds / sizeof *kinds, SHARES = KINDS - 1 };

/** State of filling all plots of a page while the documents are read once. */
struct figures {
    struct field_visit visit;
    const struct digests *all;
    struct plot plot[KINDS];
    int document; /* number of the document that is being read */
};

static struct tcplan_span spans_together(const struct digests *all, size_t offset) {
    struct tcplan_span span = {0};
    for (int d = 0; d < all->count; d++) {
        const void *of = (const char *)&all->digest[d] + offset;
        tcplan_span_add(&span, ((const struct tcplan_span *)of)->low);
        tcplan_span_add(&span, ((const struct tcplan_span *)of)->high);
    }
    return span;
}

/** Begins a plot; a plot without data stays empty. */
static void begin_plot(struct plot *plot, const struct kind *kind, const struct digests *all,
                       double most) {
    int64_t records = 0;
    *plot = (struct plot){.x = kind->x, .y = kind->y, .height = HEIGHT};
    plot->x.span = spans_together(all, kind->x_span);
    plot->y.span =
        kind->y.linear ? (struct tcplan_span){0, most} : spans_together(all, kind->y_span);
    for (int d = 0; d < all->count; d++) {
        records += all->digest[d].summary.result_count;
        plot_add_series(plot, (struct plot_series){.style = plot_style_of((size_t)d)});
    }
    plot->dense = records > DENSE; /* If there are many marks, draw them transparently. */
    for (int d = 0; d < DIAGONALS && kind->diagonal[d].label; d++) {
        const double low = plot->x.span.low / 10, high = 10 * plot->x.span.high,
                     factor = kind->diagonal[d].factor;
        plot_add_guide(plot, (struct plot_guide){.class = "guide",
                                                 .x1 = low,
                                                 .y1 = factor * low,
                                                 .x2 = high,
                                                 .y2 = factor * high,
                                                 .label = kind->diagonal[d].label});
    }
}

/** Adds a contraction to all plots for which it has data; implements field_visit. */
static void add_record(struct field_visit *visit, const void *record) {
    struct figures *figures = (struct figures *)visit;
    for (int k = 0; k < KINDS; k++) {
        struct plot *plot = &figures->plot[k];
        if (plot->x.span.high > 0) kinds[k].add(plot, figures->document, record);
    }
}

static void write_figure(struct page *page, const char *class, struct plot *plot,
                         const struct kind *kind) {
    fprintf(page->file, "<figure%s><h3>%s</h3>\n", class, kind->heading);
    if (!plot_print_in_page(page->file, plot, kind->description)) page->no_memory = true;
    fprintf(page->file, "<figcaption>%s</figcaption></figure>\n", kind->caption);
}

/* A plot of bars: a row for each contraction of the first document, a bar for each document. */

static const struct kind bars_kind = {
    .heading = SHARE_HEADING, .description = "share of gemm speed", .caption = SHARE_CAPTION};

struct bars {
    struct field_visit visit;
    const struct digests *all;
    struct plot plot;
};

/** Adds the bar of a document to the last row; without a tooltip, adds only a value. */
static void add_bar(struct plot *plot, int document, double share, const char *tip,
                    const char *value) {
    const double y = (BAR_GAP / 2.0 + BAR * document) / plot->row_height;
    if (tip) value = plot_text(plot, "%.1f\xC2\xA0%%", 100 * share);
    plot_add_bar(plot, (struct plot_bar){.colour = document,
                                         .x = share,
                                         .y = (double)plot->row_count - 1 + y,
                                         .thick = (BAR - 1) / plot->row_height,
                                         .tip = tip,
                                         .value = value});
}

/** Adds a row for a record, with the bars of records of other documents that have the same id;
 * implements field_visit. */
static void add_row(struct field_visit *visit, const void *of) {
    struct bars *bars = (struct bars *)visit;
    struct plot *plot = &bars->plot;
    const struct digested *record = of;
    const struct tcplan_result *result = record->result;
    const bool is_known = record->facts.share > 0;
    /* Long names are truncated at the end, so the part that distinguishes rows of the same name
     * comes first. */
    const char *threads =
        result->threads > 1 ? plot_text(plot, "%lld threads ", (long long)result->threads) : "";
    const struct plot_row row = {
        .name = plot_text(plot, "%s%s %s", threads, result->name,
                          *result->size_class ? result->size_class : result->sizes),
        .tip = plot_text(plot, "%s: %s", entry(plot, record), result->contraction)};
    plot_add_row(plot, row);
    add_bar(plot, 0, fmax(0, record->facts.share), is_known ? share_tip(plot, record) : NULL,
            result->reason ? "failed" : "not known");
    for (int d = 1; d < bars->all->count; d++) {
        const struct tcplan_facts *peer = tcplan_peers_find(bars->all->peers[d], result->id);
        if (!peer || !peer->winner || peer->share <= 0) continue;
        const char *tip = plot_text(plot, "%s: %s, %.1f\xC2\xA0%% of gemm", entry(plot, record),
                                    peer->winner, 100 * peer->share);
        add_bar(plot, d, peer->share, tip, NULL);
    }
}

static void write_bars(struct page *page, double most) {
    struct bars bars = {.visit = {.use = add_row}, .all = page->all};
    bars.plot.x = (struct axis){.span = {0, most}, .linear = true, .label = plot_label_share};
    bars.plot.row_height = BAR * page->all->count + BAR_GAP;
    page_walk(page, 0, &bars.visit);
    write_figure(page, " class=\"wide\"", &bars.plot, &bars_kind);
}

/* The page. */

void page_write_plots(struct page *page) {
    const struct digests *all = page->all;
    struct figures figures = {.visit = {.use = add_record}, .all = all};
    double most = 0;
    for (int d = 0; d < all->count; d++)
        most = fmax(most, tcplan_sample_quantile(&all->digest[d].share, 1));
    const bool few = all->digest[0].summary.result_count <= MOST_ROWS;
    fputs("<h2>Plots</h2>\n<div class=\"plots\">\n", page->file);
    for (int k = 0; k < KINDS - few; k++)
        begin_plot(&figures.plot[k], &kinds[k], all, fmax(1, most));
    for (; figures.document < all->count; figures.document++)
        page_walk(page, figures.document, &figures.visit);
    for (int k = 0; k < KINDS; k++) {
        struct plot *plot = &figures.plot[k];
        if (plot->x.span.high > 0) {
            write_figure(page, "", plot, &kinds[k]);
        } else {
            plot_free(plot);
        }
    }
    if (!(spans_together(all, SPAN(times)).high > 0))
        fputs("<p class=\"dim\">No measured times: use <code>tcplan batch --measure</code>.</p>\n",
              page->file);
    if (most > 0 && few) write_bars(page, most);
    fputs("</div>\n", page->file);
}

/** Writes the plot of ceilings in two widths, for wide and for narrow screens, with letters of the
 * same size. The page's style shows one of them. */
void page_write_ceilings(struct page *page) {
    struct plot_roofs roofs[PLOT_ROOFS];
    const int count = page->ceilings ? roofs_of(roofs, page->ceilings) : 0;
    if (count == 0) return;
    const struct tcplan_machine *machine = &page->ceilings->machine;
    fputs("<h2>The machine's ceilings</h2>\n", page->file);
    for (int narrow = 0; narrow < 2; narrow++) {
        const struct roofline_plot plot = {.title = *machine->cpu ? machine->cpu : machine->source,
                                           .subtitle =
                                               "measured peak rates of computation and loads",
                                           .width = narrow ? NARROW : PLOT_WIDTH,
                                           .embedded = true,
                                           .roofs_count = count,
                                           .roofs = roofs};
        fprintf(page->file, "<figure class=\"%s\">\n", narrow ? "narrow" : "broad");
        if (!roofline_plot_print(page->file, &plot)) page->no_memory = true;
        fputs("</figure>\n", page->file);
    }
}
