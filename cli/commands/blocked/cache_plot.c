#include "cli/commands/blocked/cache_plot.h"

#include <math.h>

#include "cli/output/printed.h"
#include "cli/page/plot.h"

/* Plots with more marks than this draw the marks transparently. */
enum { DENSE = 400 };

/** State of drawing a study. */
struct drawing {
    const struct cache_picture *picture;
    struct plot plot;
};

/** Returns the stage whose errors the figure shows. */
static enum tcplan_cache_stage stage_of(int figure) {
    return figure < CACHE_STAGE ? TCPLAN_CACHE_SMOOTHED
                                : (enum tcplan_cache_stage)(figure - CACHE_STAGE);
}

/** Returns the mark of call number `place`, counted from 0. */
static struct plot_mark mark_of(const struct drawing *drawing, int64_t place) {
    const struct tcplan_blocked_cache_call *call = &drawing->picture->study->call[place];
    const int figure = drawing->picture->figure;
    const double estimate = call->estimate[stage_of(figure)];
    struct plot_mark mark = {.x = (double)place + 1, .y = call->seconds, .hollow = !call->counts};
    if (figure == CACHE_SCATTER) mark.x = estimate;
    if (figure >= CACHE_STAGE)
        mark.y = call->seconds > 0 ? 100 * (estimate / call->seconds - 1) : 0;
    return mark;
}

static const char *tip_of(struct drawing *drawing, int64_t place) {
    const struct tcplan_blocked_cache *study = drawing->picture->study;
    const struct tcplan_blocked_cache_call *call = &study->call[place];
    const enum tcplan_cache_stage stage = stage_of(drawing->picture->figure);
    return plot_text(&drawing->plot, "call %lld, %s: measured %s, %s %s", (long long)place + 1,
                     study->kernel[call->kernel].name, quantity_seconds(call->seconds).text,
                     tcplan_cache_stage_name(stage), quantity_seconds(call->estimate[stage]).text);
}

/** Adds a series for each kernel, with a mark for each call. */
static void add_calls(struct drawing *drawing) {
    const struct tcplan_blocked_cache *study = drawing->picture->study;
    struct plot *plot = &drawing->plot;
    const int figure = drawing->picture->figure;
    for (int k = 0; k < study->kernel_count; k++) {
        const struct tcplan_blocked_cache_kernel *kernel = &study->kernel[k];
        struct plot_series series = {.name = kernel->name, .style = plot_style_of((size_t)k)};
        series.style.hollow = !kernel->counts;
        if (figure >= CACHE_STAGE)
            series.name =
                plot_text(plot, "%s, %.1f %%", kernel->name, 100 * kernel->error[stage_of(figure)]);
        plot_add_series(plot, series);
    }
    for (int64_t c = 0; c < study->count; c++) {
        struct plot_mark mark = mark_of(drawing, c);
        mark.series = study->call[c].kernel;
        struct plot_mark *added = plot_add_mark(plot, mark);
        if (added) added->tip = tip_of(drawing, c);
    }
}

/** Sets the range of errors to the errors of the calls that count. Copies do not count, because
 * their errors may reach 1000 %. */
static void set_errors(struct drawing *drawing) {
    const struct tcplan_blocked_cache *study = drawing->picture->study;
    struct tcplan_span span = {0, 1};
    for (int64_t c = 0; c < study->count; c++) {
        if (!study->call[c].counts) continue;
        span.low = fmin(span.low, mark_of(drawing, c).y);
        span.high = fmax(span.high, mark_of(drawing, c).y);
    }
    drawing->plot.y = (struct axis){.title = "estimated minus measured, % of measured",
                                    .linear = true,
                                    .is_signed = true,
                                    .span = span,
                                    .label = plot_label_number};
    plot_add_guide(&drawing->plot, (struct plot_guide){.class = "guide", .x2 = INT32_MAX});
}

static void draw(struct drawing *drawing) {
    const struct cache_picture *picture = drawing->picture;
    const struct tcplan_blocked_cache *study = picture->study;
    const char *stage = tcplan_cache_stage_name(stage_of(picture->figure));
    struct plot *plot = &drawing->plot;
    plot->unit = "";
    plot->dense = study->count > DENSE;
    plot->x =
        (struct axis){.title = "number of the call", .linear = true, .label = plot_label_number};
    plot->y = (struct axis){.title = "time in the algorithm", .label = plot_label_seconds};
    const char *what = "time of each call";
    if (picture->figure == CACHE_SCATTER) {
        what = plot_text(plot, "measured over estimated time of each call, stage '%s'", stage);
        plot->x = (struct axis){.title = "estimated time", .label = plot_label_seconds};
        plot_add_guide(plot, (struct plot_guide){.class = "guide",
                                                 .x1 = 1e-12,
                                                 .y1 = 1e-12,
                                                 .x2 = 1e6,
                                                 .y2 = 1e6,
                                                 .label = "exact",
                                                 .from_end = true});
    } else if (picture->figure >= CACHE_STAGE) {
        what = plot_text(plot, "error of each call, stage '%s'", stage);
        set_errors(drawing);
    }
    plot->title = plot_text(plot, "%s: %s", picture->name, what);
    plot->subtitle = plot_text(plot, "%s; mean error %.1f %%, total %+.1f %%; %.60s, %s",
                               picture->sizes, 100 * study->error[stage_of(picture->figure)],
                               100 * study->total[stage_of(picture->figure)], picture->library,
                               counted(picture->threads, "thread").text);
    add_calls(drawing);
}

enum exit_status cache_plot(const struct cache_picture *picture, const char *path) {
    struct drawing drawing = {.picture = picture};
    struct output_file out = {0};
    const enum exit_status status = output_begin(&out, path);
    if (status != EXIT_DONE) return status;
    draw(&drawing);
    return picture_file_end(&out, plot_print(out.file, &drawing.plot, 1));
}
