#include "cli/commands/commands.h"
#include "cli/commands/model/generation.h"
#include "cli/commands/model/model.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/render/sampling/models.h"

const char *const *model_words(const struct options *options, int *count) {
    *count = options->argument_count > 1 ? options->argument_count - 1 : 0;
    return options->arguments + (*count > 0);
}

enum exit_status model_expect_some(const struct chosen_models *chosen) {
    if (chosen->count > 0) return EXIT_DONE;
    if (!chosen->kept.store.folder) {
        diagnose("there is no store: $TCPLAN_STORE is empty, or there is no home");
    } else {
        diagnose("no model is kept that answers to this; `tcplan model list` says what there is");
    }
    return EXIT_REFUSED;
}

/* Listing and showing. */

static void print(struct writer *writer, const struct options *options, const void *content) {
    format_of(options->format)->models(writer, content);
}

static enum exit_status print_chosen(const struct options *options, bool whole) {
    struct chosen_models chosen = {0};
    struct model_sizes sizes;
    int count;
    const char *const *word = model_words(options, &count);
    enum exit_status status = model_sizes_read(&sizes, options->sizes);
    if (status == EXIT_DONE) status = chosen_models_open(&chosen, options, word, count);
    if (status == EXIT_DONE && count > 0) status = model_expect_some(&chosen);
    if (status == EXIT_DONE) {
        const struct models_listing listing = {.chosen = &chosen, .whole = whole, .sizes = &sizes};
        status = printed_whole(options, print, &listing);
    }
    chosen_models_close(&chosen);
    return status;
}

static enum exit_status list_models(const struct options *options) {
    return print_chosen(options, false);
}

static enum exit_status show_models(const struct options *options) {
    return print_chosen(options, true);
}

static void offer_routines(struct strbuf *out) {
    strbuf_add(out, "dgemm dgemv dger dsymm dsyrk dsyr2k dtrmm dtrsm dpotf2 dgetf2 dgeqr2 dtrti2");
}

const struct action model_actions[] = {
    {"list", MODEL_LIST, "[WHICH ...]", "list the models (default)", NULL, ANY_ARGUMENTS, FILE_NONE,
     offer_routines, list_models},
    {"show", MODEL_SHOW, "[WHICH ...]", "print their pieces, and with --sizes what they predict",
     NULL, ANY_ARGUMENTS, FILE_NONE, offer_routines, show_models},
    {"plot", MODEL_PLOT, "[WHICH ...]", "draw one model over its samples", NULL, ANY_ARGUMENTS,
     FILE_NONE, offer_routines, model_plot},
    {"export", MODEL_EXPORT, "[WHICH ...]", "write models as XML", NULL, ANY_ARGUMENTS, FILE_NONE,
     offer_routines, model_export},
    {"import", MODEL_IMPORT, "FILE", "add the models of a file",
     "one file, as `tcplan model export` writes it", 1, FILE_INPUT, NULL, model_import},
    {"generate", MODEL_GENERATE, "KERNEL ...", "measure and fit models of routines",
     "what is to be modelled: routines such as dtrsm or dgemm:transA=N,transB=N", ANY_ARGUMENTS,
     FILE_NONE, offer_routines, generation_make},
    {"check", MODEL_CHECK, "[WHICH ...]", "compare models with new measurements at random sizes",
     NULL, ANY_ARGUMENTS, FILE_NONE, offer_routines, generation_check},
    {0},
};
