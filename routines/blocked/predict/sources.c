#include "routines/blocked/predict/sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/timing/drift.h"

/** Sizes of a trial walk that reaches every statement: they give several steps of blocks, and
 * several rows in each block. */
enum { PROBE_SIZE = 64, PROBE_BLOCK = 16 };

/** Criteria for the models of an algorithm: their setup, and the core speed to which their times
 * refer. */
struct lookup {
    struct tcplan_blocked_predictor *predictor;
    const struct tcplan_models *models;
    struct tcplan_model_setup setup, own;
    double good_reference_seconds; /* time of the reference at the core's best speed while models
                                      were made, in seconds */
    bool failed;
};

static double volume(const struct tcplan_model_domain *domain) {
    double product = 1;
    for (int s = 0; s < domain->count; s++)
        product *= (double)(domain->high[s] - domain->low[s] + 1);
    return product;
}

static int compare_domains(const void *a, const void *b) {
    const double x = volume(&((const struct source_candidate *)a)->model->domain);
    const double y = volume(&((const struct source_candidate *)b)->model->domain);
    return (x > y) - (x < y);
}

static bool is_of(const struct tcplan_model *model, const struct called_case *of,
                  const struct tcplan_model_setup *setup) {
    return model->domain.count == of->sizes && strcmp(model->case_text, of->text) == 0 &&
           tcplan_model_setup_matches(&model->setup, setup);
}

/**
 * Returns the factor that corrects a model's times for the speed that the core had when the model
 * was made. For calls that only move data, the elasticity is one half
 * (drift_expected_elasticity()).
 */
static double factor_of(const struct lookup *lookup, const struct source *source,
                        const struct tcplan_model *model) {
    const double elasticity = strcmp(source->statement->signature->flops, "0") != 0 ? 1 : 0.5;
    return drift_factor(elasticity, model->good_reference_seconds, lookup->good_reference_seconds);
}

/** Appends the models of a case; false if memory runs out. */
static bool add_candidates(struct source *source, const struct lookup *lookup,
                           const struct called_case *of, const struct tcplan_model_setup *setup) {
    const size_t all = tcplan_models_count(lookup->models);
    const int first = source->count;
    for (size_t m = 0; m < all; m++) {
        const struct tcplan_model *model = tcplan_models_at(lookup->models, m);
        if (!is_of(model, of, setup)) continue;
        struct source_candidate *larger =
            base_realloc(source->candidate, (size_t)(source->count + 1) * sizeof *larger);
        if (!larger) return false;
        source->candidate = larger;
        larger[source->count++] =
            (struct source_candidate){.model = model, .factor = factor_of(lookup, source, model)};
    }
    if (source->count > first + 1)
        qsort(source->candidate + first, (size_t)(source->count - first), sizeof *source->candidate,
              compare_domains);
    return true;
}

static bool look_up(void *context, const struct blocked_call *call) {
    struct lookup *lookup = context;
    struct source *source = &lookup->predictor->source[call->statement->node->call.number];
    const struct tcplan_model_setup *setup =
        call->signature->is_own ? &lookup->own : &lookup->setup;
    struct called_case any;
    if (source->statement) return true;
    source->statement = call->statement;
    if (!case_of_call(&source->of, call->signature, call->value, call->scalar, false)) return true;
    lookup->failed = !add_candidates(source, lookup, &source->of, setup);
    if (lookup->failed) return false;
    if (!case_of_call(&any, call->signature, call->value, call->scalar, true) ||
        strcmp(any.text, source->of.text) == 0)
        return true;
    lookup->failed = !add_candidates(source, lookup, &any, setup);
    return !lookup->failed;
}

enum tcplan_status tcplan_blocked_predictor_new(struct tcplan_blocked_predictor **out,
                                                const struct tcplan_blocked *blocked,
                                                const struct tcplan_models *models,
                                                const struct tcplan_model_setup *setup,
                                                struct tcplan_error *error) {
    struct tcplan_blocked_sizes probe = {.block = PROBE_BLOCK};
    struct lookup lookup = {.models = models,
                            .setup = *setup,
                            .own = {.provider = "own", .threads = 1, .placement = setup->placement},
                            .good_reference_seconds = tcplan_models_good_reference_seconds(models)};
    *out = NULL;
    memcpy(lookup.own.binding, setup->binding, sizeof lookup.own.binding);
    for (int s = 0; s < TCPLAN_BLOCK_SIZES; s++) probe.size[s] = PROBE_SIZE;
    lookup.predictor = base_alloc_zero(1, sizeof *lookup.predictor);
    if (!lookup.predictor) return error_no_memory(error);
    lookup.predictor->blocked = blocked;
    lookup.predictor->source =
        base_alloc_zero((size_t)blocked->statement_count + 1, sizeof *lookup.predictor->source);
    if (lookup.predictor->source) blocked_walk(blocked, &probe, look_up, &lookup);
    if (!lookup.predictor->source || lookup.failed) {
        tcplan_blocked_predictor_free(lookup.predictor);
        return error_no_memory(error);
    }
    *out = lookup.predictor;
    return TCPLAN_OK;
}

void tcplan_blocked_predictor_free(struct tcplan_blocked_predictor *predictor) {
    if (!predictor) return;
    for (int s = 0; predictor->source && s < predictor->blocked->statement_count; s++)
        base_free(predictor->source[s].candidate);
    base_free(predictor->source);
    base_free(predictor);
}

void source_sizes(int64_t out[TCPLAN_MODEL_SIZES], const struct source *source,
                  const struct blocked_call *call) {
    for (int s = 0; s < TCPLAN_MODEL_SIZES; s++)
        out[s] = s < source->of.sizes ? call->value[source->of.size_argument[s]] : 0;
}

/**
 * Returns whether calls may have smaller sizes than a domain: if it begins where domains usually
 * begin, or because another size bounds that size, as the number of larft's columns bounds its
 * rows from below.
 */
static bool may_be_below(const struct source *source, const struct tcplan_model_domain *domain,
                         int s) {
    return domain->low[s] <= TCPLAN_BLOCKED_LEAST ||
           source->statement->signature->argument[source->of.size_argument[s]].least != NULL;
}

/** Returns whether a model applies to sizes: they are in its domain, or below its beginning.
 * `below` receives whether some size is below. */
static bool holds(const struct source *source, const struct tcplan_model *model,
                  const int64_t size[], bool *below) {
    const struct tcplan_model_domain *domain = &model->domain;
    *below = false;
    for (int s = 0; s < domain->count; s++) {
        if (size[s] > domain->high[s] ||
            (size[s] < domain->low[s] && !may_be_below(source, domain, s)))
            return false;
        *below = *below || size[s] < domain->low[s];
    }
    return true;
}

const struct source_candidate *source_model(const struct source *source, const int64_t size[],
                                            bool *below) {
    const struct source_candidate *nearest = NULL;
    for (int c = 0; c < source->count; c++) {
        if (!holds(source, source->candidate[c].model, size, below)) continue;
        if (!*below) return &source->candidate[c];
        if (!nearest) nearest = &source->candidate[c];
    }
    *below = nearest != NULL;
    return nearest;
}

/** Returns the largest factor by which a size is outside of a domain, and sets the nearest sizes
 * inside. */
static double move_inside(int64_t near[TCPLAN_MODEL_SIZES],
                          const struct tcplan_model_domain *domain, const int64_t size[]) {
    double largest = 1;
    for (int s = 0; s < domain->count; s++) {
        near[s] = size[s] < domain->low[s]    ? domain->low[s]
                  : size[s] > domain->high[s] ? domain->high[s]
                                              : size[s];
        const double ratio = (double)near[s] / (double)size[s];
        largest = fmax(largest, fmax(ratio, 1 / ratio));
    }
    return largest;
}

const struct source_candidate *source_nearest(int64_t near[TCPLAN_MODEL_SIZES],
                                              const struct source *source, const int64_t size[]) {
    const struct source_candidate *nearest = NULL;
    double least = INFINITY;
    for (int c = 0; c < source->count; c++) {
        int64_t inside[TCPLAN_MODEL_SIZES];
        const double factor = move_inside(inside, &source->candidate[c].model->domain, size);
        if (!(factor < least)) continue;
        least = factor;
        nearest = &source->candidate[c];
        memcpy(near, inside, sizeof inside);
    }
    return nearest;
}

void tcplan_blocked_predictor_extrapolate(struct tcplan_blocked_predictor *predictor) {
    predictor->extrapolates = true;
}
