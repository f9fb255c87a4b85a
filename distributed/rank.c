/*
 * The coarse time of an algorithm is the sum of its communication and its largest local product, at
 * the flop rate estimated for the whole product on one process. For the BEAM fastest algorithms,
 * the local product itself is estimated. If timing is allowed, local products are timed until the
 * fastest algorithms have measured times: FRONT of them, or more if the caller wants more.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "distributed/scalapack.h"
#include "distributed/seconds.h"
#include "tcplan/plan.h"

enum { BEAM = 24, FRONT = 4, MOST_SHAPES = 8 };

#define TIE 1.02 /* algorithms whose times differ by less than this factor are ties */

/** An algorithm with its coarse time, in seconds. */
struct candidate {
    struct algorithm algorithm;
    double coarse, communication;
};

/** State of a ranking. */
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
    struct candidate best[BEAM]; /* the fastest candidates, sorted by coarse time */
    struct candidate scalapack; /* the fastest algorithm with ScaLAPACK; is_pdgemm is false if there
                                   is none */
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
                            "a distribution needs a grid, such as 4x2");
        status = distribution_parse(&ranking->distribution, ranking->problem->contraction,
                                    &ranking->grid, options->distribute, ranking->error);
    }
    return status;
}

/** Reads the algorithm that the options name. */
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
                        "the algorithm is for %d processes, not for %d", processes,
                        ranking->processes);
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
        return error_set(error, TCPLAN_INVALID, "expected 1 to %d processes, found %d",
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

static bool receive(void *context, const struct algorithm *algorithm) {
    struct ranking *ranking = context;
    const int64_t most = ranking->options->max_memory_bytes;
    struct dist_plan plan;
    const enum tcplan_status status =
        algorithm_plan(&plan, ranking->problem, algorithm, &ranking->distribution, ranking->error);
    if (status == TCPLAN_NOT_APPLICABLE && (algorithm->panel_index >= 0 || algorithm->is_pdgemm))
        return true;
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
    candidate.coarse = candidate.communication +
                       predict_coarse(&plan, ranking->problem, ranking->flops_per_second);
    assert(candidate.coarse >= 0); /* candidates are sorted, which is impossible with NaN */
    if (algorithm->is_pdgemm &&
        (!ranking->scalapack.algorithm.is_pdgemm || candidate.coarse < ranking->scalapack.coarse))
        ranking->scalapack = candidate;
    int place = ranking->count < BEAM ? ranking->count++ : BEAM;
    for (; place > 0 && ranking->best[place - 1].coarse > candidate.coarse; place--) {
        if (place < BEAM) ranking->best[place] = ranking->best[place - 1];
    }
    if (place < BEAM) ranking->best[place] = candidate;
    assert(place == 0 || ranking->best[place - 1].coarse <= candidate.coarse);
    return true;
}

/** An algorithm with its predicted time. */
struct scored {
    struct algorithm algorithm;
    struct tcplan_distributed_entry entry;
    int64_t length[DIST_INDICES]; /* lengths of the largest local product */
    double calls;                 /* number of executions of this local product */
    double slowdown; /* factor by which a local product is slower if all ranks of a node compute */
    bool untimable;  /* whether the local product could not be timed for lack of memory or time */
};

static enum tcplan_status add_name(struct tcplan_distributed_entry *entry,
                                   const struct ranking *ranking,
                                   const struct algorithm *algorithm) {
    struct strbuf name = {0};
    enum tcplan_status status = TCPLAN_OK;
    algorithm_add_name(&name, ranking->problem->contraction, algorithm);
    if (!name.text || name.failed) status = error_no_memory(ranking->error);
    if (status == TCPLAN_OK && name.length >= sizeof entry->name)
        status = error_set(ranking->error, TCPLAN_NOT_APPLICABLE,
                           "the name of an algorithm has more than %zu characters",
                           sizeof entry->name - 1);
    if (status == TCPLAN_OK) memcpy(entry->name, name.text, name.length + 1);
    strbuf_free(&name);
    return status;
}

static enum tcplan_status predict(struct scored *out, struct ranking *ranking,
                                  const struct algorithm *algorithm) {
    struct dist_plan plan;
    struct tcplan_distributed_entry *entry = &out->entry;
    enum tcplan_status status =
        algorithm_plan(&plan, ranking->problem, algorithm, &ranking->distribution, ranking->error);
    out->algorithm = *algorithm;
    if (status != TCPLAN_OK) return status;
    out->calls = predict_shape(out->length, &plan);
    status = predict_product(&entry->local_seconds, ranking->problem, out->length, out->calls,
                             ranking->planner, ranking->error);
    out->slowdown =
        predict_slowdown(ranking->options->communication, &plan, ranking->options->ranks_per_node);
    entry->local_seconds *= out->slowdown;
    entry->communication_seconds = predict_communication(
        NULL, &plan, ranking->options->communication, ranking->options->ranks_per_node);
    entry->seconds = entry->local_seconds + entry->communication_seconds;
    entry->moved_bytes = predict_moved(&plan);
    entry->total_bytes = ranking->processes <= TCPLAN_DISTRIBUTED_EXACT_PROCESSES
                             ? predict_total(&plan)
                             : entry->moved_bytes * ranking->processes;
    entry->memory_bytes = traffic_memory(&plan, 0);
    entry->scalapack = plan.pdgemm.is_used;
    return status == TCPLAN_OK ? add_name(entry, ranking, algorithm) : status;
}

static int compare(const void *left, const void *right) {
    const struct tcplan_distributed_entry *a = &((const struct scored *)left)->entry,
                                          *b = &((const struct scored *)right)->entry;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    return strcmp(a->name, b->name);
}

/** Times the local product of an algorithm, and sets the time of all algorithms with a local
 * product of this shape. */
static enum tcplan_status time_shape(struct scored scored[], int count, int chosen,
                                     struct ranking *ranking, struct deadline deadline) {
    const struct scored *of = &scored[chosen];
    struct tcplan_planner *timing = ranking->options->timing;
    const double left = deadline_left_seconds(deadline);
    const size_t bytes = (size_t)ranking->problem->contraction->index_count * sizeof *of->length;
    double seconds = 0;
    struct tcplan_error error = {0};
    enum tcplan_status status = TCPLAN_OK;
    if (left < 1e9) status = tcplan_planner_set_time_limit(timing, left > 0 ? left : 1e-9, &error);
    if (status == TCPLAN_OK)
        status = predict_product(&seconds, ranking->problem, of->length, of->calls, timing, &error);
    if (status != TCPLAN_OK && status != TCPLAN_NO_MEMORY) *ranking->error = error;
    for (int s = count - 1; s >= 0; s--) {
        struct scored *other = &scored[s];
        const bool is_alike = s == chosen || (other->calls == of->calls &&
                                              memcmp(other->length, of->length, bytes) == 0);
        if (!is_alike || other->entry.timed) continue;
        other->untimable = status != TCPLAN_OK;
        if (status != TCPLAN_OK) continue;
        other->entry.timed = true;
        other->entry.local_seconds = other->slowdown * seconds;
        other->entry.seconds = other->entry.local_seconds + other->entry.communication_seconds;
    }
    return status == TCPLAN_NO_MEMORY ? TCPLAN_OK : status;
}

/** Times shapes of local products until the first algorithms have measured times. The last element
 * of `scored` is the product on one process, which is timed as well. */
static enum tcplan_status time_front(struct scored scored[], struct ranking *ranking) {
    const struct deadline deadline = deadline_in(ranking->options->time_limit_seconds);
    const int count = ranking->count, serial = count;
    const int front = ranking->options->timed_count > FRONT ? ranking->options->timed_count : FRONT;
    enum tcplan_status status = TCPLAN_OK;
    for (int shapes = 0; shapes < MOST_SHAPES && status == TCPLAN_OK; shapes++) {
        int next = 0;
        while (next < count && next < front && (scored[next].entry.timed || scored[next].untimable))
            next++;
        if (next == count || next == front || deadline_is_over(deadline)) break;
        status = time_shape(scored, count + 1, next, ranking, deadline);
        qsort(scored, (size_t)count, sizeof *scored, compare);
    }
    if (status == TCPLAN_OK && !scored[serial].entry.timed && !deadline_is_over(deadline))
        status = time_shape(scored, count + 1, serial, ranking, deadline);
    return status;
}

/** Adds the fastest algorithm with ScaLAPACK to the best ones for comparison, even if it is
 * slower. */
static void keep_scalapack(struct ranking *ranking) {
    bool has_one = !ranking->scalapack.algorithm.is_pdgemm;
    for (int c = 0; c < ranking->count; c++)
        has_one = has_one || ranking->best[c].algorithm.is_pdgemm;
    if (!has_one) ranking->best[ranking->count - 1] = ranking->scalapack;
}

/** Fills `best` with the algorithms whose coarse times are smallest. */
static enum tcplan_status enumerate(struct ranking *ranking, const char **wrong) {
    struct algorithm named;
    if (ranking->options->algorithm) {
        ranking->status = read_algorithm(ranking, &named, wrong);
    } else if (ranking->processes == 0) {
        ranking->status =
            error_set(ranking->error, TCPLAN_INVALID, "expected a number of processes, found none");
    }
    if (ranking->status == TCPLAN_OK)
        ranking->status = predict_rate(&ranking->flops_per_second, ranking->problem,
                                       ranking->planner, ranking->error);
    if (ranking->status != TCPLAN_OK) return ranking->status;
    if (ranking->options->algorithm) {
        /* No algorithm is counted if the home of an operand does not allow the panels. */
        if (receive(ranking, &named) && ranking->enumerated == 0)
            ranking->status = TCPLAN_NOT_APPLICABLE;
    } else {
        const int node = ranking->options->ranks_per_node;
        if (algorithm_enumerate(ranking->problem, ranking->processes,
                                ranking->has_grid ? &ranking->grid : NULL,
                                node > 1 && node < ranking->processes, receive, ranking))
            scalapack_enumerate(ranking->processes, receive, ranking);
        keep_scalapack(ranking);
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

/** Predicts the times of the best candidates and of the product on one process, which comes
 * last. */
static enum tcplan_status score(struct scored scored[], struct ranking *ranking) {
    const struct algorithm serial = {.panel_index = -1};
    enum tcplan_status status = TCPLAN_OK;
    for (int c = 0; c < ranking->count && status == TCPLAN_OK; c++)
        status = predict(&scored[c], ranking, &ranking->best[c].algorithm);
    struct scored *last = &scored[ranking->count];
    /* a ranking that ignores the layouts prescribed by the caller */
    struct ranking free_ranking = *ranking;
    free_ranking.distribution = (struct distribution){.given = {false}};
    free_ranking.processes = 1;
    if (status == TCPLAN_OK) status = predict(last, &free_ranking, &serial);
    if (status != TCPLAN_OK) return status;
    qsort(scored, (size_t)ranking->count, sizeof *scored, compare);
    return ranking->options->timing ? time_front(scored, ranking) : TCPLAN_OK;
}

/** Copies the predicted algorithms to the entries of the ranking. */
static void give(struct tcplan_distributed_ranking *out, struct tcplan_distributed_entry entry[],
                 const struct scored scored[], const struct ranking *ranking) {
    const struct tcplan_distributed_entry *serial = &scored[ranking->count].entry;
    *out = (struct tcplan_distributed_ranking){.count = ranking->count,
                                               .entry = entry,
                                               .enumerated = ranking->enumerated,
                                               .over_memory = ranking->over_memory,
                                               .serial_seconds = serial->seconds,
                                               .serial_timed = serial->timed};
    for (int c = 0; c < ranking->count; c++) {
        entry[c] = scored[c].entry;
        entry[c].tied = entry[c].seconds <= TIE * entry[0].seconds;
        out->tied_count += entry[c].tied;
    }
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
    struct scored *scored = NULL;
    if (status == TCPLAN_OK) {
        entry = base_alloc_zero((size_t)ranking.count, sizeof *entry);
        scored = base_alloc_zero((size_t)ranking.count + 1, sizeof *scored);
        if (!entry || !scored) status = error_no_memory(error);
    }
    if (status == TCPLAN_OK) status = score(scored, &ranking);
    end(&ranking);
    if (status == TCPLAN_OK) {
        give(out, entry, scored, &ranking);
    } else {
        base_free(entry);
    }
    base_free(scored);
    return status;
}

void tcplan_distributed_ranking_free(struct tcplan_distributed_ranking *ranking) {
    if (ranking) base_free(ranking->entry);
}

/* One algorithm. */

/** Plans the algorithm `known`, or, if it is NULL, the algorithm of the entry's name. */
static enum tcplan_status complete(struct tcplan_distributed *distributed, struct ranking *ranking,
                                   const struct algorithm *known) {
    const struct tcplan_distributed_options *options = ranking->options;
    struct tcplan_distributed_entry *entry = &distributed->entry;
    char *text = tcplan_contraction_text(ranking->problem->contraction);
    enum tcplan_status status =
        text ? tcplan_contraction_parse(&distributed->contraction, text,
                                        ranking->problem->contraction->order, ranking->error)
             : error_no_memory(ranking->error);
    free(text);
    if (status == TCPLAN_OK && known) distributed->algorithm = *known;
    if (status == TCPLAN_OK && !known)
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

enum tcplan_status distributed_plan_one(struct tcplan_distributed **out,
                                        const struct tcplan_problem *problem,
                                        const struct algorithm *algorithm,
                                        const struct distribution *distribution,
                                        const struct tcplan_distributed_options *options,
                                        struct tcplan_error *error) {
    struct ranking ranking = {.problem = problem,
                              .options = options,
                              .planner = options->planner,
                              .distribution = *distribution,
                              .processes = options->processes,
                              .error = error};
    struct scored scored = {.untimable = false};
    struct tcplan_distributed *distributed = base_alloc_zero(1, sizeof *distributed);
    enum tcplan_status status =
        distributed ? predict(&scored, &ranking, algorithm) : error_no_memory(error);
    if (status == TCPLAN_OK && options->timing)
        status = time_shape(&scored, 1, 0, &ranking, deadline_in(options->time_limit_seconds));
    if (status == TCPLAN_OK) {
        distributed->entry = scored.entry;
        status = complete(distributed, &ranking, algorithm);
    }
    if (status == TCPLAN_OK) {
        *out = distributed;
    } else {
        tcplan_distributed_free(distributed);
    }
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
        if (status == TCPLAN_OK) status = complete(distributed, &ranking, NULL);
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
