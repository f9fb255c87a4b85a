#include "routines/sampler/experiments/nest.h"

#include "base/alloc.h"
#include "base/error.h"

bool nest_part_has(const struct nest_part *part, size_t point) {
    return part->count <= 0 || (int64_t)(point % (uint64_t)part->count) == part->number - 1;
}

enum tcplan_status nest_units(int64_t *out, const struct tcplan_experiment *experiment,
                              struct tcplan_error *error) {
    const struct expression_values values = {{experiment->point[0]}};
    *out = (int64_t)experiment->point_count;
    return experiment->shuffle ? expression_integer(&experiment->repetitions, &values, out, error)
                               : TCPLAN_OK;
}

bool nest_has_unit(const struct tcplan_experiment *experiment, const struct nest_part *part,
                   int64_t unit) {
    if (!experiment->shuffle) return nest_part_has(part, (size_t)unit);
    return part->count <= 0 || (size_t)part->number <= experiment->point_count;
}

int64_t nest_offset(const struct nest_place *place, int operand) {
    const struct planned_operand *planned = &place->plan->operand[operand];
    return planned->step * place->repetition + planned->offset[place->sum];
}

/** State of a visit. */
struct walk {
    const struct nest_visitor *visitor;
    struct nest_place place;
    struct tcplan_error *error;
};

static enum tcplan_status visit_calls(struct walk *walk) {
    const struct tcplan_experiment *experiment = walk->place.experiment;
    enum tcplan_status status = TCPLAN_OK;
    for (int c = 0; c < experiment->call_count && status == TCPLAN_OK; c++) {
        walk->place.call = c;
        status = walk->visitor->call(walk->visitor->context, &walk->place, walk->error);
    }
    walk->place.call = 0;
    return status;
}

static enum tcplan_status begin_region(struct walk *walk) {
    return walk->visitor->begin_region(walk->visitor->context, &walk->place, walk->error);
}

/** Visits the calls of one value of the sum variable: as a parallel region, as a sequential piece
 * of a region, or one after the other. */
static enum tcplan_status visit_iteration(struct walk *walk) {
    const struct tcplan_experiment *experiment = walk->place.experiment;
    const struct nest_visitor *visitor = walk->visitor;
    const bool region = experiment->parallel_calls && !experiment->parallel_sum;
    const bool sequence = experiment->parallel_sum && !experiment->parallel_calls;
    enum tcplan_status status = region ? begin_region(walk) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    if (sequence) status = visitor->begin_sequence(visitor->context, walk->error);
    if (status == TCPLAN_OK) status = visit_calls(walk);
    if (sequence) visitor->end_sequence(visitor->context);
    if (region) visitor->end_region(visitor->context);
    return status;
}

static enum tcplan_status visit_repetition(struct walk *walk, int64_t repetition) {
    const struct nest_visitor *visitor = walk->visitor;
    const bool region = walk->place.experiment->parallel_sum;
    walk->place.repetition = repetition;
    enum tcplan_status status = visitor->begin_point(visitor->context, &walk->place, walk->error);
    if (status == TCPLAN_OK && region) status = begin_region(walk);
    for (size_t s = 0; s < walk->place.plan->sum_count && status == TCPLAN_OK; s++) {
        walk->place.sum = s;
        status = visit_iteration(walk);
    }
    walk->place.sum = 0;
    if (status == TCPLAN_OK && region) visitor->end_region(visitor->context);
    return status;
}

/** Visits all repetitions of a point, or a single one. */
static enum tcplan_status visit_point(struct walk *walk, struct point_plan *plan, size_t point,
                                      int64_t only) {
    const struct nest_visitor *visitor = walk->visitor;
    enum tcplan_status status = point_plan_make(plan, walk->place.experiment, point, walk->error);
    if (status != TCPLAN_OK) return status;
    walk->place.plan = plan;
    walk->place.repetition = only >= 0 ? only : 0;
    if (walk->place.experiment->randomize)
        status = visitor->randomize(visitor->context, &walk->place, walk->error);
    for (int64_t r = only >= 0 ? only : 0;
         r < (only >= 0 ? only + 1 : plan->repetitions) && status == TCPLAN_OK; r++) {
        status = visit_repetition(walk, r);
    }
    return status;
}

enum tcplan_status nest_walk(const struct tcplan_experiment *experiment,
                             const struct nest_part *part, int64_t unit,
                             const struct nest_visitor *visitor, struct tcplan_error *error) {
    struct walk walk = {.visitor = visitor, .place = {.experiment = experiment}, .error = error};
    struct point_plan *plan = base_alloc_zero(1, sizeof *plan);
    if (!plan) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    const size_t first = experiment->shuffle ? 0 : (size_t)unit,
                 end = experiment->shuffle ? experiment->point_count : first + 1;
    for (size_t p = first; p < end && status == TCPLAN_OK; p++) {
        if (nest_part_has(part, p))
            status = visit_point(&walk, plan, p, experiment->shuffle ? unit : -1);
    }
    point_plan_free(plan);
    base_free(plan);
    return status;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void take_memory(struct nest_memory *out, const struct tcplan_experiment *experiment,
                        const struct point_plan *plan) {
    for (int o = 0; o < experiment->operand_count; o++)
        out->elements[o] = larger(out->elements[o], plan->operand[o].elements);
    for (int c = 0; c < experiment->call_count; c++) {
        for (int a = 0; a < SIGNATURE_MAX_ARGUMENTS; a++)
            out->work[c][a] = larger(out->work[c][a], plan->work[c][a]);
    }
}

static double weigh(const struct tcplan_experiment *experiment, const struct point_plan *plan) {
    double weight = 1;
    for (size_t i = 0; i < plan->sum_count * (size_t)experiment->call_count; i++) {
        const struct signature *signature =
            experiment->call[i % (size_t)experiment->call_count].signature;
        weight += signature_flops(signature, plan->call[i].value) +
                  signature_movement(signature, plan->call[i].value);
    }
    return weight * (double)plan->repetitions;
}

static enum tcplan_status measure_point(struct nest_memory *out, double *weight,
                                        const struct tcplan_experiment *experiment,
                                        struct point_plan *plan, size_t point,
                                        struct tcplan_error *error) {
    enum tcplan_status status = point_plan_make(plan, experiment, point, error);
    if (status != TCPLAN_OK) return status;
    take_memory(out, experiment, plan);
    if (weight) *weight = weigh(experiment, plan);
    const int64_t once = (int64_t)plan->sum_count * experiment->call_count;
    if (experiment->shuffle || once <= EXPERIMENT_QUEUED_MAX / plan->repetitions) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "%lld repetitions of %lld calls at one value of the range are more than the %d that can "
        "run without a pause",
        (long long)plan->repetitions, (long long)once, EXPERIMENT_QUEUED_MAX);
}

enum tcplan_status nest_measure(struct nest_memory *out, double **weight, struct arena *arena,
                                const struct tcplan_experiment *experiment,
                                struct tcplan_error *error) {
    double *weights = weight ? arena_alloc(arena, experiment->point_count * sizeof *weights) : NULL;
    if (weight && !weights) return error_no_memory(error);
    struct point_plan *plan = base_alloc_zero(1, sizeof *plan);
    if (!plan) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    *out = (struct nest_memory){0};
    for (size_t p = 0; p < experiment->point_count && status == TCPLAN_OK; p++) {
        status = measure_point(out, weights ? &weights[p] : NULL, experiment, plan, p, error);
    }
    point_plan_free(plan);
    base_free(plan);
    if (weight) *weight = weights;
    return status;
}
