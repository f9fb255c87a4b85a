#include "network/search/estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/knowledge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "tcplan/canonical.h"

/* Time limit, in seconds, of an estimate after the deadline: so short that the ranking returns its
 * first algorithm. */
#define LEAST_SECONDS 1e-6

struct estimate_known {
    uint64_t hash;
    char *canonical;
    double seconds;
    struct tcplan_algorithm algorithm; /* algorithm in terms of the canonical form; it applies to
                                          all problems with this form */
};

enum tcplan_status estimates_init(struct estimates *estimates,
                                  const struct tcplan_rank_options *from, bool timed,
                                  struct tcplan_error *error) {
    *estimates = (struct estimates){.options = from ? *from : tcplan_rank_defaults()};
    struct tcplan_rank_options *options = &estimates->options;
    if (!timed) {
        options->effort = TCPLAN_EFFORT_ESTIMATE;
        options->progress = NULL;
    }
    options->predictor = TCPLAN_PREDICT_WINDOW;
    options->time_limit_seconds = 0;
    options->predict_all = false;
    options->gemm_gflops = -1;
    options->start_count = 0;
    options->watch = NULL;
    /* a step must run with exactly the number of threads of the tree */
    options->exact_threads = true;
    return options->machine ? TCPLAN_OK : knowledge_machine(&options->machine, error);
}

void estimates_free(struct estimates *estimates) {
    for (size_t k = 0; k < estimates->count; k++) free(estimates->known[k].canonical);
    base_free(estimates->known);
    *estimates = (struct estimates){0};
}

static enum tcplan_status rank(struct estimate_known *out, const struct estimates *estimates,
                               const struct tcplan_problem *problem, struct tcplan_error *error) {
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_rank_options options = estimates->options;
    const double left = deadline_left_seconds(estimates->deadline);
    if (options.time_limit_seconds == 0 && left < INFINITY)
        options.time_limit_seconds = fmax(left, LEAST_SECONDS);
    const enum tcplan_status status = tcplan_rank(&ranking, problem, &options, error);
    if (status != TCPLAN_OK) return status;
    const bool found = ranking->entry_count > 0 && ranking->entry[0].predicted;
    if (found) {
        const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
        out->seconds = chosen->prediction.seconds;
        out->algorithm = chosen->algorithm;
    }
    tcplan_ranking_free(ranking);
    return found ? TCPLAN_OK
                 : error_set(error, TCPLAN_NOT_APPLICABLE,
                             "no algorithm for a step fits the limits of the planner");
}

/** Returns the stored estimate of a canonical form; NULL if there is none. */
static struct estimate_known *look_up(const struct estimates *estimates, const char *canonical) {
    const uint64_t hash = hash_text(canonical);
    for (size_t k = 0; k < estimates->count; k++) {
        struct estimate_known *known = &estimates->known[k];
        if (known->hash == hash && strcmp(known->canonical, canonical) == 0) return known;
    }
    return NULL;
}

/** Returns the estimate of a problem, which the first call computes; NULL on an error, with
 * `*status` set. */
static const struct estimate_known *find(struct estimates *estimates,
                                         const struct tcplan_problem *problem,
                                         enum tcplan_status *status, struct tcplan_error *error) {
    struct estimate_known known = {.canonical = tcplan_problem_canonical(problem)};
    *status = TCPLAN_OK;
    if (!known.canonical) {
        *status = error_no_memory(error);
        return NULL;
    }
    known.hash = hash_text(known.canonical);
    const struct estimate_known *before = look_up(estimates, known.canonical);
    if (before) {
        free(known.canonical);
        return before;
    }
    if (estimates->count == estimates->capacity) {
        const size_t capacity = estimates->capacity > 0 ? 2 * estimates->capacity : 64;
        struct estimate_known *larger = base_realloc(estimates->known, capacity * sizeof *larger);
        if (larger) {
            estimates->known = larger;
            estimates->capacity = capacity;
        }
        if (!larger) *status = error_no_memory(error);
    }
    if (*status == TCPLAN_OK) *status = rank(&known, estimates, problem, error);
    if (*status != TCPLAN_OK) {
        free(known.canonical);
        return NULL;
    }
    estimates->known[estimates->count] = known;
    return &estimates->known[estimates->count++];
}

/** Makes the problem of a step on this machine, and its contraction, which the caller frees. */
static enum tcplan_status step_problem(struct tcplan_contraction **contraction,
                                       struct tcplan_problem *problem,
                                       const struct estimates *estimates,
                                       const struct tcplan_tree *tree, int s,
                                       struct tcplan_error *error) {
    enum tcplan_status status = tcplan_tree_step_contraction(contraction, tree, s, false, error);
    if (status == TCPLAN_OK) status = tcplan_tree_step_problem(problem, tree, *contraction, error);
    if (status == TCPLAN_OK) problem->heuristics = estimates->options.machine->heuristics;
    return status;
}

enum tcplan_status estimates_fill_step(struct estimates *estimates, struct tcplan_tree *tree, int s,
                                       struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    const struct estimate_known *known = NULL;
    struct tcplan_tree_step *step = &tree->step[s];
    enum tcplan_status status = step_problem(&contraction, &problem, estimates, tree, s, error);
    if (status == TCPLAN_OK) known = find(estimates, &problem, &status, error);
    if (known) {
        char *algorithm = tcplan_algorithm_name(&known->algorithm, contraction, problem.dtype);
        if (algorithm) {
            base_free(step->algorithm);
            step->algorithm = algorithm;
            step->seconds = known->seconds;
            step->timed = estimates->options.effort != TCPLAN_EFFORT_ESTIMATE;
        } else {
            status = error_no_memory(error);
        }
    }
    tcplan_contraction_free(contraction);
    return status;
}

bool estimates_know(const struct estimates *estimates, const struct tcplan_tree *tree, int s) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    char *canonical = NULL;
    if (step_problem(&contraction, &problem, estimates, tree, s, NULL) == TCPLAN_OK)
        canonical = tcplan_problem_canonical(&problem);
    const bool known = canonical && look_up(estimates, canonical);
    free(canonical);
    tcplan_contraction_free(contraction);
    return known;
}

enum tcplan_status estimates_fill(struct estimates *estimates, struct tcplan_tree *tree,
                                  struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++)
        status = estimates_fill_step(estimates, tree, s, error);
    return status;
}
