#include "routines/sampler/generation/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sorted.h"
#include "routines/sampler/generation/rounds.h"

/* A configuration is accurate if its error is at most this factor times the smallest one. */
#define ACCURATE 1.5

/* Configurations. */

struct tcplan_model_config study_deviate(struct tcplan_model_config config,
                                         const struct tcplan_generation_config *deviations) {
    if (deviations->overfitting >= 0) config.overfitting = deviations->overfitting;
    if (deviations->oversampling > 0) config.oversampling = deviations->oversampling;
    if (deviations->repetitions > 0) config.repetitions = deviations->repetitions;
    if (deviations->bound > 0) config.bound = deviations->bound;
    if (deviations->min_width > 0) config.min_width = deviations->min_width;
    if (deviations->grid >= 0) config.grid = (enum tcplan_model_grid)deviations->grid;
    if (deviations->reference >= 0)
        config.reference = (enum tcplan_model_statistic)deviations->reference;
    if (deviations->measure >= 0) config.measure = (enum tcplan_model_measure)deviations->measure;
    return config;
}

#define LINE(overfit, oversample, kind, times, statistic, width)                                   \
    {                                                                                              \
        .overfitting = (overfit), .oversampling = (oversample), .grid = TCPLAN_MODEL_##kind,       \
        .repetitions = (times), .reference = TCPLAN_MODEL_##statistic,                             \
        .measure = TCPLAN_MODEL_OF_MAXIMUM, .bound = 0.01, .min_width = (width)                    \
    }

/** Lines (1) to (14) of table 3.3. */
static const struct tcplan_model_config paper[] = {
    LINE(0, 4, CHEBYSHEV, 10, MEDIAN, 32),  LINE(0, 4, CHEBYSHEV, 15, MINIMUM, 32),
    LINE(1, 5, CHEBYSHEV, 10, MEDIAN, 32),  LINE(1, 5, CHEBYSHEV, 10, MINIMUM, 32),
    LINE(1, 8, CARTESIAN, 5, MINIMUM, 32),  LINE(2, 4, CARTESIAN, 5, MEDIAN, 64),
    LINE(2, 4, CARTESIAN, 10, MEDIAN, 32),  LINE(2, 4, CHEBYSHEV, 10, MEDIAN, 32),
    LINE(2, 4, CHEBYSHEV, 10, MEDIAN, 64),  LINE(2, 4, CHEBYSHEV, 10, MINIMUM, 32),
    LINE(2, 4, CHEBYSHEV, 10, MINIMUM, 64), LINE(2, 4, CHEBYSHEV, 15, MINIMUM, 32),
    LINE(2, 4, CHEBYSHEV, 15, MINIMUM, 64), LINE(2, 7, CARTESIAN, 10, MINIMUM, 32)};

enum { PAPER = sizeof paper / sizeof *paper };

/** Number of values of each parameter in table 3.1, in the order of combination_of(). */
static const int values[] = {3, 10, 2, 3, 2, 2, 2, 2};

enum { PARAMETERS = sizeof values / sizeof *values };

/** Returns combination number `number` of table 3.1. */
static struct tcplan_model_config combination_of(int number) {
    static const enum tcplan_model_statistic statistic[] = {TCPLAN_MODEL_MINIMUM,
                                                            TCPLAN_MODEL_MEDIAN};
    static const enum tcplan_model_measure measure[] = {TCPLAN_MODEL_OF_MOST,
                                                        TCPLAN_MODEL_OF_MAXIMUM};
    int place[PARAMETERS];
    for (int p = PARAMETERS - 1; p >= 0; p--) {
        place[p] = number % values[p];
        number /= values[p];
    }
    return (struct tcplan_model_config){.overfitting = place[0],
                                        .oversampling = 1 + place[1],
                                        .grid = place[2] == 0 ? TCPLAN_MODEL_CARTESIAN
                                                              : TCPLAN_MODEL_CHEBYSHEV,
                                        .repetitions = 5 + 5 * place[3],
                                        .reference = statistic[place[4]],
                                        .measure = measure[place[5]],
                                        .bound = place[6] == 0 ? 0.01 : 0.02,
                                        .min_width = place[7] == 0 ? 32 : 64};
}

static int combinations(void) {
    int count = 1;
    for (int p = 0; p < PARAMETERS; p++) count *= values[p];
    return count;
}

static bool is_same(const struct tcplan_model_config *a, const struct tcplan_model_config *b) {
    return a->overfitting == b->overfitting && a->oversampling == b->oversampling &&
           a->grid == b->grid && a->repetitions == b->repetitions && a->reference == b->reference &&
           a->measure == b->measure && a->bound == b->bound && a->min_width == b->min_width;
}

/** Returns configuration number `number` of a set, with the deviations. */
static struct tcplan_model_config number_of(enum tcplan_configurations set, int number,
                                            const struct tcplan_generation_config *deviations) {
    const struct tcplan_model_config usual = tcplan_model_config_default(1, 1);
    struct tcplan_model_config config =
        set == TCPLAN_CONFIGURATIONS_PAPER ? paper[number] : combination_of(number);
    config.multiple = usual.multiple;
    config.most_pieces = usual.most_pieces;
    return study_deviate(config, deviations);
}

size_t tcplan_configurations_list(struct tcplan_model_config out[], size_t capacity,
                                  enum tcplan_configurations set,
                                  const struct tcplan_generation_config *deviations) {
    const int all = set == TCPLAN_CONFIGURATIONS_PAPER ? PAPER : combinations();
    size_t count = 0;
    for (int n = 0; n < all; n++) {
        const struct tcplan_model_config config = number_of(set, n, deviations);
        bool listed = false;
        for (int before = 0; before < n && !listed; before++) {
            const struct tcplan_model_config other = number_of(set, before, deviations);
            listed = is_same(&config, &other);
        }
        if (listed) continue;
        if (count < capacity) out[count] = config;
        count++;
    }
    return count;
}

/* Points. */

/** Returns the number of multiples of the step in a size of a domain, ends included. */
static int64_t points_along(const struct study *study, const struct tcplan_model_domain *domain,
                            int size) {
    return (domain->high[size] - domain->low[size]) / study->step + 1;
}

/** Returns the number of points of a case; 0: too many. */
static int64_t points_of(const struct study *study, const struct tcplan_model_domain *domain) {
    int64_t count = 1;
    for (int s = 0; s < domain->count; s++) {
        const int64_t along = points_along(study, domain, s);
        if (along > TCPLAN_STUDY_POINTS / count) return 0;
        count *= along;
    }
    return count;
}

static enum tcplan_status list_points(struct study *study, int task, struct tcplan_error *error) {
    const struct tcplan_model_domain *domain = &study->of[task].domain;
    const int64_t count = points_of(study, domain);
    struct samples_case wanted = {.leading = study->leading[task]};
    int number;
    memcpy(wanted.name, study->of[task].text, sizeof wanted.name);
    const enum tcplan_status status = samples_case(&number, study->samples, &wanted, error);
    if (status != TCPLAN_OK) return status;
    for (int64_t p = 0; p < count; p++) {
        int64_t size[TCPLAN_MODEL_SIZES] = {0};
        int64_t rest = p;
        for (int s = domain->count - 1; s >= 0; s--) {
            size[s] = domain->low[s] + study->step * (rest % points_along(study, domain, s));
            rest /= points_along(study, domain, s);
        }
        const int64_t place = samples_find(study->samples, number, size);
        if (place < 0) return error_no_memory(error);
        study->point[study->points.count++] = (struct point){.task = task, .number = place};
    }
    return TCPLAN_OK;
}

static int most_repetitions(const struct study *study) {
    int most = 1;
    for (size_t c = 0; c < study->configs; c++)
        most = study->config[c].repetitions > most ? study->config[c].repetitions : most;
    return most;
}

static enum tcplan_status count_points(int64_t *out, const struct study *study,
                                       struct tcplan_error *error) {
    *out = 0;
    for (int t = 0; t < study->cases; t++) {
        const int64_t count = points_of(study, &study->of[t].domain);
        *out += count;
        if (count == 0 || *out > TCPLAN_STUDY_POINTS)
            return error_set(error, TCPLAN_INVALID,
                             "the grids have more than %d points; choose a smaller domain or a "
                             "larger step than %" PRId64,
                             TCPLAN_STUDY_POINTS, study->step);
    }
    return TCPLAN_OK;
}

static enum tcplan_status begin(struct study *study, const struct points_means *means,
                                struct tcplan_error *error) {
    int64_t count;
    enum tcplan_status status = count_points(&count, study, error);
    if (status != TCPLAN_OK) return status;
    study->result->cases = (size_t)study->cases;
    study->result->points = count;
    study->result->repetitions = most_repetitions(study);
    study->task = base_alloc_zero((size_t)study->cases + 1, sizeof *study->task);
    study->elasticity = base_alloc_zero((size_t)study->cases + 1, sizeof *study->elasticity);
    study->point = base_alloc_zero((size_t)count + 1, sizeof *study->point);
    study->minimum_ns = base_alloc_zero((size_t)count + 1, sizeof *study->minimum_ns);
    if (!study->task || !study->elasticity || !study->point || !study->minimum_ns)
        return error_no_memory(error);
    study->points = (struct points){.task = study->task,
                                    .samples = study->samples,
                                    .point = study->point,
                                    .seed = study->seed,
                                    .started = means->now(means->context),
                                    .time_limit_seconds = study->time_limit_seconds,
                                    .share = 1,
                                    .activity = "measuring the grid"};
    for (int t = 0; t < study->cases && status == TCPLAN_OK; t++) {
        study->task[t] =
            (struct points_task){.of = &study->of[t], .repetitions = study->result->repetitions};
        status = list_points(study, t, error);
    }
    return status;
}

/** Measures the points that lack samples; counts those that have enough. */
static enum tcplan_status measure(struct study *study, const struct points_means *means,
                                  struct tcplan_error *error) {
    struct tcplan_study *result = study->result;
    enum tcplan_status status = points_measure(&study->points, means, error);
    result->measured = study->points.measured;
    result->disturbed = study->points.disturbed;
    for (int64_t p = 0; p < study->points.count; p++) {
        const struct point *point = &study->point[p];
        const bool ready = points_taken(&study->points, point) == result->repetitions;
        result->ready += ready;
        if (status == TCPLAN_OK && !ready && !study->points.time_over)
            status = points_refuse(&study->points, point, error);
    }
    result->time_over = result->ready < result->points;
    return status;
}

/* The smallest times. */

/** Determines the speed of the core and the elasticity of each case, from all samples. */
static enum tcplan_status note_speed(struct study *study, struct tcplan_error *error) {
    struct timed_point *timed = base_alloc_zero((size_t)study->points.count + 1, sizeof *timed);
    if (!timed) return error_no_memory(error);
    for (int64_t p = 0; p < study->points.count; p++)
        timed[p] = points_timed(&study->points, &study->point[p]);
    study->drift = good_state_drift(timed, (int)study->points.count);
    int64_t first = 0;
    for (int t = 0; t < study->cases; t++) {
        const int64_t count = points_of(study, &study->of[t].domain);
        study->elasticity[t] =
            good_state_elasticity(study->drift.good_seconds, timed + first, (int)count);
        first += count;
    }
    base_free(timed);
    return TCPLAN_OK;
}

static enum tcplan_status note_minima(struct study *study, struct tcplan_error *error) {
    double *seconds = base_alloc((size_t)study->result->repetitions * sizeof *seconds);
    if (!seconds) return error_no_memory(error);
    for (int64_t p = 0; p < study->points.count; p++) {
        const struct point *point = &study->point[p];
        const struct timed_point timed = points_timed(&study->points, point);
        const int count = good_state_times(seconds, study->drift.good_seconds, &timed,
                                           study->elasticity[point->task]);
        sort_numbers(seconds, (size_t)count);
        study->minimum_ns[p] = 1e9 * seconds[0];
    }
    base_free(seconds);
    return TCPLAN_OK;
}

/* Fits. */

/** Returns the mean relative error of a model at all points of its case. */
static double error_of(const struct study *study, int task, const struct tcplan_model *model,
                       double good_seconds) {
    const double factor =
        drift_factor(study->elasticity[task], study->drift.good_seconds, good_seconds);
    double sum = 0;
    int64_t count = 0;
    for (int64_t p = 0; p < study->points.count; p++) {
        const struct point *point = &study->point[p];
        struct tcplan_model_estimate estimate;
        if (point->task != task) continue;
        const double measured = study->minimum_ns[p] * factor;
        tcplan_model_evaluate(&estimate, model, samples_point(study->samples, point->number)->size);
        sum += fabs(estimate.ns[TCPLAN_MODEL_MINIMUM] - measured) / measured;
        count++;
    }
    return sum / (double)count;
}

/** Fits a configuration to the samples of a case. */
static enum tcplan_status fit(struct study *study, int task,
                              const struct tcplan_model_config *config,
                              const struct points_means *means, struct tcplan_error *error) {
    struct rounds_task made = {
        .of = &study->of[task], .config = *config, .leading = study->leading[task]};
    struct rounds rounds = {
        .task = &made, .count = 1, .samples = study->samples, .usual_only = true};
    made.config.multiple = study->step;
    const enum tcplan_status status = rounds_run(&rounds, means, error);
    if (status == TCPLAN_OK) {
        struct tcplan_studied *row = &study->result->of[study->result->count++];
        *row = (struct tcplan_studied){.domain = made.of->domain,
                                       .config = made.config,
                                       .pieces = (int64_t)made.model->piece_count,
                                       .points = made.points,
                                       .cost_seconds = made.seconds,
                                       .complete = made.model->complete};
        memcpy(row->case_text, made.of->text, sizeof row->case_text);
        row->error = error_of(study, task, made.model, rounds.drift.good_seconds);
    }
    tcplan_model_free(made.model);
    rounds_free(&rounds);
    return status;
}

/** Fits all configurations to all cases. */
static enum tcplan_status fit_all(struct study *study, const struct points_means *means,
                                  struct tcplan_error *error) {
    struct tcplan_study *result = study->result;
    enum tcplan_status status = note_speed(study, error);
    if (status == TCPLAN_OK) status = note_minima(study, error);
    result->of = base_alloc_zero((size_t)study->cases * study->configs + 1, sizeof *result->of);
    if (!result->of) return error_no_memory(error);
    for (int t = 0; t < study->cases; t++) {
        for (size_t c = 0; c < study->configs && status == TCPLAN_OK; c++)
            status = fit(study, t, &study->config[c], means, error);
        if (status == TCPLAN_OK)
            study_prune(&result->of[(size_t)t * study->configs], study->configs);
    }
    return status;
}

void study_prune(struct tcplan_studied row[], size_t count) {
    double least = INFINITY;
    for (size_t r = 0; r < count; r++) least = fmin(least, row[r].error);
    for (size_t r = 0; r < count; r++) {
        size_t cheaper = 0;
        for (size_t other = 0; other < count; other++)
            cheaper += row[other].cost_seconds < row[r].cost_seconds;
        row[r].accurate = row[r].error <= ACCURATE * least;
        row[r].chosen = row[r].accurate && 4 * cheaper < count;
    }
}

/** Measures nothing: implements the measuring function for fits to complete samples. */
static enum tcplan_status measure_nothing(void *context, const struct points_job job[], int count,
                                          struct points_timing out[], struct tcplan_error *error) {
    (void)context, (void)job, (void)count, (void)out;
    return error_set(error, TCPLAN_ENVIRONMENT, "a sample of the grid is missing");
}

enum tcplan_status study_run(struct study *study, const struct points_means *means,
                             struct tcplan_error *error) {
    struct points_means none = *means;
    none.measure = measure_nothing;
    none.progress = NULL;
    enum tcplan_status status = begin(study, means, error);
    if (status == TCPLAN_OK) status = measure(study, means, error);
    if (status == TCPLAN_OK && !study->result->time_over) status = fit_all(study, &none, error);
    base_free(study->task);
    base_free(study->elasticity);
    base_free(study->point);
    base_free(study->minimum_ns);
    return status;
}

void tcplan_study_free(struct tcplan_study *study) {
    base_free(study->of);
    *study = (struct tcplan_study){0};
}
