#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "study/conformance/cases.h"

const struct tcplan_conformance_rule cblas_rules[] = {
    {.name = "gemm", "products of matrices, transposed and not, in both orders"},
    {.name = "gemv", "matrix times vector"},
    {.name = "ger", "outer product"},
    {.name = "dot", "inner product"},
    {.name = "axpy", "scaled sum of vectors"},
    {.name = "leading", "leading dimensions larger than the matrix"},
    {.name = "increments", "increments of either sign"},
    {.name = "extents", "extents 0 and 1"},
    {.name = "conjugation", "conjugated matrices and vectors"},
    {.name = "factors", "alpha and beta"},
    {.name = "nan", "with beta 0, C is not read; NaN of A and B reach it"},
    {.name = "alpha-0", "with alpha 0, A and B are not read"},
    {.name = "bounds", "memory outside of the operands is not accessed"},
    {.name = "random", "random calls"},
    {0}};

static const unsigned A = 1U << PRODUCT_A, B = 1U << PRODUCT_B;

/* A product with the indices a, b and c. */

static void set_vector(struct product_tensor *out, int64_t index, int64_t extent, int step) {
    out->rank = 1;
    out->index[0] = index;
    out->extent[0] = extent;
    out->stride[0] = step != 0 ? step : 1;
}

static void set_matrix(struct product *product, int t, const char *indices, int rows, int columns,
                       int pad) {
    struct product_tensor *out = &product->tensor[t];
    const bool is_transposed = product->transposed >> t & 1;
    const bool is_row_major = product->is_row_major != is_transposed;
    const int64_t fast = is_row_major ? columns : rows;
    *out = (struct product_tensor){.type = out->type,
                                   .op = out->op,
                                   .rank = 2,
                                   .index = {indices[0], indices[1]},
                                   .extent = {rows, columns}};
    out->stride[is_row_major ? 1 : 0] = 1;
    out->stride[is_row_major ? 0 : 1] = (fast > 1 ? fast : 1) + pad;
}

void cblas_product(struct product *out, const struct cblas_shape *shape, TAPP_datatype type) {
    const int m = shape->m, n = shape->n, k = shape->k, pad = shape->pad;
    struct product_tensor *tensor = out->tensor;
    *out = (struct product){.alpha = 1,
                            .prec = TAPP_DEFAULT_PREC,
                            .is_in_place = true,
                            .routine = shape->routine,
                            .is_row_major = shape->is_row_major,
                            .transposed = shape->transposed};
    for (int t = 0; t < PRODUCT_TENSORS; t++) {
        tensor[t].type = type;
        tensor[t].op = shape->conjugated >> t & 1 ? TAPP_CONJUGATE : TAPP_IDENTITY;
    }
    switch (shape->routine) {
    case CBLAS_GEMM:
        set_matrix(out, PRODUCT_A, "ac", m, k, pad);
        set_matrix(out, PRODUCT_B, "cb", k, n, pad);
        set_matrix(out, PRODUCT_D, "ab", m, n, pad);
        break;
    case CBLAS_GEMV:
        set_matrix(out, PRODUCT_A, "ac", m, k, pad);
        set_vector(&tensor[PRODUCT_B], 'c', k, shape->step_x);
        set_vector(&tensor[PRODUCT_D], 'a', m, shape->step_y);
        break;
    case CBLAS_GER:
        set_vector(&tensor[PRODUCT_A], 'a', m, shape->step_x);
        set_vector(&tensor[PRODUCT_B], 'b', n, shape->step_y);
        set_matrix(out, PRODUCT_D, "ab", m, n, pad);
        out->beta = 1;
        break;
    case CBLAS_DOT:
        set_vector(&tensor[PRODUCT_A], 'c', k, shape->step_x);
        set_vector(&tensor[PRODUCT_B], 'c', k, shape->step_y);
        break;
    case CBLAS_AXPY:
        set_vector(&tensor[PRODUCT_A], 'a', m, shape->step_x);
        set_vector(&tensor[PRODUCT_D], 'a', m, shape->step_y);
        out->beta = 1;
        break;
    case CBLAS_NONE: break;
    }
    tensor[PRODUCT_C] = tensor[PRODUCT_D];
}

/* Cases. */

enum what { PLAIN, GUARDED, ADDED, UNREAD, UNREAD_FACTORS, NAN_A, NAN_B, NAN_C };

/* clang-format off */
static const struct named {
    const char *rule;
    const char *name;
    struct cblas_shape shape;
    enum what what;
} named[] = {
    {.rule = "gemm", "NN", {.routine = CBLAS_GEMM, 5, 4, 3}, PLAIN},
    {.rule = "gemm", "TN", {.routine = CBLAS_GEMM, 5, 4, 3, false, 1U << PRODUCT_A}, PLAIN},
    {.rule = "gemm", "NT", {.routine = CBLAS_GEMM, 5, 4, 3, false, 1U << PRODUCT_B}, PLAIN},
    {.rule = "gemm", "TT", {.routine = CBLAS_GEMM, 5, 4, 3, false, 1U << PRODUCT_A | 1U << PRODUCT_B}, PLAIN},
    {.rule = "gemm", "NN, row-major", {.routine = CBLAS_GEMM, 5, 4, 3, true}, PLAIN},
    {.rule = "gemm", "TN, row-major", {.routine = CBLAS_GEMM, 5, 4, 3, true, 1U << PRODUCT_A}, PLAIN},
    {.rule = "gemm", "NT, row-major", {.routine = CBLAS_GEMM, 5, 4, 3, true, 1U << PRODUCT_B}, PLAIN},
    {.rule = "gemm", "TT, row-major", {.routine = CBLAS_GEMM, 5, 4, 3, true, 1U << PRODUCT_A | 1U << PRODUCT_B}, PLAIN},
    {.rule = "gemm", "larger than a block", {.routine = CBLAS_GEMM, 131, 67, 259}, ADDED},
    {.rule = "gemm", "long inner dimension", {.routine = CBLAS_GEMM, 3, 2, 2049}, ADDED},
    {.rule = "gemv", "N", {.routine = CBLAS_GEMV, 7, 0, 5}, PLAIN},
    {.rule = "gemv", "T", {.routine = CBLAS_GEMV, 7, 0, 5, false, 1U << PRODUCT_A}, PLAIN},
    {.rule = "gemv", "N, row-major", {.routine = CBLAS_GEMV, 7, 0, 5, true}, PLAIN},
    {.rule = "gemv", "T, row-major", {.routine = CBLAS_GEMV, 7, 0, 5, true, 1U << PRODUCT_A}, PLAIN},
    {.rule = "gemv", "larger", {.routine = CBLAS_GEMV, 201, 0, 103}, ADDED},
    {.rule = "ger", "column-major", {.routine = CBLAS_GER, 7, 5, 0}, PLAIN},
    {.rule = "ger", "row-major", {.routine = CBLAS_GER, 7, 5, 0, true}, PLAIN},
    {.rule = "dot", "short", {.routine = CBLAS_DOT, 0, 0, 7}, PLAIN},
    {.rule = "dot", "long", {.routine = CBLAS_DOT, 0, 0, 1031}, PLAIN},
    {.rule = "axpy", "short", {.routine = CBLAS_AXPY, 7}, PLAIN},
    {.rule = "axpy", "long", {.routine = CBLAS_AXPY, 1031}, PLAIN},
    {.rule = "leading", "gemm", {.routine = CBLAS_GEMM, 5, 4, 3, .pad = 3}, ADDED},
    {.rule = "leading", "gemm, TT", {.routine = CBLAS_GEMM, 5, 4, 3, false, 1U << PRODUCT_A | 1U << PRODUCT_B, .pad = 3}, ADDED},
    {.rule = "leading", "gemm, row-major", {.routine = CBLAS_GEMM, 5, 4, 3, true, .pad = 3}, ADDED},
    {.rule = "leading", "gemv", {.routine = CBLAS_GEMV, 5, 0, 3, .pad = 3}, ADDED},
    {.rule = "leading", "ger", {.routine = CBLAS_GER, 5, 3, 0, .pad = 3}, PLAIN},
    {.rule = "increments", "gemv, 2 and 3", {.routine = CBLAS_GEMV, 5, 0, 7, .step_x = 2, .step_y = 3}, ADDED},
    {.rule = "increments", "gemv, -1 and -2", {.routine = CBLAS_GEMV, 5, 0, 7, .step_x = -1, .step_y = -2}, ADDED},
    {.rule = "increments", "gemv, T, -2 and 3", {.routine = CBLAS_GEMV, 5, 0, 7, false, 1U << PRODUCT_A, .step_x = -2, .step_y = 3}, ADDED},
    {.rule = "increments", "ger, -2 and 3", {.routine = CBLAS_GER, 5, 7, 0, .step_x = -2, .step_y = 3}, PLAIN},
    {.rule = "increments", "ger, 2 and -1", {.routine = CBLAS_GER, 5, 7, 0, .step_x = 2, .step_y = -1}, PLAIN},
    {.rule = "increments", "dot, 2 and 3", {.routine = CBLAS_DOT, 0, 0, 7, .step_x = 2, .step_y = 3}, PLAIN},
    {.rule = "increments", "dot, -1 and 2", {.routine = CBLAS_DOT, 0, 0, 7, .step_x = -1, .step_y = 2}, PLAIN},
    {.rule = "increments", "dot, -3 and -2", {.routine = CBLAS_DOT, 0, 0, 7, .step_x = -3, .step_y = -2}, PLAIN},
    {.rule = "increments", "axpy, -1 and 2", {.routine = CBLAS_AXPY, 7, .step_x = -1, .step_y = 2}, PLAIN},
    {.rule = "increments", "axpy, 3 and -2", {.routine = CBLAS_AXPY, 7, .step_x = 3, .step_y = -2}, PLAIN},
    {.rule = "extents", "gemm, all 1", {.routine = CBLAS_GEMM, 1, 1, 1}, ADDED},
    {.rule = "extents", "gemm, m 0", {.routine = CBLAS_GEMM, 0, 4, 3}, PLAIN},
    {.rule = "extents", "gemm, k 0 writes 0", {.routine = CBLAS_GEMM, 5, 4, 0}, PLAIN},
    {.rule = "extents", "gemm, k 0 scales C", {.routine = CBLAS_GEMM, 5, 4, 0}, ADDED},
    {.rule = "extents", "gemv, all 1", {.routine = CBLAS_GEMV, 1, 0, 1}, ADDED},
    {.rule = "extents", "gemv, m 0", {.routine = CBLAS_GEMV, 0, 0, 3}, PLAIN},
    {.rule = "extents", "ger, n 0", {.routine = CBLAS_GER, 5, 0, 0}, PLAIN},
    {.rule = "extents", "dot, 0", {.routine = CBLAS_DOT, 0, 0, 0}, PLAIN},
    {.rule = "extents", "axpy, 0", {.routine = CBLAS_AXPY, 0}, PLAIN},
    {.rule = "conjugation", "gemm, CN", {.routine = CBLAS_GEMM, 5, 4, 3, false, 1U << PRODUCT_A, 1U << PRODUCT_A}, ADDED},
    {.rule = "conjugation", "gemm, NC", {.routine = CBLAS_GEMM, 5, 4, 3, false, 1U << PRODUCT_B, 1U << PRODUCT_B}, ADDED},
    {.rule = "conjugation", "gemm, CC", {.routine = CBLAS_GEMM, 5, 4, 3, false, 3, 3}, ADDED},
    {.rule = "conjugation", "gemm, CC, row-major", {.routine = CBLAS_GEMM, 5, 4, 3, true, 3, 3}, ADDED},
    {.rule = "conjugation", "gemv, C", {.routine = CBLAS_GEMV, 7, 0, 5, false, 1U << PRODUCT_A, 1U << PRODUCT_A}, ADDED},
    {.rule = "conjugation", "gemv, C, row-major", {.routine = CBLAS_GEMV, 7, 0, 5, true, 1U << PRODUCT_A, 1U << PRODUCT_A}, ADDED},
    {.rule = "conjugation", "gerc", {.routine = CBLAS_GER, 7, 5, 0, .conjugated = 1U << PRODUCT_B}, PLAIN},
    {.rule = "conjugation", "gerc, row-major", {.routine = CBLAS_GER, 7, 5, 0, true, .conjugated = 1U << PRODUCT_B}, PLAIN},
    {.rule = "conjugation", "dotc", {.routine = CBLAS_DOT, 0, 0, 7, .conjugated = 1U << PRODUCT_A}, PLAIN},
    {.rule = "factors", "gemm", {.routine = CBLAS_GEMM, 5, 4, 3}, ADDED},
    {.rule = "factors", "gemv", {.routine = CBLAS_GEMV, 5, 0, 3}, ADDED},
    {.rule = "nan", "gemm, C, beta 0", {.routine = CBLAS_GEMM, 5, 4, 3}, UNREAD},
    {.rule = "nan", "gemm, C, beta 0, large", {.routine = CBLAS_GEMM, 65, 64, 63}, UNREAD},
    {.rule = "nan", "gemv, y, beta 0", {.routine = CBLAS_GEMV, 5, 0, 3}, UNREAD},
    {.rule = "nan", "gemv, y, beta 0, transposed", {.routine = CBLAS_GEMV, 5, 0, 3, false, 1U << PRODUCT_A}, UNREAD},
    {.rule = "nan", "gemm, element of A", {.routine = CBLAS_GEMM, 5, 4, 3}, NAN_A},
    {.rule = "nan", "gemm, element of B", {.routine = CBLAS_GEMM, 5, 4, 3}, NAN_B},
    {.rule = "nan", "gemm, element of C", {.routine = CBLAS_GEMM, 5, 4, 3}, NAN_C},
    {.rule = "nan", "gemv, element of A", {.routine = CBLAS_GEMV, 5, 0, 3}, NAN_A},
    {.rule = "nan", "gemv, element of x", {.routine = CBLAS_GEMV, 5, 0, 3}, NAN_B},
    {.rule = "alpha-0", "gemm", {.routine = CBLAS_GEMM, 5, 4, 3}, UNREAD_FACTORS},
    {.rule = "alpha-0", "gemv", {.routine = CBLAS_GEMV, 5, 0, 3}, UNREAD_FACTORS},
    {.rule = "alpha-0", "ger", {.routine = CBLAS_GER, 5, 4, 0}, UNREAD_FACTORS},
    {.rule = "bounds", "gemm", {.routine = CBLAS_GEMM, 5, 4, 3}, GUARDED},
    {.rule = "bounds", "gemm, TT", {.routine = CBLAS_GEMM, 5, 4, 3, false, 3}, GUARDED},
    {.rule = "bounds", "gemm, larger", {.routine = CBLAS_GEMM, 37, 29, 41}, GUARDED},
    {.rule = "bounds", "gemm, row-major", {.routine = CBLAS_GEMM, 37, 29, 41, true}, GUARDED},
    {.rule = "bounds", "gemv", {.routine = CBLAS_GEMV, 13, 0, 11}, GUARDED},
    {.rule = "bounds", "gemv, T", {.routine = CBLAS_GEMV, 13, 0, 11, false, 1U << PRODUCT_A}, GUARDED},
    {.rule = "bounds", "gemv, increments", {.routine = CBLAS_GEMV, 13, 0, 11, .step_x = 2, .step_y = 3}, GUARDED},
    {.rule = "bounds", "ger", {.routine = CBLAS_GER, 7, 9, 0}, GUARDED},
    {.rule = "bounds", "dot", {.routine = CBLAS_DOT, 0, 0, 37}, GUARDED},
    {.rule = "bounds", "dot, increments", {.routine = CBLAS_DOT, 0, 0, 37, .step_x = 2, .step_y = 3}, GUARDED},
    {.rule = "bounds", "axpy", {.routine = CBLAS_AXPY, 37}, GUARDED},
    {.rule = "bounds", "axpy, increments", {.routine = CBLAS_AXPY, 37, .step_x = 2, .step_y = 3}, GUARDED},
};
/* clang-format on */
enum { NAMED = sizeof named / sizeof *named };

/** Sets alpha and beta if the routine has them. */
static void set_factors(struct product *out, TAPP_datatype type) {
    const bool has_beta = out->routine == CBLAS_GEMM || out->routine == CBLAS_GEMV;
    const bool has_alpha = has_beta || out->routine == CBLAS_GER;
    const double imaginary = product_is_complex(type) ? 1 : 0;
    if (has_alpha) out->alpha = -2 + 0.5 * imaginary * I;
    if (has_beta) out->beta = 0.5 - 1 * imaginary * I;
}

static void change(struct product *out, enum what what, TAPP_datatype type) {
    const unsigned result = 1U << PRODUCT_C | 1U << PRODUCT_D;
    switch (what) {
    case PLAIN: break;
    case GUARDED:
        set_factors(out, type);
        out->is_guarded = true;
        break;
    case ADDED: set_factors(out, type); break;
    case UNREAD: out->unread = result; break;
    case UNREAD_FACTORS:
        out->alpha = 0;
        out->beta = 1;
        out->unread = A | B;
        break;
    case NAN_A: out->with_nan = A; break;
    case NAN_B: out->with_nan = B; break;
    case NAN_C:
        out->beta = 1;
        out->with_nan = result;
        break;
    }
}

bool cblas_case(struct named_product *out, int number) {
    for (int n = 0; n < NAMED; n++) {
        for (TAPP_datatype type = TAPP_F32; type <= TAPP_C64; type++) {
            if (named[n].shape.conjugated && !product_is_complex(type)) continue;
            if (number-- > 0) continue;
            out->rule = named[n].rule;
            snprintf(out->name, sizeof out->name, "%s (%s)", named[n].name, type_name(type));
            cblas_product(&out->product, &named[n].shape, type);
            change(&out->product, named[n].what, type);
            return true;
        }
    }
    return false;
}

static int below(struct random *random, int count) {
    return (int)random_below(random, count);
}

/** Draws an increment of either sign. */
static int draw_step(struct random *random) {
    const int step = 1 + below(random, 3);
    return below(random, 3) == 0 ? -step : step;
}

void cblas_draw(struct product *out, uint64_t seed) {
    struct random random = {seed};
    const TAPP_datatype type = (TAPP_datatype)below(&random, 4);
    const bool is_large = below(&random, 8) == 0;
    const int most = is_large ? 150 : 12;
    struct cblas_shape shape = {.routine = CBLAS_GEMM + below(&random, 5),
                                .m = below(&random, most),
                                .n = below(&random, most),
                                .k = below(&random, most),
                                .is_row_major = below(&random, 2),
                                .pad = below(&random, 4),
                                .step_x = draw_step(&random),
                                .step_y = draw_step(&random)};
    if (shape.routine == CBLAS_GEMV && shape.k == 0)
        shape.k = 1; /* excluded, because BLAS does not write y if k is 0 */
    const unsigned matrices = shape.routine == CBLAS_GEMM   ? A | B
                              : shape.routine == CBLAS_GEMV ? A
                                                            : 0;
    const unsigned conjugable = shape.routine == CBLAS_GER   ? B
                                : shape.routine == CBLAS_DOT ? A
                                                             : matrices;
    shape.transposed = (unsigned)below(&random, 4) & matrices;
    if (product_is_complex(type)) shape.conjugated = (unsigned)below(&random, 4) & conjugable;
    if (matrices) shape.conjugated &= shape.transposed;
    cblas_product(out, &shape, type);
    change(out, below(&random, 2) == 0 ? ADDED : PLAIN, type);
}
