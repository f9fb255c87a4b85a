#include <tapp/attributes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/tapp/errors.h"
#include "bindings/tapp/handles.h"
#include "bindings/tapp/objects.h"
#include "bindings/tapp/products.h"
#include "bindings/tapp/statuses.h"

static TAPP_error no_attribute(TAPP_attr object, TAPP_key key, const char *can) {
    static const char *const kinds[] = {
        [TAPP_KIND_NONE] = "object",       [TAPP_KIND_HANDLE] = "handle",
        [TAPP_KIND_EXECUTOR] = "executor", [TAPP_KIND_TENSOR] = "tensor info",
        [TAPP_KIND_PRODUCT] = "product",   [TAPP_KIND_STATUS] = "status"};
    const enum tapp_kind kind = tapp_object_kind(object);
    if (kind == TAPP_KIND_NONE)
        return tapp_fail(TAPP_TCPLAN_NO_OBJECT,
                         "The handle is invalid, or the object was destroyed.");
    return tapp_fail(TAPP_TCPLAN_ATTRIBUTE, "A %s has no attribute %#x that can be %s.",
                     kinds[kind], (unsigned)key, can);
}

/** Casts a pointer to an attribute's value for the interface, which takes no const pointers. */
static void *pointer_to(const void *value) {
    return (void *)(uintptr_t)value;
}

/* Attributes of handles. */

/** Returns a pointer to the value of a handle's attribute; NULL if there is no such attribute. */
static const void *setting(const struct tapp_settings *settings, TAPP_key key) {
    switch (key) {
    case TAPP_TCPLAN_EFFORT: return tapp_effort_name(settings->effort);
    case TAPP_TCPLAN_TIME_LIMIT: return &settings->time_limit_seconds;
    case TAPP_TCPLAN_THREADS: return &settings->threads;
    case TAPP_TCPLAN_PLANS: return settings->plans;
    case TAPP_TCPLAN_STORE: return settings->store;
    case TAPP_TCPLAN_IMPROVE: return &settings->improving;
    default: return NULL;
    }
}

static TAPP_error set_text(char **text, const char *value) {
    const size_t bytes = strlen(value) + 1;
    char *copy = malloc(bytes);
    if (!copy) return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    memcpy(copy, value, bytes);
    free(*text);
    *text = copy;
    return TAPP_TCPLAN_SUCCESS;
}

static TAPP_error set_threads(int *threads, int value) {
    if (value < 1 || value > TAPP_MAX_THREADS) {
        return tapp_fail(TAPP_TCPLAN_ATTRIBUTE, "The number of threads is %d: expected 1 to %d.",
                         value, (int)TAPP_MAX_THREADS);
    }
    *threads = value;
    return TAPP_TCPLAN_SUCCESS;
}

static TAPP_error set_improving(int *executions, int value) {
    if (value < 0)
        return tapp_fail(TAPP_TCPLAN_ATTRIBUTE,
                         "The number of executions is %d: expected 0 (none) or more.", value);
    *executions = value;
    return TAPP_TCPLAN_SUCCESS;
}

static TAPP_error set_time_limit(double *limit, double seconds) {
    if (!isfinite(seconds) || seconds < 0) {
        return tapp_fail(TAPP_TCPLAN_ATTRIBUTE,
                         "The time limit is %g seconds: expected 0 (none) or more.", seconds);
    }
    *limit = seconds;
    return TAPP_TCPLAN_SUCCESS;
}

static TAPP_error set_effort(enum tcplan_effort *effort, const char *name) {
    if (tapp_effort_of(effort, name)) return TAPP_TCPLAN_SUCCESS;
    return tapp_fail(TAPP_TCPLAN_ATTRIBUTE,
                     "The effort is '%.40s': expected estimate, quick, normal or thorough.", name);
}

/** Sets an attribute of settings. `key` is one of the attributes that a handle has. */
static TAPP_error change(struct tapp_settings *settings, TAPP_key key, const void *value) {
    switch (key) {
    case TAPP_TCPLAN_EFFORT: return set_effort(&settings->effort, value);
    case TAPP_TCPLAN_TIME_LIMIT:
        return set_time_limit(&settings->time_limit_seconds, *(const double *)value);
    case TAPP_TCPLAN_THREADS: return set_threads(&settings->threads, *(const int *)value);
    case TAPP_TCPLAN_IMPROVE: return set_improving(&settings->improving, *(const int *)value);
    case TAPP_TCPLAN_PLANS: settings->names_plans = true; return set_text(&settings->plans, value);
    default: return set_text(&settings->store, value);
    }
}

/** Sets an attribute of a handle. The handle gets new settings; products that were made with it
 * keep the old ones. */
static TAPP_error set_of_handle(struct tapp_handle *handle, TAPP_key key, const void *value) {
    struct tapp_settings *settings = tapp_settings_copy(handle->settings);
    if (!settings) return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    const TAPP_error error = change(settings, key, value);
    struct tapp_settings *unused = error == TAPP_TCPLAN_SUCCESS ? handle->settings : settings;
    if (error == TAPP_TCPLAN_SUCCESS) handle->settings = settings;
    tapp_settings_release(unused);
    return error;
}

static TAPP_error clear_of_handle(struct tapp_handle *handle, TAPP_key key) {
    TAPP_error error = TAPP_TCPLAN_SUCCESS;
    struct tapp_settings *fresh = tapp_settings_new(&error);
    if (fresh) error = set_of_handle(handle, key, setting(fresh, key));
    if (error == TAPP_TCPLAN_SUCCESS && key == TAPP_TCPLAN_PLANS)
        handle->settings->names_plans = false;
    tapp_settings_release(fresh);
    return error;
}

/* Attributes of products. */

/** Returns a description of a product's plan; NULL if out of memory. The description is made at the
 * first request, and again after the plan has improved itself. Both texts live as long as the
 * product. */
static const char *describe(struct tapp_product *product, const struct tapp_plan *plan) {
    pthread_mutex_lock(&product->planning);
    char **text = &product->description[tcplan_plan_origin(plan->plan) == TCPLAN_PLAN_IMPROVED];
    if (!*text) *text = tcplan_plan_describe(plan->plan);
    pthread_mutex_unlock(&product->planning);
    return *text;
}

/** Returns a pointer to the value of a product's attribute, taken from the product's first plan;
 * NULL if there is no such attribute. */
static const void *product_value(struct tapp_product *product, TAPP_key key) {
    const struct tapp_plan *plan = tapp_product_first_plan(product);
    switch (key) {
    case TAPP_TCPLAN_ALGORITHM: return tcplan_plan_algorithm(plan->plan);
    case TAPP_TCPLAN_ORIGIN: return tapp_origin_name(tcplan_plan_origin(plan->plan));
    case TAPP_TCPLAN_DESCRIPTION: return describe(product, plan);
    case TAPP_TCPLAN_PLANNING_SECONDS: return &plan->planning_seconds;
    case TAPP_TCPLAN_THREADS: return &plan->threads;
    default: return NULL;
    }
}

static const void *status_value(const struct tapp_status *status, TAPP_key key) {
    switch (key) {
    case TAPP_TCPLAN_ALGORITHM: return status->algorithm;
    case TAPP_TCPLAN_ORIGIN: return status->origin;
    case TAPP_TCPLAN_SECONDS: return &status->seconds;
    case TAPP_TCPLAN_THREADS: return &status->threads;
    case TAPP_TCPLAN_BATCHES: return &status->batches;
    default: return NULL;
    }
}

/* Public functions. */

TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value) {
    struct tapp_handle *handle = tapp_object_find(attr, TAPP_KIND_HANDLE);
    struct tapp_executor *executor = tapp_object_find(attr, TAPP_KIND_EXECUTOR);
    const bool is_there =
        handle ? setting(handle->settings, key) != NULL : executor && key == TAPP_TCPLAN_THREADS;
    if (!is_there) return no_attribute(attr, key, "set");
    if (!value)
        return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The value of attribute %#x is NULL.",
                         (unsigned)key);
    return handle ? set_of_handle(handle, key, value)
                  : set_threads(&executor->threads, *(const int *)value);
}

TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value) {
    const void *found = NULL;
    if (!value)
        return tapp_fail(TAPP_TCPLAN_NULL_POINTER, "The pointer for attribute %#x is NULL.",
                         (unsigned)key);
    *value = NULL;
    const struct tapp_handle *handle = tapp_object_find(attr, TAPP_KIND_HANDLE);
    const struct tapp_executor *executor = tapp_object_find(attr, TAPP_KIND_EXECUTOR);
    struct tapp_product *product = tapp_object_find(attr, TAPP_KIND_PRODUCT);
    const struct tapp_status *status = tapp_object_find(attr, TAPP_KIND_STATUS);
    if (handle) found = setting(handle->settings, key);
    if (executor && key == TAPP_TCPLAN_THREADS) found = &executor->threads;
    if (product) found = product_value(product, key);
    if (status) found = status_value(status, key);
    if (!found && product && key == TAPP_TCPLAN_DESCRIPTION)
        return tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    if (!found) return no_attribute(attr, key, "read");
    *value = pointer_to(found);
    return TAPP_TCPLAN_SUCCESS;
}

TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key) {
    struct tapp_handle *handle = tapp_object_find(attr, TAPP_KIND_HANDLE);
    struct tapp_executor *executor = tapp_object_find(attr, TAPP_KIND_EXECUTOR);
    if (handle && setting(handle->settings, key)) return clear_of_handle(handle, key);
    if (!executor || key != TAPP_TCPLAN_THREADS) return no_attribute(attr, key, "cleared");
    executor->threads = 0;
    return TAPP_TCPLAN_SUCCESS;
}
