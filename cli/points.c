#include "cli/points.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/survey.h"

/** The entries at the front that have a prediction, as many as --top lets through. */
static size_t listed_count(const struct tcplan_ranking *ranking, const struct options *options) {
    size_t count = 0;
    while (count < ranking->entry_count && ranking->entry[count].predicted) count++;
    return options->top > 0 && (uint64_t)options->top < count ? (size_t)options->top : count;
}

/** A survey_step. */
static enum tcplan_status measure(struct tcplan_ranking *ranking, const struct request *request, const struct tcplan_rank_options *options,
                                  struct tcplan_error *error) {
    if (!request->options->measure) return TCPLAN_OK;
    return tcplan_ranking_measure(ranking, 0, listed_count(ranking, request->options), options, error);
}

static enum tcplan_status model_traffic(struct tcplan_traffic *out, const struct point_list *points,
                                        const struct tcplan_algorithm *algorithm, struct tcplan_error *error) {
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status = tcplan_nest_build(&nest, points->problem.contraction, algorithm, error);
    if (status != TCPLAN_OK) return status;
    status = tcplan_traffic_model(out, nest, &points->problem, &points->roofline->machine, points->request->options->seed, error);
    tcplan_nest_free(nest);
    return status;
}

static enum tcplan_status place(struct listed_point *out, const struct point_list *points, const struct tcplan_entry *entry,
                                struct tcplan_error *error) {
    enum tcplan_status status = model_traffic(&out->traffic, points, &entry->algorithm, error);
    if (status != TCPLAN_OK) return status;
    struct tcplan_point_subject subject = {.flops = points->problem.flops,
                                           .dtype = points->problem.dtype,
                                           .traffic = out->traffic,
                                           .threads = points->request->options->threads,
                                           .fused = !points->request->options->no_fma,
                                           .seconds = entry->prediction.seconds,
                                           .origin = TCPLAN_ORIGIN_PREDICTED};
    out->predicted = tcplan_point_make(points->roofline, &subject);
    if (entry->status != TCPLAN_ENTRY_MEASURED) return TCPLAN_OK;
    out->measured_too = true;
    subject.seconds = entry->measured.seconds;
    subject.origin = TCPLAN_ORIGIN_MEASURED;
    out->measured = tcplan_point_make(points->roofline, &subject);
    return TCPLAN_OK;
}

static enum exit_status place_all(struct point_list *points, const struct tcplan_ranking *ranking) {
    const bool has_points = !tcplan_problem_only_scales(&points->problem); /* without operations there is no place under a roof */
    const size_t count = has_points ? listed_count(ranking, points->request->options) : 0;
    struct tcplan_error error;
    points->point = base_alloc_zero(count + 1, sizeof *points->point);
    if (!points->point) return diagnose_no_memory();
    for (; points->count < count; points->count++) {
        struct listed_point *point = &points->point[points->count];
        const struct tcplan_entry *entry = &ranking->entry[points->count];
        if (place(point, points, entry, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
        if (!row_make(&point->row, &entry->algorithm, points->problem.contraction, points->problem.dtype)) return diagnose_no_memory();
    }
    return EXIT_DONE;
}

enum exit_status points_make(struct point_list *out, const struct request *request, const struct tcplan_roofline *roofline) {
    struct tcplan_ranking *ranking = NULL;
    *out = (struct point_list){.request = request, .roofline = roofline, .problem = request_problem(request, 0)};
    enum exit_status status = survey_rank(&ranking, request, 0, measure);
    if (status != EXIT_DONE) return status;
    out->pruned_count = ranking->pruned_count;
    status = place_all(out, ranking);
    tcplan_ranking_free(ranking);
    return status;
}

void points_free(struct point_list *points) {
    for (size_t p = 0; p < points->count; p++) row_free(&points->point[p].row);
    free(points->point);
    *points = (struct point_list){0};
}
