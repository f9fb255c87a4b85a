#include "cli/roofs/points.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/survey.h"

/** Counts the leading entries with a prediction, up to the number to place. */
static size_t listed_count(const struct tcplan_ranking *ranking, const struct request *request) {
    const int64_t most = request->options->top > 0 ? request->options->top
                         : request_points(request) > 1 && !request->options->all ? POINTS_OF_SWEEP
                                                                                 : INT64_MAX;
    size_t count = 0;
    while (count < ranking->entry_count && ranking->entry[count].predicted &&
           count < (uint64_t)most)
        count++;
    return count;
}

/** A survey_step. */
static enum tcplan_status measure(struct tcplan_ranking *ranking, const struct request *request,
                                  const struct tcplan_rank_options *options) {
    if (!request->options->measure) return TCPLAN_OK;
    return tcplan_ranking_measure(ranking, 0, listed_count(ranking, request), options, &failure);
}

static enum tcplan_status model_traffic(struct tcplan_traffic *out, const struct point_list *points,
                                        const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status =
        tcplan_nest_build(&nest, points->problem.contraction, algorithm, &failure);
    if (status != TCPLAN_OK) return status;
    status = tcplan_traffic_model(out, nest, &points->problem, &points->roofline->machine,
                                  points->request->options->seed, &failure);
    tcplan_nest_free(nest);
    return status;
}

/** Speeds in the unit of the point. */
static struct tcplan_span speeds(const struct tcplan_point *point,
                                 const struct tcplan_estimate *estimate) {
    const bool known = estimate->low > 0 && estimate->high > 0;
    const double work = point->gflops * estimate->seconds;
    return known ? (struct tcplan_span){work / estimate->high, work / estimate->low}
                 : (struct tcplan_span){0};
}

static enum tcplan_status place(struct listed_point *out, const struct point_list *points,
                                const struct tcplan_entry *entry) {
    enum tcplan_status status = model_traffic(&out->traffic, points, &entry->algorithm);
    if (status != TCPLAN_OK) return status;
    struct tcplan_point_subject subject = {
        .flops = points->problem.flops,
        .dtype = points->problem.dtype,
        .traffic = out->traffic,
        .threads = points->request->options->threads,
        .fused = !points->request->options->no_fma,
        .seconds = entry->prediction.seconds,
        .origin = TCPLAN_ORIGIN_PREDICTED,
        .direction = (enum tcplan_direction)points->request->options->traffic};
    out->predicted = tcplan_point_make(points->roofline, &subject);
    out->predicted_gflops = speeds(&out->predicted, &entry->prediction);
    if (entry->status != TCPLAN_ENTRY_MEASURED) return TCPLAN_OK;
    out->measured_too = true;
    subject.seconds = entry->measured.seconds;
    subject.origin = TCPLAN_ORIGIN_MEASURED;
    out->measured = tcplan_point_make(points->roofline, &subject);
    out->measured_gflops = speeds(&out->measured, &entry->measured);
    return TCPLAN_OK;
}

static enum exit_status add(struct point_list *points, const struct tcplan_entry *entry,
                            size_t series) {
    struct listed_point *point = &points->point[points->count];
    point->series = series;
    if (place(point, points, entry) != TCPLAN_OK) return diagnose_failure(NULL);
    if (!row_make(&point->row, &entry->algorithm, points->problem.contraction,
                  points->problem.dtype))
        return diagnose_no_memory();
    points->count++;
    return EXIT_DONE;
}

enum exit_status points_open(struct point_list *out, const struct request *request, int64_t size,
                             const struct tcplan_roofline *roofline, size_t capacity) {
    *out = (struct point_list){.request = request,
                               .roofline = roofline,
                               .problem = request_problem(request, size),
                               .size = size};
    out->point = base_alloc_zero(capacity + 1, sizeof *out->point);
    return out->point ? EXIT_DONE : diagnose_no_memory();
}

/** Adds the first entries of a ranking; entries without operations have no point. */
static enum exit_status add_listed(struct point_list *points, const struct tcplan_ranking *ranking,
                                   size_t first_series) {
    const size_t count =
        tcplan_problem_only_scales(&points->problem) ? 0 : listed_count(ranking, points->request);
    enum exit_status status = EXIT_DONE;
    for (size_t e = 0; e < count && status == EXIT_DONE; e++)
        status = add(points, &ranking->entry[e], first_series + e);
    return status;
}

enum exit_status points_make(struct point_list *out, const struct request *request, int64_t size,
                             const struct tcplan_roofline *roofline) {
    struct tcplan_ranking *ranking = NULL;
    *out = (struct point_list){0};
    enum exit_status status = survey_rank(&ranking, request, size, measure);
    if (status != EXIT_DONE) return status;
    status = points_open(out, request, size, roofline, listed_count(ranking, request));
    out->pruned_count = ranking->pruned_count;
    if (status == EXIT_DONE) status = add_listed(out, ranking, 0);
    tcplan_ranking_free(ranking);
    return status;
}

enum exit_status points_add_algorithm(struct point_list *points,
                                      const struct tcplan_algorithm *algorithm, size_t series) {
    struct tcplan_ranking *ranking = NULL;
    enum exit_status status =
        survey_rank_algorithm(&ranking, points->request, points->size, algorithm, measure);
    if (status == EXIT_DONE && ranking) status = add_listed(points, ranking, series);
    tcplan_ranking_free(ranking);
    return status;
}

void points_free(struct point_list *points) {
    for (size_t p = 0; p < points->count; p++) row_free(&points->point[p].row);
    free(points->point);
    *points = (struct point_list){0};
}
