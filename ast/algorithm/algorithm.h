/**
 * What follows from an algorithm alone: its slices, the kernel of its roles, the one form it has.
 */
#ifndef AST_ALGORITHM_ALGORITHM_H
#define AST_ALGORITHM_ALGORITHM_H

#include "base/strbuf.h"
#include "tcplan/algorithm.h"

/** A number of a tile in registers and an unrolling, 0 where neither is named; their text, as names
 * have it: `3x4u8`. */
uint32_t algorithm_tile_number(struct tcplan_register_tile tile);
void algorithm_print_tile(struct strbuf *out, struct tcplan_register_tile tile);

/** Some order of all algorithms of a contraction: 0 where both are the same, below or above 0
 * otherwise. */
int algorithm_compare(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b);

/** All indices in the kernel, and the steps that it sums up. */
uint64_t algorithm_kernel_indices(const struct tcplan_algorithm *algorithm);

/** Those of them that `operand` has. */
uint64_t algorithm_span(const struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction, enum tcplan_operand operand);

/** Whether threads share the iterations of loop number `loop`, by itself or with another one. */
bool algorithm_shares_loop(const struct tcplan_algorithm *algorithm, int loop);

/** Whether the kernel works on a temporary of `operand`. */
bool algorithm_copies(const struct tcplan_algorithm *algorithm, enum tcplan_operand operand);

/** The contracted loops among those in places [from, to) from the outside, as a set of their
 * numbers. */
uint64_t algorithm_contracted_loops(const struct tcplan_algorithm *algorithm,
                                    const struct tcplan_contraction *contraction, int from, int to);

/** The role that an index of a kind has in a kernel unless an algorithm says otherwise (r); -1 for
 * those in one factor only, which have none. */
int algorithm_role_of_kind(enum tcplan_index_kind kind);

/** The kind of the indices that have a role. */
enum tcplan_index_kind algorithm_kind_of_role(enum tcplan_role role);

/** The roles that have indices: bit r stands for role r. */
unsigned algorithm_roles(const struct tcplan_algorithm *algorithm);

/** The kernel that is named by a set of roles; false where none is. */
bool algorithm_kernel_of_roles(unsigned roles, enum tcplan_kernel *out);

/** The copy of an operand that the rules of the `blas` space make; depth -1: none. Of algorithms
 * with an index a role at most and without splits. */
struct tcplan_operand_copy algorithm_copy_by_rules(const struct tcplan_algorithm *algorithm,
                                                   const struct tcplan_contraction *contraction,
                                                   enum tcplan_operand operand);

/** Makes the copies, and applies beta, as the rules of the `blas` space have it. */
void algorithm_apply_rules(struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction);

/** Whether the copies, and how beta is applied, are those that the rules of the `blas` space make,
 * and no index is split or fused. */
bool algorithm_follows_rules(const struct tcplan_algorithm *algorithm,
                             const struct tcplan_contraction *contraction);

/**
 * Gives an algorithm that algorithm_check() accepts the one form that its name parses to: splits
 * numbered as their steps come from the outside in, nothing turned that has one role only, no
 * panels or padding without effect, nothing read or started that makes no difference, unused
 * entries 0.
 */
void algorithm_canonical(struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction);

#endif
