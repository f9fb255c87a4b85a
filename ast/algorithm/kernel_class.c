#include "ast/algorithm/kernel_class.h"

enum {
    M = 1 << TCPLAN_M,
    N = 1 << TCPLAN_N,
    K = 1 << TCPLAN_K,
    H = 1 << TCPLAN_H,
    R = 1 << TCPLAN_R
};

/** The registry: a line for each class. */
static const struct kernel_class classes[TCPLAN_KERNELS] = {
    [TCPLAN_DOT] = {.name = {"dot", "dotu"},
                    .conjugating = "dotc",
                    .role_sets = {K},
                    .takes_elements = true,
                    .has_beta = true,
                    .is_blas = true,
                    .conjugates = CONJUGATES_ANY,
                    .times = " "},
    [TCPLAN_AXPY] = {.name = {"axpy", "axpy"},
                     .role_sets = {M, N},
                     .is_blas = true,
                     .conjugates = CONJUGATES_SECOND,
                     .times = " "},
    [TCPLAN_GEMV] = {.name = {"gemv", "gemv"},
                     .role_sets = {M | K, N | K},
                     .has_beta = true,
                     .is_blas = true,
                     .conjugates = CONJUGATES_TRANSPOSED_FIRST,
                     .times = " "},
    [TCPLAN_GER] = {.name = {"ger", "geru"},
                    .conjugating = "gerc",
                    .role_sets = {M | N},
                    .is_blas = true,
                    .follows_result = true,
                    .conjugates = CONJUGATES_SECOND,
                    .turns_second = true,
                    .times = " "},
    [TCPLAN_GEMM] = {.name = {"gemm", "gemm"},
                     .role_sets = {M | N | K},
                     .takes_parts = true,
                     .has_beta = true,
                     .is_blas = true,
                     .blocks_contracted = true,
                     .follows_result = true,
                     .conjugates = CONJUGATES_TRANSPOSED,
                     .times = " "},
    [TCPLAN_MUL] = {.name = {"mul", "mul"},
                    .role_sets = {H},
                    .has_beta = true,
                    .is_own = true,
                    .conjugates = CONJUGATES_ANY,
                    .times = " .* "},
    [TCPLAN_BRGEMM] = {.name = {"brgemm", "brgemm"},
                       .role_sets = {M | N | K | R},
                       .takes_parts = true,
                       .needs = R,
                       .has_beta = true,
                       .blocks_contracted = true,
                       .follows_result = true,
                       .times = " "},
    [TCPLAN_LOOPS] = {.name = {"loops", "loops"},
                      .role_sets = {M | N | K | H},
                      .takes_parts = true,
                      .takes_loops = true,
                      .has_beta = true,
                      .conjugates = CONJUGATES_ANY,
                      .times = " "},
};

const struct kernel_class *kernel_class_of(enum tcplan_kernel kernel) {
    return &classes[kernel];
}

const char *kernel_routine(enum tcplan_kernel kernel, enum tcplan_dtype dtype, bool conjugates_one,
                           bool conjugates_other) {
    const bool conjugates = conjugates_one != conjugates_other && tcplan_dtype_is_complex(dtype);
    return conjugates && classes[kernel].conjugating ? classes[kernel].conjugating
                                                     : tcplan_kernel_name(kernel, dtype);
}

bool kernel_is_named_by(enum tcplan_kernel kernel, unsigned roles) {
    bool found = false;
    for (const unsigned *set = classes[kernel].role_sets; *set; set++)
        found = found || *set == roles;
    return found;
}

enum kernel_shape kernel_shape(enum tcplan_kernel kernel) {
    const unsigned roles = classes[kernel].role_sets[0];
    if (roles == H) return KERNEL_OF_ELEMENTS;
    if ((roles & (M | N | K)) == (M | N | K)) return KERNEL_OF_MATRICES;
    if (roles == (M | N)) return KERNEL_OF_OUTER;
    return roles == M || roles == N || roles == K ? KERNEL_OF_VECTORS : KERNEL_OF_MATRIX_FIRST;
}

unsigned kernel_roles(enum tcplan_kernel kernel) {
    unsigned roles = 0;
    for (const unsigned *set = classes[kernel].role_sets; *set; set++) roles |= *set;
    return roles;
}

bool kernel_takes(enum tcplan_kernel kernel, unsigned roles) {
    return kernel_is_named_by(kernel, roles) ||
           (classes[kernel].takes_parts && (roles & ~kernel_roles(kernel)) == 0 &&
            !(classes[kernel].needs & ~roles));
}

const char *tcplan_kernel_name(enum tcplan_kernel kernel, enum tcplan_dtype dtype) {
    return kernel_class_of(kernel)->name[tcplan_dtype_is_complex(dtype)];
}
