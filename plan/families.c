#include "plan/families.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "ast/contraction.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/enumerate.h"
#include "microbench/repeated.h"
#include "plan/kernel_times.h"
#include "plan/known.h"
#include "plan/trial.h"

static double orders_of(const struct tcplan_algorithm *algorithm) {
    double orders = 1;
    for (int l = 2; l <= algorithm->loop_count; l++) orders *= l;
    return orders;
}

static int count_families(const struct tcplan_contraction *contraction) {
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm first;
    int count = 0;
    tcplan_enumerator_init(&enumerator, contraction);
    while (enumerator_next_family(&enumerator, &first)) count++;
    return count;
}

/** Whether the temporaries of a family, which are the same for every order of its loops, fit a bound that is not 0. */
static enum tcplan_status fits_workspace(bool *fits, const struct tcplan_ranking *ranking, const struct tcplan_algorithm *first,
                                         int64_t max_workspace_bytes, struct tcplan_error *error) {
    struct tcplan_nest *nest;
    *fits = true;
    if (max_workspace_bytes == 0) return TCPLAN_OK;
    enum tcplan_status status = tcplan_nest_build(&nest, ranking->problem.contraction, first, error);
    if (status != TCPLAN_OK) return status;
    *fits = tcplan_nest_workspace_bytes(nest, &ranking->problem, 1) <= max_workspace_bytes;
    tcplan_nest_free(nest);
    return TCPLAN_OK;
}

enum tcplan_status families_list(struct tcplan_ranking *ranking, int64_t max_workspace_bytes, struct tcplan_error *error) {
    const int count = count_families(ranking->problem.contraction);
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm first;
    ranking->family = base_alloc((size_t)count * sizeof *ranking->family);
    if (!ranking->family) return error_no_memory(error);
    tcplan_enumerator_init(&enumerator, ranking->problem.contraction);
    while (enumerator_next_family(&enumerator, &first)) {
        bool fits;
        enum tcplan_status status = fits_workspace(&fits, ranking, &first, max_workspace_bytes, error);
        if (status != TCPLAN_OK) return status;
        if (!fits) {
            ranking->oversized_count += orders_of(&first);
            continue;
        }
        struct tcplan_family *family = &ranking->family[ranking->family_count++];
        *family = (struct tcplan_family){.kernel = first.kernel, .algorithms = orders_of(&first)};
        memcpy(family->group, first.group, sizeof family->group);
        ranking->algorithm_count += family->algorithms;
    }
    return TCPLAN_OK;
}

struct tcplan_algorithm family_first(const struct tcplan_ranking *ranking, const struct tcplan_family *family) {
    struct tcplan_algorithm first = tcplan_algorithm_empty();
    first.kernel = family->kernel;
    memcpy(first.group, family->group, sizeof first.group);
    uint64_t rest = contraction_run(ranking->problem.contraction) & ~algorithm_kernel_indices(&first);
    for (; rest; rest &= rest - 1) first.loop[first.loop_count++] = (uint8_t)indexset_first(rest);
    algorithm_apply_rules(&first, ranking->problem.contraction);
    return first;
}

/** Nanoseconds of a kernel call in place, from the store where that knows it. */
static enum tcplan_status call_time(struct ranker *ranker, struct window *window, double *call_ns, struct tcplan_error *error) {
    const struct kernel_key key =
        kernel_key_of(&window->program->kernel->kernel.call, ranker->ranking->problem.dtype, ranker->options.threads);
    const double calls = (double)window->program->calls * window->scale;
    double ns;
    *call_ns = kernel_times_find(ranker->kernel_times, &key);
    if (*call_ns >= 0) return TCPLAN_OK;
    enum tcplan_status status = repeated_bound(window, &ns, error);
    if (status != TCPLAN_OK) return status;
    *call_ns = ns / calls;
    return kernel_times_add(ranker->kernel_times, &key, *call_ns, error);
}

/** Times the family's kernel in place. A first algorithm that does not apply leaves the bound at 0. */
static enum tcplan_status bound(struct ranker *ranker, struct tcplan_family *family, struct tcplan_error *error) {
    struct tcplan_entry entry = {.algorithm = family_first(ranker->ranking, family)};
    struct trial trial;
    const struct known known = known_of_order(ranker, family, &entry.algorithm);
    if (!known_has_time(&known, ranker)) return TCPLAN_OK; /* timing a bound is about as long as a look */
    enum tcplan_status status = trial_bind(&trial, ranker, &entry, error);
    if (status == TCPLAN_NOT_APPLICABLE) return TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    double call_ns;
    status = call_time(ranker, &trial.window, &call_ns, error);
    if (status == TCPLAN_OK) family->lower_bound_seconds = call_ns * (double)trial.window.program->calls * trial.window.scale * 1e-9;
    trial_end(&trial, ranker);
    return status;
}

enum tcplan_status families_bound(struct ranker *ranker, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    /* The enumeration ends with the kernels that do most in a call. */
    for (int f = ranking->family_count - 1; f >= 0 && status == TCPLAN_OK && !ranker_is_late(ranker); f--) {
        ranker_report(ranker, "timing kernels", ranking->family_count - 1 - f, ranking->family_count);
        status = bound(ranker, &ranking->family[f], error);
    }
    return status;
}

enum tcplan_status family_bound_again(struct ranker *ranker, struct tcplan_family *family, struct tcplan_error *error) {
    const double before_seconds = family->lower_bound_seconds;
    enum tcplan_status status = bound(ranker, family, error);
    if (family->lower_bound_seconds > before_seconds) family->lower_bound_seconds = before_seconds;
    return status;
}

static int compare_bounds(const void *a, const void *b) {
    const struct tcplan_family *x = a;
    const struct tcplan_family *y = b;
    if ((x->lower_bound_seconds > 0) != (y->lower_bound_seconds > 0)) return x->lower_bound_seconds > 0 ? -1 : 1;
    if (x->lower_bound_seconds != y->lower_bound_seconds) return x->lower_bound_seconds < y->lower_bound_seconds ? -1 : 1;
    if (x->kernel != y->kernel) return x->kernel > y->kernel ? -1 : 1;
    return memcmp(x->group, y->group, sizeof x->group);
}

void families_sort(struct tcplan_ranking *ranking) {
    qsort(ranking->family, (size_t)ranking->family_count, sizeof *ranking->family, compare_bounds);
}

/** The number of families where there is none. */
static int find_family(const struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm) {
    int f = 0;
    while (f < ranking->family_count && memcmp(ranking->family[f].group, algorithm->group, sizeof algorithm->group) != 0) f++;
    return f;
}

bool family_is_listed(const struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm) {
    return find_family(ranking, algorithm) < ranking->family_count;
}

int family_of(const struct tcplan_ranking *ranking, const struct tcplan_algorithm *algorithm) {
    const int family = find_family(ranking, algorithm);
    assert(family < ranking->family_count);
    return family;
}
