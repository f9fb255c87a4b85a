/*
 * Derives sizes from one another: rows and columns of an operand are sizes of the routines that
 * use it, so a size given in one call also holds in others. A signature computes such a size as a
 * number and does not tell which argument it is. Evaluated with distinct primes as sizes, the
 * number identifies the argument.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "routines/sampler/experiments/experiment.h"

static enum tcplan_status refuse_call(const struct experiment_call *call,
                                      struct tcplan_error *error, const char *what,
                                      const char *argument) {
    error_set(error, TCPLAN_INVALID, "%s: %s %s", call->signature->name, argument, what);
    if (error) error->line = call->line;
    return TCPLAN_INVALID;
}

/** Returns the trial value of a size: no formula maps one of these values to another. Each size is
 * tried with two values, in ascending and in descending order. */
static int64_t probe_of(int place, bool descending) {
    static const int64_t primes[] = {10007, 10037, 10061, 10079, 10099, 10133, 10151,
                                     10169, 10181, 10211, 10243, 10259, 10271, 10289,
                                     10313, 10333, 10357, 10391, 10429, 10457};
    return primes[descending ? SIGNATURE_MAX_ARGUMENTS - 1 - place : place];
}

static void probe(int64_t value[SIGNATURE_MAX_ARGUMENTS], const struct experiment_call *call,
                  bool descending) {
    const struct signature *signature = call->signature;
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    memset(value, 0, SIGNATURE_MAX_ARGUMENTS * sizeof *value);
    for (int a = 0; a < signature->count; a++) {
        const enum signature_class class = signature->argument[a].class;
        given[a] = class == SIGNATURE_FLAG || class == SIGNATURE_DIM;
        if (class == SIGNATURE_FLAG) value[a] = call->argument[a].flag;
        if (class == SIGNATURE_DIM) value[a] = probe_of(a, descending);
    }
    signature_complete(signature, value, given);
}

/** Returns the size that equals `extent` for both sets of trial values; -1: none. */
static int find_size(const struct signature *signature, const int64_t extent[2]) {
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class != SIGNATURE_DIM) continue;
        if (extent[0] == probe_of(a, false) && extent[1] == probe_of(a, true)) return a;
    }
    return -1;
}

static void find_sizes(struct experiment_call *call) {
    const struct signature *signature = call->signature;
    int64_t value[2][SIGNATURE_MAX_ARGUMENTS];
    for (int way = 0; way < 2; way++) probe(value[way], call, way == 1);
    for (int a = 0; a < signature->count; a++) {
        int64_t rows[2], columns[2];
        if (signature->argument[a].class != SIGNATURE_DATA) continue;
        for (int way = 0; way < 2; way++)
            signature_shape(signature, value[way], a, &rows[way], &columns[way]);
        call->argument[a].rows = find_size(signature, rows);
        call->argument[a].columns = find_size(signature, columns);
    }
}

/** If only one of two expressions is known, copies it to the other. Returns whether it did. */
static bool share(struct expression *a, struct expression *b) {
    if (!a->root == !b->root) return false;
    if (a->root)
        *b = *a;
    else
        *a = *b;
    return true;
}

static bool share_call(struct tcplan_experiment *experiment, struct experiment_call *call) {
    bool changed = false;
    for (int a = 0; a < call->signature->count; a++) {
        struct experiment_argument *data = &call->argument[a];
        if (call->signature->argument[a].class != SIGNATURE_DATA || data->operand < 0) continue;
        struct experiment_operand *operand = &experiment->operand[data->operand];
        const int stride = call->signature->argument[a].stride;
        if ((call->signature->argument[a].storage == SIGNATURE_VECTOR) != operand->is_vector)
            continue;
        if (data->rows >= 0) changed |= share(&call->argument[data->rows].value, &operand->rows);
        if (data->columns >= 0)
            changed |= share(&call->argument[data->columns].value, &operand->columns);
        if (stride >= 0 && call->signature->argument[stride].class == SIGNATURE_LD &&
            call->argument[stride].value.root && !operand->ld.root) {
            operand->ld = call->argument[stride].value;
        }
    }
    return changed;
}

static char letter_of(const struct signature *signature,
                      const struct signature_argument *argument) {
    static const char own[] = {[TCPLAN_FLOAT] = 's',
                               [TCPLAN_DOUBLE] = 'd',
                               [TCPLAN_FLOAT_COMPLEX] = 'c',
                               [TCPLAN_DOUBLE_COMPLEX] = 'z'};
    const bool single =
        signature->dtype == TCPLAN_FLOAT || signature->dtype == TCPLAN_FLOAT_COMPLEX;
    switch (argument->elements) {
    case SIGNATURE_OWN: return own[signature->dtype];
    case SIGNATURE_REAL: return single ? 's' : 'd';
    case SIGNATURE_INTEGER: return 'i';
    case SIGNATURE_CHARACTER: return 'b';
    case SIGNATURE_FLOAT: return 's';
    case SIGNATURE_DOUBLE: return 'd';
    }
    return 'd';
}

static enum tcplan_status take_type(struct tcplan_experiment *experiment,
                                    const struct experiment_call *call, int argument,
                                    struct tcplan_error *error) {
    struct experiment_operand *operand = &experiment->operand[call->argument[argument].operand];
    const struct signature_argument *kind = &call->signature->argument[argument];
    const char type = letter_of(call->signature, kind);
    if (operand->type && operand->type != type) {
        error_set(error, TCPLAN_INVALID,
                  "%s: %s=%s has elements of type %c, but another call takes it with type %c",
                  call->signature->name, kind->name, operand->name, type, operand->type);
        if (error) error->line = call->line;
        return TCPLAN_INVALID;
    }
    if (!operand->type) operand->is_vector = kind->storage == SIGNATURE_VECTOR;
    operand->type = type;
    operand->bytes = signature_element_bytes(call->signature, argument);
    if (kind->stride >= 0 && call->signature->argument[kind->stride].class == SIGNATURE_LD)
        operand->has_ld = true;
    return TCPLAN_OK;
}

/** Checks that every flag, scalar and operand is given, since these have no default. Missing sizes
 * are derived from operands. */
static enum tcplan_status check_given(const struct experiment_call *call,
                                      struct tcplan_error *error) {
    for (int a = 0; a < call->signature->count; a++) {
        const struct signature_argument *argument = &call->signature->argument[a];
        const enum signature_class class = argument->class;
        const bool needed =
            class == SIGNATURE_FLAG || class == SIGNATURE_SCALAR || class == SIGNATURE_DATA;
        if (class == SIGNATURE_STRING)
            return refuse_call(call, error,
                               "is a text; experiments cannot contain routines with text arguments",
                               argument->name);
        if (needed && !call->argument[a].given)
            return refuse_call(call, error, "is not given", argument->name);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_sizes(const struct experiment_call *call,
                                      struct tcplan_error *error) {
    for (int a = 0; a < call->signature->count; a++) {
        if (call->signature->argument[a].class != SIGNATURE_DIM || call->argument[a].value.root)
            continue;
        return refuse_call(call, error,
                           "is not given, and no operand of another call determines it",
                           call->signature->argument[a].name);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_operands(const struct tcplan_experiment *experiment,
                                         struct tcplan_error *error) {
    for (int o = 0; o < experiment->operand_count; o++) {
        const struct experiment_operand *operand = &experiment->operand[o];
        if (operand->type) continue;
        error_set(error, TCPLAN_INVALID, "no call has an operand '%s'", operand->name);
        if (error) error->line = operand->line;
        return TCPLAN_INVALID;
    }
    return TCPLAN_OK;
}

static bool is_taken(const struct tcplan_experiment *experiment, int call, const char *name) {
    if (strcmp(name, "all") == 0) return true;
    for (int c = 0; c < experiment->call_count; c++) {
        if (c != call && experiment->call[c].name && strcmp(experiment->call[c].name, name) == 0)
            return true;
    }
    return false;
}

static int count_routine(const struct tcplan_experiment *experiment, int before,
                         const struct signature *signature) {
    int count = 0;
    for (int c = 0; c < before; c++) count += experiment->call[c].signature == signature;
    return count;
}

/** Names a call after its routine, with a number if several calls use it. */
static enum tcplan_status name_call(struct tcplan_experiment *experiment, int number,
                                    struct tcplan_error *error) {
    struct experiment_call *call = &experiment->call[number];
    char name[64];
    if (call->name) {
        return is_taken(experiment, number, call->name)
                   ? refuse_call(call, error, "is the name of two calls, or the reserved name all",
                                 call->name)
                   : TCPLAN_OK;
    }
    const bool alone = count_routine(experiment, experiment->call_count, call->signature) == 1;
    int number_of = count_routine(experiment, number, call->signature) + 1;
    snprintf(name, sizeof name, "%s", call->signature->name);
    if (!alone) snprintf(name, sizeof name, "%s%d", call->signature->name, number_of);
    while (is_taken(experiment, number, name))
        snprintf(name, sizeof name, "%s%d", call->signature->name, ++number_of);
    call->name = arena_strndup(&experiment->arena, name, strlen(name));
    return call->name ? TCPLAN_OK : error_no_memory(error);
}

static enum tcplan_status resolve_call(struct tcplan_experiment *experiment,
                                       struct experiment_call *call, struct tcplan_error *error) {
    enum tcplan_status status = check_given(call, error);
    if (status != TCPLAN_OK) return status;
    find_sizes(call);
    for (int a = 0; a < call->signature->count && status == TCPLAN_OK; a++) {
        if (call->argument[a].operand >= 0) status = take_type(experiment, call, a, error);
    }
    return status;
}

enum tcplan_status experiment_resolve(struct tcplan_experiment *experiment,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int c = 0; c < experiment->call_count && status == TCPLAN_OK; c++)
        status = resolve_call(experiment, &experiment->call[c], error);
    for (bool changed = status == TCPLAN_OK; changed;) {
        changed = false;
        for (int c = 0; c < experiment->call_count; c++)
            changed |= share_call(experiment, &experiment->call[c]);
    }
    for (int c = 0; c < experiment->call_count && status == TCPLAN_OK; c++)
        status = check_sizes(&experiment->call[c], error);
    for (int c = 0; c < experiment->call_count && status == TCPLAN_OK; c++)
        status = name_call(experiment, c, error);
    return status == TCPLAN_OK ? check_operands(experiment, error) : status;
}
