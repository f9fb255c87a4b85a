/**
 * What neither an algorithm's name nor its nest says, as it depends on sizes and on the machine:
 * decided here and nowhere else, from the nest and the problem with the machine's tactics.
 * Executor, emitter, analysis, texts and XML ask.
 */
#ifndef AST_NEST_TACTICS_H
#define AST_NEST_TACTICS_H

#include "ast/nest/refine.h"

/**
 * Whether a copy writes past the caches at these sizes: it is streamed, or fills a temporary beyond
 * tactics.far_bytes, so that what is written would be fetched first, written back, and fetched
 * again.
 */
bool tactics_stream(const struct refined_problem *problem, const struct tcplan_copy *copy);

/** Whether a kernel writes its result past the caches: it is streamed, and assigned to. */
bool tactics_stream_kernel(const struct tcplan_kernel_call *call);

/** Whether what a node writes goes past the caches: a copy or a kernel that does so and does not
 * read it as well. */
bool tactics_stream_node(const struct refined_problem *problem, const struct tcplan_node *node);

/**
 * Whether the calls of a nest's kernel fetch the next call's first factor into the second cache
 * meanwhile: gemms of libxsmm whose first factor lies in a tensor and moves with one of the two
 * innermost loops, unless it is so long, and the result so wide, that it would not pay
 * (tactics.ahead_bytes).
 */
bool tactics_fetch_ahead(const struct refined_problem *problem, const struct tcplan_nest *nest,
                         const struct tcplan_kernel_call *call);

#endif
