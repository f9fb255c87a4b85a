#include "routines/sampler/experiments/point_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

enum { THREADS_MAX = 4096 };

struct planning {
    struct point_plan *plan;
    const struct tcplan_experiment *experiment;
    struct expression_values values; /* current values of the range variable and the sum variable */
    struct tcplan_error *error;
};

/** Adds the line, and the values of the variables, to an error. */
static enum tcplan_status about(const struct planning *planning, size_t line, const char *what,
                                enum tcplan_status status) {
    const char *const *variable = planning->experiment->variable;
    char message[TCPLAN_MESSAGE_SIZE], at[120] = "";
    struct tcplan_error *error = planning->error;
    if (status == TCPLAN_OK || status == TCPLAN_NO_MEMORY || !error) return status;
    for (int v = 0; v < EXPRESSION_VARIABLES; v++) {
        const size_t length = strlen(at);
        if (!variable[v]) continue;
        snprintf(at + length, sizeof at - length, "%s%s=%" PRId64, length > 0 ? ", " : " at ",
                 variable[v], planning->values.value[v]);
    }
    snprintf(message, sizeof message, "%s", error->message);
    error_set(error, status, "%.60s%s: %.170s", what, at, message);
    experiment_blame(planning->experiment, line, error);
    return status;
}

static enum tcplan_status too_large(const struct planning *planning,
                                    const struct experiment_operand *operand) {
    error_set(planning->error, TCPLAN_OVERFLOW, "the operand has too many elements");
    return about(planning, operand->line, operand->name, TCPLAN_OVERFLOW);
}

static struct planned_call *call_at(const struct planning *planning, size_t sum, int call) {
    return &planning->plan->call[sum * (size_t)planning->experiment->call_count + (size_t)call];
}

static enum tcplan_status plan_scalar(const struct planning *planning,
                                      const struct experiment_argument *argument,
                                      struct call_scalar *out) {
    enum tcplan_status status =
        expression_real(&argument->value, &planning->values, &out->re, planning->error);
    if (status != TCPLAN_OK || !argument->imaginary.root) return status;
    return expression_real(&argument->imaginary, &planning->values, &out->im, planning->error);
}

/** Sets the values that the text of a call gives, and those that follow from them without other
 * calls. */
static enum tcplan_status plan_values(const struct planning *planning,
                                      const struct experiment_call *call,
                                      struct planned_call *out) {
    const struct signature *signature = call->signature;
    bool given[SIGNATURE_MAX_ARGUMENTS] = {false};
    enum tcplan_status status = TCPLAN_OK;
    for (int a = 0; a < signature->count && status == TCPLAN_OK; a++) {
        const enum signature_class class = signature->argument[a].class;
        given[a] = class == SIGNATURE_FLAG || call->argument[a].value.root;
        if (class == SIGNATURE_FLAG) {
            out->value[a] = call->argument[a].flag;
        } else if (class == SIGNATURE_SCALAR) {
            status = plan_scalar(planning, &call->argument[a], &out->scalar[a]);
        } else if (given[a]) {
            status = expression_integer(&call->argument[a].value, &planning->values, &out->value[a],
                                        planning->error);
        }
        if (status != TCPLAN_OK)
            return about(planning, call->line, signature->argument[a].name, status);
    }
    for (int a = 0; a < signature->count; a++) {
        if (signature->argument[a].class != SIGNATURE_DIM || out->value[a] >= 0) continue;
        error_set(planning->error, TCPLAN_INVALID, "expected a size of at least 0, found %" PRId64,
                  out->value[a]);
        return about(planning, call->line, signature->argument[a].name, TCPLAN_INVALID);
    }
    signature_complete(signature, out->value, given);
    return TCPLAN_OK;
}

static void set_sum(struct planning *planning, size_t sum) {
    planning->values.value[EXPRESSION_SUM] = planning->plan->sum[sum];
}

static enum tcplan_status plan_calls(struct planning *planning) {
    const struct tcplan_experiment *experiment = planning->experiment;
    for (size_t s = 0; s < planning->plan->sum_count; s++) {
        set_sum(planning, s);
        for (int c = 0; c < experiment->call_count; c++) {
            enum tcplan_status status =
                plan_values(planning, &experiment->call[c], call_at(planning, s, c));
            if (status != TCPLAN_OK) return status;
        }
    }
    return TCPLAN_OK;
}

/** A use of an operand as an argument of a call. */
struct use {
    int call, argument;
    int ld; /* the argument with its leading dimension; -1: none */
};

/** Advances to the next use of an operand after `use` (call -1: the first); false after the last.
 */
static bool next_use(const struct tcplan_experiment *experiment, int operand, struct use *use) {
    if (use->call < 0) *use = (struct use){.call = 0, .argument = -1};
    for (; use->call < experiment->call_count; use->call++, use->argument = -1) {
        const struct experiment_call *call = &experiment->call[use->call];
        while (++use->argument < call->signature->count) {
            if (call->argument[use->argument].operand != operand) continue;
            const int stride = call->signature->argument[use->argument].stride;
            use->ld = stride >= 0 && call->signature->argument[stride].class == SIGNATURE_LD
                          ? stride
                          : -1;
            return true;
        }
    }
    return false;
}

static const struct use first_use = {.call = -1};

/** The size of an operand at one value of the sum variable. */
struct extent {
    int64_t rows;     /* maximum number of rows among the calls that use the operand */
    int64_t block;    /* elements from the beginning of one instance to the beginning of the next */
    int64_t elements; /* elements of one instance, from the first to the last */
};

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static struct extent extent_of(const struct planning *planning, int operand, size_t sum) {
    const struct tcplan_experiment *experiment = planning->experiment;
    struct extent out = {0};
    for (struct use use = first_use; next_use(experiment, operand, &use);) {
        const struct signature *signature = experiment->call[use.call].signature;
        const int64_t *value = call_at(planning, sum, use.call)->value;
        const int64_t elements = signature_extent(signature, value, use.argument);
        int64_t rows, columns;
        signature_shape(signature, value, use.argument, &rows, &columns);
        out.rows = larger(out.rows, rows);
        out.elements = larger(out.elements, elements);
        out.block =
            larger(out.block, use.ld >= 0 ? saturated_mul_i64(columns, value[use.ld]) : elements);
    }
    out.block = larger(out.block, out.elements);
    return out;
}

/** Sets a common leading dimension for all calls that give none: the given value of the operand, or
 * the largest of the calls' minima; at least `least`. */
static enum tcplan_status plan_ld(const struct planning *planning, int number, size_t sum,
                                  int64_t least) {
    const struct tcplan_experiment *experiment = planning->experiment;
    const struct experiment_operand *operand = &experiment->operand[number];
    int64_t ld = least, told = 0;
    if (operand->ld.root) {
        enum tcplan_status status =
            expression_integer(&operand->ld, &planning->values, &told, planning->error);
        if (status != TCPLAN_OK) return about(planning, operand->line, operand->name, status);
        ld = larger(ld, told);
    }
    for (struct use use = first_use; next_use(experiment, number, &use);) {
        if (use.ld < 0 || experiment->call[use.call].argument[use.ld].given) continue;
        ld = larger(ld, call_at(planning, sum, use.call)->value[use.ld]);
    }
    for (struct use use = first_use; next_use(experiment, number, &use);) {
        if (use.ld < 0) continue;
        int64_t *value = &call_at(planning, sum, use.call)->value[use.ld];
        *value = experiment->call[use.call].argument[use.ld].given ? larger(*value, least) : ld;
    }
    return TCPLAN_OK;
}

static bool varies(const struct experiment_operand *operand) {
    return operand->with_repetition || operand->with_sum;
}

static bool is_stacked(const struct experiment_operand *operand) {
    return varies(operand) && operand->has_ld && operand->along == 0;
}

/** Returns by how much the position of the next instance increases: by the rows of an instance if
 * instances are below each other, else by the elements up to the next instance. */
static int64_t length_of(const struct experiment_operand *operand, const struct extent *extent) {
    return is_stacked(operand) ? extent->rows : extent->block;
}

/** Places the instances of one repetition; *length receives the total extent of the instances. */
static bool place(const struct experiment_operand *operand, const struct extent *extent,
                  size_t sums, int64_t gap, int64_t *offset, int64_t *length) {
    int64_t at = 0, longest = 0;
    for (size_t s = 0; s < sums; s++) {
        int64_t taken;
        if (!checked_add_i64(length_of(operand, &extent[s]), gap, &taken) || taken < 0)
            return false;
        offset[s] = operand->with_sum ? at : 0;
        longest = larger(longest, taken);
        if (operand->with_sum && !checked_add_i64(at, taken, &at)) return false;
    }
    *length = operand->with_sum ? at : longest;
    return true;
}

static enum tcplan_status plan_gap(const struct planning *planning,
                                   const struct experiment_operand *operand, int64_t *gap) {
    *gap = 0;
    if (!operand->offset.root) return TCPLAN_OK;
    enum tcplan_status status =
        expression_integer(&operand->offset, &planning->values, gap, planning->error);
    if (status == TCPLAN_OK && *gap < 0) {
        status = error_set(planning->error, TCPLAN_INVALID,
                           "offset: expected a number of at least 0, found %" PRId64, *gap);
    }
    return about(planning, operand->line, operand->name, status);
}

/** Finds the extents of an operand for every value of the sum variable, with a given minimum
 * leading dimension. */
static enum tcplan_status plan_extents(struct planning *planning, int number, struct extent *extent,
                                       int64_t least_ld) {
    const struct experiment_operand *operand = &planning->experiment->operand[number];
    for (size_t s = 0; s < planning->plan->sum_count; s++) {
        set_sum(planning, s);
        enum tcplan_status status =
            operand->has_ld ? plan_ld(planning, number, s, least_ld) : TCPLAN_OK;
        if (status != TCPLAN_OK) return status;
        extent[s] = extent_of(planning, number, s);
        if (extent[s].block == INT64_MAX) return too_large(planning, operand);
    }
    return TCPLAN_OK;
}

/** Computes the memory of all instances of an operand. */
static bool total_elements(const struct planning *planning,
                           const struct experiment_operand *operand, const struct extent *extent,
                           struct planned_operand *out) {
    int64_t all = 0, last = 0;
    if (operand->with_repetition &&
        !checked_mul_i64(out->step, planning->plan->repetitions - 1, &last))
        return false;
    for (size_t s = 0; s < planning->plan->sum_count; s++) {
        int64_t end;
        if (!checked_add_i64(out->offset[s],
                             is_stacked(operand) ? extent[s].elements : extent[s].block, &end))
            return false;
        all = larger(all, end);
    }
    return checked_add_i64(all, last, &out->elements);
}

static enum tcplan_status plan_operand(struct planning *planning, int number,
                                       struct extent *extent) {
    const struct experiment_operand *operand = &planning->experiment->operand[number];
    struct point_plan *plan = planning->plan;
    struct planned_operand *out = &plan->operand[number];
    int64_t *offset = arena_alloc(&plan->arena, plan->sum_count * sizeof *offset);
    int64_t gap, length = 0, rows;
    if (!offset) return error_no_memory(planning->error);
    out->offset = offset;
    enum tcplan_status status = plan_gap(planning, operand, &gap);
    if (status == TCPLAN_OK) status = plan_extents(planning, number, extent, 0);
    if (status != TCPLAN_OK) return status;
    if (!place(operand, extent, plan->sum_count, gap, offset, &length))
        return too_large(planning, operand);
    if (is_stacked(operand)) { /* the leading dimension has room for the rows of all instances */
        if (!checked_mul_i64(length, operand->with_repetition ? plan->repetitions : 1, &rows))
            return too_large(planning, operand);
        status = plan_extents(planning, number, extent, rows);
        if (status != TCPLAN_OK) return status;
    }
    out->step = operand->with_repetition ? length : 0;
    return total_elements(planning, operand, extent, out) ? TCPLAN_OK
                                                          : too_large(planning, operand);
}

static enum tcplan_status plan_operands(struct planning *planning) {
    struct extent *extent =
        arena_alloc(&planning->plan->arena, planning->plan->sum_count * sizeof *extent);
    if (!extent) return error_no_memory(planning->error);
    enum tcplan_status status = TCPLAN_OK;
    for (int o = 0; o < planning->experiment->operand_count && status == TCPLAN_OK; o++)
        status = plan_operand(planning, o, extent);
    return status;
}

static enum tcplan_status check_calls(struct planning *planning) {
    const struct tcplan_experiment *experiment = planning->experiment;
    for (size_t s = 0; s < planning->plan->sum_count; s++) {
        set_sum(planning, s);
        for (int c = 0; c < experiment->call_count; c++) {
            const struct signature *signature = experiment->call[c].signature;
            const int64_t *value = call_at(planning, s, c)->value;
            enum tcplan_status status = signature_check(signature, value, NULL, planning->error);
            if (status != TCPLAN_OK)
                return about(planning, experiment->call[c].line, experiment->call[c].name, status);
            for (int a = 0; a < signature->count; a++) {
                if (signature->argument[a].class != SIGNATURE_WORK) continue;
                int64_t *work = &planning->plan->work[c][a];
                *work = larger(*work, signature_extent(signature, value, a));
            }
        }
    }
    return TCPLAN_OK;
}

/** Computes an integer that depends on the range variable, and checks its bounds. */
static enum tcplan_status plan_number(const struct planning *planning,
                                      const struct expression *expression, const char *what,
                                      int64_t most, int64_t *out) {
    enum tcplan_status status =
        expression_integer(expression, &planning->values, out, planning->error);
    if (status == TCPLAN_OK && (*out < 1 || *out > most)) {
        status = error_set(planning->error, TCPLAN_INVALID,
                           "expected 1 to %" PRId64 ", found %" PRId64, most, *out);
    }
    return about(planning, 0, what, status);
}

static enum tcplan_status plan_loops(struct planning *planning) {
    const struct tcplan_experiment *experiment = planning->experiment;
    static const int64_t no_sum[1] = {0};
    struct point_plan *plan = planning->plan;
    int64_t threads = 1;
    plan->sum = no_sum;
    plan->sum_count = 1;
    enum tcplan_status status =
        plan_number(planning, &experiment->threads, "threads", THREADS_MAX, &threads);
    if (status == TCPLAN_OK) {
        status = plan_number(planning, &experiment->repetitions, "repetitions",
                             EXPERIMENT_REPETITIONS_MAX, &plan->repetitions);
    }
    plan->threads = (int)threads;
    if (status != TCPLAN_OK || !experiment->variable[EXPRESSION_SUM]) return status;
    status = sweep_values(
        &plan->sum, &plan->sum_count, &experiment->sweep[EXPRESSION_SUM], &planning->values,
        EXPERIMENT_SAMPLES_MAX / (size_t)experiment->call_count, &plan->arena, planning->error);
    if (status == TCPLAN_OK && plan->sum_count == 0)
        status = error_set(planning->error, TCPLAN_INVALID, "the sum has no values");
    return about(planning, 0, "sum", status);
}

/** Begins a plan; the content of an earlier plan is discarded. */
static struct planning begin_plan(struct point_plan *out,
                                  const struct tcplan_experiment *experiment, size_t point,
                                  struct tcplan_error *error) {
    struct planning planning = {.plan = out, .experiment = experiment, .error = error};
    point_plan_free(out);
    out->point = point;
    out->value = planning.values.value[EXPRESSION_RANGE] = experiment->point[point];
    memset(out->work, 0, sizeof out->work);
    return planning;
}

enum tcplan_status point_plan_loops(struct point_plan *out,
                                    const struct tcplan_experiment *experiment, size_t point,
                                    struct tcplan_error *error) {
    struct planning planning = begin_plan(out, experiment, point, error);
    return plan_loops(&planning);
}

enum tcplan_status point_plan_make(struct point_plan *out,
                                   const struct tcplan_experiment *experiment, size_t point,
                                   struct tcplan_error *error) {
    struct planning planning = begin_plan(out, experiment, point, error);
    enum tcplan_status status = plan_loops(&planning);
    if (status != TCPLAN_OK) return status;
    out->call = arena_alloc(&out->arena,
                            out->sum_count * (size_t)experiment->call_count * sizeof *out->call);
    if (!out->call) return error_no_memory(error);
    status = plan_calls(&planning);
    if (status == TCPLAN_OK) status = plan_operands(&planning);
    return status == TCPLAN_OK ? check_calls(&planning) : status;
}

void point_plan_free(struct point_plan *plan) {
    arena_free(&plan->arena);
}

size_t point_plan_samples(const struct point_plan *plan,
                          const struct tcplan_experiment *experiment) {
    if (experiment->parallel_sum) return 1;
    return experiment->parallel_calls ? plan->sum_count
                                      : plan->sum_count * (size_t)experiment->call_count;
}
