#include "cli/commands/model/model.h"
#include "cli/output/printed.h"
#include "cli/page/plot.h"

/* With more marks than this, marks are drawn transparently. */
enum { DENSE = 100 };

static const char *tip_of(struct plot *plot, const struct tcplan_studied *row) {
    const struct tcplan_model_config *config = &row->config;
    return plot_text(plot,
                     "overfitting %d, oversampling %d, %s, %d repetitions, %s, %s, %.3g %%, "
                     "width %lld: error %.2f %%, cost %.3g s",
                     config->overfitting, config->oversampling,
                     tcplan_model_grid_name(config->grid), config->repetitions,
                     tcplan_model_statistic_name(config->reference),
                     tcplan_model_measure_name(config->measure), 100 * config->bound,
                     (long long)config->min_width, 100 * row->error, row->cost_seconds);
}

/** Returns the outcome of a configuration: 0 to 2 for chosen, accurate and others. */
static int outcome_of(const struct tcplan_studied *row) {
    return row->chosen ? 0 : row->accurate ? 1 : 2;
}

static void draw(struct plot *plot, const struct tcplan_study *study) {
    static const char *const outcome[] = {"chosen", "accurate", "others"};
    plot->title = "Configurations of the model generator";
    plot->subtitle = plot_text(plot,
                               "%s; accurate: up to 1.5 times the smallest error; chosen: "
                               "also in the cheapest quarter",
                               study->of[0].case_text);
    plot->x = (struct axis){.title = "cost: time of the samples", .label = plot_label_seconds};
    plot->y = (struct axis){.title = "model error", .linear = true, .label = plot_label_share};
    plot->x_unit = "s";
    plot->unit = "";
    plot->dense = study->count > DENSE;
    for (int o = 0; o < 3; o++) {
        size_t count = 0;
        for (size_t r = 0; r < study->count; r++) count += outcome_of(&study->of[r]) == o;
        const int series =
            plot_add_series(plot, (struct plot_series){.name = count > 0 ? outcome[o] : NULL,
                                                       .style = plot_style_of((size_t)o)});
        for (size_t r = 0; r < study->count; r++) {
            const struct tcplan_studied *row = &study->of[r];
            if (outcome_of(row) != o) continue;
            plot_add_mark(plot, (struct plot_mark){.series = series,
                                                   .x = row->cost_seconds,
                                                   .y = row->error,
                                                   .tip = tip_of(plot, row)});
        }
    }
}

enum exit_status study_plot(const struct tcplan_study *study, const char *path) {
    struct plot plot = {0};
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, path);
    if (status != EXIT_DONE) return status;
    draw(&plot, study);
    return picture_file_end(&out, plot_print(out.file, &plot, 1));
}
