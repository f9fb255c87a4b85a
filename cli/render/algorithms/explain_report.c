#include <math.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/algorithms/explain.h"

bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation) {
    *out = (struct explained_report){.request = request, .explanation = explanation};
    for (int s = 0; s < explanation->side_count; s++) {
        if (!row_make(&out->row[s], &explanation->side[s].algorithm, request->contraction,
                      explanation->problem.dtype))
            return false;
    }
    return true;
}

void explained_report_free(struct explained_report *report) {
    for (int s = 0; s < TCPLAN_EXPLAINED_SIDES; s++) row_free(&report->row[s]);
}

struct quantity explain_level(const struct tcplan_machine *machine, int level) {
    struct quantity quantity = {"memory"};
    if (level < machine->cache_count)
        snprintf(quantity.text, sizeof quantity.text, "L%d", machine->cache[level].level);
    return quantity;
}

struct quantity explain_number(double number) {
    struct quantity quantity;
    const bool whole = number >= 100 || number == floor(number);
    snprintf(quantity.text, sizeof quantity.text, "%.*f", whole ? 0 : 1, number);
    return quantity;
}

struct quantity explain_seconds(double seconds) {
    const struct quantity size = quantity_seconds(fabs(seconds));
    struct quantity quantity = {"0"};
    if (seconds != 0)
        snprintf(quantity.text, sizeof quantity.text, "%s%.30s", seconds < 0 ? "-" : "", size.text);
    return quantity;
}

char *explain_slice_text(const struct explained_report *report, const struct tcplan_explained *side,
                         struct tcplan_slice slice) {
    return tcplan_slice_text(report->row[side - report->explanation->side].nest, slice);
}

char *explain_copy_text(const struct explained_report *report, const struct tcplan_explained *side,
                        const struct tcplan_explained_copy *copy) {
    struct strbuf out = {0};
    char *to = explain_slice_text(report, side, copy->to);
    const struct tcplan_nest *nest = report->row[side - report->explanation->side].nest;
    char *from =
        copy->kind == TCPLAN_NODE_COPY ? tcplan_source_text(nest, copy->from, copy->summed) : NULL;
    out.failed = !to || (copy->kind == TCPLAN_NODE_COPY && !from);
    const char *assigns = copy->accumulates ? " += " : " := ";
    strbuf_add(&out, "%s%s%s%s", to ? to : "", from ? assigns : ", scaled", from ? from : "",
               copy->streamed ? " (streamed)" : "");
    free(to);
    free(from);
    return strbuf_finish(&out);
}
