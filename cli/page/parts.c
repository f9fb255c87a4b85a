#include "cli/page/parts.h"

#include "base/quantity.h"
#include "cli/page/markup.h"

const char *const page_share_caption =
    "The speed of the chosen algorithm of every contraction, as a share of what a large square gemm reaches.";

void page_walk(struct page *page, int d, tcplan_result_fn *use, void *context) {
    if (page->status == TCPLAN_OK)
        page->status = tcplan_results_walk(page->digest[d].path, use, context, NULL, &page->error);
}

void page_write_seconds(FILE *file, double seconds) {
    if (!(seconds > 0)) {
        fputs("\xE2\x80\x93", file);
        return;
    }
    const struct time_unit unit = time_unit_for(seconds);
    fprintf(file, "%.*f %s", unit.decimals, seconds / unit.seconds,
            unit.seconds == 1e-6 ? "\xC2\xB5s" : unit.name);
}

void page_write_seconds_cell(FILE *file, double seconds) {
    if (seconds > 0) {
        fprintf(file, "<td class=\"n\" data-v=\"%.9g\">", seconds);
    } else {
        fputs("<td class=\"n\" data-v=\"\">", file);
    }
    page_write_seconds(file, seconds);
    fputs("</td>", file);
}

void page_write_entry(FILE *file, const struct tcplan_result *result) {
    markup_text(file, result->name);
    fputs(" ", file);
    markup_text(file, result->sizes);
    fputs(": ", file);
}

void page_write_share_of(FILE *file, const struct tcplan_result *result,
                         const struct tcplan_facts *facts) {
    page_write_entry(file, result);
    markup_text(file, facts->winner);
    fprintf(file, ", %.4g GFLOP/s (%s), %.1f\xC2\xA0%% of gemm", facts->gflops,
            facts->measured_seconds > 0 ? "measured" : "predicted", 100 * facts->share);
}
