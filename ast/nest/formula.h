/**
 * Prints kernels and slices of a nest in the papers' notation: `C[a,:,c] += A[:,a]^T B[:,:,c]`.
 */
#ifndef AST_NEST_FORMULA_H
#define AST_NEST_FORMULA_H

#include "ast/nest/refine.h"
#include "base/strbuf.h"

/** The two factors of a kernel's formula, from left to right: for each, whether it is a matrix,
 * whether it is transposed, and whether it is conjugated. */
struct formula {
    struct tcplan_slice factor[2];
    bool matrix[2];
    bool transposed[2];
    bool conjugated[2];
    uint64_t summed; /**< indices over which these products are summed */
};

/**
 * Derives the kernel's formula from the dimensions as printed. B becomes the left factor if the
 * result's first spanned dimension is B's, so that rows and columns match. Fused dimensions count
 * as one, so a factor is a matrix if its indices have two roles.
 */
struct formula formula_of(const struct tcplan_refinement *refinement,
                          const struct tcplan_kernel_call *call);

/** The letters after the kernel's name: N, T or C (transposed and conjugated) for each factor
 * that is a matrix, from left to right; empty if neither is. */
struct formula_letters {
    char text[3];
};

struct formula_letters formula_letters(const struct formula *formula);

/**
 * Appends a slice in the papers' notation: `A[:,a]`, `A~[:,:]` for a temporary, `A[:a,:a]` for a
 * diagonal; `A[a:a+7,:]` for a tile of 8, `A[a',:]` for one of its points, `A[:a',:a']` for its
 * diagonal. Dimensions are named if a temporary orders them differently from its tensor, or an
 * addend from the result: `A~[:b,:a']`.
 */
void formula_print_slice(struct strbuf *out, const struct tcplan_refinement *refinement,
                         struct tcplan_slice slice);

/** Appends `sum(i,j) ` if indices are summed over, `sum(k = 1:256:k) ` for steps. */
void formula_print_sum(struct strbuf *out, const struct tcplan_refinement *refinement,
                       uint64_t summed);

/** Appends a slice, as `conj(A[:,a])` if it is conjugated. */
void formula_print_conjugated(struct strbuf *out, const struct tcplan_refinement *refinement,
                              struct tcplan_slice slice, bool conjugated);

/** Appends the source of a copy. If the copy sums over indices, it names them: `sum(i) A[:,i]`. */
void formula_print_source(struct strbuf *out, const struct tcplan_refinement *refinement,
                          struct tcplan_slice from, uint64_t summed);

/**
 * Appends the name of a loop's variable: that of its index; `a` for the first point of a tile;
 * `a'` within a tile, for any point or for the first point of shorter steps.
 */
void formula_print_variable(struct strbuf *out, const struct tcplan_refinement *refinement,
                            int index);

/** Appends the range of a loop: `1:a`, `1:8:a` in steps, `a:a+7` within a tile, `a:2:a+7` within
 * it in steps. */
void formula_print_range(struct strbuf *out, const struct tcplan_refinement *refinement, int index);

/** Appends the condition of the first iteration of some loops: `i = 1, j = 1`; `i' = i` within a
 * tile, `i' = 1` if its steps are included. */
void formula_print_first(struct strbuf *out, const struct tcplan_refinement *refinement,
                         uint64_t loops);

/** Appends the points of a tile, `a:a+7`. */
void formula_print_tile(struct strbuf *out, const struct tcplan_refinement *refinement,
                        struct tile tile);

#endif
