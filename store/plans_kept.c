#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "store/kind_plans.h"
#include "store/plan_key.h"
#include "store/plans_file.h"
#include "store/plans_place.h"
#include "store/store.h"

/* Listing. */

static int compare_items(const void *a, const void *b) {
    const struct tcplan_plan_item *x = a, *y = b;
    if (x->plan.used != y->plan.used) return x->plan.used > y->plan.used ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum tcplan_status list_locked(struct placed_plans *out, struct tcplan_stored_plans *plans,
                                      struct tcplan_error *error) {
    pthread_mutex_lock(&plans->lock);
    const enum tcplan_status status = place_list(out, plans, NULL, error);
    pthread_mutex_unlock(&plans->lock);
    return status;
}

enum tcplan_status tcplan_stored_plans_list(struct tcplan_plan_list *out,
                                            struct tcplan_stored_plans *plans,
                                            struct tcplan_error *error) {
    struct placed_plans placed = {0};
    *out = (struct tcplan_plan_list){0};
    enum tcplan_status status = list_locked(&placed, plans, error);
    if (status == TCPLAN_OK) out->item = base_alloc_zero(placed.count + 1, sizeof *out->item);
    if (status == TCPLAN_OK && !out->item) status = error_no_memory(error);
    for (size_t p = 0; p < placed.count && status == TCPLAN_OK; p++) {
        if (!placed.plan[p].superseded) out->item[out->count++] = placed.plan[p].item;
    }
    if (out->item && out->count > 0) qsort(out->item, out->count, sizeof *out->item, compare_items);
    placed_plans_free(&placed);
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
    const enum tcplan_status status = place_remove(count, plans, choice, error);
    for (size_t k = 0; k < plans->capacity; k++) { /* what is in memory may be one of them */
        base_free(plans->known[k]);
        plans->known[k] = NULL;
    }
    plans->count = 0;
    pthread_mutex_unlock(&plans->lock);
    return status;
}

/* Exporting. */

static enum tcplan_status add_text(struct strbuf *out, const struct placed_plan *placed,
                                   struct tcplan_error *error) {
    struct entry entry = {.made = placed->item.plan.made,
                          .fingerprint = placed->fingerprint,
                          .kind = &store_kind_plans};
    plan_key(entry.key, &placed->item.plan);
    char *text = entry_text(&entry, &placed->item.plan);
    if (!text) return error_no_memory(error);
    strbuf_append(out, text, strlen(text));
    free(text);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_stored_plans_export(char **out, size_t *count,
                                              struct tcplan_stored_plans *plans,
                                              struct tcplan_error *error) {
    struct placed_plans placed = {0};
    struct strbuf text = {0};
    *count = 0;
    enum tcplan_status status = list_locked(&placed, plans, error);
    strbuf_add(&text, "%s", "");
    for (size_t p = 0; p < placed.count && status == TCPLAN_OK; p++) {
        if (!*placed.plan[p].item.name || placed.plan[p].superseded) continue;
        status = add_text(&text, &placed.plan[p], error);
        *count += status == TCPLAN_OK;
    }
    placed_plans_free(&placed);
    return strbuf_give(&text, out, status, error);
}

/* Importing. */

/** A plan that is to be added. */
struct import {
    struct tcplan_stored_plans *plans;
    const struct read_plan *read;
};

/** Whether what is there for the same machine, if anything, was found with less effort. */
static enum tcplan_status is_new(bool *out, void *context, struct tcplan_error *error) {
    const struct import *import = context;
    struct tcplan_stored_plans *plans = import->plans;
    const struct read_plan *read = import->read;
    const struct tcplan_fingerprint own = plans->store.fingerprint;
    struct read_plan there = {0};
    plans->store.fingerprint = read->entry.fingerprint; /* that machine's view of the place */
    const enum tcplan_status status = place_find(&there, plans, read->entry.key, error);
    plans->store.fingerprint = own;
    *out = status != TCPLAN_OK || !plan_is_same(&there.plan, &read->plan) ||
           there.plan.effort < read->plan.effort;
    if (status == TCPLAN_INVALID || status == TCPLAN_MISMATCH)
        return TCPLAN_OK; /* it stands beside it */
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

static enum tcplan_status check(const struct plans_piece *piece, struct read_plan *read,
                                struct tcplan_error *error) {
    struct tcplan_algorithm algorithm;
    char key[PLAN_KEY];
    enum tcplan_status status = place_read(read, piece->text, piece->length, error);
    if (status == TCPLAN_OK) status = plan_check(&algorithm, &read->plan, error);
    if (status != TCPLAN_OK) return status;
    plan_key(key, &read->plan);
    if (strcmp(key, read->entry.key) == 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "its key '%.40s' is another plan's", read->entry.key);
}

/** TCPLAN_INVALID and TCPLAN_MISMATCH: the piece is refused. */
static enum tcplan_status import_piece(struct tcplan_plan_import *out,
                                       struct tcplan_stored_plans *plans,
                                       const struct plans_piece *piece,
                                       struct tcplan_error *error) {
    struct read_plan read;
    struct import import = {.plans = plans, .read = &read};
    const struct plans_condition new = {.holds = is_new, .context = &import};
    bool added = false;
    enum tcplan_status status = check(piece, &read, error);
    if (status == TCPLAN_OK)
        status = place_put(&added, plans, &read.plan, &read.entry.fingerprint, &new, error);
    if (status == TCPLAN_INVALID || status == TCPLAN_MISMATCH) out->refused++;
    if (status == TCPLAN_OK && !added) out->known++;
    if (status == TCPLAN_OK && added) out->added++;
    return status;
}

enum tcplan_status tcplan_stored_plans_import(struct tcplan_plan_import *out,
                                              struct tcplan_stored_plans *plans, const char *text,
                                              size_t length, struct tcplan_error *error) {
    struct plans_scan scan = plans_scan(text, length);
    struct plans_piece piece;
    struct tcplan_error cause = {0};
    *out = (struct tcplan_plan_import){0};
    if (!plans->file) return error_set(error, TCPLAN_ENVIRONMENT, "there is no place for plans");
    enum tcplan_status first = TCPLAN_OK, status = plans_file_check(text, length, error);
    if (status != TCPLAN_OK) return status;
    pthread_mutex_lock(&plans->lock);
    while (plans_scan_next(&scan, &piece)) {
        status = import_piece(out, plans, &piece, &cause);
        const bool refused = status == TCPLAN_INVALID || status == TCPLAN_MISMATCH;
        if (status != TCPLAN_OK && (first == TCPLAN_OK || !refused)) {
            first = status;
            if (error) *error = cause;
            if (refused && error)
                error_set(error, status, "line %zu: %.280s", piece.line, cause.message);
        }
        if (status != TCPLAN_OK && !refused) break;
    }
    pthread_mutex_unlock(&plans->lock);
    return first;
}
