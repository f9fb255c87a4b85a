/**
 * How the kernels and slices of a nest are written down: `C[a,:,c] += A[:,a]^T B[:,:,c]`.
 */
#ifndef AST_FORMULA_H
#define AST_FORMULA_H

#include "base/strbuf.h"
#include "tcplan/nest.h"

/** The two factors of a kernel's formula, left to right, and whether each is transposed. */
struct formula {
    struct tcplan_slice factor[2];
    bool transposed[2];
};

/**
 * The formula of a kernel, read by dimensions in the order of the tensors. A result whose first spanned dimension is B's has B as its left
 * factor, so that rows and columns match.
 */
struct formula formula_of(const struct tcplan_contraction *contraction, const struct tcplan_kernel_call *call);

/** The letters behind the kernel's name: N or T for each factor that is a matrix, left to right; empty where none is. */
struct formula_letters {
    char text[3];
};

struct formula_letters formula_letters(const struct formula *formula);

/** Appends a slice in the papers' notation: `A[:,a]`, `A~[:,:]` for a temporary, `A[:a,:a]` for a diagonal. */
void formula_print_slice(struct strbuf *out, const struct tcplan_contraction *contraction, struct tcplan_slice slice);

#endif
