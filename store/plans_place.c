#include "store/plans_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "store/kind_plans.h"
#include "store/kinds.h"
#include "store/plan_key.h"
#include "store/plans_file.h"
#include "store/store.h"

enum { DAY_SECONDS = 86400, FIRST_PLACED = 64, LEAST_NAME = 4 };

/* Superseded entries go when a file has grown by this much, and they are half of it. */
enum { GROWN_BYTES = 64 << 10 };

/* So many more than the bound before some go, so that not every plan that is added has all others
 * looked at. */
enum { SPARE = TCPLAN_PLANS_MOST / 20 };

static const char prefix[] = "plans-";

/* Reading. */

enum tcplan_status place_read(struct read_plan *out, const char *text, size_t length,
                              struct tcplan_error *error) {
    enum tcplan_status status = entry_read(&out->entry, text, length, error);
    if (status == TCPLAN_OK && out->entry.kind != &store_kind_plans) {
        status = error_set(error, TCPLAN_INVALID, "it holds %s, not a plan", out->entry.kind->name);
    }
    if (status == TCPLAN_OK) status = entry_value(&out->plan, &out->entry, error);
    if (status != TCPLAN_OK) return status;
    out->plan.made = out->entry.made;
    if (out->plan.used == 0)
        out->plan.used =
            out->plan.made; /* otherwise it may lie before, as the clock was set back */
    return TCPLAN_OK;
}

static enum tcplan_status find_in_folder(struct read_plan *out,
                                         const struct tcplan_stored_plans *plans, const char *key,
                                         struct tcplan_error *error) {
    char name[TCPLAN_STORE_NAME];
    char *text = NULL;
    size_t length = 0;
    store_name(name, &plans->store, &store_kind_plans, key);
    enum tcplan_status status = folder_read(&text, &length, plans->folder, name, error);
    if (status == TCPLAN_NOT_APPLICABLE) return status;
    if (status == TCPLAN_OK) status = place_read(out, text, length, error);
    if (status == TCPLAN_OK) status = store_check_use(&plans->store, &out->entry, error);
    if (status == TCPLAN_INVALID || status == TCPLAN_MISMATCH) store_blame(name, error);
    base_free(text);
    return status;
}

/** Whether the file's text is in memory as it is now; `stamp` receives what the file is like now.
 */
static bool is_current(struct plans_stamp *stamp, const struct tcplan_stored_plans *plans) {
    struct stat found = {0};
    const bool is_there = stat(plans->file, &found) == 0;
    const struct plans_stamp *was = &plans->stamp;
    *stamp = (struct plans_stamp){
        .inode = found.st_ino, .size = found.st_size, .changed = found.st_mtim};
    return is_there && plans->text && was->inode == stamp->inode && was->size == stamp->size &&
           was->changed.tv_sec == stamp->changed.tv_sec &&
           was->changed.tv_nsec == stamp->changed.tv_nsec;
}

/** The file's text, read again where the file has changed. Status as plans_file_read(). */
static enum tcplan_status refresh(struct tcplan_stored_plans *plans, struct tcplan_error *error) {
    struct plans_stamp stamp;
    if (is_current(&stamp, plans)) return TCPLAN_OK;
    base_free(plans->text);
    plans->text = NULL;
    plans->stamp = stamp;
    return plans_file_read(&plans->text, &plans->length, plans->file, error);
}

enum tcplan_status place_check(struct tcplan_stored_plans *plans, struct tcplan_error *error) {
    const enum tcplan_status status = plans->file ? refresh(plans, error) : TCPLAN_OK;
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

/** Whether a piece is a plan that is whole and of this machine. */
static bool is_usable(struct read_plan *out, const struct tcplan_stored_plans *plans,
                      const struct plans_piece *piece) {
    return place_read(out, piece->text, piece->length, NULL) == TCPLAN_OK &&
           store_check_use(&plans->store, &out->entry, NULL) == TCPLAN_OK;
}

static size_t line_number(const char *text, const char *at) {
    size_t number = 1;
    for (const char *newline; (newline = memchr(text, '\n', (size_t)(at - text)));
         text = newline + 1)
        number++;
    return number;
}

/** The last of its entries that is whole and of this machine. */
static enum tcplan_status search_text(struct read_plan *out, struct tcplan_stored_plans *plans,
                                      const char *key, struct tcplan_error *error) {
    struct plans_piece piece;
    enum tcplan_status status = refresh(plans, error);
    if (status != TCPLAN_OK) return status;
    const char *before = plans->text + plans->length;
    struct tcplan_error cause = {0};
    for (status = TCPLAN_NOT_APPLICABLE; plans_find_last(&piece, plans->text, before, key);
         before = piece.text) {
        enum tcplan_status found = place_read(out, piece.text, piece.length, &cause);
        if (found == TCPLAN_OK && store_check_use(&plans->store, &out->entry, NULL) == TCPLAN_OK)
            return TCPLAN_OK;
        if (found == TCPLAN_NO_MEMORY) return error_no_memory(error);
        if (found == TCPLAN_OK) continue; /* of another machine */
        status = error_set(error, found, "'%.120s', line %zu: %.160s", plans->file,
                           line_number(plans->text, piece.text), cause.message);
    }
    return status;
}

/** The last entry of a key is most often the one that is meant: then the file need not be read as a
 * whole. */
static enum tcplan_status find_in_file(struct read_plan *out, struct tcplan_stored_plans *plans,
                                       const char *key, struct tcplan_error *error) {
    struct plans_stamp stamp;
    struct plans_piece last;
    char window[PLANS_WINDOW];
    if (is_current(&stamp, plans)) return search_text(out, plans, key, error);
    const enum tcplan_status status = plans_file_find(&last, window, plans->file, key, error);
    if (status != TCPLAN_OK) return status;
    return last.text && is_usable(out, plans, &last) ? TCPLAN_OK
                                                     : search_text(out, plans, key, error);
}

enum tcplan_status place_find(struct read_plan *out, struct tcplan_stored_plans *plans,
                              const char *key, struct tcplan_error *error) {
    if (plans->file) return find_in_file(out, plans, key, error);
    return plans->folder ? find_in_folder(out, plans, key, error) : TCPLAN_NOT_APPLICABLE;
}

/* Listing. */

static uint64_t machine_of(const struct tcplan_fingerprint *fingerprint) {
    uint64_t hash = HASH_OF_NOTHING;
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        hash = hash_add(hash, fingerprint->part[p], strlen(fingerprint->part[p]) + 1);
    return hash;
}

/** What is wrong with a plan beyond its entry. */
static enum tcplan_status check(const struct tcplan_store *store, const struct read_plan *read,
                                struct tcplan_error *error) {
    char key[PLAN_KEY];
    struct tcplan_algorithm algorithm;
    plan_key(key, &read->plan);
    if (strcmp(key, read->entry.key) != 0)
        return error_set(error, TCPLAN_INVALID, "its key '%.40s' is another plan's",
                         read->entry.key);
    const enum tcplan_status status = plan_check(&algorithm, &read->plan, error);
    return status == TCPLAN_OK ? store_check_use(store, &read->entry, error) : status;
}

static struct placed_plan *add(struct placed_plans *placed) {
    if (placed->count == placed->capacity) {
        const size_t capacity = placed->capacity > 0 ? 2 * placed->capacity : FIRST_PLACED;
        struct placed_plan *grown = base_realloc(placed->plan, capacity * sizeof *grown);
        if (!grown) return NULL;
        placed->plan = grown;
        placed->capacity = capacity;
    }
    struct placed_plan *added = &placed->plan[placed->count++];
    *added = (struct placed_plan){0};
    return added;
}

/** @param name  of its file; empty: none */
static enum tcplan_status add_text(struct placed_plans *placed, const struct tcplan_store *store,
                                   const struct plans_piece *piece, const char *name,
                                   struct tcplan_error *error) {
    struct read_plan read;
    struct tcplan_error cause = {0};
    struct placed_plan *added = add(placed);
    if (!added) return error_no_memory(error);
    struct tcplan_plan_item *item = &added->item;
    item->status = place_read(&read, piece->text, piece->length, &cause);
    if (item->status == TCPLAN_OK) {
        item->plan = read.plan;
        item->status = check(store, &read, &cause);
        const char *hyphen = strchr(read.entry.key, '-');
        if (item->status != TCPLAN_INVALID)
            snprintf(item->name, sizeof item->name, "%.16s", hyphen ? hyphen + 1 : "");
        snprintf(item->machine, sizeof item->machine, "%s",
                 read.entry.fingerprint.part[TCPLAN_FINGERPRINT_CPU]);
        added->fingerprint = read.entry.fingerprint;
        added->machine = machine_of(&read.entry.fingerprint);
    }
    if (item->status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    snprintf(added->name, sizeof added->name, "%s", name);
    if (item->status == TCPLAN_INVALID || (item->status == TCPLAN_MISMATCH && !*item->name)) {
        char line[40];
        snprintf(line, sizeof line, "line %zu", piece->line);
        snprintf(item->reason, sizeof item->reason, "%.60s: %.250s", *name ? name : line,
                 cause.message);
    } else {
        snprintf(item->reason, sizeof item->reason, "%s", cause.message);
    }
    return TCPLAN_OK;
}

static enum tcplan_status list_folder(struct placed_plans *out,
                                      const struct tcplan_stored_plans *plans, const char *alike,
                                      struct tcplan_error *error) {
    struct folder_names names = {0};
    enum tcplan_status status = folder_list(&names, plans->folder, error);
    const size_t length = alike ? strlen(alike) : 0;
    for (size_t n = 0; n < names.count && status == TCPLAN_OK; n++) {
        struct plans_piece piece = {.line = 1};
        char *text = NULL;
        if (strncmp(names.name[n], prefix, sizeof prefix - 1) != 0) continue;
        if (alike && strncmp(names.name[n] + sizeof prefix - 1, alike, length) != 0) continue;
        const enum tcplan_status read =
            folder_read(&text, &piece.length, plans->folder, names.name[n], NULL);
        piece.text = text ? text : "";
        if (read == TCPLAN_NO_MEMORY) status = error_no_memory(error);
        if (read != TCPLAN_NOT_APPLICABLE && status == TCPLAN_OK)
            status = add_text(out, &plans->store, &piece, names.name[n], error);
        if (read == TCPLAN_OK && status == TCPLAN_OK) {
            struct tcplan_stored_plan *plan = &out->plan[out->count - 1].item.plan;
            const int64_t touched = folder_file_of(plans->folder, names.name[n]).touched;
            if (touched > 0) plan->used = touched;
        }
        base_free(text);
    }
    folder_names_free(&names);
    return status;
}

static int compare_age(const struct placed_plan *x, const struct placed_plan *y) {
    return (x->item.plan.used < y->item.plan.used) - (x->item.plan.used > y->item.plan.used);
}

/** Equal plans together, the later first. */
static int compare_plans(const void *a, const void *b) {
    const struct placed_plan *x = *(struct placed_plan *const *)a,
                             *y = *(struct placed_plan *const *)b;
    const int names = strcmp(x->item.name, y->item.name);
    if (names != 0) return names;
    if (x->machine != y->machine) return x->machine < y->machine ? -1 : 1;
    return x > y ? -1 : x < y;
}

/** Marks all but the last of equal plans; damaged ones have no name. */
static enum tcplan_status mark_superseded(const struct placed_plans *placed,
                                          struct tcplan_error *error) {
    struct placed_plan **order = base_alloc((placed->count + 1) * sizeof(struct placed_plan *));
    if (!order) return error_no_memory(error);
    for (size_t p = 0; p < placed->count; p++) order[p] = &placed->plan[p];
    qsort(order, placed->count, sizeof(struct placed_plan *), compare_plans);
    for (size_t p = 1; p < placed->count; p++) {
        const struct placed_plan *before = order[p - 1];
        order[p]->superseded = *order[p]->item.name &&
                               strcmp(order[p]->item.name, before->item.name) == 0 &&
                               order[p]->machine == before->machine;
    }
    base_free(order);
    return TCPLAN_OK;
}

static enum tcplan_status list_pieces(struct placed_plans *out, const struct tcplan_store *store,
                                      const struct plans_piece piece[], size_t count,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t p = 0; p < count && status == TCPLAN_OK; p++)
        status = add_text(out, store, &piece[p], "", error);
    return status == TCPLAN_OK ? mark_superseded(out, error) : status;
}

static enum tcplan_status list_file(struct placed_plans *out, struct tcplan_stored_plans *plans,
                                    struct tcplan_error *error) {
    enum tcplan_status status = refresh(plans, error);
    if (status == TCPLAN_NOT_APPLICABLE) return TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    struct plans_scan scan = plans_scan(plans->text, plans->length);
    struct plans_piece piece;
    while (status == TCPLAN_OK && plans_scan_next(&scan, &piece))
        status = add_text(out, &plans->store, &piece, "", error);
    return status == TCPLAN_OK ? mark_superseded(out, error) : status;
}

enum tcplan_status place_list(struct placed_plans *out, struct tcplan_stored_plans *plans,
                              const char *alike, struct tcplan_error *error) {
    if (plans->file) return list_file(out, plans, error);
    return plans->folder ? list_folder(out, plans, alike, error) : TCPLAN_OK;
}

void placed_plans_free(struct placed_plans *placed) {
    base_free(placed->plan);
    *placed = (struct placed_plans){0};
}

/* Removing. */

/** Later ones first; what a clock that ran ahead left behind is last, as it would never come to its
 * turn. */
static int compare_used(const void *a, const void *b) {
    const struct placed_plan *x = *(struct placed_plan *const *)a,
                             *y = *(struct placed_plan *const *)b;
    const int ages = compare_age(x, y);
    if (x->is_ahead != y->is_ahead) return x->is_ahead ? 1 : -1;
    return ages != 0 ? ages : x > y ? -1 : x < y;
}

static bool answers(const struct placed_plan *plan, const struct tcplan_store *store,
                    const struct tcplan_plan_choice *choice) {
    const double days = ((double)store_now(store) - (double)plan->item.plan.used) / DAY_SECONDS;
    if (choice->name && (strlen(choice->name) < LEAST_NAME ||
                         strncmp(plan->item.name, choice->name, strlen(choice->name)) != 0))
        return false;
    if (choice->unusable && plan->item.status == TCPLAN_OK) return false;
    return !(choice->least_days > 0) || (plan->item.plan.used > 0 && days >= choice->least_days);
}

enum tcplan_status place_choose(bool goes[], const struct placed_plans *placed,
                                const struct tcplan_store *store,
                                const struct tcplan_plan_choice *choice,
                                struct tcplan_error *error) {
    int64_t met = 0;
    struct placed_plan **order = base_alloc((placed->count + 1) * sizeof(struct placed_plan *));
    if (!order) return error_no_memory(error);
    for (size_t p = 0; p < placed->count; p++) {
        order[p] = &placed->plan[p];
        order[p]->is_ahead = store_is_ahead(store, order[p]->item.plan.used);
    }
    qsort(order, placed->count, sizeof(struct placed_plan *), compare_used);
    for (size_t p = 0; p < placed->count; p++) { /* those that were used last first */
        const struct placed_plan *plan = order[p];
        const bool is_live = *plan->item.name && !plan->superseded;
        const bool stays = choice->most > 0 &&
                           (!is_live || met++ < choice->most); /* what is damaged is not counted */
        goes[plan - placed->plan] = plan->superseded || (!stays && answers(plan, store, choice));
    }
    base_free(order);
    return TCPLAN_OK;
}

/** What is removed from a file. */
struct removal {
    const struct tcplan_store *store;
    const struct tcplan_plan_choice *choice;
    size_t count;  /**< plans, not counting superseded entries */
    bool if_worth; /**< nothing is removed unless it is half of the bytes, or there are too many */
};

static bool is_worth(const struct placed_plans *placed, const struct plans_piece piece[]) {
    size_t live = 0, live_bytes = 0, bytes = 0;
    for (size_t p = 0; p < placed->count; p++) {
        const bool is_live = !placed->plan[p].superseded;
        live += is_live;
        live_bytes += is_live ? piece[p].length : 0;
        bytes += piece[p].length;
    }
    return 2 * live_bytes <= bytes || live > TCPLAN_PLANS_MOST + SPARE;
}

/** A plans_choose_fn. */
static enum tcplan_status choose(bool stays[], const struct plans_piece piece[], size_t count,
                                 void *context, struct tcplan_error *error) {
    struct removal *removal = context;
    struct placed_plans placed = {0};
    enum tcplan_status status = list_pieces(&placed, removal->store, piece, count, error);
    if (status == TCPLAN_OK)
        status = place_choose(stays, &placed, removal->store, removal->choice, error);
    const bool any =
        status == TCPLAN_OK && placed.plan && (!removal->if_worth || is_worth(&placed, piece));
    for (size_t p = 0; p < count; p++) {
        const bool goes = any && stays[p];
        if (goes && !placed.plan[p].superseded) removal->count++;
        stays[p] = !goes;
    }
    placed_plans_free(&placed);
    return status;
}

/** With the folder's lock. */
static enum tcplan_status remove_files(size_t *count, struct tcplan_stored_plans *plans,
                                       const struct tcplan_plan_choice *choice,
                                       struct tcplan_error *error) {
    struct placed_plans placed = {0};
    enum tcplan_status status = place_list(&placed, plans, NULL, error);
    bool *goes = base_alloc_zero(placed.count + 1, sizeof *goes);
    if (status == TCPLAN_OK && !goes) status = error_no_memory(error);
    if (status == TCPLAN_OK && goes)
        status = place_choose(goes, &placed, &plans->store, choice, error);
    for (size_t p = 0; p < placed.count && goes && status == TCPLAN_OK; p++) {
        if (!goes[p]) continue;
        status = folder_remove(plans->folder, placed.plan[p].name, error);
        *count += status == TCPLAN_OK;
    }
    base_free(goes);
    placed_plans_free(&placed);
    return status;
}

static enum tcplan_status remove_from_folder(size_t *count, struct tcplan_stored_plans *plans,
                                             const struct tcplan_plan_choice *choice,
                                             struct tcplan_error *error) {
    struct stat found;
    int lock = -1;
    if (stat(plans->folder, &found) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return TCPLAN_OK; /* nothing has to be made */
    enum tcplan_status status = folder_lock(&lock, plans->folder, error);
    if (status != TCPLAN_OK) return status;
    status = remove_files(count, plans, choice, error);
    folder_unlock(lock);
    return status;
}

enum tcplan_status place_remove(size_t *count, struct tcplan_stored_plans *plans,
                                const struct tcplan_plan_choice *choice,
                                struct tcplan_error *error) {
    struct removal removal = {.store = &plans->store, .choice = choice};
    *count = 0;
    if (!plans->file)
        return plans->folder ? remove_from_folder(count, plans, choice, error) : TCPLAN_OK;
    const enum tcplan_status status = plans_file_thin(plans->file, choose, &removal, error);
    if (status == TCPLAN_OK) *count = removal.count;
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

/* Adding. */

/** Beyond the bound those go that were not used for longest; what cannot be removed stays. */
static void trim_folder(struct tcplan_stored_plans *plans) {
    struct folder_names names = {0};
    size_t count = 0, removed = 0;
    if (folder_list(&names, plans->folder, NULL) != TCPLAN_OK) names.count = 0;
    for (size_t n = 0; n < names.count; n++)
        count += strncmp(names.name[n], prefix, sizeof prefix - 1) == 0;
    folder_names_free(&names);
    const struct tcplan_plan_choice choice = {.most = TCPLAN_PLANS_MOST};
    if (count > TCPLAN_PLANS_MOST + SPARE) remove_from_folder(&removed, plans, &choice, NULL);
}

static void trim_file(struct tcplan_stored_plans *plans) {
    const struct tcplan_plan_choice choice = {.most = TCPLAN_PLANS_MOST};
    struct removal removal = {.store = &plans->store, .choice = &choice, .if_worth = true};
    plans_file_thin(plans->file, choose, &removal, NULL);
}

static enum tcplan_status put_text(bool *put, struct tcplan_stored_plans *plans, const char *name,
                                   const char *text, int64_t used,
                                   const struct folder_condition *condition,
                                   struct tcplan_error *error) {
    const size_t length = strlen(text);
    size_t was = 0;
    if (plans->file) {
        const enum tcplan_status status =
            plans_file_append(put, &was, plans->file, text, length, condition, error);
        if (status == TCPLAN_OK && *put && was / GROWN_BYTES != (was + length) / GROWN_BYTES)
            trim_file(plans);
        return status;
    }
    enum tcplan_status status = folder_make(plans->folder, error);
    if (status == TCPLAN_OK)
        status = folder_replace_if(put, plans->folder, name, text, length, condition, error);
    if (status != TCPLAN_OK || !*put) return status;
    folder_touch(plans->folder, name, used);
    trim_folder(plans);
    return TCPLAN_OK;
}

enum tcplan_status place_put(bool *put, struct tcplan_stored_plans *plans,
                             const struct tcplan_stored_plan *plan,
                             const struct tcplan_fingerprint *fingerprint,
                             const struct folder_condition *condition, struct tcplan_error *error) {
    struct entry entry = {
        .made = plan->made, .fingerprint = *fingerprint, .kind = &store_kind_plans};
    struct tcplan_store of = plans->store;
    char key[PLAN_KEY], name[TCPLAN_STORE_NAME];
    *put = false;
    if (!plans->file && !plans->folder) return TCPLAN_OK;
    plan_key(key, plan);
    snprintf(entry.key, sizeof entry.key, "%s", key);
    of.fingerprint = *fingerprint;
    store_name(name, &of, &store_kind_plans, key);
    char *text = entry_text(&entry, plan);
    if (!text) return error_no_memory(error);
    const enum tcplan_status status =
        put_text(put, plans, name, text, plan->used, condition, error);
    free(text);
    return status;
}

/** A plan that was used, and where it stands. */
struct use {
    struct tcplan_stored_plans *plans;
    const char *key;
    const struct read_plan *read;
};

/** Whether it is still the one that stands there. */
static enum tcplan_status is_unchanged(bool *out, void *context, struct tcplan_error *error) {
    const struct use *use = context;
    struct read_plan there = {0};
    const enum tcplan_status status = place_find(&there, use->plans, use->key, error);
    *out = status == TCPLAN_OK && there.plan.effort == use->read->plan.effort &&
           there.plan.made == use->read->plan.made;
    return TCPLAN_OK;
}

void place_use(struct tcplan_stored_plans *plans, const char *key, const struct read_plan *read) {
    const int64_t now = store_now(&plans->store);
    if (!plans->file) {
        char name[TCPLAN_STORE_NAME];
        store_name(name, &plans->store, &store_kind_plans, key);
        folder_touch(plans->folder, name, now);
    } else if (now - read->plan.used >= DAY_SECONDS ||
               store_is_ahead(&plans->store, read->plan.used)) {
        struct use use = {.plans = plans, .key = key, .read = read};
        const struct folder_condition unchanged = {.holds = is_unchanged, .context = &use};
        struct tcplan_stored_plan plan = read->plan;
        bool put;
        plan.used = now;
        place_put(&put, plans, &plan, &plans->store.fingerprint, &unchanged, NULL);
    }
}
