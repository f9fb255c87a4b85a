/**
 * The output of `trace` for all formats: the dissertation's analysis of one algorithm.
 */
#ifndef CLI_RENDER_ALGORITHMS_TRACE_H
#define CLI_RENDER_ALGORITHMS_TRACE_H

#include "cli/render/algorithms/row.h"
#include "cli/render/view.h"

/** Borrows from the request. */
struct trace {
    const struct request *request;
    struct tcplan_problem problem;
    struct row row;
    struct tcplan_analysis_options options;
    struct tcplan_analysis *analysis;
    struct tcplan_analysis *uncut; /**< the same classes, with setups of any length */
};

/** Analyses the request's algorithm at its first size point; always free with trace_free(). */
enum tcplan_status trace_make(struct trace *out, const struct request *request);

void trace_free(struct trace *trace);

#endif
