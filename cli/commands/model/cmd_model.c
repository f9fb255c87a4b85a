#include <string.h>

#include "base/strbuf.h"
#include "cli/commands/commands.h"
#include "cli/commands/model/generation.h"
#include "cli/commands/model/model.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/render/sampling/models.h"

enum exit_status model_usage(void) {
    fputs("see 'tcplan model --help'\n", stderr);
    return EXIT_USAGE;
}

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

static enum exit_status print(const struct options *options, const struct models_listing *listing) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    struct printed printed;
    printed_begin(&printed, &out, options->format);
    printed.format->models(&printed.writer, listing);
    const enum exit_status status = printed_end(&printed);
    output_file_discard(&out);
    return status;
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
        status = print(options, &listing);
    }
    chosen_models_close(&chosen);
    return status;
}

static enum exit_status list_models(const struct options *options) {
    if (options->sizes) {
        diagnose("--sizes is for model show and model plot");
        return model_usage();
    }
    return print_chosen(options, false);
}

static enum exit_status show_models(const struct options *options) {
    return print_chosen(options, true);
}

/* The first is meant where no action is named. */
static const struct model_action actions[] = {
    {"list", list_models},    {"show", show_models},         {"plot", model_plot},        {"export", model_export},
    {"import", model_import}, {"generate", generation_make}, {"check", generation_check}, {0},
};

static enum exit_status refuse_action(const char *name) {
    struct strbuf names = {0};
    for (const struct model_action *action = actions; action->name; action++) {
        strbuf_add(&names, "%s%s", action == actions ? "" : action[1].name ? ", " : " or ", action->name);
    }
    diagnose("model expects %s, found '%.80s'", names.failed ? "an action" : names.text, name);
    strbuf_free(&names);
    return model_usage();
}

enum exit_status cmd_model(const struct options *options) {
    const struct model_action *action = actions;
    if (options->argument_count == 0) return action->run(options);
    while (action->name && strcmp(action->name, options->arguments[0]) != 0) action++;
    return action->name ? action->run(options) : refuse_action(options->arguments[0]);
}
