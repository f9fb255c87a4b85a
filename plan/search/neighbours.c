/**
 * Candidates that differ from a promising one in one choice: another provider's kernel, more or
 * fewer threads, the result written with or without non-temporal stores, padded temporaries, an
 * unshared loop, another register tile. In addition, algorithms that belong to no structure: the
 * whole product in one kernel.
 *
 * A neighbour is a candidate like any other. Proposing one times nothing; its expected improvement
 * (plan/learn/surrogate.h) decides whether it is evaluated.
 */
#include "ast/algorithm/algorithm.h"

#include <assert.h>

#include "ast/algorithm/provider.h"
#include "gen/lower/blas_call.h"
#include "gen/providers/provider.h"
#include "gen/space/baseline.h"
#include "gen/space/whole.h"
#include "microbench/providers/emitted.h"
#include "microbench/providers/providers.h"
#include "plan/candidates.h"
#include "plan/search/search.h"
#include "plan/thread_counts.h"
#include "plan/variant.h"

/** Adds an algorithm as a candidate, unless it is one already, is not applicable, or needs kernels
 * that every process would have to compile because they are not stored. */
static enum tcplan_status propose(const struct search *search,
                                  const struct tcplan_algorithm *algorithm, int threads,
                                  struct tcplan_error *error) {
    struct tcplan_entry *entry;
    return maker_keeps(&search->ranker->maker) ||
                   !provider_needs_compiler(&search->ranker->ranking->problem, algorithm)
               ? search_entry_of(&entry, search->ranker, algorithm, threads, error)
               : TCPLAN_OK;
}

/** Proposes the same algorithm with every provider's kernel, both with and without non-temporal
 * stores of the result if the provider supports them. */
static enum tcplan_status propose_providers(const struct search *search,
                                            struct tcplan_algorithm algorithm, int threads,
                                            struct tcplan_error *error) {
    const struct ranker *ranker = search->ranker;
    enum tcplan_status status = TCPLAN_OK;
    const enum tcplan_provider own = algorithm.provider;
    const bool streams =
        algorithm.copy[TCPLAN_C].streamed && !algorithm_copies(&algorithm, TCPLAN_C);
    for (int p = 0; p < TCPLAN_PROVIDERS && status == TCPLAN_OK; p++) {
        struct tcplan_algorithm streamed;
        algorithm.provider = (enum tcplan_provider)p;
        if (algorithm.provider != own) algorithm.tile = (struct tcplan_register_tile){0};
        if (streams)
            algorithm.copy[TCPLAN_C].streamed = provider_traits_of(algorithm.provider)->streams;
        status = propose(search, &algorithm, threads, error);
        if (status == TCPLAN_OK &&
            variant_streamed(&streamed, &ranker->ranking->problem, &ranker->machine, &algorithm))
            status = propose(search, &streamed, threads, error);
    }
    return status;
}

/** Proposes other register tiles that an instruction count rates about as good, if the kernel is
 * compiled for the call. */
static enum tcplan_status propose_tiles(const struct search *search,
                                        struct tcplan_algorithm algorithm, int threads,
                                        struct tcplan_error *error) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    enum tcplan_status status = TCPLAN_OK;
    struct blas_call call;
    double calls;
    if (!provider_traits_of(algorithm.provider)->is_compiled ||
        algorithm_tile_number(algorithm.tile) != 0 ||
        blas_call_of(&call, &calls, problem, &algorithm, NULL) != TCPLAN_OK)
        return TCPLAN_OK;
    const struct emitted_tiles tiles = emitted_tiles_of(&call, problem->dtype);
    for (int t = 0; t < tiles.count && status == TCPLAN_OK; t++) {
        algorithm.tile = tiles.tile[t];
        status = propose(search, &algorithm, threads, error);
    }
    return status;
}

/** Proposes the same algorithm with the next smaller and the next larger number of threads. */
static enum tcplan_status propose_thread_counts(const struct search *search,
                                                const struct tcplan_algorithm *algorithm,
                                                int threads, struct tcplan_error *error) {
    int size[THREAD_COUNTS];
    enum tcplan_status status = TCPLAN_OK;
    const int count = thread_counts(size, &search->ranker->options);
    for (int s = 0; s < count; s++) {
        assert(s == 0 || size[s - 1] < size[s]);
        const bool is_next =
            (s > 0 && size[s - 1] == threads) || (s + 1 < count && size[s + 1] == threads);
        const bool is_shared = algorithm->parallel >= 0;
        if (status == TCPLAN_OK && is_next && !(is_shared && size[s] == 1))
            status = propose(search, algorithm, size[s], error);
    }
    return status;
}

enum tcplan_status search_propose_neighbours(const struct search *search,
                                             const struct tcplan_entry *entry,
                                             struct tcplan_error *error) {
    const struct ranker *ranker = search->ranker;
    const struct tcplan_problem *problem = &ranker->ranking->problem;
    const struct tcplan_algorithm own =
        entry->algorithm; /* a copy, because entries may move when others are added */
    const int threads = entry->threads;
    enum { VARIANTS = 3 };
    struct tcplan_algorithm other[VARIANTS];
    const bool has_other[VARIANTS] = {variant_of_result(&other[0], problem, &ranker->machine, &own),
                                      variant_padded(&other[1], problem, &ranker->machine, &own),
                                      variant_unshared(&other[2], problem->contraction, &own)};
    enum tcplan_status status = propose_providers(search, own, threads, error);
    for (int v = 0; v < VARIANTS && status == TCPLAN_OK; v++) {
        if (has_other[v]) status = propose(search, &other[v], threads, error);
    }
    if (status == TCPLAN_OK) status = propose_thread_counts(search, &own, threads, error);
    return status == TCPLAN_OK ? propose_tiles(search, own, threads, error) : status;
}

/** Proposes the product by one kernel that accepts all strides: as one call, with its loops shared
 * by threads, and in slices of each index. */
static enum tcplan_status propose_in_place(const struct search *search,
                                           enum tcplan_provider provider, int threads,
                                           struct tcplan_error *error) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    struct tcplan_algorithm algorithm;
    if (!baseline_in_place(&algorithm, problem, provider)) return TCPLAN_OK;
    enum tcplan_status status = propose(search, &algorithm, threads, error);
    if (status == TCPLAN_OK && baseline_shared(&algorithm, problem, provider, threads))
        status = propose(search, &algorithm, threads, error);
    for (int i = 0; i < problem->contraction->index_count && threads == 1; i++) {
        if (status == TCPLAN_OK && baseline_sliced(&algorithm, problem, provider, i))
            status = propose(search, &algorithm, threads, error);
    }
    return status;
}

/** Proposes algorithms that compute the whole product at once, with this number of threads. */
static enum tcplan_status propose_whole(const struct search *search, int threads,
                                        struct tcplan_error *error) {
    const struct tcplan_problem *problem = &search->ranker->ranking->problem;
    struct tcplan_algorithm loops, shared;
    enum tcplan_status status = TCPLAN_OK;
    const bool has_loops = whole_loops(&loops, problem->contraction);
    if (has_loops) status = propose(search, &loops, threads, error);
    if (has_loops && status == TCPLAN_OK && threads > 1 &&
        whole_in_parts(&shared, &loops, problem, threads))
        status = propose_providers(search, shared, threads, error);
    if (status == TCPLAN_OK && whole_loops_copied(&loops, problem))
        status = propose_providers(search, loops, threads, error);
    for (int p = 0; p < TCPLAN_PROVIDERS && status == TCPLAN_OK; p++)
        status = propose_in_place(search, (enum tcplan_provider)p, threads, error);
    return status;
}

enum tcplan_status search_propose_whole(const struct search *search, struct tcplan_error *error) {
    int threads[2];
    enum tcplan_status status = TCPLAN_OK;
    const int count = thread_counts_generated(threads, &search->ranker->options, NULL);
    for (int t = 0; t < count && status == TCPLAN_OK; t++)
        status = propose_whole(search, threads[t], error);
    return status;
}
