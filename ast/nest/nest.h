/** Builds and traverses loop nests. */
#ifndef AST_NEST_NEST_H
#define AST_NEST_NEST_H

#include "ast/nest/refine.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "tcplan/nest.h"

/** A nest and the memory of its nodes. */
struct nest_storage {
    struct tcplan_nest nest; /* first member, so that the public pointer can be cast to the storage
                              */
    struct arena arena;
};

/** Returns an empty nest for `algorithm`; NULL if out of memory. */
struct nest_storage *nest_new(const struct tcplan_contraction *contraction,
                              const struct tcplan_algorithm *algorithm);

/** Makes a node: copies its payload into the arena; returns NULL if memory runs out. `next` is the
 * list of nodes that follow. */
const struct tcplan_node *node_loop(struct arena *arena, struct tcplan_loop loop,
                                    const struct tcplan_node *next);
const struct tcplan_node *node_copy(struct arena *arena, struct tcplan_copy copy,
                                    const struct tcplan_node *next);
const struct tcplan_node *node_scale(struct arena *arena, struct tcplan_scale scale,
                                     const struct tcplan_node *next);
const struct tcplan_node *node_kernel(struct arena *arena, struct tcplan_kernel_call call,
                                      const struct tcplan_node *next);
const struct tcplan_node *node_steps(struct arena *arena, struct tcplan_steps steps,
                                     const struct tcplan_node *next);
const struct tcplan_node *node_call(struct arena *arena, struct tcplan_call call,
                                    const struct tcplan_node *next);
const struct tcplan_node *node_again(struct arena *arena, struct tcplan_again again,
                                     const struct tcplan_node *next);

/** Returns whether the kernel works on a temporary of `operand`, even of a single element. */
bool nest_has_temporary(const struct tcplan_nest *nest, enum tcplan_operand operand);

/** Returns whether a copy scales by a factor other than 1, after rounding to the problem's type. */
bool copy_scales(const struct tcplan_problem *problem, const struct tcplan_copy *copy);

/** Returns whether an update reads its target in some iteration. */
bool update_reads(const struct tcplan_update *update);

/** Lists the slices that a copy, scaling or kernel accesses, the written one last; returns their
 * number, 0 for loops and blocked nodes. */
int node_touches(const struct tcplan_node *node, struct tcplan_slice touch[TCPLAN_OPERANDS]);

/** Appends the nest of a blocked algorithm as tcplan_nest_text() prints nests. */
void nest_print_blocked(struct strbuf *out, const struct tcplan_blocks *blocks,
                        const struct tcplan_node *body, enum tcplan_dtype dtype);

/** Appends the statement of a call: `A10 := A10 L00^-T`; if `values` is not NULL, with
 * positions: `A[129:256,1:128] := ...`. */
void nest_print_statement(struct strbuf *out, const struct tcplan_blocks *blocks,
                          const struct tcplan_call *call, enum tcplan_dtype dtype,
                          const struct tcplan_range_values *values);

/** Appends the statement of a recursive call for a half: `A11 := again(A11)`. */
void nest_print_again(struct strbuf *out, const struct tcplan_blocks *blocks,
                      const struct tcplan_again *again);

#endif
