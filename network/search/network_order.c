#include "tcplan/network_order.h"

#include <stdlib.h>

#include "api/planner.h"
#include "base/alloc.h"
#include "base/error.h"
#include "network/search/dominant.h"
#include "tcplan/network_search.h"
#include "tcplan/network_stored.h"

struct tcplan_network_order {
    struct tcplan_network *network;
    struct tcplan_network *sums; /* the rewritten network to which the tree belongs; NULL: the tree
                                    belongs to `network` */
    int64_t *extent;
    struct tcplan_tree *tree;
    struct tcplan_tree_totals totals;
};

/** The subject of a search: options, texts, and the planning that uses them. */
struct wanted {
    const struct planning *planning;
    const struct tcplan_rank_options *rank;
    const struct tcplan_network_texts *texts;
    enum tcplan_dtype dtype;
    struct tcplan_error *error;
};

/** Prefixes an error message with the name of the faulty text. */
static enum tcplan_status about(const char *what, enum tcplan_status status,
                                struct tcplan_error *error) {
    if (error && status == TCPLAN_INVALID) {
        const struct tcplan_error found = *error;
        error_set(error, status, "%s: %.300s", what, found.message);
        error->column = found.column;
        error->length = found.length;
    }
    return status;
}

static enum tcplan_status read_texts(struct tcplan_network_order *order,
                                     const struct tcplan_network_texts *texts,
                                     struct tcplan_error *error) {
    enum tcplan_status status =
        tcplan_network_parse(&order->network, texts->notation, texts->order, error);
    if (status != TCPLAN_OK) return status;
    order->extent = base_alloc(((size_t)order->network->index_count + 1) * sizeof *order->extent);
    if (!order->extent) return error_no_memory(error);
    status = tcplan_network_sizes(order->extent, order->network, texts->sizes ? texts->sizes : "",
                                  error);
    return about("sizes", status, error);
}

static enum tcplan_status search(struct tcplan_network_order *order, const struct wanted *wanted) {
    struct tcplan_network_search_options options = tcplan_network_search_defaults();
    struct tcplan_network_found found;
    options.rank = wanted->rank;
    options.frees_result = wanted->texts->frees_result;
    if (wanted->texts->coarse) options.candidates = 0;
    options.time_limit_seconds = wanted->rank->time_limit_seconds;
    const enum tcplan_status status = tcplan_network_search(&found, order->network, order->extent,
                                                            wanted->dtype, &options, wanted->error);
    if (status != TCPLAN_OK) return status;
    order->tree = found.tree;
    order->sums = found.network;
    found.tree = NULL;
    found.network = NULL;
    tcplan_network_found_free(&found);
    return TCPLAN_OK;
}

static enum tcplan_status read_path(struct tcplan_network_order *order,
                                    const struct wanted *wanted) {
    const enum tcplan_status status =
        tcplan_tree_parse_path(&order->tree, order->network, order->extent, wanted->dtype,
                               wanted->texts->path, wanted->error);
    if (status != TCPLAN_OK) return about("path", status, wanted->error);
    order->tree->frees_result = wanted->texts->frees_result && order->network->term_count == 1;
    int shared = 0;
    const enum tcplan_status sharing = tcplan_tree_share(&shared, order->tree, 0, wanted->error);
    return sharing == TCPLAN_OK
               ? tcplan_tree_estimate(order->tree, true, wanted->rank, wanted->error)
               : sharing;
}

/** Sets the algorithm and the time of a step from its stored plan, if there is one. */
static enum tcplan_status recall(struct tcplan_tree_step *step, const struct planning *planning,
                                 const struct tcplan_contraction *contraction,
                                 const struct tcplan_problem *problem, struct tcplan_error *error) {
    struct tcplan_found_plan found;
    const enum tcplan_status status = planning_recall(&found, planning, problem, error);
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    char *name = tcplan_algorithm_name(&found.algorithm, contraction, problem->dtype);
    if (!name) return error_no_memory(error);
    base_free(step->algorithm);
    step->algorithm = name;
    step->seconds = found.seconds;
    return TCPLAN_OK;
}

static enum tcplan_status recall_all(struct tcplan_tree *tree, const struct wanted *wanted) {
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        if (tree->step[s].idle || tree->step[s].joined >= 0) continue;
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_problem problem;
        status = tcplan_tree_step_contraction(&contraction, tree, s, false, wanted->error);
        if (status == TCPLAN_OK)
            status = tcplan_tree_step_problem(&problem, tree, contraction, wanted->error);
        if (status == TCPLAN_OK) {
            problem.heuristics = wanted->rank->machine->heuristics;
            status = recall(&tree->step[s], wanted->planning, contraction, &problem, wanted->error);
        }
        tcplan_contraction_free(contraction);
    }
    return status;
}

/** Removes the algorithms of steps that are planned later one by one: steps to be timed, or all
 * steps if plans improve themselves. */
static enum tcplan_status forget_algorithms(struct tcplan_tree *tree,
                                            const struct planner_settings *settings,
                                            struct tcplan_error *error) {
    bool *forgotten = base_alloc((size_t)tree->step_count * sizeof *forgotten);
    if (!forgotten) return error_no_memory(error);
    dominant_steps(forgotten, tree, settings->options.effort);
    for (int s = 0; s < tree->step_count; s++) {
        if (!forgotten[s] && settings->improving == 0) continue;
        base_free(tree->step[s].algorithm);
        tree->step[s].algorithm = NULL;
    }
    base_free(forgotten);
    return TCPLAN_OK;
}

/** Uses the stored order of the expression; TCPLAN_NOT_APPLICABLE if no order is stored. */
static enum tcplan_status recall_order(struct tcplan_network_order *order,
                                       const struct wanted *wanted) {
    const struct tcplan_order_key key = {.network = order->network,
                                         .extent = order->extent,
                                         .dtype = wanted->dtype,
                                         .rank = &wanted->planning->settings.options,
                                         .path = wanted->texts->path};
    struct tcplan_network_found found;
    struct tcplan_stored_plans *plans = NULL;
    if (wanted->texts->frees_result) return TCPLAN_NOT_APPLICABLE;
    enum tcplan_status status = planning_take_plans(&plans, wanted->planning, wanted->error);
    if (status != TCPLAN_OK) return status;
    status =
        plans ? tcplan_order_recall(&found, plans, &key, wanted->error) : TCPLAN_NOT_APPLICABLE;
    planning_give_plans(wanted->planning, plans);
    if (status == TCPLAN_OK) {
        order->tree = found.tree;
        order->sums = found.network;
        order->totals = tcplan_tree_totals(order->tree);
    }
    return status == TCPLAN_OK || status == TCPLAN_NO_MEMORY ? status : TCPLAN_NOT_APPLICABLE;
}

static enum tcplan_status find(struct tcplan_network_order *order, const struct wanted *wanted) {
    const struct planner_settings *settings = &wanted->planning->settings;
    if (wanted->texts->coarse) return search(order, wanted);
    enum tcplan_status status =
        settings->improving == 0 ? recall_order(order, wanted) : TCPLAN_NOT_APPLICABLE;
    if (status != TCPLAN_NOT_APPLICABLE) return status;
    status = wanted->texts->path ? read_path(order, wanted) : search(order, wanted);
    if (status == TCPLAN_OK && settings->has_plans) status = recall_all(order->tree, wanted);
    if (status != TCPLAN_OK) return status;
    order->totals = tcplan_tree_totals(order->tree);
    return forget_algorithms(order->tree, settings, wanted->error);
}

enum tcplan_status tcplan_network_order_new(struct tcplan_network_order **out,
                                            struct tcplan_planner *planner,
                                            const struct tcplan_network_texts *texts,
                                            enum tcplan_dtype dtype, struct tcplan_error *error) {
    if (!out || !texts || !texts->notation)
        return error_set(error, TCPLAN_INVALID,
                         "expected a pointer for the order and a notation, found NULL");
    struct planning planning;
    struct tcplan_rank_options rank;
    bool knows = false;
    struct tcplan_network_order *order = base_alloc_zero(1, sizeof *order);
    if (!order) return error_no_memory(error);
    planning_begin(&planning, planner);
    enum tcplan_status status = read_texts(order, texts, error);
    if (status == TCPLAN_OK) status = planning_know(&rank, &knows, &planning, error);
    if (status == TCPLAN_OK) {
        const struct wanted wanted = {
            .planning = &planning, .rank = &rank, .texts = texts, .dtype = dtype, .error = error};
        status = find(order, &wanted);
    }
    planning_known(&planning, knows);
    if (status == TCPLAN_OK) {
        *out = order;
    } else {
        tcplan_network_order_free(order);
    }
    return status;
}

const struct tcplan_tree *tcplan_network_order_tree(const struct tcplan_network_order *order) {
    return order->tree;
}

double tcplan_network_order_seconds(const struct tcplan_network_order *order) {
    return order->totals.seconds;
}

double tcplan_network_order_flops(const struct tcplan_network_order *order) {
    return order->totals.flops;
}

void tcplan_network_order_free(struct tcplan_network_order *order) {
    if (!order) return;
    tcplan_tree_free(order->tree);
    tcplan_network_free(order->sums);
    base_free(order->extent);
    tcplan_network_free(order->network);
    base_free(order);
}
