#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "cli/collection.h"
#include "cli/commands/model/model.h"
#include "cli/render/sampling/sampling.h"
#include "tcplan/models_file.h"

const char *const *model_words(const struct options *options, int *count) {
    *count = options->argument_count > 1 ? options->argument_count - 1 : 0;
    return options->arguments + (*count > 0);
}

enum exit_status model_expect_some(const struct chosen_models *chosen) {
    if (chosen->count > 0) return EXIT_DONE;
    if (!chosen->stored.store.folder) {
        diagnose("there is no store: $TCPLAN_STORE is empty, or $HOME is not set");
    } else {
        diagnose("no stored model matches; `tcplan model list` lists all");
    }
    return EXIT_REFUSED;
}

/* Export. */

/** Writes a text to a file; implements tcplan_write_fn. */
static bool write_text(void *context, const char *text, size_t length) {
    return fwrite(text, 1, length, context) == length;
}

/** Returns copies of the chosen models; NULL if memory runs out. */
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

static enum tcplan_status models_export(FILE *file, const struct chosen_models *chosen) {
    struct tcplan_models *models = copies_of(chosen);
    if (!models) return error_no_memory(&failure);
    const enum tcplan_status status =
        tcplan_models_write(models, &chosen->stored.store.fingerprint, write_text, file, &failure);
    tcplan_models_free(models);
    return status;
}

/* Import. */

/** Describes how the machine of the models differs from this one; returns false if it does not.
 * Only libraries that the models use are compared. */
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

/** Sets the machine and library of a model to those of this machine. */
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

/** Copies models and sets their machine and libraries to those of this machine; false if memory
 * runs out. */
static bool adopt_copies(struct tcplan_model *copy[], const struct tcplan_models *models,
                         const struct tcplan_fingerprint *here) {
    for (size_t m = 0; m < tcplan_models_count(models); m++) {
        copy[m] = tcplan_model_copy(tcplan_models_at(models, m));
        if (!copy[m]) return false;
        adopt(copy[m], here);
    }
    return true;
}

/** Stores models for this machine in one operation. */
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
    if (!store->folder)
        return diagnose_as(
            EXIT_ENVIRONMENT,
            "there is no store for models: $TCPLAN_STORE is empty, or $HOME is not set");
    const bool foreign = is_foreign(difference, models, found, &store->fingerprint);
    if (foreign && !options->foreign)
        return diagnose_as(
            EXIT_REFUSED, "the models in '%.200s' were made with %s; --foreign imports them anyway",
            options->arguments[1], difference);
    const enum exit_status status = keep(models, store);
    if (status == EXIT_DONE && foreign) note(options, "they were made with %s", difference);
    if (status == EXIT_DONE && !options->quiet)
        diagnose("%s stored", counted((int64_t)count, "model").text);
    return status;
}

static enum exit_status models_import(const struct tcplan_store *store,
                                      const struct options *options, const char *path) {
    struct tcplan_models *models;
    struct tcplan_fingerprint found;
    if (tcplan_models_load(&models, &found, path, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    const enum exit_status status = keep_or_refuse(options, models, &found, store);
    tcplan_models_free(models);
    return status;
}

/* Stored models. */

struct models {
    struct chosen_models chosen;
    struct model_sizes sizes; /* sizes at which `show` evaluates the models */
};

static void close_models(void *things) {
    struct models *models = things;
    chosen_models_close(&models->chosen);
    base_free(models);
}

static enum exit_status open_models(void **things, const struct options *options) {
    struct models *models = base_alloc_zero(1, sizeof *models);
    int count;
    const char *const *word = model_words(options, &count);
    *things = models;
    if (!models) return diagnose_no_memory();
    if (options->action->bit == MODEL_IMPORT) return stored_open_here(&models->chosen.stored);
    const enum exit_status status = model_sizes_read(&models->sizes, options->sizes);
    return status == EXIT_DONE ? chosen_models_open(&models->chosen, options, word, count) : status;
}

static bool has_model(const void *things, const struct options *options) {
    const struct models *models = things;
    (void)options;
    return model_expect_some(&models->chosen) == EXIT_DONE;
}

static enum exit_status print(const struct options *options, const void *content) {
    const struct models *models = content;
    const struct models_listing listing = {.chosen = &models->chosen,
                                           .whole = options->action->bit == MODEL_SHOW,
                                           .sizes = &models->sizes};
    return printed_view(options, &models_view, &listing);
}

static enum tcplan_status write_models(FILE *file, size_t *count, const void *things) {
    const struct models *models = things;
    *count = models->chosen.count;
    return models_export(file, &models->chosen);
}

static enum exit_status import(void *things, const struct options *options, const char *path) {
    struct models *models = things;
    return models_import(&models->chosen.stored.store, options, path);
}

static const struct collection models = {.command = "model",
                                         .one = "model",
                                         .many = "models",
                                         .open = open_models,
                                         .close = close_models,
                                         .has_chosen = has_model,
                                         .print = print,
                                         .write = write_models,
                                         .import = import};

static void offer_routines(struct strbuf *out) {
    strbuf_add(out, "dgemm dgemv dger dsymm dsyrk dsyr2k dtrmm dtrsm dpotf2 dgetf2 dgeqr2 dtrti2");
}

static const struct action actions[] = {
    {"list", MODEL_LIST, "[WHICH ...]", "list the models (default)", NULL, ANY_ARGUMENTS, FILE_NONE,
     offer_routines, collection_run, &models},
    {"show", MODEL_SHOW, "[WHICH ...]",
     "print the pieces of models and, with --sizes, predicted times", NULL, ANY_ARGUMENTS,
     FILE_NONE, offer_routines, collection_run, &models},
    {"plot", MODEL_PLOT, "[WHICH ...]", "draw one model and its samples", NULL, ANY_ARGUMENTS,
     FILE_NONE, offer_routines, model_plot, NULL},
    {"export", MODEL_EXPORT, "[WHICH ...]", "write models as XML", NULL, ANY_ARGUMENTS, FILE_NONE,
     offer_routines, collection_run, &models},
    {"import", MODEL_IMPORT, "FILE", "add the models of a file",
     "one file, as `tcplan model export` writes it", 1, FILE_INPUT, NULL, collection_run, &models},
    {"generate", MODEL_GENERATE, "KERNEL ...", "measure and fit models of routines",
     "routines such as dtrsm or dgemm:transA=N,transB=N", ANY_ARGUMENTS, FILE_NONE, offer_routines,
     generation_make, NULL},
    {"study", MODEL_STUDY, "KERNEL ...",
     "compare configurations of the generator, fitted to one set of measurements",
     "routines such as dtrsm or dgemm:transA=N,transB=N", ANY_ARGUMENTS, FILE_NONE, offer_routines,
     generation_study, NULL},
    {"check", MODEL_CHECK, "[WHICH ...]", "compare models with new measurements at random sizes",
     NULL, ANY_ARGUMENTS, FILE_NONE, offer_routines, generation_check, NULL},
    {0},
};

const struct command command_model = {
    "model",
    COMMAND_MODEL,
    "[list | show | plot | export | import FILE | check] [WHICH ...] | generate | study KERNEL ... [OPTIONS]",
    "generate, show, check and exchange performance models of routines",
    "  tcplan model\n"
    "  tcplan model show dgemm transA=N --sizes m=500,n=500,k=8\n"
    "  tcplan model plot dtrsm side=L uplo=L -o dtrsm.svg\n"
    "  tcplan model export dgemm -o models.xml\n"
    "  tcplan model generate dtrsm:side=L --time-limit 300\n"
    "  tcplan model check dtrsm --points 50\n"
    "  tcplan model study dpotf2:n=8:256 --configurations all --plot study.svg\n",
    .actions = actions,
    .manual =
        "A model predicts the time of a call of a routine by polynomials in its sizes, fitted to measured samples. WHICH selects models by the name "
        "of a routine, arguments such as `transA=N`, and `provider=openblas`, `threads=1`, `placement=warm` or `counter=instructions`; all of them "
        "must match. `show` "
        "prints pieces and, with `--sizes`, predictions. `plot` draws one model over its samples, along the size that `--sizes` omits. `export` "
        "writes models as XML; `import` reads such a file, and needs `--foreign` for another machine or library. `generate` measures. A KERNEL is a "
        "routine, optionally with arguments. `dtrsm` selects all cases that planning and blocked algorithms use, and `dtrsm:side=L` those with this "
        "value. All flags, scalars (`-1`, `0`, `1`, `any`) and increments (`1`, `large`) together select one case. `dpotf2:n=8:256` sets the range of "
        "sizes. Samples are saved "
        "while they are taken; after an interruption the same command resumes. `check` measures random points outside the fitted samples in two "
        "sessions, and prints the error of the models and the variation of the machine itself; it checks models of `--provider`, `--threads` and "
        "`--placement`. "
        "`study` measures all sizes of the domain that are multiples of `--step`, once, then fits each configuration (`--configurations`) to these "
        "samples. It prints the error of each one at all of these sizes, and the time of the samples that it used."};
