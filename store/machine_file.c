#include "store/machine_file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cachesim/topology.h"
#include "store/experience.h"
#include "store/folder.h"
#include "store/kind_ceilings.h"
#include "store/kind_machine.h"
#include "store/kind_models.h"
#include "store/plans_file.h"
#include "store/store.h"

/* The largest number of threads whose ceilings are exported. */
enum { MOST_THREADS = 256 };

static const char magic[] = "tcplan store 1\nentry kind=machine ", ending[] = ".tcplan";

/* Writing. */

static void add(struct strbuf *out, const struct tcplan_store *store, const struct store_kind *kind,
                const void *value) {
    char *text = store_text(store, kind, "exported", value);
    if (text) strbuf_append(out, text, strlen(text));
    out->failed |= !text;
    free(text);
}

static void add_ceilings(struct strbuf *out, const struct tcplan_store *store) {
    int thread[MOST_THREADS];
    struct tcplan_roofline *ceilings = NULL;
    for (int t = 0; t < MOST_THREADS; t++) thread[t] = t + 1;
    (void)tcplan_store_ceilings(&ceilings, store, thread, MOST_THREADS, NULL);
    if (ceilings)
        add(out, store, &store_kind_ceilings, &(struct stored_ceilings){.roofline = *ceilings});
    tcplan_roofline_free(ceilings);
}

static void add_experience(struct strbuf *out, const struct tcplan_store *store) {
    struct tcplan_experience *experience = NULL;
    (void)tcplan_store_experience(&experience, store, NULL);
    out->failed |= !experience;
    if (!experience) return;
    if (tcplan_experience_costs(experience)) add(out, store, &store_kind_costs, &experience->costs);
    for (const struct store_kind *const *kind = store_kinds; *kind; kind++) {
        struct strbuf lines = {0};
        if ((*kind)->fold) kind_write(&lines, *kind, experience);
        if (lines.length > 0) add(out, store, *kind, experience);
        out->failed |= lines.failed;
        strbuf_free(&lines);
    }
    tcplan_experience_free(experience);
}

static void add_models(struct strbuf *out, const struct tcplan_store *store) {
    struct stored_models stored = {.fingerprint = &store->fingerprint};
    (void)tcplan_store_models(&stored.models, store, NULL);
    if (stored.models && tcplan_models_count(stored.models) > 0)
        add(out, store, &store_kind_models, &stored);
    tcplan_models_free(stored.models);
}

enum tcplan_status tcplan_machine_export(char **out, const struct tcplan_store *store,
                                         struct tcplan_error *error) {
    struct strbuf text = {0};
    char *xml = NULL;
    const enum tcplan_status status = topology_xml(&xml, error);
    if (status == TCPLAN_OK) {
        add(&text, store, &store_kind_machine, &(struct stored_machine){.xml = xml});
        add_ceilings(&text, store);
        add_experience(&text, store);
        add_models(&text, store);
    }
    free(xml);
    return strbuf_give(&text, out, status, error);
}

/* Reading. */

bool tcplan_machine_is_exported(const char *path) {
    char begin[sizeof magic] = "";
    struct stat kind;
    const size_t named = strlen(path), end = strlen(ending);
    if (named > end && strcmp(path + named - end, ending) == 0) return true;
    if (stat(path, &kind) != 0 || !S_ISREG(kind.st_mode))
        return false; /* opening a pipe might wait */
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const size_t length = fread(begin, 1, sizeof magic - 1, file);
    fclose(file);
    return length == sizeof magic - 1 && memcmp(begin, magic, length) == 0;
}

/** Reads one entry into the file's data. */
static enum tcplan_status read_entry(struct tcplan_machine_file *file, const struct entry *entry,
                                     struct tcplan_error *error) {
    if (entry->kind->fold) return entry_value(file->experience, entry, error);
    if (entry->kind == &store_kind_costs)
        return entry_value(&file->experience->costs, entry, error);
    if (entry->kind == &store_kind_ceilings) return entry_value(file->ceilings, entry, error);
    if (entry->kind == &store_kind_models) {
        struct stored_models stored = {.models = file->models};
        const enum tcplan_status status = entry_value(&stored, entry, error);
        file->models = stored.models;
        return status;
    }
    return error_set(error, TCPLAN_INVALID, "expected data about a machine, found %s",
                     entry->kind->name);
}

/** Reads the first entry, with the topology and the fingerprint that all entries share. */
static enum tcplan_status read_first(struct tcplan_machine_file *file, const struct entry *entry,
                                     struct tcplan_error *error) {
    struct stored_machine stored = {0};
    if (entry->kind != &store_kind_machine)
        return error_set(error, TCPLAN_INVALID, "expected a machine, found %s", entry->kind->name);
    file->fingerprint = entry->fingerprint;
    const enum tcplan_status status = entry_value(&stored, entry, error);
    file->machine = stored.machine;
    return status;
}

static enum tcplan_status read_piece(struct tcplan_machine_file *file,
                                     const struct plans_piece *piece, bool is_first,
                                     struct tcplan_error *error) {
    char difference[TCPLAN_MESSAGE_SIZE];
    struct entry entry;
    const enum tcplan_status status = entry_read(&entry, piece->text, piece->length, error);
    if (status != TCPLAN_OK) return status;
    if (is_first) return read_first(file, &entry, error);
    if (tcplan_fingerprint_compare(difference, sizeof difference, &entry.fingerprint,
                                   &file->fingerprint) > 0)
        return error_set(error, TCPLAN_INVALID, "it has data of several machines: %.240s",
                         difference);
    return read_entry(file, &entry, error);
}

static enum tcplan_status read_all(struct tcplan_machine_file *file, const char *text,
                                   size_t length, struct tcplan_error *error) {
    struct plans_piece piece;
    enum tcplan_status status = TCPLAN_OK;
    const char *at = text;
    bool is_first = true;
    while (status == TCPLAN_OK && plans_next_piece(&piece, &at, text + length, NULL)) {
        const size_t before = plans_line(text, piece.text) - 1;
        status = read_piece(file, &piece, is_first, error);
        if (status != TCPLAN_OK && error && error->line > 0) error->line += before;
        is_first = false;
    }
    if (status == TCPLAN_OK && is_first)
        return error_set(error, TCPLAN_INVALID, "expected an exported machine, found nothing");
    if (status != TCPLAN_MISMATCH) return status;
    if (error) error->status = TCPLAN_INVALID;
    return TCPLAN_INVALID;
}

enum tcplan_status machine_file_read(struct tcplan_machine_file *out, const char *text,
                                     size_t length, struct tcplan_error *error) {
    struct tcplan_machine_file file = {.ceilings = base_alloc_zero(1, sizeof *file.ceilings),
                                       .experience = tcplan_experience_new()};
    const enum tcplan_status status = file.ceilings && file.experience
                                          ? read_all(&file, text, length, error)
                                          : error_no_memory(error);
    if (status != TCPLAN_OK) {
        tcplan_machine_file_free(&file);
        return status;
    }
    file.machine.live = false;
    if (file.ceilings->compute_count == 0) {
        tcplan_roofline_free(file.ceilings);
        file.ceilings = NULL;
    }
    file.machine.ceilings = file.ceilings;
    *out = file;
    return TCPLAN_OK;
}

enum tcplan_status tcplan_machine_import(struct tcplan_machine_file *out, const char *path,
                                         struct tcplan_error *error) {
    char *text = NULL;
    size_t length = 0;
    struct tcplan_error cause = {0};
    enum tcplan_status status = folder_read_file(&text, &length, path, PLANS_MOST_BYTES, &cause);
    if (status == TCPLAN_NOT_APPLICABLE)
        status = error_set(&cause, TCPLAN_ENVIRONMENT, "No such file or directory");
    if (status == TCPLAN_OK) status = machine_file_read(out, text, length, &cause);
    base_free(text);
    if (status == TCPLAN_OK) {
        snprintf(out->machine.source, sizeof out->machine.source, "%s", path);
        return TCPLAN_OK;
    }
    if (error) *error = cause;
    if (status == TCPLAN_NO_MEMORY) return status;
    store_blame(path, error);
    return status;
}

void tcplan_machine_unknown(char out[TCPLAN_MESSAGE_SIZE], const struct tcplan_machine_file *file,
                            int threads) {
    struct strbuf text = {0};
    size_t c = 0;
    while (file->ceilings && c < file->ceilings->compute_count &&
           file->ceilings->compute[c].threads != threads)
        c++;
    if (!file->ceilings || c == file->ceilings->compute_count)
        strbuf_add(&text, ", no ceilings for %d thread%s (speeds are nominal)", threads,
                   threads == 1 ? "" : "s");
    if (!tcplan_experience_costs(file->experience))
        strbuf_add(&text, ", no costs of cache lines and copies");
    if (file->experience->kernel_count == 0) strbuf_add(&text, ", no kernel times");
    if (!file->models) strbuf_add(&text, ", no models");
    snprintf(out, TCPLAN_MESSAGE_SIZE, "%s", text.length > 0 && !text.failed ? text.text + 2 : "");
    strbuf_free(&text);
}

void tcplan_machine_file_free(struct tcplan_machine_file *file) {
    tcplan_roofline_free(file->ceilings);
    tcplan_experience_free(file->experience);
    tcplan_models_free(file->models);
    *file = (struct tcplan_machine_file){0};
}
