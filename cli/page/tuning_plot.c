#include <inttypes.h>
#include <string.h>

#include "cli/page/pictures.h"
#include "cli/page/plot.h"
#include "cli/render/text/values.h"
#include "tcplan/study/words.h"
#include "tcplan/tuning.h"

/* The left panel has rates, the right one times. */
enum { PANELS = 2, WIDTH = 610, HEIGHT = 380 };

static const char *name_of(struct plot *plot, const struct tcplan_tuned_row *row) {
    return plot_text(plot, "%s%s%s", counted(row->threads, "core").text, *row->level ? ", " : "",
                     row->level);
}

/** Returns the series of a part of the machine, which is added if it is new. */
static int series_of(struct plot *plot, const struct tcplan_tuned_row *row) {
    const char *name = name_of(plot, row);
    for (int s = 0; name && s < plot->series_count; s++) {
        if (strcmp(plot->series[s].name, name) == 0) return s;
    }
    return plot_add_series(
        plot, (struct plot_series){
                  .name = name, .style = plot_style_of((size_t)plot->series_count), .line = true});
}

static const char *configuration_of(struct plot *plot, const struct tcplan_tuned_row *row) {
    return row->elements > 0 ? plot_text(plot, "%" PRId64 " elements, %s, %s%s", row->elements,
                                         counted(row->used_threads, "thread").text,
                                         row->spread ? "spread" : "close",
                                         row->interleaved ? ", interleaved" : "")
                             : plot_text(plot, "m=%" PRId64 ", n=%" PRId64 ", k=%" PRId64, row->m,
                                         row->n, row->k);
}

static void begin(struct plot panel[PANELS], const struct tcplan_tuning *tuning, const char *unit) {
    const char *title = plot_text(panel, "%s: each configuration",
                                  tcplan_word(tcplan_words_tuned, (int)tuning->options.benchmark));
    const char *subtitle = plot_text(
        panel, "order of measurement: %s; %s",
        tcplan_word(tcplan_words_tune_orders, (int)tuning->options.order), tuning->machine.cpu);
    for (int p = 0; p < PANELS; p++) {
        const struct arena arena = panel[p].arena;
        panel[p] = (struct plot){.arena = arena,
                                 .title = title,
                                 .subtitle = subtitle,
                                 .x = {.title = "number of the configuration",
                                       .linear = true,
                                       .label = plot_label_number},
                                 .y = {.title = p == 0 ? unit : "time of the measurement",
                                       .linear = p == 0,
                                       .label = p == 0 ? plot_label_number : plot_label_seconds},
                                 .width = WIDTH,
                                 .height = HEIGHT,
                                 .is_still = true};
    }
}

bool tuning_plot_print(FILE *file, const struct tcplan_tuning *tuning) {
    const bool gemm = tcplan_tuned_is_gemm(tuning->options.benchmark);
    const char *unit = gemm ? "GFLOP/s" : "GB/s";
    struct plot panel[PANELS] = {{0}};
    int number = 0, last = -1;
    begin(panel, tuning, unit);
    for (int r = 0; r < tuning->count; r++) {
        const struct tcplan_tuned_row *row = &tuning->row[r];
        for (int p = 0; p < PANELS; p++) {
            struct plot *plot = &panel[p];
            const int series = series_of(plot, row);
            if (p == 0) number = series == last ? number + 1 : 1;
            last = series;
            if (!row->found) continue;
            const double y = p == 0 ? row->rate : row->seconds;
            plot_add_mark(plot, (struct plot_mark){.series = series,
                                                   .x = number,
                                                   .y = y,
                                                   .tip = plot_text(plot, "%s: %.4g %s",
                                                                    configuration_of(plot, row), y,
                                                                    p == 0 ? unit : "s")});
        }
    }
    return plot_print(file, panel, PANELS);
}
