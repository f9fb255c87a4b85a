#include "plan/rank.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "microbench/blas.h"
#include "microbench/clock.h"
#include "microbench/session.h"

enum { DEFAULT_MEMORY_BYTES = 384 << 20 };

struct tcplan_rank_options tcplan_rank_defaults(void) {
    return (struct tcplan_rank_options){
        .predictor = TCPLAN_PREDICT_WINDOW, .stage = TCPLAN_STAGE_FIRST, .cache = TCPLAN_CACHE_WARM, .threads = 1, .seed = 1};
}

/* Sorting. */

static int class_of(const struct tcplan_entry *entry) {
    return entry->status == TCPLAN_ENTRY_NOT_APPLICABLE ? 2 : entry->predicted ? 0 : 1;
}

static int compare_entries(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    if (class_of(x) != class_of(y)) return class_of(x) - class_of(y);
    const double left = x->predicted ? x->prediction.seconds : x->lower_bound_seconds;
    const double right = y->predicted ? y->prediction.seconds : y->lower_bound_seconds;
    if (left != right) return left < right ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : 1;
}

/** The intervals overlap, and the entry really had a window as fast as the fastest one's interval. */
static bool is_tied(const struct tcplan_entry *entry, const struct tcplan_entry *fastest) {
    if (!entry->predicted || entry->prediction.low > fastest->prediction.high) return false;
    for (int i = 0; i < entry->prediction.sample_count; i++) {
        if (entry->prediction.sample[i] <= fastest->prediction.high) return true;
    }
    return false;
}

void ranker_sort(struct tcplan_ranking *ranking) {
    qsort(ranking->entry, ranking->entry_count, sizeof *ranking->entry, compare_entries);
    ranking->tied_count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        entry->tied = is_tied(entry, &ranking->entry[0]);
        ranking->tied_count += entry->tied;
    }
}

/* Memory. */

/** Physical pages that are backed one after the other lie as they do in a program that fills its tensors. */
static void back_if_small(struct buffers *buffers) {
    size_t bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) bytes += buffers->tensor[t].bytes;
    if (bytes <= buffers->limit_bytes) buffers_back_all(buffers);
}

enum tcplan_status ranking_buffers(struct buffers **out, struct tcplan_ranking *ranking, int64_t max_memory_bytes,
                                   struct tcplan_error *error) {
    if (ranking->buffers) {
        *out = ranking->buffers;
        return TCPLAN_OK;
    }
    struct buffers *buffers = base_alloc(sizeof *buffers);
    if (!buffers) return error_no_memory(error);
    enum tcplan_status status =
        buffers_reserve(buffers, &ranking->problem, max_memory_bytes > 0 ? (size_t)max_memory_bytes : DEFAULT_MEMORY_BYTES, error);
    if (status != TCPLAN_OK) {
        base_free(buffers);
        return status;
    }
    back_if_small(buffers);
    *out = ranking->buffers = buffers;
    return TCPLAN_OK;
}

/* Making a ranking. */

static struct tcplan_ranking *new_ranking(const struct tcplan_problem *problem, size_t entries) {
    struct tcplan_ranking *ranking = base_alloc(sizeof *ranking);
    struct tcplan_entry *entry = base_alloc(entries * sizeof *entry);
    if (!ranking || !entry) {
        base_free(ranking);
        base_free(entry);
        return NULL;
    }
    *ranking = (struct tcplan_ranking){.problem = *problem, .entry = entry};
    return ranking;
}

void tcplan_ranking_free(struct tcplan_ranking *ranking) {
    if (!ranking) return;
    if (ranking->buffers) buffers_free(ranking->buffers);
    base_free(ranking->buffers);
    for (size_t e = 0; e < ranking->entry_count; e++) base_free(ranking->entry[e].benchmark);
    base_free(ranking->entry);
    base_free(ranking);
}

static enum tcplan_status list_entries(struct tcplan_ranking **out, const struct tcplan_problem *problem, struct tcplan_error *error) {
    uint64_t count[TCPLAN_KERNELS + 1];
    enum tcplan_status status = tcplan_algorithm_count(problem->contraction, count);
    if (status != TCPLAN_OK) {
        return error_set(error, TCPLAN_OVERFLOW, "more algorithms than can be counted; one at a time can still be predicted");
    }
    if (count[TCPLAN_KERNELS] > TCPLAN_MAX_RANKED) {
        return error_set(error, TCPLAN_OVERFLOW,
                         "%" PRIu64 " algorithms, more than the %d that are ranked; one at a time can still be predicted",
                         count[TCPLAN_KERNELS], TCPLAN_MAX_RANKED);
    }
    *out = new_ranking(problem, (size_t)count[TCPLAN_KERNELS]);
    if (!*out) return error_no_memory(error);
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    tcplan_enumerator_init(&enumerator, problem->contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        const size_t ordinal = (*out)->entry_count++;
        (*out)->entry[ordinal] = (struct tcplan_entry){.algorithm = algorithm, .status = TCPLAN_ENTRY_PRUNED, .ordinal = ordinal};
    }
    return TCPLAN_OK;
}

static enum tcplan_status ranker_start(struct ranker *ranker, const struct tcplan_rank_options *options, struct tcplan_error *error) {
    ranker->options = options ? *options : tcplan_rank_defaults();
    enum tcplan_status status = TCPLAN_OK;
    if (ranker->options.machine) {
        ranker->machine = *ranker->options.machine;
    } else {
        status = tcplan_machine_load(&ranker->machine, "live", error);
    }
    if (status != TCPLAN_OK) return status;
    ranker->settings = window_settings_for(&ranker->machine, ranker->options.cache);
    status = ranking_buffers(&ranker->ranking->buffers, ranker->ranking, ranker->options.max_memory_bytes, error);
    if (status != TCPLAN_OK) return status;
    ranker->thesis = thesis_make(&ranker->machine, ranker->options.stage, ranker->options.cache, ranker->ranking->buffers->limit_bytes);
    if (ranker->options.setup_limit_bytes > 0) ranker->thesis.analysis.limit_bytes = (double)ranker->options.setup_limit_bytes;
    return TCPLAN_OK;
}

/** What a ranking does between setting up and sorting. */
typedef enum tcplan_status stage_fn(struct ranker *ranker, struct tcplan_error *error);

/** Runs a stage on one core with the wanted BLAS threads, and cleans up. */
static enum tcplan_status run_stage(struct tcplan_ranking *ranking, size_t front_count, const struct tcplan_rank_options *options,
                                    stage_fn *stage, struct tcplan_error *error) {
    const uint64_t start_ns = clock_now_ns();
    struct ranker ranker = {.ranking = ranking, .front_count = front_count};
    enum tcplan_status status = ranker_start(&ranker, options, error);
    if (status != TCPLAN_OK) return status;
    const struct session session = session_begin(ranker.options.threads);
    ranking->gemm_gflops = blas_gemm_gflops(ranking->problem.dtype);
    status = stage(&ranker, error);
    thesis_free(&ranker.thesis);
    session_end(&session);
    ranker_sort(ranking);
    ranking->planning_seconds = (double)(clock_now_ns() - start_ns) * 1e-9;
    return status;
}

/** Gives the ranking out, or frees it where something failed. */
static enum tcplan_status hand_out(struct tcplan_ranking **out, struct tcplan_ranking *ranking, enum tcplan_status status) {
    if (status == TCPLAN_OK) {
        *out = ranking;
    } else {
        tcplan_ranking_free(ranking);
    }
    return status;
}

static int compare_ordinals(const void *a, const void *b) {
    const struct tcplan_entry *x = a;
    const struct tcplan_entry *y = b;
    return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

static void forget_prediction(struct tcplan_entry *entry) {
    entry->status = TCPLAN_ENTRY_PRUNED;
    entry->predicted = false;
    base_free(entry->benchmark);
    entry->benchmark = NULL;
    entry->benchmark_count = 0;
}

enum tcplan_status tcplan_ranking_predict(struct tcplan_ranking *ranking, const struct tcplan_rank_options *options,
                                          struct tcplan_error *error) {
    qsort(ranking->entry, ranking->entry_count, sizeof *ranking->entry, compare_ordinals);
    for (size_t e = 0; e < ranking->entry_count; e++) forget_prediction(&ranking->entry[e]);
    return run_stage(ranking, ranking->entry_count, options, ranker_search, error);
}

enum tcplan_status tcplan_rank(struct tcplan_ranking **out, const struct tcplan_problem *problem, const struct tcplan_rank_options *options,
                               struct tcplan_error *error) {
    struct tcplan_ranking *ranking = NULL;
    enum tcplan_status status = list_entries(&ranking, problem, error);
    if (status != TCPLAN_OK) return status;
    assert(ranking);
    return hand_out(out, ranking, run_stage(ranking, ranking->entry_count, options, ranker_search, error));
}

/** The pruned entry with the smallest bound, where that might belong among the first `front_count`; NULL otherwise. */
static struct tcplan_entry *next_of_front(struct ranker *ranker) {
    struct tcplan_ranking *ranking = ranker->ranking;
    size_t predicted = 0;
    while (predicted < ranking->entry_count && ranking->entry[predicted].predicted) predicted++;
    if (predicted == ranking->entry_count || ranking->entry[predicted].status != TCPLAN_ENTRY_PRUNED) return NULL;
    const bool certain = predicted >= ranker->front_count && ranker->front_count > 0 &&
                         ranking->entry[predicted].lower_bound_seconds > ranking->entry[ranker->front_count - 1].prediction.seconds;
    return certain ? NULL : &ranking->entry[predicted];
}

static enum tcplan_status predict_front(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_entry *entry;
    while ((entry = next_of_front(ranker))) {
        enum tcplan_status status = ranker_predict(ranker, entry, error);
        if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) return status;
        ranker_sort(ranker->ranking);
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_ranking_predict_front(struct tcplan_ranking *ranking, size_t count, const struct tcplan_rank_options *options,
                                                struct tcplan_error *error) {
    const double planning_seconds = ranking->planning_seconds;
    enum tcplan_status status =
        run_stage(ranking, count < ranking->entry_count ? count : ranking->entry_count, options, predict_front, error);
    ranking->planning_seconds += planning_seconds;
    return status;
}

static enum tcplan_status predict_only_entry(struct ranker *ranker, struct tcplan_error *error) {
    return ranker_predict(ranker, &ranker->ranking->entry[0], error);
}

enum tcplan_status tcplan_rank_one(struct tcplan_ranking **out, const struct tcplan_problem *problem,
                                   const struct tcplan_algorithm *algorithm, const struct tcplan_rank_options *options,
                                   struct tcplan_error *error) {
    struct tcplan_ranking *ranking = new_ranking(problem, 1);
    if (!ranking) return error_no_memory(error);
    ranking->entry[ranking->entry_count++] = (struct tcplan_entry){.algorithm = *algorithm, .status = TCPLAN_ENTRY_PRUNED};
    return hand_out(out, ranking, run_stage(ranking, 1, options, predict_only_entry, error));
}
