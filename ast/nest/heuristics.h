/**
 * Decisions that depend on sizes and the machine, and that neither the name nor the nest of an
 * algorithm contains. They are made only here, from the nest, the problem and the machine's
 * heuristics, for the executor, emitter, analysis, texts and XML.
 */
#ifndef AST_NEST_HEURISTICS_H
#define AST_NEST_HEURISTICS_H

#include "ast/nest/refine.h"

/**
 * Returns whether a copy uses non-temporal stores at these sizes: it is streamed, or it fills a
 * temporary beyond heuristics.far_bytes. Ordinary stores would fetch each line, write it back, and
 * fetch it again.
 */
bool heuristics_stream(const struct refined_problem *problem, const struct tcplan_copy *copy);

/** Returns whether a kernel writes its result with non-temporal stores: the call has the flag
 * `streamed`, and does not read the result. */
bool heuristics_stream_kernel(const struct tcplan_kernel_call *call);

/** Returns whether a node (a copy or a kernel) writes with non-temporal stores and does not also
 * read its target. */
bool heuristics_stream_node(const struct refined_problem *problem, const struct tcplan_node *node);

/**
 * Returns whether each kernel call of a nest prefetches the next call's first factor into the
 * second cache. Gemms of libxsmm do so if that factor is in a tensor and one of the two innermost
 * loops moves it, unless it is so long, and the result so wide, that it would not pay
 * (heuristics.ahead_bytes, heuristics.ahead_columns).
 */
bool heuristics_fetch_ahead(const struct refined_problem *problem, const struct tcplan_nest *nest,
                            const struct tcplan_kernel_call *call);

#endif
