#include "study/conformance/cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct tcplan_conformance_rule tapp_rules[] = {
    {.name = "indices", "free and contracted indices in any order"},
    {.name = "scalars", "tensors without dimensions"},
    {.name = "batch", "indices in A, B and D"},
    {.name = "sums", "sums over indices in one factor only"},
    {.name = "diagonals", "tensors in which an index occurs twice"},
    {.name = "extents", "extents 0 and 1"},
    {.name = "dimensions", "many dimensions, and any 64-bit labels"},
    {.name = "strides", "strides of either sign, permuted and padded"},
    {.name = "zero-strides", "strides 0 of inputs"},
    {.name = "large-strides", "offsets of 2^31 elements and more"},
    {.name = "conjugation", "conjugates of each tensor"},
    {.name = "factors", "real and complex alpha and beta"},
    {.name = "nan", "with beta 0, C is not read; NaN of A and B reach D"},
    {.name = "addend", "C with its own strides, or in place of D"},
    {.name = "aliasing", "A and B may share memory"},
    {.name = "executions", "repeated executions of a plan"},
    {.name = "batches", "several products of one plan", .optional = true},
    {.name = "types", "operands of different types", .optional = true},
    {.name = "bounds", "memory outside of the tensors is not accessed"},
    {.name = "errors", "invalid products are refused"},
    {.name = "random", "random products"},
    {0}};

/**
 * A case: einsum's notation and the extents of indices a, b, ... The layout has a letter for each
 * of A, B, C and D: `.` dense, the first dimension fastest; `r` dense, the last one fastest; `p`
 * padded; `n` negative; `m` of alternating sign; `0` stride 0 in the first dimension; `l` large.
 */
struct named {
    const char *rule;
    const char *name;
    const char *einsum;
    int64_t extent[12];
    const char *layout;                  /* layouts of the tensors; NULL: all are dense */
    void (*change)(struct product *out); /* function that sets the other properties of the case;
                                            NULL: none */
    enum {
        ANY,
        COMPLEX,
        REAL,
        ONE
    } type; /* types of elements for which the case is run; ONE: F64 only */
};

/* Functions that change a case. */

static void add(struct product *out) {
    out->beta = 1;
}
static void add_half(struct product *out) {
    out->alpha = -2;
    out->beta = 0.5;
}
static void add_complex(struct product *out) {
    out->alpha = 1 + 2 * I;
    out->beta = 0.5 - 1 * I;
}
static void set_imaginary(struct product *out) {
    out->alpha = I;
    out->beta = -I;
}
static void set_alpha_0(struct product *out) {
    out->alpha = 0;
    out->beta = 2;
}
static void set_both_0(struct product *out) {
    out->alpha = 0;
}
static void add_in_place(struct product *out) {
    add_half(out);
    out->is_in_place = true;
}
static void write_in_place(struct product *out) {
    out->is_in_place = true;
}
static void omit_C(struct product *out) {
    out->lacks_C = true;
}
static void leave_C_unread(struct product *out) {
    out->unread = 1U << PRODUCT_C;
}
static void leave_D_unread(struct product *out) {
    out->unread = 1U << PRODUCT_D;
}
static void leave_in_place_unread(struct product *out) {
    out->is_in_place = true;
    out->unread = 1U << PRODUCT_C | 1U << PRODUCT_D;
}
static void put_nan_in_A(struct product *out) {
    out->with_nan = 1U << PRODUCT_A;
}
static void put_nan_in_B(struct product *out) {
    out->with_nan = 1U << PRODUCT_B;
}
static void put_nan_in_C(struct product *out) {
    add(out);
    out->with_nan = 1U << PRODUCT_C;
}
static void set_alpha_nan(struct product *out) {
    out->alpha = NAN;
}
static void set_beta_nan(struct product *out) {
    out->beta = NAN;
}
static void share_factors(struct product *out) {
    out->is_one_factor = true;
}
static void execute_twice(struct product *out) {
    add_half(out);
    out->call = PRODUCT_TWICE;
}
static void execute_batch(struct product *out) {
    add_half(out);
    out->call = PRODUCT_BATCHED;
}
static void guard(struct product *out) {
    add_half(out);
    out->is_guarded = true;
}
static void relabel(struct product *out) {
    static const int64_t labels[] = {INT64_MIN, -1, INT64_MAX};
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        for (int d = 0; d < out->tensor[t].rank; d++)
            out->tensor[t].index[d] = labels[(out->tensor[t].index[d] - 'a') % 3];
    }
}
static void conjugate(struct product *out, unsigned tensors) {
    out->alpha = 1 - 2 * I;
    out->beta = 0.5 + 1 * I;
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        if (tensors >> t & 1) out->tensor[t].op = TAPP_CONJUGATE;
    }
}
static void conjugate_A(struct product *out) {
    conjugate(out, 1U << PRODUCT_A);
}
static void conjugate_B(struct product *out) {
    conjugate(out, 1U << PRODUCT_B);
}
static void conjugate_C(struct product *out) {
    conjugate(out, 1U << PRODUCT_C);
}
static void conjugate_D(struct product *out) {
    conjugate(out, 1U << PRODUCT_D);
}
static void conjugate_both(struct product *out) {
    conjugate(out, 1U << PRODUCT_A | 1U << PRODUCT_B);
}
static void conjugate_all(struct product *out) {
    conjugate(out, 15);
}
static void conjugate_real(struct product *out) {
    conjugate(out, 15);
    out->alpha = 1;
    out->beta = 0.5;
}
static void conjugate_C_in_place(struct product *out) {
    conjugate_C(out);
    out->is_in_place = true;
}
static void conjugate_scalar_C(struct product *out) {
    conjugate_C(out);
    out->alpha = 0;
}
static void set_types(struct product *out, TAPP_datatype A, TAPP_datatype B, TAPP_datatype D) {
    const TAPP_datatype type[PRODUCT_TENSORS] = {A, B, D, D};
    for (int t = 0; t < PRODUCT_TENSORS; t++) out->tensor[t].type = type[t];
    out->beta = 0.5;
}
static void mix_real(struct product *out) {
    set_types(out, TAPP_F32, TAPP_F64, TAPP_F64);
}
static void mix_real_complex(struct product *out) {
    set_types(out, TAPP_F64, TAPP_C64, TAPP_C64);
}
static void mix_complex_real(struct product *out) {
    set_types(out, TAPP_C64, TAPP_F64, TAPP_C64);
}
static void mix_narrow_D(struct product *out) {
    set_types(out, TAPP_F64, TAPP_F64, TAPP_F32);
}
static void mix_C(struct product *out) {
    set_types(out, TAPP_F64, TAPP_F64, TAPP_F64);
    out->tensor[PRODUCT_C].type = TAPP_F32;
}

/* Invalid products: one property of `ab,bc->ac` is wrong. */

static void break_extent_A(struct product *out) {
    out->tensor[PRODUCT_A].extent[1] = 3;
}
static void break_extent_D(struct product *out) {
    out->tensor[PRODUCT_C].extent[0] = out->tensor[PRODUCT_D].extent[0] = 1;
}
static void break_extent_D_of_B(struct product *out) {
    out->tensor[PRODUCT_C].extent[1] = out->tensor[PRODUCT_D].extent[1] = 1;
}
static void break_index_D(struct product *out) {
    out->tensor[PRODUCT_C].index[1] = out->tensor[PRODUCT_D].index[1] = 'z';
}
static void break_rank_C(struct product *out) {
    out->tensor[PRODUCT_C].rank = 1;
    out->beta = 1;
}
static void break_index_C(struct product *out) {
    out->tensor[PRODUCT_C].index[0] = 'c';
    out->tensor[PRODUCT_C].index[1] = 'a';
    out->beta = 1;
}
static void break_extent_C(struct product *out) {
    out->tensor[PRODUCT_C].extent[0] = 1;
    out->beta = 1;
}
static void break_C(struct product *out) {
    out->lacks_C = true;
    out->beta = 1;
}
static void overlap_D(struct product *out) {
    out->tensor[PRODUCT_D].stride[1] = 1;
}
static void collapse_D(struct product *out) {
    out->tensor[PRODUCT_D].stride[0] = 0;
}
static void negate_rank(struct product *out) {
    out->tensor[PRODUCT_A].rank = -1;
}
static void negate_extent(struct product *out) {
    out->tensor[PRODUCT_A].extent[0] = -2;
}
static void break_diagonal_A(struct product *out) {
    out->tensor[PRODUCT_A].extent[1] = 3;
}
static void break_diagonal_B(struct product *out) {
    out->tensor[PRODUCT_B].extent[1] = 3;
}
static void break_diagonal_D(struct product *out) {
    out->tensor[PRODUCT_D].extent[1] = out->tensor[PRODUCT_C].extent[1] = 3;
    product_make_dense(&out->tensor[PRODUCT_D]);
}

/* clang-format off */
static const struct named named[] = {
    {.rule = "indices", "matrix product", "ab,bc->ac", {3, 4, 5}},
    {.rule = "indices", "B times A", "bc,ab->ac", {3, 4, 5}},
    {.rule = "indices", "transposed A", "ba,bc->ac", {3, 4, 5}},
    {.rule = "indices", "transposed D", "ab,bc->ca", {3, 4, 5}},
    {.rule = "indices", "two contracted indices", "abc,cdb->da", {3, 4, 2, 5}},
    {.rule = "indices", "result of four dimensions", "aebf,fced->bdca", {2, 3, 4, 2, 3, 2}},
    {.rule = "indices", "outer product", "ab,cd->acbd", {2, 3, 4, 2}},
    {.rule = "indices", "inner product", "ab,ba->", {3, 4}},
    {.rule = "indices", "matrix and vector", "ab,b->a", {5, 7}},
    {.rule = "indices", "larger than a cache line", "ab,bc->ac", {37, 41, 29}},
    {.rule = "scalars", "all are scalars", ",->", {0}},
    {.rule = "scalars", "A is a scalar", ",ab->ba", {3, 4}},
    {.rule = "scalars", "B is a scalar", "ab,->ab", {3, 4}},
    {.rule = "scalars", "D is a scalar", "a,a->", {7}},
    {.rule = "batch", "batch alone", "a,a->a", {7}},
    {.rule = "batch", "matrix products", "zab,zbc->zac", {3, 2, 4, 2}},
    {.rule = "batch", "batch index in the middle", "abc,cbd->dba", {3, 4, 2, 5}},
    {.rule = "batch", "batch and outer product", "ab,cb->abc", {3, 4, 5}},
    {.rule = "batch", "two batch indices", "abc,bac->ba", {3, 4, 5}},
    {.rule = "sums", "index in A only", "ab,c->ac", {3, 4, 5}},
    {.rule = "sums", "index in B only", "a,bc->ac", {3, 4, 5}},
    {.rule = "sums", "in both factors", "ab,cd->ac", {3, 4, 5, 2}},
    {.rule = "sums", "and a contracted index", "abc,cd->ad", {3, 4, 5, 2}},
    {.rule = "sums", "of all", "a,b->", {3, 4}},
    {.rule = "diagonals", "of A", "aab,bc->ac", {3, 4, 5}},
    {.rule = "diagonals", "of B", "ab,bcb->ac", {3, 4, 5}},
    {.rule = "diagonals", "of D", "ab,ba->aa", {3, 4}},
    {.rule = "diagonals", "of D, which has another index as well", "ab,bc->aca", {3, 4, 2}},
    {.rule = "diagonals", "trace of A", "aa,b->b", {3, 4}},
    {.rule = "diagonals", "contracted", "aab,ac->bc", {3, 4, 5}},
    {.rule = "diagonals", "thrice in A", "aaa,ab->b", {3, 4}},
    {.rule = "extents", "all 1", "ab,bc->ac", {1, 1, 1}},
    {.rule = "extents", "free index of 1", "ab,bc->ac", {1, 4, 5}},
    {.rule = "extents", "contracted index of 1", "ab,bc->ac", {3, 1, 5}},
    {.rule = "extents", "free index of 0", "ab,bc->ac", {0, 4, 5}},
    {.rule = "extents", "contracted index of 0 writes 0", "ab,bc->ac", {3, 0, 5}},
    {.rule = "extents", "contracted index of 0 adds C", "ab,bc->ac", {3, 0, 5}, NULL, add_half},
    {.rule = "extents", "summed index of 0", "ab,c->ac", {3, 0, 5}},
    {.rule = "extents", "batch index of 0", "ab,ab->ab", {3, 0}},
    {.rule = "dimensions", "ten dimensions", "abcdefghij,jihgfedcbk->ka", {2, 2, 1, 2, 2, 1, 2, 2, 2, 2, 3}},
    {.rule = "dimensions", "twelve dimensions", "abcdefghijkl,a->lkjihgfedcb", {2, 1, 2, 1, 2, 2, 1, 2, 2, 1, 2, 2}},
    {.rule = "dimensions", "labels of 64 bits", "ab,bc->ac", {3, 4, 5}, NULL, relabel},
    {.rule = "strides", "negative A", "ab,bc->ac", {3, 4, 5}, "n..."},
    {.rule = "strides", "negative B", "ab,bc->ac", {3, 4, 5}, ".n.."},
    {.rule = "strides", "negative C", "ab,bc->ac", {3, 4, 5}, "..n.", add_half},
    {.rule = "strides", "negative D", "ab,bc->ac", {3, 4, 5}, "...n"},
    {.rule = "strides", "all negative", "ab,bc->ac", {3, 4, 5}, "nnnn", add_half},
    {.rule = "strides", "mixed signs", "abc,cbd->ad", {3, 4, 5, 2}, "mmmm", add_half},
    {.rule = "strides", "mixed signs, batch", "abc,bcd->bad", {3, 4, 5, 2}, "mmmm", add_half},
    {.rule = "strides", "mixed signs, diagonal", "aab,bc->ac", {3, 4, 5}, "mmmm", add_half},
    {.rule = "strides", "row-major", "ab,bc->ac", {3, 4, 5}, "rrrr"},
    {.rule = "strides", "padded A and B", "ab,bc->ac", {3, 4, 5}, "pp.."},
    {.rule = "strides", "padded D", "ab,bc->ac", {3, 4, 5}, "..pp", add_half},
    {.rule = "strides", "padded vectors", "a,b->ab", {3, 4}, "ppp."},
    {.rule = "zero-strides", "A", "ab,bc->ac", {3, 4, 5}, "0..."},
    {.rule = "zero-strides", "B", "ab,bc->ac", {3, 4, 5}, ".0.."},
    {.rule = "zero-strides", "C", "ab,bc->ac", {3, 4, 5}, "..0.", add_half},
    {.rule = "zero-strides", "summed index", "ab,c->bc", {3, 4, 5}, "0..."},
    {.rule = "large-strides", "A", "ab,bc->ac", {2, 2, 3}, "l...", NULL, ONE},
    {.rule = "large-strides", "B", "ab,bc->ac", {2, 2, 2}, ".l..", NULL, ONE},
    {.rule = "large-strides", "C", "ab,bc->ac", {2, 2, 2}, "..l.", add_half, ONE},
    {.rule = "large-strides", "D", "ab,bc->ac", {2, 2, 2}, "...l", NULL, ONE},
    {.rule = "conjugation", "A", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_A, COMPLEX},
    {.rule = "conjugation", "B", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_B, COMPLEX},
    {.rule = "conjugation", "C", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_C, COMPLEX},
    {.rule = "conjugation", "D", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_D, COMPLEX},
    {.rule = "conjugation", "A and B", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_both, COMPLEX},
    {.rule = "conjugation", "all", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_all, COMPLEX},
    {.rule = "conjugation", "C in place of D", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_C_in_place, COMPLEX},
    {.rule = "conjugation", "C alone", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_scalar_C, COMPLEX},
    {.rule = "conjugation", "summed index of A", "ab,c->ac", {3, 4, 5}, NULL, conjugate_A, COMPLEX},
    {.rule = "conjugation", "batch", "a,a->a", {5}, NULL, conjugate_both, COMPLEX},
    {.rule = "conjugation", "inner product", "a,a->", {5}, NULL, conjugate_A, COMPLEX},
    {.rule = "conjugation", "of real tensors", "ab,bc->ac", {3, 4, 5}, NULL, conjugate_real, REAL},
    {.rule = "factors", "beta 1", "ab,bc->ac", {3, 4, 5}, NULL, add},
    {.rule = "factors", "alpha -2, beta 0.5", "ab,bc->ac", {3, 4, 5}, NULL, add_half},
    {.rule = "factors", "complex", "ab,bc->ac", {3, 4, 5}, NULL, add_complex, COMPLEX},
    {.rule = "factors", "imaginary", "ab,bc->ac", {3, 4, 5}, NULL, set_imaginary, COMPLEX},
    {.rule = "factors", "alpha 0", "ab,bc->ac", {3, 4, 5}, NULL, set_alpha_0},
    {.rule = "factors", "both 0", "ab,bc->ac", {3, 4, 5}, NULL, set_both_0},
    {.rule = "factors", "batch", "a,a->a", {5}, NULL, add_half},
    {.rule = "factors", "sums", "ab,c->ac", {3, 4, 5}, NULL, add_half},
    {.rule = "nan", "C, beta 0", "ab,bc->ac", {3, 4, 5}, NULL, leave_C_unread},
    {.rule = "nan", "D", "ab,bc->ac", {3, 4, 5}, NULL, leave_D_unread},
    {.rule = "nan", "C in place of D, beta 0", "ab,bc->ac", {3, 4, 5}, NULL, leave_in_place_unread},
    {.rule = "nan", "C in place of D, beta 0, batch", "a,a->a", {5}, NULL, leave_in_place_unread},
    {.rule = "nan", "C in place of D, beta 0, inner product", "a,a->", {5}, NULL, leave_in_place_unread},
    {.rule = "nan", "element of A", "ab,bc->ac", {3, 4, 5}, NULL, put_nan_in_A},
    {.rule = "nan", "element of B", "ab,bc->ac", {3, 4, 5}, NULL, put_nan_in_B},
    {.rule = "nan", "element of C", "ab,bc->ac", {3, 4, 5}, NULL, put_nan_in_C},
    {.rule = "nan", "alpha", "ab,bc->ac", {3, 4, 5}, NULL, set_alpha_nan, REAL},
    {.rule = "nan", "beta", "ab,bc->ac", {3, 4, 5}, NULL, set_beta_nan, REAL},
    {.rule = "addend", "C row-major", "ab,bc->ac", {3, 4, 5}, "..r.", add_half},
    {.rule = "addend", "C padded", "ab,bc->ac", {3, 4, 5}, "..p.", add_half},
    {.rule = "addend", "C in place of D", "ab,bc->ac", {3, 4, 5}, NULL, add_in_place},
    {.rule = "addend", "C in place of D, padded", "ab,bc->ac", {3, 4, 5}, "..pp", add_in_place},
    {.rule = "addend", "C in place of D, beta 0", "ab,bc->ac", {3, 4, 5}, NULL, write_in_place},
    {.rule = "addend", "C is NULL, beta 0", "ab,bc->ac", {3, 4, 5}, NULL, omit_C},
    {.rule = "addend", "C of a diagonal", "ab,ba->aa", {3, 4}, NULL, add_half},
    {.rule = "aliasing", "A is B", "ab,bc->ac", {4, 4, 4}, NULL, share_factors},
    {.rule = "aliasing", "A is B, transposed", "ab,cb->ac", {4, 3, 4}, NULL, share_factors},
    {.rule = "executions", "twice", "ab,bc->ac", {3, 4, 5}, NULL, execute_twice},
    {.rule = "batches", "two products", "ab,bc->ac", {3, 4, 5}, NULL, execute_batch},
    {.rule = "types", "F32 and F64", "ab,bc->ac", {3, 4, 5}, NULL, mix_real, ONE},
    {.rule = "types", "F64 and C64", "ab,bc->ac", {3, 4, 5}, NULL, mix_real_complex, ONE},
    {.rule = "types", "C64 and F64", "ab,bc->ac", {3, 4, 5}, NULL, mix_complex_real, ONE},
    {.rule = "types", "F64 to F32", "ab,bc->ac", {3, 4, 5}, NULL, mix_narrow_D, ONE},
    {.rule = "types", "F32 added", "ab,bc->ac", {3, 4, 5}, NULL, mix_C, ONE},
    {.rule = "bounds", "matrix product", "ab,bc->ac", {3, 4, 5}, NULL, guard},
    {.rule = "bounds", "row-major", "ab,bc->ac", {3, 4, 5}, "rrrr", guard},
    {.rule = "bounds", "padded", "ab,bc->ac", {5, 3, 7}, "pppp", guard},
    {.rule = "bounds", "larger", "ab,bc->ac", {37, 41, 29}, NULL, guard},
    {.rule = "bounds", "negative strides", "ab,bc->ac", {7, 5, 3}, "nnnn", guard},
    {.rule = "bounds", "inner product", "a,a->", {7}, NULL, guard},
    {.rule = "bounds", "matrix and vector", "ab,b->a", {13, 11}, NULL, guard},
    {.rule = "bounds", "outer product", "a,b->ab", {5, 9}, NULL, guard},
    {.rule = "bounds", "batch", "ab,ab->ab", {5, 9}, NULL, guard},
    {.rule = "errors", "extents of A and B differ", "ab,bc->ac", {2, 2, 2}, NULL, break_extent_A, ONE},
    {.rule = "errors", "extents of A and D differ", "ab,bc->ac", {2, 2, 2}, NULL, break_extent_D, ONE},
    {.rule = "errors", "extents of B and D differ", "ab,bc->ac", {2, 2, 2}, NULL, break_extent_D_of_B, ONE},
    {.rule = "errors", "index in D only", "ab,bc->ac", {2, 2, 2}, NULL, break_index_D, ONE},
    {.rule = "errors", "C has another rank", "ab,bc->ac", {2, 2, 2}, NULL, break_rank_C, ONE},
    {.rule = "errors", "C has other indices", "ab,bc->ac", {2, 2, 2}, NULL, break_index_C, ONE},
    {.rule = "errors", "C has another extent", "ab,bc->ac", {2, 2, 2}, NULL, break_extent_C, ONE},
    {.rule = "errors", "C is NULL, beta 1", "ab,bc->ac", {2, 2, 2}, NULL, break_C, ONE},
    {.rule = "errors", "elements of D overlap", "ab,bc->ac", {2, 2, 2}, NULL, overlap_D, ONE},
    {.rule = "errors", "stride 0 in D", "ab,bc->ac", {2, 2, 2}, NULL, collapse_D, ONE},
    {.rule = "errors", "negative rank", "ab,bc->ac", {2, 2, 2}, NULL, negate_rank, ONE},
    {.rule = "errors", "negative extent", "ab,bc->ac", {2, 2, 2}, NULL, negate_extent, ONE},
    {.rule = "errors", "extents of a diagonal of A differ", "aa,ab->ab", {2, 2}, NULL, break_diagonal_A, ONE},
    {.rule = "errors", "extents of a diagonal of B differ", "ab,bb->ab", {2, 2}, NULL, break_diagonal_B, ONE},
    {.rule = "errors", "extents of a diagonal of D differ", "ab,ba->aa", {2, 2}, NULL, break_diagonal_D, ONE},
};
/* clang-format on */
enum { NAMED = sizeof named / sizeof *named };

const struct tcplan_conformance_rule *rules_of(enum tcplan_conformance_kind kind) {
    return kind == TCPLAN_CONFORMANCE_TAPP ? tapp_rules : cblas_rules;
}

const char *type_name(TAPP_datatype type) {
    static const char *const names[] = {"F32", "F64", "C32", "C64"};
    return names[type];
}

/** Sets the strides of a tensor for the layout denoted by a letter (see struct named). */
static void lay_out(struct product_tensor *tensor, char layout) {
    int64_t stride = 1;
    for (int i = 0; i < tensor->rank; i++) {
        const int d = layout == 'r' ? tensor->rank - 1 - i : i;
        if (layout == 'p') stride = 2 * stride + i;
        if (layout == 'l' && i == tensor->rank - 1) stride = INT64_C(0x80000003);
        const bool is_negative = layout == 'n' || (layout == 'm' && i % 2 == 0);
        tensor->stride[d] = is_negative ? -stride : layout == '0' && i == 0 ? 0 : stride;
        if (tensor->extent[d] > 0) stride *= tensor->extent[d];
    }
}

static void set_tensor(struct product_tensor *out, const struct named *from, const char *indices,
                       int t, TAPP_datatype type) {
    *out = (struct product_tensor){.type = type, .op = TAPP_IDENTITY};
    for (; *indices >= 'a' && *indices <= 'z'; indices++) {
        const int letter =
            *indices == 'z' ? 3 : *indices - 'a'; /* the batch index z has extent number 3, the
                                                     index a extent number 0 */
        out->index[out->rank] = *indices;
        out->extent[out->rank++] = from->extent[letter];
    }
    lay_out(out, from->layout ? from->layout[t] : '.');
}

static void make(struct product *out, const struct named *from, TAPP_datatype type) {
    const char *B = strchr(from->einsum, ',') + 1, *D = strchr(from->einsum, '>') + 1;
    const char *const indices[PRODUCT_TENSORS] = {from->einsum, B, D, D};
    *out = (struct product){.alpha = 1, .prec = TAPP_DEFAULT_PREC};
    for (int t = 0; t < PRODUCT_TENSORS; t++)
        set_tensor(&out->tensor[t], from, indices[t], t, type);
    if (from->change) from->change(out);
    out->is_invalid = strcmp(from->rule, "errors") == 0;
}

static bool is_for(const struct named *from, TAPP_datatype type) {
    switch (from->type) {
    case ANY: return true;
    case COMPLEX: return product_is_complex(type);
    case REAL: return !product_is_complex(type);
    case ONE: return type == TAPP_F64;
    }
    return false;
}

bool case_of(struct named_product *out, enum tcplan_conformance_kind kind, int number) {
    if (kind == TCPLAN_CONFORMANCE_CBLAS) return cblas_case(out, number);
    for (int n = 0; n < NAMED; n++) {
        for (TAPP_datatype type = TAPP_F32; type <= TAPP_C64; type++) {
            if (!is_for(&named[n], type) || number-- > 0) continue;
            out->rule = named[n].rule;
            snprintf(out->name, sizeof out->name, "%s (%s)", named[n].name, type_name(type));
            make(&out->product, &named[n], type);
            return true;
        }
    }
    return false;
}

void case_draw(struct named_product *out, enum tcplan_conformance_kind kind, uint64_t seed,
               int number) {
    const uint64_t own = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)number;
    out->rule = "random";
    snprintf(out->name, sizeof out->name, "random %d", number);
    if (kind == TCPLAN_CONFORMANCE_TAPP)
        product_draw(&out->product, own);
    else
        cblas_draw(&out->product, own);
}
