/*
 * Libraries with the interface TAPP, opened as files. A library is tried in a process of its own
 * before it is opened, and so is each product before it is planned here. Products stay for as long
 * as the program runs, because kernels that refer to them are copied freely.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/provider.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/tapp_library.h"
#include "microbench/providers/tapp_trial.h"

/** A product of a TAPP library: planned, or refused. */
struct made {
    struct made *next;
    struct blas_call call; /* the call, without alpha and beta */
    enum tcplan_dtype dtype;
    bool is_right;
    struct tapp_planned product;
};

/** An open library. */
struct opened {
    char *path;
    const char *base; /* name of the library's file */
    void *library;
    struct tapp_functions functions;
    struct made *made;
    char wrong[TCPLAN_MESSAGE_SIZE]; /* message about the first product that was computed wrongly */
};

static struct opened libraries[TCPLAN_PROVIDER_TAPPS];
static atomic_int library_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects products and messages */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/** Whether this thread is in a call of a TAPP library. Such a library may be made with tcplan
 * and share its code with this program; while it plans or executes, TAPP libraries are not
 * providers, because it would call itself. */
static _Thread_local bool is_inside;

static struct opened *opened_of(enum tcplan_provider provider) {
    const int number = (int)provider - TCPLAN_PROVIDER_TAPP_1;
    return number >= 0 && number < atomic_load_explicit(&library_count, memory_order_acquire)
               ? &libraries[number]
               : NULL;
}

static enum tcplan_status load(struct opened *out, struct tcplan_error *error) {
    const struct tapp_trial trial = tapp_try_library(out->path);
    if (trial.verdict != TAPP_RIGHT)
        return error_set(error, TCPLAN_NOT_APPLICABLE, "'%.120s' %.170s", out->path, trial.why);
    out->library = tapp_library_open(out->path);
    if (!out->library)
        return error_set(error, TCPLAN_INVALID, "cannot open '%.120s': %.170s", out->path,
                         dlerror());
    const char *slash = strrchr(out->path, '/');
    out->base = slash ? slash + 1 : out->path;
    return tapp_functions_find(&out->functions, out->library, out->path, error);
}

/** Adds a library under a name; takes ownership of `path` on success. */
static enum tcplan_status add(enum tcplan_provider *out, const char *name, char *path,
                              struct tcplan_error *error) {
    const int count = atomic_load(&library_count);
    for (int number = 0; number < count; number++) {
        *out = (enum tcplan_provider)(TCPLAN_PROVIDER_TAPP_1 + number);
        if (strcmp(libraries[number].path, path) == 0 &&
            strcmp(tcplan_provider_name(*out), name) == 0) {
            free(path);
            return TCPLAN_OK;
        }
    }
    if (count == TCPLAN_PROVIDER_TAPPS)
        return error_set(error, TCPLAN_INVALID,
                         "cannot open '%.200s': %d TAPP libraries are open, which is the limit",
                         path, count);
    libraries[count] = (struct opened){.path = path};
    const enum tcplan_status status = load(&libraries[count], error);
    if (status != TCPLAN_OK) return status;
    *out = (enum tcplan_provider)(TCPLAN_PROVIDER_TAPP_1 + count);
    if (!provider_set_name(*out, name))
        return error_set(error, TCPLAN_INVALID,
                         "'%.60s' cannot name a TAPP library; expected at most %d letters, digits, "
                         "'_', '-' and '.', and no other provider's name",
                         name, PROVIDER_NAME_BYTES - 1);
    atomic_store_explicit(&library_count, count + 1, memory_order_release);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_provider_open_tapp(enum tcplan_provider *out, const char *name,
                                             const char *file, struct tcplan_error *error) {
    char *path = realpath(file, NULL);
    if (!path && errno == ENOMEM) return error_no_memory(error);
    if (!path)
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot open the TAPP library '%s': %s", file,
                         strerror(errno));
    enum tcplan_status status = input_file_check("the TAPP library ", path, error);
    pthread_mutex_lock(&opening);
    if (status == TCPLAN_OK) status = add(out, name, path, error);
    pthread_mutex_unlock(&opening);
    if (status != TCPLAN_OK) free(path);
    return status;
}

static bool is_same(const struct made *made, const struct blas_call *call,
                    enum tcplan_dtype dtype) {
    return made->dtype == dtype && made->call.loop_count == call->loop_count &&
           memcmp(made->call.loop, call->loop, (size_t)call->loop_count * sizeof *call->loop) ==
               0 &&
           made->call.conjugated[0] == call->conjugated[0] &&
           made->call.conjugated[1] == call->conjugated[1];
}

/** Returns the product of a call, which is made if it is new; NULL: out of memory. Needs the mutex.
 */
static struct made *made_of(struct opened *opened, const struct blas_call *call,
                            enum tcplan_dtype dtype) {
    for (struct made *made = opened->made; made; made = made->next) {
        if (is_same(made, call, dtype)) return made;
    }
    struct made *made = base_alloc_zero(1, sizeof *made);
    if (!made) return NULL;
    *made = (struct made){.next = opened->made, .call = *call, .dtype = dtype};
    opened->made = made;
    const struct tapp_trial trial = tapp_try(opened->path, call, dtype);
    if (trial.verdict == TAPP_BROKEN && !*opened->wrong)
        snprintf(opened->wrong, sizeof opened->wrong, "'%.120s' %.170s", opened->path, trial.why);
    made->is_right = trial.verdict == TAPP_RIGHT &&
                     tapp_planned_make(&made->product, &opened->functions, call, dtype);
    return made;
}

/** Records a failure, so that the product is not used again. */
static void note_failure(enum tcplan_provider provider, struct made *made) {
    struct opened *opened = opened_of(provider);
    pthread_mutex_lock(&mutex);
    snprintf(opened->wrong, sizeof opened->wrong, "'%.120s' fails: %.160s", opened->path,
             made->product.why);
    made->is_right = false;
    pthread_mutex_unlock(&mutex);
}

static void burst(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps,
                  int64_t count) {
    struct made *made = (struct made *)(uintptr_t)kernel->planned;
    bool fails = false;
    is_inside = true;
    for (int64_t i = 0; i < count && !fails; i++) {
        fails = !tapp_planned_execute(&made->product, &kernel->alpha, at.first, at.second,
                                      &kernel->beta, at.result);
        at.first += steps.first;
        at.second += steps.second;
        at.result += steps.result;
    }
    is_inside = false;
    if (fails) note_failure(kernel->call.provider, made);
}

static bool bind(struct kernel *kernel, enum tcplan_dtype dtype, struct kernel_maker *maker) {
    struct opened *opened = opened_of(kernel->call.provider);
    (void)maker;
    if (!opened || is_inside) return false;
    pthread_mutex_lock(&mutex);
    is_inside = true;
    const struct made *made = made_of(opened, &kernel->call, dtype);
    const bool is_right = made && made->is_right;
    is_inside = false;
    pthread_mutex_unlock(&mutex);
    kernel->planned = made;
    kernel->burst = burst;
    return is_right;
}

static bool is_wrong(char out[TCPLAN_MESSAGE_SIZE], enum tcplan_provider provider) {
    const struct opened *opened = opened_of(provider);
    if (!opened) return false;
    pthread_mutex_lock(&mutex);
    const bool any = *opened->wrong != '\0';
    if (any) snprintf(out, TCPLAN_MESSAGE_SIZE, "%s", opened->wrong);
    pthread_mutex_unlock(&mutex);
    return any;
}

static bool find(struct tcplan_provider_info *out, enum tcplan_provider provider) {
    const struct opened *opened = opened_of(provider);
    if (!opened || is_inside) return false;
    *out = (struct tcplan_provider_info){.name = opened->base, .file = opened->path};
    return true;
}

const struct provider provider_tapp = {
    .gemm_cost = {1000, 1, 0, 0, 0}, .find = find, .bind = bind, .is_wrong = is_wrong};
