#include "cli/page/parts.h"

#include "cli/page/markup.h"

const char *const page_share_caption =
    "The speed of the chosen algorithm of every contraction, as a share of what a large square gemm reaches.";

void page_write_entry(FILE *file, const struct tcplan_result *result) {
    markup_text(file, result->name);
    fputs(" ", file);
    markup_text(file, result->sizes);
    fputs(": ", file);
}

void page_write_share_of(FILE *file, const struct digested *record) {
    const struct tcplan_facts *facts = &record->facts;
    page_write_entry(file, record->result);
    markup_text(file, facts->winner);
    fprintf(file, ", %.4g GFLOP/s (%s), %.1f\xC2\xA0%% of gemm", facts->gflops,
            facts->measured_seconds > 0 ? "measured" : "predicted", 100 * facts->share);
}
