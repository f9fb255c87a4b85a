#include <math.h>

#include "cli/page/markup.h"
#include "cli/page/parts.h"

enum { LABEL_CHARACTERS = 25 };

/** Bars that are being drawn, one below the other. */
struct bars {
    struct page *page;
    double across_most; /* the share at the right end */
    int64_t row;        /* how many contractions stand above */
};

enum { BAR = 13, BAR_GAP = 7, FIRST_BAR = 4 };

static int row_height(const struct page *page) {
    return BAR * page->count + BAR_GAP;
}

/** `y` is the upper end of the bar. */
static void write_bar(const struct bars *bars, const struct tcplan_result *result, const struct tcplan_facts *facts, int y) {
    FILE *file = bars->page->file;
    const double width = 100 * facts->share / bars->across_most;
    fprintf(file, "<rect class=\"c0\" x=\"0\" y=\"%d\" width=\"%.2f%%\" height=\"%d\"><title>", y, width, BAR - 1);
    page_write_share_of(file, result, facts);
    fprintf(file, "</title></rect><text class=\"value\" x=\"%.2f%%\" y=\"%d\" dx=\"5\">%.1f\xC2\xA0%%</text>\n", width, y + BAR - 3,
            100 * facts->share);
}

static void write_bar_label(const struct bars *bars, const struct tcplan_result *result, int y) {
    FILE *file = bars->page->file;
    const bool classed = *result->size_class != '\0';
    char label[160];
    snprintf(label, sizeof label, "%s %s", result->name, classed ? result->size_class : result->sizes);
    fprintf(file, "<text x=\"-8\" y=\"%d\" text-anchor=\"end\"><title>", y);
    page_write_entry(file, result);
    markup_text(file, result->contraction);
    fputs("</title>", file);
    markup_shortened(file, label, LABEL_CHARACTERS);
    fputs("</text>\n", file);
}

static void draw_bar(void *context, const struct tcplan_result *result) {
    struct bars *bars = context;
    struct page *page = bars->page;
    const struct tcplan_facts facts = tcplan_result_facts(result);
    const int y = FIRST_BAR + (int)bars->row++ * row_height(page);
    write_bar_label(bars, result, y + BAR * page->count / 2 + 4);
    if (facts.share > 0) {
        write_bar(bars, result, &facts, y);
    } else {
        fprintf(page->file, "<text class=\"value\" x=\"0\" y=\"%d\" dx=\"5\">%s</text>\n", y + BAR - 3,
                result->reason ? "failed" : "not known");
    }
}

/** A tcplan_result_fn: bars of the other documents stand beside the first one's, found by their ids. */
static enum tcplan_status draw_peer_bars(void *context, const struct tcplan_result *result, struct tcplan_error *error) {
    (void)error;
    struct bars *bars = context;
    struct page *page = bars->page;
    const int y = FIRST_BAR + (int)bars->row * row_height(page);
    draw_bar(context, result);
    for (int d = 1; d < page->count; d++) {
        const struct tcplan_facts *peer = tcplan_peers_find(page->peers[d], result->id);
        if (!peer || !peer->winner || peer->share <= 0) continue;
        const double width = 100 * peer->share / bars->across_most;
        fprintf(page->file, "<rect class=\"c%d\" x=\"0\" y=\"%d\" width=\"%.2f%%\" height=\"%d\"><title>", d, y + BAR * d, width, BAR - 1);
        page_write_entry(page->file, result);
        markup_text(page->file, peer->winner);
        fprintf(page->file,
                ", %.1f\xC2\xA0%% of gemm</title></rect><text class=\"value\" x=\"%.2f%%\" y=\"%d\" dx=\"5\">%.1f\xC2\xA0%%</text>\n",
                100 * peer->share, width, y + BAR * d + BAR - 3, 100 * peer->share);
    }
    return TCPLAN_OK;
}

/** A line at each of the `count` + 1 ends of steps. */
static void write_bar_axis(const struct page *page, double step, int count, int height) {
    for (int t = 0; t <= count; t++) {
        const double place = 100.0 * t / count;
        fprintf(page->file, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%d\"/>", place, place, height);
        fprintf(page->file, "<text x=\"%.2f%%\" y=\"-8\" text-anchor=\"middle\">%s</text>\n", place, plot_label_share(t * step).text);
    }
}

void page_write_bars(struct page *page, double highest) {
    const double step = plot_linear_step(highest);
    const int steps = (int)ceil(highest / step - 0.01);
    const int rows = (int)page->digest[0].summary.result_count;
    const int height = 2 * FIRST_BAR + rows * row_height(page) - BAR_GAP;
    struct bars bars = {.page = page, .across_most = step * steps};
    fputs("<figure class=\"wide\"><h3>Share of gemm speed</h3>\n", page->file);
    fprintf(page->file,
            "<div class=\"box rows\"><svg class=\"area\" role=\"img\" aria-label=\"share of gemm speed\" width=\"100%%\" height=\"%d\">\n",
            height);
    write_bar_axis(page, step, steps, height);
    page_walk(page, 0, draw_peer_bars, &bars);
    fputs("</svg></div>\n", page->file);
    fprintf(page->file, "<figcaption>%s</figcaption></figure>\n", page_share_caption);
}
