#include "cli/page/markup.h"
#include "cli/page/parts.h"
#include "cli/page/plot.h"

enum { LABEL_CHARACTERS = 25, BAR = 13, BAR_GAP = 7 };

/** Bars that are being drawn, a row for each contraction. */
struct bars {
    struct field_visit visit;
    struct page *page;
    struct plot plot;
    int row;
};

/** Where the bar of a document begins in a row, and how thick it is, in rows. */
static double bar_top(const struct bars *bars, int document) {
    return bars->row + (BAR_GAP / 2.0 + BAR * document) / bars->plot.row_height;
}

static double bar_thick(const struct bars *bars) {
    return (BAR - 1) / bars->plot.row_height;
}

static void write_value(const struct bars *bars, int document, double share, const char *text) {
    plot_value(&bars->plot, share, bar_top(bars, document) + bar_thick(bars) / 2, text);
}

static void write_share(const struct bars *bars, int document, double share) {
    char text[32];
    snprintf(text, sizeof text, "%.1f\xC2\xA0%%", 100 * share);
    write_value(bars, document, share, text);
}

static void write_label(const struct bars *bars, const struct tcplan_result *result) {
    FILE *file = bars->plot.file;
    const bool classed = *result->size_class != '\0';
    char label[160];
    snprintf(label, sizeof label, "%s %s", result->name,
             classed ? result->size_class : result->sizes);
    plot_row(&bars->plot, bars->row);
    fputs("<title>", file);
    page_write_entry(file, result);
    markup_text(file, result->contraction);
    fputs("</title>", file);
    markup_shortened(file, label, LABEL_CHARACTERS);
    plot_row_end(&bars->plot);
}

static void draw_own(const struct bars *bars, const struct digested *record) {
    const double share = record->facts.share;
    if (share <= 0) {
        write_value(bars, 0, 0, record->result->reason ? "failed" : "not known");
        return;
    }
    plot_bar(&bars->plot, 0, share, bar_top(bars, 0), bar_thick(bars));
    page_write_share_of(bars->plot.file, record);
    plot_bar_end(&bars->plot);
    write_share(bars, 0, share);
}

static void draw_peer(const struct bars *bars, const struct tcplan_result *result, int document,
                      const struct tcplan_facts *peer) {
    plot_bar(&bars->plot, document, peer->share, bar_top(bars, document), bar_thick(bars));
    page_write_entry(bars->plot.file, result);
    markup_text(bars->plot.file, peer->winner);
    fprintf(bars->plot.file, ", %.1f\xC2\xA0%% of gemm", 100 * peer->share);
    plot_bar_end(&bars->plot);
    write_share(bars, document, peer->share);
}

/** A field_visit: bars of the other documents stand beside the first one's, found by their ids. */
static void draw_row(struct field_visit *visit, const void *record) {
    struct bars *bars = (struct bars *)visit;
    const struct digests *all = bars->page->all;
    const struct tcplan_result *result = ((const struct digested *)record)->result;
    write_label(bars, result);
    draw_own(bars, record);
    for (int d = 1; d < all->count; d++) {
        const struct tcplan_facts *peer = tcplan_peers_find(all->peers[d], result->id);
        if (peer && peer->winner && peer->share > 0) draw_peer(bars, result, d, peer);
    }
    bars->row++;
}

void page_write_bars(struct page *page, double highest) {
    struct bars bars = {
        .visit = {.use = draw_row},
        .page = page,
        .plot = {.file = page->file,
                 .x = {.span = {0, highest}, .linear = true, .label = plot_label_share},
                 .rows = (int)page->all->digest[0].summary.result_count,
                 .row_height = BAR * page->all->count + BAR_GAP}};
    fputs("<figure class=\"wide\"><h3>Share of gemm speed</h3>\n", page->file);
    if (!plot_begin(&bars.plot, "share of gemm speed")) {
        page->no_memory = true;
        return;
    }
    page_walk(page, 0, &bars.visit);
    plot_end(&bars.plot);
    fprintf(page->file, "<figcaption>%s</figcaption></figure>\n", page_share_caption);
}
