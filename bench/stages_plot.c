#include <stdio.h>
#include <stdlib.h>

#include "bench/stages.h"
#include "cli/page/pictures.h"

/** Curves of all measured algorithms. `seconds` has the arrays of the curves, one after the other.
 */
struct curves {
    size_t points, count;
    struct tcplan_problem *problem;
    struct sizes_curve *curve;
    char **name; /* names of the curves */
    double *seconds;
};

static void *reserve(size_t count, size_t size) {
    void *room = calloc(count + 1, size);
    if (!room) exit(3);
    return room;
}

/** Adds the times of the algorithm in a row of all points. */
static void add_curve(struct curves *curves, const struct stages_point *point, size_t row,
                      int stage) {
    double *predicted = curves->seconds + 2 * curves->points * curves->count,
           *measured = predicted + curves->points;
    const struct tcplan_algorithm *algorithm = &point->row[row].algorithm;
    for (size_t p = 0; p < curves->points; p++) {
        predicted[p] = point[p].row[row].predicted[stage];
        measured[p] = point[p].row[row].measured;
    }
    char *name = tcplan_algorithm_name(algorithm, point->problem.contraction, point->problem.dtype);
    if (!name) exit(3);
    curves->name[curves->count] = name;
    curves->curve[curves->count++] = (struct sizes_curve){
        .name = name, .kernel = algorithm->kernel, .predicted = predicted, .measured = measured};
}

bool stages_plot(const char *path, const struct stages_point *point, size_t points, int stage,
                 const char *stage_name) {
    struct curves curves = {.points = points};
    curves.problem = reserve(points, sizeof *curves.problem);
    curves.curve = reserve(point->count, sizeof *curves.curve);
    curves.name = reserve(point->count, sizeof *curves.name);
    curves.seconds = reserve(2 * points * point->count, sizeof *curves.seconds);
    for (size_t p = 0; p < points; p++) curves.problem[p] = point[p].problem;
    for (size_t r = 0; r < point->count; r++) {
        if (point->row[r].measured > 0) add_curve(&curves, point, r, stage);
    }
    FILE *file = fopen(path, "w");
    bool drawn = file && sizes_plot_print(file, &(struct sizes_plot){.subtitle = "one thread",
                                                                     .predictor = stage_name,
                                                                     .points = points,
                                                                     .problem = curves.problem,
                                                                     .count = curves.count,
                                                                     .curve = curves.curve});
    if (file && fclose(file) != 0) drawn = false;
    if (!drawn) fprintf(stderr, "bench_stages: cannot draw '%s'\n", path);
    for (size_t c = 0; c < curves.count; c++) free(curves.name[c]);
    free(curves.problem);
    free(curves.curve);
    free(curves.name);
    free(curves.seconds);
    return drawn;
}
