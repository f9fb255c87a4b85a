#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/model/model.h"
#include "cli/output/printed.h"
#include "cli/page/plot.h"

enum { AXES = 2 };

/* The pieces of a model in a plane of two sizes. The lower ends of all pieces divide each size into
 * intervals. A cell is the product of two intervals, so it lies in a single piece. */
struct pieces {
    const struct tcplan_model *model;
    const struct tcplan_model_samples *samples;
    int axis[AXES];                   /* numbers of the two sizes */
    int64_t size[TCPLAN_MODEL_SIZES]; /* fixed values of the remaining sizes; the elements of the
                                         two varying sizes are unused */
    int64_t *begin[AXES]; /* where each interval begins, and where the last one ends; owned */
    size_t count[AXES];   /* number of intervals */
    double *edge[AXES], *middle[AXES], *error; /* data of the cells; owned */
    struct plot_cells cells;
    struct plot plot;
};

static void pieces_free(struct pieces *pieces) {
    for (int a = 0; a < AXES; a++) {
        base_free(pieces->begin[a]);
        base_free(pieces->edge[a]);
        base_free(pieces->middle[a]);
    }
    base_free(pieces->error);
    plot_free(&pieces->plot);
}

/** Chooses the two varying sizes: those that the user did not give. */
static enum exit_status choose_axes(struct pieces *pieces, const struct model_sizes *sizes) {
    const struct tcplan_model *model = pieces->model;
    int free_sizes = 0, found = 0;
    for (int i = 0; i < model->domain.count; i++) {
        const int64_t given = model_sizes_value(sizes, model->size_name[i]);
        found += given > 0;
        pieces->size[i] = given;
        if (given > 0) continue;
        if (free_sizes < AXES) pieces->axis[free_sizes] = i;
        free_sizes++;
    }
    if (free_sizes == AXES && found == sizes->count) return EXIT_DONE;
    return diagnose_as(EXIT_USAGE, "--figure pieces draws over two sizes, but '%.100s' has %s%s",
                       model->case_text, counted(model->domain.count, "size").text,
                       model->domain.count > AXES ? ": --sizes must fix the others" : "");
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/** Returns whether the plane intersects a piece. */
static bool is_in_plane(const struct pieces *pieces, const struct tcplan_model_domain *domain) {
    for (int i = 0; i < domain->count; i++) {
        if (i == pieces->axis[0] || i == pieces->axis[1]) continue;
        if (pieces->size[i] < domain->low[i] || pieces->size[i] > domain->high[i]) return false;
    }
    return true;
}

/** Divides a size into intervals; false if memory runs out. */
static bool divide(struct pieces *pieces, int axis) {
    const struct tcplan_model *model = pieces->model;
    const int along = pieces->axis[axis];
    size_t all = 0, count = 0;
    int64_t *begin = base_alloc((model->piece_count + 1) * sizeof *begin);
    pieces->begin[axis] = begin;
    if (!begin) return false;
    for (size_t p = 0; p < model->piece_count; p++) {
        if (is_in_plane(pieces, &model->piece[p].domain))
            begin[all++] = model->piece[p].domain.low[along];
    }
    qsort(begin, all, sizeof *begin, compare);
    for (size_t b = 0; b < all; b++) {
        if (count == 0 || begin[b] != begin[count - 1]) begin[count++] = begin[b];
    }
    begin[count] = model->domain.high[along];
    pieces->count[axis] = count;
    pieces->edge[axis] = base_alloc((count + 1) * sizeof(double));
    pieces->middle[axis] = base_alloc((count + 1) * sizeof(double));
    if (!pieces->edge[axis] || !pieces->middle[axis]) return false;
    for (size_t b = 0; b <= count; b++) {
        pieces->edge[axis][b] = (double)begin[b];
        pieces->middle[axis][b] = 0.5 * (double)(begin[b] + begin[b < count ? b + 1 : b]);
    }
    return true;
}

/** Sets each cell to the error of its piece, in per cent; false if memory runs out. */
static bool make_cells(struct pieces *pieces) {
    const size_t columns = pieces->count[0], rows = pieces->count[1];
    pieces->error = base_alloc((columns * rows + 1) * sizeof *pieces->error);
    if (!pieces->error) return false;
    for (size_t cell = 0; cell < columns * rows; cell++) {
        pieces->size[pieces->axis[0]] = (int64_t)pieces->middle[0][cell % columns];
        pieces->size[pieces->axis[1]] = (int64_t)pieces->middle[1][cell / columns];
        const size_t piece = tcplan_model_piece_at(pieces->model, pieces->size);
        pieces->error[cell] = 100 * pieces->model->piece[piece].error;
    }
    pieces->cells = (struct plot_cells){.value = "%, error of the model at samples",
                                        .columns = columns,
                                        .rows = rows,
                                        .at_x = pieces->middle[0],
                                        .at_y = pieces->middle[1],
                                        .edge_x = pieces->edge[0],
                                        .edge_y = pieces->edge[1],
                                        .value_at = pieces->error};
    pieces->plot.cells = &pieces->cells;
    return true;
}

/** Adds the boundary of a piece. */
static void add_boundary(struct pieces *pieces, const struct tcplan_model_domain *domain) {
    const double left = (double)domain->low[pieces->axis[0]],
                 right = (double)domain->high[pieces->axis[0]],
                 bottom = (double)domain->low[pieces->axis[1]],
                 top = (double)domain->high[pieces->axis[1]];
    const double side[][4] = {{left, bottom, right, bottom},
                              {left, top, right, top},
                              {left, bottom, left, top},
                              {right, bottom, right, top}};
    for (size_t s = 0; s < sizeof side / sizeof *side; s++)
        plot_add_guide(&pieces->plot, (struct plot_guide){.class = "piece",
                                                          .x1 = side[s][0],
                                                          .y1 = side[s][1],
                                                          .x2 = side[s][2],
                                                          .y2 = side[s][3]});
}

/** Adds the samples that lie in the plane, coloured by the error of the model. */
static void add_samples(struct pieces *pieces) {
    const struct tcplan_model *model = pieces->model;
    const int series = plot_add_series(
        &pieces->plot, (struct plot_series){.name = "sample", .style = {.shape = PLOT_DOT}});
    for (size_t s = 0; s < pieces->samples->count; s++) {
        const struct tcplan_model_sample *sample = &pieces->samples->sample[s];
        struct tcplan_model_domain point = {.count = model->domain.count};
        struct tcplan_model_estimate estimate;
        memcpy(point.low, sample->size, sizeof point.low);
        memcpy(point.high, sample->size, sizeof point.high);
        if (!is_in_plane(pieces, &point) ||
            !tcplan_model_domain_contains(&model->domain, sample->size))
            continue;
        tcplan_model_evaluate(&estimate, model, sample->size);
        const double measured = sample->ns[model->config.reference],
                     predicted = estimate.ns[model->config.reference];
        struct plot_mark *mark = plot_add_mark(
            &pieces->plot, (struct plot_mark){.series = series,
                                              .x = (double)sample->size[pieces->axis[0]],
                                              .y = (double)sample->size[pieces->axis[1]]});
        if (mark)
            mark->tip = plot_text(&pieces->plot, "sample at %s=%.0f, %s=%.0f: predicted %+.3g %%",
                                  model->size_name[pieces->axis[0]], mark->x,
                                  model->size_name[pieces->axis[1]], mark->y,
                                  100 * (predicted / measured - 1));
    }
}

static const char *describe(struct pieces *pieces) {
    const struct tcplan_model *model = pieces->model;
    const struct tcplan_model_setup *setup = &model->setup;
    const char *fixed = "";
    for (int i = 0; i < model->domain.count; i++) {
        if (i != pieces->axis[0] && i != pieces->axis[1])
            fixed = plot_text(&pieces->plot, "%s%s = %" PRId64 "; ", fixed, model->size_name[i],
                              pieces->size[i]);
    }
    return plot_text(&pieces->plot, "%s%s, %s, %s; marks: samples", fixed,
                     *setup->version ? setup->version : setup->provider,
                     counted(setup->threads, "thread").text,
                     tcplan_model_placement_name(setup->placement));
}

/** Fills the plot; false: out of memory. */
static bool draw(struct pieces *pieces) {
    const struct tcplan_model *model = pieces->model;
    struct plot *plot = &pieces->plot;
    for (int a = 0; a < AXES; a++) {
        if (!divide(pieces, a)) return false;
    }
    if (!make_cells(pieces)) return false;
    plot->title = model->case_text;
    plot->subtitle = describe(pieces);
    plot->x = (struct axis){
        .title = model->size_name[pieces->axis[0]], .linear = true, .label = plot_label_number};
    plot->y = (struct axis){
        .title = model->size_name[pieces->axis[1]], .linear = true, .label = plot_label_number};
    plot->unit = "";
    for (size_t p = 0; p < model->piece_count; p++) {
        if (is_in_plane(pieces, &model->piece[p].domain))
            add_boundary(pieces, &model->piece[p].domain);
    }
    add_samples(pieces);
    return true;
}

enum exit_status model_pieces_plot(const struct options *options, const struct tcplan_model *model,
                                   const struct tcplan_model_samples *samples,
                                   const struct model_sizes *sizes) {
    struct pieces pieces = {.model = model, .samples = samples};
    struct output_file out = {0};
    enum exit_status status = choose_axes(&pieces, sizes);
    if (status == EXIT_DONE) status = output_begin(&out, options->output);
    if (status == EXIT_DONE)
        status = picture_file_end(&out, draw(&pieces) && plot_print(out.file, &pieces.plot, 1));
    pieces_free(&pieces);
    return status;
}
