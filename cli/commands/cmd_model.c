#include "base/alloc.h"
#include "cli/collection.h"
#include "cli/commands/model/generation.h"
#include "cli/commands/model/model.h"
#include "cli/render/sampling/sampling.h"

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

/* Stored models. */

struct models {
    struct chosen_models chosen;
    struct model_sizes sizes; /* at which `show` evaluates */
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
    if (options->action->bit == MODEL_IMPORT) return chosen_models_open_store(&models->chosen);
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
     offer_routines, collection_list, &models},
    {"show", MODEL_SHOW, "[WHICH ...]", "print their pieces and, with --sizes, their predictions",
     NULL, ANY_ARGUMENTS, FILE_NONE, offer_routines, collection_show, &models},
    {"plot", MODEL_PLOT, "[WHICH ...]", "draw one model over its samples", NULL, ANY_ARGUMENTS,
     FILE_NONE, offer_routines, model_plot, NULL},
    {"export", MODEL_EXPORT, "[WHICH ...]", "write models as XML", NULL, ANY_ARGUMENTS, FILE_NONE,
     offer_routines, collection_export, &models},
    {"import", MODEL_IMPORT, "FILE", "add the models of a file",
     "one file, as `tcplan model export` writes it", 1, FILE_INPUT, NULL, collection_import,
     &models},
    {"generate", MODEL_GENERATE, "KERNEL ...", "measure and fit models of routines",
     "routines such as dtrsm or dgemm:transA=N,transB=N", ANY_ARGUMENTS, FILE_NONE, offer_routines,
     generation_make, NULL},
    {"check", MODEL_CHECK, "[WHICH ...]", "compare models with new measurements at random sizes",
     NULL, ANY_ARGUMENTS, FILE_NONE, offer_routines, generation_check, NULL},
    {0},
};

const struct command command_model = {
    "model",
    COMMAND_MODEL,
    "[list | show | plot | export | import FILE | check] [WHICH ...] | generate KERNEL ... [OPTIONS]",
    "generate, show, check and exchange performance models of routines",
    "  tcplan model\n"
    "  tcplan model show dgemm transA=N --sizes m=500,n=500,k=8\n"
    "  tcplan model plot dtrsm side=L uplo=L -o dtrsm.svg\n"
    "  tcplan model export dgemm -o models.xml\n"
    "  tcplan model generate dtrsm:side=L --time-limit 300\n"
    "  tcplan model check dtrsm --points 50\n",
    .actions = actions,
    .manual =
        "A model predicts the time of a call of a routine by polynomials in its sizes, fitted to measured samples. WHICH selects models by the name "
        "of a routine, arguments such as `transA=N`, and `provider=openblas`, `threads=1` or `placement=warm`; all of them must match. `show` "
        "prints pieces and, with `--sizes`, predictions. `plot` draws one model over its samples, along the size that `--sizes` omits. `export` "
        "writes models as XML; `import` reads such a file, and needs `--foreign` for another machine or library. `generate` measures. A KERNEL is a "
        "routine: `dtrsm` for all cases that planning and blocked algorithms use, `dtrsm:side=L` for those with this value, or with all flags, "
        "scalars (`-1`, `0`, `1`, `any`) and increments (`1`, `large`) for one case; `dpotf2:n=8:256` sets the range of sizes. Samples are saved "
        "while they are taken; after an interruption the same command resumes. `check` measures random points outside the fitted samples in two "
        "sessions, and prints the error of the models and the variation of the machine itself; it checks models of `--provider`, `--threads` and "
        "`--placement`."};
