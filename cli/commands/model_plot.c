#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cleanup.h"
#include "cli/commands/model.h"
#include "cli/page/curve_plot.h"
#include "cli/picture_file.h"

/** Places of the model's line, at most; and pieces whose ends are named. */
enum { LINE_PLACES = 400, NAMED_PIECES = 8, CURVES = 2 };

/** A cut through the domain: one size runs, the others are as they are. */
struct cut {
    const struct tcplan_model *model;
    const struct tcplan_model_samples *samples;
    int along;
    int64_t size[TCPLAN_MODEL_SIZES];
    struct curve_place *line;
    size_t line_count;
    struct curve_place *sample;
    size_t sample_count;
    struct curve_mark *mark;
    size_t mark_count;
};

/* Which cut. */

static bool is_on_cut(const struct cut *cut, const struct tcplan_model_sample *sample) {
    for (int i = 0; i < cut->model->domain.count; i++) {
        if (i != cut->along && sample->size[i] != cut->size[i]) return false;
    }
    return true;
}

static size_t samples_on(const struct cut *cut) {
    size_t count = 0;
    for (size_t s = 0; s < cut->samples->count; s++) count += is_on_cut(cut, &cut->samples->sample[s]);
    return count;
}

/** Of the cuts through the samples with the given sizes the one with most samples; without samples the one in the middle. */
static void choose_others(struct cut *cut, const bool given[TCPLAN_MODEL_SIZES]) {
    const struct tcplan_model_domain *domain = &cut->model->domain;
    struct cut best = *cut;
    size_t most = 0;
    for (int i = 0; i < domain->count; i++) {
        if (!given[i] && i != cut->along) best.size[i] = domain->low[i] + (domain->high[i] - domain->low[i]) / 2;
    }
    for (size_t s = 0; s < cut->samples->count; s++) {
        struct cut other = best;
        bool good = true;
        for (int i = 0; i < domain->count; i++) {
            const int64_t size = cut->samples->sample[s].size[i];
            if (i == cut->along) continue;
            good = good && (!given[i] || size == cut->size[i]);
            if (!given[i]) other.size[i] = size;
        }
        const size_t count = good ? samples_on(&other) : 0;
        if (count <= most) continue;
        most = count;
        best = other;
    }
    *cut = best;
}

/** The size that is not given, or of these the first one. */
static enum exit_status choose_cut(struct cut *cut, const struct model_sizes *sizes) {
    bool given[TCPLAN_MODEL_SIZES] = {false};
    const struct tcplan_model *model = cut->model;
    int found = 0;
    cut->along = -1;
    for (int i = 0; i < model->domain.count; i++) {
        cut->size[i] = model_sizes_value(sizes, model->size_name[i]);
        given[i] = cut->size[i] > 0;
        found += given[i];
        if (!given[i] && cut->along < 0) cut->along = i;
    }
    if (found < sizes->count || cut->along < 0) {
        diagnose("--sizes has to leave one size of '%.100s' free, and to have no others than its own", model->case_text);
        return EXIT_USAGE;
    }
    choose_others(cut, given);
    return EXIT_DONE;
}

/* What is drawn. */

static int compare_places(const void *a, const void *b) {
    const double x = ((const struct curve_place *)a)->x, y = ((const struct curve_place *)b)->x;
    return (x > y) - (x < y);
}

/** Sizes at equal distances of a logarithmic axis, each once. */
static void draw_line(struct cut *cut) {
    const double low = (double)cut->model->domain.low[cut->along], high = (double)cut->model->domain.high[cut->along];
    int64_t before = 0;
    for (int p = 0; p < LINE_PLACES; p++) {
        struct tcplan_model_estimate estimate;
        int64_t size[TCPLAN_MODEL_SIZES];
        memcpy(size, cut->size, sizeof size);
        size[cut->along] = (int64_t)(low * pow(high / low, (double)p / (LINE_PLACES - 1)) + 0.5);
        if (size[cut->along] == before) continue;
        before = size[cut->along];
        tcplan_model_evaluate(&estimate, cut->model, size);
        const double seconds = 1e-9 * estimate.ns[cut->model->config.reference];
        if (seconds > 0) cut->line[cut->line_count++] = (struct curve_place){.x = (double)before, .y = seconds};
    }
}

/** Each from its minimum to its median. */
static void draw_samples(struct cut *cut) {
    for (size_t s = 0; s < cut->samples->count; s++) {
        const struct tcplan_model_sample *sample = &cut->samples->sample[s];
        if (!is_on_cut(cut, sample) || !tcplan_model_domain_contains(&cut->model->domain, sample->size)) continue;
        cut->sample[cut->sample_count++] = (struct curve_place){.x = (double)sample->size[cut->along],
                                                                .y = 1e-9 * sample->ns[cut->model->config.reference],
                                                                .q1 = 1e-9 * sample->ns[TCPLAN_MODEL_MINIMUM],
                                                                .q3 = 1e-9 * sample->ns[TCPLAN_MODEL_MEDIAN]};
    }
    if (cut->sample_count > 1) qsort(cut->sample, cut->sample_count, sizeof *cut->sample, compare_places);
}

/** Where pieces end on the cut; named where they are few. */
static void draw_ends(struct cut *cut) {
    const struct tcplan_model *model = cut->model;
    int64_t size[TCPLAN_MODEL_SIZES];
    memcpy(size, cut->size, sizeof size);
    size[cut->along] = model->domain.low[cut->along];
    while (size[cut->along] < model->domain.high[cut->along] && cut->mark_count < model->piece_count) {
        const struct tcplan_model_piece *piece = &model->piece[tcplan_model_piece_at(model, size)];
        const int64_t end = piece->domain.high[cut->along];
        if (end >= model->domain.high[cut->along]) break;
        struct curve_mark *mark = &cut->mark[cut->mark_count++];
        *mark = (struct curve_mark){.x = (double)end, .claimed = true};
        snprintf(mark->name, sizeof mark->name, "piece to %" PRId64, end);
        size[cut->along] = end + 1;
    }
    for (size_t m = 0; m < cut->mark_count; m++) cut->mark[m].nameless = cut->mark_count >= NAMED_PIECES;
}

static void describe(char *out, size_t size, const struct cut *cut) {
    const struct tcplan_model_setup *setup = &cut->model->setup;
    int length = snprintf(out, size, "%s, %d thread%s, %s", *setup->version ? setup->version : setup->provider, setup->threads,
                          setup->threads == 1 ? "" : "s", tcplan_model_placement_name(setup->placement));
    for (int i = 0; i < cut->model->domain.count && length > 0 && (size_t)length < size; i++) {
        if (i == cut->along) continue;
        length += snprintf(out + length, size - (size_t)length, "; %s = %" PRId64, cut->model->size_name[i], cut->size[i]);
    }
}

static bool print_picture(FILE *file, const struct cut *cut) {
    char subtitle[300];
    const char *reference = tcplan_model_statistic_name(cut->model->config.reference);
    struct curve curve[CURVES] = {{.form = CURVE_LINE, .count = cut->line_count, .place = cut->line},
                                  {.form = CURVE_MARKS, .count = cut->sample_count, .place = cut->sample}};
    snprintf(curve[0].name, sizeof curve[0].name, "model: %s", reference);
    snprintf(curve[1].name, sizeof curve[1].name, "samples: %s, and up to the median", reference);
    describe(subtitle, sizeof subtitle, cut);
    const struct curve_plot plot = {.title = cut->model->case_text,
                                    .subtitle = subtitle,
                                    .x = {.title = cut->model->size_name[cut->along], .label = plot_label_number},
                                    .y = {.title = "time of a call", .label = plot_label_seconds},
                                    .unit = "s",
                                    .curve_count = cut->sample_count > 0 ? CURVES : CURVES - 1,
                                    .curve = curve,
                                    .mark_count = cut->mark_count,
                                    .mark = cut->mark};
    return curve_plot_print(file, &plot);
}

static enum exit_status write_picture(const struct options *options, const struct cut *cut) {
    struct output_file out = {0};
    struct tcplan_error error;
    if (output_open(&out, options->output, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    return picture_file_end(&out, print_picture(out.file, cut));
}

static enum exit_status draw(const struct options *options, struct cut *cut) {
    cut->line = base_alloc(LINE_PLACES * sizeof *cut->line);
    cut->sample = base_alloc((cut->samples->count + 1) * sizeof *cut->sample);
    cut->mark = base_alloc_zero(cut->model->piece_count + 1, sizeof *cut->mark);
    enum exit_status status = EXIT_DONE;
    if (!cut->line || !cut->sample || !cut->mark) {
        status = diagnose_no_memory();
    } else {
        draw_line(cut);
        draw_samples(cut);
        draw_ends(cut);
        status = write_picture(options, cut);
    }
    base_free(cut->line);
    base_free(cut->sample);
    base_free(cut->mark);
    return status;
}

static enum exit_status plot_chosen(const struct options *options, const struct chosen_models *chosen, const struct model_sizes *sizes) {
    struct cut cut = {.model = chosen->model[0]};
    struct tcplan_model_samples samples = {0};
    struct tcplan_error error;
    const enum tcplan_status found = tcplan_store_samples(&samples, &chosen->kept.store, cut.model->case_text, &cut.model->setup, &error);
    if (found != TCPLAN_OK && !options->quiet) diagnose("note: no samples are drawn: %s", error.message);
    cut.samples = &samples;
    enum exit_status status = choose_cut(&cut, sizes);
    if (status == EXIT_DONE) status = draw(options, &cut);
    tcplan_model_samples_free(&samples);
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
    if (status == EXIT_DONE && options->output) status = picture_file_check("--output", options->output);
    if (status == EXIT_DONE) status = chosen_models_open(&chosen, options, word, count);
    if (status == EXIT_DONE) status = expect_one(&chosen);
    if (status == EXIT_DONE) status = plot_chosen(options, &chosen, &sizes);
    chosen_models_close(&chosen);
    return status;
}
