#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/model/model.h"
#include "cli/commands/model/model_cuts.h"
#include "cli/output/printed.h"
#include "cli/page/plot.h"

/* number of points of a line; with fewer samples on a cut, nearby ones are drawn too; maximum
 * number of labelled ends of pieces; maximum number of ends */
enum { LINE_PLACES = 400, ENOUGH_SAMPLES = 8, NAMED_ENDS = 8, ENDS = 256 };

/* A sample is drawn on a cut if its sizes differ from the cut's by at most this factor. */
#define NEAR_FACTOR 1.25

struct drawing {
    struct model_cuts_wanted wanted;
    int cuts;
    struct model_cut cut[MODEL_CUTS];
    size_t ends;
    int64_t end[ENDS];
    /* whether samples are drawn; whether some of them do not lie exactly on a cut */
    bool is_sampled, is_moved;
    struct plot plot;
};

/* Which cuts. */

/** Chooses cuts along the first size that is not given. */
static enum exit_status choose_cuts(struct drawing *drawing, const struct model_sizes *sizes) {
    struct model_cuts_wanted *wanted = &drawing->wanted;
    const struct tcplan_model *model = wanted->model;
    int found = 0;
    wanted->along = -1;
    for (int i = 0; i < model->domain.count; i++) {
        wanted->size[i] = model_sizes_value(sizes, model->size_name[i]);
        wanted->given[i] = wanted->size[i] > 0;
        found += wanted->given[i];
        if (!wanted->given[i] && wanted->along < 0) wanted->along = i;
    }
    if (found < sizes->count || wanted->along < 0)
        return diagnose_as(EXIT_USAGE,
                           "--sizes must omit one size of '%.100s' and name only its sizes",
                           model->case_text);
    drawing->cuts = model_cuts_choose(drawing->cut, wanted);
    return drawing->cuts > 0 ? EXIT_DONE : diagnose_no_memory();
}

/* Drawing. */

/** Returns the factor from a model's unit to that of the plot: nanoseconds become seconds, counts
 * stay counts. */
static double unit_of(const struct tcplan_model *model) {
    return *model->setup.counter ? 1 : 1e-9;
}

/** Returns the predicted seconds, or count, at a point of a cut. */
static double model_value(const struct drawing *drawing, const struct model_cut *cut,
                          int64_t along) {
    const struct tcplan_model *model = drawing->wanted.model;
    struct tcplan_model_estimate estimate;
    struct model_cut at = *cut;
    at.size[drawing->wanted.along] = along;
    tcplan_model_evaluate(&estimate, model, at.size);
    return unit_of(model) * estimate.ns[model->config.reference];
}

/** Draws the model along a cut, at sizes that are equally spaced on a logarithmic axis. */
static void draw_line(struct drawing *drawing, const struct model_cut *cut, int series) {
    const struct tcplan_model_domain *domain = &drawing->wanted.model->domain;
    const double low = (double)domain->low[drawing->wanted.along],
                 high = (double)domain->high[drawing->wanted.along];
    int64_t before = 0;
    for (int p = 0; p < LINE_PLACES; p++) {
        const int64_t along = (int64_t)(low * pow(high / low, (double)p / (LINE_PLACES - 1)) + 0.5);
        if (along == before) continue;
        before = along;
        const double value = model_value(drawing, cut, along);
        if (value > 0)
            plot_add_mark(
                &drawing->plot,
                (struct plot_mark){.series = series, .x = (double)along, .y = value, .bare = true});
    }
}

/** Adds a mark for a sample, from the minimum to the median of its times. */
static void add_sample(struct drawing *drawing, int series,
                       const struct tcplan_model_sample *sample, double factor, bool is_moved) {
    const double unit = unit_of(drawing->wanted.model) * factor;
    drawing->is_sampled = true;
    drawing->is_moved = drawing->is_moved || is_moved;
    plot_add_place(
        &drawing->plot,
        (struct plot_mark){.series = series,
                           .x = (double)sample->size[drawing->wanted.along],
                           .y = unit * sample->ns[drawing->wanted.model->config.reference],
                           .low = unit * sample->ns[TCPLAN_MODEL_MINIMUM],
                           .high = unit * sample->ns[TCPLAN_MODEL_MEDIAN],
                           .hollow = is_moved,
                           .apart = true});
}

/** Draws samples near a cut as if they were on it. Their times are scaled by the model, which
 * preserves relative errors. */
static void add_near(struct drawing *drawing, const struct model_cut *cut, int series,
                     const struct tcplan_model_sample *sample) {
    const double distance = model_cut_distance(cut, &drawing->wanted, sample->size);
    if (distance <= 1 || distance > NEAR_FACTOR) return;
    const int64_t along = sample->size[drawing->wanted.along];
    struct model_cut own = {{0}};
    memcpy(own.size, sample->size, sizeof own.size);
    const double there = model_value(drawing, &own, along), here = model_value(drawing, cut, along);
    if (there > 0 && here > 0) add_sample(drawing, series, sample, here / there, true);
}

/** Draws the samples on the cut and, if there are few, nearby samples too. */
static void draw_samples(struct drawing *drawing, const struct model_cut *cut, int series) {
    const struct tcplan_model_samples *samples = drawing->wanted.samples;
    const struct tcplan_model_domain *domain = &drawing->wanted.model->domain;
    size_t found = 0;
    for (size_t s = 0; s < samples->count; s++) {
        const struct tcplan_model_sample *sample = &samples->sample[s];
        const bool is_on = model_cut_has(cut, &drawing->wanted, sample) &&
                           tcplan_model_domain_contains(domain, sample->size);
        if (is_on) add_sample(drawing, series, sample, 1, false);
        found += is_on;
    }
    for (size_t s = 0; s < samples->count && found < ENOUGH_SAMPLES; s++) {
        if (tcplan_model_domain_contains(domain, samples->sample[s].size))
            add_near(drawing, cut, series, &samples->sample[s]);
    }
}

static bool has_end(const struct drawing *drawing, int64_t end) {
    for (size_t e = 0; e < drawing->ends; e++) {
        if (drawing->end[e] == end) return true;
    }
    return false;
}

/** Lists the ends of pieces along a cut; an end that several cuts share is listed once. */
static void find_ends(struct drawing *drawing, const struct model_cut *cut) {
    const struct tcplan_model *model = drawing->wanted.model;
    const int along = drawing->wanted.along;
    struct model_cut at = *cut;
    at.size[along] = model->domain.low[along];
    while (at.size[along] < model->domain.high[along] && drawing->ends < ENDS) {
        const int64_t end = model->piece[tcplan_model_piece_at(model, at.size)].domain.high[along];
        if (end >= model->domain.high[along]) break;
        at.size[along] = end + 1;
        if (!has_end(drawing, end)) drawing->end[drawing->ends++] = end;
    }
}

/* Labels. */

/** Returns the fixed sizes of a cut, such as `n = 512, k = 64`, or the name of a model of one size.
 */
static const char *name_of(struct drawing *drawing, const struct model_cut *cut) {
    const struct tcplan_model *model = drawing->wanted.model;
    const char *name = "";
    for (int i = 0; i < model->domain.count; i++) {
        if (i == drawing->wanted.along) continue;
        name = plot_text(&drawing->plot, "%s%s%s = %" PRId64, name, *name ? ", " : "",
                         model->size_name[i], cut->size[i]);
    }
    return *name ? name : "model";
}

static const char *describe(struct drawing *drawing) {
    const struct tcplan_model *model = drawing->wanted.model;
    const struct tcplan_model_setup *setup = &model->setup;
    return plot_text(&drawing->plot, "%s, %s, %s; lines: predicted %s%s%s",
                     *setup->version ? setup->version : setup->provider,
                     counted(setup->threads, "thread").text,
                     tcplan_model_placement_name(setup->placement),
                     tcplan_model_statistic_name(model->config.reference),
                     drawing->is_sampled ? "; marks: samples, from minimum to median" : "",
                     drawing->is_moved ? " (hollow: from nearby sizes)" : "");
}

/** Draws the model, its samples, and the ends of its pieces, which are labelled if there are
 * few. */
static void draw_all(struct drawing *drawing) {
    const struct tcplan_model *model = drawing->wanted.model;
    struct plot *plot = &drawing->plot;
    plot->title = model->case_text;
    plot->x =
        (struct axis){.title = model->size_name[drawing->wanted.along], .label = plot_label_number};
    plot->y = (struct axis){.title = "time of a call", .label = plot_label_seconds};
    plot->unit = "s";
    if (*model->setup.counter) {
        plot->y = (struct axis){.title = plot_text(plot, "%s of a call", model->setup.counter),
                                .label = plot_label_count};
        plot->unit = "";
    }
    for (int c = 0; c < drawing->cuts; c++) {
        const struct model_cut *cut = &drawing->cut[c];
        const int series =
            plot_add_series(plot, (struct plot_series){.name = name_of(drawing, cut),
                                                       .style = plot_style_of((size_t)c),
                                                       .line = true});
        draw_line(drawing, cut, series);
        draw_samples(drawing, cut, series);
        find_ends(drawing, cut);
    }
    for (size_t e = 0; e < drawing->ends; e++)
        plot_add_upright(plot, "roof d2", (double)drawing->end[e],
                         plot_text(plot, "piece to %" PRId64, drawing->end[e]),
                         drawing->ends < NAMED_ENDS);
    plot->subtitle = describe(drawing);
}

static enum exit_status draw(const struct options *options, struct drawing *drawing) {
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, options->output);
    if (status != EXIT_DONE) return status;
    draw_all(drawing);
    return picture_file_end(&out, plot_print(out.file, &drawing->plot, 1));
}

static enum exit_status plot_cuts(const struct options *options, const struct tcplan_model *model,
                                  const struct tcplan_model_samples *samples,
                                  const struct model_sizes *sizes) {
    struct drawing *drawing = base_alloc_zero(1, sizeof *drawing);
    if (!drawing) return diagnose_no_memory();
    drawing->wanted = (struct model_cuts_wanted){.model = model, .samples = samples};
    enum exit_status status = choose_cuts(drawing, sizes);
    if (status == EXIT_DONE) status = draw(options, drawing);
    base_free(drawing);
    return status;
}

static enum exit_status plot_chosen(const struct options *options,
                                    const struct chosen_models *chosen,
                                    const struct model_sizes *sizes) {
    struct tcplan_model_samples samples = {0};
    const struct tcplan_model *model = chosen->model[0];
    const enum tcplan_status found = tcplan_store_samples(
        &samples, &chosen->stored.store, model->case_text, &model->setup, &failure);
    if (found != TCPLAN_OK) note(options, "no samples are drawn: %s", failure.message);
    const enum exit_status status =
        (options->figure == MODEL_BY_PIECES ? model_pieces_plot : plot_cuts)(options, model,
                                                                             &samples, sizes);
    tcplan_model_samples_free(&samples);
    return status;
}

static enum exit_status expect_one(const struct chosen_models *chosen) {
    if (chosen->count <= 1) return model_expect_some(chosen);
    return diagnose_as(
        EXIT_REFUSED,
        "%zu models match, expected one; the first two are of '%.100s' and '%.100s': specify the case, provider=, threads= or placement=",
        chosen->count, chosen->model[0]->case_text, chosen->model[1]->case_text);
}

enum exit_status model_plot(const struct options *options) {
    struct chosen_models chosen = {0};
    struct model_sizes sizes;
    int count;
    const char *const *word = model_words(options, &count);
    enum exit_status status = model_sizes_read(&sizes, options->sizes);
    if (status == EXIT_DONE && options->output)
        status = picture_file_check("--output", options->output);
    if (status == EXIT_DONE) status = chosen_models_open(&chosen, options, word, count);
    if (status == EXIT_DONE) status = expect_one(&chosen);
    if (status == EXIT_DONE) status = plot_chosen(options, &chosen, &sizes);
    chosen_models_close(&chosen);
    return status;
}
