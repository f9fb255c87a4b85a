#include "tcplan/stored_plans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "store/plan_key.h"
#include "store/plans_place.h"
#include "store/store.h"

enum { FIRST_KNOWN = 64, MOST_KNOWN = 4096 };

/* An extent that is further off than this factor is not near. */
#define NEAR_FACTOR 4.0

/* Opening. */

/** One that is there, or is said to be one. */
static bool is_folder(const char *path) {
    struct stat status;
    const size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '/') return true;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

enum tcplan_status tcplan_stored_plans_open(struct tcplan_stored_plans **out,
                                            const struct tcplan_store *store, const char *file,
                                            struct tcplan_error *error) {
    struct tcplan_stored_plans *plans = base_alloc_zero(1, sizeof *plans);
    if (!plans) return error_no_memory(error);
    const char *folder = file && is_folder(file) ? file : file ? NULL : store->folder;
    struct strbuf path = {0};
    strbuf_add(&path, "%s%s", folder ? folder : file ? file : "", folder ? "/plans.tcplan" : "");
    plans->store = *store;
    plans->folder = folder ? base_strdup(folder) : NULL;
    plans->store.folder = plans->folder;
    plans->file = strbuf_finish(&path);
    const bool complete = plans->file && (plans->folder || !folder);
    if (!complete || pthread_mutex_init(&plans->lock, NULL) != 0) {
        base_free(plans->folder);
        free(plans->file);
        base_free(plans);
        return error_no_memory(error);
    }
    if (!*plans->file) { /* nowhere */
        free(plans->file);
        plans->file = NULL;
    }
    *out = plans;
    return TCPLAN_OK;
}

static void forget_known(struct tcplan_stored_plans *plans) {
    for (size_t k = 0; k < plans->capacity; k++) base_free(plans->known[k]);
    base_free((void *)plans->known);
    plans->known = NULL;
    plans->count = plans->capacity = 0;
}

void tcplan_stored_plans_close(struct tcplan_stored_plans *plans) {
    if (!plans) return;
    forget_known(plans);
    pthread_mutex_destroy(&plans->lock);
    base_free(plans->text);
    base_free(plans->folder);
    free(plans->file);
    base_free(plans);
}

enum tcplan_status tcplan_stored_plans_check(struct tcplan_stored_plans *plans,
                                             struct tcplan_error *error) {
    pthread_mutex_lock(&plans->lock);
    const enum tcplan_status status = place_check(plans, error);
    pthread_mutex_unlock(&plans->lock);
    return status;
}

const char *tcplan_stored_plans_path(const struct tcplan_stored_plans *plans) {
    return plans->folder ? plans->folder : plans->file;
}

/* Plans in memory. */

/** What a plan is found by in memory. */
struct known_key {
    uint64_t hash;
    size_t length; /**< 0: it is not stored */
    unsigned char bytes[PLAN_KEY_BYTES];
};

static void make_known_key(struct known_key *out, const struct tcplan_problem *problem,
                           const struct tcplan_plan_setup *setup) {
    out->length = plan_key_bytes(out->bytes, problem, setup);
    out->hash = hash_spread(hash_add(HASH_OF_NOTHING, out->bytes, out->length));
}

/** The place of a key in the table, which has room: of the plan, or an empty one. */
static struct known_plan **slot_of(const struct tcplan_stored_plans *plans,
                                   const struct known_key *key) {
    size_t at = (size_t)key->hash & (plans->capacity - 1);
    for (;; at = (at + 1) & (plans->capacity - 1)) {
        const struct known_plan *known = plans->known[at];
        if (!known) break;
        if (known->hash == key->hash && known->length == key->length &&
            memcmp(known->bytes, key->bytes, key->length) == 0)
            break;
    }
    return &plans->known[at];
}

static const struct known_plan *recall(const struct tcplan_stored_plans *plans,
                                       const struct known_key *key) {
    return plans->capacity > 0 ? *slot_of(plans, key) : NULL;
}

/** Makes the table twice as large, and half full at most; false when memory is out. */
static bool grow(struct tcplan_stored_plans *plans) {
    const size_t capacity = plans->capacity > 0 ? 2 * plans->capacity : FIRST_KNOWN;
    struct known_plan **known = base_alloc_zero(capacity, sizeof(struct known_plan *));
    if (!known) return false;
    struct known_plan **old = plans->known;
    const size_t old_capacity = plans->capacity;
    plans->known = known;
    plans->capacity = capacity;
    for (size_t k = 0; k < old_capacity; k++) {
        if (!old[k]) continue;
        size_t at = (size_t)old[k]->hash & (capacity - 1);
        while (known[at]) at = (at + 1) & (capacity - 1);
        known[at] = old[k];
    }
    base_free((void *)old);
    return true;
}

/** Where memory is out, or too much is known, that is no loss: it is read again. */
static void remember(struct tcplan_stored_plans *plans, const struct known_key *key,
                     const struct tcplan_found_plan *found) {
    if (plans->count >= MOST_KNOWN) forget_known(plans);
    if (2 * (plans->count + 1) > plans->capacity && !grow(plans)) return;
    struct known_plan **slot = slot_of(plans, key);
    if (!*slot) {
        struct known_plan *known = base_alloc(sizeof *known + key->length);
        if (!known) return;
        known->hash = key->hash;
        known->length = key->length;
        memcpy(known->bytes, key->bytes, key->length);
        *slot = known;
        plans->count++;
    }
    (*slot)->found = *found;
}

/* Finding. */

/** The plan as an algorithm of a problem, whose canonical names it is in. */
static enum tcplan_status take(struct tcplan_found_plan *out, const struct tcplan_stored_plan *plan,
                               const struct tcplan_contraction *canonical,
                               struct tcplan_error *error) {
    struct tcplan_error cause = {0};
    *out = (struct tcplan_found_plan){.threads =
                                          plan->threads > 0 ? plan->threads : plan->setup.threads,
                                      .effort = plan->effort,
                                      .seconds = plan->seconds,
                                      .low = plan->low,
                                      .high = plan->high,
                                      .workspace_bytes = plan->workspace_bytes,
                                      .made = plan->made};
    const enum tcplan_status status =
        tcplan_algorithm_parse(&out->algorithm, canonical, plan->dtype, plan->algorithm, &cause);
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    if (status == TCPLAN_OK) return status;
    return error_set(error, TCPLAN_INVALID, "the stored plan of '%.80s': %.200s", plan->product,
                     cause.message);
}

/** What is asked for, as texts. */
struct wanted {
    struct tcplan_contraction canonical;
    struct tcplan_stored_plan plan;
    char key[PLAN_KEY];
};

static enum tcplan_status want(struct wanted *out, const struct tcplan_problem *problem,
                               const struct tcplan_plan_setup *setup, struct tcplan_error *error) {
    if (!plan_contraction_of(&out->canonical, problem)) {
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "products of more than %d indices are not stored", TCPLAN_PLAN_INDICES);
    }
    const enum tcplan_status status =
        plan_identify(&out->plan, &out->canonical, problem, setup, error);
    if (status == TCPLAN_OK) plan_key(out->key, &out->plan);
    return status;
}

/** In its place, where another plan with the same key would be a collision of hashes. */
static enum tcplan_status read_stored(struct read_plan *out, struct tcplan_stored_plans *plans,
                                      const struct wanted *wanted, struct tcplan_error *error) {
    const enum tcplan_status status = place_find(out, plans, wanted->key, error);
    return status == TCPLAN_OK && !plan_is_same(&out->plan, &wanted->plan) ? TCPLAN_NOT_APPLICABLE
                                                                           : status;
}

static enum tcplan_status find_stored(struct tcplan_found_plan *out,
                                      struct tcplan_stored_plans *plans,
                                      const struct known_key *key,
                                      const struct tcplan_problem *problem,
                                      const struct tcplan_plan_setup *setup, int least_effort,
                                      struct tcplan_error *error) {
    struct wanted wanted;
    struct read_plan read;
    enum tcplan_status status = want(&wanted, problem, setup, error);
    if (status == TCPLAN_OK) status = read_stored(&read, plans, &wanted, error);
    if (status == TCPLAN_OK && read.plan.effort < least_effort) return TCPLAN_NOT_APPLICABLE;
    if (status == TCPLAN_OK) status = take(out, &read.plan, &wanted.canonical, error);
    if (status != TCPLAN_OK) return status;
    remember(plans, key, out);
    place_use(plans, wanted.key, &read);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_stored_plans_find(struct tcplan_found_plan *out,
                                            struct tcplan_stored_plans *plans,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_plan_setup *setup, int least_effort,
                                            struct tcplan_error *error) {
    struct known_key key;
    enum tcplan_status status = TCPLAN_OK;
    if (!plans->file) return TCPLAN_NOT_APPLICABLE;
    make_known_key(&key, problem, setup);
    if (key.length == 0) return TCPLAN_NOT_APPLICABLE;
    pthread_mutex_lock(&plans->lock);
    const struct known_plan *known = recall(plans, &key);
    if (known && known->found.effort >= least_effort) {
        *out = known->found;
    } else {
        status = find_stored(out, plans, &key, problem, setup, least_effort, error);
    }
    pthread_mutex_unlock(&plans->lock);
    return status;
}

/** How far the extents of a plan are from those of a problem; INFINITY: they are not near. */
static double distance_of(const struct tcplan_stored_plan *plan,
                          const struct tcplan_problem *problem) {
    const int count = problem->contraction->index_count;
    int64_t extent[TCPLAN_MAX_INDICES];
    double distance = 0;
    if (!plan_sizes_read(extent, count, plan->sizes)) return INFINITY;
    for (int i = 0; i < count; i++) {
        if (extent[i] == problem->extent[i]) continue;
        if (extent[i] == 0 || problem->extent[i] == 0) return INFINITY;
        const double off = fabs(log2((double)problem->extent[i] / (double)extent[i]));
        if (off > log2(NEAR_FACTOR)) return INFINITY;
        distance += off;
    }
    return distance;
}

/** Puts a plan among the nearest, unless a nearer one has its algorithm. */
static size_t insert(struct tcplan_found_plan out[], size_t count, size_t most,
                     const struct tcplan_found_plan *found) {
    size_t at = 0, end = count;
    while (at < count && out[at].distance <= found->distance) {
        if (tcplan_algorithm_equal(&out[at].algorithm, &found->algorithm)) return count;
        at++;
    }
    for (size_t f = at; f < count; f++) {
        if (tcplan_algorithm_equal(&out[f].algorithm, &found->algorithm))
            end = f; /* this one is further off */
    }
    if (at >= most) return count;
    if (end == count && count == most) end = most - 1;
    memmove(&out[at + 1], &out[at], (end - at) * sizeof *out);
    out[at] = *found;
    return end == count ? count + 1 : count;
}

enum tcplan_status tcplan_stored_plans_near(struct tcplan_found_plan out[], size_t most,
                                            size_t *count, struct tcplan_stored_plans *plans,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_plan_setup *setup,
                                            struct tcplan_error *error) {
    struct placed_plans placed = {0};
    struct wanted wanted;
    char alike[PLAN_KEY];
    *count = 0;
    enum tcplan_status status = want(&wanted, problem, setup, error);
    if (status != TCPLAN_OK || most == 0)
        return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    snprintf(alike, sizeof alike, "%.9s", wanted.key);
    pthread_mutex_lock(&plans->lock);
    status = place_list(&placed, plans, alike, error);
    pthread_mutex_unlock(&plans->lock);
    if (status == TCPLAN_INVALID) status = TCPLAN_OK; /* a file of something else has none */
    for (size_t p = 0; p < placed.count && status == TCPLAN_OK; p++) {
        const struct tcplan_plan_item *item = &placed.plan[p].item;
        struct tcplan_found_plan found;
        if (item->status != TCPLAN_OK || placed.plan[p].superseded ||
            !plan_is_alike(&item->plan, &wanted.plan))
            continue;
        const double distance = distance_of(&item->plan, problem);
        if (!isfinite(distance) || take(&found, &item->plan, &wanted.canonical, NULL) != TCPLAN_OK)
            continue;
        found.distance = distance;
        *count = insert(out, *count, most, &found);
    }
    placed_plans_free(&placed);
    return status;
}

/* Keeping. */

/** Completes what is stored; TCPLAN_NOT_APPLICABLE where the algorithm's name is too long. */
static enum tcplan_status complete(struct wanted *wanted, const struct tcplan_stored_plans *plans,
                                   const struct tcplan_problem *problem,
                                   const struct tcplan_found_plan *from,
                                   struct tcplan_error *error) {
    struct tcplan_stored_plan *plan = &wanted->plan;
    char *name = tcplan_algorithm_name(&from->algorithm, &wanted->canonical, problem->dtype);
    if (!name) return error_no_memory(error);
    const size_t length = strlen(name);
    snprintf(plan->algorithm, sizeof plan->algorithm, "%s", name);
    free(name);
    if (length >= sizeof plan->algorithm) {
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "the algorithm's name is too long to be stored");
    }
    plan->threads = from->threads;
    plan->effort = from->effort;
    plan->seconds = from->seconds;
    plan->low = fmin(fmax(from->low, 0), from->seconds);
    plan->high = fmax(from->high, from->seconds);
    plan->workspace_bytes = from->workspace_bytes;
    plan->made = plan->used = store_now(&plans->store);
    return TCPLAN_OK;
}

/** A plan that is to be stored. */
struct offer {
    struct tcplan_stored_plans *plans;
    const struct wanted *wanted;
};

/** Whether nothing better, and nothing that is not ours, stands in its place. */
static enum tcplan_status is_better(bool *out, void *context, struct tcplan_error *error) {
    const struct offer *offer = context;
    struct read_plan there = {0};
    const enum tcplan_status status = read_stored(&there, offer->plans, offer->wanted, error);
    *out = false;
    if (status == TCPLAN_OK && there.plan.effort > offer->wanted->plan.effort) return TCPLAN_OK;
    if (status == TCPLAN_NO_MEMORY || status == TCPLAN_ENVIRONMENT) return status;
    *out = true; /* what is damaged, or another's, stands beside it */
    return TCPLAN_OK;
}

enum tcplan_status tcplan_stored_plans_keep(struct tcplan_stored_plans *plans,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_plan_setup *setup,
                                            const struct tcplan_found_plan *plan,
                                            struct tcplan_error *error) {
    struct wanted wanted;
    struct known_key key;
    bool is_new = false;
    if (!plans->file) return TCPLAN_OK;
    enum tcplan_status status = want(&wanted, problem, setup, error);
    if (status == TCPLAN_OK) status = complete(&wanted, plans, problem, plan, error);
    if (status != TCPLAN_OK) return status;
    make_known_key(&key, problem, setup);
    pthread_mutex_lock(&plans->lock);
    struct offer offer = {.plans = plans, .wanted = &wanted};
    const struct plans_condition better = {.holds = is_better, .context = &offer};
    status = place_put(&is_new, plans, &wanted.plan, &plans->store.fingerprint, &better, error);
    if (is_new) {
        struct tcplan_found_plan known = *plan;
        known.made = wanted.plan.made;
        known.distance = 0;
        remember(plans, &key, &known);
    }
    pthread_mutex_unlock(&plans->lock);
    return status;
}
