#include "microbench/providers/small_products.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>

#include "ast/algorithm/kernel_class.h"
#include "base/complex_of.h"
#include "microbench/kernels/kernels.h"
#include "microbench/providers/providers.h"

static const int extents[] = {1, 2, 3, 5, 8, 27};
enum {
    EXTENTS = sizeof extents / sizeof *extents,
    MOST = 27,
    PADDING = 2,
    ELEMENTS = (MOST + PADDING) * (MOST + PADDING),
    GAP = 77
};

static const struct factors {
    struct tcplan_scalar alpha, beta;
} factors[] = {{{1, 0}, {0, 0}}, {{2, 0}, {1, 0}}, {{-1, 2}, {3, -1}}};
enum { FACTORS = sizeof factors / sizeof *factors };

union memory {
    double numbers[2 * ELEMENTS];
    float singles[2 * ELEMENTS];
};

/** A call as result(i, j) = beta result(i, j) + alpha sum over l of first(i, l) second(l, j),
 * with its memory. */
struct product {
    struct blas_call call;
    enum tcplan_dtype dtype;
    const struct cblas_routines *routines; /* routines to test; NULL: those of the call's provider
                                            */
    int rows, columns, summed;
    int at_first[2], at_second[2],
        at_result[2]; /* strides of both indices of each operand, in elements */
    union memory first, second, result;
    double _Complex expected[ELEMENTS]; /* expected contents of the result's memory */
};

static double _Complex load(const union memory *memory, enum tcplan_dtype dtype, int at) {
    switch (dtype) {
    case TCPLAN_FLOAT: return memory->singles[at];
    case TCPLAN_FLOAT_COMPLEX:
        return complex_of(memory->singles[2 * at], memory->singles[2 * at + 1]);
    case TCPLAN_DOUBLE_COMPLEX:
        return complex_of(memory->numbers[2 * at], memory->numbers[2 * at + 1]);
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    return memory->numbers[at];
}

static void store(union memory *memory, enum tcplan_dtype dtype, int at, double _Complex value) {
    switch (dtype) {
    case TCPLAN_FLOAT: memory->singles[at] = (float)creal(value); return;
    case TCPLAN_FLOAT_COMPLEX:
        memory->singles[2 * at] = (float)creal(value);
        memory->singles[2 * at + 1] = (float)cimag(value);
        return;
    case TCPLAN_DOUBLE_COMPLEX:
        memory->numbers[2 * at] = creal(value);
        memory->numbers[2 * at + 1] = cimag(value);
        return;
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    memory->numbers[at] = creal(value);
}

/** Returns an integer from -3 to 3, in both parts of a complex number: sums of 27 products are
 * exact in every type. */
static double _Complex number(const struct product *product, int at) {
    const double re = at * 5 % 7 - 3, im = at * 3 % 7 - 3;
    return tcplan_dtype_is_complex(product->dtype) ? complex_of(re, im) : re;
}

static double _Complex factor(const struct product *product, struct tcplan_scalar scalar) {
    return tcplan_dtype_is_complex(product->dtype) ? complex_of(scalar.re, scalar.im) : scalar.re;
}

static double _Complex sum(const struct product *product, int i, int j) {
    double _Complex out = 0;
    for (int l = 0; l < product->summed; l++) {
        const double _Complex left = load(&product->first, product->dtype,
                                          i * product->at_first[0] + l * product->at_first[1]);
        const double _Complex right = load(&product->second, product->dtype,
                                           l * product->at_second[0] + j * product->at_second[1]);
        out += (product->call.conjugated[0] ? conj(left) : left) *
               (product->call.conjugated[1] ? conj(right) : right);
    }
    return out;
}

static void fill(struct product *product) {
    for (int e = 0; e < ELEMENTS; e++) {
        store(&product->first, product->dtype, e, number(product, e));
        store(&product->second, product->dtype, e, number(product, e + 11));
        store(&product->result, product->dtype, e, product->expected[e] = GAP);
    }
}

/** Makes the call; returns false if the provider has no such kernel. */
static bool multiply(struct product *product) {
    struct kernel kernel = kernel_unbound(&product->call, product->dtype);
    const struct kernel_operands at = {.first = (char *)&product->first,
                                       .second = (char *)&product->second,
                                       .result = (char *)&product->result};
    const bool is_bound =
        product->routines
            ? cblas_bind(&kernel, product->dtype, product->routines)
            : provider_of(product->call.provider)->bind(&kernel, product->dtype, NULL);
    if (!is_bound) return false;
    kernel.burst(&kernel, at, (struct kernel_steps){0}, 1);
    return true;
}

/** Calls the routine and compares all of the result's memory, whose gaps must stay unchanged. A
 * missing kernel counts as correct. */
static bool is_right(struct product *product) {
    const double _Complex alpha = factor(product, product->call.alpha),
                          beta = factor(product, product->call.beta);
    fill(product);
    for (int j = 0; j < product->columns; j++) {
        for (int i = 0; i < product->rows; i++) {
            const int at = i * product->at_result[0] + j * product->at_result[1];
            const double _Complex before =
                beta == 0 ? complex_of(NAN, NAN) : number(product, at + 5);
            store(&product->result, product->dtype, at, before);
            product->expected[at] = alpha * sum(product, i, j) + (beta == 0 ? 0 : beta * before);
        }
    }
    if (!multiply(product)) return true;
    bool right = true;
    for (int e = 0; e < ELEMENTS; e++)
        right = right && load(&product->result, product->dtype, e) == product->expected[e];
    return right;
}

static enum kernel_shape shape_of(const struct product *product) {
    return kernel_shape(product->call.kernel);
}

static bool has_role(const struct product *product, enum tcplan_role role) {
    return kernel_class_of(product->call.kernel)->role_sets[0] >> role & 1U;
}

static bool contracts(const struct product *product) {
    return has_role(product, TCPLAN_K);
}

/** Sets strides of matrices, with rows and columns exchanged in transposed ones, and of vectors. */
static void lay_out(struct product *product, int increment) {
    struct blas_call *call = &product->call;
    const int rows = product->rows, columns = product->columns, summed = product->summed;
    call->m = rows, call->n = columns, call->k = 1;
    switch (kernel_shape(call->kernel)) {
    case KERNEL_OF_VECTORS:
        call->m = rows * summed, call->n = 1; /* either the rows or the summed index has extent 1 */
        call->ld[0] = increment;
        call->ld[1] = contracts(product) ? increment : 1;
        call->ld[2] = contracts(product) ? 1 : increment;
        break;
    case KERNEL_OF_MATRIX_FIRST:
        call->m = call->transposed[0] ? summed : rows,
        call->n = call->transposed[0] ? rows : summed;
        call->ld[0] = call->m + PADDING, call->ld[1] = call->ld[2] = increment;
        break;
    case KERNEL_OF_OUTER:
        call->ld[0] = call->ld[1] = increment, call->ld[2] = rows + PADDING;
        break;
    case KERNEL_OF_MATRICES:
        call->k = summed;
        call->ld[0] = (call->transposed[0] ? summed : rows) + PADDING,
        call->ld[1] = (call->transposed[1] ? columns : summed) + PADDING;
        call->ld[2] = rows + PADDING;
        break;
    case KERNEL_OF_ELEMENTS: break;
    }
}

/** Sets the elements of the operands in memory. */
static void place(struct product *product) {
    const int *ld = product->call.ld;
    const bool *transposed = product->call.transposed;
    const bool has_matrices = shape_of(product) == KERNEL_OF_MATRICES;
    const bool has_first = has_matrices || shape_of(product) == KERNEL_OF_MATRIX_FIRST;
    const bool has_result = has_matrices || shape_of(product) == KERNEL_OF_OUTER;
    product->at_first[0] = has_first && !transposed[0] ? 1 : ld[0];
    product->at_first[1] = has_first && transposed[0] ? 1 : ld[0];
    product->at_second[0] = has_matrices && !transposed[1] ? 1 : ld[1];
    product->at_second[1] = has_matrices && transposed[1] ? 1 : ld[1];
    product->at_result[0] = has_result ? 1 : ld[2];
    product->at_result[1] = ld[2];
    for (int s = 0; s < 2; s++) {
        product->call.strides[0][s] = product->at_first[s];
        product->call.strides[1][s] = product->at_second[s];
        product->call.strides[2][s] = product->at_result[s];
    }
}

/** Checks every factor and increment. A kernel that neither adds with beta nor scales its result
 * is checked with beta = 1. */
static bool is_right_so(struct product *product) {
    const bool has_beta = kernel_class_of(product->call.kernel)->has_beta;
    const int increments = shape_of(product) == KERNEL_OF_MATRICES ? 1 : 2;
    for (int increment = 1; increment <= increments; increment++) {
        for (int f = 0; f < FACTORS; f++) {
            lay_out(product, increment);
            place(product);
            product->call.alpha = factors[f].alpha;
            product->call.beta = has_beta ? factors[f].beta : factors[1].beta;
            if (!is_right(product)) return false;
        }
    }
    return true;
}

/** Variants of a factor, as bits: unchanged, transposed (matrices), conjugate transposed (complex
 * matrices), conjugated (complex types). */
enum { PLAIN = 1, TURNED = 2, ADJOINT = 4, CONJUGATED = 8 };

/** Returns the variants of a factor that a library has; compiled code and tcplan's own kernels
 * are not in a library. */
static unsigned variants_of(const struct product *product, int side) {
    const struct kernel_class *class = kernel_class_of(product->call.kernel);
    const unsigned conjugated = PLAIN | CONJUGATED, any = PLAIN | TURNED | ADJOINT;
    if (class->takes_loops || class->is_own) return 0;
    switch (shape_of(product)) {
    case KERNEL_OF_MATRICES: return any;
    case KERNEL_OF_MATRIX_FIRST: return side == 0 ? any : PLAIN;
    case KERNEL_OF_VECTORS:
    case KERNEL_OF_OUTER:
    case KERNEL_OF_ELEMENTS: break;
    }
    return class->conjugates == (side == 0 ? CONJUGATES_ANY : CONJUGATES_SECOND) ? conjugated
                                                                                 : PLAIN;
}

static bool has_variant(const struct product *product, int side, unsigned variant) {
    const bool needs_complex = variant == ADJOINT || variant == CONJUGATED;
    return (variants_of(product, side) & variant) != 0 &&
           (!needs_complex || tcplan_dtype_is_complex(product->dtype));
}

static void choose_variant(struct product *product, int side, unsigned variant) {
    product->call.transposed[side] = variant == TURNED || variant == ADJOINT;
    product->call.conjugated[side] = variant == ADJOINT || variant == CONJUGATED;
}

static bool is_right_at(struct product *product) {
    for (unsigned left = PLAIN; left <= CONJUGATED; left *= 2) {
        for (unsigned right = PLAIN; right <= CONJUGATED; right *= 2) {
            if (!has_variant(product, 0, left) || !has_variant(product, 1, right)) continue;
            choose_variant(product, 0, left);
            choose_variant(product, 1, right);
            if (!is_right_so(product)) return false;
        }
    }
    return true;
}

static bool are_right(const struct cblas_routines *routines, enum tcplan_provider provider,
                      enum tcplan_kernel kernel, enum tcplan_dtype dtype) {
    struct product product = {.dtype = dtype, .routines = routines};
    product.call = (struct blas_call){.kernel = kernel == TCPLAN_BRGEMM ? TCPLAN_GEMM : kernel,
                                      .provider = provider,
                                      .ld = {1, 1, 1}};
    /* classes with vectors have either n or m; that extent counts as the rows here */
    const bool has_columns = has_role(&product, TCPLAN_N);
    for (int rows = 0; rows < (has_role(&product, TCPLAN_M) ? EXTENTS : 1); rows++) {
        for (int columns = 0; columns < (has_columns ? EXTENTS : 1); columns++) {
            for (int summed = 0; summed < (contracts(&product) ? EXTENTS : 1); summed++) {
                product.rows = extents[rows], product.columns = extents[columns],
                product.summed = extents[summed];
                if (!is_right_at(&product)) return false;
            }
        }
    }
    return true;
}

bool small_products_are_right(const struct cblas_routines *routines, enum tcplan_provider provider,
                              enum tcplan_kernel kernel, enum tcplan_dtype dtype) {
    return are_right(routines, provider, kernel, dtype);
}

bool small_products_of(enum tcplan_provider provider, enum tcplan_kernel kernel,
                       enum tcplan_dtype dtype) {
    return are_right(NULL, provider, kernel, dtype);
}
