#include "routines/sampler/generation/check.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "base/sorted.h"
#include "microbench/timing/statistics.h"

enum { SESSIONS = 2, TRIES_FOR_A_POINT = 50 };

/* Targets for errors are SPREADS times the machine's noise, which is assumed to be at least
 * LEAST_SPREAD. */
#define SPREADS 1.5
#define LEAST_SPREAD 0.005
#define LEAST_TARGET 0.007

static bool is_drawn(int64_t drawn[][TCPLAN_MODEL_SIZES], int count, const int64_t size[]) {
    for (int d = 0; d < count; d++) {
        if (memcmp(drawn[d], size, sizeof *drawn) == 0) return true;
    }
    return false;
}

/** Returns whether a model may have been fitted to a point. */
static bool is_fitted(const struct check *check, const struct check_task *task,
                      const int64_t size[]) {
    struct samples_case wanted = {.leading = task->leading};
    memcpy(wanted.name, task->of->text, sizeof wanted.name);
    return check->fitted && samples_known(check->fitted, &wanted, size) >= 0;
}

int check_draw(int64_t out[][TCPLAN_MODEL_SIZES], int count, const struct check *check, int task) {
    const struct check_task *of = &check->task[task];
    const struct tcplan_model_domain *domain = &of->model->domain;
    const int64_t multiple = of->model->config.multiple > 0 ? of->model->config.multiple : 1;
    struct random random = {.state = check->seed + (uint64_t)task};
    int drawn = 0;
    for (int tries = 0; drawn < count && tries < TRIES_FOR_A_POINT * count; tries++) {
        int64_t size[TCPLAN_MODEL_SIZES] = {0};
        for (int s = 0; s < domain->count; s++) {
            size[s] =
                domain->low[s] +
                multiple * random_below(&random, (domain->high[s] - domain->low[s]) / multiple + 1);
        }
        if (!is_drawn(out, drawn, size) && !is_fitted(check, of, size))
            memcpy(out[drawn++], size, sizeof size);
    }
    return drawn;
}

/** Sorts errors and summarises them: mean, median, 90th percentile by nearest rank, and maximum. */
static struct tcplan_model_check errors_of(double error[], int count) {
    struct tcplan_model_check check = {.points = count, .made = (int64_t)time(NULL)};
    if (count == 0) return (struct tcplan_model_check){.points = 0};
    sort_numbers(error, (size_t)count);
    for (int p = 0; p < count; p++) check.mean += error[p] / count;
    check.median = statistics_median(error, count);
    check.p90 = error[(9 * count + 9) / 10 - 1];
    check.maximum = error[count - 1];
    return check;
}

static double mean_of(const double ns[SESSIONS]) {
    return (ns[0] + ns[1]) / 2;
}

void check_summarise(struct tcplan_model_checked *checked) {
    double error[TCPLAN_CHECKED_POINTS], raw[TCPLAN_CHECKED_POINTS], apart[TCPLAN_CHECKED_POINTS],
        raw_apart[TCPLAN_CHECKED_POINTS];
    const int count = checked->count;
    for (int p = 0; p < count; p++) {
        const struct tcplan_checked_point *point = &checked->point[p];
        error[p] = fabs(point->model_ns - mean_of(point->ns)) / mean_of(point->ns);
        raw[p] = fabs(point->model_ns - mean_of(point->raw_ns)) / mean_of(point->raw_ns);
        apart[p] = fabs(point->ns[0] - point->ns[1]) / mean_of(point->ns);
        raw_apart[p] = fabs(point->raw_ns[0] - point->raw_ns[1]) / mean_of(point->raw_ns);
    }
    checked->error = errors_of(error, count);
    checked->raw = errors_of(raw, count);
    if (count == 0) return;
    checked->spread = statistics_median(apart, count);
    checked->raw_spread = statistics_median(raw_apart, count);
    checked->target = checked->spread < LEAST_SPREAD ? LEAST_TARGET : SPREADS * checked->spread;
    checked->met = checked->error.mean <= checked->target;
}

/** The points of all tasks, and the samples of both sessions. */
struct measured {
    const struct check *check;
    struct points_task *task;
    struct point *point; /* points of all tasks, consecutively */
    int64_t count;
    struct samples *samples[SESSIONS];
    struct points points[SESSIONS];
};

static enum tcplan_status draw_all(struct measured *measured, struct tcplan_error *error) {
    const struct check *check = measured->check;
    int64_t drawn[TCPLAN_CHECKED_POINTS][TCPLAN_MODEL_SIZES];
    for (int t = 0; t < check->count; t++) {
        const int count = check_draw(drawn, check->points, check, t);
        const struct samples_case wanted = {
            .leading = t + 1}; /* the leading dimension serves as the number of the task, because
                                  two tasks may have the same case */
        for (int d = 0; d < count; d++) {
            struct point *point = &measured->point[measured->count++];
            for (int s = 0; s < SESSIONS; s++) {
                int number;
                enum tcplan_status status =
                    samples_case(&number, measured->samples[s], &wanted, error);
                if (status != TCPLAN_OK) return status;
                *point = (struct point){
                    .task = t, .number = samples_find(measured->samples[s], number, drawn[d])};
                if (point->number < 0) return error_no_memory(error);
            }
        }
    }
    return TCPLAN_OK;
}

static enum tcplan_status open_measured(struct measured *measured, struct tcplan_error *error) {
    const struct check *check = measured->check;
    enum tcplan_status status = TCPLAN_OK;
    measured->task = base_alloc_zero((size_t)check->count + 1, sizeof *measured->task);
    measured->point =
        base_alloc_zero((size_t)check->count * (size_t)check->points + 1, sizeof *measured->point);
    if (!measured->task || !measured->point) return error_no_memory(error);
    for (int t = 0; t < check->count; t++) {
        measured->task[t] =
            (struct points_task){.of = check->task[t].of, .repetitions = check->repetitions};
    }
    for (int s = 0; s < SESSIONS && status == TCPLAN_OK; s++) {
        const struct samples_setup none = {.threads = 1};
        status = samples_open(&measured->samples[s], NULL, &none, false, error);
    }
    return status == TCPLAN_OK ? draw_all(measured, error) : status;
}

static enum tcplan_status measure_all(struct measured *measured, const struct points_means *means,
                                      struct tcplan_error *error) {
    const double started = means->now(means->context);
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < SESSIONS && status == TCPLAN_OK; s++) {
        measured->points[s] = (struct points){
            .task = measured->task,
            .samples = measured->samples[s],
            .point = measured->point,
            .count = measured->count,
            .seed = measured->check->seed + (uint64_t)s,
            .started = started,
            .time_limit_seconds = measured->check->time_limit_seconds * (s + 1) / SESSIONS,
            .share = (double)(s + 1) / SESSIONS,
            .activity = "checking models"};
        status = points_measure(&measured->points[s], means, error);
    }
    return status;
}

static void close_measured(struct measured *measured) {
    for (int s = 0; s < SESSIONS; s++) samples_close(measured->samples[s]);
    base_free(measured->task);
    base_free(measured->point);
}

/** Determines the speed of the core from the samples of both sessions. */
static enum tcplan_status note_drift(struct drift *drift, const struct measured *measured,
                                     struct tcplan_error *error) {
    struct timed_point *timed =
        base_alloc_zero((size_t)(SESSIONS * measured->count) + 1, sizeof *timed);
    int count = 0;
    if (!timed) return error_no_memory(error);
    for (int s = 0; s < SESSIONS; s++) {
        for (int64_t p = 0; p < measured->count; p++)
            timed[count++] = points_timed(&measured->points[s], &measured->point[p]);
    }
    *drift = good_state_drift(timed, count);
    base_free(timed);
    return TCPLAN_OK;
}

/** Finds the elasticity of a task's samples. */
static enum tcplan_status elasticity_of(double *out, const struct measured *measured, int task,
                                        double good_seconds, struct tcplan_error *error) {
    struct timed_point *timed =
        base_alloc_zero((size_t)(SESSIONS * measured->count) + 1, sizeof *timed);
    int count = 0;
    if (!timed) return error_no_memory(error);
    for (int s = 0; s < SESSIONS; s++) {
        for (int64_t p = 0; p < measured->count; p++) {
            if (measured->point[p].task == task)
                timed[count++] = points_timed(&measured->points[s], &measured->point[p]);
        }
    }
    *out = good_state_elasticity(good_seconds, timed, count);
    base_free(timed);
    return TCPLAN_OK;
}

/** Sets the time of a point in a session, by the model's reference statistic: at the core speed of
 * the models, and as measured. */
static enum tcplan_status note_session(struct tcplan_checked_point *out,
                                       const struct measured *measured, int session,
                                       const struct point *point, const struct tcplan_model *model,
                                       double good_seconds, double elasticity,
                                       struct tcplan_error *error) {
    const struct timed_point timed = points_timed(&measured->points[session], point);
    struct tcplan_model_sample sample;
    double *ns = base_alloc((size_t)timed.count * sizeof *ns);
    if (!ns) return error_no_memory(error);
    const double factor = drift_factor(elasticity, good_seconds, model->good_reference_seconds);
    for (int s = 0; s < timed.count; s++) ns[s] = timed.sample[s].seconds * 1e9;
    enum tcplan_status status =
        tcplan_model_sample_make(&sample, out->size, model->domain.count, ns, timed.count, error);
    if (status == TCPLAN_OK) out->raw_ns[session] = sample.ns[model->config.reference];
    const int count = good_state_times(ns, good_seconds, &timed, elasticity);
    for (int s = 0; s < count; s++) ns[s] *= 1e9 * factor;
    if (status == TCPLAN_OK)
        status =
            tcplan_model_sample_make(&sample, out->size, model->domain.count, ns, count, error);
    if (status == TCPLAN_OK) out->ns[session] = sample.ns[model->config.reference];
    base_free(ns);
    return status;
}

static enum tcplan_status note_point(struct tcplan_model_checked *checked,
                                     const struct measured *measured, const struct point *point,
                                     double good_seconds, double elasticity,
                                     struct tcplan_error *error) {
    const struct tcplan_model *model = checked->model;
    struct tcplan_checked_point *out = &checked->point[checked->count];
    struct tcplan_model_estimate estimate;
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < SESSIONS; s++) {
        if (points_is_whole(&measured->points[s], point)) continue;
        return measured->points[SESSIONS - 1].time_over || measured->points[0].time_over
                   ? TCPLAN_OK
                   : points_refuse(&measured->points[s], point, error);
    }
    memcpy(out->size, samples_point(measured->samples[0], point->number)->size, sizeof out->size);
    tcplan_model_evaluate(&estimate, model, out->size);
    out->model_ns = estimate.ns[model->config.reference];
    for (int s = 0; s < SESSIONS && status == TCPLAN_OK; s++)
        status = note_session(out, measured, s, point, model, good_seconds, elasticity, error);
    if (status == TCPLAN_OK) checked->count++;
    return status;
}

static enum tcplan_status note_model(struct tcplan_model_checked *checked,
                                     const struct measured *measured, int task, double good_seconds,
                                     struct tcplan_error *error) {
    double elasticity = 0;
    checked->model = measured->check->task[task].model;
    checked->point = base_alloc_zero((size_t)measured->check->points + 1, sizeof *checked->point);
    if (!checked->point) return error_no_memory(error);
    enum tcplan_status status = elasticity_of(&elasticity, measured, task, good_seconds, error);
    for (int64_t p = 0; p < measured->count && status == TCPLAN_OK; p++) {
        if (measured->point[p].task == task)
            status =
                note_point(checked, measured, &measured->point[p], good_seconds, elasticity, error);
    }
    check_summarise(checked);
    return status;
}

enum tcplan_status check_run(struct tcplan_model_checked out[], struct drift *drift,
                             const struct check *check, const struct points_means *means,
                             struct tcplan_error *error) {
    struct measured measured = {.check = check};
    enum tcplan_status status = open_measured(&measured, error);
    if (status == TCPLAN_OK) status = measure_all(&measured, means, error);
    if (status == TCPLAN_OK) status = note_drift(drift, &measured, error);
    for (int t = 0; t < check->count && status == TCPLAN_OK; t++)
        status = note_model(&out[t], &measured, t, drift->good_seconds, error);
    close_measured(&measured);
    return status;
}
