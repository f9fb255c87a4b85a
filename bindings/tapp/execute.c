#include <stdlib.h>
#include <time.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/handles.h"
#include "bindings/tapp/objects.h"
#include "bindings/tapp/products.h"
#include "bindings/tapp/settings.h"
#include "bindings/tapp/statuses.h"
#include "bindings/tapp/tensors.h"

/** The arguments of an execution and its plan. */
struct call {
    struct tapp_product *product;
    const void *alpha;
    const void *beta;
    bool reads_factors; /* whether alpha is not 0, and A and B have elements */
    bool reads_addend;  /* whether beta is not 0, so that the addend is read */
    int threads;
    struct tapp_plan *plan;
};

/** The tensors of one execution. */
struct tensors {
    const void *A;
    const void *B;
    const void *C;
    void *D;
};

static bool is_zero(const void *number, enum tcplan_dtype type) {
    const struct tcplan_scalar scalar = tapp_scalar(number, type);
    return scalar.re == 0 && scalar.im == 0;
}

/* Checks of the arguments. They precede all computations. */

static TAPP_error no_pointer(const char *name) {
    return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The pointer to %s is NULL.", name);
}

static TAPP_error check_tensors(const struct call *call, const struct tensors *at) {
    if (call->product->empty) return TAPP_TCPLAN_SUCCESS;
    if (!at->D) return no_pointer("D");
    if (call->reads_factors && !at->A) return no_pointer("A");
    if (call->reads_factors && !at->B) return no_pointer("B");
    if (call->reads_addend && !at->C) return tapp_fail(TAPP_TCPLAN_NULL_C, NULL);
    if (call->reads_addend && at->C == at->D && !call->product->same_layout)
        return tapp_fail(TAPP_TCPLAN_C_IS_OTHER_D, NULL);
    return TAPP_TCPLAN_SUCCESS;
}

static TAPP_error read_call(struct call *out, TAPP_tensor_product plan, TAPP_executor exec,
                            const void *alpha, const void *beta) {
    const struct tapp_executor *executor = NULL;
    if (plan < 0 && plan > -TAPP_LAST_CODE) return tapp_fail_again((TAPP_error)-plan);
    struct tapp_product *product = tapp_object_find(plan, TAPP_KIND_PRODUCT);
    if (!product)
        return tapp_fail(TAPP_TCPLAN_NO_OBJECT,
                         "The handle is not a product, or the product was destroyed.");
    if (exec != 0) {
        executor = tapp_object_find(exec, TAPP_KIND_EXECUTOR);
        if (!executor) return tapp_fail(TAPP_TCPLAN_NO_EXECUTOR, NULL);
    }
    if (!alpha) return no_pointer("alpha");
    if (!beta) return no_pointer("beta");
    const enum tcplan_dtype type = product->operand[TAPP_D].type;
    *out = (struct call){.product = product, .alpha = alpha, .beta = beta};
    out->reads_factors = !is_zero(alpha, type) && !product->sums_nothing;
    out->reads_addend = !is_zero(beta, type);
    out->threads =
        executor && executor->threads > 0 ? executor->threads : product->settings->threads;
    return TAPP_TCPLAN_SUCCESS;
}

/** Returns whether C is passed to libtcplan as an addend, because it is another array than D or
 * conjugated. Otherwise D is scaled in place. */
static bool adds(const struct call *call, const struct tensors *at) {
    const struct tapp_operand *operand = call->product->operand;
    if (operand[TAPP_D].converted || !call->reads_addend) return false;
    return at->C != at->D || operand[TAPP_C].conjugated;
}

/* Temporaries. */

/** Returns memory for the temporaries of an execution; NULL if out of memory. */
static void *take_temporaries(struct tapp_product *product) {
    enum { LINE = 64 };
    void *memory = atomic_exchange(&product->temporaries, NULL);
    return memory ? memory : aligned_alloc(LINE, (size_t)product->temporary_bytes);
}

/** Keeps the memory of temporaries for the next execution. Frees the memory that another execution
 * has returned in the meantime. */
static void give_temporaries(struct tapp_product *product, void *memory) {
    free(atomic_exchange(&product->temporaries, memory));
}

/** Returns the temporary of an operand. */
static void *temporary(const struct tapp_operand *operand, void *memory) {
    return (char *)memory + operand->place_bytes;
}

/** Returns the operand to read: the tensor itself, or its temporary, after conversion. */
static const void *converted(const struct tapp_product *product, enum tapp_role role,
                             const void *at, void *memory) {
    const struct tapp_operand *operand = &product->operand[role];
    if (!operand->converted) return at;
    struct tapp_shape shape = operand->shape;
    for (int d = 0; d < shape.rank; d++) {
        if (operand->stride[d] == 0 && shape.extent[d] > 1)
            shape.extent[d] = 1; /* with a stride of 0, all positions are the same element */
    }
    const struct tapp_elements to = {product->type, temporary(operand, memory), operand->stride};
    const struct tapp_elements from = {operand->type, (void *)(uintptr_t)at,
                                       operand->shape.stride}; /* drops const: the tensor is only
                                                                  read */
    tapp_convert(&shape, to, from);
    return to.at;
}

/* Executions. */

static TAPP_error run(const struct call *call, struct tcplan_execution *execution) {
    struct tcplan_error error = {.status = TCPLAN_OK};
    execution->size = sizeof *execution;
    const enum tcplan_status status = tcplan_plan_run(call->plan->plan, execution, &error);
    return status == TCPLAN_OK ? TAPP_TCPLAN_SUCCESS
                               : tapp_fail_as(TAPP_TCPLAN_EXECUTION, status, &error);
}

/** Computes D := op_D(alpha * T + beta * op_C(C)). */
static void combine(const struct call *call, const struct tensors *at, void *T) {
    const struct tapp_operand *C = &call->product->operand[TAPP_C],
                              *D = &call->product->operand[TAPP_D];
    struct tapp_combination all = {.alpha = tapp_scalar(call->alpha, D->type),
                                   .beta = tapp_scalar(call->beta, D->type)};
    all.D = (struct tapp_elements){D->type, at->D, D->shape.stride};
    all.T = (struct tapp_elements){call->product->type, call->reads_factors ? T : NULL, D->stride};
    all.C = (struct tapp_elements){C->type, call->reads_addend ? (void *)(uintptr_t)at->C : NULL,
                                   C->shape.stride}; /* drops const: C is only read */
    all.conjugates_C = C->conjugated;
    all.conjugates_D = D->conjugated;
    tapp_combine(&D->shape, &all);
}

/** Executes a product with operands whose types differ from the type of the computation. */
static TAPP_error execute_converted(const struct call *call, const struct tensors *at,
                                    void *memory) {
    const struct tapp_product *product = call->product;
    const struct tapp_operand *D = &product->operand[TAPP_D];
    TAPP_error error = TAPP_TCPLAN_SUCCESS;
    struct tcplan_execution execution = {.D = D->converted ? temporary(D, memory) : at->D};
    if (call->reads_factors) {
        execution.A = converted(product, TAPP_A, at->A, memory);
        execution.B = converted(product, TAPP_B, at->B, memory);
    }
    if (!D->converted) {
        if (call->plan->adds) execution.C = converted(product, TAPP_C, at->C, memory);
        execution.alpha = call->alpha;
        execution.beta = call->beta;
        return run(call, &execution);
    }
    if (call->reads_factors) error = run(call, &execution);
    if (error == TAPP_TCPLAN_SUCCESS) combine(call, at, execution.D);
    return error;
}

static TAPP_error execute(const struct call *call, const struct tensors *at) {
    struct tapp_product *product = call->product;
    if (product->temporary_bytes == 0) {
        struct tcplan_execution execution = {.A = at->A,
                                             .B = at->B,
                                             .C = call->plan->adds ? at->C : NULL,
                                             .D = at->D,
                                             .alpha = call->alpha,
                                             .beta = call->beta};
        return run(call, &execution);
    }
    void *memory = take_temporaries(product);
    if (!memory) return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    const TAPP_error error = execute_converted(call, at, memory);
    give_temporaries(product, memory);
    return error;
}

/* Statuses. */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Stores the status of the execution if the caller requested it. */
static TAPP_error report(TAPP_status *status, const struct call *call, double start, int batches) {
    if (!status) return TAPP_TCPLAN_SUCCESS;
    const struct tapp_plan *plan = call->plan ? call->plan : tapp_product_first_plan(call->product);
    const struct tapp_status own = {.origin = tapp_origin_name(tcplan_plan_origin(plan->plan)),
                                    .seconds = now() - start,
                                    .threads = call->threads,
                                    .batches = batches};
    *status = tapp_status_add(&own, tcplan_plan_algorithm(plan->plan));
    return *status ? TAPP_TCPLAN_SUCCESS : tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
}

// NOLINTNEXTLINE(readability-function-size): the parameters are those of the interface
TAPP_error TAPP_execute_product(TAPP_tensor_product plan, TAPP_executor exec, TAPP_status *status,
                                const void *alpha, const void *A, const void *B, const void *beta,
                                const void *C, void *D) {
    const struct tensors at = {A, B, C, D};
    const double start = status ? now() : 0;
    struct call call = {.threads = 0};
    if (status) *status = 0;
    TAPP_error error = read_call(&call, plan, exec, alpha, beta);
    if (!call.product) return error;
    if (error == TAPP_TCPLAN_SUCCESS) error = check_tensors(&call, &at);
    if (error != TAPP_TCPLAN_SUCCESS) return error;
    if (!call.product->empty) {
        error = tapp_product_plan(&call.plan, call.product, call.threads, adds(&call, &at));
        if (error == TAPP_TCPLAN_SUCCESS) error = execute(&call, &at);
    }
    return error == TAPP_TCPLAN_SUCCESS ? report(status, &call, start, 1) : error;
}

/* Batches. */

/** The arrays of several products. */
struct batches {
    int count;
    const void **A;
    const void **B;
    const void **C;
    void **D;
};

static struct tensors batch_at(const struct batches *batches, int b) {
    return (struct tensors){.A = batches->A ? batches->A[b] : NULL,
                            .B = batches->B ? batches->B[b] : NULL,
                            .C = batches->C ? batches->C[b] : NULL,
                            .D = batches->D ? batches->D[b] : NULL};
}

/**
 * Returns whether each thread computes batches of its own. It does not if there are fewer batches
 * than threads, or in a forked process, where GNU OpenMP would wait for threads that do not exist
 * after the fork; all threads then compute each batch together.
 */
static bool shares_batches(const struct call *call, const struct batches *batches) {
#ifdef _OPENMP
    return call->threads > 1 && batches->count >= call->threads && !tapp_is_forked();
#else
    (void)call;
    (void)batches;
    return false;
#endif
}

/** Computes batch b with a plan for this many threads. */
static TAPP_error execute_batch(const struct call *all, const struct batches *batches, int b,
                                int threads) {
    const struct tensors at = batch_at(batches, b);
    struct call call = *all;
    const TAPP_error error = tapp_product_plan(&call.plan, call.product, threads, adds(all, &at));
    return error == TAPP_TCPLAN_SUCCESS ? execute(&call, &at) : error;
}

/** Computes all batches, even if some fail; returns the error of the first batch that failed. */
static TAPP_error execute_shared(const struct call *call, const struct batches *batches) {
    TAPP_error first = TAPP_TCPLAN_SUCCESS;
    int failed = batches->count;
#ifdef _OPENMP
#pragma omp parallel for num_threads(call->threads) schedule(dynamic)
#endif
    for (int b = 0; b < batches->count; b++) {
        const TAPP_error own = execute_batch(call, batches, b, 1);
        if (own == TAPP_TCPLAN_SUCCESS) continue;
#ifdef _OPENMP
#pragma omp critical
#endif
        if (b < failed) {
            failed = b;
            first = own;
        }
    }
    return first == TAPP_TCPLAN_SUCCESS ? first
                                        : tapp_fail(first, "Batch %d of %d could not be computed.",
                                                    failed + 1, batches->count);
}

/** Computes all batches. This thread makes the plan of the first batch, which the status reports.
 * If all threads compute each batch together, the first error ends the computation. */
static TAPP_error execute_batches(struct call *call, const struct batches *batches) {
    const bool shared = shares_batches(call, batches);
    const int threads = shared ? 1 : call->threads;
    if (batches->count == 0) return TAPP_TCPLAN_SUCCESS;
    const struct tensors at = batch_at(batches, 0);
    TAPP_error error = tapp_product_plan(&call->plan, call->product, threads, adds(call, &at));
    if (error == TAPP_TCPLAN_SUCCESS && shared) return execute_shared(call, batches);
    for (int b = 0; b < batches->count && error == TAPP_TCPLAN_SUCCESS; b++)
        error = execute_batch(call, batches, b, threads);
    return error;
}

// NOLINTNEXTLINE(readability-function-size): the parameters are those of the interface
TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan, TAPP_executor exec,
                                        TAPP_status *status, int num_batches, const void *alpha,
                                        const void **A, const void **B, const void *beta,
                                        const void **C, void **D) {
    const struct batches batches = {num_batches, A, B, C, D};
    const double start = status ? now() : 0;
    struct call call = {.threads = 0};
    if (status) *status = 0;
    TAPP_error error = read_call(&call, plan, exec, alpha, beta);
    if (!call.product) return error;
    if (error == TAPP_TCPLAN_SUCCESS && num_batches < 0) {
        error = tapp_fail(TAPP_TCPLAN_NEGATIVE_BATCHES,
                          "The number of batches is %d: expected 0 or more.", num_batches);
    }
    for (int b = 0; b < num_batches && error == TAPP_TCPLAN_SUCCESS; b++) {
        const struct tensors at = batch_at(&batches, b);
        error = check_tensors(&call, &at);
    }
    if (error == TAPP_TCPLAN_SUCCESS && !call.product->empty)
        error = execute_batches(&call, &batches);
    return error == TAPP_TCPLAN_SUCCESS ? report(status, &call, start, num_batches) : error;
}
