#include "network/execution/network_plan.h"

#include <string.h>

#include "api/plan.h"
#include "api/planner.h"
#include "api/product.h"
#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "microbench/copy/terms.h"
#include "network/search/dominant.h"

/* Making. */

static enum tcplan_status make_product(struct tcplan_product **out, const struct tcplan_tree *tree,
                                       int s, bool later, struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    enum tcplan_status status = tcplan_tree_step_contraction(&contraction, tree, s, later, error);
    if (status != TCPLAN_OK) return status;
    status = tcplan_tree_step_problem(&problem, tree, contraction, error);
    if (status == TCPLAN_OK)
        return product_of(out, contraction, problem.extent, tree->dtype, error);
    tcplan_contraction_free(contraction);
    return status;
}

/** State of making plans for the steps of a tree. */
struct making {
    const struct tcplan_tree *tree;
    const struct planning *planning; /* settings that apply to all steps */
    const struct ready_step *ready; /* plans of the steps of the tree; those before the current step
                                       are set */
    double rest;                    /* estimated seconds of the steps that have no plan yet */
    struct tcplan_error *error;
};

/** Returns the plan of an earlier step with an equal product; NULL if there is none. Plans that
 * improve themselves are not shared between steps. */
static const struct tcplan_plan *find_same(const struct making *making, int s) {
    for (int t = 0; t < s; t++) {
        const struct tcplan_plan *plan = making->ready[t].plan;
        if (plan && !plan->improving && plan->choice.origin != TCPLAN_PLAN_NAMED &&
            dominant_is_same(making->tree, t, s))
            return plan;
    }
    return NULL;
}

/** Plans one step within a share of the remaining time. The share is proportional to the time of
 * the step. */
static enum tcplan_status plan_step(struct tcplan_plan **out, const struct making *making, int s,
                                    const struct tcplan_product *product) {
    const double seconds = tcplan_tree_step_times(making->tree, s) * making->tree->step[s].seconds;
    struct planning planning = *making->planning;
    if (seconds > 0 && seconds < making->rest)
        planning.deadline = deadline_share(planning.deadline, seconds / making->rest);
    return planning_plan(out, &planning, product, making->error);
}

/** Makes the plan of a step: with the step's own algorithm if it is applicable, otherwise with the
 * algorithm of an earlier step with an equal product, otherwise with the planner's choice. */
static enum tcplan_status make_plan(struct tcplan_plan **out, const struct making *making, int s,
                                    bool later) {
    const struct tcplan_tree *tree = making->tree;
    struct tcplan_error *error = making->error;
    const char *algorithm = tree->step[s].algorithm;
    struct tcplan_product *product = NULL;
    enum tcplan_status status = planning_check(making->planning, error);
    if (status == TCPLAN_OK) status = make_product(&product, tree, s, later, error);
    if (status != TCPLAN_OK) return status;
    status = algorithm
                 ? tcplan_plan_named(out, making->planning->planner, product, algorithm, error)
                 : TCPLAN_NOT_APPLICABLE;
    if (status == TCPLAN_NOT_APPLICABLE || status == TCPLAN_INVALID) {
        const struct tcplan_plan *same = later ? NULL : find_same(making, s);
        status = same ? plan_of(out, product, &same->choice, &same->product->problem.heuristics,
                                making->planning, false, error)
                      : plan_step(out, making, s, product);
    }
    tcplan_product_free(product);
    return status;
}

/** Makes the plan of a step that adds up terms. */
static enum tcplan_status make_sum(struct ready_sum **out, const struct making *making, int s) {
    struct ready_sum *sum = base_alloc_zero(1, sizeof *sum);
    const enum tcplan_status status = planning_check(making->planning, making->error);
    if (status != TCPLAN_OK || !sum) {
        base_free(sum);
        return status != TCPLAN_OK ? status : error_no_memory(making->error);
    }
    sum->fused = fused_of(making->tree, s);
    const int threads = making->planning->settings.options.threads,
              fastest = making->tree->step[s].pass_threads;
    sum->threads = fastest > 0 && fastest < threads ? fastest : threads;
    *out = sum;
    return TCPLAN_OK;
}

static struct place place_of(const struct tcplan_network_plan *plan, const struct tcplan_tree *tree,
                             int tensor) {
    const struct tcplan_network *network = tree->network;
    if (tensor == TCPLAN_TREE_ONE) return (struct place){.kind = PLACE_ONE};
    if (tensor < network->operand_count && network->operand[tensor].tensor < TCPLAN_NETWORK_SUMS)
        return (struct place){.kind = PLACE_TENSOR, .tensor = network->operand[tensor].tensor};
    const int64_t offset = schedule_place(&plan->schedule, tree, tensor);
    if (offset == SCHEDULE_IN_RESULT) return (struct place){.kind = PLACE_RESULT};
    return (struct place){.kind = PLACE_WORKSPACE, .offset_bytes = offset};
}

/** Makes plans for all steps of the tree. */
static enum tcplan_status make_plans(struct ready_step ready[], int64_t scratch_bytes[],
                                     const struct tcplan_tree *tree, struct tcplan_planner *planner,
                                     struct tcplan_error *error) {
    struct planning planning;
    planning_begin(&planning, planner);
    struct making making = {.tree = tree,
                            .planning = &planning,
                            .ready = ready,
                            .rest = tcplan_tree_totals(tree).seconds,
                            .error = error};
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        if (tree->step[s].idle) continue;
        if (tree->step[s].joined == s) {
            status = make_sum(&ready[s].sum, &making, s);
            making.rest -= tree->step[s].seconds;
            continue;
        }
        status = make_plan(&ready[s].plan, &making, s, false);
        if (status == TCPLAN_OK && schedule_comes_back(tree, s))
            status = make_plan(&ready[s].later, &making, s, true);
        if (status != TCPLAN_OK) break;
        making.rest -= tcplan_tree_step_times(tree, s) * tree->step[s].seconds;
        const int64_t bytes = tcplan_plan_workspace(ready[s].plan, 0);
        const int64_t later_bytes = ready[s].later ? tcplan_plan_workspace(ready[s].later, 0) : 0;
        scratch_bytes[s] = bytes > later_bytes ? bytes : later_bytes;
        ready[s].has_temporaries = scratch_bytes[s] > 0;
        if (bytes < 0 || later_bytes < 0) status = error_no_memory(error);
    }
    return status;
}

/** Moves the plans of the tree's steps into the order of the schedule. */
static void arrange(struct tcplan_network_plan *plan, const struct tcplan_tree *tree,
                    struct ready_step ready[]) {
    for (int n = 0; n < plan->schedule.count; n++) {
        const int s = plan->schedule.step[n].step;
        const int tensor[3] = {tree->step[s].left, tree->step[s].right,
                               tree->network->operand_count + s};
        plan->step[n] = ready[s];
        ready[s] = (struct ready_step){0};
        for (int t = 0; t < 3; t++) plan->step[n].place[t] = place_of(plan, tree, tensor[t]);
        struct ready_sum *sum = plan->step[n].sum;
        for (int t = 0; sum && t < sum->fused.shape.count; t++)
            sum->place[t] = place_of(plan, tree, sum->fused.tensor[t]);
    }
}

static enum tcplan_status make(struct tcplan_network_plan *plan, const struct tcplan_tree *tree,
                               struct tcplan_planner *planner, bool with_scratch,
                               struct tcplan_error *error) {
    const size_t steps = (size_t)tree->step_count;
    struct ready_step *ready = base_alloc_zero(steps + 1, sizeof *ready);
    int64_t *scratch_bytes = base_alloc_zero(steps + 1, sizeof *scratch_bytes);
    plan->step = base_alloc_zero(steps + 1, sizeof *plan->step);
    enum tcplan_status status =
        ready && scratch_bytes && plan->step ? TCPLAN_OK : error_no_memory(error);
    if (ready && scratch_bytes && status == TCPLAN_OK)
        status = make_plans(ready, scratch_bytes, tree, planner, error);
    for (size_t n = 0; scratch_bytes && n < steps && !with_scratch; n++) scratch_bytes[n] = 0;
    if (status == TCPLAN_OK) status = schedule_make(&plan->schedule, tree, scratch_bytes, error);
    if (status == TCPLAN_OK) arrange(plan, tree, ready);
    for (size_t s = 0; ready && s < steps; s++) {
        tcplan_plan_free(ready[s].plan);
        tcplan_plan_free(ready[s].later);
        base_free(ready[s].sum);
    }
    base_free(ready);
    base_free(scratch_bytes);
    return status;
}

static void set_one(struct tcplan_network_plan *plan, enum tcplan_dtype dtype) {
    const float one = 1;
    plan->one[0] = 1;
    if (dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX) {
        plan->one[0] = 0;
        memcpy(plan->one, &one, sizeof one);
    }
}

enum tcplan_status network_plan_make(struct tcplan_network_plan **out,
                                     const struct tcplan_tree *tree, struct tcplan_planner *planner,
                                     bool with_scratch, struct tcplan_error *error) {
    struct tcplan_network_plan *plan = base_alloc_zero(1, sizeof *plan);
    if (!plan) return error_no_memory(error);
    enum tcplan_status status = TCPLAN_OK;
    plan->sliced_count = tree->sliced_count;
    plan->dtype = tree->dtype;
    set_one(plan, tree->dtype);
    for (int i = 0; i < tree->sliced_count && status == TCPLAN_OK; i++) {
        plan->extent[i] = tree->extent[tree->sliced[i]];
        if (plan->extent[i] == 0)
            status = error_set(error, TCPLAN_INVALID,
                               "sliced index '%.40s' has extent 0; expected 1 or more",
                               tree->network->index[tree->sliced[i]]);
    }
    if (status == TCPLAN_OK) status = make(plan, tree, planner, with_scratch, error);
    if (status == TCPLAN_OK) {
        *out = plan;
    } else {
        tcplan_network_plan_free(plan);
    }
    return status;
}

enum tcplan_status tcplan_network_plan_new(struct tcplan_network_plan **out,
                                           const struct tcplan_tree *tree,
                                           struct tcplan_planner *planner,
                                           struct tcplan_error *error) {
    return network_plan_make(out, tree, planner, true, error);
}

void tcplan_network_plan_free(struct tcplan_network_plan *plan) {
    if (!plan) return;
    for (int n = 0; n < plan->schedule.count; n++) {
        tcplan_plan_free(plan->step[n].plan);
        tcplan_plan_free(plan->step[n].later);
        base_free(plan->step[n].sum);
    }
    schedule_free(&plan->schedule);
    base_free(plan->step);
    base_free(plan->workspace);
    base_free(plan);
}

int64_t tcplan_network_plan_workspace(const struct tcplan_network_plan *plan) {
    return plan->schedule.bytes;
}

int tcplan_network_plan_step_count(const struct tcplan_network_plan *plan) {
    return plan->schedule.count;
}

const struct tcplan_plan *tcplan_network_plan_step(const struct tcplan_network_plan *plan,
                                                   int step) {
    return step >= 0 && step < plan->schedule.count ? plan->step[step].plan : NULL;
}

/* Executing. */

/** State of executing a plan once. */
struct run {
    const struct tcplan_network_plan *plan;
    const void *const *tensor;
    char *result;
    char *workspace;
    double *step_seconds; /* array to which the time of each step of the tree, in seconds, is added;
                             NULL: steps are not timed */
    int64_t at[TCPLAN_TREE_SLICED]; /* current values of the sliced indices */
};

static const char *base_of(const struct run *run, const struct place *place) {
    switch (place->kind) {
    case PLACE_TENSOR: return run->tensor[place->tensor];
    case PLACE_ONE: return (const char *)run->plan->one;
    case PLACE_WORKSPACE: return run->workspace + place->offset_bytes;
    case PLACE_RESULT: return run->result;
    }
    return NULL;
}

/** Returns the offset, in bytes, of the current slice in a tensor. */
static int64_t slice_bytes(const struct run *run, const struct schedule_step *step, int t) {
    int64_t bytes = 0;
    for (int i = 0; i < run->plan->sliced_count; i++)
        bytes += run->at[i] * step->stride_bytes[t][i];
    return bytes;
}

/** Returns whether an earlier iteration wrote the same elements of the result: some sliced index
 * that the result lacks is not at its first value. */
static bool is_later(const struct run *run, const struct schedule_step *step) {
    for (int i = 0; i < run->plan->sliced_count && step->later; i++) {
        if (run->at[i] > 0 && step->stride_bytes[2][i] == 0) return true;
    }
    return false;
}

static void run_sum(const struct run *run, const struct ready_step *ready) {
    const struct ready_sum *sum = ready->sum;
    const void *from[TERMS_SHAPE_MOST];
    for (int t = 0; t < sum->fused.shape.count; t++) from[t] = base_of(run, &sum->place[t]);
    char *to = ready->place[2].kind == PLACE_RESULT ? run->result
                                                    : run->workspace + ready->place[2].offset_bytes;
    terms_run(&sum->fused.shape, from, to, sum->threads);
}

static enum tcplan_status run_step(const struct run *run, int n, struct tcplan_error *error) {
    const struct ready_step *ready = &run->plan->step[n];
    if (ready->sum) {
        run_sum(run, ready);
        return TCPLAN_OK;
    }
    const struct schedule_step *step = &run->plan->schedule.step[n];
    struct tcplan_execution execution = {.size = sizeof execution};
    execution.A = base_of(run, &ready->place[0]) + slice_bytes(run, step, 0);
    execution.B = base_of(run, &ready->place[1]) + slice_bytes(run, step, 1);
    execution.D =
        (ready->place[2].kind == PLACE_RESULT ? run->result
                                              : run->workspace + ready->place[2].offset_bytes) +
        slice_bytes(run, step, 2);
    struct tcplan_plan *plan = is_later(run, step) ? ready->later : ready->plan;
    if (!plan->improving) { /* Plans that improve themselves use their own memory, not the
                               workspace. */
        execution.workspace = run->workspace + step->scratch_place;
        execution.workspace_bytes = run->plan->schedule.bytes - step->scratch_place;
    }
    return tcplan_plan_run(plan, &execution, error);
}

/** Returns whether a step runs in the current iteration of the loops over sliced indices. */
static bool runs_here(const struct run *run, const struct schedule_step *step) {
    for (int i = 0; i < run->plan->sliced_count; i++) {
        if (run->at[i] > 0 && (step->only_first >> i & 1U)) return false;
    }
    return true;
}

static enum tcplan_status run_phase(const struct run *run, enum schedule_phase phase,
                                    struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int n = 0; n < run->plan->schedule.count && status == TCPLAN_OK; n++) {
        const struct schedule_step *step = &run->plan->schedule.step[n];
        if (step->phase != phase || !runs_here(run, step)) continue;
        const double start = run->step_seconds ? monotonic_seconds() : 0;
        status = run_step(run, n, error);
        if (run->step_seconds) run->step_seconds[step->step] += monotonic_seconds() - start;
    }
    return status;
}

/** Advances the sliced indices to their next values; returns false after the last iteration. */
static bool next(struct run *run) {
    for (int i = run->plan->sliced_count - 1; i >= 0; i--) {
        if (++run->at[i] < run->plan->extent[i]) return true;
        run->at[i] = 0;
    }
    return false;
}

static enum tcplan_status run_all(struct run *run, struct tcplan_error *error) {
    enum tcplan_status status = run_phase(run, SCHEDULE_BEFORE, error);
    while (status == TCPLAN_OK && run->plan->sliced_count > 0) {
        status = run_phase(run, SCHEDULE_INSIDE, error);
        if (!next(run)) break;
    }
    return status == TCPLAN_OK ? run_phase(run, SCHEDULE_AFTER, error) : status;
}

/** Allocates the plan's own workspace at its first use. */
static enum tcplan_status own_workspace(struct tcplan_network_plan *plan,
                                        struct tcplan_error *error) {
    if (!plan->workspace)
        plan->workspace =
            base_large_alloc(SCHEDULE_ALIGNMENT, (size_t)plan->schedule.bytes + SCHEDULE_ALIGNMENT);
    return plan->workspace ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status tcplan_network_execute(struct tcplan_network_plan *plan,
                                          const void *const tensor[], void *result, void *workspace,
                                          int64_t workspace_bytes, struct tcplan_error *error) {
    const int64_t bytes = plan->schedule.bytes;
    if (!workspace) return network_execute_timed(plan, tensor, result, NULL, error);
    if (bytes > 0 && workspace_bytes < bytes + SCHEDULE_ALIGNMENT - 1) {
        return error_set(error, TCPLAN_INVALID, "a workspace of %lld bytes; expected %lld or more",
                         (long long)workspace_bytes, (long long)bytes + SCHEDULE_ALIGNMENT - 1);
    }
    const size_t beyond = (size_t)workspace % SCHEDULE_ALIGNMENT;
    struct run run = {.plan = plan,
                      .tensor = tensor,
                      .result = result,
                      .workspace =
                          (char *)workspace + (beyond > 0 ? SCHEDULE_ALIGNMENT - beyond : 0)};
    return run_all(&run, error);
}

enum tcplan_status network_execute_timed(struct tcplan_network_plan *plan,
                                         const void *const tensor[], void *result,
                                         double step_seconds[], struct tcplan_error *error) {
    const enum tcplan_status status = own_workspace(plan, error);
    if (status != TCPLAN_OK) return status;
    struct run run = {.plan = plan,
                      .tensor = tensor,
                      .result = result,
                      .workspace = plan->workspace,
                      .step_seconds = step_seconds};
    return run_all(&run, error);
}
