/*
 * Computes a product pair by pair: one dense product for each pair of blocks, in the order of the
 * result's blocks. The first pair of a block applies beta, later pairs add to the block.
 *
 * A class of pairs has one plan. If the plan is a single gemm, the call is bound directly, without
 * the plan's bookkeeping, to any library that can execute it; pairs of a block that share a class
 * can then become one sum (microbench/providers/address_sum.h). Other plans run through instances
 * that each thread stores between executions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/product.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "base/alloc.h"
#include "base/error.h"
#include "blocks/block_plan.h"
#include "gen/providers/provider.h"
#include "microbench/program/program.h"
#include "microbench/providers/threads.h"

/* Planning. */

enum tcplan_status pairwise_product(struct tcplan_product **out,
                                    const struct tcplan_block_plan *plan, int class,
                                    struct tcplan_scalar beta, struct tcplan_error *error) {
    const struct tcplan_block_product *product = plan->product;
    const struct block_class *pair = &product->pairs->class[class];
    const int64_t block[TCPLAN_OPERANDS] = {pair->a, pair->b, pair->c};
    struct tcplan_contraction *contraction = NULL;
    int64_t extent[TCPLAN_MAX_INDICES] = {0};
    enum tcplan_status status = contraction_copy(&contraction, product->contraction, error);
    if (status != TCPLAN_OK) return status;
    contraction->beta = beta;
    for (int t = 0; t < TCPLAN_OPERANDS && status == TCPLAN_OK; t++) {
        const struct tcplan_tensor *tensor = &contraction->tensor[t];
        const int32_t *at = structure_at(product, (enum tcplan_operand)t, block[t]);
        const int64_t *stride = product->tensor[t].stride;
        for (int d = 0; d < tensor->rank; d++)
            extent[tensor->dims[d]] = product->index[tensor->dims[d]].extent[at[d]];
        if (stride)
            status = tcplan_contraction_set_strides(contraction, (enum tcplan_operand)t,
                                                    stride + block[t] * tensor->rank, error);
    }
    if (status == TCPLAN_OK) {
        tcplan_contraction_fit_type(contraction, product->dtype);
        return product_of(out, contraction, extent, product->dtype, error);
    }
    tcplan_contraction_free(contraction);
    return status;
}

static bool is_library(enum tcplan_provider provider) {
    return provider == TCPLAN_PROVIDER_BLAS || provider == TCPLAN_PROVIDER_LIBXSMM ||
           provider == TCPLAN_PROVIDER_BLIS;
}

/** Records the call of a plan that is one gemm of a library; returns false if the plan is not one
 * gemm. */
static bool note_gemm(struct pair_class *class, const struct tcplan_plan *plan) {
    const struct instance *instance = atomic_load(&plan->ready[0]);
    const struct kernel *kernel = instance ? program_single_kernel(instance->program) : NULL;
    if (!kernel || kernel->call.kernel != TCPLAN_GEMM || !is_library(kernel->call.provider))
        return false;
    class->gemm = base_alloc(sizeof *class->gemm);
    if (!class->gemm) return false;
    class->has_gemm = true;
    class->gemm->call = kernel->call;
    class->gemm->algorithm = plan_chosen(plan)->algorithm;
    class->provider = kernel->call.provider;
    return true;
}

bool pairwise_use(struct pair_class *class, enum tcplan_provider provider,
                  enum tcplan_dtype dtype) {
    struct tcplan_provider_info info;
    if (!class->has_gemm || !tcplan_provider_info(&info, provider) ||
        !blas_call_provider_has(&class->gemm->call, dtype, provider))
        return false;
    class->provider = provider;
    class->is_gemm = true;
    class->is_bound = false;
    return true;
}

void pairwise_use_plan(struct pair_class *class) {
    class->is_gemm = class->is_bound = false;
}

/** Scales the time of a pair in proportion to its operations, except for the call's overhead. */
static double scaled(double seconds, double factor, bool is_gemm) {
    const double overhead = fmin(seconds, is_gemm ? 50e-9 : 500e-9);
    return overhead + (seconds - overhead) * factor;
}

void pairwise_adopt(struct tcplan_block_plan *plan, struct pair_class *class) {
    const struct pair_class *nearest = NULL;
    double least = INFINITY;
    for (int i = 0; i < plan->probed_count && class->has_gemm; i++) {
        const struct pair_class *other = plan->classes[plan->probed[i]];
        const double m = log((double)class->gemm->call.m / other->gemm->call.m),
                     n = log((double)class->gemm->call.n / other->gemm->call.n),
                     k = log((double)class->gemm->call.k / other->gemm->call.k);
        if (m * m + n * n + k * k >= least) continue;
        least = m * m + n * n + k * k;
        nearest = other;
    }
    if (!nearest || !nearest->is_gemm ||
        !pairwise_use(class, nearest->provider, plan->product->dtype))
        return;
    const double factor = (double)class->gemm->call.m / nearest->gemm->call.m *
                          class->gemm->call.n / nearest->gemm->call.n * class->gemm->call.k /
                          nearest->gemm->call.k;
    class->seconds = scaled(nearest->seconds, factor, true);
    class->sum_seconds = scaled(nearest->sum_seconds, factor, true);
}

/** Finds out whether one gemm can compute a pair of this class. */
static enum tcplan_status find_gemm(struct pair_class *class, const struct tcplan_block_plan *plan,
                                    const struct tcplan_product *product,
                                    struct tcplan_error *error) {
    struct tcplan_plan *gemm = NULL;
    class->is_gemm = note_gemm(class, class->plan);
    if (class->is_gemm) return TCPLAN_OK;
    const enum tcplan_status status = dense_gemm(&gemm, &plan->dense, product, 1, error);
    if (status == TCPLAN_OK) note_gemm(class, gemm);
    tcplan_plan_free(gemm);
    return status == TCPLAN_NO_MEMORY ? status : TCPLAN_OK;
}

/** Makes the plan of a class. */
static enum tcplan_status prepare(struct tcplan_block_plan *plan, int number,
                                  struct tcplan_error *error) {
    struct tcplan_product *product = NULL;
    struct pair_class *class = plan->classes[number];
    double seconds = 0, wide_seconds;
    if (class->plan) return TCPLAN_OK;
    enum tcplan_status status =
        pairwise_product(&product, plan, number, (struct tcplan_scalar){1, 0}, error);
    if (status == TCPLAN_OK)
        status = dense_plan(&class->plan, &seconds, &plan->dense, product, 1, error);
    if (status == TCPLAN_OK && plan->threads > 1 &&
        pairwise_is_wide(plan, plan->product->pairs->class[number].c))
        status =
            dense_plan(&class->wide, &wide_seconds, &plan->dense, product, plan->threads, error);
    if (status == TCPLAN_OK) status = find_gemm(class, plan, product, error);
    tcplan_product_free(product);
    if (status != TCPLAN_OK) return status;
    class->has_sums = class->has_gemm && class->is_repeated &&
                      address_sum_code(&class->gemm->call, plan->product->dtype, true) != NULL;
    if (!(class->seconds > 0)) class->seconds = class->sum_seconds = seconds;
    pairwise_adopt(plan, class);
    return TCPLAN_OK;
}

/* Minimum and maximum number of classes that get their own plan first. Each other class is
 * estimated from the most similar of these. Between the limits, preparing takes two executions,
 * with assumed speeds. */
enum { LEAST_PREPARED = 4, MOST_PREPARED = 16 };
#define PREPARED_RUNS 2.0
#define ASSUMED_PREPARING_SECONDS 0.5e-3

struct weight {
    double flops;
    int class;
};

static int heavier(const void *a, const void *b) {
    const struct weight *x = a, *y = b;
    if (x->flops != y->flops) return x->flops > y->flops ? -1 : 1;
    return x->class - y->class;
}

/** Computes the logarithms of the extents of a class, by which classes are compared. */
static void logarithms_of(double out[TCPLAN_MAX_INDICES], const struct tcplan_block_plan *plan,
                          int class) {
    const struct tcplan_block_product *product = plan->product;
    const struct block_class *pair = &product->pairs->class[class];
    const int32_t *at[2] = {structure_at(product, TCPLAN_A, pair->a),
                            structure_at(product, TCPLAN_B, pair->b)};
    for (int t = 0; t < 2; t++) {
        const struct tcplan_tensor *tensor = &product->contraction->tensor[t];
        for (int d = 0; d < tensor->rank; d++)
            out[tensor->dims[d]] = log((double)product->index[tensor->dims[d]].extent[at[t][d]]);
    }
}

/** Estimates the time of a class from that of the most similar prepared class. */
static void estimate(struct tcplan_block_plan *plan, const struct weight prepared[], int count,
                     double (*logarithms)[TCPLAN_MAX_INDICES], int class) {
    const struct block_pairs *pairs = plan->product->pairs;
    double own[TCPLAN_MAX_INDICES] = {0}, least = INFINITY;
    int nearest = 0;
    logarithms_of(own, plan, class);
    for (int n = 0; n < count; n++) {
        double square = 0;
        for (int i = 0; i < plan->product->contraction->index_count; i++)
            square += (own[i] - logarithms[n][i]) * (own[i] - logarithms[n][i]);
        if (square >= least) continue;
        least = square;
        nearest = n;
    }
    const struct pair_class *other = plan->classes[prepared[nearest].class];
    const double factor =
        pairs->class[class].flops / fmax(pairs->class[prepared[nearest].class].flops, 1);
    plan->classes[class]->seconds = scaled(other->seconds, factor, other->is_gemm);
    plan->classes[class]->sum_seconds = scaled(other->sum_seconds, factor, other->is_gemm);
}

static int prepared_of(const struct block_pairs *pairs) {
    const double seconds =
        pairs->flops / DENSE_ASSUMED_FLOPS + (double)pairs->count * DENSE_ASSUMED_SECONDS;
    return (int)fmin(fmax(PREPARED_RUNS * seconds / ASSUMED_PREPARING_SECONDS, LEAST_PREPARED),
                     MOST_PREPARED);
}

/** Finds out, for each class, at which places of a block's pairs it occurs. */
static void find_places(struct tcplan_block_plan *plan) {
    const struct block_pairs *pairs = plan->product->pairs;
    for (int64_t c = 0; c < plan->product->tensor[TCPLAN_C].count; c++) {
        for (int64_t p = pairs->first[c]; p < pairs->first[c + 1]; p++) {
            struct pair_class *class = plan->classes[pairs->pair[p].class];
            if (p == pairs->first[c])
                class->is_first = true;
            else
                class->is_later = true;
            if (p > pairs->first[c] && pairs->pair[p - 1].class == pairs->pair[p].class)
                class->is_repeated = true;
        }
    }
}

enum tcplan_status pairwise_prepare(struct tcplan_block_plan *plan, struct tcplan_error *error) {
    const struct block_pairs *pairs = plan->product->pairs;
    const int prepared = prepared_of(pairs);
    struct weight *weight = base_alloc(((size_t)pairs->class_count + 1) * sizeof *weight);
    double logarithms[MOST_PREPARED][TCPLAN_MAX_INDICES] = {{0}};
    enum tcplan_status status = weight ? TCPLAN_OK : error_no_memory(error);
    for (int c = 0; c < pairs->class_count && status == TCPLAN_OK; c++) {
        weight[c] = (struct weight){pairs->class[c].flops * (double)pairs->class[c].pairs, c};
        plan->classes[c] = base_alloc_zero(1, sizeof *plan->classes[c]);
        if (!plan->classes[c]) status = error_no_memory(error);
    }
    if (status == TCPLAN_OK) find_places(plan);
    if (status == TCPLAN_OK && weight)
        qsort(weight, (size_t)pairs->class_count, sizeof *weight, heavier);
    for (int n = 0; n < pairs->class_count && status == TCPLAN_OK && weight; n++) {
        if (n < prepared) {
            status = prepare(plan, weight[n].class, error);
            logarithms_of(logarithms[n], plan, weight[n].class);
        } else {
            estimate(plan, weight, prepared, logarithms, weight[n].class);
        }
    }
    base_free(weight);
    return status;
}

/** Callback that prepares or binds a class. */
typedef enum tcplan_status class_fn(struct tcplan_block_plan *plan, int class,
                                    struct tcplan_error *error);

/** Calls `use` for the classes whose pairs a candidate multiplies one by one or in sums, repeatedly
 * for some. NULL, or another candidate than `mixed`: for all classes. */
static enum tcplan_status each_class(struct tcplan_block_plan *plan,
                                     const struct block_candidate *candidate, class_fn *use,
                                     struct tcplan_error *error) {
    const struct block_pairs *pairs = plan->product->pairs;
    enum tcplan_status status = TCPLAN_OK;
    if (candidate != &plan->candidate[WAY_MIXED]) {
        for (int c = 0; c < pairs->class_count && status == TCPLAN_OK; c++)
            status = use(plan, c, error);
        return status;
    }
    for (int p = 0; p < pairs->part_count; p++) {
        const struct block_part *part = &pairs->part[p];
        for (int64_t n = part->first;
             n < part->first + part->count && candidate->way[p] != PART_FUSED; n++) {
            const int32_t c = pairs->order[n];
            for (int64_t q = pairs->first[c]; q < pairs->first[c + 1] && status == TCPLAN_OK; q++)
                status = use(plan, pairs->pair[q].class, error);
        }
    }
    return status;
}

enum tcplan_status pairwise_prepare_for(struct tcplan_block_plan *plan,
                                        const struct block_candidate *candidate,
                                        struct tcplan_error *error) {
    return each_class(plan, candidate, prepare, error);
}

enum tcplan_status pairwise_restore(struct tcplan_block_plan *plan, int number, int provider,
                                    double seconds, double sum_seconds,
                                    struct tcplan_error *error) {
    struct pair_class *class = plan->classes[number];
    const enum tcplan_status status = prepare(plan, number, error);
    if (status != TCPLAN_OK || !class->has_gemm || plan->probed_count == MOST_PROBED) return status;
    if (provider < 0 || !pairwise_use(class, (enum tcplan_provider)provider, plan->product->dtype))
        pairwise_use_plan(class);
    class->seconds = seconds;
    class->sum_seconds = sum_seconds;
    class->is_probed = true;
    plan->probed[plan->probed_count++] = number;
    return TCPLAN_OK;
}

bool pairwise_is_wide(const struct tcplan_block_plan *plan, int32_t block) {
    const struct block_pairs *pairs = plan->product->pairs;
    double flops = 0;
    if (plan->threads == 1) return false;
    for (int64_t p = pairs->first[block]; p < pairs->first[block + 1]; p++)
        flops += pairs->class[pairs->pair[p].class].flops;
    return block_is_shared(flops) && flops > pairs->flops / (2.0 * plan->threads);
}

/* Binding. */

static struct tcplan_scalar scalar_of(const void *factor, enum tcplan_dtype dtype) {
    const double *number = factor;
    const float *single = factor;
    switch (dtype) {
    case TCPLAN_FLOAT: return (struct tcplan_scalar){single[0], 0};
    case TCPLAN_FLOAT_COMPLEX: return (struct tcplan_scalar){single[0], single[1]};
    case TCPLAN_DOUBLE_COMPLEX: return (struct tcplan_scalar){number[0], number[1]};
    case TCPLAN_DOUBLE:
    case TCPLAN_DTYPES: break;
    }
    return (struct tcplan_scalar){number[0], 0};
}

static bool is_equal(struct tcplan_scalar a, struct tcplan_scalar b) {
    return a.re == b.re && a.im == b.im;
}

/** Binds the gemm of a class to its library, or to the BLAS if that library does not support the
 * factors. Kernels that no pair needs are not bound: a library may generate code for each. */
static bool bind_gemm(struct pair_class *class, struct pair_code *code,
                      const struct tcplan_block_plan *plan) {
    const enum tcplan_dtype dtype = plan->product->dtype;
    const bool is_plain = is_equal(plan->alpha, (struct tcplan_scalar){1, 0});
    *code = (struct pair_code){.exchanged = class->gemm->call.first == TCPLAN_B};
    for (int later = 0; later < 2; later++) {
        struct blas_call call = class->gemm->call;
        call.alpha = plan->alpha;
        call.beta = later ? (struct tcplan_scalar){1, 0} : plan->beta;
        call.fetches_ahead = false;
        call.provider = blas_call_provider_has(&call, dtype, class->provider)
                            ? class->provider
                            : TCPLAN_PROVIDER_BLAS;
        class->gemm->kernel[later] = (struct kernel){.burst = NULL};
        if (later ? !class->is_later : !class->is_first) continue;
        class->gemm->kernel[later] = kernel_bind(&call, dtype, NULL);
        if (!class->gemm->kernel[later].burst) return false;
        const bool adds = later || plan->beta.re != 0 || plan->beta.im != 0;
        if (class->is_gemm)
            code->product[later] = address_product_code(&class->gemm->kernel[later]);
        if (class->has_sums && is_plain)
            code->sum[later] = address_sum_code(&class->gemm->call, dtype, adds);
    }
    return true;
}

/** Takes two instances of a class's plan for a thread. */
static enum tcplan_status take(struct pair_class *class, struct instance *held[2],
                               const struct tcplan_block_plan *plan, struct tcplan_error *error) {
    for (int later = 0; later < 2; later++) {
        const struct plan_order order = {.choice = plan_chosen(class->plan),
                                         .threads = 1,
                                         .alpha = plan->alpha,
                                         .beta = later ? (struct tcplan_scalar){1, 0} : plan->beta};
        if (held[later]) plan_give_back(class->plan, held[later]);
        held[later] = NULL;
        const enum tcplan_status status = plan_take(&held[later], class->plan, &order, error);
        if (status != TCPLAN_OK) return status;
        if (!held[later] || instance_place(held[later], NULL) != TCPLAN_OK)
            return error_no_memory(error);
    }
    return TCPLAN_OK;
}

enum tcplan_status pairwise_bind_class(struct tcplan_block_plan *plan, int number,
                                       struct tcplan_error *error) {
    struct pair_class *class = plan->classes[number];
    enum tcplan_status status = class->plan ? TCPLAN_OK : prepare(plan, number, error);
    if (status != TCPLAN_OK || class->is_bound) return status;
    if (class->has_gemm && !bind_gemm(class, &plan->code[number], plan)) {
        class->has_gemm = class->is_gemm = class->has_sums = false;
        plan->code[number] = (struct pair_code){.exchanged = false};
    }
    for (int t = 0; t < plan->threads && !class->is_gemm && status == TCPLAN_OK; t++)
        status = take(class, &plan->thread[t].instance[2 * (size_t)number], plan, error);
    class->is_bound = status == TCPLAN_OK;
    return status;
}

void pairwise_set_factors(const struct block_run *run) {
    struct tcplan_block_plan *plan = run->plan;
    const struct tcplan_scalar alpha = scalar_of(run->alpha, plan->product->dtype),
                               beta = scalar_of(run->beta, plan->product->dtype);
    if (is_equal(alpha, plan->alpha) && is_equal(beta, plan->beta)) return;
    plan->alpha = alpha;
    plan->beta = beta;
    plan->is_bound = plan->is_mixed_bound = false;
    for (int c = 0; c < plan->product->pairs->class_count; c++) plan->classes[c]->is_bound = false;
}

enum tcplan_status pairwise_bind(const struct block_run *run,
                                 const struct block_candidate *candidate,
                                 struct tcplan_error *error) {
    struct tcplan_block_plan *plan = run->plan;
    const bool is_mixed = candidate == &plan->candidate[WAY_MIXED];
    pairwise_set_factors(run);
    if (plan->is_bound || (is_mixed && plan->is_mixed_bound)) return TCPLAN_OK;
    const enum tcplan_status status = each_class(plan, candidate, pairwise_bind_class, error);
    *(is_mixed ? &plan->is_mixed_bound : &plan->is_bound) = status == TCPLAN_OK;
    return status;
}

/* Running. */

static void run_sum(const struct block_run *run, const struct pair_code *code,
                    struct pair_thread *thread, int64_t first, int64_t count, int32_t block,
                    bool later) {
    const struct block_pair *pair = &run->plan->product->pairs->pair[first];
    const unsigned long long length = (unsigned long long)count;
    for (int64_t n = 0; n < count; n++) {
        (code->exchanged ? thread->second : thread->first)[n] = run->A[pair[n].a];
        (code->exchanged ? thread->first : thread->second)[n] = run->B[pair[n].b];
    }
    if (!later && !is_equal(run->plan->beta, (struct tcplan_scalar){0}) &&
        !is_equal(run->plan->beta, (struct tcplan_scalar){1, 0}))
        block_scale(run, block);
    code->sum[later](thread->first, thread->second, run->D[block], &length);
    address_sum_leave();
}

static void run_products(const struct block_run *run, const struct pair_code *code, int64_t first,
                         int64_t count, int32_t block, bool later) {
    const struct block_pair *pair = &run->plan->product->pairs->pair[first];
    for (int64_t n = 0; n < count; n++) {
        const void *a = run->A[pair[n].a], *b = run->B[pair[n].b];
        code->product[later || n > 0](code->exchanged ? b : a, code->exchanged ? a : b,
                                      run->D[block]);
    }
    address_sum_leave();
}

static void run_gemms(const struct block_run *run, const struct pair_class *class, int64_t first,
                      int64_t count, int32_t block, bool later) {
    const struct block_pair *pair = &run->plan->product->pairs->pair[first];
    const bool exchanged = class->gemm->call.first == TCPLAN_B;
    for (int64_t n = 0; n < count; n++) {
        const struct kernel *kernel = &class->gemm->kernel[later || n > 0];
        const char *a = run->A[pair[n].a], *b = run->B[pair[n].b];
        const struct kernel_operands at = {
            .first = exchanged ? b : a, .second = exchanged ? a : b, .result = run->D[block]};
        kernel->burst(kernel, at, (struct kernel_steps){0}, 1);
    }
}

void pairwise_run_some(const struct block_run *run, int thread, int64_t first, int64_t count,
                       int32_t block, bool later, bool sums) {
    struct tcplan_block_plan *plan = run->plan;
    const struct block_pair *pair = &plan->product->pairs->pair[first];
    const struct pair_code *code = &plan->code[pair->class];
    struct pair_thread *own = &plan->thread[thread];
    if (sums && code->sum[later]) {
        run_sum(run, code, own, first, count, block, later);
        return;
    }
    if (code->product[later] && (code->product[1] || count == 1)) {
        run_products(run, code, first, count, block, later);
        return;
    }
    const struct pair_class *class = plan->classes[pair->class];
    if (class->is_gemm) {
        run_gemms(run, class, first, count, block, later);
        return;
    }
    for (int64_t n = 0; n < count; n++) {
        struct instance *instance = own->instance[2 * (size_t)pair->class + (later || n > 0)];
        if (!instance->writes) continue;
        program_run_on(instance->program, run->A[pair[n].a], run->B[pair[n].b], run->D[block],
                       run->D[block]);
    }
}

void pairwise_run(const struct block_run *run, int thread, int32_t block, bool sums) {
    const struct block_pairs *pairs = run->plan->product->pairs;
    const int64_t end = pairs->first[block + 1];
    for (int64_t p = pairs->first[block], next; p < end; p = next) {
        for (next = p + 1; next < end && pairs->pair[next].class == pairs->pair[p].class;) next++;
        pairwise_run_some(run, thread, p, next - p, block, p > pairs->first[block], sums);
    }
}

enum tcplan_status pairwise_run_wide(const struct block_run *run, int32_t block,
                                     struct tcplan_error *error) {
    const struct block_pairs *pairs = run->plan->product->pairs;
    const struct block_factor one =
        block_factor_of((struct tcplan_scalar){1, 0}, run->plan->product->dtype);
    struct tcplan_execution execution = {
        .size = sizeof execution, .alpha = run->alpha, .beta = run->beta, .D = run->D[block]};
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t p = pairs->first[block]; p < pairs->first[block + 1] && status == TCPLAN_OK; p++) {
        const struct pair_class *class = run->plan->classes[pairs->pair[p].class];
        execution.A = run->A[pairs->pair[p].a];
        execution.B = run->B[pairs->pair[p].b];
        status = tcplan_plan_run(class->wide ? class->wide : class->plan, &execution, error);
        execution.beta = one.number;
    }
    return status;
}

void pairwise_free(struct tcplan_block_plan *plan) {
    const int count = plan->product->pairs->class_count;
    for (int t = 0; plan->thread && t < plan->threads; t++) {
        struct pair_thread *thread = &plan->thread[t];
        for (int n = 0; thread->instance && n < 2 * count; n++) instance_free(thread->instance[n]);
        base_free((void *)thread->instance);
        base_free((void *)thread->first);
        base_free((void *)thread->second);
    }
    for (int c = 0; plan->classes && c < count; c++) {
        if (!plan->classes[c]) continue;
        tcplan_plan_free(plan->classes[c]->plan);
        tcplan_plan_free(plan->classes[c]->wide);
        base_free(plan->classes[c]->gemm);
        base_free(plan->classes[c]);
    }
    base_free(plan->thread);
    base_free(plan->code);
    base_free((void *)plan->classes);
}
