#include "routines/sampler/timing/routine.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/edit_distance.h"
#include "base/error.h"
#include "microbench/providers/providers.h"
#include "routines/sampler/kernels/kernels.h"
#include "routines/sampler/timing/dispatch.h"

enum tcplan_status routine_bind(struct routine *out, const struct signature *signature,
                                enum tcplan_provider provider, struct tcplan_error *error) {
    char symbol[SIGNATURE_NAME + 1];
    struct tcplan_provider_info info;
    const struct provider *from = provider_of(provider);
    *out = (struct routine){.signature = signature, .provider = provider};
    if (signature->is_own) {
        if (provider != TCPLAN_PROVIDER_BLAS) {
            return error_set(error, TCPLAN_INVALID, "%s is a routine of tcplan; no provider has it",
                             signature->name);
        }
        out->function = kernels_find(signature);
        return out->function ? TCPLAN_OK
                             : error_set(error, TCPLAN_INVALID, "tcplan lacks the kernel %s",
                                         signature->name);
    }
    if (!from->find(&info, provider)) {
        return error_set(error, TCPLAN_INVALID,
                         "unknown provider %s; `tcplan --version` lists the providers",
                         tcplan_provider_name(provider));
    }
    snprintf(symbol, sizeof symbol, "%s_", signature->name);
    out->function = from->symbol ? from->symbol(provider, symbol) : NULL;
    if (out->function) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "%s %s has no %s", info.name,
                     info.version ? info.version : "", signature->name);
}

static enum tcplan_status refuse_provider(const char *name, size_t offset,
                                          struct tcplan_error *error) {
    struct nearest nearest = {0};
    for (int p = 0; p < TCPLAN_PROVIDERS; p++)
        nearest_consider(&nearest, name, tcplan_provider_name((enum tcplan_provider)p));
    return error_at(error, TCPLAN_INVALID, offset, strlen(name),
                    nearest.name ? "unknown provider '%.40s'; did you mean '%s'?"
                                 : "unknown provider '%.40s'",
                    name, nearest.name);
}

/** If `status` is an error, sets its place: a part of a routine's name. */
static enum tcplan_status mark(enum tcplan_status status, size_t offset, size_t length,
                               struct tcplan_error *error) {
    if (status != TCPLAN_OK && error) {
        error->column = offset + 1;
        error->length = length;
    }
    return status;
}

enum tcplan_status routine_parse(struct routine *out, const char *name,
                                 struct tcplan_error *error) {
    char kernel[2 * SIGNATURE_NAME];
    enum tcplan_provider provider = TCPLAN_PROVIDER_BLAS;
    const struct signature *signature;
    const size_t length = strcspn(name, "@");
    snprintf(kernel, sizeof kernel, "%.*s",
             (int)(length < sizeof kernel ? length : sizeof kernel - 1), name);
    const enum tcplan_status status = signature_find(&signature, kernel, error);
    if (status != TCPLAN_OK) return mark(status, 0, length, error);
    if (name[length] && !tcplan_provider_find(&provider, name + length + 1))
        return refuse_provider(name + length + 1, length + 1, error);
    return mark(routine_bind(out, signature, provider, error), 0, strlen(name), error);
}

/** Stores a number in the form in which the routine reads it. */
static void put_scalar(struct call *out, int a, struct call_scalar scalar) {
    const struct signature *signature = out->routine.signature;
    const bool is_single =
        signature_element_bytes(signature, a) == (signature_is_complex(signature, a) ? 8 : 4);
    const double d[2] = {scalar.re, scalar.im};
    const float s[2] = {(float)scalar.re, (float)scalar.im};
    memcpy(out->immediate[a], is_single ? (const void *)s : (const void *)d,
           is_single ? sizeof s : sizeof d);
}

static void put_integer(struct call *out, int a) {
    const struct signature_argument *argument = &out->routine.signature->argument[a];
    const int value = (int)out->value[a];
    if (argument->class == SIGNATURE_FLAG && argument->elements == SIGNATURE_CHARACTER) {
        out->immediate[a][0] = (unsigned char)value;
    } else {
        memcpy(out->immediate[a], &value, sizeof value);
    }
}

/** Returns whether an argument is memory that the caller has to provide. */
static bool needs_data(const struct signature_argument *argument) {
    return argument->class == SIGNATURE_DATA || argument->class == SIGNATURE_WORK ||
           argument->class == SIGNATURE_STRING;
}

static enum tcplan_status put(struct call *out, int a, const struct call_scalar scalar[],
                              void *const data[], struct tcplan_error *error) {
    const struct signature *signature = out->routine.signature;
    const struct signature_argument *argument = &signature->argument[a];
    out->argument[a] = out->immediate[a];
    if (data && data[a] && !signature_has_value(argument)) {
        out->argument[a] = data[a];
    } else if (needs_data(argument)) {
        if (argument->class == SIGNATURE_STRING || signature_extent(signature, out->value, a) > 0) {
            return error_set(error, TCPLAN_INVALID, "%s of %s is not given: it needs memory",
                             argument->name, signature->name);
        }
    } else if (argument->class == SIGNATURE_SCALAR) {
        put_scalar(out, a, scalar ? scalar[a] : (struct call_scalar){1, 0});
    } else if (argument->class == SIGNATURE_INFO) {
        memset(out->immediate[a], 0, sizeof out->immediate[a]);
    } else {
        put_integer(out, a);
    }
    return TCPLAN_OK;
}

/** Appends the lengths of letters and texts after all other arguments, by value; pointers and
 * size_t are passed alike. */
static void add_lengths(struct call *out) {
    const struct signature *signature = out->routine.signature;
    for (int a = 0; a < signature->count && !signature->is_own; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class == SIGNATURE_STRING) {
            out->argument[out->count++] = (void *)(uintptr_t)strlen(out->argument[a]);
        } else if (argument->class == SIGNATURE_FLAG && argument->elements == SIGNATURE_CHARACTER) {
            out->argument[out->count++] = (void *)(uintptr_t)1;
        }
        assert(out->count <= CALL_MAX_ARGUMENTS);
    }
}

/** Finds the pivots of a call: integers that the routine reads are row numbers of its first matrix,
 * beginning with number k1 if it has an argument of that name. */
static void note_pivots(struct call *out) {
    const struct signature *signature = out->routine.signature;
    const int first = signature_argument(signature, "k1");
    for (int a = 0; a < signature->count; a++) {
        const struct signature_argument *argument = &signature->argument[a];
        if (argument->class == SIGNATURE_LD && out->pivot_most == 0)
            out->pivot_most = out->value[a];
        if (argument->class != SIGNATURE_DATA || argument->elements != SIGNATURE_INTEGER ||
            !(argument->access & SIGNATURE_READ))
            continue;
        const int64_t skipped = first >= 0 ? out->value[first] - 1 : 0;
        out->pivot_step = argument->stride >= 0 ? llabs(out->value[argument->stride]) : 1;
        out->pivots = (const int *)out->argument[a] + skipped;
        out->pivot_count = signature_extent(signature, out->value, a) - skipped * out->pivot_step;
    }
    if (out->pivot_most > 0) return;
    out->pivots = NULL; /* the routine has no matrix */
    out->pivot_count = 0;
}

enum tcplan_status call_prepare(struct call *out, const struct routine *routine,
                                const int64_t value[], const struct call_scalar scalar[],
                                void *const data[], struct tcplan_error *error) {
    const struct signature *signature = routine->signature;
    *out = (struct call){.routine = *routine, .count = signature->count};
    enum tcplan_status status = signature_check(signature, value, NULL, error);
    memcpy(out->value, value, (size_t)signature->count * sizeof *value);
    for (int a = 0; a < signature->count && status == TCPLAN_OK; a++)
        status = put(out, a, scalar, data, error);
    if (status != TCPLAN_OK) return status;
    add_lengths(out);
    note_pivots(out);
    return TCPLAN_OK;
}

void call_make(const struct call *call) {
    dispatch_timed(call);
}

int call_info(const struct call *call) {
    const struct signature *signature = call->routine.signature;
    int info = 0;
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class == SIGNATURE_INFO)
            memcpy(&info, call->argument[a], sizeof info);
    }
    return info;
}

bool call_pivots_are_good(const struct call *call) {
    for (int64_t i = 0; i < call->pivot_count; i += call->pivot_step) {
        if (call->pivots[i] < 1 || call->pivots[i] > call->pivot_most) return false;
    }
    return true;
}
