#include "tcplan/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "cachesim/arrangement.h"
#include "gen/provider.h"
#include "microbench/share.h"
#include "plan/candidates.h"

enum { ARRANGEMENTS = 3, FIRST_CAPACITY = 256 };

/** A list in the making. */
struct collection {
    const struct tcplan_problem *problem;
    struct tcplan_machine machine;
    int64_t max_workspace_bytes;
    int threads;
    struct arranger *arranger;
    struct tcplan_candidate_list *list;
    size_t capacity;
    double best_seconds; /**< without arithmetic */
    struct deadline deadline;
    enum tcplan_status status;
    struct tcplan_error *error;
};

/** What calls, copies and misses alone may take. */
static double limit_seconds(const struct collection *collection) {
    const double kernel_seconds = collection->problem->product_flops / (TCPLAN_CANDIDATE_GFLOPS * 1e9);
    return TCPLAN_CANDIDATE_FACTOR * (collection->best_seconds + kernel_seconds);
}

static bool append(struct collection *collection, const struct tcplan_candidate *candidate) {
    struct tcplan_candidate_list *list = collection->list;
    if (list->count == collection->capacity) {
        const size_t capacity = collection->capacity > 0 ? 2 * collection->capacity : FIRST_CAPACITY;
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

/** Whether the temporaries of an algorithm fit; false with a status where that cannot be found out. */
static bool fits_workspace(struct collection *collection, const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest;
    if (collection->max_workspace_bytes == 0) return true;
    collection->status = tcplan_nest_build(&nest, collection->problem->contraction, algorithm, collection->error);
    if (collection->status != TCPLAN_OK) return false;
    const bool fits = tcplan_nest_workspace_bytes(nest, collection->problem, collection->threads) <= collection->max_workspace_bytes;
    tcplan_nest_free(nest);
    collection->list->oversized += !fits;
    return fits;
}

static bool collect(struct collection *collection, struct tcplan_candidate candidate) {
    collection->list->generated++;
    if (!fits_workspace(collection, &candidate.algorithm)) return collection->status == TCPLAN_OK;
    collection->best_seconds = fmin(collection->best_seconds, candidate.seconds);
    if (candidate.seconds > limit_seconds(collection)) {
        collection->list->removed++;
        return true;
    }
    algorithm_canonical(&candidate.algorithm, collection->problem->contraction);
    return append(collection, &candidate);
}

/** Collects an arrangement with one thread around its kernels, where it has no loop that is shared already, and with several. */
static bool collect_both(struct collection *collection, const struct tcplan_algorithm *structure, const struct arrangement *arrangement,
                         double calls) {
    const double call_seconds = calls * TCPLAN_CANDIDATE_CALL_SECONDS;
    struct tcplan_candidate candidate = {
        .algorithm = arrangement->algorithm, .seconds = arrangement->seconds + call_seconds, .calls = saturated_i64(calls)};
    double share;
    if (structure->parallel < 0 && !collect(collection, candidate)) return false;
    if (collection->threads == 1 || !share_is_possible()) return true;
    if (!candidate_share(&candidate.algorithm, &share, collection->problem, structure, collection->threads)) return true;
    candidate.seconds = arrangement->seconds / sqrt(collection->threads) + share * call_seconds;
    return collect(collection, candidate);
}

/** A structures_fn: rates a structure whose provider can make its kernel's call. */
static bool arrange(void *context, const struct tcplan_algorithm *structure) {
    struct collection *collection = context;
    const struct tcplan_problem *problem = collection->problem;
    struct arrangement arrangement[ARRANGEMENTS];
    struct blas_call call;
    double calls;
    const enum tcplan_status status = blas_call_of(&call, &calls, problem, structure, collection->error);
    if (status == TCPLAN_NO_MEMORY) collection->status = status;
    if (status != TCPLAN_OK) return status != TCPLAN_NO_MEMORY;
    if (!blas_call_provider_applies(&call, problem->dtype, call.provider)) return true;
    const int count = arrangements_best(collection->arranger, arrangement, ARRANGEMENTS, problem, &collection->machine, structure);
    bool more = true;
    for (int a = 0; a < count && more; a++) more = collect_both(collection, structure, &arrangement[a], calls);
    return more && !deadline_is_over(collection->deadline);
}

static int compare_seconds(const void *a, const void *b) {
    const struct tcplan_candidate *x = a;
    const struct tcplan_candidate *y = b;
    if (x->seconds != y->seconds) return x->seconds < y->seconds ? -1 : 1;
    return x->calls < y->calls ? -1 : x->calls > y->calls;
}

/** Equal algorithms stand together, the one that the model takes for fastest first. */
static int compare_algorithms(const void *a, const void *b) {
    const struct tcplan_candidate *x = a;
    const struct tcplan_candidate *y = b;
    return algorithm_compare(&x->algorithm, &y->algorithm);
}

static int compare_algorithms_then_seconds(const void *a, const void *b) {
    const int algorithms = compare_algorithms(a, b);
    return algorithms ? algorithms : compare_seconds(a, b);
}

/** Several structures may become one algorithm when threads share a loop. */
static void drop_repeated(struct tcplan_candidate_list *list) {
    size_t kept = 0;
    if (list->count > 0) qsort(list->candidate, list->count, sizeof *list->candidate, compare_algorithms_then_seconds);
    for (size_t c = 0; c < list->count; c++) {
        if (kept > 0 && compare_algorithms(&list->candidate[kept - 1], &list->candidate[c]) == 0) continue;
        list->candidate[kept++] = list->candidate[c];
    }
    list->generated -= (double)(list->count - kept);
    list->count = kept;
}

/** Sorts, and removes what the best candidate, known only now, excludes. */
static void settle(struct collection *collection) {
    struct tcplan_candidate_list *list = collection->list;
    drop_repeated(list);
    if (list->count > 0) qsort(list->candidate, list->count, sizeof *list->candidate, compare_seconds);
    while (list->count > 0 && list->candidate[list->count - 1].seconds > limit_seconds(collection)) {
        list->count--;
        list->removed++;
    }
}

enum tcplan_status tcplan_candidates_list(struct tcplan_candidate_list **out, const struct tcplan_problem *problem,
                                          const struct tcplan_rank_options *options, struct tcplan_error *error) {
    struct collection collection = {.problem = problem, .best_seconds = INFINITY, .error = error};
    collection.max_workspace_bytes = options ? options->max_workspace_bytes : 0;
    collection.threads = options ? options->threads : 1;
    if (options && options->machine) {
        collection.machine = *options->machine;
    } else {
        enum tcplan_status status = tcplan_machine_load(&collection.machine, "live", error);
        if (status != TCPLAN_OK) return status;
    }
    struct structures_options structures = candidate_structures(problem, &collection.machine, collection.threads);
    structures.deadline = deadline_in(options ? options->time_limit_seconds : 0);
    collection.deadline = structures.deadline;
    collection.arranger = arranger_new(structures.deadline);
    collection.list = base_alloc(sizeof *collection.list);
    if (collection.list) *collection.list = (struct tcplan_candidate_list){0};
    if (!collection.arranger || !collection.list) collection.status = error_no_memory(error);
    if (collection.status == TCPLAN_OK && !tcplan_problem_only_scales(problem)) structures_visit(&structures, arrange, &collection);
    arranger_free(collection.arranger);
    if (collection.list) collection.list->out_of_time = deadline_is_over(structures.deadline);
    if (collection.status == TCPLAN_OK && collection.list) {
        settle(&collection);
        *out = collection.list;
    } else {
        tcplan_candidate_list_free(collection.list);
    }
    return collection.status;
}

void tcplan_candidate_list_free(struct tcplan_candidate_list *list) {
    if (!list) return;
    base_free(list->candidate);
    base_free(list);
}
