#include "tcplan/network_measure.h"

#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/random.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/load.h"
#include "microbench/timing/statistics.h"
#include "network/execution/network_plan.h"

/* Default duration of a measurement, in seconds; and the largest share of the free memory that the
 * measurement's tensors may take. */
#define USUAL_SECONDS 0.5
#define MEMORY_SHARE 0.9

enum { TENSOR_ALIGNMENT = 64 };

/** State of measuring a tree. */
struct measuring {
    const struct tcplan_tree *tree;
    struct tcplan_network_plan *plan;
    void **tensor; /* memory of each distinct tensor, then of the result */
    int runs;
    double whole[TCPLAN_NETWORK_MOST_RUNS];
    double *step; /* seconds of each step in each run: TCPLAN_NETWORK_MOST_RUNS numbers for each
                     step */
    double *once; /* seconds of each step in the current run */
};

/** Returns the number of elements of a whole tensor. It cannot overflow, because tcplan_tree_make()
 * checks it. */
static int64_t elems_of(const struct tcplan_tree *tree,
                        const struct tcplan_network_operand *operand) {
    int64_t elems = 1;
    for (int d = 0; d < operand->rank; d++) elems *= tree->extent[operand->dims[d]];
    return elems;
}

static const struct tcplan_network_operand *tensor_at(const struct tcplan_network *network, int t) {
    return t < network->tensor_count ? &network->operand[network->tensor[t]] : &network->result;
}

static enum tcplan_status check_memory(const struct measuring *measuring,
                                       struct tcplan_network_measured *out,
                                       struct tcplan_error *error) {
    const struct tcplan_tree *tree = measuring->tree;
    const double element_bytes = (double)tcplan_dtype_bytes(tree->dtype),
                 available = MEMORY_SHARE * (double)buffers_available_bytes();
    double bytes = 0;
    for (int t = 0; t <= tree->network->tensor_count; t++)
        bytes += element_bytes * (double)elems_of(tree, tensor_at(tree->network, t));
    const double all = bytes + (double)tcplan_network_plan_workspace(measuring->plan);
    if (available > 0 && all > available) {
        return error_set(error, TCPLAN_NO_MEMORY,
                         "tensors and workspace take %s, but only %s are free",
                         quantity_bytes(all).text, quantity_bytes(available).text);
    }
    out->tensor_bytes = (int64_t)bytes;
    out->workspace_bytes = tcplan_network_plan_workspace(measuring->plan);
    return TCPLAN_OK;
}

static void fill(void *memory, int64_t count, bool is_single, struct random *random) {
    for (int64_t i = 0; i < count; i++) {
        const double value = 2 * random_unit(random) - 1;
        if (is_single) {
            ((float *)memory)[i] = (float)value;
        } else {
            ((double *)memory)[i] = value;
        }
    }
}

static enum tcplan_status make_tensors(struct measuring *measuring, uint64_t seed,
                                       struct tcplan_error *error) {
    const struct tcplan_tree *tree = measuring->tree;
    const bool is_single = tree->dtype == TCPLAN_FLOAT || tree->dtype == TCPLAN_FLOAT_COMPLEX;
    const int64_t element_bytes = (int64_t)tcplan_dtype_bytes(tree->dtype);
    struct random random = {seed};
    measuring->tensor =
        base_alloc_zero((size_t)tree->network->tensor_count + 1, sizeof *measuring->tensor);
    if (!measuring->tensor) return error_no_memory(error);
    for (int t = 0; t <= tree->network->tensor_count; t++) {
        const int64_t bytes = element_bytes * elems_of(tree, tensor_at(tree->network, t));
        measuring->tensor[t] =
            base_aligned_alloc(TENSOR_ALIGNMENT, (size_t)bytes + TENSOR_ALIGNMENT);
        if (!measuring->tensor[t]) return error_no_memory(error);
        fill(measuring->tensor[t],
             bytes / (is_single ? (int64_t)sizeof(float) : (int64_t)sizeof(double)), is_single,
             &random);
    }
    return TCPLAN_OK;
}

/** Executes the plan once, and times its steps. */
static enum tcplan_status execute(const struct measuring *measuring, struct tcplan_error *error) {
    void *result = measuring->tensor[measuring->tree->network->tensor_count];
    memset(measuring->once, 0, (size_t)measuring->tree->step_count * sizeof *measuring->once);
    return network_execute_timed(measuring->plan, (const void *const *)measuring->tensor, result,
                                 measuring->once, error);
}

static enum tcplan_status run(struct measuring *measuring, double limit_seconds,
                              struct tcplan_error *error) {
    const size_t steps = (size_t)measuring->tree->step_count;
    const struct deadline deadline = deadline_in(limit_seconds > 0 ? limit_seconds : USUAL_SECONDS);
    enum tcplan_status status = execute(measuring, error);
    while (status == TCPLAN_OK && measuring->runs < TCPLAN_NETWORK_MOST_RUNS) {
        if (measuring->runs >= TCPLAN_NETWORK_LEAST_RUNS && deadline_is_over(deadline)) break;
        const double start = monotonic_seconds();
        status = execute(measuring, error);
        measuring->whole[measuring->runs] = monotonic_seconds() - start;
        for (size_t s = 0; s < steps; s++)
            measuring->step[s * TCPLAN_NETWORK_MOST_RUNS + (size_t)measuring->runs] =
                measuring->once[s];
        measuring->runs++;
    }
    return status;
}

static enum tcplan_status summarise(struct tcplan_network_measured *out,
                                    const struct measuring *measuring, struct tcplan_error *error) {
    const int steps = measuring->tree->step_count;
    out->step_seconds = base_alloc((size_t)steps * sizeof *out->step_seconds);
    if (!out->step_seconds) return error_no_memory(error);
    out->runs = measuring->runs;
    out->step_count = steps;
    out->seconds = statistics_median(measuring->whole, measuring->runs);
    out->fastest = out->slowest = measuring->whole[0];
    for (int r = 1; r < measuring->runs; r++) {
        if (measuring->whole[r] < out->fastest) out->fastest = measuring->whole[r];
        if (measuring->whole[r] > out->slowest) out->slowest = measuring->whole[r];
    }
    for (int s = 0; s < steps; s++)
        out->step_seconds[s] = statistics_median(
            measuring->step + (size_t)s * TCPLAN_NETWORK_MOST_RUNS, measuring->runs);
    return TCPLAN_OK;
}

static void measuring_free(struct measuring *measuring) {
    for (int t = 0; measuring->tensor && t <= measuring->tree->network->tensor_count; t++)
        base_free(measuring->tensor[t]);
    base_free(measuring->tensor);
    base_free(measuring->step);
    base_free(measuring->once);
    tcplan_network_plan_free(measuring->plan);
}

enum tcplan_status tcplan_network_measure(struct tcplan_network_measured *out,
                                          const struct tcplan_tree *tree,
                                          struct tcplan_planner *planner, double time_limit_seconds,
                                          uint64_t seed, struct tcplan_error *error) {
    struct measuring measuring = {.tree = tree};
    struct tcplan_network_measured measured = {.runs = 0};
    enum tcplan_status status = tcplan_network_plan_new(&measuring.plan, tree, planner, error);
    if (status == TCPLAN_OK) status = check_memory(&measuring, &measured, error);
    if (status == TCPLAN_OK) status = make_tensors(&measuring, seed, error);
    if (status == TCPLAN_OK) {
        measuring.step = base_alloc((size_t)tree->step_count * TCPLAN_NETWORK_MOST_RUNS *
                                    sizeof *measuring.step);
        measuring.once = base_alloc((size_t)tree->step_count * sizeof *measuring.once);
        const struct load_mark mark = load_begin();
        status = measuring.step && measuring.once ? run(&measuring, time_limit_seconds, error)
                                                  : error_no_memory(error);
        const struct load_report load = load_end(&mark);
        measured.load =
            (struct tcplan_load){.lost_share = load.lost_share, .other_cores = load.other_cores};
    }
    if (status == TCPLAN_OK) status = summarise(&measured, &measuring, error);
    measuring_free(&measuring);
    if (status == TCPLAN_OK) *out = measured;
    return status;
}

void tcplan_network_measured_free(struct tcplan_network_measured *measured) {
    base_free(measured->step_seconds);
    *measured = (struct tcplan_network_measured){.runs = 0};
}
