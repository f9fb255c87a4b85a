#include "api/instance.h"

#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "base/error.h"
#include "gen/space/baseline.h"
#include "microbench/program/program.h"
#include "microbench/providers/providers.h"

enum { LINE_BYTES = 64 };

/** Returns the product's problem with the task's factors, for `contraction`, in which it sets the
 * factors, too. */
static struct tcplan_problem problem_with(const struct instance_task *task,
                                          struct tcplan_contraction *contraction) {
    const enum tcplan_operand added =
        tcplan_contraction_has_addend(contraction) ? TCPLAN_ADDEND : TCPLAN_C;
    struct tcplan_problem problem = task->product->problem;
    problem.contraction = contraction;
    problem.alpha = contraction->alpha = task->alpha;
    problem.beta = contraction->beta = task->beta;
    tcplan_contraction_set_conjugated(contraction, added, task->product->conjugates_added);
    return problem;
}

static enum tcplan_status build(struct instance *instance, const struct instance_task *task,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error) {
    enum tcplan_status status =
        contraction_copy(&instance->contraction, task->product->contraction, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_problem problem = problem_with(task, instance->contraction);
    status = tcplan_nest_build(&instance->nest, instance->contraction, algorithm, error);
    if (status == TCPLAN_OK)
        status = program_build_apart(&instance->program, instance->nest, &problem, task->threads,
                                     task->maker, error);
    if (status != TCPLAN_OK || !instance->program) return status;
    instance->place_bytes = program_place_bytes(instance->program);
    instance->writes = problem.elems[TCPLAN_C] > 0;
    instance->reads_factors = instance->writes && !instance->program->only_scales;
    instance->reads_added =
        instance->writes && contraction_added(instance->contraction) != TCPLAN_TENSORS;
    instance->borrows = !instance->program->shared;
    if (instance->place_bytes < INT64_MAX) return TCPLAN_OK;
    return error_set(error, TCPLAN_NOT_APPLICABLE,
                     "the temporaries of %d threads exceed the address space", task->threads);
}

enum tcplan_status instance_new(struct instance **out, const struct instance_task *task,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error) {
    struct instance *instance = base_alloc(sizeof *instance);
    if (!instance) return error_no_memory(error);
    *instance =
        (struct instance){.threads = task->threads, .alpha = task->alpha, .beta = task->beta};
    const enum tcplan_status status = build(instance, task, algorithm, error);
    if (status == TCPLAN_OK) {
        *out = instance;
    } else {
        instance_free(instance);
    }
    return status;
}

void instance_free(struct instance *instance) {
    if (!instance) return;
    tcplan_program_free(instance->program);
    tcplan_nest_free(instance->nest);
    tcplan_contraction_free(instance->contraction);
    base_free(instance->memory);
    base_free(instance);
}

/* Functions that replace an algorithm whose provider's kernel does not support alpha or beta of an
 * execution. */

/** Returns the algorithm with the BLAS as provider, and gemm instead of brgemm. The indices that
 * brgemm sums over (role r) become the innermost loops. */
static struct tcplan_algorithm by_blas(struct tcplan_algorithm algorithm) {
    for (uint64_t rest = algorithm.group[TCPLAN_R];
         rest && algorithm.loop_count < TCPLAN_MAX_INDICES; rest &= rest - 1) {
        algorithm.loop[algorithm.loop_count++] = (uint8_t)__builtin_ctzll(rest);
    }
    algorithm.group[TCPLAN_R] = 0;
    if (algorithm.kernel == TCPLAN_BRGEMM) algorithm.kernel = TCPLAN_GEMM;
    algorithm.provider = TCPLAN_PROVIDER_BLAS;
    return algorithm;
}

static bool may_be_another(enum tcplan_status status) {
    return status == TCPLAN_NOT_APPLICABLE || status == TCPLAN_INVALID;
}

static bool is_general(struct tcplan_scalar factor, struct tcplan_scalar own) {
    const bool is_own = factor.re == own.re && factor.im == own.im;
    return !is_own && scalar_class_of(factor) == SCALAR_OTHER;
}

/** Returns whether the kernel of an algorithm would have to be compiled again, for factors that
 * possibly no other execution uses. */
static bool would_compile(const struct instance_task *task,
                          const struct tcplan_algorithm *algorithm) {
    const struct tcplan_problem *problem = &task->product->problem;
    return !(task->maker && task->maker->only_stored) &&
           provider_needs_compiler(problem, algorithm) &&
           (is_general(task->alpha, problem->alpha) || is_general(task->beta, problem->beta));
}

/** Makes an instance of the baseline or, if that cannot run, of the first algorithm of the
 * enumeration that can. */
static enum tcplan_status instance_any(struct instance **out, const struct instance_task *task) {
    const struct tcplan_contraction *contraction = task->product->contraction;
    struct tcplan_algorithm algorithm;
    struct tcplan_enumerator enumerator;
    enum tcplan_status status = TCPLAN_NOT_APPLICABLE;
    if (baseline_of(&algorithm, &task->product->problem))
        status = instance_new(out, task, &algorithm, NULL);
    tcplan_enumerator_init(&enumerator, contraction);
    while (may_be_another(status) && tcplan_enumerator_next(&enumerator, &algorithm))
        status = instance_new(out, task, &algorithm, NULL);
    return status;
}

enum tcplan_status instance_new_near(struct instance **out, const struct instance_task *task,
                                     const struct tcplan_algorithm *algorithm,
                                     struct tcplan_error *error) {
    const bool is_left_out = would_compile(task, algorithm);
    const enum tcplan_status first = is_left_out
                                         ? error_set(error, TCPLAN_NOT_APPLICABLE,
                                                     "the kernel for these factors is not compiled")
                                         : instance_new(out, task, algorithm, error);
    if (!may_be_another(first)) return first;
    const struct tcplan_algorithm other = by_blas(*algorithm);
    enum tcplan_status status = instance_new(out, task, &other, NULL);
    if (may_be_another(status)) status = instance_any(out, task);
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    return status == TCPLAN_OK ? TCPLAN_OK : first;
}

/* Running. */

bool instance_suits(struct instance *instance, int threads, struct tcplan_scalar alpha,
                    struct tcplan_scalar beta) {
    const struct tcplan_scalar a = instance->alpha, b = instance->beta;
    if (instance->threads != threads) return false;
    if (a.re == alpha.re && a.im == alpha.im && b.re == beta.re && b.im == beta.im) return true;
    if (!program_takes_factors(instance->program, alpha, beta)) return false;
    program_set_factors(instance->program, alpha, beta);
    instance->alpha = alpha;
    instance->beta = beta;
    return true;
}

enum tcplan_status instance_place(struct instance *instance, void *workspace) {
    if (instance->place_bytes == 0 ||
        (!workspace && instance->placed && instance->placed == instance->memory))
        return TCPLAN_OK;
    if (!workspace && !instance->memory)
        instance->memory = base_large_alloc(LINE_BYTES, (size_t)instance->place_bytes);
    void *memory = workspace ? workspace : instance->memory;
    if (!memory) return TCPLAN_NO_MEMORY;
    program_place(instance->program, memory);
    instance->placed = memory;
    return TCPLAN_OK;
}
