/*
 * Changes the factors of a built program. The structure of a nest depends on whether alpha and
 * beta are 0, 1 or something else. Their values are in its kernels, copies and scalings, where a
 * factor other than 0 and 1 equals alpha or beta. Compiled kernels have fixed factors.
 */
#include "ast/algorithm/provider.h"
#include "ast/scalar.h"
#include "microbench/program/program.h"

static bool takes(struct tcplan_scalar own, struct tcplan_scalar factor, bool is_compiled) {
    if (scalar_class_of(own) != scalar_class_of(factor)) return false;
    return !is_compiled || (own.re == factor.re && own.im == factor.im);
}

bool program_takes_factors(const struct tcplan_program *program, struct tcplan_scalar alpha,
                           struct tcplan_scalar beta) {
    const struct tcplan_problem *problem = &program->problem.written;
    const bool is_compiled = provider_traits_of(program->nest->algorithm.provider)->is_compiled;
    return takes(problem->alpha, alpha, is_compiled) && takes(problem->beta, beta, is_compiled);
}

/** The values of alpha and beta in a program; alpha is only in its kernel. */
struct factors {
    enum tcplan_dtype dtype;
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta;
};

static void set_in_kernel(struct kernel *kernel, const struct factors *factors) {
    if (scalar_class_of(kernel->call.alpha) == SCALAR_OTHER) {
        kernel->call.alpha = factors->alpha;
        kernel->alpha = kernel_scalar_of(factors->alpha, factors->dtype);
    }
    if (scalar_class_of(kernel->call.beta) == SCALAR_OTHER) {
        kernel->call.beta = factors->beta;
        kernel->beta = kernel_scalar_of(factors->beta, factors->dtype);
    }
}

/** Returns the factor by which a block is scaled. */
static struct tcplan_scalar factor_of(const struct strided *block) {
    switch (block->dtype) {
    case TCPLAN_FLOAT: return (struct tcplan_scalar){(double)block->factor.s, 0};
    case TCPLAN_FLOAT_COMPLEX:
        return (struct tcplan_scalar){(double)block->factor.c[0], (double)block->factor.c[1]};
    case TCPLAN_DOUBLE_COMPLEX:
        return (struct tcplan_scalar){block->factor.z[0], block->factor.z[1]};
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    return (struct tcplan_scalar){block->factor.d, 0};
}

static void set_in_block(struct strided *block, const struct factors *factors) {
    if (scalar_class_of(factor_of(block)) == SCALAR_OTHER)
        block->factor = kernel_scalar_of(factors->beta, factors->dtype);
}

static void set_in_variant(struct operation_variant *variant, bool is_kernel,
                           const struct factors *factors) {
    if (is_kernel) {
        set_in_kernel(&variant->kernel, factors);
        return;
    }
    set_in_block(&variant->strided, factors);
    for (int b = 0; b < variant->more_count; b++) set_in_block(&variant->more[b], factors);
}

static void set_in(struct operation *operation, const struct factors *factors) {
    for (; operation; operation = operation->next) {
        if (operation->kind == OPERATION_LOOP) set_in(operation->body, factors);
        for (int v = 0; v < operation->variant_count; v++) {
            set_in_variant(&operation->variant[v], operation->kind == OPERATION_KERNEL, factors);
        }
        if (operation->variant_count == 0) continue;
        operation->kernel = operation->variant[0].kernel;
        operation->strided = operation->variant[0].strided;
    }
}

void program_set_factors(struct tcplan_program *program, struct tcplan_scalar alpha,
                         struct tcplan_scalar beta) {
    const struct factors factors = {
        .dtype = program->problem.written.dtype, .alpha = alpha, .beta = beta};
    program->problem.written.alpha = alpha;
    program->problem.written.beta = beta;
    if (program->only_scales) {
        set_in_block(&program->scaling, &factors);
    } else {
        set_in(program->body, &factors);
    }
}
