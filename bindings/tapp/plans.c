#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/products.h"
#include "bindings/tapp/tensors.h"

TAPP_error tapp_fail_as(TAPP_error code, enum tcplan_status status,
                        const struct tcplan_error *error) {
    if (status == TCPLAN_NO_MEMORY) return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    if (status == TCPLAN_OVERFLOW) code = TAPP_TCPLAN_LIMIT;
    return tapp_fail(code, *error->message ? "%s" : NULL, error->message);
}

const char *tapp_origin_name(enum tcplan_plan_origin origin) {
    switch (origin) {
    case TCPLAN_PLAN_NAMED: return "named";
    case TCPLAN_PLAN_ESTIMATED: return "estimated";
    case TCPLAN_PLAN_TIMED: return "timed";
    case TCPLAN_PLAN_COMPARED: return "compared";
    case TCPLAN_PLAN_STORED: return "stored";
    case TCPLAN_PLAN_IMPROVED: return "improved";
    }
    return "unknown";
}

/** Returns an operand as it is passed to libtcplan: the tensor itself, or its temporary. */
static struct tcplan_dimensions dimensions_of(const struct tapp_product *product,
                                              enum tapp_role role) {
    const struct tapp_operand *operand = &product->operand[role];
    const struct tapp_shape *shape = operand->converted ? &operand->shape : &operand->given;
    return (struct tcplan_dimensions){
        .rank = shape->rank,
        .label = shape->label,
        .extent = shape->extent,
        .stride = operand->converted ? operand->stride : shape->stride,
        .conjugated = operand->conjugated && tapp_type_is_complex(product->type)};
}

/**
 * Makes the product that libtcplan plans. If D is converted, the product is that of A and B
 * without factors. If libtcplan rejects the product, elements of the result coincide, because all
 * other errors have been found before.
 */
static TAPP_error make_product(struct tcplan_product **out, const struct tapp_product *product,
                               bool adds) {
    struct tcplan_error error = {.status = TCPLAN_OK};
    struct tcplan_dimensions A = dimensions_of(product, TAPP_A), B = dimensions_of(product, TAPP_B);
    struct tcplan_dimensions C = dimensions_of(product, TAPP_C), D = dimensions_of(product, TAPP_D);
    if (product->operand[TAPP_D].converted) D.conjugated = false;
    const enum tcplan_status status = tcplan_product_make(
        out, &A, &B, adds ? &C : NULL, &D, product->type, TCPLAN_COLUMN_MAJOR, &error);
    if (status == TCPLAN_OK) return TAPP_TCPLAN_SUCCESS;
    return tapp_fail_as(status == TCPLAN_INVALID ? TAPP_TCPLAN_ALIASING : TAPP_TCPLAN_PLANNING,
                        status, &error);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static TAPP_error make_plan(struct tapp_plan *out, const struct tapp_product *product) {
    struct tcplan_error error = {.status = TCPLAN_OK};
    struct tcplan_planner *planner = NULL;
    struct tcplan_product *own = NULL;
    const double start = now();
    const TAPP_error failed = make_product(&own, product, out->adds);
    if (failed != TAPP_TCPLAN_SUCCESS) return failed;
    enum tcplan_status status =
        tapp_settings_planner(&planner, product->settings, out->threads, &error);
    if (status == TCPLAN_OK) status = tcplan_plan_new(&out->plan, planner, own, &error);
    tcplan_product_free(own);
    out->planning_seconds = now() - start;
    return status == TCPLAN_OK ? TAPP_TCPLAN_SUCCESS
                               : tapp_fail_as(TAPP_TCPLAN_PLANNING, status, &error);
}

static struct tapp_plan *find(struct tapp_product *product, int threads, bool adds) {
    struct tapp_plan *plan = atomic_load_explicit(&product->plans, memory_order_acquire);
    while (plan && (plan->threads != threads || plan->adds != adds)) plan = plan->next;
    return plan;
}

/** Makes a missing plan. The caller holds the lock. */
static TAPP_error add(struct tapp_plan **out, struct tapp_product *product, int threads,
                      bool adds) {
    struct tapp_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    plan->threads = threads;
    plan->adds = adds;
    const TAPP_error error = make_plan(plan, product);
    if (error != TAPP_TCPLAN_SUCCESS) {
        free(plan);
        return error;
    }
    plan->next = atomic_load(&product->plans);
    atomic_store_explicit(&product->plans, plan, memory_order_release);
    *out = plan;
    return TAPP_TCPLAN_SUCCESS;
}

TAPP_error tapp_product_plan(struct tapp_plan **out, struct tapp_product *product, int threads,
                             bool adds) {
    TAPP_error error = TAPP_TCPLAN_SUCCESS;
    *out = find(product, threads, adds);
    if (*out) return error;
    pthread_mutex_lock(&product->planning);
    *out = find(product, threads, adds); /* searches again, because another thread may have made the
                                            plan in the meantime */
    if (!*out) error = add(out, product, threads, adds);
    pthread_mutex_unlock(&product->planning);
    return error;
}

struct tapp_plan *tapp_product_first_plan(const struct tapp_product *product) {
    struct tapp_plan *plan = atomic_load_explicit(&product->plans, memory_order_acquire);
    while (plan && plan->next) plan = plan->next;
    return plan;
}

void tapp_product_free(struct tapp_product *product) {
    if (!product) return;
    struct tapp_plan *plan = atomic_load(&product->plans);
    while (plan) {
        struct tapp_plan *next = plan->next;
        tcplan_plan_free(plan->plan);
        free(plan);
        plan = next;
    }
    free(atomic_load(&product->temporaries));
    for (int d = 0; d < 2; d++) free(product->description[d]);
    pthread_mutex_destroy(&product->planning);
    tapp_settings_release(product->settings);
    free(product);
}
