#include "base/quantity.h"
#include "cli/page/markup.h"
#include "cli/page/parts.h"

enum { ORIGIN_CHARACTERS = 60 };

static const char *const dash = "\xE2\x80\x93";

/** A document whose rows are being written. */
struct rows {
    struct page *page;
    int document;
    bool measured; /* some document has measured times: there are columns for them */
};

static void write_heading(FILE *file, int column, const char *class, const char *text) {
    fprintf(file, "<th%s data-c=\"%d\"><button type=\"button\">%s</button></th>", class, column,
            text);
}

/** A row above the headings that says whose columns stand below. */
static void write_names(const struct page *page) {
    FILE *file = page->file;
    fputs("<tr><th colspan=\"3\"></th>", file);
    for (int d = 0; d < page->count; d++) {
        fprintf(
            file,
            "<th class=\"first\" colspan=\"3\"><svg width=\"14\" height=\"14\"><use href=\"#m%d\" class=\"c%d\" x=\"7\" y=\"8\"/></svg> ",
            d, d);
        markup_text(file, page->digest[d].name);
        fputs("</th>", file);
    }
    fputs("</tr>", file);
}

/** What is contracted, then all that is known of one document, or a little of each. */
static void write_headings(const struct page *page, bool measured) {
    static const char *const number = " class=\"n\"";
    FILE *file = page->file;
    int column = 0;
    fputs("<thead>", file);
    if (page->count > 1) write_names(page);
    fputs("<tr>", file);
    write_heading(file, column++, "", "contraction");
    write_heading(file, column++, "", "type");
    write_heading(file, column++, number, "work");
    for (int d = 0; d < page->count; d++) {
        write_heading(file, column++, " class=\"first\"", "algorithm");
        write_heading(file, column++, number, page->count > 1 ? "time" : "predicted");
        if (page->count == 1 && measured) write_heading(file, column++, number, "measured");
        if (page->count == 1) write_heading(file, column++, number, "GFLOP/s");
        write_heading(file, column++, number, "of gemm");
    }
    if (page->count == 1 && measured) write_heading(file, column++, number, "regret");
    if (page->count == 1) write_heading(file, column++, number, "planning");
    fputs("</tr></thead>\n", file);
}

/** The library, the source shown when it is pointed at. */
static void write_origin(FILE *file, const struct tcplan_result *result) {
    fputs("<br/><span class=\"dim\" title=\"", file);
    markup_text(file, result->source);
    fputs("\">", file);
    markup_shortened(file, *result->library ? result->library : result->source, ORIGIN_CHARACTERS);
    fputs("</span>", file);
}

static void write_contraction(FILE *file, const struct tcplan_result *result) {
    fputs("<td class=\"who\">", file);
    markup_text(file, result->name);
    if (*result->size_class) {
        fputs(" <span class=\"dim\">", file);
        markup_text(file, result->size_class);
        fputs("</span>", file);
    }
    fputs("<br/><span class=\"code\">", file);
    markup_text(file, result->contraction);
    fputs("</span><br/><span class=\"code dim\">", file);
    markup_text(file, result->sizes);
    if (result->strides && *result->strides) {
        fputs("<br/>strides ", file);
        markup_text(file, result->strides);
    }
    fputs("</span>", file);
    if (*result->source || *result->library) write_origin(file, result);
    fputs("</td>", file);
}

static void write_type(FILE *file, const struct tcplan_result *result) {
    static const char *const words[TCPLAN_DTYPES] = {"float", "double", "complex float",
                                                     "complex double"};
    fprintf(file, "<td>%s", words[result->dtype]);
    if (result->order == TCPLAN_ROW_MAJOR) fputs(", row-major", file);
    if (result->threads > 1) fprintf(file, ", %lld threads", (long long)result->threads);
    fputs("</td>", file);
}

static void write_work(FILE *file, double flops) {
    if (flops > 0) {
        fprintf(file, "<td class=\"n\" data-v=\"%.9g\">%s</td>", flops, quantity_flops(flops).text);
    } else {
        fprintf(file, "<td class=\"n\" data-v=\"\">%s</td>", dash);
    }
}

/** A number by which the table is sorted; a dash where it is 0. */
static void write_number(FILE *file, double value, const char *format) {
    fprintf(file, value > 0 ? "<td class=\"n\" data-v=\"%.9g\">" : "<td class=\"n\" data-v=\"\">",
            value);
    if (value > 0) {
        fprintf(file, format, value); /* NOLINT: one of the formats below */
    } else {
        fputs(dash, file);
    }
    fputs("</td>", file);
}

static void write_share(FILE *file, double share) {
    if (!(share > 0)) {
        fprintf(file, "<td class=\"n\" data-v=\"\">%s</td>", dash);
        return;
    }
    fprintf(
        file,
        "<td class=\"n\" data-v=\"%.9g\">%.1f %%<span class=\"meter\"><i class=\"c0\" style=\"width:%.1f%%\">\xC2\xA0</i></span></td>",
        share, 100 * share, share < 1 ? 100 * share : 100);
}

static void write_bounds(FILE *file, double low, double high) {
    page_write_seconds(file, low);
    fprintf(file, " %s ", dash);
    page_write_seconds(file, high);
}

static void write_interval(FILE *file, double low, double high) {
    fputs("<td class=\"n\">", file);
    if (low > 0 && high > 0) write_bounds(file, low, high);
    fputs("</td>", file);
}

/** The time that is predicted of the winner, and below it the interval, where there is one. */
static void write_predicted(FILE *file, const struct tcplan_result *result, double seconds) {
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    if (!winner || !(winner->predicted_low > 0) || !(winner->predicted_high > 0)) {
        page_write_seconds_cell(file, seconds);
        return;
    }
    fprintf(file, "<td class=\"n\" data-v=\"%.9g\">", seconds);
    page_write_seconds(file, seconds);
    fputs("<br/><span class=\"dim\">", file);
    write_bounds(file, winner->predicted_low, winner->predicted_high);
    fputs("</span></td>", file);
}

/** The algorithms by time, in a table of their own that opens; `*` marks a winner that is not the
 * first. */
static void write_others(FILE *file, const struct tcplan_result *result) {
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    size_t tied = 0;
    for (size_t a = 0; a < result->algorithm_count; a++)
        tied += result->algorithm[a].tied && &result->algorithm[a] != winner;
    if (result->algorithm_count < 2) return;
    if (tied > 0) {
        fprintf(file, "<details><summary>%zu tied", tied);
    } else {
        fprintf(file, "<details><summary>%zu more", result->algorithm_count - 1);
    }
    fputs(
        "</summary><table><tbody><tr><td>algorithm</td><td class=\"n\">predicted</td><td class=\"n\">interval</td>"
        "<td class=\"n\">measured</td></tr>\n",
        file);
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const struct tcplan_result_algorithm *algorithm = &result->algorithm[a];
        fputs("<tr><td class=\"code\">", file);
        markup_text(file, algorithm->name);
        fputs(algorithm == winner && a > 0 ? " *</td>"
              : algorithm->tied            ? " =</td>"
                                           : "</td>",
              file);
        page_write_seconds_cell(file, algorithm->predicted_seconds);
        write_interval(file, algorithm->predicted_low, algorithm->predicted_high);
        page_write_seconds_cell(file, algorithm->measured_seconds);
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></details>", file);
}

static void write_choice(FILE *file, const struct tcplan_result *result,
                         const struct tcplan_facts *facts) {
    fputs("<td class=\"first\">", file);
    if (facts->winner) {
        fputs("<span class=\"code\">", file);
        markup_text(file, facts->winner);
        fputs("</span>", file);
        write_others(file, result);
    } else {
        fputs("<span class=\"failed\">failed</span> <span>", file);
        markup_text(file, result->reason ? result->reason : "no algorithm is known");
        fputs("</span>", file);
    }
    fputs("</td>", file);
}

static void write_outcome(const struct rows *rows, const struct tcplan_result *result) {
    FILE *file = rows->page->file;
    const struct tcplan_facts facts = tcplan_result_facts(result);
    write_choice(file, result, &facts);
    write_predicted(file, result, facts.predicted_seconds);
    if (rows->measured) page_write_seconds_cell(file, facts.measured_seconds);
    write_number(file, facts.gflops, "%.4g");
    write_share(file, facts.share);
    if (rows->measured) write_number(file, facts.regret, "%.2f");
    page_write_seconds_cell(file, result->planning_seconds);
}

static void write_peer(FILE *file, const struct tcplan_facts *peer) {
    if (!peer) {
        fputs("<td class=\"first\"></td><td data-v=\"\"></td><td data-v=\"\"></td>", file);
        return;
    }
    fputs("<td class=\"first\">", file);
    if (peer->winner) {
        fputs("<span class=\"code\">", file);
        markup_text(file, peer->winner);
        fputs("</span>", file);
    } else {
        fputs("<span class=\"failed\">failed</span>", file);
    }
    fputs("</td>", file);
    page_write_seconds_cell(file, peer->seconds);
    write_share(file, peer->share);
}

/** A tcplan_result_fn: a row for each record whose id is in no earlier document. */
static enum tcplan_status write_row(void *context, const struct tcplan_result *result,
                                    struct tcplan_error *error) {
    (void)error;
    const struct rows *rows = context;
    struct page *page = rows->page;
    for (int d = 0; d < rows->document; d++) {
        if (tcplan_peers_find(page->peers[d], result->id)) return TCPLAN_OK;
    }
    fputs("<tr>", page->file);
    write_contraction(page->file, result);
    write_type(page->file, result);
    write_work(page->file, result->flops);
    if (page->count == 1) write_outcome(rows, result);
    for (int d = 0; d < page->count && page->count > 1; d++)
        write_peer(page->file, tcplan_peers_find(page->peers[d], result->id));
    fputs("</tr>\n", page->file);
    return TCPLAN_OK;
}

void page_write_table(struct page *page) {
    bool measured = false;
    for (int d = 0; d < page->count; d++) measured = measured || page->digest[d].error.count > 0;
    fputs(
        "<h2>Contractions</h2>\n<p><input class=\"filter\" type=\"search\" hidden=\"hidden\" placeholder=\"show rows with these words\" "
        "aria-label=\"show rows with these words\"/> <span class=\"shown dim\">\xC2\xA0</span></p>\n"
        "<div class=\"scroll\"><table class=\"all\">",
        page->file);
    write_headings(page, measured);
    fputs("<tbody>\n", page->file);
    for (int d = 0; d < page->count; d++) {
        struct rows rows = {.page = page, .document = d, .measured = measured};
        page_walk(page, d, write_row, &rows);
    }
    fputs("</tbody></table></div>\n", page->file);
}
