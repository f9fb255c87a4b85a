#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/commands/model/model.h"
#include "tcplan/models_file.h"

/* Export. */

/** A tcplan_write_fn. */
static bool write_text(void *context, const char *text, size_t length) {
    return fwrite(text, 1, length, context) == length;
}

/** Returns copies of the chosen models; NULL: out of memory. */
static struct tcplan_models *copies_of(const struct chosen_models *chosen) {
    struct tcplan_models *models = tcplan_models_new();
    for (size_t m = 0; m < chosen->count && models; m++) {
        struct tcplan_model *copy = tcplan_model_copy(chosen->model[m]);
        if (copy && tcplan_models_add(models, copy, NULL) == TCPLAN_OK) continue;
        tcplan_model_free(copy);
        tcplan_models_free(models);
        models = NULL;
    }
    return models;
}

enum tcplan_status models_export(FILE *file, const struct chosen_models *chosen) {
    struct tcplan_models *models = copies_of(chosen);
    if (!models) return error_no_memory(&failure);
    const enum tcplan_status status =
        tcplan_models_write(models, &chosen->stored.store.fingerprint, write_text, file, &failure);
    tcplan_models_free(models);
    return status;
}

/* Import. */

/** Finds the difference between the models' machine and this one; false if there is none. Compares
 * only the libraries that the models use. */
static bool is_foreign(char difference[TCPLAN_MESSAGE_SIZE], const struct tcplan_models *models,
                       const struct tcplan_fingerprint *found,
                       const struct tcplan_fingerprint *here) {
    struct tcplan_fingerprint compared = *here;
    for (int p = 0; p < TCPLAN_FINGERPRINT_LIBRARIES; p++)
        memcpy(compared.part[p], found->part[p], sizeof *compared.part);
    for (size_t m = 0; m < tcplan_models_count(models); m++) {
        const struct tcplan_model_setup *setup = &tcplan_models_at(models, m)->setup;
        enum tcplan_provider provider;
        if (!tcplan_provider_find(&provider, setup->provider) || provider >= TCPLAN_PROVIDER_FILE_1)
            continue;
        const int part = TCPLAN_FINGERPRINT_LIBRARIES + (int)provider;
        if (strcmp(setup->version, here->part[part]) != 0)
            snprintf(compared.part[part], sizeof *compared.part, "%s", setup->version);
    }
    return tcplan_fingerprint_compare(difference, TCPLAN_MESSAGE_SIZE, &compared, here) > 0;
}

/** Relabels a model as one of this machine's library. */
static void adopt(struct tcplan_model *model, const struct tcplan_fingerprint *here) {
    enum tcplan_provider provider;
    if (!tcplan_provider_find(&provider, model->setup.provider) ||
        provider >= TCPLAN_PROVIDER_FILE_1)
        return;
    snprintf(model->setup.version, sizeof model->setup.version, "%s",
             here->part[TCPLAN_FINGERPRINT_LIBRARIES + (int)provider]);
}

static void free_copies(struct tcplan_model **copy, size_t count) {
    for (size_t m = 0; m < count; m++) tcplan_model_free(copy[m]);
    base_free(copy);
}

/** Copies models and relabels them for this machine's libraries; false: out of memory. */
static bool adopt_copies(struct tcplan_model *copy[], const struct tcplan_models *models,
                         const struct tcplan_fingerprint *here) {
    for (size_t m = 0; m < tcplan_models_count(models); m++) {
        copy[m] = tcplan_model_copy(tcplan_models_at(models, m));
        if (!copy[m]) return false;
        adopt(copy[m], here);
    }
    return true;
}

/** Stores all models together as this machine's. */
static enum exit_status keep(const struct tcplan_models *models, const struct tcplan_store *store) {
    const size_t count = tcplan_models_count(models);
    struct tcplan_model **copy = base_alloc_zero(count + 1, sizeof(struct tcplan_model *));
    if (!copy) return diagnose_no_memory();
    enum exit_status status =
        adopt_copies(copy, models, &store->fingerprint) ? EXIT_DONE : diagnose_no_memory();
    if (status == EXIT_DONE) {
        const struct tcplan_model *const *stored = (const struct tcplan_model *const *)copy;
        if (tcplan_store_keep_models(store, stored, count, &failure) != TCPLAN_OK)
            status = diagnose_failure(NULL);
    }
    free_copies(copy, count);
    return status;
}

static enum exit_status keep_or_refuse(const struct options *options,
                                       const struct tcplan_models *models,
                                       const struct tcplan_fingerprint *found,
                                       const struct tcplan_store *store) {
    const size_t count = tcplan_models_count(models);
    char difference[TCPLAN_MESSAGE_SIZE];
    if (!store->folder) {
        diagnose("there is no store for models: $TCPLAN_STORE is empty, or $HOME is not set");
        return EXIT_ENVIRONMENT;
    }
    const bool foreign = is_foreign(difference, models, found, &store->fingerprint);
    if (foreign && !options->foreign) {
        diagnose("the models in '%.200s' were made with %s; --foreign imports them nevertheless",
                 options->arguments[1], difference);
        return EXIT_REFUSED;
    }
    const enum exit_status status = keep(models, store);
    if (status == EXIT_DONE && foreign) note(options, "they were made with %s", difference);
    if (status == EXIT_DONE && !options->quiet)
        diagnose("%zu model%s stored", count, count == 1 ? "" : "s");
    return status;
}

enum exit_status models_import(const struct tcplan_store *store, const struct options *options,
                               const char *path) {
    struct tcplan_models *models;
    struct tcplan_fingerprint found;
    if (tcplan_models_load(&models, &found, path, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    const enum exit_status status = keep_or_refuse(options, models, &found, store);
    tcplan_models_free(models);
    return status;
}
