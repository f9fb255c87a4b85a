#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "cli/page/drawing.h"
#include "cli/page/markup.h"
#include "cli/render/text/visible.h"

enum { MARGIN = 16, KEY_MARK = 34, KEY_APART = 14, KEY_LINE = 20 };

const double picture_letter = 7.2, picture_line = 15;

const char *const plot_symbols =
    "<defs>\n"
    "<circle id=\"m0\" r=\"4.2\"/><path id=\"m1\" d=\"M-4-4h8v8h-8z\"/><path id=\"m2\" d=\"M0-5.2 5 3.8H-5z\"/>"
    "<path id=\"m3\" d=\"M0-5.4 5.4 0 0 5.4-5.4 0z\"/><path id=\"m4\" d=\"M0 5.2-5-3.8H5z\"/><path id=\"m5\" d=\"M-5-2h10v4h-10z\"/>"
    "<path id=\"m6\" d=\"M-2-5h4v10h-4z\"/><circle id=\"m7\" r=\"3\"/><circle id=\"m8\" r=\"1.8\"/>\n"
    "</defs>\n";

static const char *const own_style =
    "svg{color:#1b1f24;font-family:\"DejaVu Sans\",Verdana,system-ui,sans-serif}\n"
    "rect.ground{fill:#fff}\n"
    "svg text.title{font-size:15px;font-weight:600}\n"
    "@media (prefers-color-scheme:dark){svg{color:#e3e8ee}rect.ground{fill:#14181d}}\n";

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

/* In a page. */

bool plot_print_in_page(FILE *file, struct plot *plot, const char *description) {
    plot_prepare(plot);
    fprintf(
        file,
        "<div class=\"box%s\"><svg class=\"area%s\" role=\"img\" aria-label=\"%s\" width=\"100%%\" height=\"%g\">\n",
        plot->row_height > 0 ? " rows" : "", plot->dense ? " dense" : "", description,
        plot->height);
    const bool drawn = plot_draw(file, plot, 0);
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

/** Writes the key of a plot in columns. If `file` is NULL, only computes the height. Returns the
 * height in pixels. */
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

/** Returns the width of the margin left of the plot area, which holds the names of rows or the
 * labels of an axis. */
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
        if (!plot_draw(file, &plots[p], inner)) drawn = false;
        fputs("</svg>\n", file);
        left += plots[p].width;
    }
    write_key(file, plots, plots->key_above ? PICTURE_TOP - 26 : bottom, width);
    picture_end(file);
    for (size_t p = 0; p < count; p++) plot_free(&plots[p]);
    return drawn;
}

/** Writes one character; returns its number of bytes. */
static size_t write_character(FILE *file, const char *text) {
    static const char special[] = "&<>\"'";
    static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    const struct visible_piece piece = visible_piece(text);
    const char *found = strchr(special, *piece.text);
    fputs(found ? escaped[found - special] : piece.text, file);
    return piece.bytes;
}

void markup_text(FILE *file, const char *text) {
    while (*text) text += write_character(file, text);
}

void markup_shortened(FILE *file, const char *text, int characters) {
    const bool whole = visible_width(text) <= (size_t)characters;
    const char *end = text + (whole ? strlen(text) : visible_cut(text, (size_t)characters - 1));
    while (text < end) text += write_character(file, text);
    if (!whole) fputs("\xE2\x80\xA6", file);
}
