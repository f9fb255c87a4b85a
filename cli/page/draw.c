#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/page/drawing.h"
#include "cli/page/labels.h"
#include "cli/page/markup.h"

enum { MARGIN = 16, KEY_MARK = 34, KEY_APART = 14, KEY_LINE = 20, ROW_NAME = 25 };
enum { MARK = 5, KEPT_OFF = 1000, TITLE = 128 };

/* Labels of steeper lines are level, next to them. */
#define UPRIGHT 1.4

const double picture_letter = 7.2, picture_line = 15;

const char *const plot_symbols =
    "<defs>\n"
    "<circle id=\"m0\" r=\"4.2\"/><path id=\"m1\" d=\"M-4-4h8v8h-8z\"/><path id=\"m2\" d=\"M0-5.2 5 3.8H-5z\"/>"
    "<path id=\"m3\" d=\"M0-5.4 5.4 0 0 5.4-5.4 0z\"/><path id=\"m4\" d=\"M0 5.2-5-3.8H5z\"/><path id=\"m5\" d=\"M-5-2h10v4h-10z\"/>"
    "<path id=\"m6\" d=\"M-2-5h4v10h-4z\"/><circle id=\"m7\" r=\"3\"/>\n"
    "</defs>\n";

static const char *const own_style =
    "svg{color:#1b1f24;font-family:\"DejaVu Sans\",Verdana,system-ui,sans-serif}\n"
    "rect.ground{fill:#fff}\n"
    "svg text.title{font-size:15px;font-weight:600}\n"
    "@media (prefers-color-scheme:dark){svg{color:#e3e8ee}rect.ground{fill:#14181d}}\n";

/* Pictures. */

void picture_text(FILE *file, const char *text, const char *attributes, ...) {
    va_list arguments;
    va_start(arguments, attributes);
    fputs("<text ", file);
    vfprintf(file, attributes, arguments);
    va_end(arguments);
    fputs(">", file);
    markup_text(file, text);
    fputs("</text>\n", file);
}

static void write_title(FILE *file, const char *text, const char *class, double y, double letters) {
    fprintf(file, "<text class=\"%s\" x=\"%d\" y=\"%g\">", class, MARGIN, y);
    markup_shortened(file, text, (int)letters);
    fputs("</text>\n", file);
}

void picture_begin(FILE *file, double width, double height, const char *title, const char *subtitle,
                   bool embedded) {
    const double letters = (width - 2 * MARGIN) / picture_letter;
    fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" role=\"img\"%s>\n<title>",
        width, height, width, height, embedded ? " class=\"picture\"" : "");
    markup_text(file, title);
    fputs("</title>\n", file);
    if (!embedded) {
        fprintf(
            file,
            "<style>\n%s%s</style>\n%s<rect class=\"ground\" width=\"%g\" height=\"%g\" rx=\"6\"/>\n",
            own_style, plot_style_sheet, plot_symbols, width, height);
    }
    write_title(file, title, "title", 26, letters / 1.3);
    write_title(file, subtitle, "axis", 44, letters);
}

void picture_end(FILE *file) {
    fputs("</svg>\n", file);
}

/** A plot being drawn. */
struct canvas {
    FILE *file;
    struct plot *plot;
    double width; /* of the area, in pixels; 0: not known */
    struct labels labels;
};

/* Lines. */

/** In shares of width and height, y upwards. */
struct segment {
    double x1, y1, x2, y2;
};

/** The part within the area; false where there is none. */
static bool cut(struct segment *segment) {
    const double dx = segment->x2 - segment->x1, dy = segment->y2 - segment->y1;
    const double move[] = {-dx, dx, -dy, dy};
    const double room[] = {segment->x1, 1 - segment->x1, segment->y1, 1 - segment->y1};
    double from = 0, to = 1;
    for (int side = 0; side < 4; side++) {
        if (move[side] < 0) from = fmax(from, room[side] / move[side]);
        if (move[side] > 0) to = fmin(to, room[side] / move[side]);
        if (move[side] == 0 && room[side] < 0) return false;
    }
    if (!(from < to)) return false;
    *segment = (struct segment){segment->x1 + from * dx, segment->y1 + from * dy,
                                segment->x1 + to * dx, segment->y1 + to * dy};
    return true;
}

static double across(const struct canvas *canvas, double x) {
    return canvas->width * plot_width_at(canvas->plot, x);
}

static double down(const struct canvas *canvas, double y) {
    return canvas->plot->height * (1 - plot_height_at(canvas->plot, y));
}

/** Writes what is seen of a line, from which labels keep off; `rest` ends the element. Returns
 * whether anything is. */
static bool write_line(struct canvas *canvas, const char *class, const char *rest,
                       struct segment of, double half) {
    const struct plot *plot = canvas->plot;
    struct segment at = {plot_width_at(plot, of.x1), plot_height_at(plot, of.y1),
                         plot_width_at(plot, of.x2), plot_height_at(plot, of.y2)};
    if (!cut(&at)) return false;
    const double y1 = plot->height * (1 - at.y1), y2 = plot->height * (1 - at.y2);
    fprintf(canvas->file,
            "<line class=\"%s\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"%s", class,
            100 * at.x1, y1, 100 * at.x2, y2, rest);
    if (half > 0)
        labels_keep_off(&canvas->labels,
                        (struct strip){canvas->width * at.x1, y1, canvas->width * at.x2, y2, half});
    return true;
}

/** A tip of what was written last, which shows above the area while that is pointed at or focused.
 */
static void write_tip(const struct canvas *canvas, const char *text) {
    if (canvas->width > 0 && !canvas->plot->is_still)
        picture_text(canvas->file, text, "class=\"tip\" x=\"100%%\" y=\"-28\" text-anchor=\"end\"");
}

/* Axes. Rows have the numbers above them, as there may be many. */

static void write_x_axis(const struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    const bool has_rows = plot->row_height > 0;
    struct tick tick[AXIS_TICKS];
    const int count = axis_ticks(tick, &plot->x);
    char title[TITLE];
    for (int t = 0; t < count; t++) {
        const double place = 100 * axis_place(&plot->x, tick[t].value);
        fprintf(canvas->file,
                "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%g\"/>", place,
                place, plot->height);
        if (tick[t].labelled)
            picture_text(canvas->file, plot->x.label(tick[t].value).text,
                         "%sx=\"%.2f%%\" y=\"%g\" text-anchor=\"middle\"",
                         tick[t].minor ? "class=\"minor\" " : "", place,
                         has_rows ? -8 : plot->height + 18);
    }
    fprintf(canvas->file, "<line class=\"frame\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"%g\"/>\n",
            plot->height);
    if (has_rows && plot->x.title) {
        snprintf(title, sizeof title, "%s \xE2\x86\x92", plot->x.title);
        picture_text(canvas->file, title, "class=\"axis\" x=\"0\" y=\"-28\"");
    }
    if (!has_rows)
        picture_text(canvas->file, plot->x.title,
                     "class=\"axis\" x=\"50%%\" y=\"%g\" text-anchor=\"middle\"",
                     plot->height + 38);
}

static void write_y_axis(const struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    struct tick tick[AXIS_TICKS];
    const int count = axis_ticks(tick, &plot->y);
    char title[TITLE];
    snprintf(title, sizeof title, "\xE2\x86\x91 %s", plot->y.title);
    picture_text(canvas->file, title, "class=\"axis\" x=\"-50\" y=\"-16\"");
    for (int t = 0; t < count; t++) {
        const double place = down(canvas, tick[t].value);
        fprintf(canvas->file,
                "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", place,
                place);
        if (tick[t].labelled)
            picture_text(canvas->file, plot->y.label(tick[t].value).text,
                         "x=\"-8\" y=\"%.1f\" text-anchor=\"end\"", place + 4);
    }
    fprintf(canvas->file, "<line class=\"frame\" x1=\"0\" x2=\"100%%\" y1=\"%g\" y2=\"%g\"/>\n",
            plot->height, plot->height);
}

static void write_row_names(const struct canvas *canvas) {
    for (size_t r = 0; r < canvas->plot->row_count; r++) {
        const struct plot_row *row = &canvas->plot->row[r];
        fprintf(canvas->file, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">",
                down(canvas, (double)r + 0.5) + 4);
        if (row->tip) {
            fputs("<title>", canvas->file);
            markup_text(canvas->file, row->tip);
            fputs("</title>", canvas->file);
        }
        markup_shortened(canvas->file, row->name, ROW_NAME);
        fputs("</text>\n", canvas->file);
    }
}

/* Marks. */

/** Whether a line leads from the mark before to this one. */
static bool is_joined(const struct plot *plot, size_t m) {
    return m > 0 && !plot->mark[m].apart && plot->mark[m].series == plot->mark[m - 1].series;
}

/** The area between low and high of marks `first` to in front of `end`. */
static void write_band(const struct canvas *canvas, size_t first, size_t end) {
    const struct plot_mark *mark = canvas->plot->mark;
    const struct plot_series *series = &canvas->plot->series[mark[first].series];
    fprintf(canvas->file,
            "<polygon class=\"c%d\" fill=\"currentColor\" fill-opacity=\"%g\" points=\"",
            series->style.colour, series->band);
    for (size_t m = first; m < end; m++)
        fprintf(canvas->file, "%.1f,%.1f ", across(canvas, mark[m].x), down(canvas, mark[m].high));
    for (size_t m = end; m > first; m--)
        fprintf(canvas->file, "%.1f,%.1f ", across(canvas, mark[m - 1].x),
                down(canvas, mark[m - 1].low));
    fputs("\"/>\n", canvas->file);
}

static void draw_bands(const struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    for (size_t first = 0, end; first < plot->mark_count; first = end) {
        for (end = first + 1; end < plot->mark_count && is_joined(plot, end);) end++;
        if (plot->series[plot->mark[first].series].band > 0 && end > first + 1)
            write_band(canvas, first, end);
    }
}

static void draw_lines(struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    char class[32];
    for (size_t m = 1; m < plot->mark_count; m++) {
        const struct plot_mark *from = &plot->mark[m - 1], *to = &plot->mark[m];
        const struct plot_series *series = &plot->series[to->series];
        if (!series->line || !is_joined(plot, m)) continue;
        snprintf(class, sizeof class, "curve c%d d%d", series->style.colour, series->style.dash);
        const bool keep_off = m < KEPT_OFF && !to->bare;
        write_line(canvas, class, "/>\n", (struct segment){from->x, from->y, to->x, to->y},
                   keep_off ? 1 : 0);
    }
}

static void draw_mark(struct canvas *canvas, const struct plot_mark *mark, bool keep_off) {
    struct plot *plot = canvas->plot;
    const struct plot_style style = plot_mark_style(plot, mark);
    const bool is_band = plot->series[mark->series].band > 0;
    char class[16];
    snprintf(class, sizeof class, "reach c%d", style.colour);
    if (mark->reach > 0)
        write_line(canvas, class, "/>\n", (struct segment){mark->x, mark->y, mark->reach, mark->y},
                   keep_off ? 1 : 0);
    if (mark->high > 0 && !is_band)
        write_line(canvas, class, "/>\n", (struct segment){mark->x, mark->low, mark->x, mark->high},
                   keep_off ? 1 : 0);
    if (mark->bare) return;
    const double x = across(canvas, mark->x), y = down(canvas, mark->y);
    if (keep_off) labels_keep_off(&canvas->labels, (struct strip){x - MARK, y, x + MARK, y, MARK});
    if (!plot->is_placed && !plot_takes(plot, mark)) return;
    fprintf(canvas->file, "<use href=\"#m%d\" class=\"c%d%s\"%s x=\"%.2f%%\" y=\"%.1f\"><title>",
            style.shape, style.colour, style.hollow ? " o" : "",
            canvas->width > 0 && !plot->is_still ? " tabindex=\"0\"" : "",
            100 * plot_width_at(plot, mark->x), y);
    markup_text(canvas->file, mark->tip ? mark->tip : "");
    fputs("</title></use>\n", canvas->file);
    if (mark->tip) write_tip(canvas, mark->tip);
}

static void draw_bar(const struct canvas *canvas, const struct plot_bar *bar) {
    const struct plot *plot = canvas->plot;
    const double end = 100 * axis_place(&plot->x, bar->x);
    if (bar->tip) {
        fprintf(
            canvas->file,
            "<rect class=\"bar c%d\" x=\"0\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"><title>",
            bar->colour, down(canvas, bar->y), end, bar->thick * plot->row_height);
        markup_text(canvas->file, bar->tip);
        fputs("</title></rect>", canvas->file);
    }
    if (bar->value)
        picture_text(canvas->file, bar->value, "class=\"value\" x=\"%.2f%%\" y=\"%.1f\" dx=\"5\"",
                     end, down(canvas, bar->y + bar->thick / 2) + 4);
}

static void draw_guide(struct canvas *canvas, const struct plot_guide *guide) {
    const struct segment at = {guide->x1, guide->y1, guide->x2, guide->y2};
    const bool is_seen = write_line(canvas, guide->class, "/>\n", at, 2);
    if (!is_seen || !guide->tip) return;
    write_line(canvas, "told", " tabindex=\"0\"><title>", at, 0);
    markup_text(canvas->file, guide->tip);
    fputs("</title></line>", canvas->file);
    write_tip(canvas, guide->tip);
}

/* Labels, as far as there is room. */

static void write_label(const struct canvas *canvas, const char *class,
                        const struct label_place *place, const char *text) {
    char turn[32] = "";
    if (place->angle != 0)
        snprintf(turn, sizeof turn, " rotate(%.2f)", -place->angle * 57.29577951308232);
    picture_text(canvas->file, text,
                 "class=\"%s\" text-anchor=\"%s\" transform=\"translate(%.1f %.1f)%s\" dy=\"4\"",
                 class, place->ends ? "end" : "start", place->x, place->y, turn);
}

/** Where a text goes at the side of a line, so far from the end that it is near to. */
static struct label_place place_along(const struct segment *line, double angle, double along,
                                      int side, bool from_end) {
    const double off = side * 0.75 * picture_line;
    const double x = from_end ? line->x2 - along * cos(angle) : line->x1 + along * cos(angle),
                 y = from_end ? line->y2 + along * sin(angle) : line->y1 - along * sin(angle);
    if (angle > UPRIGHT) return (struct label_place){.x = x + side * 5, .y = y, .ends = side < 0};
    return (struct label_place){
        .x = x - off * sin(angle), .y = y - off * cos(angle), .ends = from_end, .angle = angle};
}

static void label_guide(struct canvas *canvas, const struct plot_guide *guide) {
    const struct plot *plot = canvas->plot;
    struct segment at = {plot_width_at(plot, guide->x1), plot_height_at(plot, guide->y1),
                         plot_width_at(plot, guide->x2), plot_height_at(plot, guide->y2)};
    char class[24];
    if (!guide->label || !cut(&at)) return;
    const char *colour = strstr(guide->class, " c");
    snprintf(class, sizeof class, "guide%s", colour ? colour : "");
    at = (struct segment){canvas->width * at.x1, plot->height * (1 - at.y1), canvas->width * at.x2,
                          plot->height * (1 - at.y2)};
    const double angle = atan2(at.y1 - at.y2, at.x2 - at.x1),
                 length = hypot(at.x2 - at.x1, at.y2 - at.y1),
                 width = picture_letter * (double)strlen(guide->label);
    const bool upright = angle > UPRIGHT;
    for (double along = upright ? picture_line : 8; along + (upright ? 0 : width) < length;
         along += upright ? picture_line : 12) {
        for (int side = 1; side >= -1; side -= 2) {
            const struct label_place place = place_along(&at, angle, along, side, guide->from_end);
            const struct strip strip = label_strip(&place, width, picture_line);
            if (!labels_take(&canvas->labels, &strip)) continue;
            write_label(canvas, class, &place, guide->label);
            return;
        }
    }
}

static void label_mark(struct canvas *canvas, const struct plot_mark *mark) {
    const double x = across(canvas, mark->x), y = down(canvas, mark->y);
    struct label_place place;
    char class[16];
    if (!mark->label) return;
    if (!labels_find(&canvas->labels, &place, x, y, picture_letter * (double)strlen(mark->label),
                     picture_line))
        return;
    snprintf(class, sizeof class, "c%d", plot_mark_style(canvas->plot, mark).colour);
    write_label(canvas, class, &place, mark->label);
    if (!place.is_remote) return;
    fprintf(canvas->file,
            "<line class=\"reach %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x, y, place.x, place.y);
}

/** In an area of unknown width: near to the upper end, where most room is. */
static void label_diagonal(const struct canvas *canvas, const struct plot_guide *guide) {
    const struct plot *plot = canvas->plot;
    struct segment at = {plot_width_at(plot, guide->x1), plot_height_at(plot, guide->y1),
                         plot_width_at(plot, guide->x2), plot_height_at(plot, guide->y2)};
    if (!guide->label || !cut(&at) || at.x2 - at.x1 < 0.15) return;
    picture_text(canvas->file, guide->label,
                 "class=\"guide\" x=\"%.2f%%\" y=\"%.1f\" dx=\"-10\" dy=\"-2\" text-anchor=\"end\"",
                 100 * (0.05 * at.x1 + 0.95 * at.x2),
                 plot->height * (1 - 0.05 * at.y1 - 0.95 * at.y2));
}

/* The area. */

static void draw_area(struct canvas *canvas) {
    struct plot *plot = canvas->plot;
    write_x_axis(canvas);
    if (plot->row_height > 0) write_row_names(canvas);
    if (!(plot->row_height > 0)) write_y_axis(canvas);
    if (plot->cells) cells_draw(canvas->file, plot, canvas->width);
    for (size_t b = 0; b < plot->bar_count; b++) draw_bar(canvas, &plot->bar[b]);
    for (size_t g = plot->guide_count; g > 0; g--) draw_guide(canvas, &plot->guide[g - 1]);
    draw_bands(canvas);
    draw_lines(canvas);
    for (size_t m = 0; m < plot->mark_count; m++) draw_mark(canvas, &plot->mark[m], m < KEPT_OFF);
    for (size_t g = 0; g < plot->guide_count; g++) {
        if (canvas->width > 0) label_guide(canvas, &plot->guide[g]);
        if (!(canvas->width > 0)) label_diagonal(canvas, &plot->guide[g]);
    }
    for (size_t m = 0; m < plot->mark_count; m++) label_mark(canvas, &plot->mark[m]);
}

/** Draws and frees a plot; `width` 0: in a page. */
static bool draw(FILE *file, struct plot *plot, double width) {
    struct canvas *canvas = plot->failed ? NULL : base_alloc_zero(1, sizeof *canvas);
    if (!canvas) return false;
    canvas->file = file;
    canvas->plot = plot;
    canvas->width = width;
    canvas->labels.width = width;
    canvas->labels.height = plot->height;
    draw_area(canvas);
    base_free(canvas);
    return !plot->failed;
}

bool plot_print_in_page(FILE *file, struct plot *plot, const char *description) {
    plot_prepare(plot);
    fprintf(
        file,
        "<div class=\"box%s\"><svg class=\"area%s\" role=\"img\" aria-label=\"%s\" width=\"100%%\" height=\"%g\">\n",
        plot->row_height > 0 ? " rows" : "", plot->dense ? " dense" : "", description,
        plot->height);
    const bool drawn = draw(file, plot, 0);
    fputs("</svg></div>\n", file);
    plot_free(plot);
    return drawn;
}

/* The key. */

static size_t count_marks(const struct plot *plot, int series, bool bare) {
    size_t count = 0;
    for (size_t m = 0; m < plot->mark_count; m++)
        count += plot->mark[m].series == series && (bare || !plot->mark[m].bare);
    return count;
}

/** Writes it in columns, unless `file` is NULL; returns its height. */
static double write_key(FILE *file, const struct plot *plot, double top, double width) {
    size_t longest = 0, count = 0;
    for (int s = 0; s < plot->series_count; s++) {
        const char *name = plot->series[s].name;
        if (name && strlen(name) > longest) longest = strlen(name);
    }
    if (plot->cells && file) cells_write_key(file, plot, top);
    if (plot->cells) return CELLS_KEY_HEIGHT;
    const double apart = KEY_MARK + picture_letter * (double)longest + KEY_APART;
    const size_t columns = (size_t)fmax(1, floor((width - 2 * MARGIN) / apart));
    for (int s = 0; s < plot->series_count; s++) {
        const struct plot_series *series = &plot->series[s];
        const struct plot_style style = series->style;
        const size_t line = count / columns;
        const double x = MARGIN + apart * (double)(count % columns),
                     y = top + KEY_LINE * ((double)line + 0.5);
        if (!series->name) continue;
        count++;
        if (!file) continue;
        if (series->line && count_marks(plot, s, true) != 1)
            fprintf(file, "<line class=\"curve c%d d%d\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>",
                    style.colour, style.dash, x, x + KEY_MARK - 6, y, y);
        if (count_marks(plot, s, false) > 0)
            fprintf(file, "<use href=\"#m%d\" class=\"c%d%s\" x=\"%g\" y=\"%g\"/>", style.shape,
                    style.colour, style.hollow ? " o" : "", x + (KEY_MARK - 6) / 2.0, y);
        picture_text(file, series->name, "x=\"%g\" y=\"%g\"", x + KEY_MARK, y + 4);
    }
    const size_t lines = (count + columns - 1) / columns;
    return count == 0 ? 0 : KEY_LINE * (double)lines + KEY_APART;
}

/** What is at the left of an area: names of rows, or the labels of an axis. */
static double left_of(const struct plot *plot) {
    size_t longest = 0;
    for (size_t r = 0; r < plot->row_count; r++) {
        const size_t length = strlen(plot->row[r].name);
        if (length > longest) longest = length < ROW_NAME ? length : ROW_NAME;
    }
    return plot->row_height > 0 ? MARGIN + 8 + picture_letter * (double)longest : PICTURE_LEFT;
}

bool plot_print(FILE *file, struct plot plots[], size_t count) {
    double width = 0, left = 0;
    bool drawn = true;
    for (size_t p = 0; p < count; p++) {
        plot_prepare(&plots[p]);
        width += plots[p].width;
    }
    const bool has_rows = plots->row_height > 0;
    const double key_height = write_key(NULL, plots, 0, width),
                 top = PICTURE_TOP + (has_rows ? 2 * picture_line : 0) +
                       (plots->key_above ? key_height : 0),
                 bottom = top + plots->height + (has_rows ? PICTURE_RIGHT : PICTURE_BELOW);
    picture_begin(file, width, bottom + (plots->key_above ? 0 : key_height), plots->title,
                  plots->subtitle, plots->embedded);
    for (size_t p = 0; p < count; p++) {
        const double before = left_of(&plots[p]),
                     inner =
                         plots[p].width - before - (plots[p].bar_count > 0 ? 3 : 1) * PICTURE_RIGHT;
        fprintf(
            file,
            "<svg class=\"area%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" overflow=\"visible\">\n",
            plots[p].dense ? " dense" : "", left + before, top, inner, plots[p].height);
        if (!draw(file, &plots[p], inner)) drawn = false;
        fputs("</svg>\n", file);
        left += plots[p].width;
    }
    write_key(file, plots, plots->key_above ? PICTURE_TOP - 26 : bottom, width);
    picture_end(file);
    for (size_t p = 0; p < count; p++) plot_free(&plots[p]);
    return drawn;
}
