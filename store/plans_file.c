/*
 * The file of plans is append-only, and its text is the index: a plan's entry is found by searching
 * the text for its key; the last complete entry of a plan and a machine counts. A lookup takes the
 * time to search the file, at most some 2000 entries of 700 bytes, and parses only matches. The
 * text stays in memory until the file changes.
 *
 * Invariant: a writer holds the lock of the file (flock) and decides by the file's content at that
 * time. An entry is written by one call and removed again if that fails. If a crash truncates a
 * write, or bytes are changed, one entry is damaged and all others are intact. When the file has
 * grown by 64 KiB, and half of it is superseded or there are too many plans, it is replaced by the
 * entries that still count.
 */
#include "store/plans_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/temporary.h"
#include "store/folder.h"
#include "store/store.h"

enum { DAY_SECONDS = 86400, LEAST_NAME = 4, WAITS = 3000 };

/* The growth after which the file is checked for superseded entries. */
enum { GROWN_BYTES = 64 << 10 };

/* The number of plans beyond the limit that are tolerated before some are removed, so that not
 * every further plan triggers a removal. */
enum { SPARE = TCPLAN_PLANS_MOST / 20 };

/* Beginning of the names of plans' files in version 0.1.0, in which each plan had its own file. */
static const char prefix[] = "plans-";

static const char magic[] = "tcplan store ";
static const char head[] = "tcplan store 1\nentry kind=plans ";
static const char last[] = "checksum ";

/* Pieces. */

static bool begins(const char *line, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - line) >= length && memcmp(line, word, length) == 0;
}

/** Returns the start of the line at a position. */
static const char *line_of(const char *text, const char *at) {
    while (at > text && at[-1] != '\n') at--;
    return at;
}

/** Returns the beginning of the next entry with a word in its second line; NULL: none. */
static const char *find_entry(const char *text, const char *end, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, length)); at++) {
        const char *line = line_of(text, at), *first = line > text ? line_of(text, line - 1) : line;
        if (begins(first, end, magic)) return first;
    }
    return NULL;
}

bool plans_next_piece(struct plans_piece *out, const char **at, const char *end, const char *word) {
    const char *first = word ? find_entry(*at, end, word) : *at, *line = first;
    bool is_over = false;
    if (!first || first == end) return false;
    while (line < end && !is_over && !(line > first && begins(line, end, magic))) {
        is_over = begins(line, end, last);
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline ? newline + 1 : end;
    }
    *out = (struct plans_piece){.text = first, .length = (size_t)(line - first)};
    *at = line;
    return true;
}

size_t plans_line(const char *text, const char *at) {
    size_t number = 1;
    for (; text < at; text++) number += *text == '\n';
    return number;
}

enum tcplan_status plans_text_check(const char *text, size_t length, struct tcplan_error *error) {
    if (length == 0 || begins(text, text + length, head)) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "it is not a file of plans: expected 'tcplan store 1' and 'entry kind=plans' in its first lines");
}

/* Reading. */

/** Reads an entry of a plan for any machine. */
static enum tcplan_status read_entry(struct entry *entry, struct tcplan_stored_plan *plan,
                                     const struct plans_piece *piece, struct tcplan_error *error) {
    enum tcplan_status status = entry_read(entry, piece->text, piece->length, error);
    if (status == TCPLAN_OK && entry->kind != &store_kind_plans)
        status = error_set(error, TCPLAN_INVALID, "it holds %s, not a plan", entry->kind->name);
    if (status == TCPLAN_OK) status = entry_value(plan, entry, error);
    if (status != TCPLAN_OK) return status;
    plan->made = entry->made;
    /* A time of use before `made` stays: the clock may have been set back. */
    if (plan->used == 0) plan->used = plan->made;
    return status;
}

/** Checks the plan in an entry that is itself valid. */
static enum tcplan_status check_plan(const struct entry *entry,
                                     const struct tcplan_stored_plan *plan,
                                     struct tcplan_error *error) {
    char key[PLAN_KEY];
    plan_key(key, plan);
    if (strcmp(key, entry->key) != 0)
        return error_set(error, TCPLAN_INVALID, "its key '%.40s' belongs to another plan",
                         entry->key);
    return plan_check(plan, error);
}

/** Names a plan by its key and its libraries: the same plan has different names for different
 * libraries. */
static void name_plan(struct tcplan_plan_item *item, const struct entry *entry) {
    uint64_t hash = hash_text(entry->key);
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++) {
        const char *part = entry->fingerprint.part[p];
        hash = hash_add(hash, part, strlen(part) + 1);
    }
    snprintf(item->name, sizeof item->name, "%016llx", (unsigned long long)hash_spread(hash));
}

void plans_read(struct filed_plan *out, const struct tcplan_store *store,
                const struct plans_piece *piece, const char *text) {
    struct entry entry;
    struct tcplan_error cause = {0};
    struct tcplan_plan_item *item = &out->item;
    *out = (struct filed_plan){.piece = *piece};
    item->status = read_entry(&entry, &item->plan, piece, &cause);
    if (item->status == TCPLAN_OK) item->status = check_plan(&entry, &item->plan, &cause);
    out->fingerprint = entry.fingerprint;
    snprintf(item->machine, sizeof item->machine, "%s",
             entry.fingerprint.part[TCPLAN_FINGERPRINT_CPU]);
    if (item->status == TCPLAN_OK) {
        name_plan(item, &entry);
        item->status = store_check_use(store, &entry, &cause);
        snprintf(item->reason, sizeof item->reason, "%s", cause.message);
    } else {
        snprintf(item->reason, sizeof item->reason, "line %zu: %.250s",
                 plans_line(text, piece->text), cause.message);
    }
}

/** Returns whether the text in memory is current; `now` receives the file's present state. */
static bool is_current(struct stat *now, const struct tcplan_stored_plans *plans) {
    const struct stat *was = &plans->stamp;
    *now = (struct stat){0};
    return stat(plans->file, now) == 0 && plans->text && was->st_ino == now->st_ino &&
           was->st_size == now->st_size && was->st_mtim.tv_sec == now->st_mtim.tv_sec &&
           was->st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

static enum tcplan_status append_text(struct tcplan_stored_plans *plans, const char *text,
                                      size_t length, struct tcplan_error *error);

/** Moves the undamaged plans of version 0.1.0 into the file. Two processes that do so at once
 * append the same plans, which is harmless. */
static void adopt(struct tcplan_stored_plans *plans) {
    struct folder_names names = {0};
    struct strbuf all = {0};
    size_t taken = 0;
    plans->adopted = true;
    if (folder_list(&names, plans->folder, NULL) != TCPLAN_OK) names.count = 0;
    for (size_t n = 0; n < names.count; n++) {
        struct plans_piece piece = {0};
        struct tcplan_stored_plan plan = {0};
        struct entry entry;
        char *text = NULL;
        const bool good = begins(names.name[n], names.name[n] + FOLDER_NAME, prefix) &&
                          folder_read(&text, &piece.length, plans->folder, names.name[n],
                                      ENTRY_MOST_BYTES, NULL) == TCPLAN_OK;
        piece.text = text;
        if (good && read_entry(&entry, &plan, &piece, NULL) == TCPLAN_OK) {
            strbuf_append(&all, text, piece.length);
            memmove(names.name[taken++], names.name[n], sizeof *names.name);
        }
        base_free(text);
    }
    if (taken == 0 || all.failed || append_text(plans, all.text, all.length, NULL) != TCPLAN_OK)
        taken = 0;
    for (size_t n = 0; n < taken; n++) folder_remove(plans->folder, names.name[n], NULL);
    folder_names_free(&names);
    strbuf_free(&all);
}

enum tcplan_status plans_refresh(struct tcplan_stored_plans *plans, struct tcplan_error *error) {
    struct stat stamp;
    if (!plans->file) return TCPLAN_NOT_APPLICABLE;
    if (is_current(&stamp, plans)) return TCPLAN_OK;
    if (stamp.st_ino == 0 && plans->folder && !plans->adopted) {
        adopt(plans);
        is_current(&stamp, plans);
    }
    base_free(plans->text);
    plans->text = NULL;
    plans->stamp = stamp;
    enum tcplan_status status =
        folder_read_file(&plans->text, &plans->length, plans->file, PLANS_MOST_BYTES, error);
    if (status == TCPLAN_OK) status = plans_text_check(plans->text, plans->length, error);
    if (status == TCPLAN_OK || !plans->text) return status;
    base_free(plans->text);
    plans->text = NULL;
    return store_blame(plans->file, error);
}

/* Listing. */

void filed_plans_free(struct filed_plans *filed) {
    base_free(filed->plan);
    *filed = (struct filed_plans){0};
}

/** Returns pointers to all plans, sorted; free with base_free(). NULL if memory runs out. */
static struct filed_plan **sort(const struct filed_plans *filed,
                                int (*compare)(const void *, const void *)) {
    struct filed_plan **order = base_alloc((filed->count + 1) * sizeof(struct filed_plan *));
    for (size_t p = 0; p < filed->count && order; p++) order[p] = &filed->plan[p];
    if (order) qsort(order, filed->count, sizeof(struct filed_plan *), compare);
    return order;
}

/** Compares two plans by name, then by machine. */
static int compare_names(const struct filed_plan *x, const struct filed_plan *y) {
    const int names = strcmp(x->item.name, y->item.name);
    return names != 0 ? names : memcmp(&x->fingerprint, &y->fingerprint, sizeof x->fingerprint);
}

/** Sorts equal plans one after the other, the later one in the file first. */
static int compare_plans(const void *a, const void *b) {
    const struct filed_plan *x = *(struct filed_plan *const *)a,
                            *y = *(struct filed_plan *const *)b;
    const int names = compare_names(x, y);
    return names != 0 ? names : x > y ? -1 : x < y;
}

/** Marks all but the last of equal plans as superseded; damaged plans are skipped, because they
 * have no name. */
static enum tcplan_status mark_superseded(const struct filed_plans *filed,
                                          struct tcplan_error *error) {
    struct filed_plan **order = sort(filed, compare_plans);
    if (!order) return error_no_memory(error);
    for (size_t p = 1; p < filed->count; p++)
        order[p]->superseded = *order[p]->item.name && compare_names(order[p], order[p - 1]) == 0;
    base_free(order);
    return TCPLAN_OK;
}

static enum tcplan_status list_text(struct filed_plans *out, const struct tcplan_store *store,
                                    const char *text, size_t length, const char *alike,
                                    struct tcplan_error *error) {
    struct plans_piece piece;
    const char *at = text;
    char word[PLAN_KEY + 8];
    snprintf(word, sizeof word, " key=%s", alike ? alike : "");
    while (plans_next_piece(&piece, &at, text + length, alike ? word : NULL)) {
        struct filed_plan *grown = base_grow(out->plan, out->count, sizeof *grown);
        if (!grown) return error_no_memory(error);
        out->plan = grown;
        plans_read(&grown[out->count], store, &piece, text);
        if (grown[out->count++].item.status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    }
    return mark_superseded(out, error);
}

enum tcplan_status plans_list(struct filed_plans *out, struct tcplan_stored_plans *plans,
                              const char *alike, struct tcplan_error *error) {
    const enum tcplan_status status = plans_refresh(plans, error);
    if (status == TCPLAN_NOT_APPLICABLE) return TCPLAN_OK;
    return status == TCPLAN_OK
               ? list_text(out, &plans->store, plans->text, plans->length, alike, error)
               : status;
}

enum tcplan_status plans_find(struct tcplan_stored_plan *out, struct tcplan_stored_plans *plans,
                              const char *key, const struct tcplan_fingerprint *machine,
                              struct tcplan_error *error) {
    struct filed_plans filed = {0};
    struct tcplan_store store = plans->store;
    store.fingerprint = *machine;
    enum tcplan_status status = plans_refresh(plans, error);
    if (status == TCPLAN_OK)
        status = list_text(&filed, &store, plans->text, plans->length, key, error);
    bool found = false;
    for (size_t p = filed.count; p-- > 0 && status == TCPLAN_OK && !found;) {
        found = filed.plan[p].item.status == TCPLAN_OK;
        if (found) *out = filed.plan[p].item.plan;
    }
    if (status == TCPLAN_OK && !found) status = TCPLAN_NOT_APPLICABLE;
    for (size_t p = 0; p < filed.count && status == TCPLAN_NOT_APPLICABLE; p++) {
        const struct tcplan_plan_item *item = &filed.plan[p].item;
        if (!*item->name) /* a named plan is valid, but belongs to another machine or has expired */
            status = error_set(error, item->status, "'%.120s', %.180s", plans->file, item->reason);
    }
    filed_plans_free(&filed);
    return status;
}

/* Removing. */

/** Sorts by last use, latest first. Times that are ahead of the clock come last: sorted first,
 * they would never be removed. */
static int compare_used(const void *a, const void *b) {
    const struct filed_plan *x = *(struct filed_plan *const *)a,
                            *y = *(struct filed_plan *const *)b;
    return x->used != y->used ? (x->used > y->used ? -1 : 1) : x > y ? -1 : x < y;
}

static bool answers(const struct filed_plan *plan, const struct tcplan_store *store,
                    const struct tcplan_plan_choice *choice) {
    const double days = ((double)store_now(store) - (double)plan->item.plan.used) / DAY_SECONDS;
    if (choice->name && (strlen(choice->name) < LEAST_NAME ||
                         strncmp(plan->item.name, choice->name, strlen(choice->name)) != 0))
        return false;
    if (choice->unusable && plan->item.status == TCPLAN_OK) return false;
    return !(choice->least_days > 0) || (plan->item.plan.used > 0 && days >= choice->least_days);
}

/** Marks the plans that match a choice, and those that are superseded. */
static enum tcplan_status choose(const struct filed_plans *filed, const struct tcplan_store *store,
                                 const struct tcplan_plan_choice *choice,
                                 struct tcplan_error *error) {
    int64_t met = 0;
    for (size_t p = 0; p < filed->count; p++) {
        const int64_t used = filed->plan[p].item.plan.used;
        filed->plan[p].used = store_is_ahead(store, used) ? 0 : used;
    }
    struct filed_plan **order = sort(filed, compare_used);
    if (!order) return error_no_memory(error);
    for (size_t p = 0; p < filed->count; p++) { /* sorted: the latest used plans are first */
        struct filed_plan *plan = order[p];
        const bool is_live = *plan->item.name && !plan->superseded;
        const bool stays =
            choice->most > 0 && (!is_live || met++ < choice->most); /* `most` counts only plans that
                                                                       can still be used */
        plan->goes = plan->superseded || (!stays && answers(plan, store, choice));
    }
    base_free(order);
    return TCPLAN_OK;
}

/** Returns whether rewriting the file pays: superseded plans take at least half of its bytes, or
 * more than TCPLAN_PLANS_MOST + SPARE others remain. */
static bool is_worth(const struct filed_plans *filed) {
    size_t live = 0, live_bytes = 0, bytes = 0;
    for (size_t p = 0; p < filed->count; p++) {
        const bool is_live = !filed->plan[p].superseded;
        live += is_live;
        live_bytes += is_live ? filed->plan[p].piece.length : 0;
        bytes += filed->plan[p].piece.length;
    }
    return 2 * live_bytes <= bytes || live > TCPLAN_PLANS_MOST + SPARE;
}

/** Replaces the content of the locked file by the plans that remain. */
static enum tcplan_status leave(size_t *count, const struct filed_plans *filed, const char *path,
                                struct tcplan_error *error) {
    struct strbuf left = {0};
    size_t going = 0, removed = 0;
    for (size_t p = 0; p < filed->count; p++) {
        const struct filed_plan *plan = &filed->plan[p];
        going += plan->goes;
        removed += plan->goes && !plan->superseded;
        if (plan->goes) continue;
        strbuf_append(&left, plan->piece.text, plan->piece.length);
        if (plan->piece.text[plan->piece.length - 1] != '\n') strbuf_append(&left, "\n", 1);
    }
    int reason = left.failed ? ENOMEM : 0;
    if (reason == 0 && going > 0)
        reason = temporary_replace(NULL, path, TEMPORARY_OWN, left.text ? left.text : "",
                                   left.length, -1);
    strbuf_free(&left);
    if (reason != 0) return folder_refuse("write", path, reason, error);
    *count = removed;
    return TCPLAN_OK;
}

/**
 * Removes plans from a locked file.
 * @param path  the path after following symbolic links, so that a link is not replaced by a file
 * @param if_worth  removes nothing unless is_worth()
 */
static enum tcplan_status remove_from(size_t *count, struct tcplan_stored_plans *plans,
                                      const char *path, const struct tcplan_plan_choice *choice,
                                      bool if_worth, struct tcplan_error *error) {
    struct filed_plans filed = {0};
    int descriptor;
    enum tcplan_status status = folder_lock_file(&descriptor, path, 0, 0, WAITS, error);
    if (status != TCPLAN_OK) return status;
    status = plans_list(&filed, plans, NULL, error);
    if (status == TCPLAN_OK) status = choose(&filed, &plans->store, choice, error);
    if (status == TCPLAN_OK && (!if_worth || is_worth(&filed)))
        status = leave(count, &filed, path, error);
    close(descriptor);
    filed_plans_free(&filed);
    return status;
}

static enum tcplan_status remove_plans(size_t *count, struct tcplan_stored_plans *plans,
                                       const struct tcplan_plan_choice *choice, bool if_worth,
                                       struct tcplan_error *error) {
    char *path = realpath(plans->file, NULL);
    *count = 0;
    if (!path)
        return errno == ENOENT || errno == ENOTDIR
                   ? TCPLAN_OK
                   : folder_refuse("write", plans->file, errno, error);
    const enum tcplan_status status = remove_from(count, plans, path, choice, if_worth, error);
    free(path);
    return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
}

enum tcplan_status plans_remove(size_t *count, struct tcplan_stored_plans *plans,
                                const struct tcplan_plan_choice *choice,
                                struct tcplan_error *error) {
    *count = 0;
    if (plans->folder)
        plans_refresh(plans, NULL); /* first moves the plans of version 0.1.0 into the file */
    return plans->file ? remove_plans(count, plans, choice, false, error) : TCPLAN_OK;
}

/* Adding. */

/** Appends text to the locked file, completely or not at all. Does not wait for the disk: if a
 * crash truncates the entry, readers detect that, and the plan can be found again. */
static enum tcplan_status append(const struct tcplan_stored_plans *plans, int descriptor,
                                 const char *text, size_t length, struct tcplan_error *error) {
    struct strbuf whole = {0};
    size_t written;
    assert(plans->text); /* the caller has read the file while holding the lock */
    const bool ends = plans->length == 0 || plans->text[plans->length - 1] == '\n';
    strbuf_add(&whole, "%s", ends ? "" : "\n"); /* begins a new line after a truncated write */
    strbuf_append(&whole, text, length);
    int reason = whole.failed ? ENOMEM
                              : file_write_text(&written, descriptor, whole.text, whole.length,
                                                (off_t)plans->length);
    strbuf_free(&whole);
    if (reason != 0 && ftruncate(descriptor, (off_t)plans->length) != 0)
        return folder_refuse("restore", plans->file, errno, error);
    return reason == 0 ? TCPLAN_OK : folder_refuse("write", plans->file, reason, error);
}

/** Opens or creates the file, takes its lock and reads it. */
static enum tcplan_status open_locked(int *descriptor, struct tcplan_stored_plans *plans,
                                      struct tcplan_error *error) {
    const mode_t mode = plans->folder ? TEMPORARY_OWN : TEMPORARY_NEW;
    enum tcplan_status status = plans->folder ? folder_make(plans->folder, error) : TCPLAN_OK;
    if (status == TCPLAN_OK)
        status = folder_lock_file(descriptor, plans->file, O_CREAT, mode, WAITS, error);
    if (status != TCPLAN_OK) return status;
    status = plans_refresh(plans, error);
    if (status != TCPLAN_OK) close(*descriptor);
    return status;
}

static enum tcplan_status append_text(struct tcplan_stored_plans *plans, const char *text,
                                      size_t length, struct tcplan_error *error) {
    int descriptor;
    enum tcplan_status status = open_locked(&descriptor, plans, error);
    if (status != TCPLAN_OK) return status;
    status = append(plans, descriptor, text, length, error);
    close(descriptor);
    return status;
}

/** Decides whether the rule lets a plan replace an existing one; a damaged entry is not
 * replaced. */
static enum tcplan_status ask(bool *out, struct tcplan_stored_plans *plans,
                              const struct entry *entry, const struct tcplan_stored_plan *plan,
                              enum plans_rule rule, struct tcplan_error *error) {
    struct tcplan_stored_plan there = {0};
    const enum tcplan_status status =
        plans_find(&there, plans, entry->key, &entry->fingerprint, error);
    *out = rule != PLANS_SAME;
    if (status == TCPLAN_OK && plan_is_same(&there, plan))
        *out = rule == PLANS_BETTER    ? plan->effort > there.effort
               : rule == PLANS_AS_GOOD ? plan->effort >= there.effort
                                       : plan->effort == there.effort && plan->made == there.made;
    return status == TCPLAN_NO_MEMORY || status == TCPLAN_ENVIRONMENT ? status : TCPLAN_OK;
}

/** Appends an entry to the locked file, if the rule allows it.
 * @param grown  receives whether the file has passed a multiple of GROWN_BYTES, so that superseded
 *     entries should be removed */
static enum tcplan_status put_entry(bool *put, bool *grown, struct tcplan_stored_plans *plans,
                                    const struct entry *entry,
                                    const struct tcplan_stored_plan *plan, enum plans_rule rule,
                                    struct tcplan_error *error) {
    int descriptor;
    char *text = entry_text(entry, plan);
    if (!text) return error_no_memory(error);
    enum tcplan_status status = open_locked(&descriptor, plans, error);
    if (status == TCPLAN_OK) {
        const size_t length = strlen(text);
        status = ask(put, plans, entry, plan, rule, error);
        if (status == TCPLAN_OK && *put) status = append(plans, descriptor, text, length, error);
        *grown = plans->length / GROWN_BYTES != (plans->length + length) / GROWN_BYTES;
        close(descriptor);
    }
    free(text);
    return status;
}

enum tcplan_status plans_put(bool *put, struct tcplan_stored_plans *plans,
                             const struct tcplan_stored_plan *plan,
                             const struct tcplan_fingerprint *machine, enum plans_rule rule,
                             struct tcplan_error *error) {
    struct entry entry = {.made = plan->made, .fingerprint = *machine, .kind = &store_kind_plans};
    const struct tcplan_plan_choice bound = {.most = TCPLAN_PLANS_MOST};
    bool grown = false;
    size_t count;
    *put = false;
    if (!plans->file) return TCPLAN_OK;
    plan_key(entry.key, plan);
    enum tcplan_status status = ask(put, plans, &entry, plan, rule, error);
    if (status != TCPLAN_OK || !*put)
        return status; /* in most cases nothing has to be written, and no write access is needed */
    status = put_entry(put, &grown, plans, &entry, plan, rule, error);
    *put = *put && status == TCPLAN_OK;
    if (*put && grown) /* if removing fails, superseded entries stay in the file */
        remove_plans(&count, plans, &bound, true, NULL);
    return status;
}
