/*
 * Stored plans as programs use them. A plan is found in memory if this process has used it,
 * otherwise in its file (store/plans_file.h).
 */
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
#include "store/entry.h"
#include "store/plans_file.h"
#include "store/store.h"

enum { DAY_SECONDS = 86400 };

/* Two plans are near only if no extent differs by more than this factor. */
#define NEAR_FACTOR 4.0

/* Additional distance of a plan that was found with another machine, library or version, or long
 * ago: as much as for an extent that differs by a factor of two. */
#define FOREIGN_DISTANCE 1.0

/* Opening. */

/** Returns whether a path is a folder, or is written as one. */
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
    pthread_mutex_init(&plans->lock, NULL);
    if (!plans->file || (folder && !plans->folder)) {
        tcplan_stored_plans_close(plans);
        return error_no_memory(error);
    }
    if (!*plans->file) { /* plans have no file */
        free(plans->file);
        plans->file = NULL;
    }
    *out = plans;
    return TCPLAN_OK;
}

static void forget_known(struct tcplan_stored_plans *plans) {
    for (size_t k = 0; k < PLANS_KNOWN_SLOTS; k++) base_free(plans->known[k]);
    memset((void *)plans->known, 0, sizeof plans->known);
    plans->known_count = 0;
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
    const enum tcplan_status status = plans_refresh(plans, error);
    pthread_mutex_unlock(&plans->lock);
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

const char *tcplan_stored_plans_path(const struct tcplan_stored_plans *plans) {
    return plans->folder ? plans->folder : plans->file;
}

/* Plans in memory. */

static struct known_key known_key_of(const struct tcplan_problem *problem,
                                     const struct tcplan_plan_setup *setup) {
    struct known_key out;
    out.length = plan_key_bytes(out.bytes, problem, setup);
    out.hash = hash_spread(hash_add(HASH_OF_NOTHING, out.bytes, out.length));
    return out;
}

/** Returns the slot of a key in the hash table: the slot of its plan, or the empty slot for it. */
static struct known_plan **slot_of(struct tcplan_stored_plans *plans, const struct known_key *key) {
    size_t at = (size_t)key->hash % PLANS_KNOWN_SLOTS;
    for (;; at = (at + 1) % PLANS_KNOWN_SLOTS) {
        const struct known_plan *known = plans->known[at];
        if (!known) break;
        if (known->key.hash == key->hash && known->key.length == key->length &&
            memcmp(known->key.bytes, key->bytes, key->length) == 0)
            break;
    }
    return &plans->known[at];
}

/** Stores a plan in memory. If memory or the table is full, the plan is read from the file again
 * later. */
static void remember(struct tcplan_stored_plans *plans, const struct known_key *key,
                     const struct tcplan_found_plan *found) {
    if (2 * plans->known_count >= PLANS_KNOWN_SLOTS) forget_known(plans);
    struct known_plan **slot = slot_of(plans, key);
    if (!*slot) {
        *slot = base_alloc(sizeof **slot);
        if (!*slot) return;
        plans->known_count++;
    }
    **slot = (struct known_plan){.key = *key, .found = *found};
}

/* Finding. */

/** Converts a plan to an algorithm of a problem by canonical names. */
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

/** The plan that is searched or stored, in the form of its entry. */
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

/** Records the day on which a plan was used, if possible. */
static void note_use(struct tcplan_stored_plans *plans, const struct tcplan_stored_plan *plan) {
    const int64_t now = store_now(&plans->store);
    struct tcplan_stored_plan used = *plan;
    bool put;
    if (now - plan->used < DAY_SECONDS && !store_is_ahead(&plans->store, plan->used)) return;
    used.used = now;
    plans_put(&put, plans, &used, &plans->store.fingerprint, PLANS_SAME, NULL);
}

static enum tcplan_status find_stored(struct tcplan_found_plan *out,
                                      struct tcplan_stored_plans *plans,
                                      const struct known_key *key,
                                      const struct tcplan_problem *problem,
                                      const struct tcplan_plan_setup *setup, int least_effort,
                                      struct tcplan_error *error) {
    struct wanted wanted;
    struct tcplan_stored_plan plan;
    enum tcplan_status status = want(&wanted, problem, setup, error);
    if (status == TCPLAN_OK)
        status = plans_find(&plan, plans, wanted.key, &plans->store.fingerprint, error);
    if (status != TCPLAN_OK) return status;
    if (!plan_is_same(&plan, &wanted.plan) || plan.effort < least_effort)
        return TCPLAN_NOT_APPLICABLE; /* the plan has the same hash by chance, or was found with too
                                         little effort */
    status = take(out, &plan, &wanted.canonical, error);
    if (status != TCPLAN_OK) return status;
    remember(plans, key, out);
    note_use(plans, &plan);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_stored_plans_find(struct tcplan_found_plan *out,
                                            struct tcplan_stored_plans *plans,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_plan_setup *setup, int least_effort,
                                            struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (!plans->file) return TCPLAN_NOT_APPLICABLE;
    const struct known_key key = known_key_of(problem, setup);
    if (key.length == 0) return TCPLAN_NOT_APPLICABLE;
    pthread_mutex_lock(&plans->lock);
    const struct known_plan *known = *slot_of(plans, &key);
    if (known && known->found.effort >= least_effort) {
        *out = known->found;
    } else {
        status = find_stored(out, plans, &key, problem, setup, least_effort, error);
    }
    pthread_mutex_unlock(&plans->lock);
    return status;
}

/** Returns the distance between the extents of a plan and those of a problem; INFINITY: not
 * near. */
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

/** Inserts a plan among the nearest, unless a nearer one has the same algorithm. */
static size_t insert(struct tcplan_found_plan out[], size_t count, size_t most,
                     const struct tcplan_found_plan *found) {
    size_t at = 0, end = count;
    while (at < count && out[at].distance <= found->distance) {
        if (tcplan_algorithm_equal(&out[at].algorithm, &found->algorithm)) return count;
        at++;
    }
    for (size_t f = at; f < count; f++) {
        if (tcplan_algorithm_equal(&out[f].algorithm, &found->algorithm))
            end = f; /* the plan at f is replaced: it has the same algorithm and is farther away */
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
    struct filed_plans filed = {0};
    struct wanted wanted;
    char alike[PLAN_KEY];
    *count = 0;
    enum tcplan_status status = want(&wanted, problem, setup, error);
    if (status != TCPLAN_OK || most == 0)
        return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    snprintf(alike, sizeof alike, "%.9s", wanted.key);
    pthread_mutex_lock(&plans->lock);
    status = plans_list(&filed, plans, alike, error);
    pthread_mutex_unlock(&plans->lock);
    if (status == TCPLAN_INVALID) status = TCPLAN_OK; /* the file contains no plans */
    for (size_t p = 0; p < filed.count && status == TCPLAN_OK; p++) {
        const struct tcplan_plan_item *item = &filed.plan[p].item;
        struct tcplan_found_plan found;
        const bool is_foreign = item->status == TCPLAN_MISMATCH && *item->name;
        if ((item->status != TCPLAN_OK && !is_foreign) || filed.plan[p].superseded ||
            !plan_is_alike(&item->plan, &wanted.plan))
            continue;
        const double distance = distance_of(&item->plan, problem);
        if (!isfinite(distance) || take(&found, &item->plan, &wanted.canonical, NULL) != TCPLAN_OK)
            continue;
        found.distance = distance + (is_foreign ? FOREIGN_DISTANCE : 0);
        *count = insert(out, *count, most, &found);
    }
    filed_plans_free(&filed);
    return status;
}

/* Keeping. */

/** Completes a plan before storing; TCPLAN_NOT_APPLICABLE if the algorithm's name is too long. */
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

enum tcplan_status tcplan_stored_plans_keep(struct tcplan_stored_plans *plans,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_plan_setup *setup,
                                            const struct tcplan_found_plan *plan,
                                            struct tcplan_error *error) {
    struct wanted wanted;
    bool is_new = false;
    if (!plans->file) return TCPLAN_OK;
    enum tcplan_status status = want(&wanted, problem, setup, error);
    if (status == TCPLAN_OK) status = complete(&wanted, plans, problem, plan, error);
    if (status != TCPLAN_OK) return status;
    const struct known_key key = known_key_of(problem, setup);
    pthread_mutex_lock(&plans->lock);
    status =
        plans_put(&is_new, plans, &wanted.plan, &plans->store.fingerprint, PLANS_AS_GOOD, error);
    if (is_new) {
        struct tcplan_found_plan known = *plan;
        known.made = wanted.plan.made;
        known.distance = 0;
        remember(plans, &key, &known);
    }
    pthread_mutex_unlock(&plans->lock);
    return status;
}

/* Listing and forgetting. */

static int compare_items(const void *a, const void *b) {
    const struct tcplan_plan_item *x = a, *y = b;
    if (x->plan.used != y->plan.used) return x->plan.used > y->plan.used ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum tcplan_status list_locked(struct filed_plans *out, struct tcplan_stored_plans *plans,
                                      struct tcplan_error *error) {
    pthread_mutex_lock(&plans->lock);
    const enum tcplan_status status = plans_list(out, plans, NULL, error);
    pthread_mutex_unlock(&plans->lock);
    return status;
}

enum tcplan_status tcplan_stored_plans_list(struct tcplan_plan_list *out,
                                            struct tcplan_stored_plans *plans,
                                            struct tcplan_error *error) {
    struct filed_plans filed = {0};
    *out = (struct tcplan_plan_list){0};
    enum tcplan_status status = list_locked(&filed, plans, error);
    if (status == TCPLAN_OK) out->item = base_alloc_zero(filed.count + 1, sizeof *out->item);
    if (status == TCPLAN_OK && !out->item) status = error_no_memory(error);
    for (size_t p = 0; p < filed.count && status == TCPLAN_OK; p++) {
        if (!filed.plan[p].superseded) out->item[out->count++] = filed.plan[p].item;
    }
    if (out->item && out->count > 0) qsort(out->item, out->count, sizeof *out->item, compare_items);
    filed_plans_free(&filed);
    return status;
}

void tcplan_plan_list_free(struct tcplan_plan_list *list) {
    base_free(list->item);
    *list = (struct tcplan_plan_list){0};
}

enum tcplan_status tcplan_stored_plans_forget(size_t *count, struct tcplan_stored_plans *plans,
                                              const struct tcplan_plan_choice *choice,
                                              struct tcplan_error *error) {
    pthread_mutex_lock(&plans->lock);
    const enum tcplan_status status = plans_remove(count, plans, choice, error);
    forget_known(plans); /* plans in memory may have been removed from the file */
    pthread_mutex_unlock(&plans->lock);
    return status;
}

/* Exporting. */

enum tcplan_status tcplan_stored_plans_export(char **out, size_t *count,
                                              struct tcplan_stored_plans *plans,
                                              struct tcplan_error *error) {
    struct filed_plans filed = {0};
    struct strbuf text = {0};
    *count = 0;
    pthread_mutex_lock(&plans->lock); /* the lock also protects the text */
    enum tcplan_status status = plans_list(&filed, plans, NULL, error);
    strbuf_add(&text, "%s", "");
    for (size_t p = 0; p < filed.count && status == TCPLAN_OK; p++) {
        const struct filed_plan *plan = &filed.plan[p];
        if (!*plan->item.name || plan->superseded) continue;
        strbuf_append(&text, plan->piece.text, plan->piece.length);
        ++*count;
    }
    pthread_mutex_unlock(&plans->lock);
    filed_plans_free(&filed);
    return strbuf_give(&text, out, status, error);
}

/* Importing. */

/** Imports one piece of a text; TCPLAN_INVALID and TCPLAN_MISMATCH mean that the piece is
 * rejected, and others can follow. */
static enum tcplan_status import_piece(struct tcplan_plan_import *out,
                                       struct tcplan_stored_plans *plans,
                                       const struct plans_piece *piece, const char *text,
                                       struct tcplan_error *error) {
    struct filed_plan read;
    bool added = false;
    plans_read(&read, &plans->store, piece, text);
    enum tcplan_status status = *read.item.name ? TCPLAN_OK : read.item.status;
    if (status != TCPLAN_OK) error_set(error, status, "%s", read.item.reason);
    if (status == TCPLAN_OK)
        status = plans_put(&added, plans, &read.item.plan, &read.fingerprint, PLANS_BETTER, error);
    if (status == TCPLAN_OK && !added) out->known++;
    if (status == TCPLAN_OK && added) out->added++;
    return status;
}

enum tcplan_status tcplan_stored_plans_import(struct tcplan_plan_import *out,
                                              struct tcplan_stored_plans *plans, const char *text,
                                              size_t length, struct tcplan_error *error) {
    struct plans_piece piece;
    struct tcplan_error cause = {0};
    const char *at = text;
    *out = (struct tcplan_plan_import){0};
    if (!plans->file)
        return error_set(error, TCPLAN_ENVIRONMENT, "there is no file or folder for plans");
    enum tcplan_status first = TCPLAN_OK, status = plans_text_check(text, length, error);
    bool refused = true;
    if (status != TCPLAN_OK) return status;
    pthread_mutex_lock(&plans->lock);
    while (refused && plans_next_piece(&piece, &at, text + length, NULL)) {
        status = import_piece(out, plans, &piece, text, &cause);
        if (status == TCPLAN_OK) continue;
        refused = status == TCPLAN_INVALID || status == TCPLAN_MISMATCH;
        out->refused += refused;
        if (first != TCPLAN_OK && refused) continue;
        first = status;
        if (error) *error = cause;
    }
    pthread_mutex_unlock(&plans->lock);
    return first;
}
