#include "base/alloc.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/output/printed.h"

/** A job, with predictions of the shares of kernels in the order of the map. */
struct predicting {
    struct blocked_job job;
    struct blocked_predicted *of; /* owned */
};

static enum exit_status prepare(void *own) {
    struct blocked_job *job = own;
    const enum exit_status status = blocked_job_demand(job);
    return status == EXIT_DONE ? blocked_plot_check(job) : status;
}

static enum exit_status predict_algorithm(struct predicting *own,
                                          const struct tcplan_blocked_predictor *predictor,
                                          int algorithm) {
    struct tcplan_blocked_map *map = &own->job.map;
    size_t place = blocked_job_place(&own->job, algorithm, 0, 0);
    for (int p = 0; p < map->points; p++) {
        for (int b = 0; b < map->blocks; b++, place++) {
            struct blocked_predicted *of = &own->of[place];
            of->blocked = map->blocked[algorithm];
            of->sizes = map->point[p];
            of->sizes.block = map->block[b];
            if (tcplan_blocked_predict(&of->prediction, of->kernel, &of->kernels, predictor,
                                       &of->sizes, &failure) != TCPLAN_OK)
                return diagnose_failure(NULL);
            map->prediction[place] = of->prediction;
        }
    }
    return EXIT_DONE;
}

static enum exit_status run(void *record) {
    struct predicting *own = record;
    struct blocked_job *job = &own->job;
    enum exit_status status = blocked_job_reserve(job, true);
    own->of = base_alloc_zero(job->count + 1, sizeof *own->of);
    if (!own->of) return diagnose_no_memory();
    for (int a = 0; a < job->map.algorithms && status == EXIT_DONE; a++) {
        struct tcplan_blocked_predictor *predictor;
        if (tcplan_blocked_predictor_new(&predictor, job->map.blocked[a], job->request.models,
                                         &job->setup, &failure) != TCPLAN_OK)
            return diagnose_failure(NULL);
        if (job->map.extrapolates) tcplan_blocked_predictor_extrapolate(predictor);
        status = predict_algorithm(own, predictor, a);
        tcplan_blocked_predictor_free(predictor);
    }
    if (status == EXIT_DONE) blocked_job_rank(job, TCPLAN_BLOCKED_TIE);
    return status;
}

static enum exit_status show(void *record) {
    const struct predicting *own = record;
    const struct blocked_job *job = &own->job;
    const struct blocked_predictions predictions = {&job->head, job->count, own->of};
    const enum exit_status status =
        blocked_plot(&(struct blocked_picture){.job = job, .kernels = own->of});
    if (status != EXIT_DONE || !blocked_job_prints(job->options)) return status;
    return printed_view(job->options, &blocked_predict_view, &predictions);
}

static void release(void *own) {
    base_free(((struct predicting *)own)->of);
}

const struct blocked_work blocked_predict_work = {.size = sizeof(struct predicting),
                                                  .prepare = prepare,
                                                  .run = run,
                                                  .show = show,
                                                  .release = release};
