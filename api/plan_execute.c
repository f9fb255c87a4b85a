/* Executes plans; any number of threads may do so at once. */
#include <string.h>

#include "api/improving.h"
#include "ast/scalar.h"
#include "base/error.h"
#include "microbench/program/program.h"
#include "microbench/providers/maker.h"

/* Idle instances of a plan. */

void plan_give_back(struct tcplan_plan *plan, struct instance *instance) {
    for (int i = 0; i < PLAN_INSTANCES; i++) {
        struct instance *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&plan->ready[i], &none, instance,
                                                    memory_order_acq_rel, memory_order_relaxed))
            return;
    }
    const unsigned turn = atomic_fetch_add(&plan->turn, 1) % PLAN_INSTANCES;
    instance_free(atomic_exchange(&plan->ready[turn], instance));
}

/** Takes an idle instance that satisfies an order; NULL if there is none. */
static struct instance *find_ready(struct tcplan_plan *plan, const struct plan_order *order) {
    for (int i = 0; i < PLAN_INSTANCES; i++) {
        if (!atomic_load_explicit(&plan->ready[i], memory_order_relaxed)) continue;
        struct instance *found =
            atomic_exchange_explicit(&plan->ready[i], NULL, memory_order_acq_rel);
        if (!found) continue;
        if (found->algorithm == order->choice->name &&
            instance_suits(found, order->threads, order->alpha, order->beta))
            return found;
        plan_give_back(plan, found);
    }
    return NULL;
}

enum tcplan_status plan_take(struct instance **out, struct tcplan_plan *plan,
                             const struct plan_order *order, struct tcplan_error *error) {
    *out = find_ready(plan, order);
    if (*out) return TCPLAN_OK;
    struct kernel_maker maker = {.only_stored = order->choice->origin == TCPLAN_PLAN_ESTIMATED};
    const struct instance_task task = {.product = plan->product,
                                       .alpha = order->alpha,
                                       .beta = order->beta,
                                       .threads = order->threads,
                                       .maker = &maker};
    const enum tcplan_status status =
        instance_new_near(out, &task, &order->choice->algorithm, error);
    if (status == TCPLAN_OK && *out) (*out)->algorithm = order->choice->name;
    return status;
}

/* Executing. */

static enum tcplan_status refuse_null(const char *tensor, const char *what,
                                      struct tcplan_error *error) {
    return error_set(error, TCPLAN_INVALID, "expected the address of %s, which is %s, found NULL",
                     tensor, what);
}

static enum tcplan_status check_tensors(const struct tcplan_plan *plan,
                                        const struct instance *instance,
                                        const struct tcplan_execution *execution,
                                        struct tcplan_error *error) {
    if (instance->reads_factors && !execution->A) return refuse_null("A", "read", error);
    if (instance->reads_factors && !execution->B) return refuse_null("B", "read", error);
    if (instance->writes && !execution->D) return refuse_null("D", "written", error);
    if (tcplan_contraction_has_addend(plan->product->contraction)) {
        return instance->reads_added && !execution->C ? refuse_null("C", "added", error)
                                                      : TCPLAN_OK;
    }
    if (!execution->C || execution->C == execution->D) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "the product has no tensor C besides D: expected C to be D or NULL");
}

static enum tcplan_status check_workspace(const struct instance *instance,
                                          const struct tcplan_execution *execution,
                                          struct tcplan_error *error) {
    if (!execution->workspace || execution->workspace_bytes >= instance->place_bytes)
        return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "the workspace has %lld bytes, expected at least %lld",
                     (long long)execution->workspace_bytes, (long long)instance->place_bytes);
}

/** Runs an instance that no other thread uses. */
static enum tcplan_status run(const struct tcplan_plan *plan, struct instance *instance,
                              const struct tcplan_execution *execution,
                              struct tcplan_error *error) {
    enum tcplan_status status = check_tensors(plan, instance, execution, error);
    if (status == TCPLAN_OK) status = check_workspace(instance, execution, error);
    if (status != TCPLAN_OK || !instance->writes) return status;
    if (instance_place(instance, execution->workspace) != TCPLAN_OK) return error_no_memory(error);
    const uint64_t borrowed =
        instance->borrows ? program_borrow_threads(instance->program, instance->threads) : 0;
    program_run_on(instance->program, execution->A, execution->B,
                   execution->C ? execution->C : execution->D, execution->D);
    program_return_threads(instance->program, borrowed);
    return TCPLAN_OK;
}

static enum tcplan_status execute(struct tcplan_plan *plan,
                                  const struct tcplan_execution *execution,
                                  const struct plan_order *order, struct tcplan_error *error) {
    struct instance *instance = NULL;
    enum tcplan_status status = plan_take(&instance, plan, order, error);
    if (status != TCPLAN_OK || !instance) return status;
    status = run(plan, instance, execution, error);
    plan_give_back(plan, instance);
    return status;
}

static bool is_equal(struct tcplan_scalar a, struct tcplan_scalar b) {
    return a.re == b.re && a.im == b.im;
}

/** Begins a trial if the execution has the planned factors and threads, and no workspace of the
 * caller. */
static bool begin_trial(struct trial *out, const struct tcplan_plan *plan,
                        const struct tcplan_execution *execution, const struct plan_order *order) {
    const struct tcplan_problem *problem = &plan->product->problem;
    if (!plan->improving || execution->workspace || order->threads != plan->threads) return false;
    return is_equal(order->alpha, problem->alpha) && is_equal(order->beta, problem->beta) &&
           improving_begin(out, plan->improving);
}

/** Executes the algorithm of a trial. Returns false, without executing anything, if it cannot be
 * prepared. */
static bool execute_trial(struct trial *trial, struct tcplan_plan *plan,
                          const struct tcplan_execution *execution, const struct plan_order *order,
                          enum tcplan_status *status, struct tcplan_error *error) {
    const struct plan_order tried = {.choice = trial->choice,
                                     .threads = order->threads,
                                     .alpha = order->alpha,
                                     .beta = order->beta};
    struct instance *instance = NULL;
    const bool is_there = plan_take(&instance, plan, &tried, NULL) == TCPLAN_OK && instance;
    if (!is_there ||
        !tcplan_algorithm_equal(&instance->nest->algorithm, &trial->choice->algorithm) ||
        instance_place(instance, NULL) != TCPLAN_OK) {
        instance_free(instance);
        improving_drop(trial);
        return false;
    }
    improving_start(trial);
    *status = run(plan, instance, execution, error);
    if (*status == TCPLAN_OK) {
        improving_end(trial, plan);
    } else {
        improving_cancel(trial);
    }
    plan_give_back(plan, instance);
    return true;
}

static enum tcplan_status execute_or_try(struct tcplan_plan *plan,
                                         const struct tcplan_execution *execution,
                                         struct plan_order *order, struct tcplan_error *error) {
    struct trial trial;
    enum tcplan_status status = TCPLAN_OK;
    if (begin_trial(&trial, plan, execution, order) &&
        execute_trial(&trial, plan, execution, order, &status, error))
        return status;
    order->choice = plan_chosen(plan);
    return execute(plan, execution, order, error);
}

/** Executes any plan. Not inlined, because saving its registers would slow down short products. */
__attribute__((noinline)) static enum tcplan_status execute_any(struct tcplan_plan *plan,
                                                                const void *A, const void *B,
                                                                void *D,
                                                                struct tcplan_error *error) {
    if (!plan) return error_set(error, TCPLAN_INVALID, "expected a plan, found NULL");
    const struct tcplan_execution execution = {.size = sizeof execution, .A = A, .B = B, .D = D};
    const struct tcplan_problem *problem = &plan->product->problem;
    struct plan_order order = {
        .threads = plan->threads, .alpha = problem->alpha, .beta = problem->beta};
    return execute_or_try(plan, &execution, &order, error);
}

/** Executes a plan that is a single function or burst without the overhead of the general case,
 * which would slow down short products. */
enum tcplan_status tcplan_plan_execute(struct tcplan_plan *plan, const void *A, const void *B,
                                       void *D, struct tcplan_error *error) {
    if (!plan || plan->improving || !A || !B || !D) return execute_any(plan, A, B, D, error);
    if (plan->function) {
        plan->function(A, B, D);
    } else if (plan->burst) {
        program_burst_run(plan->burst, A, B, D);
    } else {
        return execute_any(plan, A, B, D, error);
    }
    return TCPLAN_OK;
}

tcplan_function *tcplan_plan_function(const struct tcplan_plan *plan) {
    return plan && !plan->improving ? plan->function : NULL;
}

enum tcplan_status tcplan_plan_execute_many(struct tcplan_plan *plan, int64_t count,
                                            const void *const A[], const void *const B[],
                                            void *const D[], struct tcplan_error *error) {
    if (!plan) return error_set(error, TCPLAN_INVALID, "expected a plan, found NULL");
    if (count < 0)
        return error_set(error, TCPLAN_INVALID, "expected 0 or more executions, found %lld",
                         (long long)count);
    if (count > 0 && (!A || !B || !D))
        return error_set(error, TCPLAN_INVALID, "expected lists of addresses, found NULL");
    for (int64_t i = 0; i < count; i++) {
        const enum tcplan_status status = tcplan_plan_execute(plan, A[i], B[i], D[i], error);
        if (status != TCPLAN_OK) return status;
    }
    return TCPLAN_OK;
}

/** Reads the caller's structure. Its program may have been compiled with this version or a later
 * one; additional members of a later version must be 0. */
static enum tcplan_status read_execution(struct tcplan_execution *out,
                                         const struct tcplan_execution *given,
                                         struct tcplan_error *error) {
    const char *bytes = (const char *)given;
    if (given->size < sizeof *out) {
        return error_set(
            error, TCPLAN_INVALID,
            "the execution has a size of %zu, expected sizeof(struct tcplan_execution), which is %zu",
            given->size, sizeof *out);
    }
    for (size_t b = sizeof *out; b < given->size; b++) {
        if (bytes[b])
            return error_set(error, TCPLAN_INVALID,
                             "the execution uses members of a later version than this library");
    }
    memcpy(out, given, sizeof *out);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_plan_run(struct tcplan_plan *plan,
                                   const struct tcplan_execution *execution,
                                   struct tcplan_error *error) {
    struct tcplan_execution own = {.size = 0};
    if (!plan || !execution)
        return error_set(error, TCPLAN_INVALID, "expected a plan and an execution, found NULL");
    const enum tcplan_status status = read_execution(&own, execution, error);
    if (status != TCPLAN_OK) return status;
    if (own.threads < 0 || own.threads > TCPLAN_MAX_THREADS) {
        return error_set(error, TCPLAN_INVALID,
                         "expected 1 to %d threads, or 0 for the planned number, found %d",
                         TCPLAN_MAX_THREADS, own.threads);
    }
    const struct tcplan_problem *problem = &plan->product->problem;
    struct plan_order order = {
        .threads = own.threads > 0 ? own.threads : plan->threads,
        .alpha = own.alpha ? product_factor(plan->product, own.alpha) : problem->alpha,
        .beta = own.beta ? product_factor(plan->product, own.beta) : problem->beta};
    return execute_or_try(plan, &own, &order, error);
}

/* Workspace. */

/** Returns the bytes of temporaries that an execution with these requirements needs; 0 if no
 * instance can be made, -1 if memory runs out. */
static int64_t needed_bytes(struct tcplan_plan *plan, const struct plan_order *order) {
    struct instance *instance = NULL;
    const enum tcplan_status status = plan_take(&instance, plan, order, NULL);
    if (status != TCPLAN_OK || !instance) return status == TCPLAN_NO_MEMORY ? -1 : 0;
    const int64_t bytes = instance->place_bytes;
    plan_give_back(plan, instance);
    return bytes;
}

enum { FACTOR_CLASSES = 4 };

/** Lists one factor of each class: 0, 1, the planned factor, and all others, for which kernels are
 * not compiled again. Returns their number. */
static int factors_of_classes(struct tcplan_scalar out[FACTOR_CLASSES],
                              struct tcplan_scalar planned) {
    int count = 0;
    out[count++] = (struct tcplan_scalar){0, 0};
    out[count++] = (struct tcplan_scalar){1, 0};
    if (scalar_class_of(planned) == SCALAR_OTHER) out[count++] = planned;
    out[count++] = (struct tcplan_scalar){scalar_is(planned, 2) ? 3 : 2, 0};
    return count;
}

/** Returns the maximum bytes of temporaries that a choice needs with any factors; -1 if memory runs
 * out. */
static int64_t most_bytes(struct tcplan_plan *plan, const struct plan_choice *choice, int threads) {
    const struct tcplan_problem *problem = &plan->product->problem;
    struct tcplan_scalar alpha[FACTOR_CLASSES], beta[FACTOR_CLASSES];
    const int alphas = factors_of_classes(alpha, problem->alpha),
              betas = factors_of_classes(beta, problem->beta);
    int64_t most = 0;
    for (int a = 1; a < alphas; a++) { /* executions with an alpha of 0 need no temporaries */
        for (int b = 0; b < betas; b++) {
            const struct plan_order order = {
                .choice = choice, .threads = threads, .alpha = alpha[a], .beta = beta[b]};
            const int64_t bytes = needed_bytes(plan, &order);
            if (bytes < 0) return -1;
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

int64_t tcplan_plan_workspace(struct tcplan_plan *plan, int threads) {
    if (!plan || threads < 0 || threads > TCPLAN_MAX_THREADS) return -1;
    const int count = threads > 0 ? threads : plan->threads;
    int64_t most = most_bytes(plan, &plan->choice, count);
    const struct plan_choice *other;
    for (int n = 0; most >= 0 && plan->improving && (other = improving_choice(plan->improving, n));
         n++) { /* also considers the choices that trials may select instead */
        if (tcplan_algorithm_equal(&other->algorithm, &plan->choice.algorithm)) continue;
        const int64_t bytes = most_bytes(plan, other, count);
        most = bytes < 0 || bytes > most ? bytes : most;
    }
    return most;
}
