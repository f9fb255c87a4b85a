/*
 * Distributes the work over several threads. All threads together compute the large blocks of the
 * result and the large fused parts, one after the other. Each remaining block or part is computed
 * by one thread: the longest first, each is assigned to the least loaded thread. A thread computes
 * its tasks in the order of the parts, which reuses operands.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "blocks/block_plan.h"
#include "microbench/program/share.h"

static bool add(struct block_task **list, int64_t *count, struct block_task task) {
    struct block_task *larger = base_grow(*list, (size_t)*count, sizeof *larger);
    if (!larger) return false;
    *list = larger;
    larger[(*count)++] = task;
    return true;
}

/** Lists the tasks of a part that is computed pair by pair. */
static bool add_blocks(struct block_schedule *out, const struct tcplan_block_plan *plan, int part,
                       bool sums) {
    const struct block_pairs *pairs = plan->product->pairs;
    const struct block_part *own = &pairs->part[part];
    bool ok = true;
    double predicted = 0;
    for (int64_t n = own->first; n < own->first + own->count; n++) {
        for (int64_t p = pairs->first[pairs->order[n]]; p < pairs->first[pairs->order[n] + 1]; p++)
            predicted += plan->classes[pairs->pair[p].class]->seconds;
    }
    const double scale =
        predicted > 0 ? plan->part_seconds[part][sums ? PART_SUMS : PART_PAIRS] / predicted : 1;
    for (int64_t n = own->first; n < own->first + own->count && ok; n++) {
        struct block_task task = {.number = pairs->order[n], .way = sums ? PART_SUMS : PART_PAIRS};
        for (int64_t p = pairs->first[task.number]; p < pairs->first[task.number + 1]; p++)
            task.seconds += scale * plan->classes[pairs->pair[p].class]->seconds;
        ok = pairwise_is_wide(plan, task.number) ? add(&out->together, &out->together_count, task)
                                                 : add(&out->task, &out->count, task);
    }
    return ok;
}

struct place {
    double seconds;
    int64_t task;
    int thread;
};

static int longer(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    if (x->seconds != y->seconds) return x->seconds > y->seconds ? -1 : 1;
    return x->task < y->task ? -1 : 1;
}

static int by_thread(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    if (x->thread != y->thread) return x->thread - y->thread;
    return x->task < y->task ? -1 : 1;
}

/** Assigns each task to the least loaded thread, the longest first. */
static void assign(struct place place[], int64_t count, double load[], int threads) {
    qsort(place, (size_t)count, sizeof *place, longer);
    for (int64_t n = 0; n < count; n++) {
        int least = 0;
        for (int t = 1; t < threads; t++)
            if (load[t] < load[least]) least = t;
        place[n].thread = least;
        load[least] += place[n].seconds;
    }
    qsort(place, (size_t)count, sizeof *place, by_thread);
}

static enum tcplan_status distribute(struct block_schedule *out, int threads,
                                     struct tcplan_error *error) {
    struct place *place = base_alloc(((size_t)out->count + 1) * sizeof *place);
    struct block_task *sorted = base_alloc(((size_t)out->count + 1) * sizeof *sorted);
    double *load = base_alloc_zero((size_t)threads, sizeof *load);
    out->first = base_alloc_zero((size_t)threads + 1, sizeof *out->first);
    const bool ok = place && sorted && load && out->first;
    if (ok) {
        for (int64_t n = 0; n < out->count; n++)
            place[n] = (struct place){.seconds = out->task[n].seconds, .task = n};
        assign(place, out->count, load, threads);
        for (int64_t n = 0; n < out->count; n++) {
            sorted[n] = out->task[place[n].task];
            out->first[place[n].thread + 1] = n + 1;
        }
        for (int t = 1; t <= threads; t++)
            if (out->first[t] < out->first[t - 1]) out->first[t] = out->first[t - 1];
        base_free(out->task);
        out->task = sorted;
    } else {
        base_free(sorted);
    }
    base_free(place);
    base_free(load);
    return ok ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status block_schedule_make(struct tcplan_block_plan *plan,
                                       struct block_candidate *candidate,
                                       struct tcplan_error *error) {
    struct block_schedule *out = &candidate->schedule;
    bool ok = true;
    block_schedule_free(out);
    for (int p = 0; p < plan->product->pairs->part_count && ok; p++) {
        const enum part_way way = (enum part_way)candidate->way[p];
        const struct block_task task = {
            .seconds = plan->part_seconds[p][way], .number = p, .way = way};
        if (way != PART_FUSED)
            ok = add_blocks(out, plan, p, way == PART_SUMS);
        else
            ok = plan->fused[p].threads > 1 ? add(&out->together, &out->together_count, task)
                                            : add(&out->task, &out->count, task);
    }
    return ok ? distribute(out, plan->threads, error) : error_no_memory(error);
}

double block_schedule_seconds(const struct tcplan_block_plan *plan,
                              const struct block_schedule *schedule) {
    double together = 0, longest = 0;
    for (int64_t n = 0; n < schedule->together_count; n++)
        together += schedule->together[n].seconds /
                    (schedule->together[n].way == PART_FUSED ? 1 : plan->threads);
    for (int t = 0; t < plan->threads; t++) {
        double load = 0;
        for (int64_t n = schedule->first[t]; n < schedule->first[t + 1]; n++)
            load += schedule->task[n].seconds;
        longest = load > longest ? load : longest;
    }
    return together + longest;
}

/* Running. */

/** State of an execution by all threads. */
struct sharing {
    const struct block_run *run;
    const struct block_schedule *schedule;
    struct outcome {
        enum tcplan_status status;
        struct tcplan_error error;
    } * of; /* the result of each thread */
};

static void run_tasks(void *context, int thread) {
    const struct sharing *sharing = context;
    const struct block_run *run = sharing->run;
    struct tcplan_block_plan *plan = run->plan;
    const struct block_schedule *schedule = sharing->schedule;
    char *workspace =
        plan->workspace ? plan->workspace + plan->workspace_bytes / plan->threads * thread : NULL;
    struct outcome *own = &sharing->of[thread];
    for (int64_t n = schedule->first[thread]; n < schedule->first[thread + 1]; n++) {
        const struct block_task *task = &schedule->task[n];
        if (task->way != PART_FUSED)
            pairwise_run(run, thread, task->number, task->way == PART_SUMS);
        else if (own->status == TCPLAN_OK)
            own->status = fused_run(run, &plan->fused[task->number], workspace, &own->error);
    }
}

enum tcplan_status block_schedule_run(const struct block_run *run,
                                      const struct block_candidate *candidate,
                                      struct tcplan_error *error) {
    const struct block_schedule *schedule = &candidate->schedule;
    struct tcplan_block_plan *plan = run->plan;
    struct outcome *of = base_alloc_zero((size_t)plan->threads, sizeof *of);
    struct sharing sharing = {.run = run, .schedule = schedule, .of = of};
    enum tcplan_status status = of ? TCPLAN_OK : error_no_memory(error);
    for (int64_t n = 0; n < schedule->together_count && status == TCPLAN_OK; n++) {
        const struct block_task *task = &schedule->together[n];
        status = task->way == PART_FUSED
                     ? fused_run(run, &plan->fused[task->number], plan->workspace, error)
                     : pairwise_run_wide(run, task->number, error);
    }
    if (status == TCPLAN_OK) share_run(plan->threads, run_tasks, &sharing, NULL);
    for (int t = 0; of && t < plan->threads && status == TCPLAN_OK; t++) {
        status = of[t].status;
        if (status != TCPLAN_OK && error) *error = of[t].error;
    }
    base_free(of);
    return status;
}

void block_schedule_free(struct block_schedule *schedule) {
    base_free(schedule->task);
    base_free(schedule->first);
    base_free(schedule->together);
    *schedule = (struct block_schedule){0};
}
