#include <math.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/provider.h"
#include "gen/lower/blas_call.h"
#include "gen/providers/provider.h"
#include "gen/space/baseline.h"
#include "gen/space/structures.h"
#include "microbench/providers/emitted.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/clock.h"
#include "plan/candidates.h"
#include "plan/search/search.h"
#include "plan/variant.h"

enum { VARIED = 4 };

/* What is this much slower than the fastest is not tried with other providers' kernels. */
#define VARIED_FACTOR 1.5

/* What a kernel of loops takes that nobody compiled is a guess: of small products it was up to 2.8
 * times what it took. */
#define GUESSED_FACTOR 3.0

/* Estimates of the whole product and of its slices were 15 % off each other's times at most (the
 * intensli cases on a Zen 3); slices were a sixth faster. */
#define ABOUT_AS_FAST 1.1

/**
 * The same algorithm with every other provider's kernel; what only some kernels can, to write the
 * result past the caches, is left to the next but these. Those that can are looked at in both ways.
 */
static enum tcplan_status look_at_providers(struct search *search,
                                            struct tcplan_algorithm algorithm,
                                            struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    struct tcplan_algorithm other;
    const bool streams =
        algorithm.copy[TCPLAN_C].streamed && !algorithm_copies(&algorithm, TCPLAN_C);
    for (int p = 0;
         p < TCPLAN_PROVIDERS && status == TCPLAN_OK && !deadline_is_over(search->looking); p++) {
        algorithm.provider = (enum tcplan_provider)p;
        algorithm.tile = (struct tcplan_register_tile){0};
        if (streams)
            algorithm.copy[TCPLAN_C].streamed = provider_traits_of(algorithm.provider)->streams;
        if (!provider_is_searched(algorithm.provider, &search->ranker->maker) ||
            !search_may_compile(search, &algorithm, 0))
            continue;
        status = search_look_at(search, &algorithm, error);
        if (status != TCPLAN_OK || !variant_streamed(&other, &search->ranker->ranking->problem,
                                                     &search->ranker->machine, &algorithm))
            continue;
        if (search_may_compile(search, &other, 0)) status = search_look_at(search, &other, error);
    }
    return status;
}

/**
 * The fastest, where its kernel is written for the call, with other tiles in registers: those that
 * a count of instructions takes for about as good, as long as a compiler may have time for them.
 */
static enum tcplan_status look_at_tiles(struct search *search, struct tcplan_error *error) {
    const struct tcplan_ranking *ranking = search->ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    struct blas_call call;
    double calls;
    ranker_sort(search->ranker->ranking);
    if (ranking->entry_count == 0 || !ranking->entry[0].predicted) return TCPLAN_OK;
    struct tcplan_algorithm algorithm = ranking->entry[0].algorithm;
    if (!provider_traits_of(algorithm.provider)->is_compiled ||
        algorithm_tile_number(algorithm.tile) != 0)
        return TCPLAN_OK;
    if (blas_call_of(&call, &calls, &ranking->problem, &algorithm, NULL) != TCPLAN_OK)
        return TCPLAN_OK;
    const struct emitted_tiles tiles = emitted_tiles_of(&call, ranking->problem.dtype);
    for (int t = 0; t < tiles.count && status == TCPLAN_OK && !deadline_is_over(search->looking);
         t++) {
        algorithm.tile = tiles.tile[t];
        if (search_may_compile(search, &algorithm, 0))
            status = search_look_at(search, &algorithm, error);
    }
    return status;
}

/**
 * The whole product as loops of one kernel, which has to be compiled; that it is guessed to be
 * slower does not exclude it. With a copy of a small factor first, as a compiler may have time for
 * one.
 */
static enum tcplan_status look_at_loops(struct search *search, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    struct tcplan_algorithm loops, copied;
    struct tcplan_entry *entry = NULL;
    struct blas_call call;
    double calls;
    if (!structures_loops(&loops, problem->contraction) ||
        blas_call_of(&call, &calls, problem, &loops, NULL) != TCPLAN_OK)
        return TCPLAN_OK;
    if (!blas_call_provider_applies(&call, problem->dtype, loops.provider) ||
        !provider_is_searched(loops.provider, &search->ranker->maker))
        return TCPLAN_OK;
    enum tcplan_status status = structures_loops_copied(&copied, problem)
                                    ? look_at_providers(search, copied, error)
                                    : TCPLAN_OK;
    if (status == TCPLAN_OK) status = search_entry_of(&entry, search->ranker, &loops, error);
    if (status != TCPLAN_OK || !entry || entry->status != TCPLAN_ENTRY_OPEN ||
        deadline_is_over(search->looking))
        return status;
    const double factor = entry->kernel_source == TCPLAN_TIME_TIMED ? BOUND_MARGIN : GUESSED_FACTOR;
    const bool is_hopeless =
        ranker_prunes(search->ranker) && entry->lower_bound_seconds > factor * search->best_seconds;
    return !is_hopeless && search_may_compile(search, &loops, 0) ? search_look(search, entry, error)
                                                                 : TCPLAN_OK;
}

/** The fastest that was looked at, with its result copied otherwise, its temporaries padded, its
 * loops one thread's. */
static enum tcplan_status look_at_variants(struct search *search,
                                           const struct tcplan_algorithm *algorithm,
                                           struct tcplan_error *error) {
    const struct ranker *ranker = search->ranker;
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct tcplan_algorithm other[3];
    const bool has_other[3] = {variant_of_result(&other[0], problem, &ranker->machine, algorithm),
                               variant_padded(&other[1], problem, &ranker->machine, algorithm),
                               variant_unshared(&other[2], problem->contraction, algorithm)};
    enum tcplan_status status = TCPLAN_OK;
    for (int v = 0; v < 3 && status == TCPLAN_OK; v++) {
        if (has_other[v] && !deadline_is_over(search->looking))
            status = search_look_at(search, &other[v], error);
    }
    return status;
}

/** What is estimated of an algorithm; INFINITY: it cannot run. */
static enum tcplan_status estimate_of(double *seconds, struct ranker *ranker,
                                      const struct tcplan_algorithm *algorithm,
                                      struct tcplan_error *error) {
    struct tcplan_entry candidate = candidate_of(algorithm, 0);
    const bool can_run = search_can_run(&ranker->ranking->problem, algorithm);
    const enum tcplan_status status =
        can_run ? candidate_rate(ranker, &candidate, error) : TCPLAN_NOT_APPLICABLE;
    *seconds = status == TCPLAN_OK ? candidate.estimate_seconds : INFINITY;
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

/** The whole product in slices, a loop over the index for which least is estimated, where that is
 * about what is estimated of the whole. */
static enum tcplan_status look_at_slices(struct search *search,
                                         const struct tcplan_algorithm *whole,
                                         struct tcplan_error *error) {
    struct ranker *ranker = search->ranker;
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    struct tcplan_algorithm sliced, best;
    double seconds, least_seconds = INFINITY, whole_seconds = INFINITY;
    enum tcplan_status status = estimate_of(&whole_seconds, ranker, whole, error);
    for (int i = 0; i < problem->contraction->index_count && status == TCPLAN_OK; i++) {
        if (!baseline_sliced(&sliced, problem, whole->provider, i)) continue;
        status = estimate_of(&seconds, ranker, &sliced, error);
        if (seconds >= least_seconds) continue;
        least_seconds = seconds;
        best = sliced;
    }
    if (status != TCPLAN_OK || isinf(least_seconds) ||
        least_seconds > ABOUT_AS_FAST * whole_seconds)
        return status;
    return search_may_compile(search, &best, 0) ? search_look_at(search, &best, error) : TCPLAN_OK;
}

/**
 * The product as a whole by kernels that take all operands as they lie, in slices or shared by
 * threads, and as it is: none of the fastest may show what they can.
 */
static enum tcplan_status look_at_whole(struct search *search, struct tcplan_error *error) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    const int threads = search->ranker->options.threads;
    enum tcplan_status status = TCPLAN_OK;
    for (int p = 0;
         p < TCPLAN_PROVIDERS && status == TCPLAN_OK && !deadline_is_over(search->looking); p++) {
        const enum tcplan_provider provider = (enum tcplan_provider)p;
        struct tcplan_algorithm whole, shared;
        if (!provider_is_searched(provider, &search->ranker->maker) ||
            !baseline_in_place(&whole, problem, provider))
            continue;
        if (threads == 1) status = look_at_slices(search, &whole, error);
        const bool is_shared = baseline_shared(&shared, problem, provider, threads) &&
                               search_may_compile(search, &shared, 0);
        if (is_shared) status = search_look_at(search, &shared, error);
        if (status == TCPLAN_OK && search_may_compile(search, &whole, 0))
            status = search_look_at(search, &whole, error);
    }
    return status;
}

enum tcplan_status search_vary(struct search *search, struct tcplan_error *error) {
    const struct tcplan_ranking *ranking = search->ranker->ranking;
    enum tcplan_status status = TCPLAN_OK;
    struct tcplan_algorithm fastest[VARIED];
    size_t count = 0;
    const uint64_t start_ns = clock_thread_cpu_ns();
    ranker_enter(search->ranker, TCPLAN_PLANNING_PROVIDERS);
    ranker_sort(search->ranker->ranking);
    for (; count < VARIED && count < ranking->entry_count && ranking->entry[count].predicted;
         count++) {
        if (ranking->entry[count].prediction.seconds >
            VARIED_FACTOR * ranking->entry[0].prediction.seconds)
            break;
        fastest[count] = ranking->entry[count].algorithm;
    }
    if (count > 0) status = look_at_variants(search, &fastest[0], error);
    if (count > 0 && status == TCPLAN_OK)
        status = look_at_loops(search, error); /* a compiler may have time for one kernel */
    if (count > 0 && status == TCPLAN_OK) status = look_at_whole(search, error);
    for (size_t f = 0; f < count && status == TCPLAN_OK && !deadline_is_over(search->looking);
         f++) {
        if (f > 0 && search_is_over(search, search->ranker->effort.varying, start_ns)) break;
        status = look_at_providers(search, fastest[f], error);
    }
    return status == TCPLAN_OK && count > 0 ? look_at_tiles(search, error) : status;
}
