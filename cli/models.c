#include "cli/models.h"

#include <string.h>

#include "base/alloc.h"
#include "cli/render/text/values.h"
#include "tcplan/store.h"

/* Selection. */

/** Returns whether a word of `length` bytes is one of the arguments of a case, such as `transA=N`.
 */
static bool has_argument(const char *case_text, const char *word, size_t length) {
    const char *at = strchr(case_text, ' ');
    while (at) {
        const char *argument = at + 1;
        at = strchr(argument, ' ');
        const size_t found = at ? (size_t)(at - argument) : strlen(argument);
        if (found == length && memcmp(argument, word, length) == 0) return true;
    }
    return false;
}

/** Returns whether a word NAME=VALUE, such as `threads=1`, agrees with the setup of a model. */
static bool is_of_setup(const struct tcplan_model_setup *setup, const char *word, size_t length) {
    char text[4][80];
    snprintf(text[0], sizeof text[0], "provider=%s", setup->provider);
    snprintf(text[1], sizeof text[1], "threads=%d", setup->threads);
    snprintf(text[2], sizeof text[2], "placement=%s",
             tcplan_model_placement_name(setup->placement));
    snprintf(text[3], sizeof text[3], "counter=%s", setup->counter);
    for (int t = 0; t < 4; t++) {
        if (text_is(word, length, text[t])) return true;
    }
    return false;
}

static bool holds(const struct tcplan_model *model, const char *word, size_t length) {
    char routine[TCPLAN_MODEL_NAME];
    if (memchr(word, '=', length))
        return has_argument(model->case_text, word, length) ||
               is_of_setup(&model->setup, word, length);
    tcplan_model_case_routine(routine, model->case_text);
    return text_is(word, length, routine);
}

/** Returns whether a model matches all words of a text. */
static bool all_hold(const struct tcplan_model *model, const char *text) {
    while (*(text += strspn(text, " \t"))) {
        const size_t length = strcspn(text, " \t");
        if (!holds(model, text, length)) return false;
        text += length;
    }
    return true;
}

static bool is_chosen(const struct tcplan_model *model, const char *const word[], int count) {
    for (int w = 0; w < count; w++) {
        if (!all_hold(model, word[w])) return false;
    }
    return true;
}

/** Returns whether a model's setup fits the provider and threads of the options. */
static bool is_of_options(const struct tcplan_model_setup *setup, const struct options *options) {
    const enum tcplan_provider provider = options->model.provider;
    return (!options_given(options, "provider") ||
            strcmp(setup->provider, tcplan_provider_name(provider)) == 0) &&
           (!options_given(options, "threads") || setup->threads == options->threads) &&
           (!options_given(options, "placement") || setup->placement == options->model.placement);
}

static enum exit_status choose(struct chosen_models *out, const struct options *options,
                               const char *const word[], int count) {
    const size_t all = tcplan_models_count(out->models);
    out->model = base_alloc((all + 1) * sizeof(const struct tcplan_model *));
    if (!out->model) return diagnose_no_memory();
    for (size_t m = 0; m < all; m++) {
        const struct tcplan_model *model = tcplan_models_at(out->models, m);
        if (is_chosen(model, word, count) && is_of_options(&model->setup, options))
            out->model[out->count++] = model;
    }
    return EXIT_DONE;
}

enum exit_status chosen_models_open(struct chosen_models *out, const struct options *options,
                                    const char *const word[], int count) {
    const enum exit_status status = stored_open_here(&out->stored);
    if (status != EXIT_DONE) return status;
    const enum tcplan_status found =
        tcplan_store_models(&out->models, &out->stored.store, &failure);
    if (!out->models) return diagnose_failure(NULL);
    if (found != TCPLAN_OK) note(options, "not all models are used: %s", failure.message);
    return choose(out, options, word, count);
}

void chosen_models_close(struct chosen_models *chosen) {
    tcplan_models_free(chosen->models);
    base_free(chosen->model);
    stored_close(&chosen->stored);
    *chosen = (struct chosen_models){0};
}

/* Sizes. */

/* size = name "=" number */
static bool read_one(struct model_sizes *out, const char *text, size_t length) {
    const char *equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : 0;
    int64_t value;
    if (out->count == TCPLAN_MODEL_SIZES || name == 0 || name >= TCPLAN_MODEL_SIZE_NAME ||
        text_number(&value, equals + 1, TCPLAN_MODEL_LARGEST) != text + length)
        return false;
    memcpy(out->name[out->count], text, name);
    out->name[out->count][name] = '\0';
    if (model_sizes_value(out, out->name[out->count]) >= 0) return false; /* twice */
    out->value[out->count++] = value;
    return true;
}

/* sizes = size { ( "," | " " ) size } */
enum exit_status model_sizes_read(struct model_sizes *out, const char *text) {
    *out = (struct model_sizes){0};
    while (text && *text) {
        const size_t length = strcspn(text, ", ");
        if (!read_one(out, text, length))
            return diagnose_as(
                EXIT_USAGE,
                "--sizes expects sizes of a routine, each once, such as m=256,n=512, found '%.80s'",
                text);
        text += length;
        text += strspn(text, ", ");
    }
    return EXIT_DONE;
}

int64_t model_sizes_value(const struct model_sizes *sizes, const char *name) {
    for (int i = 0; i < sizes->count; i++) {
        if (strcmp(sizes->name[i], name) == 0) return sizes->value[i];
    }
    return -1;
}

bool model_sizes_of(int64_t out[TCPLAN_MODEL_SIZES], const struct model_sizes *sizes,
                    const struct tcplan_model *model) {
    for (int i = 0; i < model->domain.count; i++) {
        out[i] = model_sizes_value(sizes, model->size_name[i]);
        if (out[i] < 0) return false;
    }
    return true;
}
