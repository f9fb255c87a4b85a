#include "cli/roofs/points.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/survey.h"

/** Returns how many of a ranking's first entries have a prediction and are placed under the
 * roofs. */
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

/** Returns the 95 % interval of a speed in the unit of the point; zeros if it is unknown. */
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

/** Adds the first entries of a ranking. An entry without operations has no point. */
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

/** The algorithms whose points form lines. */
struct chosen {
    size_t count;
    struct tcplan_algorithm *algorithm;
};

bool trajectories_are_asked(const struct request *request) {
    return request->options->algorithms.count > 0 || request_points(request) > 1;
}

static enum exit_status read_named(struct chosen *chosen, const struct request *request) {
    const struct text_list *names = &request->options->algorithms;
    chosen->algorithm = base_alloc((size_t)names->count * sizeof *chosen->algorithm);
    if (!chosen->algorithm) return diagnose_no_memory();
    for (int n = 0; n < names->count; n++) {
        enum tcplan_status status = tcplan_algorithm_parse(
            &chosen->algorithm[n], request->contraction, (enum tcplan_dtype)request->options->dtype,
            names->text[n], &failure);
        if (status != TCPLAN_OK) return diagnose_failure(names->text[n]);
        for (size_t before = 0; before < chosen->count; before++) {
            if (!tcplan_algorithm_equal(&chosen->algorithm[before], &chosen->algorithm[n]))
                continue;
            return diagnose_as(EXIT_REFUSED, "--algorithm: '%.200s' is given twice",
                               names->text[n]);
        }
        chosen->count++;
    }
    return EXIT_DONE;
}

/** Ranks the algorithms at the last size point, and chooses the fastest ones. */
static enum exit_status rank_last(struct trajectories *out, struct chosen *chosen) {
    struct point_list *last = &out->at[out->size_count - 1];
    enum exit_status status =
        points_make(last, out->request, (int64_t)out->size_count - 1, out->roofline);
    if (status != EXIT_DONE) return status;
    chosen->algorithm = base_alloc((last->count + 1) * sizeof *chosen->algorithm);
    if (!chosen->algorithm) return diagnose_no_memory();
    for (size_t p = 0; p < last->count; p++)
        chosen->algorithm[chosen->count++] = last->point[p].row.nest->algorithm;
    return EXIT_DONE;
}

/** Sets the names of all lines, in the form of table rows; includes algorithms that are applicable
 * at no size. */
static enum exit_status name_all(struct trajectories *out, const struct chosen *chosen) {
    const struct request *request = out->request;
    out->name = base_alloc_zero(chosen->count + 1, sizeof *out->name);
    if (!out->name) return diagnose_no_memory();
    for (; out->count < chosen->count; out->count++) {
        out->name[out->count] =
            tcplan_algorithm_name(&chosen->algorithm[out->count], request->contraction,
                                  (enum tcplan_dtype)request->options->dtype);
        if (!out->name[out->count]) return diagnose_no_memory();
    }
    return EXIT_DONE;
}

static enum exit_status place_size(struct trajectories *out, size_t size,
                                   const struct chosen *chosen) {
    enum exit_status status =
        points_open(&out->at[size], out->request, (int64_t)size, out->roofline, chosen->count);
    for (size_t s = 0; s < chosen->count && status == EXIT_DONE; s++)
        status = points_add_algorithm(&out->at[size], &chosen->algorithm[s], s);
    return status;
}

static enum exit_status fill(struct trajectories *out, struct chosen *chosen) {
    const bool named = out->request->options->algorithms.count > 0;
    enum exit_status status = named ? read_named(chosen, out->request) : rank_last(out, chosen);
    if (status == EXIT_DONE) status = name_all(out, chosen);
    const size_t open = named ? out->size_count : out->size_count - 1;
    for (size_t size = 0; size < open && status == EXIT_DONE; size++)
        status = place_size(out, size, chosen);
    return status;
}

enum exit_status trajectories_make(struct trajectories *out, const struct request *request,
                                   const struct tcplan_roofline *roofline) {
    struct chosen chosen = {0};
    *out = (struct trajectories){.request = request, .roofline = roofline};
    if (request_points(request) > TRAJECTORIES_MAX_SIZES)
        return diagnose_as(EXIT_REFUSED, "expected at most %d sizes, found a sweep of %lld points",
                           TRAJECTORIES_MAX_SIZES, (long long)request_points(request));
    out->size_count = (size_t)request_points(request);
    out->at = base_alloc_zero(out->size_count, sizeof *out->at);
    if (!out->at) return diagnose_no_memory();
    const enum exit_status status = fill(out, &chosen);
    base_free(chosen.algorithm);
    return status;
}

void trajectories_free(struct trajectories *trajectories) {
    for (size_t size = 0; trajectories->at && size < trajectories->size_count; size++)
        points_free(&trajectories->at[size]);
    for (size_t s = 0; s < trajectories->count; s++) free(trajectories->name[s]);
    base_free(trajectories->at);
    base_free(trajectories->name);
    *trajectories = (struct trajectories){0};
}

const struct listed_point *trajectories_point(const struct trajectories *trajectories,
                                              size_t series, size_t size) {
    assert(size < trajectories->size_count);
    const struct point_list *points = &trajectories->at[size];
    for (size_t p = 0; p < points->count; p++) {
        if (points->point[p].series == series) return &points->point[p];
    }
    return NULL;
}
