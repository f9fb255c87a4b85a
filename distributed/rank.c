/*
 * All algorithms get a coarse time: the flops of the largest block at the rate of the whole
 * product, and the collectives. The best BEAM of them get the estimate of their local product.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "distributed/seconds.h"
#include "tcplan/plan.h"

enum { BEAM = 24 };

/** An algorithm with its coarse time. */
struct candidate {
    struct algorithm algorithm;
    double coarse, communication;
};

/** A ranking in progress. */
struct ranking {
    const struct tcplan_problem *problem;
    const struct tcplan_distributed_options *options;
    struct tcplan_planner *planner;
    struct distribution distribution;
    struct dist_grid grid;
    bool has_grid;
    int processes;
    double flops_per_second;
    int64_t enumerated, over_memory;
    int count;
    struct candidate best[BEAM]; /* sorted by coarse time */
    enum tcplan_status status;
    struct tcplan_error *error;
};

/* Options. */

static enum tcplan_status read_grids(struct ranking *ranking, const char **wrong) {
    const struct tcplan_distributed_options *options = ranking->options;
    enum tcplan_status status = TCPLAN_OK;
    ranking->processes = options->processes;
    if (options->grid) {
        *wrong = options->grid;
        status = grid_parse(&ranking->grid, options->grid, ranking->error);
        if (status != TCPLAN_OK) return status;
        ranking->has_grid = true;
        const int processes = dist_grid_processes(&ranking->grid);
        if (ranking->processes > 0 && processes != ranking->processes)
            return error_at(ranking->error, TCPLAN_INVALID, 0, strlen(options->grid),
                            "the grid %s has %d processes, not %d", options->grid, processes,
                            ranking->processes);
        ranking->processes = processes;
    }
    if (options->distribute) {
        *wrong = options->distribute;
        if (!options->grid)
            return error_at(ranking->error, TCPLAN_INVALID, 0, strlen(options->distribute),
                            "a distribution needs a grid, as 4x2");
        status = distribution_parse(&ranking->distribution, ranking->problem->contraction,
                                    &ranking->grid, options->distribute, ranking->error);
    }
    return status;
}

/** Reads a named algorithm. */
static enum tcplan_status read_algorithm(struct ranking *ranking, struct algorithm *out,
                                         const char **wrong) {
    const char *name = ranking->options->algorithm;
    *wrong = name;
    enum tcplan_status status =
        algorithm_parse(out, ranking->problem->contraction, name, ranking->error);
    if (status != TCPLAN_OK) return status;
    const int processes = dist_grid_processes(&out->grid);
    if (ranking->processes > 0 && processes != ranking->processes)
        return error_at(ranking->error, TCPLAN_INVALID, 0, strcspn(name, ":/"),
                        "the algorithm is of %d processes, not %d", processes, ranking->processes);
    ranking->processes = processes;
    return TCPLAN_OK;
}

static enum tcplan_status begin(struct ranking *ranking, const struct tcplan_problem *problem,
                                const struct tcplan_distributed_options *options,
                                const char **wrong, struct tcplan_error *error) {
    static const char *unused;
    *ranking = (struct ranking){.problem = problem, .options = options, .error = error};
    enum tcplan_status status = read_grids(ranking, wrong ? wrong : &unused);
    if (status != TCPLAN_OK) return status;
    if (options->processes < 0 || options->processes > DISTRIBUTION_MOST_PROCESSES)
        return error_set(error, TCPLAN_INVALID, "processes are 1 to %d, not %d",
                         DISTRIBUTION_MOST_PROCESSES, options->processes);
    if (options->planner) {
        ranking->planner = options->planner;
        return TCPLAN_OK;
    }
    status = tcplan_planner_new(&ranking->planner, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_effort(ranking->planner, TCPLAN_EFFORT_ESTIMATE, error);
    return status;
}

static void end(struct ranking *ranking) {
    if (ranking->planner != ranking->options->planner) tcplan_planner_free(ranking->planner);
}

/* Candidates. */

/** The rate of the whole product on one process. */
static enum tcplan_status find_rate(struct ranking *ranking) {
    const struct algorithm serial = {.panel_index = -1};
    const struct distribution free_tensors = {.given = {false}};
    struct dist_plan plan;
    double seconds = 0;
    enum tcplan_status status =
        algorithm_plan(&plan, ranking->problem, &serial, &free_tensors, ranking->error);
    if (status == TCPLAN_OK)
        status = predict_local(&seconds, &plan, ranking->problem, ranking->planner, ranking->error);
    ranking->flops_per_second =
        seconds > 0 && ranking->problem->flops > 0 ? ranking->problem->flops / seconds : 1e9;
    return status;
}

static double coarse_local(const struct ranking *ranking, const struct dist_plan *plan) {
    int64_t length[DIST_INDICES];
    double share = predict_shape(length, plan);
    for (int i = 0; i < plan->index_count; i++) {
        if (plan->extent[i] > 0) share *= (double)length[i] / (double)plan->extent[i];
    }
    return share * ranking->problem->flops / ranking->flops_per_second;
}

static bool receive(void *context, const struct algorithm *algorithm) {
    struct ranking *ranking = context;
    const int64_t most = ranking->options->max_memory_bytes;
    struct dist_plan plan;
    const enum tcplan_status status =
        algorithm_plan(&plan, ranking->problem, algorithm, &ranking->distribution, ranking->error);
    if (status == TCPLAN_NOT_APPLICABLE && algorithm->panel_index >= 0) return true;
    ranking->status = status;
    if (status != TCPLAN_OK) return false;
    ranking->enumerated++;
    if (most > 0 && traffic_memory(&plan, 0) > most) {
        ranking->over_memory++;
        return true;
    }
    struct candidate candidate = {.algorithm = *algorithm};
    candidate.communication = predict_communication(NULL, &plan, ranking->options->communication,
                                                    ranking->options->ranks_per_node);
    candidate.coarse = candidate.communication + coarse_local(ranking, &plan);
    assert(candidate.coarse >= 0); /* no NaN, which would not be sorted */
    int place = ranking->count < BEAM ? ranking->count++ : BEAM;
    for (; place > 0 && ranking->best[place - 1].coarse > candidate.coarse; place--) {
        if (place < BEAM) ranking->best[place] = ranking->best[place - 1];
    }
    if (place < BEAM) ranking->best[place] = candidate;
    assert(place == 0 || ranking->best[place - 1].coarse <= candidate.coarse);
    return true;
}

static enum tcplan_status predict(struct tcplan_distributed_entry *out, struct ranking *ranking,
                                  const struct algorithm *algorithm) {
    struct dist_plan plan;
    struct strbuf name = {0};
    enum tcplan_status status =
        algorithm_plan(&plan, ranking->problem, algorithm, &ranking->distribution, ranking->error);
    if (status == TCPLAN_OK)
        status = predict_local(&out->local_seconds, &plan, ranking->problem, ranking->planner,
                               ranking->error);
    if (status != TCPLAN_OK) return status;
    out->communication_seconds = predict_communication(NULL, &plan, ranking->options->communication,
                                                       ranking->options->ranks_per_node);
    out->seconds = out->local_seconds + out->communication_seconds;
    out->moved_bytes = predict_moved(&plan);
    out->total_bytes = ranking->processes <= TCPLAN_DISTRIBUTED_EXACT_PROCESSES
                           ? predict_total(&plan)
                           : out->moved_bytes * ranking->processes;
    out->memory_bytes = traffic_memory(&plan, 0);
    algorithm_add_name(&name, ranking->problem->contraction, algorithm);
    if (!name.text || name.failed) status = error_no_memory(ranking->error);
    if (status == TCPLAN_OK && name.length >= sizeof out->name)
        status = error_set(ranking->error, TCPLAN_NOT_APPLICABLE,
                           "the name of an algorithm has more than %zu characters",
                           sizeof out->name - 1);
    if (status == TCPLAN_OK) memcpy(out->name, name.text, name.length + 1);
    strbuf_free(&name);
    return status;
}

static int compare(const void *left, const void *right) {
    const struct tcplan_distributed_entry *a = left, *b = right;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    return strcmp(a->name, b->name);
}

/** Fills the beam with coarse times. */
static enum tcplan_status enumerate(struct ranking *ranking, const char **wrong) {
    struct algorithm named;
    if (ranking->options->algorithm) {
        ranking->status = read_algorithm(ranking, &named, wrong);
    } else if (ranking->processes == 0) {
        ranking->status = error_set(ranking->error, TCPLAN_INVALID, "no number of processes");
    }
    if (ranking->status == TCPLAN_OK) ranking->status = find_rate(ranking);
    if (ranking->status != TCPLAN_OK) return ranking->status;
    if (ranking->options->algorithm) {
        if (receive(ranking, &named) && ranking->enumerated == 0) /* panels that do not fit */
            ranking->status = TCPLAN_NOT_APPLICABLE;
    } else {
        const int node = ranking->options->ranks_per_node;
        algorithm_enumerate(ranking->problem, ranking->processes,
                            ranking->has_grid ? &ranking->grid : NULL,
                            node > 0 && node < ranking->processes, receive, ranking);
    }
    if (ranking->status != TCPLAN_OK || ranking->count > 0) return ranking->status;
    if (ranking->over_memory > 0)
        return error_set(ranking->error, TCPLAN_NOT_APPLICABLE,
                         "no algorithm of %d processes fits into the memory limit of a rank",
                         ranking->processes);
    return error_set(ranking->error, TCPLAN_NOT_APPLICABLE,
                     "the contraction has no index that %d processes can divide",
                     ranking->processes);
}

enum tcplan_status tcplan_distributed_rank(struct tcplan_distributed_ranking *out,
                                           const struct tcplan_problem *problem,
                                           const struct tcplan_distributed_options *options,
                                           const char **wrong, struct tcplan_error *error) {
    struct ranking ranking;
    const char *unused;
    enum tcplan_status status = begin(&ranking, problem, options, wrong, error);
    if (status == TCPLAN_OK) status = enumerate(&ranking, wrong ? wrong : &unused);
    struct tcplan_distributed_entry *entry = NULL;
    if (status == TCPLAN_OK) {
        entry = base_alloc_zero((size_t)ranking.count, sizeof *entry);
        if (!entry) status = error_no_memory(error);
    }
    for (int c = 0; c < ranking.count && status == TCPLAN_OK; c++)
        status = predict(&entry[c], &ranking, &ranking.best[c].algorithm);
    end(&ranking);
    if (status != TCPLAN_OK) {
        base_free(entry);
        return status;
    }
    qsort(entry, (size_t)ranking.count, sizeof *entry, compare);
    *out = (struct tcplan_distributed_ranking){.count = ranking.count,
                                               .entry = entry,
                                               .enumerated = ranking.enumerated,
                                               .over_memory = ranking.over_memory};
    return TCPLAN_OK;
}

void tcplan_distributed_ranking_free(struct tcplan_distributed_ranking *ranking) {
    if (ranking) base_free(ranking->entry);
}

/* One algorithm. */

static enum tcplan_status complete(struct tcplan_distributed *distributed,
                                   struct ranking *ranking) {
    const struct tcplan_distributed_options *options = ranking->options;
    struct tcplan_distributed_entry *entry = &distributed->entry;
    char *text = tcplan_contraction_text(ranking->problem->contraction);
    enum tcplan_status status =
        text ? tcplan_contraction_parse(&distributed->contraction, text,
                                        ranking->problem->contraction->order, ranking->error)
             : error_no_memory(ranking->error);
    free(text);
    if (status == TCPLAN_OK)
        status = algorithm_parse(&distributed->algorithm, distributed->contraction, entry->name,
                                 ranking->error);
    if (status != TCPLAN_OK) return status;
    distributed->problem = *ranking->problem;
    distributed->problem.contraction = distributed->contraction;
    distributed->processes = ranking->processes;
    distributed->ranks_per_node = options->ranks_per_node;
    status = algorithm_plan(&distributed->plan, &distributed->problem, &distributed->algorithm,
                            &ranking->distribution, ranking->error);
    if (status == TCPLAN_OK)
        predict_communication(distributed->call_seconds, &distributed->plan, options->communication,
                              options->ranks_per_node);
    return status;
}

enum tcplan_status tcplan_distributed_new(struct tcplan_distributed **out,
                                          const struct tcplan_problem *problem,
                                          const struct tcplan_distributed_options *options,
                                          const char **wrong, struct tcplan_error *error) {
    struct ranking ranking;
    struct tcplan_distributed_ranking ranked = {0};
    struct tcplan_distributed *distributed = base_alloc_zero(1, sizeof *distributed);
    const char *unused;
    enum tcplan_status status =
        distributed ? tcplan_distributed_rank(&ranked, problem, options, wrong, error)
                    : error_no_memory(error);
    if (status == TCPLAN_OK) {
        distributed->entry = ranked.entry[0];
        status = begin(&ranking, problem, options, wrong, error);
        if (status == TCPLAN_OK && options->algorithm) {
            struct algorithm named;
            status = read_algorithm(&ranking, &named, wrong ? wrong : &unused);
        }
        if (status == TCPLAN_OK) status = complete(distributed, &ranking);
        end(&ranking);
    }
    tcplan_distributed_ranking_free(&ranked);
    if (status == TCPLAN_OK) {
        *out = distributed;
    } else {
        tcplan_distributed_free(distributed);
    }
    return status;
}
