#include "routines/sampler/generation/points.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"

/* Time limit of a batch, in seconds. Between batches, samples are written and the time limit of
 * the measurement is checked. */
#define BATCH_SECONDS 0.05

/* Progress: the work after the current points is unknown. The current points count as at least this
 * share of the whole work. */
#define LEAST_SHARE 0.2

/** The repetitions that are left to measure. */
struct jobs {
    struct points *points;
    const struct points_means *means;
    int64_t count;
    int64_t next;
    int64_t *job;     /* numbers of the points to measure; a point occurs once for each repetition;
                         disturbed repetitions are appended */
    int *disturbed;   /* for each point, the number of disturbed repetitions */
    double work_done; /* work of the measured repetitions and the seconds that they took, from which
                         the time of other repetitions is predicted */
    double work_seconds;
    double work_left;
};

static const struct samples_point *samples_of(const struct points *points,
                                              const struct point *point) {
    return samples_point(points->samples, point->number);
}

static int repetitions_of(const struct points *points, const struct point *point) {
    return points->task[point->task].repetitions + point->extra;
}

static double work_of(const struct points *points, const struct point *point) {
    return case_work(points->task[point->task].of, samples_of(points, point)->size);
}

int points_taken(const struct points *points, const struct point *point) {
    const int count = samples_of(points, point)->count, most = repetitions_of(points, point);
    return count < most ? count : most;
}

bool points_is_whole(const struct points *points, const struct point *point) {
    const int wanted = repetitions_of(points, point);
    const int least =
        points->time_over && wanted > POINTS_LEAST_REPETITIONS ? POINTS_LEAST_REPETITIONS : wanted;
    return samples_of(points, point)->count >= least;
}

struct timed_point points_timed(const struct points *points, const struct point *point) {
    const struct samples_point *samples = samples_of(points, point);
    return (struct timed_point){.flops = case_flops(points->task[point->task].of, samples->size),
                                .count = points_taken(points, point),
                                .sample = samples->sample};
}

enum tcplan_status points_refuse(const struct points *points, const struct point *point,
                                 struct tcplan_error *error) {
    return error_set(
        error, TCPLAN_ENVIRONMENT,
        "other load disturbed %.100s %d times; try again on an idle machine. The measured samples "
        "are saved",
        points->task[point->task].of->text, POINTS_TRIES * repetitions_of(points, point));
}

/** Shuffles numbers by the algorithm of Fisher and Yates. */
static void shuffle(int64_t *value, int64_t count, uint64_t seed) {
    struct random random = {.state = seed};
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t other = random_below(&random, i + 1);
        const int64_t kept = value[i];
        value[i] = value[other];
        value[other] = kept;
    }
}

/** Lists every repetition of every point. If several tasks request a point, the point has the
 * repetitions of the first of these tasks. */
static enum tcplan_status list_jobs(struct jobs *jobs, struct tcplan_error *error) {
    const struct points *points = jobs->points;
    bool *listed = base_alloc_zero((size_t)samples_points(points->samples) + 1, sizeof *listed);
    if (!listed) return error_no_memory(error);
    for (int64_t p = 0; p < points->count; p++) {
        const struct point *point = &points->point[p];
        for (int r = 0; r < repetitions_of(points, point) && !listed[point->number]; r++)
            jobs->job[jobs->count++] = p;
        listed[point->number] = true;
    }
    base_free(listed);
    return TCPLAN_OK;
}

/** Removes the repetitions that already have samples: for each point, the first ones in the order
 * of the jobs. */
static enum tcplan_status drop_known(struct jobs *jobs, struct tcplan_error *error) {
    const struct points *points = jobs->points;
    int *known = base_alloc_zero((size_t)points->count + 1, sizeof *known);
    int64_t kept = 0;
    if (!known) return error_no_memory(error);
    for (int64_t j = 0; j < jobs->count; j++) {
        const struct point *point = &points->point[jobs->job[j]];
        if (known[jobs->job[j]] < points_taken(points, point)) {
            known[jobs->job[j]]++;
        } else {
            jobs->job[kept++] = jobs->job[j];
            jobs->work_left += work_of(points, point);
        }
    }
    jobs->count = kept;
    base_free(known);
    return TCPLAN_OK;
}

/** The jobs of one task and their expected time. */
struct group {
    int task;
    double work;
};

static int by_work(const void *left, const void *right) {
    const struct group *a = left, *b = right;
    return a->work != b->work ? (a->work > b->work) - (a->work < b->work) : a->task - b->task;
}

static void sort_groups(struct jobs *jobs, int64_t *sorted, struct group *group, int count) {
    const struct points *points = jobs->points;
    int64_t next = 0;
    for (int t = 0; t < count; t++) group[t].task = t;
    for (int64_t j = 0; j < jobs->count; j++) {
        const struct point *point = &points->point[jobs->job[j]];
        group[point->task].work += work_of(points, point);
    }
    qsort(group, (size_t)count, sizeof *group, by_work);
    for (int g = 0; g < count; g++) {
        for (int64_t j = 0; j < jobs->count; j++) {
            if (points->point[jobs->job[j]].task == group[g].task) sorted[next++] = jobs->job[j];
        }
    }
    assert(next == jobs->count); /* all jobs are listed again, each once */
    memcpy(jobs->job, sorted, (size_t)next * sizeof *sorted);
}

/** Groups jobs by task, the task with the least work first; jobs of a task stay in order. */
static enum tcplan_status group_jobs(struct jobs *jobs, struct tcplan_error *error) {
    const struct points *points = jobs->points;
    int count = 0;
    for (int64_t p = 0; p < points->count; p++)
        count = points->point[p].task >= count ? points->point[p].task + 1 : count;
    int64_t *sorted = base_alloc((size_t)(jobs->count + 1) * sizeof *sorted);
    struct group *group = base_alloc_zero((size_t)count + 1, sizeof *group);
    if (sorted && group) sort_groups(jobs, sorted, group, count);
    const enum tcplan_status status = sorted && group ? TCPLAN_OK : error_no_memory(error);
    base_free(sorted);
    base_free(group);
    return status;
}

static enum tcplan_status make_jobs(struct jobs *jobs, struct tcplan_error *error) {
    const struct points *points = jobs->points;
    int64_t count = 1;
    for (int64_t p = 0; p < points->count; p++) count += repetitions_of(points, &points->point[p]);
    jobs->job = base_alloc((size_t)count * sizeof *jobs->job);
    jobs->disturbed = base_alloc_zero((size_t)points->count + 1, sizeof *jobs->disturbed);
    if (!jobs->job || !jobs->disturbed) return error_no_memory(error);
    enum tcplan_status status = list_jobs(jobs, error);
    if (status != TCPLAN_OK) return status;
    shuffle(jobs->job, jobs->count, points->seed);
    if (points->by_task) status = group_jobs(jobs, error);
    return status == TCPLAN_OK ? drop_known(jobs, error) : status;
}

/** Returns the expected time of an execution, from earlier executions or from its work; 0 if
 * unknown. */
static double expected_seconds(const struct jobs *jobs, const struct point *point) {
    const struct samples_point *samples = samples_of(jobs->points, point);
    double least = INFINITY;
    for (int s = 0; s < samples->count; s++) least = fmin(least, samples->sample[s].seconds);
    if (isfinite(least)) return least;
    return jobs->work_done > 0 ? jobs->work_seconds / jobs->work_done * work_of(jobs->points, point)
                               : 0;
}

static bool is_time_over(const struct jobs *jobs) {
    struct points *points = jobs->points;
    if (points->time_limit_seconds > 0 &&
        jobs->means->now(jobs->means->context) - points->started >= points->time_limit_seconds)
        points->time_over = true;
    return points->time_over;
}

/** Takes the next jobs for a batch. The time of a job counts about twice, because each execution
 * follows a warm-up execution. */
static int take_batch(const struct jobs *jobs, struct points_job out[POINTS_BATCH]) {
    double seconds = 0;
    int count = 0;
    for (; count < POINTS_BATCH && jobs->next + count < jobs->count && seconds < BATCH_SECONDS;
         count++) {
        const struct point *point = &jobs->points->point[jobs->job[jobs->next + count]];
        const double expected = expected_seconds(jobs, point);
        out[count] = (struct points_job){.task = point->task, .expected_seconds = expected};
        memcpy(out[count].size, samples_of(jobs->points, point)->size, sizeof out->size);
        seconds += expected > 0 ? 2 * expected + jobs->means->beside_seconds : BATCH_SECONDS;
    }
    return count;
}

/** Appends a disturbed repetition to the remaining jobs, unless its point was disturbed too often.
 */
static void repeat(struct jobs *jobs, int64_t place) {
    jobs->points->disturbed++;
    if (++jobs->disturbed[place] >=
        POINTS_TRIES * repetitions_of(jobs->points, &jobs->points->point[place]))
        return;
    memmove(jobs->job, jobs->job + jobs->next,
            (size_t)(jobs->count - jobs->next) * sizeof *jobs->job);
    jobs->count -= jobs->next;
    jobs->next = 0;
    jobs->job[jobs->count++] = place;
}

static enum tcplan_status keep(struct jobs *jobs, int64_t place, const struct points_timing *timing,
                               struct tcplan_error *error) {
    struct points *points = jobs->points;
    const double work = work_of(points, &points->point[place]);
    jobs->work_done += work;
    jobs->work_seconds += timing->sample.seconds;
    jobs->work_left -= work;
    points->measured++;
    return samples_take(points->samples, points->point[place].number, &timing->sample, error);
}

static enum tcplan_status measure_batch(struct jobs *jobs, struct tcplan_error *error) {
    struct points_job job[POINTS_BATCH];
    struct points_timing timing[POINTS_BATCH];
    int64_t place[POINTS_BATCH] = {0};
    const int count = take_batch(jobs, job);
    for (int j = 0; j < count; j++) place[j] = jobs->job[jobs->next + j];
    enum tcplan_status status =
        jobs->means->measure(jobs->means->context, job, count, timing, error);
    if (status != TCPLAN_OK) return status;
    assert(count > 0); /* each batch makes progress */
    jobs->next += count;
    for (int j = 0; j < count && status == TCPLAN_OK; j++) {
        if (timing[j].disturbed) {
            repeat(jobs, place[j]);
        } else {
            status = keep(jobs, place[j], &timing[j], error);
        }
    }
    return status;
}

/** Reports progress: the remaining work of the current points, and the expected work of later
 * points. */
static void tell(const struct jobs *jobs, double began) {
    const struct points *points = jobs->points;
    const struct points_means *means = jobs->means;
    if (!means->progress) return;
    const double now = means->now(means->context);
    const double rate = jobs->work_done > 0 ? (now - began) / jobs->work_done : 0;
    double total =
        (now - points->started + jobs->work_left * rate) / fmax(points->share, LEAST_SHARE);
    if (points->time_limit_seconds > 0) total = fmin(total, points->time_limit_seconds);
    means->progress(means->progress_context, points->activity, now - points->started, total);
}

enum tcplan_status points_measure(struct points *points, const struct points_means *means,
                                  struct tcplan_error *error) {
    struct jobs jobs = {.points = points, .means = means};
    const double began = means->now(means->context);
    enum tcplan_status status = make_jobs(&jobs, error);
    while (status == TCPLAN_OK && jobs.next < jobs.count && !is_time_over(&jobs)) {
        status = measure_batch(&jobs, error);
        tell(&jobs, began);
    }
    base_free(jobs.job);
    base_free(jobs.disturbed);
    struct tcplan_error later; /* samples are stored even after a failure */
    const enum tcplan_status kept = samples_keep(points->samples, &later);
    if (status != TCPLAN_OK || kept == TCPLAN_OK) return status;
    if (error) *error = later;
    return kept;
}
