#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/commands/model/model.h"
#include "cli/commands/model/model_cuts.h"
#include "cli/output/cleanup.h"
#include "cli/output/picture_file.h"
#include "cli/page/curve_plot.h"

/* Places of a cut's line, and samples of it that are enough to leave out others; ends of pieces
 * that are named, and that there is room for. */
enum { LINE_PLACES = 400, ENOUGH_SAMPLES = 8, NAMED_ENDS = 8, ENDS = 256 };

/* Samples are brought to a cut from so far away. */
#define NEAR_FACTOR 1.25

/** What is drawn of a cut. */
struct drawn_cut {
    struct model_cut cut;
    size_t line_count;
    struct curve_place line[LINE_PLACES];
    size_t sample_count;
    struct curve_place *sample; /* as many as there are */
};

struct drawing {
    struct model_cuts_wanted wanted;
    int cuts;
    struct drawn_cut cut[MODEL_CUTS];
    size_t ends;
    struct curve_mark end[ENDS];
};

/* Which cuts. */

/** The size that is not given, or of these the first one. */
static enum exit_status choose_cuts(struct drawing *drawing, const struct model_sizes *sizes) {
    struct model_cuts_wanted *wanted = &drawing->wanted;
    const struct tcplan_model *model = wanted->model;
    struct model_cut cut[MODEL_CUTS];
    int found = 0;
    wanted->along = -1;
    for (int i = 0; i < model->domain.count; i++) {
        wanted->size[i] = model_sizes_value(sizes, model->size_name[i]);
        wanted->given[i] = wanted->size[i] > 0;
        found += wanted->given[i];
        if (!wanted->given[i] && wanted->along < 0) wanted->along = i;
    }
    if (found < sizes->count || wanted->along < 0) {
        diagnose(
            "--sizes has to leave one size of '%.100s' free, and to have no others than its own",
            model->case_text);
        return EXIT_USAGE;
    }
    drawing->cuts = model_cuts_choose(cut, wanted);
    for (int c = 0; c < drawing->cuts; c++) drawing->cut[c].cut = cut[c];
    return drawing->cuts > 0 ? EXIT_DONE : diagnose_no_memory();
}

/* What is drawn. */

/** What the model says on a cut, seconds. */
static double model_seconds(const struct drawing *drawing, const struct model_cut *cut,
                            int64_t along) {
    const struct tcplan_model *model = drawing->wanted.model;
    struct tcplan_model_estimate estimate;
    struct model_cut at = *cut;
    at.size[drawing->wanted.along] = along;
    tcplan_model_evaluate(&estimate, model, at.size);
    return 1e-9 * estimate.ns[model->config.reference];
}

/** Sizes at equal distances of a logarithmic axis, each once. */
static void draw_line(const struct drawing *drawing, struct drawn_cut *cut) {
    const struct tcplan_model_domain *domain = &drawing->wanted.model->domain;
    const double low = (double)domain->low[drawing->wanted.along],
                 high = (double)domain->high[drawing->wanted.along];
    int64_t before = 0;
    for (int p = 0; p < LINE_PLACES; p++) {
        const int64_t along = (int64_t)(low * pow(high / low, (double)p / (LINE_PLACES - 1)) + 0.5);
        if (along == before) continue;
        before = along;
        const double seconds = model_seconds(drawing, &cut->cut, along);
        if (seconds > 0)
            cut->line[cut->line_count++] = (struct curve_place){.x = (double)along, .y = seconds};
    }
}

/** Each from its minimum to its median. */
static void add_sample(const struct drawing *drawing, struct drawn_cut *cut,
                       const struct tcplan_model_sample *sample, double factor) {
    const double seconds = 1e-9 * factor;
    cut->sample[cut->sample_count++] =
        (struct curve_place){.x = (double)sample->size[drawing->wanted.along],
                             .y = seconds * sample->ns[drawing->wanted.model->config.reference],
                             .q1 = seconds * sample->ns[TCPLAN_MODEL_MINIMUM],
                             .q3 = seconds * sample->ns[TCPLAN_MODEL_MEDIAN]};
}

/** Samples near a cut are brought there as the model goes: what they are off by stays. */
static void add_near(const struct drawing *drawing, struct drawn_cut *cut,
                     const struct tcplan_model_sample *sample) {
    const double distance = model_cut_distance(&cut->cut, &drawing->wanted, sample->size);
    if (distance <= 1 || distance > NEAR_FACTOR) return;
    const int64_t along = sample->size[drawing->wanted.along];
    struct model_cut own = {{0}};
    memcpy(own.size, sample->size, sizeof own.size);
    const double there = model_seconds(drawing, &own, along),
                 here = model_seconds(drawing, &cut->cut, along);
    if (!(there > 0) || !(here > 0)) return;
    add_sample(drawing, cut, sample, here / there);
    cut->sample[cut->sample_count - 1].moved = true;
}

/** Those of the cut, and where they are few others that are near. */
static void draw_samples(const struct drawing *drawing, struct drawn_cut *cut) {
    const struct tcplan_model_samples *samples = drawing->wanted.samples;
    const struct tcplan_model_domain *domain = &drawing->wanted.model->domain;
    for (size_t s = 0; s < samples->count; s++) {
        const struct tcplan_model_sample *sample = &samples->sample[s];
        const bool is_on = model_cut_has(&cut->cut, &drawing->wanted, sample) &&
                           tcplan_model_domain_contains(domain, sample->size);
        if (is_on) add_sample(drawing, cut, sample, 1);
    }
    const bool is_enough = cut->sample_count >= ENOUGH_SAMPLES;
    for (size_t s = 0; s < samples->count && !is_enough; s++) {
        if (tcplan_model_domain_contains(domain, samples->sample[s].size))
            add_near(drawing, cut, &samples->sample[s]);
    }
    curve_places_sort(cut->sample, cut->sample_count);
}

static bool has_end(const struct drawing *drawing, int64_t end) {
    for (size_t e = 0; e < drawing->ends; e++) {
        if (drawing->end[e].x == (double)end) return true;
    }
    return false;
}

/** Where pieces end on a cut, those of all cuts together; named where they are few. */
static void draw_ends(struct drawing *drawing, const struct model_cut *cut) {
    const struct tcplan_model *model = drawing->wanted.model;
    const int along = drawing->wanted.along;
    struct model_cut at = *cut;
    at.size[along] = model->domain.low[along];
    while (at.size[along] < model->domain.high[along] && drawing->ends < ENDS) {
        const int64_t end = model->piece[tcplan_model_piece_at(model, at.size)].domain.high[along];
        if (end >= model->domain.high[along]) break;
        at.size[along] = end + 1;
        if (has_end(drawing, end)) continue;
        struct curve_mark *mark = &drawing->end[drawing->ends++];
        *mark = (struct curve_mark){.x = (double)end, .claimed = true};
        snprintf(mark->name, sizeof mark->name, "piece to %" PRId64, end);
    }
}

static void draw_all(struct drawing *drawing) {
    for (int c = 0; c < drawing->cuts; c++) {
        draw_line(drawing, &drawing->cut[c]);
        draw_samples(drawing, &drawing->cut[c]);
        draw_ends(drawing, &drawing->cut[c].cut);
    }
    for (size_t e = 0; e < drawing->ends; e++)
        drawing->end[e].nameless = drawing->ends >= NAMED_ENDS;
}

/* Words. */

/** `n = 512, k = 64`: the sizes that stay on a cut; of a model of one size its name. */
static void name_cut(char *out, size_t size, const struct drawing *drawing,
                     const struct model_cut *cut) {
    const struct tcplan_model *model = drawing->wanted.model;
    size_t length = 0;
    snprintf(out, size, "%s", "model");
    for (int i = 0; i < model->domain.count && length < size; i++) {
        if (i == drawing->wanted.along) continue;
        const int added = snprintf(out + length, size - length, "%s%s = %" PRId64,
                                   length > 0 ? ", " : "", model->size_name[i], cut->size[i]);
        if (added < 0) return;
        length += (size_t)added;
    }
}

static void describe(char *out, size_t size, const struct drawing *drawing) {
    const struct tcplan_model *model = drawing->wanted.model;
    const struct tcplan_model_setup *setup = &model->setup;
    bool is_moved = false, is_sampled = false;
    for (int c = 0; c < drawing->cuts; c++) {
        is_sampled = is_sampled || drawing->cut[c].sample_count > 0;
        for (size_t s = 0; s < drawing->cut[c].sample_count; s++)
            is_moved = is_moved || drawing->cut[c].sample[s].moved;
    }
    snprintf(out, size, "%s, %d thread%s, %s; lines: the model's %s%s%s",
             *setup->version ? setup->version : setup->provider, setup->threads,
             setup->threads == 1 ? "" : "s", tcplan_model_placement_name(setup->placement),
             tcplan_model_statistic_name(model->config.reference),
             is_sampled ? "; marks: samples, and up to their median" : "",
             is_moved ? " (hollow: from near by)" : "");
}

static bool print_picture(FILE *file, const struct drawing *drawing) {
    char subtitle[300];
    struct curve curve[MODEL_CUTS];
    const struct tcplan_model *model = drawing->wanted.model;
    for (int c = 0; c < drawing->cuts; c++) {
        const struct drawn_cut *cut = &drawing->cut[c];
        curve[c] = (struct curve){.form = CURVE_FITTED,
                                  .count = cut->line_count,
                                  .place = cut->line,
                                  .sample_count = cut->sample_count,
                                  .sample = cut->sample};
        name_cut(curve[c].name, sizeof curve[c].name, drawing, &cut->cut);
    }
    describe(subtitle, sizeof subtitle, drawing);
    const struct curve_plot plot = {
        .title = model->case_text,
        .subtitle = subtitle,
        .x = {.title = model->size_name[drawing->wanted.along], .label = plot_label_number},
        .y = {.title = "time of a call", .label = plot_label_seconds},
        .unit = "s",
        .curve_count = (size_t)drawing->cuts,
        .curve = curve,
        .mark_count = drawing->ends,
        .mark = drawing->end};
    return curve_plot_print(file, &plot);
}

static enum exit_status write_picture(const struct options *options,
                                      const struct drawing *drawing) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    return picture_file_end(&out, print_picture(out.file, drawing));
}

static enum exit_status draw(const struct options *options, struct drawing *drawing) {
    bool has_room = true;
    for (int c = 0; c < drawing->cuts; c++) {
        struct drawn_cut *cut = &drawing->cut[c];
        cut->sample = base_alloc((drawing->wanted.samples->count + 1) * sizeof *cut->sample);
        has_room = has_room && cut->sample;
    }
    if (has_room) draw_all(drawing);
    const enum exit_status status =
        has_room ? write_picture(options, drawing) : diagnose_no_memory();
    for (int c = 0; c < drawing->cuts; c++) base_free(drawing->cut[c].sample);
    return status;
}

static enum exit_status plot_chosen(const struct options *options,
                                    const struct chosen_models *chosen,
                                    const struct model_sizes *sizes) {
    struct tcplan_model_samples samples = {0};
    struct tcplan_error error;
    const struct tcplan_model *model = chosen->model[0];
    struct drawing *drawing = base_alloc_zero(1, sizeof *drawing);
    if (!drawing) return diagnose_no_memory();
    const enum tcplan_status found = tcplan_store_samples(&samples, &chosen->kept.store,
                                                          model->case_text, &model->setup, &error);
    if (found != TCPLAN_OK && !options->quiet)
        diagnose("note: no samples are drawn: %s", error.message);
    drawing->wanted = (struct model_cuts_wanted){.model = model, .samples = &samples};
    enum exit_status status = choose_cuts(drawing, sizes);
    if (status == EXIT_DONE) status = draw(options, drawing);
    tcplan_model_samples_free(&samples);
    base_free(drawing);
    return status;
}

static enum exit_status expect_one(const struct chosen_models *chosen) {
    if (chosen->count <= 1) return model_expect_some(chosen);
    diagnose(
        "%zu models answer to this, expected one; the first two are of '%.100s' and '%.100s': say more of the case, provider=, threads= or placement=",
        chosen->count, chosen->model[0]->case_text, chosen->model[1]->case_text);
    return EXIT_REFUSED;
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
