#include "base/units.h"
#include "tcplan/candidates.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "plan/generate.h"
#include "plan/options.h"
#include "plan/temporaries.h"

enum { FIRST_CAPACITY = 256, BEAM_WIDTH = 6 };

/** State of collecting candidates. */
struct collection {
    const struct tcplan_problem *problem;
    struct tcplan_machine machine;
    const struct tcplan_rank_options *options; /* options; NULL: the defaults */
    int threads;
    struct tcplan_candidate_list *list;
    size_t capacity;
    double best_seconds; /**< lowest time of a candidate without its arithmetic, in seconds */
    enum tcplan_status status;
    struct tcplan_error *error;
};

/** Returns the longest time, without arithmetic, of a candidate that is listed. */
static double limit_seconds(const struct collection *collection) {
    const double kernel_seconds =
        collection->problem->product_flops / (TCPLAN_CANDIDATE_GFLOPS * 1e9);
    return TCPLAN_CANDIDATE_FACTOR * (collection->best_seconds + kernel_seconds);
}

static bool append(struct collection *collection, const struct tcplan_candidate *candidate) {
    struct tcplan_candidate_list *list = collection->list;
    if (list->count == collection->capacity) {
        const size_t capacity =
            collection->capacity > 0 ? 2 * collection->capacity : FIRST_CAPACITY;
        struct tcplan_candidate *grown = base_realloc(list->candidate, capacity * sizeof *grown);
        if (!grown) {
            collection->status = error_no_memory(collection->error);
            return false;
        }
        list->candidate = grown;
        collection->capacity = capacity;
    }
    list->candidate[list->count++] = *candidate;
    return true;
}

/** Returns whether the temporaries of an algorithm fit in the limit; counts it if not. On other
 * errors, returns false and stores the status. */
static bool fits_workspace(struct collection *collection,
                           const struct tcplan_algorithm *algorithm) {
    const enum tcplan_status status =
        temporaries_check(collection->problem, algorithm, collection->options, collection->error);
    if (status != TCPLAN_INVALID) collection->status = status;
    collection->list->oversized += status == TCPLAN_INVALID;
    return status == TCPLAN_OK;
}

static bool collect(void *context, const struct generated *generated) {
    struct collection *collection = context;
    const struct tcplan_candidate candidate = {.algorithm = generated->algorithm,
                                               .seconds = generated->estimate.seconds,
                                               .calls = saturated_i64(generated->calls)};
    collection->list->generated++;
    if (!fits_workspace(collection, &candidate.algorithm)) return collection->status == TCPLAN_OK;
    assert(candidate.seconds >= 0); /* needed for sorting: no NaN */
    collection->best_seconds = fmin(collection->best_seconds, candidate.seconds);
    if (candidate.seconds <= limit_seconds(collection)) return append(collection, &candidate);
    collection->list->removed++;
    return true;
}

static struct call_time nominal_call_time(void *context, const struct blas_call *call, int threads,
                                          double doubtful_ns) {
    (void)context;
    (void)call;
    (void)threads;
    (void)doubtful_ns;
    const double ns = TCPLAN_CANDIDATE_CALL_SECONDS * NS_PER_SECOND;
    return (struct call_time){.ns = ns, .low_ns = ns, .high_ns = ns, .source = TCPLAN_TIME_NOMINAL};
}

static double any_seconds(void *context) {
    (void)context;
    return INFINITY;
}

static int compare_seconds(const void *a, const void *b) {
    const struct tcplan_candidate *x = a;
    const struct tcplan_candidate *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return x->calls < y->calls ? -1 : x->calls > y->calls;
}

/** Sorts equal algorithms together, the one with the lowest estimate first. */
static int compare_algorithms(const void *a, const void *b) {
    const struct tcplan_candidate *x = a;
    const struct tcplan_candidate *y = b;
    return algorithm_compare(&x->algorithm, &y->algorithm);
}

static int compare_algorithms_then_seconds(const void *a, const void *b) {
    const int algorithms = compare_algorithms(a, b);
    return algorithms ? algorithms : compare_seconds(a, b);
}

/** Removes duplicates: different structures may become one algorithm when threads share a loop. */
static void drop_repeated(struct tcplan_candidate_list *list) {
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->candidate, list->count, sizeof *list->candidate,
              compare_algorithms_then_seconds);
    for (size_t c = 0; c < list->count; c++) {
        if (kept > 0 && compare_algorithms(&list->candidate[kept - 1], &list->candidate[c]) == 0)
            continue;
        list->candidate[kept++] = list->candidate[c];
    }
    list->generated -= (double)(list->count - kept);
    list->count = kept;
    assert(list->generated >= (double)kept);
}

/** Sorts the candidates, and removes those beyond the limit that the best one sets. */
static void settle(struct collection *collection) {
    struct tcplan_candidate_list *list = collection->list;
    drop_repeated(list);
    if (list->count > 0)
        qsort(list->candidate, list->count, sizeof *list->candidate, compare_seconds);
    while (list->count > 0 &&
           list->candidate[list->count - 1].seconds > limit_seconds(collection)) {
        list->count--;
        list->removed++;
    }
}

static enum tcplan_status fill(struct collection *collection) {
    const struct tcplan_rank_options *options = collection->options;
    const bool keeps_code = options && options->code && options->code->folder;
    const struct generator generator = {.problem = collection->problem,
                                        .machine = &collection->machine,
                                        .threads = collection->threads,
                                        .fuses = true,
                                        .beam_width = BEAM_WIDTH,
                                        .streams = keeps_code,
                                        .compiles = keeps_code,
                                        .deadline =
                                            deadline_in(options ? options->time_limit_seconds : 0),
                                        .context = collection,
                                        .call_time = nominal_call_time,
                                        .best_seconds = any_seconds,
                                        .take = collect};
    if (tcplan_problem_only_scales(collection->problem)) return TCPLAN_OK;
    const enum tcplan_status status = generate_arrangements(&generator, collection->error);
    collection->list->out_of_time = deadline_is_over(generator.deadline);
    if (status == TCPLAN_OK && collection->status == TCPLAN_OK) settle(collection);
    return status == TCPLAN_OK ? collection->status : status;
}

enum tcplan_status tcplan_candidates_list(struct tcplan_candidate_list **out,
                                          const struct tcplan_problem *problem,
                                          const struct tcplan_rank_options *options,
                                          struct tcplan_error *error) {
    struct collection collection = {
        .problem = problem, .options = options, .best_seconds = INFINITY, .error = error};
    collection.threads = options ? options->threads : 1;
    enum tcplan_status status = options ? rank_options_check(options, error) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    if (options && options->machine) {
        collection.machine = *options->machine;
    } else {
        status = tcplan_machine_load(&collection.machine, "live", error);
    }
    if (status != TCPLAN_OK) return status;
    collection.list = base_alloc(sizeof *collection.list);
    if (!collection.list) return error_no_memory(error);
    *collection.list = (struct tcplan_candidate_list){0};
    status = fill(&collection);
    if (status == TCPLAN_OK) {
        *out = collection.list;
    } else {
        tcplan_candidate_list_free(collection.list);
    }
    return status;
}

void tcplan_candidate_list_free(struct tcplan_candidate_list *list) {
    if (!list) return;
    base_free(list->candidate);
    base_free(list);
}
