#include "routines/sampler/generation/rounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "models/spread.h"

static enum tcplan_status add_point(struct rounds *rounds, int task, const int64_t size[],
                                    struct tcplan_error *error) {
    if (rounds->point_count == rounds->point_capacity) {
        const int64_t capacity = rounds->point_capacity > 0 ? 2 * rounds->point_capacity : 256;
        struct point *larger = base_realloc(rounds->point, (size_t)capacity * sizeof *larger);
        if (!larger) return error_no_memory(error);
        rounds->point = larger;
        rounds->point_capacity = capacity;
    }
    const int64_t number = samples_find(rounds->samples, rounds->task[task].case_number, size);
    if (number < 0) return error_no_memory(error);
    rounds->point[rounds->point_count++] = (struct point){.task = task, .number = number};
    return TCPLAN_OK;
}

/** Adds the points that a refinement requests. */
static enum tcplan_status ask(struct rounds *rounds, int task, struct tcplan_error *error) {
    const struct model_refinement *refinement = rounds->task[task].refinement;
    const size_t count = model_refinement_next(refinement, NULL, 0);
    if (count == 0) return TCPLAN_OK;
    struct model_point *wanted = base_alloc(count * sizeof *wanted);
    if (!wanted) return error_no_memory(error);
    model_refinement_next(refinement, wanted, count);
    enum tcplan_status status = TCPLAN_OK;
    for (size_t w = 0; w < count && status == TCPLAN_OK; w++)
        status = add_point(rounds, task, wanted[w].size, error);
    base_free(wanted);
    return status;
}

/** Returns the progress of the slowest refinement, from 0 to 1. */
static double least_share(const struct rounds *rounds) {
    double share = 1;
    for (int t = 0; t < rounds->count; t++)
        share = fmin(share, model_refinement_progress(rounds->task[t].refinement).share);
    return share;
}

/** Converts the existing points of a task, or of all tasks (task -1), to the form of good_state.h;
 * NULL if memory runs out. */
static struct timed_point *timed_points(const struct rounds *rounds, int task, int *count) {
    struct timed_point *out = base_alloc_zero((size_t)rounds->point_count + 1, sizeof *out);
    *count = 0;
    for (int64_t p = 0; out && p < rounds->point_count; p++) {
        if (task < 0 || rounds->point[p].task == task)
            out[(*count)++] = points_timed(&rounds->points, &rounds->point[p]);
    }
    return out;
}

static enum tcplan_status note_drift(struct rounds *rounds, struct tcplan_error *error) {
    int count;
    struct timed_point *timed = timed_points(rounds, -1, &count);
    if (!timed) return error_no_memory(error);
    rounds->drift = good_state_drift(timed, count);
    base_free(timed);
    return TCPLAN_OK;
}

static double seconds_of(const struct timed_sample *sample) {
    return sample->apart_seconds > 0 ? sample->apart_seconds : sample->seconds;
}

/** Passes the times of a point to a refinement. */
static enum tcplan_status add_sample(struct rounds *rounds, const struct point *point,
                                     double elasticity, struct tcplan_error *error) {
    struct rounds_task *task = &rounds->task[point->task];
    const int64_t *size = samples_point(rounds->samples, point->number)->size;
    const struct timed_point timed = points_timed(&rounds->points, point);
    struct tcplan_model_sample sample;
    double *ns = base_alloc((size_t)timed.count * sizeof *ns);
    if (!ns) return error_no_memory(error);
    const int count = good_state_times(ns, rounds->drift.good_seconds, &timed, elasticity);
    for (int s = 0; s < count; s++) ns[s] *= 1e9;
    const double spread = fmax(spread_of(ns, count, task->config.reference),
                               good_state_doubt(rounds->drift.good_seconds, &timed, elasticity));
    for (int s = 0; s < timed.count; s++) {
        task->seconds += seconds_of(&timed.sample[s]);
        if (s >= task->config.repetitions) task->again_seconds += seconds_of(&timed.sample[s]);
    }
    enum tcplan_status status =
        tcplan_model_sample_make(&sample, size, task->of->domain.count, ns, count, error);
    base_free(ns);
    task->points++;
    return status == TCPLAN_OK ? model_refinement_add(task->refinement, &sample, spread, error)
                               : status;
}

/** Returns the elasticity of a task's samples. */
static enum tcplan_status elasticity_of(double *out, const struct rounds *rounds, int task,
                                        struct tcplan_error *error) {
    int count;
    struct timed_point *timed = timed_points(rounds, task, &count);
    if (!timed) return error_no_memory(error);
    *out = good_state_elasticity(rounds->drift.good_seconds, timed, count);
    base_free(timed);
    return TCPLAN_OK;
}

/** Passes the points from `first` on to a task's refinement. */
static enum tcplan_status add_samples(struct rounds *rounds, int64_t first, int task,
                                      struct tcplan_error *error) {
    double elasticity = 0;
    enum tcplan_status status = elasticity_of(&elasticity, rounds, task, error);
    bool any = false;
    for (int64_t p = first; p < rounds->point_count && status == TCPLAN_OK; p++) {
        const struct point *point = &rounds->point[p];
        if (point->task != task) continue;
        any = true;
        if (points_is_whole(&rounds->points, point)) {
            status = add_sample(rounds, point, elasticity, error);
        } else if (!rounds->points.time_over) {
            status = points_refuse(&rounds->points, point, error);
        }
    }
    rounds->task[task].rounds += any;
    return status;
}

static enum tcplan_status end_round(struct rounds *rounds, int64_t first,
                                    struct tcplan_error *error) {
    enum tcplan_status status = note_drift(rounds, error);
    for (int t = 0; t < rounds->count && status == TCPLAN_OK; t++)
        status = add_samples(rounds, first, t, error);
    return status;
}

/** Counts the samples that existed before this generation began, for all points of the rounds. */
static enum tcplan_status count_known(struct rounds *rounds, struct tcplan_error *error) {
    bool *counted = base_alloc_zero((size_t)samples_points(rounds->samples) + 1, sizeof *counted);
    if (!counted) return error_no_memory(error);
    rounds->known_count = -rounds->points.measured;
    for (int64_t p = 0; p < rounds->point_count; p++) {
        const struct point *point = &rounds->point[p];
        if (!counted[point->number]) rounds->known_count += points_taken(&rounds->points, point);
        counted[point->number] = true;
    }
    base_free(counted);
    return TCPLAN_OK;
}

static bool hardly_met_the_good_state(const struct rounds *rounds, const struct point *point) {
    const struct timed_point timed = points_timed(&rounds->points, point);
    return !good_state_is_enough(rounds->drift.good_seconds, &timed);
}

/** Returns how many seconds additional executions of a task may still take: in total as long as its
 * regular executions. */
static double seconds_left(const struct rounds *rounds, int task) {
    const int repetitions = rounds->points_task[task].repetitions;
    double usual = 0, again = 0;
    for (int64_t p = 0; p < rounds->point_count; p++) {
        if (rounds->point[p].task != task) continue;
        const struct timed_point timed = points_timed(&rounds->points, &rounds->point[p]);
        for (int s = 0; s < timed.count && s < repetitions; s++)
            usual += seconds_of(&timed.sample[s]);
        for (int s = repetitions; s < timed.count; s++) again += seconds_of(&timed.sample[s]);
    }
    return usual - again;
}

/** Increases the number of a point's executions by half of the configured number, if allowed.
 * Returns the expected seconds of the added executions; 0: none added. */
static double ask_again(const struct rounds *rounds, struct point *point, double left) {
    const struct timed_point timed = points_timed(&rounds->points, point);
    const int repetitions = rounds->points_task[point->task].repetitions,
              more = (repetitions + 1) / 2;
    double seconds = 0;
    for (int s = 0; s < timed.count; s++)
        seconds += seconds_of(&timed.sample[s]) / timed.count * more;
    if (point->extra + more > (ROUNDS_MOST_TIMES - 1) * repetitions || seconds > left) return 0;
    point->extra += more;
    return seconds;
}

/**
 * Requests more executions for the points of a round that were rarely measured at the best speed,
 * smaller points first. `more` is false if there are none, or no time is left. Requests depend
 * only on requested samples, so they are the same after an interruption, when the file may contain
 * other samples. They do not depend on times: repeating points until their times agree would
 * understate their errors.
 */
static bool ask_more(struct rounds *rounds, int64_t first) {
    bool more = false;
    for (int64_t p = first; p < rounds->point_count; p++) {
        if (!points_is_whole(&rounds->points, &rounds->point[p]))
            return false; /* at least one point was disturbed at every repetition */
    }
    for (int t = 0; t < rounds->count; t++) {
        double left = seconds_left(rounds, t);
        for (int64_t p = first; p < rounds->point_count; p++) {
            if (rounds->point[p].task != t || !hardly_met_the_good_state(rounds, &rounds->point[p]))
                continue;
            const double seconds = ask_again(rounds, &rounds->point[p], left);
            left -= seconds;
            more = more || seconds > 0;
        }
    }
    return more;
}

static enum tcplan_status measure_round(struct rounds *rounds, int64_t first,
                                        const struct points_means *means,
                                        struct tcplan_error *error) {
    enum tcplan_status status = points_measure(&rounds->points, means, error);
    if (status == TCPLAN_OK) status = note_drift(rounds, error);
    while (status == TCPLAN_OK && !rounds->points.time_over && !rounds->usual_only &&
           ask_more(rounds, first)) {
        status = points_measure(&rounds->points, means, error);
    }
    return status;
}

/** Executes one round; `more` is false if there are no requests. */
static enum tcplan_status run_round(bool *more, struct rounds *rounds, int number,
                                    const struct points_means *means, struct tcplan_error *error) {
    const int64_t first = rounds->point_count;
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < rounds->count && status == TCPLAN_OK; t++) status = ask(rounds, t, error);
    *more = rounds->point_count > first;
    if (status != TCPLAN_OK || !*more) return status;
    rounds->points.point = rounds->point + first;
    rounds->points.count = rounds->point_count - first;
    rounds->points.seed = rounds->seed + (uint64_t)number;
    /* Points are measured task by task, so that some tasks get models even if the time is too
     * short for all. */
    rounds->points.by_task = number == 0 && rounds->time_limit_seconds > 0;
    rounds->points.share = least_share(rounds);
    status = measure_round(rounds, first, means, error);
    if (status == TCPLAN_OK) status = end_round(rounds, first, error);
    return status == TCPLAN_OK ? count_known(rounds, error) : status;
}

static enum tcplan_status begin_task(struct rounds *rounds, struct rounds_task *task,
                                     struct tcplan_error *error) {
    struct samples_case wanted = {.leading = task->leading};
    memcpy(wanted.name, task->of->text, sizeof wanted.name);
    enum tcplan_status status = samples_case(&task->case_number, rounds->samples, &wanted, error);
    if (status != TCPLAN_OK) return status;
    return model_refinement_new(&task->refinement, &task->of->domain, task->of->degree,
                                &task->config, error);
}

static enum tcplan_status begin(struct rounds *rounds, const struct points_means *means,
                                struct tcplan_error *error) {
    rounds->points_task = base_alloc_zero((size_t)rounds->count + 1, sizeof *rounds->points_task);
    if (!rounds->points_task) return error_no_memory(error);
    rounds->points = (struct points){.task = rounds->points_task,
                                     .samples = rounds->samples,
                                     .started = means->now(means->context),
                                     .time_limit_seconds = rounds->time_limit_seconds,
                                     .activity = "generating models"};
    enum tcplan_status status = TCPLAN_OK;
    for (int t = 0; t < rounds->count && status == TCPLAN_OK; t++) {
        rounds->points_task[t] = (struct points_task){
            .of = rounds->task[t].of, .repetitions = rounds->task[t].config.repetitions};
        status = begin_task(rounds, &rounds->task[t], error);
    }
    return status;
}

static enum tcplan_status take_model(struct rounds_task *task, struct tcplan_error *error) {
    enum tcplan_status status = model_refinement_result(&task->model, task->refinement, error);
    if (status != TCPLAN_OK) task->model = NULL;
    if (status != TCPLAN_OK) return status == TCPLAN_NOT_APPLICABLE ? TCPLAN_OK : status;
    memcpy(task->model->case_text, task->of->text, sizeof task->model->case_text);
    task->model->seconds = task->seconds;
    for (int s = 0; s < task->of->domain.count; s++) {
        snprintf(task->model->size_name[s], TCPLAN_MODEL_SIZE_NAME, "%.*s",
                 TCPLAN_MODEL_SIZE_NAME - 1,
                 task->of->signature->argument[task->of->size_argument[s]].name);
    }
    return TCPLAN_OK;
}

enum tcplan_status rounds_run(struct rounds *rounds, const struct points_means *means,
                              struct tcplan_error *error) {
    bool more = true;
    enum tcplan_status status = begin(rounds, means, error);
    for (int number = 0; status == TCPLAN_OK && more && !rounds->points.time_over; number++) {
        status = run_round(&more, rounds, number, means, error);
    }
    for (int t = 0; t < rounds->count && status == TCPLAN_OK; t++)
        status = take_model(&rounds->task[t], error);
    return status;
}

void rounds_free(struct rounds *rounds) {
    for (int t = 0; t < rounds->count; t++) {
        model_refinement_free(rounds->task[t].refinement);
        rounds->task[t].refinement = NULL;
    }
    base_free(rounds->point);
    base_free(rounds->points_task);
    rounds->point = NULL;
    rounds->points_task = NULL;
    rounds->point_count = rounds->point_capacity = 0;
}
