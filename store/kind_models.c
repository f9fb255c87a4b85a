/*
 * Models and their samples: one entry for the models of a routine in one setup, in the XML form
 * used for exchange, and one for the samples of a case, by tables of fields. Additions to an entry
 * rewrite it with its earlier content.
 */
#include "store/kind_models.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/error.h"
#include "base/hash.h"
#include "models/words.h"
#include "store/fields.h"
#include "store/folder.h"
#include "store/kinds.h"
#include "store/store.h"
#include "tcplan/models_file.h"

/** Models of a machine never expire. */
enum { DAYS = 36500 };

/* Models. */

/** Appends a piece of XML to a strbuf; a tcplan_write_fn. */
static bool append(void *context, const char *text, size_t size) {
    strbuf_append(context, text, size);
    return !((const struct strbuf *)context)->failed;
}

static void write_models(struct strbuf *out, const void *value) {
    const struct stored_models *stored = value;
    if (tcplan_models_write(stored->models, stored->fingerprint, append, out, NULL) != TCPLAN_OK)
        out->failed = true;
}

static enum tcplan_status read_models(void *value, const char *content, size_t length,
                                      struct tcplan_error *error) {
    struct tcplan_fingerprint machine; /* fingerprint in the entry's head */
    return models_read_text(value, &machine, content, length, error);
}

static void show_model(struct strbuf *out, const struct tcplan_model *model) {
    char domain[TCPLAN_MODEL_DOMAIN_TEXT];
    tcplan_model_domain_print(domain, &model->domain);
    strbuf_add(out, "%s  on %s of %s, %d thread%s, %s%s%s: %zu piece%s, error up to %.3g %%\n",
               model->case_text, domain, model->setup.provider, model->setup.threads,
               model->setup.threads == 1 ? "" : "s",
               tcplan_model_placement_name(model->setup.placement),
               *model->setup.counter ? ", " : "", model->setup.counter, model->piece_count,
               model->piece_count == 1 ? "" : "s", 100 * tcplan_model_error(model));
}

static void print_models(struct strbuf *out, const void *value) {
    const struct stored_models *stored = value;
    const size_t count = tcplan_models_count(stored->models);
    strbuf_add(out, "%zu model%s\n\n", count, count == 1 ? "" : "s");
    for (size_t m = 0; m < count; m++) show_model(out, tcplan_models_at(stored->models, m));
}

static void free_models(void *value) {
    tcplan_models_free(((struct stored_models *)value)->models);
    base_free(value);
}

const struct store_kind store_kind_models = {.name = "models",
                                             .version = 2,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                             .is_expensive = true,
                                             .size = sizeof(struct stored_models),
                                             .write = write_models,
                                             .read = read_models,
                                             .print = print_models,
                                             .free = free_models};

/* Samples. */

static const struct field samples_fields[] = {
    {TEXT_OF("case", stored_samples, case_text)},
    {TEXT_OF("provider", stored_samples, setup.provider)},
    {TEXT_OF("version", stored_samples, setup.version)},
    {INT_OF("threads", stored_samples, setup.threads, 1, INT_MAX)},
    {TEXT_OF("binding", stored_samples, setup.binding)},
    {WORD_OF("placement", stored_samples, setup.placement, model_placements)},
    {TEXT_OF("counter", stored_samples, setup.counter)},
    {0},
};

#define SIZE(label, i) INT64_OF(label, tcplan_model_sample, size[i], 0, TCPLAN_MODEL_LARGEST)
#define NS(label, statistic) FIELD_OF(label, REAL, tcplan_model_sample, ns[statistic])

static const struct field sample_fields[] = {
    {SIZE("size1", 0)},
    {SIZE("size2", 1)},
    {SIZE("size3", 2)},
    {SIZE("size4", 3)},
    {INT_OF("repetitions", tcplan_model_sample, repetitions, 0, INT_MAX)},
    {NS("minimum", TCPLAN_MODEL_MINIMUM)},
    {NS("median", TCPLAN_MODEL_MEDIAN)},
    {NS("maximum", TCPLAN_MODEL_MAXIMUM)},
    {NS("mean", TCPLAN_MODEL_MEAN)},
    {NS("deviation", TCPLAN_MODEL_DEVIATION)},
    {0},
};

static enum tcplan_status take_sample(void *value, const void *read, struct tcplan_error *error) {
    struct stored_samples *stored = value;
    if (*stored->case_text && stored->setup.threads >= 1)
        return tcplan_model_samples_add(&stored->samples, read, error);
    return error_set(error, TCPLAN_INVALID,
                     "expected a line with the subject of the samples before them");
}

static const struct fields_line sample_lines[] = {
    {LINE_SELF("samples", samples_fields, stored_samples)},
    {LINE_GROWN("sample", sample_fields, stored_samples, samples.sample, samples.count),
     .take = take_sample},
    {0},
};

static void print_samples(struct strbuf *out, const void *value) {
    const struct stored_samples *stored = value;
    strbuf_add(out, "%zu point%s of %s of %s, %d thread%s, %s\n", stored->samples.count,
               stored->samples.count == 1 ? "" : "s", stored->case_text, stored->setup.provider,
               stored->setup.threads, stored->setup.threads == 1 ? "" : "s",
               tcplan_model_placement_name(stored->setup.placement));
}

static void free_samples(void *value) {
    tcplan_model_samples_free(&((struct stored_samples *)value)->samples);
    base_free(value);
}

const struct store_kind store_kind_samples = {.name = "samples",
                                              .version = 2,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                              .is_expensive = true,
                                              .size = sizeof(struct stored_samples),
                                              .line = sample_lines,
                                              .print = print_samples,
                                              .free = free_samples};

/* Writes a key such as `dgemm-openblas-1-warm-1a2b3c4d`, whose last part is a hash of the
 * library's version, the binding and the counter; keys of samples end with a hash of the case. */

static void models_key(char out[TCPLAN_STORE_NAME], const char *case_text,
                       const struct tcplan_model_setup *setup) {
    char routine[TCPLAN_MODEL_NAME];
    const uint32_t version = checksum_add(0, setup->version, strlen(setup->version));
    tcplan_model_case_routine(routine, case_text);
    snprintf(out, TCPLAN_STORE_NAME, "%.31s-%.31s-%d-%s-%08" PRIx32, routine, setup->provider,
             setup->threads, tcplan_model_placement_name(setup->placement),
             checksum_add(checksum_add(version, setup->binding, strlen(setup->binding)),
                          setup->counter, strlen(setup->counter)));
}

static void samples_key(char out[TCPLAN_STORE_NAME], const char *case_text,
                        const struct tcplan_model_setup *setup) {
    models_key(out, case_text, setup);
    const size_t length = strlen(out);
    snprintf(out + length, TCPLAN_STORE_NAME - length, "-%08" PRIx32,
             (uint32_t)(hash_text(case_text) >> 32));
}

/* Models. */

enum tcplan_status tcplan_store_models(struct tcplan_models **out, const struct tcplan_store *store,
                                       struct tcplan_error *error) {
    struct stored_models into = {.models = tcplan_models_new(), .fingerprint = &store->fingerprint};
    *out = into.models;
    if (!into.models) return error_no_memory(error);
    const enum tcplan_status status = store_find_every(&into, store, &store_kind_models, error);
    tcplan_models_sort(into.models);
    if (status != TCPLAN_NO_MEMORY) return status;
    tcplan_models_free(into.models);
    *out = NULL;
    return status;
}

/** Adds to an entry's value copies of those models that belong to the entry. */
static enum tcplan_status add_copies(struct tcplan_models *models, const char *key,
                                     const struct tcplan_model *const model[], size_t count,
                                     struct tcplan_error *error) {
    char own[TCPLAN_STORE_NAME];
    enum tcplan_status status = TCPLAN_OK;
    for (size_t m = 0; m < count && status == TCPLAN_OK; m++) {
        models_key(own, model[m]->case_text, &model[m]->setup);
        if (strcmp(own, key) != 0) continue;
        struct tcplan_model *copy = tcplan_model_copy(model[m]);
        status = copy ? tcplan_models_add(models, copy, error) : error_no_memory(error);
        if (status != TCPLAN_OK) tcplan_model_free(copy);
    }
    return status;
}

/** Adds the new models to the stored ones; an unreadable entry is replaced. The caller holds the
 * lock. */
static enum tcplan_status update_models(const struct tcplan_store *store, const char *key,
                                        const struct tcplan_model *const model[], size_t count,
                                        struct tcplan_error *error) {
    struct stored_models into = {.models = tcplan_models_new()};
    bool found = false;
    if (!into.models) return error_no_memory(error);
    enum tcplan_status status = store_find(&found, &into, store, &store_kind_models, key, NULL);
    if (status == TCPLAN_NO_MEMORY) error_no_memory(error);
    if (status != TCPLAN_NO_MEMORY) status = add_copies(into.models, key, model, count, error);
    if (status == TCPLAN_OK) tcplan_models_sort(into.models);
    into.fingerprint = &store->fingerprint;
    if (status == TCPLAN_OK) status = store_replace(store, &store_kind_models, key, &into, error);
    tcplan_models_free(into.models);
    return status;
}

/** Returns whether this is the first model of its entry. */
static bool is_first(const struct tcplan_model *const model[], size_t place) {
    char key[TCPLAN_STORE_NAME], other[TCPLAN_STORE_NAME];
    models_key(key, model[place]->case_text, &model[place]->setup);
    for (size_t m = 0; m < place; m++) {
        models_key(other, model[m]->case_text, &model[m]->setup);
        if (strcmp(key, other) == 0) return false;
    }
    return true;
}

enum tcplan_status tcplan_store_keep_models(const struct tcplan_store *store,
                                            const struct tcplan_model *const model[], size_t count,
                                            struct tcplan_error *error) {
    int lock;
    if (!store->folder || count == 0) return TCPLAN_OK;
    enum tcplan_status status = folder_lock(&lock, store->folder, error);
    if (status != TCPLAN_OK) return status;
    for (size_t m = 0; m < count && status == TCPLAN_OK; m++) {
        char key[TCPLAN_STORE_NAME];
        if (!is_first(model, m)) continue;
        models_key(key, model[m]->case_text, &model[m]->setup);
        status = update_models(store, key, model, count, error);
    }
    if (status == TCPLAN_OK) store_trim(store);
    folder_unlock(lock);
    return status;
}

/* Samples. */

static bool is_of(const struct stored_samples *stored, const char *case_text,
                  const struct tcplan_model_setup *setup) {
    return strcmp(stored->case_text, case_text) == 0 &&
           strcmp(stored->setup.version, setup->version) == 0 &&
           tcplan_model_setup_matches(&stored->setup, setup);
}

static enum tcplan_status find_samples(struct stored_samples *stored,
                                       const struct tcplan_store *store, const char *case_text,
                                       const struct tcplan_model_setup *setup,
                                       struct tcplan_error *error) {
    char key[TCPLAN_STORE_NAME];
    bool found;
    samples_key(key, case_text, setup);
    enum tcplan_status status = store_find(&found, stored, store, &store_kind_samples, key, error);
    if (found && !is_of(stored, case_text, setup))
        status = error_set(error, TCPLAN_INVALID, "'%.80s' holds samples of another case", key);
    if (found && status == TCPLAN_OK) return status;
    tcplan_model_samples_free(&stored->samples); /* after an error, also frees the samples that were
                                                    read before it */
    return status;
}

enum tcplan_status tcplan_store_samples(struct tcplan_model_samples *out,
                                        const struct tcplan_store *store, const char *case_text,
                                        const struct tcplan_model_setup *setup,
                                        struct tcplan_error *error) {
    struct stored_samples stored = {.samples = *out};
    const enum tcplan_status status = find_samples(&stored, store, case_text, setup, error);
    *out = stored.samples;
    return status;
}

/** Adds the new samples to the stored ones. The caller holds the lock. */
static enum tcplan_status update_samples(const struct tcplan_store *store,
                                         struct stored_samples *stored,
                                         const struct tcplan_model_samples *samples,
                                         struct tcplan_error *error) {
    char key[TCPLAN_STORE_NAME];
    enum tcplan_status status = TCPLAN_OK;
    for (size_t s = 0; s < samples->count && status == TCPLAN_OK; s++) {
        status = tcplan_model_samples_add(&stored->samples, &samples->sample[s], error);
    }
    samples_key(key, stored->case_text, &stored->setup);
    return status == TCPLAN_OK ? store_replace(store, &store_kind_samples, key, stored, error)
                               : status;
}

enum tcplan_status tcplan_store_keep_samples(const struct tcplan_store *store,
                                             const char *case_text,
                                             const struct tcplan_model_setup *setup,
                                             const struct tcplan_model_samples *samples,
                                             struct tcplan_error *error) {
    struct stored_samples stored = {0};
    int lock;
    if (!store->folder || samples->count == 0) return TCPLAN_OK;
    enum tcplan_status status = folder_lock(&lock, store->folder, error);
    if (status != TCPLAN_OK) return status;
    if (find_samples(&stored, store, case_text, setup, NULL) == TCPLAN_NO_MEMORY)
        status = error_no_memory(error);
    stored.setup = *setup; /* a new entry has no setup */
    snprintf(stored.case_text, sizeof stored.case_text, "%s", case_text);
    if (status == TCPLAN_OK) status = update_samples(store, &stored, samples, error);
    tcplan_model_samples_free(&stored.samples);
    if (status == TCPLAN_OK) store_trim(store);
    folder_unlock(lock);
    return status;
}
