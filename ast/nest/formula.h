/**
 * How the kernels and slices of a nest are written down: `C[a,:,c] += A[:,a]^T B[:,:,c]`.
 */
#ifndef AST_NEST_FORMULA_H
#define AST_NEST_FORMULA_H

#include "ast/nest/refine.h"
#include "base/strbuf.h"

/** The two factors of a kernel's formula, left to right, whether each is a matrix and whether it is
 * transposed. */
struct formula {
    struct tcplan_slice factor[2];
    bool matrix[2];
    bool transposed[2];
    bool conjugated[2];
    uint64_t summed; /**< indices over which products of these are added up */
};

/**
 * The formula of a kernel, read by dimensions as they are written. A result whose first spanned
 * dimension is B's has B as its left factor, so that rows and columns match. Fused dimensions are
 * one: a matrix is what has indices in two roles.
 */
struct formula formula_of(const struct tcplan_refinement *refinement,
                          const struct tcplan_kernel_call *call);

/** The letters behind the kernel's name: N, T or C (transposed and conjugated) for each factor that
 * is a matrix, left to right; empty where none is. */
struct formula_letters {
    char text[3];
};

struct formula_letters formula_letters(const struct formula *formula);

/**
 * Appends a slice in the papers' notation: `A[:,a]`, `A~[:,:]` for a temporary, `A[:a,:a]` for a
 * diagonal; `A[a:a+7,:]` for a tile of 8, `A[a',:]` for one of its points, `A[:a',:a']` for its
 * diagonal. A temporary whose dimensions are in another order than its tensor's names them:
 * `A~[:b,:a']`; so does an addend whose are in another order than the result's.
 */
void formula_print_slice(struct strbuf *out, const struct tcplan_refinement *refinement,
                         struct tcplan_slice slice);

/** Appends `sum(i,j) ` where something is summed over, `sum(k = 1:256:k) ` of steps. */
void formula_print_sum(struct strbuf *out, const struct tcplan_refinement *refinement,
                       uint64_t summed);

/** Appends a slice, `conj(A[:,a])` where it is conjugated. */
void formula_print_conjugated(struct strbuf *out, const struct tcplan_refinement *refinement,
                              struct tcplan_slice slice, bool conjugated);

/** Appends what a copy reads: its source, with `sum(i,j) ` before it where it sums over indices,
 * which are named: `sum(i) A[:,i]`. */
void formula_print_source(struct strbuf *out, const struct tcplan_refinement *refinement,
                          struct tcplan_slice from, uint64_t summed);

/**
 * Appends the name of a loop's variable: an index, `a` for the first point of a tile, `a'` within
 * one, for any point or the first one of shorter steps.
 */
void formula_print_variable(struct strbuf *out, const struct tcplan_refinement *refinement,
                            int index);

/** Appends what a loop runs over: `1:a`, `1:8:a` in steps, `a:a+7` within a tile, `a:2:a+7` within
 * it in steps. */
void formula_print_range(struct strbuf *out, const struct tcplan_refinement *refinement, int index);

/** Appends which iteration of the loops in a set is the first: `i = 1, j = 1`; `i' = i` within a
 * tile, `i' = 1` where its steps count, too. */
void formula_print_first(struct strbuf *out, const struct tcplan_refinement *refinement,
                         uint64_t loops);

/** Appends the points of a tile, `a:a+7`. */
void formula_print_tile(struct strbuf *out, const struct tcplan_refinement *refinement,
                        struct tile tile);

#endif
