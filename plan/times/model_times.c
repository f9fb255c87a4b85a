#include "plan/times/model_times.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/nest/nest.h"
#include "base/units.h"
#include "plan/estimate.h"
#include "plan/times/call_model.h"
#include "plan/times/copy_case.h"
#include "plan/times/model_case.h"
#include "tcplan/blas.h"

struct model_times model_times_of(const struct tcplan_models *models,
                                  const struct tcplan_machine *machine) {
    struct model_times times = {.models = models && tcplan_models_count(models) > 0 ? models : NULL,
                                .line_bytes = machine->line_bytes};
    for (int p = 0; p < TCPLAN_PROVIDERS && times.models; p++) {
        struct tcplan_provider_info info;
        char *out = times.version[p];
        if (!tcplan_provider_info(&info, (enum tcplan_provider)p)) continue;
        snprintf(out, TCPLAN_MODEL_TEXT, "%s%s%s%s%s%s", info.name, info.version ? " " : "",
                 info.version ? info.version : "", info.core ? " (" : "",
                 info.core ? info.core : "", info.core ? ")" : "");
    }
    return times;
}

/* Kernels. */

enum { EXTENTS = 3 };

/** Selects a model: setup, and where operands are. */
struct wanted {
    struct model_case model_case;
    struct tcplan_model_setup setup;
};

/** A call, its number of threads, and where its operands are. */
struct asked {
    const struct model_times *times;
    const struct blas_call *call;
    enum tcplan_dtype dtype;
    int threads;
    enum tcplan_model_placement place;
};

static const struct tcplan_model *find_case(struct wanted *wanted, const struct asked *asked,
                                            struct model_case_choice choice) {
    choice.line_bytes = asked->times->line_bytes;
    if (!model_case_of(&wanted->model_case, asked->call, asked->dtype, choice)) return NULL;
    const struct model_case *own = &wanted->model_case;
    const struct tcplan_model *model =
        tcplan_models_find(asked->times->models, own->text, &wanted->setup, own->size);
    return model && model->domain.count == own->sizes ? model : NULL;
}

static bool holds(const struct tcplan_model *model, const struct wanted *wanted) {
    return model && tcplan_model_domain_contains(&model->domain, wanted->model_case.size);
}

/** Returns the model for exactly the scalars of a call. If its domain lacks the sizes, returns
 * the model for any scalars whose domain contains them; NULL: none. */
static const struct tcplan_model *find_model(struct wanted *wanted, const struct asked *asked,
                                             bool near_as_one) {
    const struct blas_call *call = asked->call;
    *wanted = (struct wanted){.setup = {.threads = asked->threads, .placement = asked->place}};
    if (!asked->times->models) return NULL;
    memcpy(wanted->setup.binding, asked->times->binding, sizeof wanted->setup.binding);
    snprintf(wanted->setup.provider, sizeof wanted->setup.provider, "%s",
             model_case_provider(call));
    if (!kernel_class_of(call->kernel)->is_own) {
        snprintf(wanted->setup.version, sizeof wanted->setup.version, "%s",
                 asked->times->version[call->provider]);
    }
    const struct tcplan_model *own =
        find_case(wanted, asked, (struct model_case_choice){.near_as_one = near_as_one});
    if (holds(own, wanted)) return own;
    const struct tcplan_model *any = find_case(
        wanted, asked, (struct model_case_choice){.any_scalars = true, .near_as_one = near_as_one});
    return !own || holds(any, wanted) ? any : own;
}

/** Evaluates a model, with its error at validation points or else at its own points; false if the
 * result is not a valid time. */
static bool evaluate(struct call_time *out, const struct tcplan_model *model,
                     const int64_t size[]) {
    struct tcplan_model_estimate estimate;
    tcplan_model_evaluate(&estimate, model, size);
    const double factor = 1 + fmax(estimate.error, model->check.points > 0 ? model->check.p90 : 0);
    *out = (struct call_time){.ns = estimate.ns[TCPLAN_MODEL_MEDIAN],
                              .low_ns = estimate.ns[TCPLAN_MODEL_MINIMUM] / factor,
                              .high_ns = estimate.ns[TCPLAN_MODEL_MAXIMUM] * factor,
                              .source = TCPLAN_TIME_MODEL};
    return isfinite(out->ns) && isfinite(out->high_ns) && out->ns > 0;
}

/** Predicts by a model whose domain contains the sizes of a call. Also sets the call's case if
 * there is no such model. */
static bool time_by_case(struct call_time *out, struct wanted *wanted, const struct asked *asked,
                         bool near_as_one) {
    const struct tcplan_model *model = find_model(wanted, asked, near_as_one);
    return holds(model, wanted) && evaluate(out, model, wanted->model_case.size);
}

/** Predicts a call with increments between 1 and a line from the model of large increments, which
 * touches more lines. */
static void lower_as_lines(struct call_time *time, const struct model_case *model_case) {
    time->low_ns *= model_case->increment / model_case->line;
}

static bool time_alone(struct call_time *out, const struct asked *asked) {
    struct wanted wanted;
    struct call_time one;
    const bool has_large = time_by_case(out, &wanted, asked, false);
    const double increment = wanted.model_case.increment, line = wanted.model_case.line;
    if (!(increment > 0)) return has_large;
    if (!time_by_case(&one, &wanted, asked, true)) {
        if (has_large) lower_as_lines(out, &wanted.model_case);
        return has_large;
    }
    const double share = (increment - 1) / (line - 1);
    *out = (struct call_time){.ns = has_large ? one.ns + share * (out->ns - one.ns) : one.ns,
                              .low_ns = has_large ? fmin(one.low_ns, out->low_ns) : one.low_ns,
                              .high_ns = has_large ? fmax(one.high_ns, out->high_ns)
                                                   : one.high_ns * increment,
                              .source = TCPLAN_TIME_MODEL};
    return true;
}

/** Predicts a sum of products as one gemm with all k; the upper end of the error interval is one
 * gemm per product. */
static bool time_batch(struct call_time *out, const struct asked *asked) {
    const struct blas_call *batch = asked->call;
    struct blas_call call = *batch;
    struct asked product = *asked;
    struct call_time each;
    if (batch->products < 1 || batch->k > INT_MAX / batch->products) return false;
    product.call = &call;
    call.kernel = TCPLAN_GEMM;
    call.products = 0;
    call.k = batch->k * batch->products;
    if (!time_alone(out, &product)) return false;
    call.k = batch->k;
    call.beta = (struct tcplan_scalar){1, 0};
    const double most_ns = time_alone(&each, &product) ? batch->products * each.high_ns
                                                       : ESTIMATE_FACTOR * out->high_ns;
    out->high_ns = fmax(out->high_ns, most_ns);
    return true;
}

bool model_times_call(struct call_time *out, const struct model_times *times,
                      const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                      enum tcplan_model_placement place) {
    const struct asked asked = {
        .times = times, .call = call, .dtype = dtype, .threads = threads, .place = place};
    if (!times->models) return false;
    return call->kernel == TCPLAN_BRGEMM ? time_batch(out, &asked) : time_alone(out, &asked);
}

/** Moves the sizes of a call to the nearest sizes in a model's domain; returns the work of the
 * call divided by that of the moved one. */
static double move_within(struct blas_call *near, const struct tcplan_model_domain *domain,
                          int64_t size[]) {
    int *const extent[EXTENTS] = {&near->m, &near->n, &near->k};
    double work = 1;
    for (int s = 0; s < domain->count && s < EXTENTS; s++) {
        const int64_t wanted = size[s];
        size[s] = wanted < domain->low[s]    ? domain->low[s]
                  : wanted > domain->high[s] ? domain->high[s]
                                             : wanted;
        *extent[s] = (int)size[s];
        work *= (double)wanted / (double)size[s];
    }
    return work;
}

bool model_times_beyond(struct call_time *out, const struct model_times *times,
                        const struct blas_call *call, enum tcplan_dtype dtype, int threads,
                        const struct tcplan_machine *machine) {
    const struct asked asked = {.times = times,
                                .call = call,
                                .dtype = dtype,
                                .threads = threads,
                                .place = TCPLAN_MODEL_WARM};
    struct wanted wanted;
    struct call_time nearest;
    struct blas_call near = *call;
    const struct tcplan_model *model = find_model(&wanted, &asked, false);
    if (!model) return false;
    const double work = move_within(&near, &model->domain, wanted.model_case.size);
    if (!evaluate(&nearest, model, wanted.model_case.size)) return false;
    if (wanted.model_case.increment > 0) lower_as_lines(&nearest, &wanted.model_case);
    const double own_ns = call_model_time(call, dtype, threads, machine).ns,
                 near_ns = call_model_time(&near, dtype, threads, machine).ns;
    const double ns = nearest.ns * own_ns / near_ns;
    *out = (struct call_time){.ns = ns,
                              .low_ns = fmin(ns, nearest.low_ns * fmin(work, 1)),
                              .high_ns = fmax(ns, nearest.high_ns * fmax(work, 1)),
                              .source = TCPLAN_TIME_BEYOND};
    return true;
}

/* Copies. */

/** Returns the block of a copy from the tensor to the temporary, or back. */
static struct copy_case_block block_of(const struct model_times *times,
                                       const struct tcplan_problem *problem,
                                       const struct model_copy *wanted, bool out_of_temporary) {
    const struct arrangement_copy *copy = wanted->copy;
    struct copy_case_block block = {
        .rank = copy->rank, .dtype = problem->dtype, .line_bytes = times->line_bytes};
    double bytes = (double)problem->element_bytes;
    for (int d = 0; d < copy->rank; d++) {
        const struct arrangement_dimension *from = &copy->dimension[d];
        block.dimension[d] =
            (struct copy_case_dimension){.extent = from->extent,
                                         .to = out_of_temporary ? from->tensor : from->temporary,
                                         .from = out_of_temporary ? from->temporary : from->tensor};
        bytes *= from->extent;
    }
    /* Temporaries have the layout of ast/nest/heuristics.h. */
    block.streamed = out_of_temporary ? wanted->algorithm->copy[wanted->operand].streamed
                                      : bytes > (double)problem->heuristics.far_bytes;
    return block;
}

/** Lowers the end of the interval for the time of each run of a block, towards the time at which
 * one long run copies all of them, or as many as the model's domain allows. */
static void lower_as_one_run(struct call_time *each, const struct tcplan_model *model,
                             const struct copy_case *copy_case) {
    const double length = (double)copy_case->model_case.size[0], all = length * copy_case->calls;
    const int64_t most = model->domain.high[0];
    const int64_t longest = all < (double)most ? (int64_t)all : most;
    struct call_time one;
    if (!evaluate(&one, model, &longest)) return;
    const double share = length / (double)longest;
    each->ns = sqrt(each->ns * fmin(each->ns, one.ns * share));
    each->low_ns = fmin(each->low_ns, one.low_ns * share);
}

/** Adds the time of a block, by the first of its cases that has a model for the place of the
 * operands. */
static bool add_block(struct call_time *sum, const struct model_times *times,
                      const struct copy_case_block *block, enum tcplan_model_placement place) {
    struct tcplan_model_setup setup = {.provider = "own", .threads = 1, .placement = place};
    struct copy_case copy_case[COPY_CASES];
    const int cases = copy_case_of(copy_case, block);
    memcpy(setup.binding, times->binding, sizeof setup.binding);
    for (int c = 0; c < cases; c++) {
        const struct model_case *own = &copy_case[c].model_case;
        const struct tcplan_model *model =
            tcplan_models_find(times->models, own->text, &setup, own->size);
        struct call_time each;
        if (!model || model->domain.count != own->sizes ||
            !tcplan_model_domain_contains(&model->domain, own->size))
            continue;
        if (!evaluate(&each, model, own->size)) continue;
        if (own->increment > 0) lower_as_lines(&each, own);
        if (copy_case[c].is_run) lower_as_one_run(&each, model, &copy_case[c]);
        sum->ns += each.ns * copy_case[c].calls;
        sum->low_ns += each.low_ns * copy_case[c].calls;
        sum->high_ns += each.high_ns * copy_case[c].calls;
        return true;
    }
    return false;
}

/** Adds the times of all blocks of an execution: the temporary of a factor is filled; that of a
 * result is filled, copied back, or both. */
static bool add_blocks(struct call_time *sum, const struct model_times *times,
                       const struct tcplan_problem *problem, const struct model_copy *wanted,
                       enum tcplan_model_placement place) {
    const bool is_result = wanted->operand == TCPLAN_C;
    double elements = 1;
    for (int d = 0; d < wanted->copy->rank; d++) elements *= wanted->copy->dimension[d].extent;
    const bool is_filled =
        !is_result || wanted->copy->elements > 1.5 * elements; /* filling the temporary and copying
                                                                  it back count as two executions */
    const struct copy_case_block fill = block_of(times, problem, wanted, false),
                                 empty = block_of(times, problem, wanted, true);
    *sum = (struct call_time){.source = TCPLAN_TIME_MODEL};
    if (is_filled && !add_block(sum, times, &fill, place)) return false;
    return !is_result || add_block(sum, times, &empty, place);
}

bool model_times_copy(struct call_time *out, const struct model_times *times,
                      const struct tcplan_problem *problem, const struct model_copy *wanted) {
    const struct arrangement_copy *copy = wanted->copy;
    const enum tcplan_model_placement far =
        copy->streams ? TCPLAN_MODEL_STREAMING : TCPLAN_MODEL_COLD;
    if (!times->models || copy->rank == 0) return false;
    if (copy->from_memory && add_blocks(out, times, problem, wanted, far)) return true;
    if (!add_blocks(out, times, problem, wanted, TCPLAN_MODEL_WARM)) return false;
    if (!copy->from_memory) return true;
    const double lines_ns = NS_PER_SECOND * copy->line_seconds / copy->executions;
    out->ns += lines_ns;
    out->low_ns += lines_ns / ESTIMATE_FACTOR;
    out->high_ns += lines_ns * ESTIMATE_FACTOR;
    return true;
}
