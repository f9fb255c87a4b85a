#include "plan/advise/costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "plan/advise/conversion.h"

/** Entry of a hash table with open addressing; an empty entry has no key. */
struct layout_cost_entry {
    char *key;
    uint64_t hash;
    struct layout_cost cost;
};

enum { FIRST_CAPACITY = 256 };

enum tcplan_status layout_costs_init(struct layout_costs *out,
                                     const struct tcplan_layout_program *program,
                                     const struct tcplan_advise_options *options) {
    *out = (struct layout_costs){.program = program,
                                 .options = options,
                                 .deadline = deadline_in(options->rank.time_limit_seconds)};
    out->kernel_times = tcplan_kernel_times_new();
    out->entry = base_alloc_zero(FIRST_CAPACITY, sizeof *out->entry);
    out->capacity = out->entry ? FIRST_CAPACITY : 0;
    return out->kernel_times && out->entry ? TCPLAN_OK : TCPLAN_NO_MEMORY;
}

void layout_costs_free(struct layout_costs *costs) {
    for (size_t e = 0; e < costs->capacity; e++) free(costs->entry[e].key);
    base_free(costs->entry);
    tcplan_kernel_times_free(costs->kernel_times);
    *costs = (struct layout_costs){0};
}

static struct layout_cost_entry *slot_of(struct layout_cost_entry *entry, size_t capacity,
                                         uint64_t hash, const char *key) {
    size_t at = (size_t)hash & (capacity - 1);
    while (entry[at].key && (entry[at].hash != hash || strcmp(entry[at].key, key) != 0))
        at = (at + 1) & (capacity - 1);
    return &entry[at];
}

static bool grow(struct layout_costs *costs) {
    const size_t capacity = 2 * costs->capacity;
    struct layout_cost_entry *entry = base_alloc_zero(capacity, sizeof *entry);
    if (!entry) return false;
    for (size_t e = 0; e < costs->capacity; e++) {
        const struct layout_cost_entry *from = &costs->entry[e];
        if (from->key) *slot_of(entry, capacity, from->hash, from->key) = *from;
    }
    base_free(costs->entry);
    costs->entry = entry;
    costs->capacity = capacity;
    return true;
}

static void *fail(struct layout_costs *costs, enum tcplan_status status) {
    if (costs->status == TCPLAN_OK) costs->status = status;
    return NULL;
}

/** Finds or creates the entry of a key and takes ownership of the key; NULL if out of memory. */
static struct layout_cost_entry *entry_of(struct layout_costs *costs, char *key, bool *is_new) {
    const bool room = key && (2 * costs->count < costs->capacity || grow(costs));
    if (!room) {
        free(key);
        return fail(costs, error_no_memory(&costs->error));
    }
    const uint64_t hash = hash_text(key);
    struct layout_cost_entry *entry = slot_of(costs->entry, costs->capacity, hash, key);
    *is_new = !entry->key;
    if (*is_new) {
        *entry = (struct layout_cost_entry){.key = key, .hash = hash};
        costs->count++;
    } else {
        free(key);
    }
    return entry;
}

/** Removes the entry that was created last, and frees its key. */
static void forget(struct layout_costs *costs, struct layout_cost_entry *entry) {
    free(entry->key);
    *entry = (struct layout_cost_entry){0}; /* safe without moving other entries, because no key was
                                               added after it */
    costs->count--;
}

static struct tcplan_rank_options rank_options(const struct layout_costs *costs,
                                               enum tcplan_effort effort, double limit_seconds) {
    struct tcplan_rank_options options = costs->options->rank;
    options.effort = effort;
    options.time_limit_seconds = isfinite(limit_seconds) ? limit_seconds : 0;
    options.kernel_times = costs->kernel_times;
    options.gemm_gflops = -1;
    return options;
}

/** Ranks the contraction of an item with given layouts, and records the time of the chosen
 * algorithm. */
static enum tcplan_status rank(struct layout_cost *out, const struct layout_costs *costs, int item,
                               const struct layout layout[],
                               const struct tcplan_rank_options *options,
                               struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    struct tcplan_ranking *ranking = NULL;
    enum tcplan_status status =
        program_relay(&problem, &contraction, costs->program, item, layout, error);
    if (status != TCPLAN_OK) return status;
    problem.heuristics = options->machine->heuristics;
    status = tcplan_rank(&ranking, &problem, options, error);
    if (status == TCPLAN_OK && (ranking->entry_count == 0 || !ranking->entry[0].predicted))
        status =
            error_set(error, TCPLAN_NOT_APPLICABLE, "no algorithm of '%.60s' could be predicted",
                      costs->program->item[item].name);
    if (status == TCPLAN_OK) {
        const struct tcplan_entry *chosen = tcplan_ranking_chosen(ranking);
        if (options->effort == TCPLAN_EFFORT_ESTIMATE) {
            out->estimate_seconds = chosen->prediction.seconds;
        } else {
            out->plan = chosen->prediction;
            out->planned = true;
        }
    }
    tcplan_ranking_free(ranking);
    tcplan_contraction_free(contraction);
    return status;
}

struct layout_cost *layout_costs_find(struct layout_costs *costs, int item,
                                      const struct layout layout[]) {
    bool is_new = false;
    struct layout_cost_entry *entry =
        entry_of(costs, program_key(costs->program, item, layout), &is_new);
    if (!entry || !is_new) return entry ? &entry->cost : NULL;
    const struct tcplan_rank_options options =
        rank_options(costs, TCPLAN_EFFORT_ESTIMATE, INFINITY);
    const enum tcplan_status status =
        rank(&entry->cost, costs, item, layout, &options, &costs->error);
    costs->estimates++;
    if (status == TCPLAN_OK) return &entry->cost;
    forget(costs, entry);
    return fail(costs, status);
}

enum tcplan_status layout_costs_plan(struct layout_costs *costs, int item,
                                     const struct layout layout[], double limit_seconds,
                                     struct tcplan_error *error) {
    struct layout_cost *cost = layout_costs_find(costs, item, layout);
    if (!cost) {
        if (error) *error = costs->error;
        return costs->status;
    }
    if (cost->planned) return TCPLAN_OK;
    const struct tcplan_rank_options options =
        rank_options(costs, costs->options->rank.effort, limit_seconds);
    return rank(cost, costs, item, layout, &options, error);
}

static char *conversion_key(int tensor, int rank, const struct layout *layout) {
    struct strbuf out = {0};
    strbuf_add(&out, "%d:", tensor);
    for (int d = 0; d < rank; d++) strbuf_add(&out, "%d,", layout->dim[d]);
    return strbuf_finish(&out);
}

double layout_costs_conversion(struct layout_costs *costs, int tensor,
                               const struct layout *layout) {
    bool is_new = false;
    if (costs->program->tensor[tensor].inner) return 0;
    struct layout_cost_entry *entry = entry_of(
        costs, conversion_key(tensor, costs->program->tensor[tensor].rank, layout), &is_new);
    if (!entry) return NAN;
    if (is_new)
        entry->cost.estimate_seconds =
            conversion_estimate(costs->program, tensor, layout, costs->options->rank.machine);
    if (isnan(entry->cost.estimate_seconds)) fail(costs, error_no_memory(&costs->error));
    return entry->cost.estimate_seconds;
}

double layout_costs_paid(const struct layout_costs *costs, int tensor, double seconds) {
    switch (costs->options->conversion) {
    case TCPLAN_CONVERSION_NEVER: return 0;
    case TCPLAN_CONVERSION_ONCE: return seconds / costs->options->uses;
    case TCPLAN_CONVERSION_EACH: return seconds * program_copies(costs->program, tensor);
    }
    return 0;
}
