#include "cli/roofs/trajectories.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/survey.h"

/** The algorithms of the series. */
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
            diagnose("--algorithm: '%.200s' is given twice", names->text[n]);
            return EXIT_REFUSED;
        }
        chosen->count++;
    }
    return EXIT_DONE;
}

/** Ranks the last size, and chooses its first algorithms. */
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

/** Names all series as rows do, including algorithms that cannot run at any size. */
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
    if (request_points(request) > TRAJECTORIES_MAX_SIZES) {
        diagnose("expected at most %d sizes, found a sweep of %lld", TRAJECTORIES_MAX_SIZES,
                 (long long)request_points(request));
        return EXIT_REFUSED;
    }
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
