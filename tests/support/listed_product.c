#include "support/listed_product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ast/contraction/contraction.h"
#include "ast/scalar.h"
#include "support/rng.h"

/** Draws labels of indices: letters, or any numbers, also negative ones. */
static void draw_labels(int64_t label[TCPLAN_MAX_INDICES], uint64_t *random) {
    const bool letters = rng_once_in(random, 2);
    const int first = rng_below(random, 20);
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) {
        label[i] = letters && i < 32 ? 'a' + (first + i) % 26 + (first + i >= 26 ? 'A' - 'a' : 0)
                                     : (int64_t)rng_next(random) >> rng_below(random, 60);
        if (letters && i >= 32) label[i] = 1000 + i;
    }
    for (int i = 0; i < TCPLAN_MAX_INDICES; i++) {
        for (int j = 0; j < i; j++) {
            if (label[i] == label[j]) label[i] = -1000000 - i;
        }
    }
}

static void list_tensor(struct listed_product *out, enum tcplan_operand operand,
                        const int64_t label[], uint64_t *random) {
    const struct tcplan_contraction *contraction = out->random.contraction;
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    int64_t elems = 1;
    for (int i = 0; i < tensor->rank; i++) {
        const int d = contraction->order == TCPLAN_COLUMN_MAJOR ? i : tensor->rank - 1 - i;
        const int64_t extent = out->random.problem.extent[tensor->dims[d]];
        out->label[operand][d] = label[tensor->dims[d]];
        out->extent[operand][d] = extent;
        out->stride[operand][d] = tensor->strided ? tensor->stride[d] : elems;
        elems *= extent > 0 ? extent : 1;
    }
    const bool leaves_out = !tensor->strided && rng_once_in(random, 2);
    out->tensor[operand] =
        (struct tcplan_dimensions){.rank = tensor->rank,
                                   .label = out->label[operand],
                                   .extent = out->extent[operand],
                                   .stride = leaves_out ? NULL : out->stride[operand],
                                   .conjugated = rng_once_in(random, 3)};
}

void listed_product_init(struct listed_product *out, uint64_t seed) {
    struct random_contraction_options options = random_contraction_defaults();
    struct tcplan_error error = {0};
    int64_t label[TCPLAN_MAX_INDICES];
    uint64_t random = seed ^ 0x5EED;
    memset(out, 0, sizeof *out);
    options.max_extent = 6;
    random_contraction_init(&out->random, seed, &options);
    const struct tcplan_contraction *contraction = out->random.contraction;
    out->has_addend = tcplan_contraction_has_addend(contraction);
    draw_labels(label, &random);
    for (int t = 0; t < (out->has_addend ? TCPLAN_TENSORS : TCPLAN_OPERANDS); t++)
        list_tensor(out, (enum tcplan_operand)t, label, &random);
    const struct tcplan_dimensions *tensor = out->tensor;
    if (tcplan_product_make(&out->product, &tensor[TCPLAN_A], &tensor[TCPLAN_B],
                            out->has_addend ? &tensor[TCPLAN_ADDEND] : NULL, &tensor[TCPLAN_C],
                            out->random.problem.dtype, contraction->order, &error) != TCPLAN_OK) {
        fail_msg("%s: %s", random_contraction_describe(&out->random), error.message);
    }
}

void listed_product_free(struct listed_product *listed) {
    tcplan_product_free(listed->product);
    random_contraction_free(&listed->random);
}

struct tcplan_scalar listed_product_factor(const struct listed_product *listed, int class,
                                           uint64_t *random) {
    const enum tcplan_dtype dtype = listed->random.problem.dtype;
    struct tcplan_scalar factor = {class, 0};
    if (class < 2) return factor;
    factor.re = 0.25 + rng_real(random);
    factor.im = tcplan_dtype_is_complex(dtype) ? rng_real(random) : 0;
    return scalar_round(factor, dtype);
}

static struct tcplan_scalar conjugate(struct tcplan_scalar factor) {
    return (struct tcplan_scalar){factor.re, -factor.im};
}

/** Returns the problem that an execution computes, in the form for naive loops. A conjugated
 * right-hand side becomes the product of conjugates. */
static struct tcplan_problem reference(const struct listed_product *listed,
                                       struct tcplan_contraction *contraction,
                                       struct tcplan_scalar alpha, struct tcplan_scalar beta) {
    const bool turns = listed->tensor[TCPLAN_C].conjugated;
    struct tcplan_problem problem = listed->random.problem;
    problem.contraction = contraction;
    problem.alpha = contraction->alpha = turns ? conjugate(alpha) : alpha;
    problem.beta = contraction->beta = turns ? conjugate(beta) : beta;
    contraction->tensor[TCPLAN_A].conjugated = listed->tensor[TCPLAN_A].conjugated != turns;
    contraction->tensor[TCPLAN_B].conjugated = listed->tensor[TCPLAN_B].conjugated != turns;
    contraction->tensor[TCPLAN_C].conjugated = turns && !listed->has_addend;
    contraction->tensor[TCPLAN_ADDEND].conjugated =
        listed->has_addend && listed->tensor[TCPLAN_ADDEND].conjugated != turns;
    return problem;
}

/** A value of alpha or beta in the type that an execution reads. */
union typed_factor {
    float s[2];
    double d[2];
};

static union typed_factor typed(struct tcplan_scalar factor, enum tcplan_dtype dtype) {
    union typed_factor out = {.d = {factor.re, factor.im}};
    if (dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX) {
        out.s[0] = (float)factor.re;
        out.s[1] = (float)factor.im;
    }
    return out;
}

void listed_product_check(const struct listed_product *listed, struct tcplan_plan *plan,
                          struct tcplan_scalar alpha, struct tcplan_scalar beta, int threads,
                          void *workspace, int64_t workspace_bytes) {
    const enum tcplan_dtype dtype = listed->random.problem.dtype;
    const union typed_factor typed_alpha = typed(alpha, dtype), typed_beta = typed(beta, dtype);
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error = {0};
    struct naive_case naive;
    assert_int_equal(contraction_copy(&contraction, listed->random.contraction, NULL), TCPLAN_OK);
    const struct tcplan_problem problem = reference(listed, contraction, alpha, beta);
    naive_case_init(&naive, &problem, listed->random.seed);
    naive_case_reset(&naive);
    const struct tcplan_execution execution = {.size = sizeof execution,
                                               .A = naive.A,
                                               .B = naive.B,
                                               .C = naive.addend,
                                               .D = naive.C,
                                               .alpha = &typed_alpha,
                                               .beta = &typed_beta,
                                               .workspace = workspace,
                                               .workspace_bytes = workspace_bytes,
                                               .threads = threads};
    if (tcplan_plan_run(plan, &execution, &error) != TCPLAN_OK) {
        fail_msg("%s by %s: %s", random_contraction_describe(&listed->random),
                 tcplan_plan_algorithm(plan), error.message);
    }
    const double off = naive_case_error(&naive);
    if (!(off <= naive_tolerance(&problem))) {
        fail_msg("%s by %s with alpha %g,%g and beta %g,%g: off by %g",
                 random_contraction_describe(&listed->random), tcplan_plan_algorithm(plan),
                 alpha.re, alpha.im, beta.re, beta.im, off);
    }
    naive_case_free(&naive);
    tcplan_contraction_free(contraction);
}
