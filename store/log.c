/*
 * An append-only log of observations:
 *
 *   1a2b3c4d of CPU=... cores=... caches=... BLAS=...
 *   5e6f7a8b look made=1795317619 problem=12 kernel=dgemm ...
 *   9c0d1e2f kernel made=1795317619 ...
 *
 * Invariant: every line stands for itself. It begins with the checksum of the rest, so that one
 * that was cut off or changed is skipped, and no other. What a process observed is appended by one
 * write(), behind an empty line, which ends whatever a write before left unfinished. Lines are
 * never changed.
 *
 * Readers fold the lines, in their order, into bounded summaries (struct tcplan_experience), in a
 * time proportional to their number. Folding the lines of the summaries gives the same summaries:
 * these take the place of a log that has grown too large.
 *
 * Writers hold the folder's lock, readers need none. On a file system without locks, two writers
 * lose at most what one of them appends while the other appends or replaces the log.
 */
#include "store/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "store/entry.h"
#include "store/experience.h"
#include "store/folder.h"
#include "store/store.h"

enum { TYPES = 5, OLD_KINDS = 4, CHECKSUM = 9 /* "1a2b3c4d " */, DAY_SECONDS = 86400 };

static const char prefix[] = "observations-";

/* What were kinds of entries up to version 0.1.0, and the fingerprint's parts in their names. */
static const struct {
    char kind[12];
    int version;
    int parts;
} old_kinds[OLD_KINDS] = {{"looks", 1, TCPLAN_FINGERPRINT_PARTS},
                          {"kernels", 1, TCPLAN_FINGERPRINT_PARTS},
                          {"states", 4, TCPLAN_FINGERPRINT_LIBRARIES},
                          {"residuals", 3, TCPLAN_FINGERPRINT_PARTS}};

bool log_is_named(const char *name) {
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

static void name_of(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store) {
    snprintf(out, TCPLAN_STORE_NAME, "%s%08" PRIx32, prefix,
             store_machine_id(store, TCPLAN_FINGERPRINT_PARTS));
}

static void old_name(char out[TCPLAN_STORE_NAME], const struct tcplan_store *store, size_t kind) {
    snprintf(out, TCPLAN_STORE_NAME, "%s-all-%08" PRIx32, old_kinds[kind].kind,
             store_machine_id(store, old_kinds[kind].parts));
}

/* Writing. */

/** What a line begins with. */
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
    bool written = true;
    for (int t = 0; t < TYPES && written; t++) {
        const struct observation_type *type = observation_types[t];
        const void *observation;
        for (size_t i = 0; written && (observation = type->at(experience, i)); i++)
            written = observation_write(out, type, observation);
    }
    return written ? TCPLAN_OK : TCPLAN_NO_MEMORY;
}

/* Reading. */

/** What a log holds of a type. */
struct holding {
    size_t count;
    int64_t bytes;
    int64_t made;   /**< the last one */
    bool is_chosen; /**< to be forgotten, if it is old enough */
    size_t forgotten;
};

/** A log that is read. */
struct reading {
    struct tcplan_experience *experience;
    int64_t now;
    double least_days; /**< what is chosen is forgotten where it is so old */
    bool has_fingerprint;
    struct tcplan_fingerprint fingerprint;
    struct holding holding[TYPES];
    size_t length;  /**< of the file */
    size_t damaged; /**< lines */
};

static double days_before(const struct reading *reading, int64_t made) {
    return (double)(reading->now - made) / DAY_SECONDS;
}

/** Of what a clock that ran ahead left behind nobody knows the age: it is as young as can be. */
static void correct_clock(union observation *observation, const struct reading *reading) {
    if (days_before(reading, observation->made) < -1) observation->made = reading->now;
}

/** The type of a line that begins with a word of `length` bytes; TYPES: none that is known. */
static int type_of(const char *word, size_t length) {
    int t = 0;
    while (t < TYPES && (strlen(observation_types[t]->word) != length ||
                         memcmp(observation_types[t]->word, word, length) != 0))
        t++;
    return t;
}

/** Takes a line without its checksum. An observation without a time was made at `made`. */
static enum tcplan_status take_line(struct reading *reading, const char *line, size_t length,
                                    int64_t made) {
    const char *blank = memchr(line, ' ', length);
    const size_t word = blank ? (size_t)(blank - line) : length;
    const int t = type_of(line, word);
    union observation observation = {0};
    if (t == TYPES) return TCPLAN_OK; /* a later tcplan may know it */
    const struct observation_type *type = observation_types[t];
    const bool is_read =
        fields_read(&observation, type->field, line + word, length - word, NULL) == TCPLAN_OK &&
        type->can_be(&observation);
    reading->damaged += !is_read;
    if (!is_read) return TCPLAN_OK;
    struct holding *holding = &reading->holding[t];
    if (observation.made == 0) observation.made = made;
    correct_clock(&observation, reading);
    const double days = days_before(reading, observation.made);
    if (holding->is_chosen && days >= reading->least_days) {
        holding->forgotten++;
        return TCPLAN_OK;
    }
    holding->count++;
    holding->bytes += (int64_t)length + CHECKSUM + 1;
    if (observation.made > holding->made) holding->made = observation.made;
    return days <= type->days ? type->fold(reading->experience, &observation) : TCPLAN_OK;
}

static bool checksum_fits(const char *line, size_t length) {
    char checksum[CHECKSUM];
    if (length < CHECKSUM) return false;
    write_checksum(checksum, line + CHECKSUM, length - CHECKSUM);
    return memcmp(line, checksum, CHECKSUM) == 0;
}

static enum tcplan_status take_text(struct reading *reading, const char *text, size_t length) {
    static const char of[] = "of ";
    const char *end = text + length;
    enum tcplan_status status = TCPLAN_OK;
    for (const char *next; text < end && status == TCPLAN_OK; text = next + 1) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        next = newline ? newline : end;
        const size_t line = (size_t)(next - text);
        if (line == 0) continue;
        if (!checksum_fits(text, line)) {
            reading->damaged++;
        } else if (line >= CHECKSUM + sizeof of - 1 &&
                   memcmp(text + CHECKSUM, of, sizeof of - 1) == 0) {
            const struct fingerprint_fields parts = fingerprint_fields();
            reading->has_fingerprint =
                fields_read(&reading->fingerprint, parts.part, text + CHECKSUM + sizeof of - 2,
                            line - CHECKSUM - sizeof of + 2, NULL) == TCPLAN_OK;
        } else {
            status = take_line(reading, text + CHECKSUM, line - CHECKSUM, 0);
        }
    }
    return status;
}

enum tcplan_status log_fold(struct tcplan_experience *experience, const char *text, size_t length,
                            int64_t now) {
    struct reading reading = {.experience = experience, .now = now};
    return take_text(&reading, text, length);
}

/** Reads a log into what a reading begins with, of zeros. TCPLAN_NOT_APPLICABLE: there is none. */
static enum tcplan_status read_log(struct reading *out, const struct tcplan_store *store,
                                   const char *name, struct tcplan_error *error) {
    char *text = NULL;
    out->now = store_now(store);
    if (!out->experience) return error_no_memory(error);
    enum tcplan_status status = folder_read(&text, &out->length, store->folder, name, error);
    if (status == TCPLAN_INVALID) store_blame(name, error);
    if (status == TCPLAN_OK && take_text(out, text, out->length) != TCPLAN_OK)
        status = error_no_memory(error);
    base_free(text);
    return status;
}

/** Reads an entry that an earlier version made, whose kind is none of entries any more. */
static enum tcplan_status take_old(struct reading *reading, const char *text, size_t length,
                                   size_t kind) {
    struct entry entry;
    enum tcplan_status status = TCPLAN_OK;
    entry_read(&entry, text, length, NULL);
    if (!entry.content || strcmp(entry.kind_name, old_kinds[kind].kind) != 0 ||
        entry.version != old_kinds[kind].version)
        return TCPLAN_OK;
    const char *line = entry.content, *end = line + entry.length;
    for (const char *newline;
         status == TCPLAN_OK && line < end && (newline = memchr(line, '\n', (size_t)(end - line)));
         line = newline + 1)
        status = take_line(reading, line, (size_t)(newline - line), entry.made);
    return status;
}

/** Reads what an earlier version kept, where there is no log yet. */
static enum tcplan_status read_old(struct reading *reading, const struct tcplan_store *store) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t k = 0; k < OLD_KINDS && status == TCPLAN_OK; k++) {
        char name[TCPLAN_STORE_NAME], *text = NULL;
        size_t length;
        old_name(name, store, k);
        if (folder_read(&text, &length, store->folder, name, NULL) != TCPLAN_OK) continue;
        status = take_old(reading, text, length, k);
        base_free(text);
    }
    return status;
}

/* Replacing. */

/** What a log begins with, and the summaries; false when memory is out. */
static bool write_log(struct strbuf *out, const struct reading *reading) {
    const struct fingerprint_fields parts = fingerprint_fields();
    if (reading->has_fingerprint) log_write(out, "of", parts.part, &reading->fingerprint);
    return log_write_all(out, reading->experience) == TCPLAN_OK && !out->failed;
}

/** Replaces a log by the summaries that were read from it; one that has changed since, where there
 * are no locks, stays. */
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

/** With the lock: leaves the summaries of a log. One that cannot be read is begun anew. */
static void compact(const struct tcplan_store *store, const char *name) {
    struct reading reading = {.experience = tcplan_experience_new()};
    const enum tcplan_status status = read_log(&reading, store, name, NULL);
    reading.has_fingerprint = true;
    reading.fingerprint = store->fingerprint;
    if (status == TCPLAN_INVALID)
        reading.length = (size_t)folder_file_of(store->folder, name).bytes;
    if (status == TCPLAN_OK || status == TCPLAN_INVALID) replace(store, name, &reading, NULL);
    tcplan_experience_free(reading.experience);
}

/** With the lock: begins the log of this machine, with what an earlier version kept. */
static enum tcplan_status begin(const struct tcplan_store *store, const char *name,
                                struct tcplan_error *error) {
    struct reading reading = {.experience = tcplan_experience_new(),
                              .now = store_now(store),
                              .has_fingerprint = true,
                              .fingerprint = store->fingerprint};
    struct strbuf text = {0};
    size_t written;
    enum tcplan_status status = reading.experience ? read_old(&reading, store) : TCPLAN_NO_MEMORY;
    if (status == TCPLAN_OK && !write_log(&text, &reading)) status = TCPLAN_NO_MEMORY;
    if (status == TCPLAN_NO_MEMORY) error_no_memory(error);
    if (status == TCPLAN_OK)
        status = folder_append(&written, store->folder, name, text.text, text.length, error);
    strbuf_free(&text);
    tcplan_experience_free(reading.experience);
    for (size_t k = 0; k < OLD_KINDS && status == TCPLAN_OK; k++) {
        char old[TCPLAN_STORE_NAME];
        old_name(old, store, k);
        folder_remove(store->folder, old, NULL);
    }
    return status;
}

/* Experiences. */

/** With the lock: appends what was noted. Of that stays what was not written. */
static enum tcplan_status append(const struct tcplan_store *store, const char *name,
                                 struct strbuf *noted, struct tcplan_error *error) {
    size_t written = 0, lines;
    const enum tcplan_status status =
        folder_append(&written, store->folder, name, noted->text, noted->length, error);
    if (written == noted->length) {
        strbuf_free(noted);
        return status;
    }
    for (lines = written; lines > 0 && noted->text[lines] != '\n'; lines--) continue;
    noted->length -= lines; /* from the end of the last line that is whole */
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

/** Where the log has grown too large: what cannot be done now is done another time. */
static void compact_locked(const struct tcplan_store *store, const char *name) {
    int lock;
    if (folder_lock(&lock, store->folder, NULL) != TCPLAN_OK) return;
    compact(store, name);
    folder_unlock(lock);
}

static enum tcplan_status read_all(struct tcplan_experience *experience,
                                   const struct tcplan_store *store, struct tcplan_error *error) {
    struct reading reading = {.experience = experience};
    struct tcplan_error other;
    char name[TCPLAN_STORE_NAME];
    bool found;
    name_of(name, store);
    enum tcplan_status status = read_log(&reading, store, name, error);
    if (status == TCPLAN_NOT_APPLICABLE) status = read_old(&reading, store);
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

enum tcplan_status tcplan_store_keep_costs(const struct tcplan_store *store,
                                           const struct tcplan_costs *costs,
                                           struct tcplan_error *error) {
    return store->folder ? store_keep(store, &store_kind_costs, "all", costs, error) : TCPLAN_OK;
}

/* Listing. */

/** What a log, whose name is `name`, holds of the kind of a type: types of a kind follow each
 * other. */
static struct tcplan_store_item describe(const struct reading *reading,
                                         const struct tcplan_store *store, const char *name,
                                         int *t) {
    const struct observation_type *type = observation_types[*t];
    struct tcplan_store_item item = {0};
    char own[TCPLAN_STORE_NAME], difference[TCPLAN_MESSAGE_SIZE] = "another machine";
    name_of(own, store);
    snprintf(item.kind, sizeof item.kind, "%s", type->kind);
    snprintf(item.name, sizeof item.name, "%s-%s", type->kind, name + sizeof prefix - 1);
    for (; *t < TYPES && strcmp(observation_types[*t]->kind, type->kind) == 0; ++*t) {
        const struct holding *holding = &reading->holding[*t];
        item.bytes += holding->bytes;
        if (holding->made > item.made) item.made = holding->made;
    }
    if (strcmp(own, name) != 0) {
        if (reading->has_fingerprint)
            tcplan_fingerprint_compare(difference, sizeof difference, &reading->fingerprint,
                                       &store->fingerprint);
        item.status = TCPLAN_MISMATCH;
        snprintf(item.reason, sizeof item.reason, "it was made with %.280s", difference);
    } else if (days_before(reading, item.made) > type->days) {
        item.status = TCPLAN_MISMATCH;
        snprintf(item.reason, sizeof item.reason, "it is older than %d days", type->days);
    }
    return item;
}

size_t log_list(struct tcplan_store_item item[LOG_KINDS], const struct tcplan_store *store,
                const char *name) {
    struct reading reading = {.experience = tcplan_experience_new()};
    struct tcplan_error error = {0};
    size_t count = 0;
    enum tcplan_status status = read_log(&reading, store, name, &error);
    for (int t = 0; t < TYPES && status == TCPLAN_OK;) {
        item[count] = describe(&reading, store, name, &t);
        count += item[count].bytes > 0;
    }
    if (status == TCPLAN_OK && count == 0 && reading.damaged > 0)
        status = error_set(&error, TCPLAN_INVALID, "'%.80s': no line of it can be read", name);
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE) {
        item[0] = (struct tcplan_store_item){.bytes = (int64_t)reading.length, .status = status};
        snprintf(item[0].name, sizeof item[0].name, "%s", name);
        snprintf(item[0].reason, sizeof item[0].reason, "%s", error.message);
        count = 1;
    }
    tcplan_experience_free(reading.experience);
    return count;
}

/* Showing. */

/** How many observations a log holds of a kind. */
static size_t count_kind(const struct reading *reading, const char *kind) {
    size_t count = 0;
    for (int t = 0; t < TYPES; t++)
        count += strcmp(observation_types[t]->kind, kind) == 0 ? reading->holding[t].count : 0;
    return count;
}

static void show(struct strbuf *out, const struct tcplan_store *store,
                 const struct reading *reading, const struct observation_type *type) {
    const size_t count = count_kind(reading, type->kind);
    strbuf_add(out, "%s, %zu line%s in a log of %zu bytes", type->kind, count,
               count == 1 ? "" : "s", reading->length);
    if (reading->damaged > 0)
        strbuf_add(out, ", of which %zu line%s damaged and skipped", reading->damaged,
                   reading->damaged == 1 ? " is" : "s are");
    strbuf_add(out, "\n");
    if (reading->has_fingerprint) store_show_fingerprint(out, store, &reading->fingerprint);
    type->show(out, reading->experience);
}

/** The type that shows the kind in front of a name of `length` bytes; NULL: none. */
static const struct observation_type *type_that_shows(const char *name, size_t length) {
    for (int t = 0; t < TYPES; t++) {
        const struct observation_type *type = observation_types[t];
        if (type->show && strlen(type->kind) == length && memcmp(type->kind, name, length) == 0)
            return type;
    }
    return NULL;
}

enum tcplan_status log_show(struct strbuf *out, const struct tcplan_store *store, const char *name,
                            struct tcplan_error *error) {
    const size_t length = strcspn(name, "-");
    const struct observation_type *type = type_that_shows(name, length);
    struct reading reading = {0};
    char file[TCPLAN_STORE_NAME];
    if (!type || !name[length]) return TCPLAN_NOT_APPLICABLE;
    snprintf(file, sizeof file, "%s%.80s", prefix, name + length + 1);
    reading.experience = tcplan_experience_new();
    enum tcplan_status status = read_log(&reading, store, file, error);
    if (status == TCPLAN_OK && count_kind(&reading, type->kind) == 0)
        status = TCPLAN_NOT_APPLICABLE;
    if (status == TCPLAN_OK) show(out, store, &reading, type);
    tcplan_experience_free(reading.experience);
    return status;
}

/* Forgetting. */

/** Reads a log without what is chosen, and replaces it. */
static enum tcplan_status forget(size_t *count, struct reading *reading,
                                 const struct tcplan_store *store, const char *name,
                                 struct tcplan_error *error) {
    size_t left = 0;
    enum tcplan_status status = read_log(reading, store, name, error);
    if (status != TCPLAN_OK) return status;
    for (int t = 0; t < TYPES; t++) {
        const bool is_first =
            t == 0 || strcmp(observation_types[t]->kind, observation_types[t - 1]->kind) != 0;
        left += reading->holding[t].count;
        *count += reading->holding[t].forgotten > 0 &&
                  (is_first || reading->holding[t - 1].forgotten == 0);
    }
    return left > 0 ? replace(store, name, reading, error)
                    : folder_remove(store->folder, name, error);
}

enum tcplan_status log_forget(size_t *count, const struct tcplan_store *store, const char *name,
                              const struct tcplan_store_choice *choice,
                              struct tcplan_error *error) {
    struct tcplan_store_item item[LOG_KINDS];
    struct tcplan_store_choice of_any_age = *choice;
    struct reading reading = {.least_days = choice->least_days > 0 ? choice->least_days : -1};
    bool is_any = false;
    const size_t items = log_list(item, store, name);
    of_any_age.least_days = 0; /* that is asked of every observation */
    for (size_t i = 0; i < items; i++) {
        if (!store_is_chosen(store, &item[i], &of_any_age)) continue;
        if (!*item[i].kind) { /* it is no log */
            ++*count;
            return folder_remove(store->folder, name, error);
        }
        for (int t = 0; t < TYPES; t++)
            reading.holding[t].is_chosen |= strcmp(observation_types[t]->kind, item[i].kind) == 0;
        is_any = true;
    }
    if (!is_any) return TCPLAN_OK;
    reading.experience = tcplan_experience_new();
    const enum tcplan_status status = forget(count, &reading, store, name, error);
    tcplan_experience_free(reading.experience);
    return status;
}
