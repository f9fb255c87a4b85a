#include "plan/model_times.h"

#include <math.h>
#include <stdio.h>

#include "ast/kernel_class.h"
#include "plan/call_model.h"
#include "plan/model_case.h"
#include "tcplan/blas.h"

struct model_times model_times_of(const struct tcplan_models *models) {
    struct model_times times = {.models = models && tcplan_models_count(models) > 0 ? models : NULL};
    for (int p = 0; p < TCPLAN_PROVIDERS && times.models; p++) {
        struct tcplan_provider_info info;
        char *out = times.version[p];
        if (!tcplan_provider_info(&info, (enum tcplan_provider)p)) continue;
        snprintf(out, TCPLAN_MODEL_TEXT, "%s%s%s%s%s%s", info.name, info.version ? " " : "", info.version ? info.version : "",
                 info.core ? " (" : "", info.core ? info.core : "", info.core ? ")" : "");
    }
    return times;
}

/* Kernels. */

enum { EXTENTS = 3 };

/** What is asked of the models. */
struct wanted {
    struct model_case model_case;
    struct tcplan_model_setup setup;
};

static const struct tcplan_model *find_case(struct wanted *wanted, const struct model_times *times, const struct blas_call *call,
                                            enum tcplan_dtype dtype, bool any_scalars) {
    if (!model_case_of(&wanted->model_case, call, dtype, any_scalars)) return NULL;
    const struct model_case *own = &wanted->model_case;
    const struct tcplan_model *model = tcplan_models_find(times->models, own->text, &wanted->setup, own->size);
    return model && model->domain.count == own->sizes ? model : NULL;
}

static bool holds(const struct tcplan_model *model, const struct wanted *wanted) {
    return model && tcplan_model_domain_contains(&model->domain, wanted->model_case.size);
}

/** The model of a call: that of its scalars, or of any where only that holds its sizes; NULL where there is none. */
static const struct tcplan_model *find_model(struct wanted *wanted, const struct model_times *times, const struct blas_call *call,
                                             enum tcplan_dtype dtype, int threads, enum tcplan_model_placement place) {
    if (!times->models) return NULL;
    *wanted = (struct wanted){.setup = {.threads = threads, .placement = place}};
    snprintf(wanted->setup.provider, sizeof wanted->setup.provider, "%s", model_case_provider(call));
    if (!kernel_class_of(call->kernel)->is_own) {
        snprintf(wanted->setup.version, sizeof wanted->setup.version, "%s", times->version[call->provider]);
    }
    const struct tcplan_model *own = find_case(wanted, times, call, dtype, false);
    if (holds(own, wanted)) return own;
    const struct tcplan_model *any = find_case(wanted, times, call, dtype, true);
    return !own || holds(any, wanted) ? any : own;
}

/** What a model says, and how far it may be off: by what it was checked with, or by its points. False where that is no time. */
static bool evaluate(struct call_time *out, const struct tcplan_model *model, const int64_t size[]) {
    struct tcplan_model_estimate estimate;
    tcplan_model_evaluate(&estimate, model, size);
    const double factor = 1 + fmax(estimate.error, model->check.points > 0 ? model->check.p90 : 0);
    *out = (struct call_time){.ns = estimate.ns[TCPLAN_MODEL_MEDIAN],
                              .low_ns = estimate.ns[TCPLAN_MODEL_MINIMUM] / factor,
                              .high_ns = estimate.ns[TCPLAN_MODEL_MAXIMUM] * factor,
                              .source = TCPLAN_TIME_MODEL};
    return isfinite(out->ns) && isfinite(out->high_ns) && out->ns > 0;
}

bool model_times_call(struct call_time *out, const struct model_times *times, const struct blas_call *call, enum tcplan_dtype dtype,
                      int threads, enum tcplan_model_placement place) {
    struct wanted wanted;
    const struct tcplan_model *model = find_model(&wanted, times, call, dtype, threads, place);
    return holds(model, &wanted) && evaluate(out, model, wanted.model_case.size);
}

/** The call of the nearest sizes in a domain, and the work of the given one over that of this. */
static double move_within(struct blas_call *near, const struct tcplan_model_domain *domain, int64_t size[]) {
    int *const extent[EXTENTS] = {&near->m, &near->n, &near->k};
    double work = 1;
    for (int s = 0; s < domain->count && s < EXTENTS; s++) {
        const int64_t wanted = size[s];
        size[s] = wanted < domain->low[s] ? domain->low[s] : wanted > domain->high[s] ? domain->high[s] : wanted;
        *extent[s] = (int)size[s];
        work *= (double)wanted / (double)size[s];
    }
    return work;
}

bool model_times_beyond(struct call_time *out, const struct model_times *times, const struct blas_call *call, enum tcplan_dtype dtype,
                        int threads, const struct tcplan_machine *machine) {
    struct wanted wanted;
    struct call_time nearest;
    struct blas_call near = *call;
    const struct tcplan_model *model = find_model(&wanted, times, call, dtype, threads, TCPLAN_MODEL_WARM);
    if (!model) return false;
    const double work = move_within(&near, &model->domain, wanted.model_case.size);
    if (!evaluate(&nearest, model, wanted.model_case.size)) return false;
    const double own_ns = call_model_time(call, dtype, threads, machine).ns, near_ns = call_model_time(&near, dtype, threads, machine).ns;
    const double ns = nearest.ns * own_ns / near_ns;
    *out = (struct call_time){.ns = ns,
                              .low_ns = fmin(ns, nearest.low_ns * fmin(work, 1)),
                              .high_ns = fmax(ns, nearest.high_ns * fmax(work, 1)),
                              .source = TCPLAN_TIME_BEYOND};
    return true;
}

/* Copies. */

bool model_times_copy(struct call_time *out, const struct model_times *times, const struct tcplan_problem *problem,
                      const struct model_copy *wanted) {
    struct tcplan_model_setup setup = {.provider = "own", .threads = 1};
    const struct arrangement_copy *copy = wanted->copy;
    const bool is_result = wanted->operand == TCPLAN_C; /* of which the temporary is the source */
    struct model_case model_case;
    if (!times->models || copy->rows <= 1 || copy->columns <= 1) return false;
    if (copy->from_memory) setup.placement = copy->executions > 1 ? TCPLAN_MODEL_STREAMING : TCPLAN_MODEL_COLD;
    model_case_of_copy(&model_case, (int64_t)(is_result ? copy->columns : copy->rows), (int64_t)(is_result ? copy->rows : copy->columns),
                       is_result && wanted->algorithm->copy[TCPLAN_C].streamed, problem->dtype);
    const struct tcplan_model *model = tcplan_models_find(times->models, model_case.text, &setup, model_case.size);
    if (!model || model->domain.count != model_case.sizes || !tcplan_model_domain_contains(&model->domain, model_case.size)) return false;
    if (!evaluate(out, model, model_case.size)) return false;
    const double calls = copy->elements / (copy->rows * copy->columns);
    out->ns *= calls;
    out->low_ns *= calls;
    out->high_ns *= calls;
    return true;
}
