/*
 * An append-only log of observations:
 *
 *   1a2b3c4d of CPU=... cores=... caches=... BLAS=...
 *   5e6f7a8b evaluation made=1795317619 problem=12 kernel=dgemm ...
 *   9c0d1e2f kernel made=1795317619 ...
 *
 * Invariant: each line is valid by itself. It begins with the checksum of its rest, so a reader
 * skips a torn or changed line and loses no other. A process appends its observations by one
 * write(). The text begins with an empty line, which ends a line that an earlier write left torn.
 * Lines never change.
 *
 * Readers fold the lines, in order, into bounded summaries (struct tcplan_experience), in time
 * proportional to the number of lines. Folding the lines of a summary yields the same summary, so
 * summaries replace a log that has grown too large.
 *
 * Writers hold the folder's lock; readers need none. Without locks (some network file systems), two
 * writers lose at most the lines that one of them appends while the other appends or compacts.
 */
#include "store/log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "store/experience.h"
#include "store/folder.h"
#include "store/store.h"

enum { CHECKSUM = 9 /* "1a2b3c4d " */, DAY_SECONDS = 86400 };

static const char prefix[] = "observations-";

bool log_is_named(const char *name) {
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

void log_part_name(char out[TCPLAN_STORE_NAME], const char *name, const struct store_kind *kind) {
    snprintf(out, TCPLAN_STORE_NAME, "%s-%.80s", kind->name, name + sizeof prefix - 1);
}

static void name_of(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store) {
    snprintf(out, TCPLAN_STORE_NAME, "%s%08" PRIx32, prefix,
             store_machine_id(store, TCPLAN_FINGERPRINT_PARTS));
}

/* Writing. */

/** Writes the checksum of a text with the blank after it, as lines of the log begin. */
static void write_checksum(char out[CHECKSUM], const char *text, size_t length) {
    const uint32_t checksum = checksum_add(0, text, length);
    for (int digit = 0; digit < CHECKSUM - 1; digit++)
        out[digit] = "0123456789abcdef"[checksum >> (28 - 4 * digit) & 15];
    out[CHECKSUM - 1] = ' ';
}

void log_write(struct strbuf *out, const char *word, const struct field fields[],
               const void *object) {
    const size_t begin = out->length, text = begin + CHECKSUM;
    strbuf_fill(out, ' ', CHECKSUM);
    fields_write(out, word, fields, object);
    if (!out->failed) write_checksum(out->text + begin, out->text + text, out->length - text - 1);
}

enum tcplan_status log_write_all(struct strbuf *out, const struct tcplan_experience *experience) {
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        const char *object;
        size_t count = (*kind)->fold ? fields_objects(&object, (*kind)->line, experience) : 0;
        for (; count > 0; count--, object += (*kind)->line->size) {
            if (!observation_write(out, *kind, object)) return TCPLAN_NO_MEMORY;
        }
    }
    return TCPLAN_OK;
}

/* Reading. */

/** What to do with the observations of a log. */
enum purpose {
    FOLD_YOUNG, /**< add them to the summaries, unless they are too old */
    FOLD_ANY,
    COLLECT, /**< collect the lines of the chosen kinds */
    FORGET   /**< drop observations of the chosen kinds that are old enough; treat others like
                FOLD_YOUNG */
};

/** State of reading a log. */
struct reading {
    enum purpose purpose;
    struct tcplan_experience *experience; /**< summaries to which observations are added */
    int64_t now;
    bool has_fingerprint;
    struct tcplan_fingerprint fingerprint;
    size_t length;                        /**< length of the file in bytes */
    size_t skipped;                       /**< number of damaged or unknown lines */
    const struct store_kind *const *kind; /**< kinds to collect or to forget */
    size_t kinds;
    struct strbuf collected;
    int64_t made; /**< time of the latest collected observation */
    double least_days;
    size_t forgotten[LOG_KINDS];
};

static double days_before(const struct reading *reading, int64_t made) {
    return (double)(reading->now - made) / DAY_SECONDS;
}

static enum tcplan_status take(struct reading *reading, const struct store_kind *kind,
                               const union observation *observation, const char *text,
                               size_t length) {
    const double days = days_before(reading, observation->made);
    size_t k = 0;
    while (k < reading->kinds && reading->kind[k] != kind) k++;
    const bool chosen = k < reading->kinds;
    if (reading->purpose == COLLECT && chosen) {
        strbuf_append(&reading->collected, text, length);
        strbuf_append(&reading->collected, "\n", 1);
        if (observation->made > reading->made) reading->made = observation->made;
        return reading->collected.failed ? TCPLAN_NO_MEMORY : TCPLAN_OK;
    }
    const bool forgotten = reading->purpose == FORGET && chosen && days >= reading->least_days;
    if (forgotten) reading->forgotten[k]++;
    if (reading->purpose == COLLECT || forgotten) return TCPLAN_OK;
    if (reading->purpose != FOLD_ANY && days > kind->days) return TCPLAN_OK;
    return kind->fold(reading->experience, observation);
}

static const struct store_kind *kind_of(const char *word, size_t length) {
    const struct store_kind *const *kind = store_kinds;
    while (*kind && !((*kind)->fold && strlen((*kind)->line->word) == length &&
                      memcmp((*kind)->line->word, word, length) == 0))
        kind++;
    return *kind;
}

/** Processes a line after its checksum was removed. If the observation has no time, or a time
 * more than a day in the future, its time is set to the present. */
static enum tcplan_status take_line(struct reading *reading, const char *text, size_t length) {
    const char *blank = memchr(text, ' ', length);
    const size_t word = blank ? (size_t)(blank - text) : length;
    const struct store_kind *kind = kind_of(text, word);
    union observation observation = {0};
    const bool is_read = kind &&
                         fields_read(&observation, kind->line->field, text + word, length - word,
                                     NULL) == TCPLAN_OK &&
                         kind->can_be(&observation);
    reading->skipped += !is_read;
    if (!is_read) return TCPLAN_OK;
    if (observation.made == 0 || days_before(reading, observation.made) < -1)
        observation.made = reading->now;
    return take(reading, kind, &observation, text, length);
}

/** Processes a line with its checksum. */
static enum tcplan_status check_line(struct reading *reading, const char *text, size_t length) {
    static const char of[] = "of ";
    const size_t begin = sizeof of - 1;
    char checksum[CHECKSUM] = {0};
    if (length >= CHECKSUM) write_checksum(checksum, text + CHECKSUM, length - CHECKSUM);
    if (length < CHECKSUM || memcmp(text, checksum, CHECKSUM) != 0) {
        reading->skipped += length > 0;
        return TCPLAN_OK;
    }
    text += CHECKSUM;
    length -= CHECKSUM;
    if (length < begin || memcmp(text, of, begin) != 0) return take_line(reading, text, length);
    const struct fingerprint_fields parts = fingerprint_fields();
    reading->has_fingerprint = fields_read(&reading->fingerprint, parts.part, text + begin - 1,
                                           length - begin + 1, NULL) == TCPLAN_OK;
    return TCPLAN_OK;
}

static enum tcplan_status for_each(struct reading *reading, const char *text, size_t length,
                                   enum tcplan_status (*take_one)(struct reading *, const char *,
                                                                  size_t)) {
    const char *end = text + length;
    enum tcplan_status status = TCPLAN_OK;
    for (const char *next; text < end && status == TCPLAN_OK; text = next + 1) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        next = newline ? newline : end;
        status = take_one(reading, text, (size_t)(next - text));
    }
    return status;
}

enum tcplan_status log_fold(struct tcplan_experience *experience, const char *text, size_t length,
                            int64_t now) {
    struct reading reading = {.purpose = FOLD_YOUNG, .experience = experience, .now = now};
    return for_each(&reading, text, length, check_line);
}

enum tcplan_status log_read_content(void *value, const char *content, size_t length,
                                    struct tcplan_error *error) {
    struct reading reading = {
        .purpose = FOLD_ANY, .experience = value, .now = store_now(&(struct tcplan_store){0})};
    const enum tcplan_status status = for_each(&reading, content, length, take_line);
    return status == TCPLAN_OK ? status : error_no_memory(error);
}

/** Reads a log. TCPLAN_NOT_APPLICABLE: there is no file. */
static enum tcplan_status read_log(struct reading *out, const struct tcplan_store *store,
                                   const char *name, struct tcplan_error *error) {
    char *text = NULL, own[TCPLAN_STORE_NAME];
    out->now = store_now(store);
    enum tcplan_status status =
        folder_read(&text, &out->length, store->folder, name, ENTRY_MOST_BYTES, error);
    if (status == TCPLAN_OK && for_each(out, text, out->length, check_line) != TCPLAN_OK)
        status = error_no_memory(error);
    base_free(text);
    name_of(own, store);
    if (!out->has_fingerprint && strcmp(own, name) == 0) { /* the log's first line is damaged */
        out->has_fingerprint = true;
        out->fingerprint = store->fingerprint;
    }
    return status;
}

enum tcplan_status log_open(struct entry *out, char **text, const struct tcplan_store *store,
                            const struct store_kind *kind, const char *name,
                            struct tcplan_error *error) {
    struct reading reading = {.purpose = COLLECT, .kind = &kind, .kinds = 1};
    char file[TCPLAN_STORE_NAME];
    snprintf(file, sizeof file, "%s%.80s", prefix, strchr(name, '-') + 1);
    enum tcplan_status status = read_log(&reading, store, file, error);
    *out = (struct entry){.version = kind->version,
                          .key = "log",
                          .made = reading.made,
                          .fingerprint = reading.fingerprint,
                          .kind = kind,
                          .skipped = reading.skipped,
                          .content = reading.collected.text,
                          .length = reading.collected.length};
    snprintf(out->kind_name, sizeof out->kind_name, "%s", kind->name);
    *text = reading.collected.text;
    return status == TCPLAN_OK && out->length == 0 ? TCPLAN_NOT_APPLICABLE : status;
}

/* Replacing. */

/** Appends the first line of a log and its summaries; false if out of memory. */
static bool write_log(struct strbuf *out, const struct reading *reading) {
    const struct fingerprint_fields parts = fingerprint_fields();
    if (reading->has_fingerprint) log_write(out, "of", parts.part, &reading->fingerprint);
    return log_write_all(out, reading->experience) == TCPLAN_OK && !out->failed;
}

/** Replaces a log by its summaries, unless the log has grown since it was read, which can happen
 * without locks. */
static enum tcplan_status replace(const struct tcplan_store *store, const char *name,
                                  const struct reading *reading, struct tcplan_error *error) {
    struct strbuf text = {0};
    enum tcplan_status status = write_log(&text, reading) ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK)
        status = folder_replace(store->folder, name, text.text, text.length,
                                (int64_t)reading->length, error);
    strbuf_free(&text);
    return status;
}

/** Compacts the log, with the lock held. An unreadable log becomes an empty one. */
static void compact(const struct tcplan_store *store, const char *name) {
    struct reading reading = {.purpose = FOLD_YOUNG, .experience = tcplan_experience_new()};
    const enum tcplan_status status =
        reading.experience ? read_log(&reading, store, name, NULL) : TCPLAN_NO_MEMORY;
    if (status == TCPLAN_INVALID)
        reading.length = (size_t)folder_file_of(store->folder, name).bytes;
    if (status == TCPLAN_OK || status == TCPLAN_INVALID) replace(store, name, &reading, NULL);
    tcplan_experience_free(reading.experience);
}

/** Reads the entries of version 0.1.0, one for each kind; skips unreadable ones. */
static enum tcplan_status read_old(struct tcplan_experience *experience,
                                   const struct tcplan_store *store) {
    enum tcplan_status status = TCPLAN_OK;
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        bool found;
        if ((*kind)->fold && status != TCPLAN_NO_MEMORY)
            status = store_find(&found, experience, store, *kind, "all", NULL);
    }
    return status == TCPLAN_NO_MEMORY ? status : TCPLAN_OK;
}

/** Creates the log of this machine from the entries of version 0.1.0, with the lock held. */
static enum tcplan_status begin(const struct tcplan_store *store, const char *name,
                                struct tcplan_error *error) {
    const struct reading reading = {.experience = tcplan_experience_new(),
                                    .has_fingerprint = true,
                                    .fingerprint = store->fingerprint};
    struct strbuf text = {0};
    size_t written;
    const bool good = reading.experience && read_old(reading.experience, store) == TCPLAN_OK &&
                      write_log(&text, &reading);
    const enum tcplan_status status =
        good ? folder_append(&written, store->folder, name, text.text, text.length, error)
             : error_no_memory(error);
    strbuf_free(&text);
    tcplan_experience_free(reading.experience);
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        char old[TCPLAN_STORE_NAME];
        store_former_name(old, store, *kind, "all");
        if ((*kind)->fold && status == TCPLAN_OK) folder_remove(store->folder, old, NULL);
    }
    return status;
}

enum tcplan_status log_forget(size_t *count, const struct tcplan_store *store, const char *name,
                              const struct store_kind *const kind[], size_t kinds,
                              double least_days, struct tcplan_error *error) {
    struct reading reading = {.purpose = FORGET,
                              .experience = tcplan_experience_new(),
                              .kind = kind,
                              .kinds = kinds,
                              .least_days = least_days > 0 ? least_days : -1};
    bool is_empty = true;
    enum tcplan_status status =
        reading.experience ? read_log(&reading, store, name, error) : error_no_memory(error);
    for (size_t k = 0; k < kinds && status == TCPLAN_OK; k++) *count += reading.forgotten[k] > 0;
    for (const struct store_kind *const *k = store_kinds; *k && is_empty && status == TCPLAN_OK;
         k++) {
        const char *object;
        is_empty = !(*k)->fold || fields_objects(&object, (*k)->line, reading.experience) == 0;
    }
    if (status == TCPLAN_OK)
        status = is_empty ? folder_remove(store->folder, name, error)
                          : replace(store, name, &reading, error);
    tcplan_experience_free(reading.experience);
    return status;
}

/* Experiences. */

/** Appends the noted lines, with the lock held. Lines that were not written stay noted. */
static enum tcplan_status append(const struct tcplan_store *store, const char *name,
                                 struct strbuf *noted, struct tcplan_error *error) {
    size_t written = 0, lines;
    const enum tcplan_status status =
        folder_append(&written, store->folder, name, noted->text, noted->length, error);
    if (written == noted->length) {
        strbuf_free(noted);
        return status;
    }
    assert(written < noted->length);
    for (lines = written; lines > 0 && noted->text[lines] != '\n'; lines--) continue;
    noted->length -= lines; /* keeps the lines after the last completely written one */
    memmove(noted->text, noted->text + lines, noted->length + 1);
    return status;
}

enum tcplan_status tcplan_store_keep_experience(const struct tcplan_store *store,
                                                struct tcplan_experience *experience,
                                                struct tcplan_error *error) {
    char name[TCPLAN_STORE_NAME];
    int lock;
    if (!store->folder || experience->noted.length == 0) return TCPLAN_OK;
    enum tcplan_status status = folder_lock(&lock, store->folder, error);
    if (status != TCPLAN_OK) return status;
    name_of(name, store);
    if (folder_file_of(store->folder, name).bytes == 0) status = begin(store, name, error);
    if (status == TCPLAN_OK) status = append(store, name, &experience->noted, error);
    if (folder_file_of(store->folder, name).bytes > 2 * LOG_BYTES) compact(store, name);
    folder_unlock(lock);
    return status;
}

/** Compacts the log. If another process holds the lock, a later reader will compact it. */
static void compact_locked(const struct tcplan_store *store, const char *name) {
    int lock;
    if (folder_lock(&lock, store->folder, NULL) != TCPLAN_OK) return;
    compact(store, name);
    folder_unlock(lock);
}

static enum tcplan_status read_all(struct tcplan_experience *experience,
                                   const struct tcplan_store *store, struct tcplan_error *error) {
    struct reading reading = {.purpose = FOLD_YOUNG, .experience = experience};
    struct tcplan_error other;
    char name[TCPLAN_STORE_NAME];
    bool found;
    name_of(name, store);
    enum tcplan_status status = read_log(&reading, store, name, error);
    if (status == TCPLAN_NOT_APPLICABLE) status = read_old(experience, store);
    if (status == TCPLAN_OK && reading.length > LOG_BYTES) compact_locked(store, name);
    const enum tcplan_status costs =
        store_find(&found, &experience->costs, store, &store_kind_costs, "all",
                   status == TCPLAN_OK ? error : &other);
    if (!found) experience->costs = (struct tcplan_costs){0};
    return status == TCPLAN_OK || costs == TCPLAN_NO_MEMORY ? costs : status;
}

enum tcplan_status tcplan_store_experience(struct tcplan_experience **out,
                                           const struct tcplan_store *store,
                                           struct tcplan_error *error) {
    *out = tcplan_experience_new();
    if (!*out) return error_no_memory(error);
    const enum tcplan_status status = store->folder ? read_all(*out, store, error) : TCPLAN_OK;
    if (status != TCPLAN_NO_MEMORY) return status;
    tcplan_experience_free(*out);
    *out = NULL;
    return error_no_memory(error);
}
