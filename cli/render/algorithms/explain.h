/**
 * The output of `explain` for all formats: the library's explanation with the names of its
 * algorithms.
 */
#ifndef CLI_RENDER_ALGORITHMS_EXPLAIN_H
#define CLI_RENDER_ALGORITHMS_EXPLAIN_H

#include "cli/render/algorithms/row.h"
#include "cli/render/view.h"

/** Borrows from the request and the explanation. */
struct explained_report {
    const struct request *request;
    const struct tcplan_explanation *explanation;
    struct row row[TCPLAN_EXPLAINED_SIDES];
};

/** Names the sides; false: out of memory. Always free with explained_report_free(). */
bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation);

void explained_report_free(struct explained_report *report);

#endif
