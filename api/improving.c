#include "api/improving.h"

#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"

enum { MOST_CANDIDATES = 8, TRIES = 2 };

/* Algorithms that are expected to take more than this many times as long as the first are not
 * tried. */
#define HOPELESS_FACTOR 3.0

struct candidate {
    struct plan_choice choice; /* the choice, whose name the candidate owns */
    double least_seconds, most_seconds;
    int tries;
    bool dropped;
};

struct improving {
    atomic_int left;  /* number of executions that still try an algorithm */
    atomic_flag busy; /* set while a thread runs a trial: only that thread may change the members
                         below */
    int turn;
    int count;
    struct candidate candidate[MOST_CANDIDATES];
    struct plan_choice best;
};

void improving_free(struct improving *improving) {
    if (!improving) return;
    for (int c = 0; c < improving->count; c++) base_free(improving->candidate[c].choice.name);
    base_free(improving);
}

static bool is_candidate(const struct tcplan_entry *entry, const struct tcplan_entry *first) {
    return entry->predicted && entry->status != TCPLAN_ENTRY_NOT_APPLICABLE &&
           entry->prediction.seconds <= HOPELESS_FACTOR * first->prediction.seconds;
}

static enum tcplan_status add_candidate(struct improving *improving, const struct tcplan_plan *plan,
                                        const struct tcplan_entry *entry,
                                        struct tcplan_error *error) {
    const struct tcplan_problem *problem = &plan->product->problem;
    char *name = tcplan_algorithm_name(&entry->algorithm, problem->contraction, problem->dtype);
    if (!name) return error_no_memory(error);
    assert(improving->count < MOST_CANDIDATES);
    improving->candidate[improving->count++] = (struct candidate){
        .choice = {.algorithm = entry->algorithm, .name = name, .origin = TCPLAN_PLAN_IMPROVED},
        .least_seconds = INFINITY};
    return TCPLAN_OK;
}

/** Adds the chosen entry of a ranking to the candidates, then other entries with as many threads as
 * the plan, in the order of the ranking, up to `most` candidates. */
static enum tcplan_status add_candidates(struct improving *improving,
                                         const struct tcplan_plan *plan,
                                         const struct tcplan_ranking *ranking, int most,
                                         struct tcplan_error *error) {
    const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
    enum tcplan_status status = TCPLAN_OK;
    if (chosen && is_candidate(chosen, chosen))
        status = add_candidate(improving, plan, chosen, error);
    for (size_t e = 0; e < ranking->entry_count && improving->count < most && status == TCPLAN_OK;
         e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        if (entry != chosen && entry->threads == plan->threads &&
            is_candidate(entry, &ranking->entry[0]))
            status = add_candidate(improving, plan, entry, error);
    }
    return status;
}

enum tcplan_status improving_new(struct improving **out, const struct tcplan_plan *plan,
                                 const struct tcplan_ranking *ranking, int executions,
                                 struct tcplan_error *error) {
    const int most = executions / TRIES < MOST_CANDIDATES ? executions / TRIES : MOST_CANDIDATES;
    if (most < 2) return TCPLAN_OK;
    struct improving *improving = base_alloc_zero(1, sizeof *improving);
    if (!improving) return error_no_memory(error);
    atomic_init(&improving->left, executions);
    atomic_flag_clear(&improving->busy);
    const enum tcplan_status status = add_candidates(improving, plan, ranking, most, error);
    if (status == TCPLAN_OK && improving->count > 1) {
        *out = improving;
    } else {
        improving_free(improving);
    }
    return status;
}

const struct plan_choice *improving_choice(const struct improving *improving, int number) {
    return number < improving->count ? &improving->candidate[number].choice : NULL;
}

bool improving_begin(struct trial *out, struct improving *improving) {
    if (atomic_load_explicit(&improving->left, memory_order_relaxed) <= 0) return false;
    if (atomic_flag_test_and_set_explicit(&improving->busy, memory_order_acquire)) return false;
    if (atomic_load(&improving->left) <= 0) {
        atomic_flag_clear_explicit(&improving->busy, memory_order_release);
        return false;
    }
    const int number = improving->turn % improving->count;
    assert(!improving->candidate[number].dropped); /* ensured by go_on(), which skips dropped
                                                      candidates */
    *out = (struct trial){
        .improving = improving, .choice = &improving->candidate[number].choice, .number = number};
    return true;
}

void improving_start(struct trial *trial) {
    trial->start_seconds = monotonic_seconds();
}

/** Makes the plan use the candidate with the shortest measured time, if any was measured. */
static void settle(struct improving *improving, struct tcplan_plan *plan) {
    const struct candidate *best = NULL;
    for (int c = 0; c < improving->count; c++) {
        const struct candidate *one = &improving->candidate[c];
        if (one->dropped || one->tries == 0) continue;
        if (!best || one->least_seconds < best->least_seconds) best = one;
    }
    if (!best) return;
    assert(best->least_seconds <= best->most_seconds);
    improving->best = best->choice;
    improving->best.seconds = improving->best.low = best->least_seconds;
    improving->best.high = best->most_seconds;
    atomic_store_explicit(&plan->chosen, &improving->best, memory_order_release);
}

/** Selects the candidate of the next trial; ends the trials if all candidates were dropped. */
static void go_on(struct improving *improving) {
    for (int c = 0; c < improving->count; c++) {
        improving->turn++;
        if (!improving->candidate[improving->turn % improving->count].dropped) return;
    }
    atomic_store(&improving->left, 0);
}

void improving_end(const struct trial *trial, struct tcplan_plan *plan) {
    struct improving *improving = trial->improving;
    struct candidate *candidate = &improving->candidate[trial->number];
    assert(trial->start_seconds > 0 && trial->number == improving->turn % improving->count);
    const double seconds = monotonic_seconds() - trial->start_seconds;
    candidate->least_seconds = fmin(candidate->least_seconds, seconds);
    candidate->most_seconds = fmax(candidate->most_seconds, seconds);
    candidate->tries++;
    go_on(improving);
    if (atomic_fetch_sub(&improving->left, 1) <= 1) settle(improving, plan);
    atomic_flag_clear_explicit(&improving->busy, memory_order_release);
}

void improving_cancel(const struct trial *trial) {
    atomic_flag_clear_explicit(&trial->improving->busy, memory_order_release);
}

void improving_drop(const struct trial *trial) {
    struct improving *improving = trial->improving;
    assert(!improving->candidate[trial->number].dropped); /* holds, because only one trial runs at a
                                                             time */
    improving->candidate[trial->number].dropped = true;
    go_on(improving);
    atomic_flag_clear_explicit(&improving->busy, memory_order_release);
}
