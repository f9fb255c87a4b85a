/**
 * Properties of an algorithm that need no sizes: its slices, the kernel of its roles, its canonical
 * form.
 */
#ifndef AST_ALGORITHM_ALGORITHM_H
#define AST_ALGORITHM_ALGORITHM_H

#include "base/strbuf.h"
#include "tcplan/algorithm.h"

/** Encodes a register tile and an unrolling in one number, 0 if neither is given; in names they
 * read `3x4u8`. */
uint32_t algorithm_tile_number(struct tcplan_register_tile tile);
void algorithm_print_tile(struct strbuf *out, struct tcplan_register_tile tile);

/** Orders all algorithms of a contraction: returns 0 if both are the same, else a value below or
 * above 0. */
int algorithm_compare(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b);

/** Returns the indices of the kernel's roles, including the steps that it sums over. */
uint64_t algorithm_kernel_indices(const struct tcplan_algorithm *algorithm);

/** Returns those of the kernel's indices that `operand` has. */
uint64_t algorithm_span(const struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction, enum tcplan_operand operand);

/** Returns whether threads share the iterations of loop number `loop`, alone or collapsed with
 * another one. */
bool algorithm_shares_loop(const struct tcplan_algorithm *algorithm, int loop);

/** Returns whether the kernel works on a temporary of `operand`. */
bool algorithm_copies(const struct tcplan_algorithm *algorithm, enum tcplan_operand operand);

/** Returns the contracted loops among those at places [from, to), counted from the outside, as a
 * set of their numbers. */
uint64_t algorithm_contracted_loops(const struct tcplan_algorithm *algorithm,
                                    const struct tcplan_contraction *contraction, int from, int to);

/** Returns the role that an index of some kind has in a kernel, unless the algorithm gives it the
 * role TCPLAN_R; -1 for an index of one factor only, which has no role. */
int algorithm_role_of_kind(enum tcplan_index_kind kind);

/** Returns the kind of the indices that have a role. */
enum tcplan_index_kind algorithm_kind_of_role(enum tcplan_role role);

/** Returns the roles that have indices, as a bit set: 1 << role. */
unsigned algorithm_roles(const struct tcplan_algorithm *algorithm);

/** Finds the kernel named by a set of roles; false if there is none. */
bool algorithm_kernel_of_roles(unsigned roles, enum tcplan_kernel *out);

/** Returns the copy of an operand that the rules of the `blas` space require; depth -1: none.
 * For algorithms without splits and with at most one index for each role. */
struct tcplan_operand_copy algorithm_copy_by_rules(const struct tcplan_algorithm *algorithm,
                                                   const struct tcplan_contraction *contraction,
                                                   enum tcplan_operand operand);

/** Sets the copies and the place of beta by the rules of the `blas` space. */
void algorithm_apply_rules(struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction);

/** Returns whether the copies and the place of beta follow the rules of the `blas` space, and no
 * index is split or fused. */
bool algorithm_follows_rules(const struct tcplan_algorithm *algorithm,
                             const struct tcplan_contraction *contraction);

/**
 * Brings an algorithm that algorithm_check() accepts into canonical form, to which its name also
 * parses: splits are numbered from the outermost steps inwards, flags without an effect
 * (transposed, panels, padding, read, starts) are cleared, unused entries are 0.
 */
void algorithm_canonical(struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction);

#endif
