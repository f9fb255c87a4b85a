#include "cli/page/samples_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/page/markup.h"
#include "cli/page/picture.h"

enum {
    WIDTH = 960,
    ROWS_LEFT = 220,
    ROW_HEIGHT = 30,
    TEXT = 240,
    MARKED_POINTS = 40,
    SMALL_MARK = 7,
    KEYS = TCPLAN_SELECTORS_MAX + 4
};

static const double band_opacity[] = {0.13, 0.2}; /* from min to max, and a deviation around avg */

struct canvas {
    const struct tcplan_evaluation *evaluation;
    unsigned statistics;
    struct plot area;
    struct picture_key key[KEYS];
    size_t keys;
    char subtitle[TEXT];
};

static bool shows(const struct canvas *canvas, enum tcplan_statistic statistic) {
    return canvas->statistics & 1U << statistic;
}

static bool shows_band(const struct canvas *canvas) {
    return shows(canvas, TCPLAN_STATISTIC_MIN) && shows(canvas, TCPLAN_STATISTIC_MAX);
}

static const struct tcplan_figure *figure_at(const struct canvas *canvas, size_t point,
                                             int selector) {
    return &canvas->evaluation
                ->figure[point * (size_t)canvas->evaluation->selector_count + (size_t)selector];
}

/** The dash of a line, or -1 where the statistic is none. */
static int dash_of(const struct canvas *canvas, enum tcplan_statistic statistic) {
    const bool drawn = shows(canvas, statistic);
    switch (statistic) {
    case TCPLAN_STATISTIC_MEDIAN: return drawn ? 0 : -1;
    case TCPLAN_STATISTIC_MEAN:
        if (!drawn && !shows(canvas, TCPLAN_STATISTIC_DEVIATION)) return -1;
        return shows(canvas, TCPLAN_STATISTIC_MEDIAN) ? 1 : 0;
    case TCPLAN_STATISTIC_MIN:
    case TCPLAN_STATISTIC_MAX: return drawn && !shows_band(canvas) ? 2 : -1;
    case TCPLAN_STATISTIC_DEVIATION:
    case TCPLAN_STATISTICS: break;
    }
    return -1;
}

/* What is seen of a figure. */

static void widen(struct canvas *canvas, double value) {
    struct tcplan_span *span =
        canvas->evaluation->variable ? &canvas->area.y.span : &canvas->area.x.span;
    if (value > span->high) span->high = value;
}

static void widen_by_figure(struct canvas *canvas, const struct tcplan_figure *figure) {
    const double *statistic = figure->statistic;
    if (figure->count == 0) return;
    for (int s = 0; s < TCPLAN_STATISTICS; s++) {
        if (dash_of(canvas, (enum tcplan_statistic)s) >= 0) widen(canvas, statistic[s]);
    }
    if (shows_band(canvas) || (canvas->statistics & SAMPLES_ALL))
        widen(canvas, statistic[TCPLAN_STATISTIC_MAX]);
    if (shows(canvas, TCPLAN_STATISTIC_DEVIATION))
        widen(canvas, statistic[TCPLAN_STATISTIC_MEAN] + statistic[TCPLAN_STATISTIC_DEVIATION]);
}

static void set_spans(struct canvas *canvas) {
    const struct tcplan_evaluation *evaluation = canvas->evaluation;
    for (size_t p = 0; p < evaluation->point_count; p++) {
        for (int s = 0; s < evaluation->selector_count; s++)
            widen_by_figure(canvas, figure_at(canvas, p, s));
        if (evaluation->variable && (double)evaluation->point[p] > canvas->area.x.span.high)
            canvas->area.x.span.high = (double)evaluation->point[p];
    }
}

static double shown_factor(const struct tcplan_evaluation *evaluation) {
    return strcmp(evaluation->unit, "%") == 0 ? 100 : 1;
}

static void tell(const struct canvas *canvas, char *out, size_t size, size_t point, int selector) {
    const struct tcplan_evaluation *evaluation = canvas->evaluation;
    const double *statistic = figure_at(canvas, point, selector)->statistic,
                 factor = shown_factor(evaluation);
    char at[80] = "";
    if (evaluation->variable)
        snprintf(at, sizeof at, " at %.32s=%" PRId64, evaluation->variable,
                 evaluation->point[point]);
    snprintf(out, size, "%.80s%s: median %.4g %s (%.4g to %.4g)", evaluation->selector[selector],
             at, factor * statistic[TCPLAN_STATISTIC_MEDIAN], evaluation->unit,
             factor * statistic[TCPLAN_STATISTIC_MIN], factor * statistic[TCPLAN_STATISTIC_MAX]);
}

/* Lines over a range. */

/** The ends of a band at a point. */
static void band_at(const struct tcplan_figure *figure, bool deviation, double *low, double *high) {
    const double *s = figure->statistic;
    *low = deviation ? fmax(0, s[TCPLAN_STATISTIC_MEAN] - s[TCPLAN_STATISTIC_DEVIATION])
                     : s[TCPLAN_STATISTIC_MIN];
    *high = deviation ? s[TCPLAN_STATISTIC_MEAN] + s[TCPLAN_STATISTIC_DEVIATION]
                      : s[TCPLAN_STATISTIC_MAX];
}

static void write_corner(const struct canvas *canvas, size_t point, int selector, bool deviation,
                         bool upper) {
    double low, high;
    band_at(figure_at(canvas, point, selector), deviation, &low, &high);
    fprintf(canvas->area.file, "%.1f,%.1f ",
            plot_across(&canvas->area, (double)canvas->evaluation->point[point]),
            plot_down(&canvas->area, upper ? high : low));
}

/** The band over points `first` to in front of `end`, all of which have samples. */
static void write_band(const struct canvas *canvas, size_t first, size_t end, int selector,
                       bool deviation) {
    fprintf(canvas->area.file,
            "<polygon class=\"c%d\" fill=\"currentColor\" fill-opacity=\"%g\" points=\"",
            selector % PLOT_SERIES, band_opacity[deviation]);
    for (size_t p = first; p < end; p++) write_corner(canvas, p, selector, deviation, true);
    for (size_t p = end; p > first; p--) write_corner(canvas, p - 1, selector, deviation, false);
    fputs("\"/>\n", canvas->area.file);
}

/** Where points have no samples a band ends. */
static void draw_band(const struct canvas *canvas, int selector, bool deviation) {
    const size_t count = canvas->evaluation->point_count;
    for (size_t first = 0; first < count;) {
        size_t end = first;
        while (end < count && figure_at(canvas, end, selector)->count > 0) end++;
        if (end > first + 1) write_band(canvas, first, end, selector, deviation);
        first = end + 1;
    }
}

static void draw_line(const struct canvas *canvas, int selector, enum tcplan_statistic statistic,
                      int dash) {
    const struct tcplan_evaluation *evaluation = canvas->evaluation;
    const struct plot_style style = {.colour = selector % PLOT_SERIES, .dash = dash};
    for (size_t p = 1; p < evaluation->point_count; p++) {
        const struct tcplan_figure *from = figure_at(canvas, p - 1, selector),
                                   *to = figure_at(canvas, p, selector);
        if (from->count == 0 || to->count == 0) continue;
        plot_curve(&canvas->area, style, (double)evaluation->point[p - 1],
                   from->statistic[statistic], (double)evaluation->point[p],
                   to->statistic[statistic]);
    }
}

/** The mark of a series; small where there are many points. */
static struct plot_style style_of(const struct canvas *canvas, int selector) {
    const int series = selector % PLOT_SERIES;
    return (struct plot_style){.colour = series,
                               .shape = canvas->evaluation->point_count > MARKED_POINTS ? SMALL_MARK
                                                                                        : series};
}

static void draw_mark(struct canvas *canvas, size_t point, int selector, double value) {
    char text[TEXT];
    if (!plot_mark(&canvas->area, style_of(canvas, selector),
                   (double)canvas->evaluation->point[point], value))
        return;
    tell(canvas, text, sizeof text, point, selector);
    markup_text(canvas->area.file, text);
    plot_mark_end(&canvas->area);
    plot_tip(&canvas->area, text);
}

static void draw_marks(struct canvas *canvas, int selector) {
    for (size_t p = 0; p < canvas->evaluation->point_count; p++) {
        const struct tcplan_figure *figure = figure_at(canvas, p, selector);
        const bool all = canvas->statistics & SAMPLES_ALL;
        for (size_t i = 0; i < (all ? figure->count : 0); i++)
            draw_mark(canvas, p, selector, figure->sample[i]);
        if (all || figure->count == 0) continue;
        for (int s = TCPLAN_STATISTICS - 1; s >= 0; s--) { /* on the first line that is drawn */
            if (dash_of(canvas, (enum tcplan_statistic)s) != 0) continue;
            draw_mark(canvas, p, selector, figure->statistic[s]);
            break;
        }
    }
}

static void draw_lines(struct canvas *canvas) {
    const int count = canvas->evaluation->selector_count;
    for (int s = 0; s < count; s++) {
        if (shows_band(canvas)) draw_band(canvas, s, false);
        if (shows(canvas, TCPLAN_STATISTIC_DEVIATION)) draw_band(canvas, s, true);
    }
    for (int s = 0; s < count; s++) {
        for (int k = 0; k < TCPLAN_STATISTICS; k++) {
            const int dash = dash_of(canvas, (enum tcplan_statistic)k);
            if (dash >= 0) draw_line(canvas, s, (enum tcplan_statistic)k, dash);
        }
    }
    for (int s = 0; s < count; s++) draw_marks(canvas, s);
}

/* Bars. */

/** What a bar ends at: the first line that would be drawn over a range. */
static enum tcplan_statistic bar_statistic(const struct canvas *canvas) {
    static const enum tcplan_statistic order[] = {TCPLAN_STATISTIC_MEDIAN, TCPLAN_STATISTIC_MEAN,
                                                  TCPLAN_STATISTIC_MIN, TCPLAN_STATISTIC_MAX};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (dash_of(canvas, order[i]) >= 0) return order[i];
    }
    return TCPLAN_STATISTIC_MEDIAN;
}

/** A line below a bar. */
static void write_reach(const struct canvas *canvas, int selector, const char *kind, double low,
                        double high) {
    char class[24];
    snprintf(class, sizeof class, "%s c%d", kind, selector % PLOT_SERIES);
    plot_line(&canvas->area, class, low, selector + 0.78, high, selector + 0.78);
}

static void draw_bar(struct canvas *canvas, int selector) {
    const struct tcplan_figure *figure = figure_at(canvas, 0, selector);
    const double *statistic = figure->statistic, value = statistic[bar_statistic(canvas)];
    char text[TEXT], number[64];
    plot_row(&canvas->area, selector);
    markup_shortened(canvas->area.file, canvas->evaluation->selector[selector], 26);
    plot_row_end(&canvas->area);
    if (figure->count == 0) {
        plot_value(&canvas->area, 0, selector + 0.5, "no samples");
        return;
    }
    tell(canvas, text, sizeof text, 0, selector);
    plot_bar(&canvas->area, selector % PLOT_SERIES, value, selector + 0.2, 0.5);
    markup_text(canvas->area.file, text);
    plot_bar_end(&canvas->area);
    double low, high;
    band_at(figure, true, &low, &high);
    const bool deviation = shows(canvas, TCPLAN_STATISTIC_DEVIATION);
    if (shows_band(canvas)) {
        write_reach(canvas, selector, deviation ? "curve" : "home", statistic[TCPLAN_STATISTIC_MIN],
                    statistic[TCPLAN_STATISTIC_MAX]);
    }
    if (deviation) write_reach(canvas, selector, "home", low, high);
    for (size_t i = 0; i < figure->count && (canvas->statistics & SAMPLES_ALL); i++) {
        if (!plot_mark(&canvas->area,
                       (struct plot_style){.colour = selector % PLOT_SERIES, .shape = SMALL_MARK},
                       figure->sample[i], selector + 0.78))
            continue;
        markup_text(canvas->area.file, text);
        plot_mark_end(&canvas->area);
    }
    snprintf(number, sizeof number, "%.4g %s", shown_factor(canvas->evaluation) * value,
             canvas->evaluation->unit);
    plot_value(&canvas->area, value, selector + 0.45, number);
}

/* The picture. */

static void add_key(struct canvas *canvas, const char *text, int colour, int dash, bool mark) {
    if (canvas->keys == KEYS) return;
    canvas->key[canvas->keys++] = (struct picture_key){
        .text = text,
        .style = {.colour = colour, .shape = style_of(canvas, colour).shape, .dash = dash},
        .is_line = true,
        .no_mark = !mark};
}

static void add_keys(struct canvas *canvas) {
    for (int s = 0; s < canvas->evaluation->selector_count && canvas->evaluation->variable; s++) {
        add_key(canvas, canvas->evaluation->selector[s], s % PLOT_SERIES, 0, true);
    }
}

/** The bar's subtitle says what is drawn, the lines' as well. */
static void describe(struct canvas *canvas) {
    const struct tcplan_evaluation *evaluation = canvas->evaluation;
    char drawn[80] = "";
    for (int k = 0; k < TCPLAN_STATISTICS; k++) {
        const size_t length = strlen(drawn);
        if (!shows(canvas, (enum tcplan_statistic)k)) continue;
        snprintf(drawn + length, sizeof drawn - length, "%s%s", length > 0 ? ", " : "",
                 tcplan_statistic_name((enum tcplan_statistic)k));
    }
    if (canvas->statistics & SAMPLES_ALL) {
        const size_t length = strlen(drawn);
        snprintf(drawn + length, sizeof drawn - length, "%severy sample", length > 0 ? ", " : "");
    }
    snprintf(canvas->subtitle, sizeof canvas->subtitle, "%s; %.70s; %.70s", drawn,
             evaluation->library, evaluation->machine);
}

static void set_area(struct canvas *canvas, FILE *file, const char *y_title) {
    const struct tcplan_evaluation *evaluation = canvas->evaluation;
    struct plot_label (*label)(double) =
        shown_factor(evaluation) > 1 ? plot_label_share : plot_label_number;
    const struct axis values = {.title = y_title, .linear = true, .label = label};
    canvas->area = (struct plot){.file = file, .top = PICTURE_TOP, .tells = true};
    if (evaluation->variable) {
        canvas->area.x = (struct axis){
            .title = evaluation->variable, .linear = true, .label = plot_label_number};
        canvas->area.y = values;
        canvas->area.left = PICTURE_LEFT;
        canvas->area.height = SAMPLES_HEIGHT;
    } else {
        canvas->area.x = values;
        canvas->area.rows = evaluation->selector_count;
        canvas->area.row_height = ROW_HEIGHT;
        canvas->area.left = ROWS_LEFT;
        canvas->area.top = PICTURE_TOP + 2 * picture_line;
        canvas->area.height = ROW_HEIGHT * evaluation->selector_count;
    }
    canvas->area.width =
        WIDTH - canvas->area.left - (evaluation->variable ? PICTURE_RIGHT : 3 * PICTURE_RIGHT);
}

static bool draw(struct canvas *canvas, FILE *file) {
    const double below = canvas->evaluation->variable ? PICTURE_BELOW : PICTURE_RIGHT;
    const double key_top = canvas->area.top + canvas->area.height + below;
    picture_begin(file, WIDTH, key_top + picture_key_height(canvas->key, canvas->keys, WIDTH),
                  canvas->evaluation->title, canvas->subtitle, false);
    if (!plot_begin(&canvas->area, "")) return false;
    if (canvas->evaluation->variable) draw_lines(canvas);
    for (int s = 0; s < canvas->evaluation->selector_count && !canvas->evaluation->variable; s++)
        draw_bar(canvas, s);
    plot_end(&canvas->area);
    picture_write_key(file, canvas->key, canvas->keys, key_top, WIDTH);
    picture_end(file);
    return true;
}

bool samples_plot_print(FILE *file, const struct tcplan_evaluation *evaluation,
                        unsigned statistics) {
    struct canvas *canvas = base_alloc_zero(1, sizeof *canvas);
    char y_title[80];
    if (!canvas) return false;
    canvas->evaluation = evaluation;
    canvas->statistics = statistics;
    const bool plain = strcmp(evaluation->unit, "%") == 0 ||
                       !*evaluation->unit; /* shares and counts: the unit says nothing */
    snprintf(y_title, sizeof y_title, "%s", plain ? evaluation->metric : evaluation->unit);
    set_area(canvas, file, y_title);
    set_spans(canvas);
    add_keys(canvas);
    describe(canvas);
    const bool drawn = draw(canvas, file);
    base_free(canvas);
    return drawn;
}
