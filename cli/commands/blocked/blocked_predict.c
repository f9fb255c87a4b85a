#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/commands/blocked/blocked_plot.h"
#include "cli/output/printed.h"

/** Predictions with their kernels, by algorithm, point and block size, as those of a map. */
struct predicting {
    struct blocked_job job;
    struct tcplan_blocked_map map;
    struct blocked_predicted *of;     /* owned */
    struct tcplan_blocked_rank *rank; /* owned, of each point */
    size_t count;
};

/** Room for all; false where they are too many. */
static bool reserve(struct predicting *out) {
    size_t rows, count, ranks;
    if (!checked_mul_size((size_t)out->map.algorithms, (size_t)out->map.points, &rows) ||
        !checked_mul_size(rows, (size_t)out->map.blocks, &count))
        return false;
    ranks = rows + 1;
    out->count = count;
    out->of = base_alloc_zero(count + 1, sizeof *out->of);
    out->rank = base_alloc_zero(ranks, sizeof *out->rank);
    out->map.prediction = base_alloc_zero(count + 1, sizeof *out->map.prediction);
    return out->of && out->rank && out->map.prediction;
}

static enum exit_status predict_algorithm(struct predicting *out,
                                          const struct tcplan_blocked_predictor *predictor,
                                          int algorithm) {
    struct tcplan_error error;
    size_t place = (size_t)algorithm * (size_t)out->map.points * (size_t)out->map.blocks;
    for (int p = 0; p < out->map.points; p++) {
        for (int b = 0; b < out->map.blocks; b++, place++) {
            struct blocked_predicted *of = &out->of[place];
            of->blocked = out->map.blocked[algorithm];
            of->sizes = out->map.point[p];
            of->sizes.block = out->map.block[b];
            if (tcplan_blocked_predict(&of->prediction, of->kernel, &of->kernels, predictor,
                                       &of->sizes, &error) != TCPLAN_OK)
                return diagnose_error(&error, NULL);
            out->map.prediction[place] = of->prediction;
        }
    }
    return EXIT_DONE;
}

static enum exit_status predict_all(struct predicting *out) {
    enum exit_status status = EXIT_DONE;
    out->map = blocked_job_map(&out->job);
    if (!reserve(out)) return diagnose_no_memory();
    for (int a = 0; a < out->map.algorithms && status == EXIT_DONE; a++) {
        struct tcplan_blocked_predictor *predictor;
        struct tcplan_error error;
        if (tcplan_blocked_predictor_new(&predictor, out->map.blocked[a], out->job.request.models,
                                         &out->job.setup, &error) != TCPLAN_OK)
            return diagnose_error(&error, NULL);
        status = predict_algorithm(out, predictor, a);
        tcplan_blocked_predictor_free(predictor);
    }
    for (int p = 0; p < out->map.points && status == EXIT_DONE; p++)
        tcplan_blocked_rank(out->rank + (size_t)p * (size_t)out->map.algorithms, &out->map, p,
                            TCPLAN_BLOCKED_TIE);
    return status;
}

static void print(struct writer *writer, const struct options *options, const void *content) {
    (void)options;
    blocked_predictions_print(writer, content);
}

static enum exit_status show(struct predicting *out, const struct options *options) {
    const struct blocked_predictions predictions = {
        .view = out->job.view, .count = out->count, .of = out->of};
    const struct blocked_picture picture = {
        .view = &out->job.view, .map = &out->map, .rank = out->rank, .kernels = out->of};
    enum exit_status status = EXIT_DONE;
    if (options->plot) status = blocked_plot(options->plot, &picture);
    if (status != EXIT_DONE || !blocked_job_prints(options)) return status;
    return printed_whole(options, print, &predictions);
}

enum exit_status blocked_predict(const struct options *options) {
    struct predicting out = {.count = 0};
    enum exit_status status = blocked_job_read(&out.job, options, BLOCKED_DEMAND);
    out.map = blocked_job_map(&out.job);
    if (status == EXIT_DONE && options->plot) status = blocked_plot_check(options->plot, &out.map);
    if (status == EXIT_DONE) status = predict_all(&out);
    if (status == EXIT_DONE) status = show(&out, options);
    tcplan_blocked_map_free(&out.map);
    base_free(out.rank);
    base_free(out.of);
    blocked_job_free(&out.job);
    return status;
}
