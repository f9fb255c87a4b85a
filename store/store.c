/*
 * The folder is the index: the name of an entry's file consists of its kind, its key and a machine
 * number, so an entry is opened by its name. If there is no such file, all files of the kind are
 * searched, to report how their machines differ. Nothing is cached in memory.
 */
#include "tcplan/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "store/entry.h"
#include "store/folder.h"
#include "store/log.h"
#include "store/plans_file.h"
#include "store/store.h"

#define DAY_SECONDS 86400.0

/* Limit on the bytes of entries of kinds that are neither expensive nor have a limit of their
 * own. Beyond it the oldest entries are removed down to LEFT_BYTES, so that not every new entry
 * triggers a removal. */
enum { MOST_BYTES = 16 << 20, LEFT_BYTES = 14 << 20 };

int64_t store_now(const struct tcplan_store *store) {
    return store->now > 0 ? store->now : (int64_t)time(NULL);
}

static double days_since(const struct tcplan_store *store, int64_t made) {
    return ((double)store_now(store) - (double)made) / DAY_SECONDS;
}

bool store_is_ahead(const struct tcplan_store *store, int64_t time) {
    return days_since(store, time) < -1;
}

enum tcplan_status store_blame(const char *name, struct tcplan_error *error) {
    if (!error) return TCPLAN_INVALID;
    const struct tcplan_error cause = *error;
    char line[40] = "";
    if (cause.line > 0) snprintf(line, sizeof line, "line %zu: ", cause.line);
    error_set(error, cause.status, "'%.120s': %s%.180s", name, line, cause.message);
    error->line = cause.line;
    return cause.status;
}

/* Looking at entries. */

/** Counts the differing parts among the first parts of an entry's fingerprint and the store's,
 * and describes them. */
static int compare_parts(char difference[TCPLAN_MESSAGE_SIZE], const struct tcplan_store *store,
                         const struct entry *entry, int parts) {
    struct tcplan_fingerprint found = entry->fingerprint;
    memcpy(found.part[parts], store->fingerprint.part[parts],
           sizeof *found.part * (size_t)(TCPLAN_FINGERPRINT_PARTS - parts));
    return tcplan_fingerprint_compare(difference, TCPLAN_MESSAGE_SIZE, &found, &store->fingerprint);
}

enum tcplan_status store_check_use(const struct tcplan_store *store, const struct entry *entry,
                                   struct tcplan_error *error) {
    char difference[TCPLAN_MESSAGE_SIZE];
    if (compare_parts(difference, store, entry, entry->kind->parts) > 0) {
        return error_set(error, TCPLAN_MISMATCH, "it was made with %.280s", difference);
    }
    if (days_since(store, entry->made) <= entry->kind->days) return TCPLAN_OK;
    return error_set(error, TCPLAN_MISMATCH, "it is older than %d days", entry->kind->days);
}

/** Returns the kind of entries that a file name belongs to; NULL: unknown. */
static const struct store_kind *kind_of_name(const char *name) {
    return store_kind_find(name, strcspn(name, "-"));
}

/** A file of the store in memory, or a part of a log; the entry points into the text. */
struct file {
    char name[FOLDER_NAME];
    char *text;
    size_t length;
    struct entry entry;
};

/** Reads the file of plans as an entry; its plans are listed by `tcplan plans`. The file may
 * exceed the size limit of entries. */
static enum tcplan_status open_plans(struct file *out, const struct tcplan_store *store,
                                     struct tcplan_error *error) {
    const enum tcplan_status status =
        folder_read(&out->text, &out->length, store->folder, out->name, PLANS_MOST_BYTES, error);
    out->entry.kind = &store_kind_plans;
    out->entry.made = folder_file_of(store->folder, out->name).touched;
    snprintf(out->entry.kind_name, sizeof out->entry.kind_name, "%s", store_kind_plans.name);
    return status == TCPLAN_OK && plans_text_check(out->text, out->length, error) != TCPLAN_OK
               ? store_blame(out->name, error)
               : status;
}

/** Returns whether this is the name of the file of plans (store/plans_file.h), which contains many
 * entries. */
static bool is_file_of_plans(const char *name) {
    return strcmp(name, store_kind_plans.name) == 0;
}

/** Reads a file and the valid parts of its entry; the caller frees the text whatever is
 * returned. */
static enum tcplan_status open_entry(struct file *out, const struct tcplan_store *store,
                                     const char *name, struct tcplan_error *error) {
    *out = (struct file){0};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (is_file_of_plans(name)) return open_plans(out, store, error);
    const struct store_kind *kind = kind_of_name(name);
    enum tcplan_status status =
        folder_read(&out->text, &out->length, store->folder, name, ENTRY_MOST_BYTES, error);
    if (status == TCPLAN_OK) {
        status = entry_read(&out->entry, out->text, out->length, error);
        if (status != TCPLAN_OK) store_blame(name, error);
    } else if (status == TCPLAN_NOT_APPLICABLE && kind && kind->fold && strchr(name, '-')) {
        status = log_open(&out->entry, &out->text, store, kind, name, error);
        out->length = out->entry.length;
    }
    return status;
}

uint32_t store_machine_id(const struct tcplan_store *store, int parts) {
    uint32_t id = 0;
    for (int p = 0; p < parts; p++)
        id = checksum_add(id, store->fingerprint.part[p], strlen(store->fingerprint.part[p]) + 1);
    return id;
}

void store_name(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store,
                const struct store_kind *kind, const char *key) {
    snprintf(out, TCPLAN_STORE_NAME, "%s-%s-%08lx", kind->name, key,
             (unsigned long)store_machine_id(store, kind->parts));
}

void store_former_name(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store,
                       const struct store_kind *kind, const char *key) {
    struct store_kind former = *kind;
    if (former.former) former.name = former.former;
    store_name(out, store, &former, key);
}

/** Returns whether a file name is that of an entry of a kind for this machine, with any key. */
static bool is_named_here(const char *name, const struct tcplan_store *store,
                          const struct store_kind *kind) {
    char end[16];
    const size_t length = strlen(name), begins = strlen(kind->name);
    const size_t ends = (size_t)snprintf(end, sizeof end, "-%08lx",
                                         (unsigned long)store_machine_id(store, kind->parts));
    return length > begins + ends && strncmp(name, kind->name, begins) == 0 &&
           name[begins] == '-' && strcmp(name + length - ends, end) == 0;
}

/** Returns whether a file name contains a key: only entries of this key have it. */
static bool has_key(const char *name, const char *key) {
    const size_t length = strlen(key);
    for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
        if (strncmp(dash + 1, key, length) == 0 && dash[1 + length] == '-') return true;
    }
    return false;
}

/* Finding. */

/** Finds an entry of a kind and key, not expired, whose machine differs from this one in the
 * fewest parts; parts that must agree count first. *difference describes the differing parts.
 * Returns false if there is no entry. */
static bool open_nearest(struct file *out, char difference[TCPLAN_MESSAGE_SIZE],
                         const struct tcplan_store *store, const struct store_kind *kind,
                         const char *key) {
    struct folder_names names = {0};
    char other[TCPLAN_MESSAGE_SIZE];
    const int weight = TCPLAN_FINGERPRINT_PARTS, most = (weight + 1) * weight;
    int least = most;
    *out = (struct file){0};
    if (folder_list(&names, store->folder, NULL) != TCPLAN_OK) names.count = 0;
    for (size_t n = 0; n < names.count; n++) {
        struct file file;
        if (kind_of_name(names.name[n]) != kind || !has_key(names.name[n], key)) continue;
        const bool fits = open_entry(&file, store, names.name[n], NULL) == TCPLAN_OK &&
                          file.entry.kind == kind && strcmp(file.entry.key, key) == 0 &&
                          days_since(store, file.entry.made) <= kind->days;
        int differ = fits ? weight * compare_parts(other, store, &file.entry, kind->alike) : least;
        if (fits) differ += compare_parts(other, store, &file.entry, kind->parts);
        if (differ < least) {
            least = differ;
            memcpy(difference, other, sizeof other);
            base_free(out->text);
            *out = file;
        } else {
            base_free(file.text);
        }
    }
    folder_names_free(&names);
    return least < most;
}

/** Reads an entry; a NULL key stands for any key. Error messages include the entry's name.
 * TCPLAN_NOT_APPLICABLE: there is no entry. */
static enum tcplan_status read_entry(void *value, const struct tcplan_store *store,
                                     const struct store_kind *kind, const char *key,
                                     const char *name, struct tcplan_error *error) {
    struct file file;
    enum tcplan_status status = open_entry(&file, store, name, error);
    if (status == TCPLAN_OK) {
        const bool same = file.entry.kind == kind && (!key || strcmp(file.entry.key, key) == 0);
        status = same ? store_check_use(store, &file.entry, error)
                      : error_set(error, TCPLAN_INVALID, "its content does not match its name");
        if (status == TCPLAN_OK) status = entry_value(value, &file.entry, error);
        if (status == TCPLAN_MISMATCH || status == TCPLAN_INVALID) store_blame(name, error);
    }
    base_free(file.text);
    return status;
}

enum tcplan_status store_find(bool *found, void *value, const struct tcplan_store *store,
                              const struct store_kind *kind, const char *key,
                              struct tcplan_error *error) {
    char name[TCPLAN_STORE_NAME];
    *found = false;
    if (!store->folder) return TCPLAN_OK;
    store_name(name, store, kind, key);
    enum tcplan_status status = read_entry(value, store, kind, key, name, error);
    if (status == TCPLAN_NOT_APPLICABLE && kind->former) {
        store_former_name(name, store, kind, key);
        status = read_entry(value, store, kind, key, name, error);
    }
    *found = status == TCPLAN_OK;
    if (status != TCPLAN_NOT_APPLICABLE) return status;
    if (kind->is_exact) return TCPLAN_OK;
    char difference[TCPLAN_MESSAGE_SIZE], unused[TCPLAN_MESSAGE_SIZE];
    struct file other;
    if (!open_nearest(&other, difference, store, kind, key)) return TCPLAN_OK;
    *found = kind->alike > 0 && compare_parts(unused, store, &other.entry, kind->alike) == 0 &&
             entry_value(value, &other.entry, error) == TCPLAN_OK;
    base_free(other.text);
    return error_set(error, TCPLAN_MISMATCH, "'%.80s' was made with %.220s", other.name,
                     difference);
}

enum tcplan_status store_find_every(void *value, const struct tcplan_store *store,
                                    const struct store_kind *kind, struct tcplan_error *error) {
    struct folder_names names = {0};
    enum tcplan_status first =
        store->folder ? folder_list(&names, store->folder, error) : TCPLAN_OK;
    for (size_t n = 0; n < names.count && first != TCPLAN_NO_MEMORY; n++) {
        if (!is_named_here(names.name[n], store, kind)) continue;
        enum tcplan_status status =
            read_entry(value, store, kind, NULL, names.name[n], first == TCPLAN_OK ? error : NULL);
        if (status == TCPLAN_NOT_APPLICABLE)
            status = TCPLAN_OK; /* the entry was removed meanwhile */
        if (status == TCPLAN_NO_MEMORY) error_no_memory(error);
        if (first == TCPLAN_OK || status == TCPLAN_NO_MEMORY) first = status;
    }
    folder_names_free(&names);
    return first;
}

/* Listing. */

static struct tcplan_store_item describe(const struct tcplan_store *store, const char *name) {
    struct tcplan_store_item item = {0};
    struct tcplan_error error = {0};
    struct file file;
    snprintf(item.name, sizeof item.name, "%s", name);
    const bool many = is_file_of_plans(name);
    item.status = open_entry(&file, store, name, &error);
    if (item.status == TCPLAN_OK && !many)
        item.status = store_check_use(store, &file.entry, &error);
    if (item.status == TCPLAN_OK && !many) item.status = entry_value(NULL, &file.entry, &error);
    snprintf(item.kind, sizeof item.kind, "%s", file.entry.kind_name);
    snprintf(item.key, sizeof item.key, "%s", file.entry.key);
    snprintf(item.reason, sizeof item.reason, "%s", error.message);
    item.made = file.entry.made;
    item.bytes = (int64_t)file.length;
    base_free(file.text);
    return item;
}

/** Describes a file or, for a log, each kind in it; returns the number of items. The file may
 * have disappeared. */
static size_t describe_file(struct tcplan_store_item item[LOG_KINDS],
                            const struct tcplan_store *store, const char *name) {
    size_t count = 0;
    for (const struct store_kind *const *kind = store_kinds; *kind && log_is_named(name); kind++) {
        char part[TCPLAN_STORE_NAME];
        if (!(*kind)->fold) continue;
        log_part_name(part, name, *kind);
        item[count] = describe(store, part);
        count += item[count].status != TCPLAN_NOT_APPLICABLE && *item[count].kind;
    }
    if (count > 0) return count;
    item[0] = describe(store, name);
    return item[0].status != TCPLAN_NOT_APPLICABLE;
}

static int compare_items(const void *a, const void *b) {
    return strcmp(((const struct tcplan_store_item *)a)->name,
                  ((const struct tcplan_store_item *)b)->name);
}

enum tcplan_status tcplan_store_list(struct tcplan_store_list *out,
                                     const struct tcplan_store *store, struct tcplan_error *error) {
    struct folder_names names = {0};
    enum tcplan_status status =
        store->folder ? folder_list(&names, store->folder, error) : TCPLAN_OK;
    *out = (struct tcplan_store_list){0};
    if (status == TCPLAN_OK)
        out->item = base_alloc_zero(LOG_KINDS * names.count + 1, sizeof *out->item);
    if (status == TCPLAN_OK && !out->item) status = error_no_memory(error);
    for (size_t n = 0; n < names.count && out->item; n++)
        out->count += describe_file(&out->item[out->count], store, names.name[n]);
    if (out->item) qsort(out->item, out->count, sizeof *out->item, compare_items);
    folder_names_free(&names);
    return status;
}

void tcplan_store_list_free(struct tcplan_store_list *list) {
    base_free(list->item);
    *list = (struct tcplan_store_list){0};
}

/* Showing. */

static enum tcplan_status show_entry(struct strbuf *out, const struct tcplan_store *store,
                                     const struct entry *entry, size_t length,
                                     struct tcplan_error *error) {
    const double days = days_since(store, entry->made);
    strbuf_add(out, "%s %s, version %d, made %.0f days ago", entry->kind->name, entry->key,
               entry->version, days > 0 ? days : 0);
    if (*entry->tcplan) strbuf_add(out, " by tcplan %s", entry->tcplan);
    strbuf_add(out, ", %zu bytes\n", length);
    if (entry->skipped > 0)
        strbuf_add(out, "%zu line%s of the log cannot be read, and %s skipped\n", entry->skipped,
                   entry->skipped == 1 ? "" : "s", entry->skipped == 1 ? "is" : "are");
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++) {
        const char *part = entry->fingerprint.part[p], *here = store->fingerprint.part[p];
        const bool same = strcmp(part, here) == 0;
        strbuf_add(out, "%-8s %s%s%s\n", tcplan_fingerprint_part_name(p), part,
                   same ? "" : "; here ", same ? "" : here);
    }
    return kind_show(out, entry->kind, entry->content, entry->length, error);
}

/** Prints plans; for a damaged one, prints the fault instead. */
static enum tcplan_status show_plans(struct strbuf *out, const struct tcplan_store *store,
                                     const struct file *file, struct tcplan_error *error) {
    struct plans_piece piece;
    for (const char *at = file->text;
         plans_next_piece(&piece, &at, file->text + file->length, NULL);) {
        struct tcplan_error cause = {0};
        struct entry entry;
        enum tcplan_status read = entry_read(&entry, piece.text, piece.length, &cause);
        if (piece.text > file->text) strbuf_add(out, "\n");
        if (read == TCPLAN_OK) read = show_entry(out, store, &entry, piece.length, &cause);
        if (read == TCPLAN_NO_MEMORY) return error_no_memory(error);
        if (read != TCPLAN_OK)
            strbuf_add(out, "line %zu: %s\n", plans_line(file->text, piece.text), cause.message);
    }
    return TCPLAN_OK;
}

static enum tcplan_status show_file(struct strbuf *out, const struct tcplan_store *store,
                                    const char *name, struct tcplan_error *error) {
    struct file file;
    enum tcplan_status status = open_entry(&file, store, name, error);
    if (status == TCPLAN_OK && is_file_of_plans(name)) {
        status = show_plans(out, store, &file, error);
    } else if (status == TCPLAN_OK) {
        status = show_entry(out, store, &file.entry, file.length, error);
        if (status == TCPLAN_INVALID) store_blame(name, error);
    }
    base_free(file.text);
    return status;
}

enum tcplan_status tcplan_store_show(char **out, const struct tcplan_store *store, const char *name,
                                     struct tcplan_error *error) {
    struct strbuf text = {0};
    const bool plain = store->folder && strlen(name) < FOLDER_NAME && !strchr(name, '/');
    enum tcplan_status status =
        plain ? show_file(&text, store, name, error) : TCPLAN_NOT_APPLICABLE;
    if (status == TCPLAN_NOT_APPLICABLE)
        status = error_set(error, TCPLAN_INVALID, "nothing is stored as '%.120s'", name);
    return strbuf_give(&text, out, status, error);
}

/* Forgetting. */

/** Returns whether two names, current or former, denote the same kind. */
static bool is_kind(const char *a, const char *b) {
    const struct store_kind *kind = store_kind_find(a, strlen(a));
    return strcmp(a, b) == 0 || (kind && kind == store_kind_find(b, strlen(b)));
}

static bool is_chosen(const struct tcplan_store *store, const struct tcplan_store_item *item,
                      const struct tcplan_store_choice *choice) {
    if (choice->name && strcmp(choice->name, item->name) != 0 && !is_kind(choice->name, item->kind))
        return false;
    if (choice->unusable && item->status == TCPLAN_OK) return false;
    return !(choice->least_days > 0) || days_since(store, item->made) >= choice->least_days;
}

/** Forgets a file or, for a log, the observations of chosen kinds that are old enough. The
 * caller holds the lock. */
static enum tcplan_status forget(size_t *count, const struct tcplan_store *store, const char *name,
                                 const struct tcplan_store_choice *choice,
                                 struct tcplan_error *error) {
    struct tcplan_store_item item[LOG_KINDS];
    const struct store_kind *kind[LOG_KINDS];
    struct tcplan_store_choice of_any_age = *choice;
    size_t kinds = 0;
    const size_t items = describe_file(item, store, name);
    const bool is_log = items > 0 && strcmp(item[0].name, name) != 0;
    if (is_log) of_any_age.least_days = 0;
    for (size_t i = 0; i < items; i++) {
        if (is_chosen(store, &item[i], &of_any_age)) kind[kinds++] = kind_of_name(item[i].name);
    }
    if (kinds == 0) return TCPLAN_OK;
    if (is_log) return log_forget(count, store, name, kind, kinds, choice->least_days, error);
    const enum tcplan_status status = folder_remove(store->folder, name, error);
    *count += status == TCPLAN_OK;
    return status;
}

enum tcplan_status tcplan_store_forget(size_t *count, const struct tcplan_store *store,
                                       const struct tcplan_store_choice *choice,
                                       struct tcplan_error *error) {
    struct folder_names names = {0};
    int lock;
    enum tcplan_status status =
        store->folder ? folder_list(&names, store->folder, error) : TCPLAN_OK;
    const bool any = names.count > 0; /* no write access is needed if nothing is removed */
    *count = 0;
    if (status == TCPLAN_OK && any) status = folder_lock(&lock, store->folder, error);
    const bool locked = status == TCPLAN_OK && any;
    for (size_t n = 0; n < names.count && status == TCPLAN_OK; n++)
        status = forget(count, store, names.name[n], choice, error);
    if (locked) folder_unlock(lock);
    folder_names_free(&names);
    return status;
}

/* Making room. */

/** A file that may be removed to save space. */
struct room_entry {
    const char *name;
    int64_t bytes;
    int64_t touched; /**< seconds since 1970; 0 if the time is in the future, so that the entry is
                        removed before others */
};

/** Sorts by age, youngest first. */
static int compare_age(const void *a, const void *b) {
    const struct room_entry *x = a, *y = b;
    return (x->touched < y->touched) - (x->touched > y->touched);
}

void store_trim(const struct tcplan_store *store) {
    struct folder_names names = {0};
    size_t count = 0;
    int64_t bytes = 0, left = 0;
    if (folder_list(&names, store->folder, NULL) != TCPLAN_OK) names.count = 0;
    struct room_entry *entry = base_alloc_zero(names.count + 1, sizeof *entry);
    for (size_t n = 0; n < names.count && entry; n++) {
        const char *name = names.name[n];
        const struct store_kind *kind = kind_of_name(name);
        const struct folder_file file = folder_file_of(store->folder, name);
        const int days = log_is_named(name) ? LOG_DAYS : kind ? kind->days : 0;
        if (kind && kind->many) continue;
        if (days > 0 && file.touched > 0 && days_since(store, file.touched) > days) {
            folder_remove(store->folder, name, NULL);
        } else if (!log_is_named(name) && !(kind && kind->is_expensive)) {
            const int64_t touched = store_is_ahead(store, file.touched) ? 0 : file.touched;
            entry[count++] = (struct room_entry){name, file.bytes, touched};
            bytes += file.bytes;
        }
    }
    if (bytes > MOST_BYTES) qsort(entry, count, sizeof *entry, compare_age);
    for (size_t e = 0; e < count && bytes > MOST_BYTES; e++) {
        left += entry[e].bytes;
        if (left > LEFT_BYTES) folder_remove(store->folder, entry[e].name, NULL);
    }
    base_free(entry);
    folder_names_free(&names);
}

/* Keeping. */

char *store_text(const struct tcplan_store *store, const struct store_kind *kind, const char *key,
                 const void *value) {
    struct entry entry = {
        .made = store_now(store), .fingerprint = store->fingerprint, .kind = kind};
    snprintf(entry.key, sizeof entry.key, "%s", key);
    return entry_text(&entry, value);
}

enum tcplan_status store_replace(const struct tcplan_store *store, const struct store_kind *kind,
                                 const char *key, const void *value, struct tcplan_error *error) {
    char name[TCPLAN_STORE_NAME];
    char *text = store_text(store, kind, key, value);
    if (!text) return error_no_memory(error);
    store_name(name, store, kind, key);
    const size_t length = strlen(text);
    enum tcplan_status status = TCPLAN_OK;
    if (length > ENTRY_MOST_BYTES)
        status = error_set(error, TCPLAN_ENVIRONMENT, "'%s' is too large to be stored: %zu bytes",
                           name, length);
    if (status == TCPLAN_OK) status = folder_replace(store->folder, name, text, length, -1, error);
    free(text);
    return status;
}

enum tcplan_status store_keep(const struct tcplan_store *store, const struct store_kind *kind,
                              const char *key, const void *value, struct tcplan_error *error) {
    int lock;
    if (!store->folder) return TCPLAN_OK;
    enum tcplan_status status = folder_lock(&lock, store->folder, error);
    if (status != TCPLAN_OK) return status;
    status = store_replace(store, kind, key, value, error);
    if (status == TCPLAN_OK) store_trim(store);
    folder_unlock(lock);
    return status;
}
