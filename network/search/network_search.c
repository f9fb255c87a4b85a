#include "tcplan/network_search.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/quantity.h"
#include "network/search/fused.h"
#include "network/search/layouts.h"
#include "network/search/search.h"
#include "network/tree.h"

struct tcplan_network_search_options tcplan_network_search_defaults(void) {
    return (struct tcplan_network_search_options){.objective = TCPLAN_OBJECTIVE_TIME,
                                                  .seed = 1,
                                                  .exact = TCPLAN_SEARCH_EXACT,
                                                  .starts = 64,
                                                  .candidates = 8};
}

/* Slices. */

/** Makes the tree with the best order of each term, even if it exceeds the memory limit. */
static enum tcplan_status make_first(struct tcplan_tree **out, const struct search *search) {
    const size_t terms = (size_t)search->network->term_count;
    const struct order **order =
        base_alloc_zero(terms, sizeof *order); /* NOLINT(bugprone-sizeof-expression):
                                                  an array of pointers */
    if (!order) return error_no_memory(search->error);
    for (size_t t = 0; t < terms; t++) order[t] = &search->pool[t].order[0];
    const enum tcplan_status status = search_make_tree(out, search, order);
    base_free(order);
    return status;
}

/** Chooses the index to slice among the indices of the largest intermediates: the one that adds the
 * fewest operations for each halving of the memory; -1 if there is none. */
static enum tcplan_status choose_slice(int *out, const struct search *search,
                                       const struct tcplan_tree *tree) {
    const struct tcplan_tree_totals now = tcplan_tree_totals(tree);
    double best = INFINITY;
    *out = -1;
    for (int i = 0; i < search->network->index_count && !deadline_is_cancelled(search->deadline);
         i++) {
        bool is_there = false;
        for (int s = 0; s < tree->step_count && !is_there; s++) {
            const struct tcplan_tree_step *step = &tree->step[s];
            for (int d = 0; d < step->rank && !step->last && 2 * step->bytes > now.largest_bytes;
                 d++)
                is_there = is_there || step->dims[d] == i;
        }
        if (!is_there || search->extent[i] < 2 || tree_is_sliced(tree, i)) continue;
        struct tcplan_tree *trial = tcplan_tree_copy(tree);
        if (!trial) return error_no_memory(search->error);
        const enum tcplan_status status = tcplan_tree_slice(trial, i, search->error);
        const struct tcplan_tree_totals then = tcplan_tree_totals(trial);
        tcplan_tree_free(trial);
        if (status != TCPLAN_OK) return status;
        const double freed = log2(fmax(now.peak_bytes, 1) / fmax(then.peak_bytes, 1));
        const double cost =
            freed > 0 ? log2(fmax(then.flops, 1) / fmax(now.flops, 1)) / freed : INFINITY;
        if (!(cost < best)) continue;
        best = cost;
        *out = i;
    }
    return search_outcome(search, true);
}

/** Slices indices until the intermediates fit into the memory. */
static enum tcplan_status slice(struct search *search) {
    const double limit = (double)search->options->max_memory_bytes;
    for (;;) {
        struct tcplan_tree *tree = NULL;
        int index = -1;
        enum tcplan_status status = make_first(&tree, search);
        const double peak = status == TCPLAN_OK ? tcplan_tree_totals(tree).peak_bytes : 0;
        if (status == TCPLAN_OK && limit > 0 && peak > limit && search->network->sum_count == 0)
            status = choose_slice(&index, search, tree);
        tcplan_tree_free(tree);
        if (status != TCPLAN_OK || limit <= 0 || peak <= limit) return status;
        if (index < 0) {
            return error_set(
                search->error, TCPLAN_INVALID,
                "intermediates take at least %s, and no index is left to slice; expected at most "
                "%s",
                quantity_bytes((int64_t)fmin(peak, 9e18)).text,
                quantity_bytes(search->options->max_memory_bytes).text);
        }
        search->sliced[index] = true;
        status = search_terms(search);
        if (status != TCPLAN_OK) return status;
    }
}

/* All. */

static enum tcplan_status search_all(struct tcplan_network_found *out, struct search *search) {
    enum tcplan_status status = search_terms(search);
    if (status == TCPLAN_OK) status = slice(search);
    if (status == TCPLAN_OK) {
        status = search->options->candidates > 0 ? search_estimate_best(out, search)
                                                 : make_first(&out->tree, search);
    }
    if (status == TCPLAN_OK && search->options->candidates > 0 &&
        search->options->objective == TCPLAN_OBJECTIVE_TIME) {
        if (search->options->timing)
            out->timed += fused_time(out->tree, search->options->timing, search->deadline);
        fused_join(out->tree, search->estimates.options.machine, search->estimates.options.threads);
    }
    out->exact = search->exact;
    out->estimated = (int64_t)search->estimates.count;
    return status;
}

enum tcplan_status tcplan_network_search(struct tcplan_network_found *out,
                                         const struct tcplan_network *network,
                                         const int64_t extent[], enum tcplan_dtype dtype,
                                         const struct tcplan_network_search_options *options,
                                         struct tcplan_error *error) {
    const double start = monotonic_seconds();
    struct tcplan_network_search_options defaults = tcplan_network_search_defaults();
    if (options) defaults = *options;
    if (defaults.exact > TCPLAN_SEARCH_EXACT) defaults.exact = TCPLAN_SEARCH_EXACT;
    struct search search = {.network = network,
                            .extent = extent,
                            .dtype = dtype,
                            .options = &defaults,
                            .random = {defaults.seed},
                            .error = error};
    struct tcplan_network_found found = {.tree = NULL};
    enum tcplan_status status = estimates_init(&search.estimates, defaults.rank, false, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_rank_options *rank = &search.estimates.options;
    search.deadline = deadline_or_cancelled(defaults.time_limit_seconds, rank->is_cancelled,
                                            rank->cancel_context);
    search.estimates.deadline = search.deadline;
    search.speeds =
        speeds_of(search.estimates.options.machine, dtype, search.estimates.options.threads);
    search.pool = base_alloc_zero((size_t)network->term_count, sizeof *search.pool);
    search.sliced = base_alloc_zero((size_t)network->index_count + 1, sizeof *search.sliced);
    status = search.pool && search.sliced ? search_all(&found, &search) : error_no_memory(error);
    for (int t = 0; search.pool && t < network->term_count; t++) pool_free(&search.pool[t]);
    base_free(search.pool);
    base_free(search.sliced);
    estimates_free(&search.estimates);
    found.seconds = monotonic_seconds() - start;
    if (status == TCPLAN_OK) {
        *out = found;
    } else {
        tcplan_network_found_free(&found);
    }
    return status;
}

void tcplan_network_found_free(struct tcplan_network_found *found) {
    tcplan_tree_free(found->tree);
    tcplan_tree_free(found->flops);
    tcplan_tree_free(found->next);
    tcplan_network_free(found->network);
    *found = (struct tcplan_network_found){.tree = NULL};
}

enum tcplan_status tcplan_tree_time(int64_t *timed, struct tcplan_tree *tree,
                                    const struct tcplan_rank_options *timing,
                                    double time_limit_seconds, struct tcplan_error *error) {
    struct decided decided = {.best = 0};
    const struct deadline deadline =
        deadline_or_cancelled(time_limit_seconds, timing->is_cancelled, timing->cancel_context);
    fused_part(tree);
    const enum tcplan_status status =
        search_time_trees(&decided, &tree, 1, timing, deadline, error);
    *timed = decided.timed;
    if (status == TCPLAN_OK) *timed += fused_time(tree, timing, deadline);
    return status == TCPLAN_OK ? fused_join_known(tree, timing, error) : status;
}

enum tcplan_status tcplan_tree_estimate(struct tcplan_tree *tree, bool layouts,
                                        const struct tcplan_rank_options *rank,
                                        struct tcplan_error *error) {
    struct estimates estimates;
    enum tcplan_status status = estimates_init(&estimates, rank, false, error);
    if (status != TCPLAN_OK) return status;
    estimates.deadline =
        deadline_or_cancelled(rank ? rank->time_limit_seconds : 0, estimates.options.is_cancelled,
                              estimates.options.cancel_context);
    const struct speeds speeds =
        speeds_of(estimates.options.machine, tree->dtype, estimates.options.threads);
    fused_part(tree);
    if (layouts && !layouts_choose(tree, &speeds, estimates.deadline))
        status = error_no_memory(error);
    if (status == TCPLAN_OK) status = estimates_fill(&estimates, tree, error);
    if (status == TCPLAN_OK) fused_join(tree, estimates.options.machine, estimates.options.threads);
    estimates_free(&estimates);
    return status;
}
