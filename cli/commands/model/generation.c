
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands/model/model.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/providers.h"
#include "cli/render/sampling/sampling.h"
#include "cli/stored.h"

/** State of `model generate` and `model check`. */
struct generating {
    const struct options *options;
    const char *const *word;
    int word_count;
    bool is_silent; /**< whether to omit the results from the output */
    struct request request;
    struct stored stored;
    struct tcplan_generation_options library;
    struct output_file out;
    struct tcplan_node_lock *lock;
};

static struct tcplan_generation_options library_options(const struct generating *generating) {
    const struct options *options = generating->options;
    struct tcplan_generation_options of = options->model;
    of.machine = &generating->request.machine;
    of.threads = options->threads;
    of.binding = generating->request.binding;
    of.max_memory_bytes = options->max_memory_bytes;
    of.time_limit_seconds = options->time_limit_seconds;
    of.seed = options->seed;
    of.store = &generating->stored.store;
    of.progress = progress_update;
    of.word = generating->word;
    of.word_count = generating->word_count;
    of.fresh = options->restart;
    of.repetitions = of.config.repetitions;
    return of;
}

/** Initialises the state from the options and arguments. */
static void begin(struct generating *generating, const struct options *options) {
    *generating = (struct generating){.options = options,
                                      .word = options->arguments + 1,
                                      .word_count = options->argument_count - 1,
                                      .request = {.options = options}};
}

static enum exit_status open_all(struct generating *generating) {
    const struct options *options = generating->options;
    enum exit_status status = request_read_binding(&generating->request.binding, options);
    if (status == EXIT_DONE) status = request_read_machine(&generating->request, 0);
    if (status == EXIT_DONE)
        status = stored_open(&generating->stored, &generating->request.machine);
    if (status == EXIT_DONE && !generating->is_silent)
        status = output_begin(&generating->out, options->output);
    if (status == EXIT_DONE) status = lock_hold(&generating->lock, options);
    if (status != EXIT_DONE) return status;
    generating->library = library_options(generating);
    return EXIT_DONE;
}

static void close_all(struct generating *generating) {
    tcplan_node_lock_close(generating->lock);
    output_file_discard(&generating->out);
    stored_close(&generating->stored);
    request_free(&generating->request);
}

/** Ends the process if a call is still running, because the thread of the call uses the memory. */
static void leave_if_given_up(struct generating *generating, bool given_up) {
    if (!given_up) return;
    output_file_discard(&generating->out);
    fflush(NULL);
    _exit(EXIT_ENVIRONMENT);
}

/* Generating. */

/** Stores models together with the statistics of their samples. */
static enum exit_status keep(const struct generating *generating,
                             const struct tcplan_generation *generation) {
    const struct tcplan_model **model =
        calloc(generation->count + 1, sizeof(const struct tcplan_model *));
    size_t count = 0;
    if (!model) return diagnose_no_memory();
    for (size_t g = 0; g < generation->count; g++) {
        if (generation->of[g].model) model[count++] = generation->of[g].model;
    }
    enum tcplan_status status =
        count > 0 ? tcplan_store_keep_models(&generating->stored.store, model, count, &failure)
                  : TCPLAN_OK;
    for (size_t g = 0; g < generation->count && status == TCPLAN_OK; g++) {
        const struct tcplan_generated *generated = &generation->of[g];
        if (!generated->model) continue;
        status = tcplan_store_keep_samples(&generating->stored.store, generated->case_text,
                                           &generated->model->setup, &generated->samples, &failure);
    }
    free(model);
    return diagnosed(status);
}

static struct tcplan_model_setup setup_of(const struct generating *generating) {
    return tcplan_generation_setup(&generating->library, false);
}

static bool has_models(const struct tcplan_generation *generation) {
    for (size_t g = 0; g < generation->count; g++) {
        if (generation->of[g].model) return true;
    }
    return false;
}

/** Prints which models were stored, and which were not. */
static enum exit_status tell(const struct generating *generating,
                             const struct tcplan_generation *generation, const char *samples) {
    if (!has_models(generation))
        return diagnose_as(
            EXIT_ENVIRONMENT,
            "the time limit ended the measurement before a model was complete: nothing is stored%s",
            samples ? "; the same command resumes with the samples" : "");
    if (!generating->stored.store.folder)
        note(generating->options,
             "there is no store ($TCPLAN_STORE is empty): the models are lost");
    return EXIT_DONE;
}

static enum exit_status make(struct generating *generating) {
    struct tcplan_generation generation;
    enum exit_status status =
        diagnosed(tcplan_models_generate(&generation, &generating->library, &failure));
    char *samples = tcplan_generation_samples_name(&generating->library);
    leave_if_given_up(generating, generation.given_up);
    if (status == EXIT_DONE) status = keep(generating, &generation);
    if (status == EXIT_DONE && !generating->is_silent)
        status = printed_into(&generating->out, generating->options->format, &generation_view,
                              &(struct generation_result){.setup = setup_of(generating),
                                                          .samples = samples,
                                                          .generation = &generation});
    if (status == EXIT_DONE) status = tell(generating, &generation, samples);
    free(samples);
    tcplan_generation_free(&generation);
    return status;
}

enum exit_status generation_make(const struct options *options) {
    struct generating generating;
    begin(&generating, options);
    enum exit_status status = open_all(&generating);
    if (status == EXIT_DONE) blas_advice_diagnose(generating.library.provider, options);
    if (status == EXIT_DONE) status = make(&generating);
    close_all(&generating);
    return status;
}

enum exit_status generation_make_words(const struct options *options, const char *const word[],
                                       int count) {
    struct options usual =
        *options; /* shallow copy: the pointers in it are borrowed and must not be freed */
    struct generating generating;
    usual.model = options_defaults.model;
    usual.model.provider = options->model.provider;
    usual.restart = false;
    begin(&generating, &usual);
    generating.word = word;
    generating.word_count = count;
    generating.is_silent = true;
    enum exit_status status = open_all(&generating);
    if (status == EXIT_DONE) status = make(&generating);
    close_all(&generating);
    return status;
}

/* Studies. */

/** Lists the configurations that the options choose; NULL if memory runs out. */
static struct tcplan_model_config *configurations_of(const struct options *options, size_t *count) {
    const struct tcplan_generation_config *deviations = &options->model.config;
    const enum tcplan_configurations set = (enum tcplan_configurations)options->configurations;
    *count = tcplan_configurations_list(NULL, 0, set, deviations);
    struct tcplan_model_config *config = calloc(*count + 1, sizeof *config);
    if (config) tcplan_configurations_list(config, *count, set, deviations);
    return config;
}

static enum exit_status print_study(struct generating *generating,
                                    const struct tcplan_study *study) {
    const struct options *options = generating->options;
    char *samples = tcplan_generation_samples_name(&generating->library);
    enum exit_status status = EXIT_DONE;
    if (study->time_over) {
        status = diagnose_as(
            EXIT_ENVIRONMENT,
            "the time limit ended the measurement after %lld of the %lld points of the grid: nothing is fitted%s",
            (long long)study->ready, (long long)study->points,
            samples ? "; the same command resumes with the samples" : "");
    } else {
        status =
            printed_into(&generating->out, options->format, &study_view,
                         &(struct generation_result){
                             .setup = setup_of(generating), .samples = samples, .study = study});
        if (status == EXIT_DONE && options->plot) status = study_plot(study, options->plot);
    }
    free(samples);
    return status;
}

static enum exit_status study_all(struct generating *generating) {
    const struct options *options = generating->options;
    struct tcplan_study study = {0};
    size_t count;
    struct tcplan_model_config *config = configurations_of(options, &count);
    if (!config) return diagnose_no_memory();
    enum exit_status status = diagnosed(
        tcplan_models_study(&study, config, count, options->step, &generating->library, &failure));
    leave_if_given_up(generating, study.given_up);
    if (status == EXIT_DONE) status = print_study(generating, &study);
    tcplan_study_free(&study);
    free(config);
    return status;
}

enum exit_status generation_study(const struct options *options) {
    struct generating generating;
    enum exit_status status =
        options->plot ? picture_file_check("--plot", options->plot) : EXIT_DONE;
    begin(&generating, options);
    if (status == EXIT_DONE) status = open_all(&generating);
    if (status == EXIT_DONE) blas_advice_diagnose(generating.library.provider, options);
    if (status == EXIT_DONE) status = study_all(&generating);
    close_all(&generating);
    return status;
}

/* Checking. */

/** Lists the chosen models that fit the provider and threads of the options; returns their number.
 */
static size_t choose(const struct tcplan_model **out, const struct chosen_models *chosen,
                     const struct tcplan_generation_options *library) {
    const struct tcplan_model_setup setup = tcplan_generation_setup(library, false),
                                    own = tcplan_generation_setup(library, true);
    size_t count = 0;
    for (size_t m = 0; m < chosen->count; m++) {
        const struct tcplan_model *model = chosen->model[m];
        if (tcplan_model_setup_matches(&model->setup, &setup) ||
            tcplan_model_setup_matches(&model->setup, &own))
            out[count++] = model;
    }
    return count;
}

/** Stores the results of a check in the models. */
static enum exit_status keep_check(const struct generating *generating,
                                   const struct tcplan_models_check *check) {
    enum exit_status status = EXIT_DONE;
    for (size_t m = 0; m < check->count && status == EXIT_DONE; m++) {
        if (check->of[m].count == 0) continue;
        struct tcplan_model *model = tcplan_model_copy(check->of[m].model);
        if (!model) return diagnose_no_memory();
        model->check = check->of[m].error;
        const struct tcplan_model *const stored[] = {model};
        if (tcplan_store_keep_models(&generating->stored.store, stored, 1, &failure) != TCPLAN_OK)
            status = diagnose_failure(NULL);
        tcplan_model_free(model);
    }
    return status;
}

static enum exit_status check_models(struct generating *generating,
                                     const struct tcplan_model *const model[], size_t count) {
    struct tcplan_models_check check;
    enum exit_status status =
        diagnosed(tcplan_models_check(&check, model, count, &generating->library, &failure));
    char *samples = tcplan_generation_samples_name(&generating->library);
    leave_if_given_up(generating, check.given_up);
    if (status == EXIT_DONE) status = keep_check(generating, &check);
    if (status == EXIT_DONE)
        status =
            printed_into(&generating->out, generating->options->format, &models_check_view,
                         &(struct generation_result){
                             .setup = setup_of(generating), .samples = samples, .check = &check});
    free(samples);
    tcplan_models_check_free(&check);
    return status;
}

static enum exit_status check_setup(struct generating *generating,
                                    const struct chosen_models *chosen) {
    const struct tcplan_generation_options *library = &generating->library;
    const struct tcplan_model **model =
        calloc(chosen->count + 1, sizeof(const struct tcplan_model *));
    if (!model) return diagnose_no_memory();
    const size_t count = choose(model, chosen, library);
    enum exit_status status = EXIT_REFUSED;
    if (count > 0) {
        status = check_models(generating, model, count);
    } else {
        diagnose(
            "there is no model for %s with %s, %s; --provider, --threads and --placement select "
            "others",
            tcplan_provider_name(library->provider), counted(library->threads, "thread").text,
            tcplan_model_placement_name(library->placement));
    }
    free(model);
    return status;
}

enum exit_status generation_check(const struct options *options) {
    struct generating generating;
    struct chosen_models chosen = {0};
    int count;
    const char *const *word = model_words(options, &count);
    begin(&generating, options);
    enum exit_status status = open_all(&generating);
    if (status == EXIT_DONE) status = chosen_models_open(&chosen, options, word, count);
    if (status == EXIT_DONE) status = model_expect_some(&chosen);
    if (status == EXIT_DONE) status = check_setup(&generating, &chosen);
    chosen_models_close(&chosen);
    close_all(&generating);
    return status;
}
