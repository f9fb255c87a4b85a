#include "tcplan/generation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/strbuf.h"
#include "microbench/timing/load.h"
#include "routines/sampler/generation/check.h"
#include "routines/sampler/generation/leading.h"
#include "routines/sampler/generation/live.h"
#include "routines/sampler/generation/rounds.h"
#include "routines/sampler/generation/study.h"
#include "store/folder.h"
#include "tcplan/blas.h"
#include "tcplan/store.h"

/* Ends of domains are multiples of this number, as are the sizes of points (dissertation, section
 * 3.1.5). */
enum { MULTIPLE = 8 };

struct tcplan_generation_config tcplan_generation_config_usual(void) {
    return (struct tcplan_generation_config){
        .overfitting = -1, .grid = -1, .reference = -1, .measure = -1};
}

static struct tcplan_model_config config_of(const struct tcplan_generation_config *wanted,
                                            int sizes, int threads) {
    struct tcplan_model_config config =
        study_deviate(tcplan_model_config_default(sizes, threads), wanted);
    config.multiple = MULTIPLE;
    return config;
}

struct tcplan_model_setup tcplan_generation_setup(const struct tcplan_generation_options *options,
                                                  bool own) {
    struct tcplan_model_setup setup = {.threads = options->threads,
                                       .placement = options->placement};
    tcplan_binding_print(setup.binding, &options->binding);
    if (options->counter) snprintf(setup.counter, sizeof setup.counter, "%s", options->counter);
    snprintf(setup.provider, sizeof setup.provider, "%s",
             own ? "own" : tcplan_provider_name(options->provider));
    struct tcplan_provider_info info;
    if (own || !tcplan_provider_info(&info, options->provider)) return setup;
    snprintf(setup.version, sizeof setup.version, "%s%s%s%s%s%s", info.name,
             info.version ? " " : "", info.version ? info.version : "", info.core ? " (" : "",
             info.core ? info.core : "", info.core ? ")" : "");
    return setup;
}

static struct samples_setup samples_setup_of(const struct tcplan_generation_options *options) {
    const struct tcplan_fingerprint fingerprint = tcplan_fingerprint_make(options->machine);
    const struct tcplan_model_setup setup = tcplan_generation_setup(options, false);
    struct samples_setup out = {.threads = options->threads};
    snprintf(out.cpu, sizeof out.cpu, "%s", fingerprint.part[TCPLAN_FINGERPRINT_CPU]);
    snprintf(out.cores, sizeof out.cores, "%s", fingerprint.part[TCPLAN_FINGERPRINT_CORES]);
    snprintf(out.caches, sizeof out.caches, "%s", fingerprint.part[TCPLAN_FINGERPRINT_CACHES]);
    snprintf(out.library, sizeof out.library, "%s", setup.version);
    snprintf(out.binding, sizeof out.binding, "%s", setup.binding);
    snprintf(out.placement, sizeof out.placement, "%s",
             tcplan_model_placement_name(setup.placement));
    snprintf(out.counter, sizeof out.counter, "%s", setup.counter);
    return out;
}

char *tcplan_generation_samples_name(const struct tcplan_generation_options *options) {
    const struct samples_setup setup = samples_setup_of(options);
    const char *const part[] = {setup.cpu,     setup.cores,   setup.caches,
                                setup.library, setup.binding, setup.counter};
    struct strbuf name = {0};
    uint32_t id = 0;
    if (options->samples) return base_strdup(options->samples);
    if (!options->store || !options->store->folder) return NULL;
    /* without binding and counter, the name is the same as in earlier versions */
    const size_t parts =
        sizeof part / sizeof *part - !*setup.counter - (!*setup.counter && !*setup.binding);
    for (size_t p = 0; p < parts; p++) id = checksum_add(id, part[p], strlen(part[p]) + 1);
    strbuf_add(&name, "%s/%s-%d-%s-%08" PRIx32 ".samples", options->store->folder,
               tcplan_provider_name(options->provider), options->threads, setup.placement, id);
    return strbuf_finish(&name);
}

/** Opens the file of samples, and creates the store's folder if necessary. */
static enum tcplan_status open_samples(struct samples **out,
                                       const struct tcplan_generation_options *options,
                                       struct tcplan_error *error) {
    const struct samples_setup setup = samples_setup_of(options);
    char *name = tcplan_generation_samples_name(options);
    int lock;
    enum tcplan_status status = TCPLAN_OK;
    if (!options->samples && name) {
        status = folder_lock(&lock, options->store->folder, error);
        if (status == TCPLAN_OK) folder_unlock(lock);
    }
    if (status == TCPLAN_OK) status = samples_open(out, name, &setup, options->fresh, error);
    base_free(name);
    return status;
}

static struct tcplan_core_speed speed_of(const struct drift *drift, const struct load_mark *mark) {
    return (struct tcplan_core_speed){
        .good_seconds = drift->good_seconds,
        .share = drift->good_seconds > 0 ? drift->good_seconds / drift->mean_seconds : 1,
        .other_cores = load_end(mark).other_cores};
}

static enum tcplan_status check_options(const struct tcplan_generation_options *options,
                                        struct tcplan_error *error) {
    struct tcplan_provider_info info;
    if (!options->machine->live)
        return error_set(error, TCPLAN_INVALID,
                         "models can only be made on this machine, not on '%.120s'",
                         options->machine->source);
    if (options->threads < 1)
        return error_set(error, TCPLAN_INVALID, "expected at least 1 thread, found %d",
                         options->threads);
    if (options->counter && (!*options->counter || strlen(options->counter) >= TCPLAN_MODEL_NAME))
        return error_set(error, TCPLAN_INVALID,
                         "the name of a counter has 1 to %d characters, not '%.100s'",
                         TCPLAN_MODEL_NAME - 1, options->counter);
    if (tcplan_provider_info(&info, options->provider)) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "unknown provider %s; `tcplan --version` lists the providers",
                     tcplan_provider_name(options->provider));
}

/** Sets the leading dimensions of cases: equal for all cases of a type, so that their operands
 * share memory. */
static enum tcplan_status set_leading(int64_t leading[], const struct generation_case of[],
                                      int count, const struct tcplan_machine *machine,
                                      struct tcplan_error *error) {
    int64_t largest = 1;
    for (int c = 0; c < count; c++) {
        const int64_t least = case_least_leading(&of[c]);
        if (least > largest) largest = least;
    }
    for (int c = 0; c < count; c++) {
        leading[c] = leading_dimension(machine, (int64_t)tcplan_dtype_bytes(of[c].signature->dtype),
                                       largest);
        if (leading[c] == 0 || leading[c] > INT32_MAX) {
            return error_set(error, TCPLAN_INVALID,
                             "%.100s: no leading dimension is large enough for its sizes",
                             of[c].text);
        }
    }
    return TCPLAN_OK;
}

static double settling_of(const struct tcplan_generation_options *options) {
    return options->settling_seconds != 0 ? options->settling_seconds : SETTLING_SECONDS;
}

/** A session that measures cases. */
struct bench {
    int count;
    const struct generation_case *of;
    int64_t *leading;
    struct live *live;
    struct load_mark mark;
    double started;
};

static enum tcplan_status bench_open(struct bench *bench, const struct generation_case of[],
                                     int count, const struct tcplan_generation_options *options,
                                     struct tcplan_error *error) {
    bench->leading = base_alloc_zero((size_t)count + 1, sizeof *bench->leading);
    if (!bench->leading) return error_no_memory(error);
    bench->count = count;
    bench->of = of;
    enum tcplan_status status =
        set_leading(bench->leading, bench->of, count, options->machine, error);
    const struct live_options live = {.provider = options->provider,
                                      .threads = options->threads,
                                      .binding = options->binding,
                                      .placement = options->placement,
                                      .counter = options->counter,
                                      .counters = options->counters,
                                      .machine = options->machine,
                                      .max_memory_bytes = options->max_memory_bytes,
                                      .settling_seconds = settling_of(options)};
    if (status == TCPLAN_OK)
        status = live_open(&bench->live, bench->of, bench->leading, count, &live, error);
    bench->mark = load_begin();
    bench->started = monotonic_seconds();
    return status;
}

/** Ends the session; returns whether a call is still running. */
static bool bench_close(struct bench *bench) {
    const bool given_up = bench->live && live_given_up(bench->live);
    live_close(bench->live);
    base_free(bench->leading);
    return given_up;
}

static struct points_means means_of(const struct bench *bench,
                                    const struct tcplan_generation_options *options) {
    return (struct points_means){.context = bench->live,
                                 .measure = live_measure,
                                 .now = live_now,
                                 .beside_seconds =
                                     fmax(settling_of(options), 0) + SETTLING_REFERENCE_SECONDS,
                                 .progress = options->progress,
                                 .progress_context = options->progress_context};
}

static enum tcplan_status copy_samples(struct tcplan_model_samples *out,
                                       const struct tcplan_model_samples *samples,
                                       struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t s = 0; s < samples->count && status == TCPLAN_OK; s++)
        status = tcplan_model_samples_add(out, &samples->sample[s], error);
    return status;
}

/** Moves the outcomes of tasks to the result. */
static enum tcplan_status take_results(struct tcplan_generation *out, struct rounds *rounds,
                                       const struct tcplan_generation_options *options,
                                       struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    out->of = base_alloc_zero((size_t)rounds->count + 1, sizeof *out->of);
    if (!out->of) return error_no_memory(error);
    for (int t = 0; t < rounds->count && status == TCPLAN_OK; t++) {
        struct rounds_task *task = &rounds->task[t];
        struct tcplan_generated *generated = &out->of[out->count++];
        const struct model_progress progress = model_refinement_progress(task->refinement);
        memcpy(generated->case_text, task->of->text, sizeof generated->case_text);
        generated->domain = task->of->domain;
        generated->rounds = task->rounds;
        generated->seconds = task->seconds;
        generated->again_seconds = task->again_seconds;
        generated->whole_error = progress.whole;
        generated->spread = progress.spread;
        generated->explained = progress.explained;
        generated->model = task->model;
        task->model = NULL;
        if (generated->model) {
            generated->model->setup = tcplan_generation_setup(options, task->of->signature->is_own);
            generated->model->made = (int64_t)time(NULL);
            generated->model->good_reference_seconds = rounds->drift.good_seconds;
        }
        status =
            copy_samples(&generated->samples, model_refinement_samples(task->refinement), error);
    }
    return status;
}

static void note_counts(struct tcplan_generation *out, const struct rounds *rounds,
                        const struct bench *bench) {
    out->measured = rounds->points.measured;
    out->known = rounds->known_count;
    out->disturbed = rounds->points.disturbed;
    out->time_over = rounds->points.time_over;
    out->leading = bench->leading[0];
    out->seconds = monotonic_seconds() - bench->started;
    out->core = speed_of(&rounds->drift, &bench->mark);
}

static enum tcplan_status run_rounds(struct tcplan_generation *out, struct rounds *rounds,
                                     const struct bench *bench,
                                     const struct tcplan_generation_options *options,
                                     struct tcplan_error *error) {
    const struct points_means means = means_of(bench, options);
    rounds->task = base_alloc_zero((size_t)bench->count + 1, sizeof *rounds->task);
    if (!rounds->task) return error_no_memory(error);
    rounds->count = bench->count;
    for (int c = 0; c < bench->count; c++) {
        rounds->task[c] = (struct rounds_task){
            .of = &bench->of[c],
            .config = config_of(&options->config, bench->of[c].domain.count, options->threads),
            .leading = bench->leading[c]};
    }
    enum tcplan_status status = rounds_run(rounds, &means, error);
    if (status == TCPLAN_OK) status = take_results(out, rounds, options, error);
    note_counts(out, rounds, bench);
    for (int c = 0; c < bench->count; c++) tcplan_model_free(rounds->task[c].model);
    rounds_free(rounds);
    base_free(rounds->task);
    return status;
}

static enum tcplan_status generate_cases(struct tcplan_generation *out,
                                         const struct generation_cases *cases, struct bench *bench,
                                         const struct tcplan_generation_options *options,
                                         struct tcplan_error *error) {
    struct rounds rounds = {.seed = options->seed,
                            .time_limit_seconds = options->time_limit_seconds};
    enum tcplan_status status = open_samples(&rounds.samples, options, error);
    if (status == TCPLAN_OK) status = bench_open(bench, cases->of, cases->count, options, error);
    if (status == TCPLAN_OK) status = run_rounds(out, &rounds, bench, options, error);
    samples_close(rounds.samples);
    return status;
}

enum tcplan_status tcplan_models_generate(struct tcplan_generation *out,
                                          const struct tcplan_generation_options *options,
                                          struct tcplan_error *error) {
    struct generation_cases cases = {0};
    struct bench bench = {0};
    *out = (struct tcplan_generation){0};
    enum tcplan_status status = check_options(options, error);
    if (status == TCPLAN_OK)
        status = cases_read(&cases, options->word, options->word_count, options->domain, MULTIPLE,
                            error);
    if (status == TCPLAN_OK) status = generate_cases(out, &cases, &bench, options, error);
    out->given_up = bench_close(&bench);
    if (!out->given_up) cases_free(&cases); /* a thread may still use the cases */
    return status;
}

void tcplan_generation_free(struct tcplan_generation *generation) {
    for (size_t g = 0; g < generation->count; g++) {
        tcplan_model_free(generation->of[g].model);
        tcplan_model_samples_free(&generation->of[g].samples);
    }
    base_free(generation->of);
    *generation = (struct tcplan_generation){0};
}

/* Studies. */

static enum tcplan_status study_cases(struct tcplan_study *out, struct study *study,
                                      struct bench *bench,
                                      const struct tcplan_generation_options *options,
                                      struct tcplan_error *error) {
    enum tcplan_status status = open_samples(&study->samples, options, error);
    if (status == TCPLAN_OK) status = bench_open(bench, study->of, study->cases, options, error);
    if (status != TCPLAN_OK) return status;
    const struct points_means means = means_of(bench, options);
    study->leading = bench->leading;
    status = study_run(study, &means, error);
    out->seconds = monotonic_seconds() - bench->started;
    out->core = speed_of(&study->drift, &bench->mark);
    return status;
}

enum tcplan_status tcplan_models_study(struct tcplan_study *out,
                                       const struct tcplan_model_config config[], size_t count,
                                       int64_t step,
                                       const struct tcplan_generation_options *options,
                                       struct tcplan_error *error) {
    struct generation_cases cases = {0};
    struct bench bench = {0};
    *out = (struct tcplan_study){0};
    enum tcplan_status status = check_options(options, error);
    if (status == TCPLAN_OK)
        status =
            cases_read(&cases, options->word, options->word_count, options->domain, step, error);
    struct study study = {.of = cases.of,
                          .cases = cases.count,
                          .config = config,
                          .configs = count,
                          .step = step,
                          .seed = options->seed,
                          .time_limit_seconds = options->time_limit_seconds,
                          .result = out};
    if (status == TCPLAN_OK) status = study_cases(out, &study, &bench, options, error);
    samples_close(study.samples);
    out->given_up = bench_close(&bench);
    if (!out->given_up) cases_free(&cases); /* a thread may still use the cases */
    return status;
}

/* Checks. */

/** Returns the case of a model, on its domain. */
static enum tcplan_status read_case(struct generation_case *out, const struct tcplan_model *model,
                                    struct tcplan_error *error) {
    const char *const word[] = {model->case_text};
    struct generation_cases cases = {0};
    enum tcplan_status status = cases_read(&cases, word, 1, NULL, 1, error);
    if (status == TCPLAN_OK) *out = cases.of[0];
    cases_free(&cases);
    if (status != TCPLAN_OK) return status;
    if (out->domain.count != model->domain.count) {
        return error_set(error, TCPLAN_INVALID,
                         "the model of %.100s has %d sizes, the routine has %d", model->case_text,
                         model->domain.count, out->domain.count);
    }
    out->domain = model->domain;
    return TCPLAN_OK;
}

/** Opens the file of samples if it exists and has this setup; returns NULL otherwise, because
 * checks do not need it. */
static struct samples *open_known_samples(const struct tcplan_generation_options *options) {
    struct samples *samples = NULL;
    char *name = tcplan_generation_samples_name(options);
    const bool is_there = name && input_file_is_named(name, "/");
    base_free(name);
    return is_there && open_samples(&samples, options, NULL) == TCPLAN_OK ? samples : NULL;
}

/** State of a check. */
struct checking {
    const struct tcplan_model *const *model;
    int count;
    struct generation_case *of; /* owned */
    struct check_task *task;
    struct check check;
    struct bench bench;
    struct samples *fitted;
};

static enum tcplan_status read_cases(struct checking *checking, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    checking->of = base_alloc_zero((size_t)checking->count + 1, sizeof *checking->of);
    checking->task = base_alloc_zero((size_t)checking->count + 1, sizeof *checking->task);
    if (!checking->of || !checking->task) return error_no_memory(error);
    for (int m = 0; m < checking->count && status == TCPLAN_OK; m++)
        status = read_case(&checking->of[m], checking->model[m], error);
    return status;
}

static void open_fitted(struct checking *checking,
                        const struct tcplan_generation_options *options) {
    checking->fitted = open_known_samples(options);
    if (!checking->fitted) return;
    checking->check.fitted = checking->fitted;
}

static enum tcplan_status run_check(struct tcplan_models_check *out, struct checking *checking,
                                    const struct tcplan_generation_options *options,
                                    struct tcplan_error *error) {
    struct drift drift = {0};
    const struct points_means means = means_of(&checking->bench, options);
    out->of = base_alloc_zero((size_t)checking->count + 1, sizeof *out->of);
    if (!out->of) return error_no_memory(error);
    out->count = (size_t)checking->count;
    for (int m = 0; m < checking->count; m++) {
        checking->task[m] = (struct check_task){.of = &checking->of[m],
                                                .model = checking->model[m],
                                                .leading = checking->bench.leading[m]};
    }
    enum tcplan_status status = check_run(out->of, &drift, &checking->check, &means, error);
    out->seconds = monotonic_seconds() - checking->bench.started;
    out->time_over = options->time_limit_seconds > 0 && out->seconds >= options->time_limit_seconds;
    out->same_state = true;
    for (int m = 0; m < checking->count; m++)
        out->same_state = out->same_state && checking->model[m]->good_reference_seconds > 0;
    out->core = speed_of(&drift, &checking->bench.mark);
    return status;
}

static void free_checking(struct checking *checking, bool given_up) {
    samples_close(checking->fitted);
    base_free(checking->task);
    if (!given_up) base_free(checking->of); /* a thread may still use the cases */
}

enum tcplan_status tcplan_models_check(struct tcplan_models_check *out,
                                       const struct tcplan_model *const model[], size_t count,
                                       const struct tcplan_generation_options *options,
                                       struct tcplan_error *error) {
    struct checking checking = {.model = model, .count = (int)count};
    *out = (struct tcplan_models_check){0};
    checking.check =
        (struct check){.count = (int)count,
                       .points = options->points > 0 ? options->points : TCPLAN_GENERATION_POINTS,
                       .repetitions = options->repetitions > 0 ? options->repetitions
                                                               : TCPLAN_GENERATION_REPETITIONS,
                       .seed = options->seed,
                       .time_limit_seconds = options->time_limit_seconds};
    enum tcplan_status status = check_options(options, error);
    if (status == TCPLAN_OK && checking.check.points > TCPLAN_CHECKED_POINTS) {
        status = error_set(error, TCPLAN_INVALID, "expected at most %d points, found %d",
                           TCPLAN_CHECKED_POINTS, checking.check.points);
    }
    if (status == TCPLAN_OK) status = read_cases(&checking, error);
    checking.check.task = checking.task;
    if (status == TCPLAN_OK) open_fitted(&checking, options);
    if (status == TCPLAN_OK)
        status = bench_open(&checking.bench, checking.of, checking.count, options, error);
    if (status == TCPLAN_OK) status = run_check(out, &checking, options, error);
    out->given_up = bench_close(&checking.bench);
    free_checking(&checking, out->given_up);
    return status;
}

void tcplan_models_check_free(struct tcplan_models_check *check) {
    for (size_t m = 0; m < check->count; m++) base_free(check->of[m].point);
    base_free(check->of);
    *check = (struct tcplan_models_check){0};
}
