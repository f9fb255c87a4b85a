#include "cli/page/page.h"

#include "base/quantity.h"
#include "cli/page/markup.h"
#include "cli/page/parts.h"
#include "tcplan/version.h"

/** Nothing may be loaded from anywhere, which the policy has the browser make sure of. */
static void write_head(const struct page *page) {
    fputs(
        "<!DOCTYPE html>\n"
        "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"generator\" content=\"tcplan " TCPLAN_VERSION_STRING "\"/>\n"
        "<title>",
        page->file);
    markup_text(page->file, page->digest[0].name);
    for (int d = 1; d < page->count; d++) {
        fputs(", ", page->file);
        markup_text(page->file, page->digest[d].name);
    }
    fprintf(page->file,
            " \xE2\x80\x93 contractions</title>\n<style>\n%s%s</style>\n</head>\n<body>\n",
            plot_style_sheet, page_style);
    fprintf(page->file,
            "<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\">%s</svg>\n",
            plot_symbols);
}

static void write_title(const struct page *page) {
    int64_t records = 0, failed = 0;
    for (int d = 0; d < page->count; d++) {
        records += page->digest[d].summary.result_count;
        failed += page->digest[d].summary.failed_count;
    }
    fprintf(page->file, "<h1>Contractions, planned</h1>\n<p class=\"dim\">%lld result%s",
            (long long)records, records == 1 ? "" : "s");
    if (failed > 0)
        fprintf(page->file, ", <span class=\"failed\">%lld failed</span>", (long long)failed);
    fputs(page->count > 1 ? ", side by side" : "", page->file);
    if (page->count == 1 && page->digest[0].last_finished) {
        fputs("; the last finished ", page->file);
        markup_text(page->file, page->digest[0].last_finished);
    }
    fputs("</p>\n", page->file);
    if (page->count == 1) return;
    fputs("<ul class=\"legend\">\n", page->file);
    for (int d = 0; d < page->count; d++) {
        fprintf(page->file, "<li><svg><use href=\"#m%d\" class=\"c%d\" x=\"7\" y=\"7\"/></svg> ", d,
                d);
        markup_text(page->file, page->digest[d].name);
        fputs("</li>\n", page->file);
    }
    fputs("</ul>\n", page->file);
}

/** One line of the table of documents: its heading, and a cell for each. */
struct line {
    const char *heading;
    void (*cell)(FILE *file, struct tcplan_digest *digest);
};

static void write_name(FILE *file, struct tcplan_digest *digest) {
    markup_text(file, digest->name);
}

static void write_machine(FILE *file, struct tcplan_digest *digest) {
    const struct tcplan_provenance *machine = &digest->provenance;
    markup_text(file, *machine->cpu ? machine->cpu : machine->machine);
    fprintf(file, "; %lld core%s", (long long)machine->cores, machine->cores == 1 ? "" : "s");
    for (int c = 0; c < machine->cache_count; c++)
        fprintf(file, ", L%d %s", c + 1, quantity_bytes(machine->cache_bytes[c]).text);
    if (*machine->host) {
        fputs("; ", file);
        markup_text(file, machine->host);
    }
    if (digest->mixed) fputs("; others, too", file);
}

static void write_blas(FILE *file, struct tcplan_digest *digest) {
    markup_text(file, digest->provenance.blas_name);
    fputs(" ", file);
    markup_text(file, digest->provenance.blas_version);
    fputs(" (", file);
    markup_text(file, digest->provenance.blas_core);
    fputs(")", file);
    if (digest->gemm_gflops > 0) fprintf(file, "; gemm reaches %.4g GFLOP/s", digest->gemm_gflops);
    if (!digest->provenance.blas_advice || !*digest->provenance.blas_advice) return;
    fputs("<br/><span class=\"failed\">Warning: ", file);
    markup_text(file, digest->provenance.blas_advice);
    fputs("</span>", file);
}

static void write_settings(FILE *file, struct tcplan_digest *digest) {
    fputs("tcplan ", file);
    markup_text(file, digest->provenance.tcplan);
    fputs("; ", file);
    markup_text(file, digest->provenance.settings);
}

static void write_counts(FILE *file, struct tcplan_digest *digest) {
    const struct tcplan_results_summary *summary = &digest->summary;
    fprintf(file, "%lld", (long long)summary->result_count);
    if (summary->state == TCPLAN_RESULTS_COMPLETE &&
        summary->entry_count != summary->result_count) {
        fprintf(file, " of %lld", (long long)summary->entry_count);
    }
    if (summary->shards > 0)
        fprintf(file, " (shard %lld of %lld)", (long long)summary->shard,
                (long long)summary->shards);
    if (summary->failed_count > 0)
        fprintf(file, ", <span class=\"failed\">%lld failed</span>",
                (long long)summary->failed_count);
    if (digest->reused > 0)
        fprintf(file, ", %lld taken over from equal ones", (long long)digest->reused);
    if (summary->state != TCPLAN_RESULTS_COMPLETE)
        fputs("; <span class=\"failed\">unfinished: interrupted, or running</span>", file);
}

static void write_limit(FILE *file, struct tcplan_digest *digest) {
    if (digest->limit_share.count == 0) {
        fputs("\xE2\x80\x93", file);
        return;
    }
    fprintf(file, "median %.1f\xC2\xA0%%, from %.1f\xC2\xA0%% to %.1f\xC2\xA0%%",
            100 * tcplan_sample_quantile(&digest->limit_share, 0.5),
            100 * tcplan_sample_quantile(&digest->limit_share, 0),
            100 * tcplan_sample_quantile(&digest->limit_share, 1));
}

static void write_share(FILE *file, struct tcplan_digest *digest) {
    if (digest->share.count == 0) {
        fputs("\xE2\x80\x93", file);
        return;
    }
    fprintf(file, "median %.1f\xC2\xA0%%, from %.1f\xC2\xA0%% (",
            100 * tcplan_sample_quantile(&digest->share, 0.5),
            100 * tcplan_sample_quantile(&digest->share, 0));
    markup_text(file, digest->lowest_share.name ? digest->lowest_share.name : "");
    fprintf(file, ") to %.1f\xC2\xA0%%", 100 * tcplan_sample_quantile(&digest->share, 1));
}

static void write_error(FILE *file, struct tcplan_digest *digest) {
    if (digest->error.count == 0) {
        fputs("nothing was measured", file);
        return;
    }
    fprintf(file, "median %.2f; 80\xC2\xA0%% of %zu within %.2f and %.2f",
            tcplan_sample_quantile(&digest->error, 0.5), digest->error.count,
            tcplan_sample_quantile(&digest->error, 0.1),
            tcplan_sample_quantile(&digest->error, 0.9));
}

static void write_regret(FILE *file, struct tcplan_digest *digest) {
    const struct tcplan_regret words = tcplan_digest_regret(digest);
    if (digest->regret.count == 0) {
        fputs("nothing was measured", file);
        return;
    }
    fprintf(file,
            "the choice was the fastest measured in %zu of %zu; on average it loses %.1f\xC2\xA0%%",
            words.fastest, digest->regret.count, 100 * words.mean_loss);
    if (digest->largest_regret.value <= 1) return;
    fprintf(file, ", at most %.1f\xC2\xA0%% (", 100 * (digest->largest_regret.value - 1));
    markup_text(file, digest->largest_regret.name ? digest->largest_regret.name : "");
    fputs(")", file);
}

static void write_planning(FILE *file, struct tcplan_digest *digest) {
    page_write_seconds(file, digest->planning_seconds);
    if (digest->summary.result_count < 2) return;
    fputs("; ", file);
    page_write_seconds(file, digest->planning_seconds / (double)digest->summary.result_count);
    fputs(" a contraction", file);
}

/** Documents without records say no more than their names and counts. */
static bool is_known(const struct page *page, const struct line *line) {
    bool any = line->cell == write_name || line->cell == write_counts;
    for (int d = 0; d < page->count; d++) any = any || page->digest[d].has_provenance;
    return any;
}

static void write_line(const struct page *page, const struct line *line) {
    fprintf(page->file, "<tr><th scope=\"row\">%s</th>", line->heading);
    for (int d = 0; d < page->count; d++) {
        const bool known = page->digest[d].has_provenance || line->cell == write_name ||
                           line->cell == write_counts;
        fputs("<td>", page->file);
        if (known) line->cell(page->file, &page->digest[d]);
        fputs("</td>", page->file);
    }
    fputs("</tr>\n", page->file);
}

static void write_summary(const struct page *page) {
    static const struct line lines[] = {{"Results", write_name},
                                        {"Machine", write_machine},
                                        {"BLAS", write_blas},
                                        {"Planned by", write_settings},
                                        {"Contractions", write_counts},
                                        {"Share of gemm", write_share},
                                        {"Share of the limit", write_limit},
                                        {"Predicted / measured", write_error},
                                        {"Choice", write_regret},
                                        {"Planning", write_planning}};
    fputs("<div class=\"scroll\"><table class=\"facts\"><tbody>\n", page->file);
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        if (is_known(page, &lines[l])) write_line(page, &lines[l]);
    }
    fputs("</tbody></table></div>\n", page->file);
}

static void write_quantile(FILE *file, struct tcplan_sample *sample, double share, double factor,
                           int decimals, const char *unit) {
    fputs("<td class=\"n\">", file);
    if (sample->count > 0) {
        fprintf(file, "%.*f%s", decimals, factor * tcplan_sample_quantile(sample, share), unit);
    } else {
        fputs("\xE2\x80\x93", file);
    }
    fputs("</td>", file);
}

static void write_group(const struct page *page, int d, int g) {
    struct tcplan_digest_group *group = &page->digest[d].group[g];
    fputs("<tr><td>", page->file);
    markup_text(page->file, *group->name ? group->name : "(none)");
    if (page->count > 1) {
        fputs("</td><td>", page->file);
        markup_text(page->file, page->digest[d].name);
    }
    fprintf(page->file, "</td><td class=\"n\">%lld</td><td class=\"n%s\">%lld</td>",
            (long long)group->records, group->failed > 0 ? " failed" : "",
            (long long)group->failed);
    write_quantile(page->file, &group->share, 0, 100, 1, "\xC2\xA0%");
    write_quantile(page->file, &group->share, 0.5, 100, 1, "\xC2\xA0%");
    write_quantile(page->file, &group->share, 1, 100, 1, "\xC2\xA0%");
    write_quantile(page->file, &group->error, 0.5, 1, 2, "");
    write_quantile(page->file, &group->regret, 1, 1, 2, "");
    page_write_seconds_cell(page->file, group->planning_seconds);
    fputs("</tr>\n", page->file);
}

static void write_groups(const struct page *page) {
    bool several = false;
    for (int d = 0; d < page->count; d++) several = several || page->digest[d].group_count > 1;
    if (!several) return;
    fprintf(
        page->file,
        "<h2>Groups</h2>\n<div class=\"scroll\"><table><thead><tr><th>group</th>%s<th class=\"n\">contractions</th>"
        "<th class=\"n\">failed</th><th class=\"n\">of gemm: lowest</th><th class=\"n\">median</th><th class=\"n\">highest</th>"
        "<th class=\"n\">predicted / measured</th><th class=\"n\">largest regret</th><th class=\"n\">planning</th></tr></thead><tbody>\n",
        page->count > 1 ? "<th>results</th>" : "");
    for (int d = 0; d < page->count; d++) {
        for (int g = 0; g < page->digest[d].group_count; g++) write_group(page, d, g);
    }
    fputs("</tbody></table></div>\n", page->file);
}

static void write_explanations(const struct page *page) {
    fputs(
        "<h2>What the words mean</h2>\n"
        "<p><b>Of gemm</b>: the speed of the chosen algorithm as a share of what a large square gemm of the same type and threads reaches "
        "there. <b>Predicted</b>, <b>measured</b>: the time of one execution of the whole contraction; the interval is the one that holds "
        "95 % of what the samples allow, or, where nothing was timed, what the sources of an estimate may be off by. <b>Tied</b>: the samples cannot "
        "tell the algorithm from the chosen one. <b>Regret</b>: the measured time of the chosen algorithm over that of the fastest one measured; 1 "
        "is best. <b>Planning</b>: what finding the algorithm took, once.</p>\n"
        "<p class=\"dim\">Written by tcplan " TCPLAN_VERSION_STRING ".</p>\n",
        page->file);
}

void page_write(struct page *page) {
    write_head(page);
    write_title(page);
    write_summary(page);
    page_write_plots(page);
    write_groups(page);
    page_write_table(page);
    page_write_ceilings(page);
    write_explanations(page);
    fprintf(page->file, "<script>\n%s</script>\n</body>\n</html>\n", page_script);
}
