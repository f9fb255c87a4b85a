#include "store/plans_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/temporary.h"
#include "store/folder.h"
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

/* Version 0.1.0 kept each plan in a file with such a name. */
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

/** Appends the texts of plans that version 0.1.0 kept, and returns the names of their files. Skips
 * damaged ones. */
static struct folder_names read_old(struct strbuf *out, const char *folder) {
    struct folder_names names = {0};
    struct read_plan read;
    size_t taken = 0;
    if (folder_list(&names, folder, NULL) != TCPLAN_OK) names.count = 0;
    for (size_t n = 0; n < names.count; n++) {
        char *text = NULL;
        size_t length = 0;
        if (strncmp(names.name[n], prefix, sizeof prefix - 1) != 0 ||
            folder_read(&text, &length, folder, names.name[n], NULL) != TCPLAN_OK)
            continue;
        if (place_read(&read, text, length, NULL) == TCPLAN_OK) {
            strbuf_append(out, text, length);
            memmove(names.name[taken++], names.name[n], sizeof *names.name);
        }
        base_free(text);
    }
    names.count = taken;
    return names;
}

/** Moves the plans of version 0.1.0 into the file. Two processes that do so at once append the same
 * plans, which is harmless. */
static void adopt(struct tcplan_stored_plans *plans) {
    struct strbuf text = {0};
    struct folder_names names = read_old(&text, plans->folder);
    size_t was;
    bool done = false;
    plans->adopted = true;
    if (text.length > 0 && !text.failed)
        plans_file_append(&done, &was, plans->file, TEMPORARY_OWN, text.text, text.length, NULL,
                          NULL);
    for (size_t n = 0; n < names.count && done; n++)
        folder_remove(plans->folder, names.name[n], NULL);
    folder_names_free(&names);
    strbuf_free(&text);
}

/** The file's text, read again where the file has changed. Status as plans_file_read(). */
static enum tcplan_status refresh(struct tcplan_stored_plans *plans, struct tcplan_error *error) {
    struct plans_stamp stamp;
    if (is_current(&stamp, plans)) return TCPLAN_OK;
    if (stamp.inode == 0 && plans->folder && !plans->adopted) {
        adopt(plans);
        is_current(&stamp, plans);
    }
    base_free(plans->text);
    plans->text = NULL;
    plans->stamp = stamp;
    return plans_file_read(&plans->text, &plans->length, plans->file, error);
}

enum tcplan_status place_check(struct tcplan_stored_plans *plans, struct tcplan_error *error) {
    const enum tcplan_status status = plans->file ? refresh(plans, error) : TCPLAN_OK;
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

static size_t line_number(const char *text, const char *at) {
    size_t number = 1;
    for (const char *newline; (newline = memchr(text, '\n', (size_t)(at - text)));
         text = newline + 1)
        number++;
    return number;
}

/** The last of its entries that is whole and of this machine. */
enum tcplan_status place_find(struct read_plan *out, struct tcplan_stored_plans *plans,
                              const char *key, struct tcplan_error *error) {
    struct plans_piece piece;
    if (!plans->file) return TCPLAN_NOT_APPLICABLE;
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

static enum tcplan_status add_text(struct placed_plans *placed, const struct tcplan_store *store,
                                   const struct plans_piece *piece, struct tcplan_error *error) {
    struct read_plan read;
    struct tcplan_error cause = {0};
    struct placed_plan *added = add(placed);
    if (!added) return error_no_memory(error);
    added->piece = *piece;
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
    if (item->status == TCPLAN_INVALID || (item->status == TCPLAN_MISMATCH && !*item->name)) {
        snprintf(item->reason, sizeof item->reason, "line %zu: %.250s", piece->line, cause.message);
    } else {
        snprintf(item->reason, sizeof item->reason, "%s", cause.message);
    }
    return TCPLAN_OK;
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

/** Whether the head of an entry has a key that begins so. */
static bool is_alike(const struct plans_piece *piece, const char *alike) {
    char word[PLAN_KEY + 8];
    const int length = snprintf(word, sizeof word, " key=%s", alike ? alike : "");
    return !alike || memmem(piece->text, piece->length, word, (size_t)length);
}

static enum tcplan_status list_text(struct placed_plans *out, const struct tcplan_store *store,
                                    const char *text, size_t length, const char *alike,
                                    struct tcplan_error *error) {
    struct plans_scan scan = plans_scan(text, length);
    struct plans_piece piece;
    enum tcplan_status status = TCPLAN_OK;
    while (status == TCPLAN_OK && plans_scan_next(&scan, &piece)) {
        if (is_alike(&piece, alike)) status = add_text(out, store, &piece, error);
    }
    return status == TCPLAN_OK ? mark_superseded(out, error) : status;
}

enum tcplan_status place_list(struct placed_plans *out, struct tcplan_stored_plans *plans,
                              const char *alike, struct tcplan_error *error) {
    const enum tcplan_status status = plans->file ? refresh(plans, error) : TCPLAN_NOT_APPLICABLE;
    if (status == TCPLAN_NOT_APPLICABLE) return TCPLAN_OK;
    return status == TCPLAN_OK
               ? list_text(out, &plans->store, plans->text, plans->length, alike, error)
               : status;
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

/** Marks the plans that match a choice. */
static enum tcplan_status choose(const struct placed_plans *placed,
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
        struct placed_plan *plan = order[p];
        const bool is_live = *plan->item.name && !plan->superseded;
        const bool stays = choice->most > 0 &&
                           (!is_live || met++ < choice->most); /* what is damaged is not counted */
        plan->goes = plan->superseded || (!stays && answers(plan, store, choice));
    }
    base_free(order);
    return TCPLAN_OK;
}

/** Whether half of the bytes would go, or there are too many plans. */
static bool is_worth(const struct placed_plans *placed) {
    size_t live = 0, live_bytes = 0, bytes = 0;
    for (size_t p = 0; p < placed->count; p++) {
        const bool is_live = !placed->plan[p].superseded;
        live += is_live;
        live_bytes += is_live ? placed->plan[p].piece.length : 0;
        bytes += placed->plan[p].piece.length;
    }
    return 2 * live_bytes <= bytes || live > TCPLAN_PLANS_MOST + SPARE;
}

/** Replaces the file, which is locked, by the plans that stay. */
static enum tcplan_status leave(size_t *count, const struct placed_plans *placed, const char *path,
                                struct tcplan_error *error) {
    struct strbuf left = {0};
    size_t going = 0;
    for (size_t p = 0; p < placed->count; p++) {
        const struct plans_piece *piece = &placed->plan[p].piece;
        going += placed->plan[p].goes;
        *count += placed->plan[p].goes && !placed->plan[p].superseded;
        if (placed->plan[p].goes) continue;
        strbuf_append(&left, piece->text, piece->length);
        if (piece->text[piece->length - 1] != '\n') strbuf_append(&left, "\n", 1);
    }
    int reason = left.failed ? ENOMEM : 0;
    if (reason == 0 && going > 0)
        reason = temporary_replace(NULL, path, TEMPORARY_OWN, left.text ? left.text : "",
                                   left.length, -1);
    strbuf_free(&left);
    return reason == 0 ? TCPLAN_OK : folder_refuse("write", path, reason, error);
}

/** @param if_worth  removes nothing unless is_worth() */
static enum tcplan_status remove_plans(size_t *count, const struct tcplan_store *store,
                                       const char *path, const struct tcplan_plan_choice *choice,
                                       bool if_worth, struct tcplan_error *error) {
    struct placed_plans placed = {0};
    char *text = NULL;
    size_t length = 0;
    int descriptor;
    enum tcplan_status status = plans_file_lock(&descriptor, path, 0, 0, error);
    if (status != TCPLAN_OK) return status;
    status = plans_file_read_open(&text, &length, descriptor, path, error);
    if (status == TCPLAN_OK) status = list_text(&placed, store, text, length, NULL, error);
    if (status == TCPLAN_OK) status = choose(&placed, store, choice, error);
    if (status == TCPLAN_OK && (!if_worth || is_worth(&placed)))
        status = leave(count, &placed, path, error);
    close(descriptor);
    placed_plans_free(&placed);
    base_free(text);
    return status;
}

/** Removes plans from the file behind a symbolic link, so that the link stays one. */
static enum tcplan_status remove_from_target(size_t *count, struct tcplan_stored_plans *plans,
                                             const struct tcplan_plan_choice *choice, bool if_worth,
                                             struct tcplan_error *error) {
    char *target = realpath(plans->file, NULL);
    *count = 0;
    if (!target)
        return errno == ENOENT || errno == ENOTDIR
                   ? TCPLAN_OK
                   : folder_refuse("write", plans->file, errno, error);
    const enum tcplan_status status =
        remove_plans(count, &plans->store, target, choice, if_worth, error);
    free(target);
    if (status != TCPLAN_OK) *count = 0;
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

enum tcplan_status place_remove(size_t *count, struct tcplan_stored_plans *plans,
                                const struct tcplan_plan_choice *choice,
                                struct tcplan_error *error) {
    *count = 0;
    if (!plans->file) return TCPLAN_OK;
    if (plans->folder) refresh(plans, NULL); /* plans of version 0.1.0 */
    return remove_from_target(count, plans, choice, false, error);
}

/* Adding. */

/** Beyond the bound those go that were not used for longest; what cannot be removed stays. */
static void trim_file(struct tcplan_stored_plans *plans) {
    const struct tcplan_plan_choice choice = {.most = TCPLAN_PLANS_MOST};
    size_t count;
    remove_from_target(&count, plans, &choice, true, NULL);
}

static enum tcplan_status put_text(bool *put, struct tcplan_stored_plans *plans, const char *text,
                                   const struct plans_condition *condition,
                                   struct tcplan_error *error) {
    const size_t length = strlen(text);
    size_t was = 0;
    enum tcplan_status status = plans->folder ? folder_make(plans->folder, error) : TCPLAN_OK;
    if (status == TCPLAN_OK)
        status =
            plans_file_append(put, &was, plans->file, plans->folder ? TEMPORARY_OWN : TEMPORARY_NEW,
                              text, length, condition, error);
    if (status == TCPLAN_OK && *put && was / GROWN_BYTES != (was + length) / GROWN_BYTES)
        trim_file(plans);
    return status;
}

enum tcplan_status place_put(bool *put, struct tcplan_stored_plans *plans,
                             const struct tcplan_stored_plan *plan,
                             const struct tcplan_fingerprint *fingerprint,
                             const struct plans_condition *condition, struct tcplan_error *error) {
    struct entry entry = {
        .made = plan->made, .fingerprint = *fingerprint, .kind = &store_kind_plans};
    *put = false;
    if (!plans->file) return TCPLAN_OK;
    plan_key(entry.key, plan);
    char *text = entry_text(&entry, plan);
    if (!text) return error_no_memory(error);
    const enum tcplan_status status = put_text(put, plans, text, condition, error);
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
    if (now - read->plan.used >= DAY_SECONDS || store_is_ahead(&plans->store, read->plan.used)) {
        struct use use = {.plans = plans, .key = key, .read = read};
        const struct plans_condition unchanged = {.holds = is_unchanged, .context = &use};
        struct tcplan_stored_plan plan = read->plan;
        bool put;
        plan.used = now;
        place_put(&put, plans, &plan, &plans->store.fingerprint, &unchanged, NULL);
    }
}
