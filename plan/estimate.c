#include "plan/estimate.h"

#include <assert.h>
#include <math.h>

#include "base/units.h"

/* Share of a call's cache lines in memory from which models for operands in memory are used. */
#define MEMORY_SHARE 0.5

static void add_time(struct estimate *estimate, struct call_time time, double times) {
    assert(time.low_ns <= time.ns && time.ns <= time.high_ns && times >= 0);
    estimate->seconds += time.ns * times * SECONDS_PER_NS;
    estimate->low_seconds += time.low_ns * times * SECONDS_PER_NS;
    estimate->high_seconds += time.high_ns * times * SECONDS_PER_NS;
}

static void add_coarse(struct estimate *estimate, double seconds) {
    assert(seconds >= 0);
    estimate->seconds += seconds;
    estimate->low_seconds += seconds / ESTIMATE_FACTOR;
    estimate->high_seconds += seconds * ESTIMATE_FACTOR;
}

/** Adds the kernels' time that a model for operands in memory predicts, which includes loading the
 * operands; false if there is no such model. */
static bool add_placed_kernels(struct estimate *estimate, const struct estimate_task *task) {
    const struct arrangement_parts *parts = &task->arrangement->parts;
    const enum tcplan_model_placement place =
        parts->streams ? TCPLAN_MODEL_STREAMING : TCPLAN_MODEL_COLD;
    struct call_time time;
    if (!task->models || parts->memory_share < MEMORY_SHARE) return false;
    if (!model_times_call(&time, task->models, task->call, task->problem->dtype, task->threads,
                          place))
        return false;
    add_time(estimate, time, task->calls);
    estimate->kernel_source = time.source;
    return true;
}

static void add_kernels(struct estimate *estimate, const struct estimate_task *task,
                        double memory) {
    if (add_placed_kernels(estimate, task)) return;
    estimate->kernel_source = task->call_time.source;
    add_time(estimate, task->call_time, task->calls);
    add_coarse(estimate, task->arrangement->parts.operand_seconds / memory);
}

static void add_copies(struct estimate *estimate, const struct estimate_task *task, double memory) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct arrangement_copy *copy = &task->arrangement->parts.copy[t];
        const struct model_copy wanted = {.copy = copy,
                                          .operand = (enum tcplan_operand)t,
                                          .algorithm = &task->arrangement->algorithm};
        struct call_time time;
        if (copy->executions == 0) continue;
        const bool is_modelled =
            task->models && model_times_copy(&time, task->models, task->problem, &wanted);
        if (is_modelled) {
            add_time(estimate, time, copy->executions / memory);
        } else {
            add_coarse(estimate, copy->seconds / memory);
        }
        if (!is_modelled || estimate->copy_source == TCPLAN_TIME_NONE) {
            estimate->copy_source = is_modelled ? TCPLAN_TIME_MODEL : TCPLAN_TIME_LOOPS;
        }
    }
}

struct estimate estimate_of(const struct estimate_task *task) {
    assert(task->threads_around > 0 && task->calls >= 0);
    const double memory = sqrt(task->threads_around);
    struct estimate estimate = {.kernel_seconds = task->call_time.ns * task->calls * SECONDS_PER_NS,
                                .rest_seconds = task->arrangement->seconds / memory};
    add_kernels(&estimate, task, memory);
    add_copies(&estimate, task, memory);
    add_coarse(&estimate, task->arrangement->parts.start_seconds / memory);
    return estimate;
}
