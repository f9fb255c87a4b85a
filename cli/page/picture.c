#include "cli/page/picture.h"

#include <math.h>
#include <string.h>

#include "cli/page/markup.h"

const double picture_letter = 7.2, picture_line = 15;

enum { MARGIN = 16, KEY_MARK = 34, KEY_APART = 14, KEY_LINE = 20 };

static const char *const own_style =
    "svg{color:#1b1f24;font-family:\"DejaVu Sans\",Verdana,system-ui,sans-serif}\n"
    "rect.ground{fill:#fff}\n"
    "svg text.title{font-size:15px;font-weight:600}\n"
    "@media (prefers-color-scheme:dark){svg{color:#e3e8ee}rect.ground{fill:#14181d}}\n";

static void write_line(FILE *file, const char *class, double y, double width, double letter,
                       const char *text) {
    fprintf(file, "<text class=\"%s\" x=\"%d\" y=\"%g\">", class, MARGIN, y);
    markup_shortened(file, text, (int)((width - 2 * MARGIN) / letter));
    fputs("</text>\n", file);
}

void picture_begin(FILE *file, double width, double height, const char *title, const char *subtitle,
                   bool embedded) {
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
    write_line(file, "title", 26, width, 1.3 * picture_letter, title);
    write_line(file, "axis", 44, width, picture_letter, subtitle);
}

void picture_end(FILE *file) {
    fputs("</svg>\n", file);
}

/* The key. */

static double column_width(const struct picture_key *key, size_t count) {
    size_t longest = 0;
    for (size_t k = 0; k < count; k++) {
        if (strlen(key[k].text) > longest) longest = strlen(key[k].text);
    }
    return KEY_MARK + picture_letter * (double)longest + KEY_APART;
}

static size_t columns_of(const struct picture_key *key, size_t count, double width) {
    const double columns = floor((width - 2 * MARGIN) / column_width(key, count));
    return columns < 1 ? 1 : (size_t)columns;
}

double picture_key_height(const struct picture_key *key, size_t count, double width) {
    if (count == 0) return 0;
    const size_t columns = columns_of(key, count, width), lines = (count + columns - 1) / columns;
    return KEY_LINE * (double)lines + KEY_APART;
}

void picture_write_key(FILE *file, const struct picture_key *key, size_t count, double top,
                       double width) {
    if (count == 0) return;
    const size_t columns = columns_of(key, count, width);
    const double apart = column_width(key, count);
    for (size_t k = 0; k < count; k++) {
        const size_t column = k % columns, line = k / columns;
        const double x = MARGIN + apart * (double)column, y = top + KEY_LINE * ((double)line + 0.5);
        const struct plot_style *style = &key[k].style;
        if (key[k].is_line) {
            fprintf(file, "<line class=\"curve c%d d%d\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>",
                    style->colour, style->dash, x, x + KEY_MARK - 6, y, y);
        }
        if (!key[k].no_mark) {
            fprintf(file, "<use href=\"#m%d\" class=\"c%d%s\" x=\"%g\" y=\"%g\"/>", style->shape,
                    style->colour, style->hollow ? " o" : "", x + (KEY_MARK - 6) / 2.0, y);
        }
        fprintf(file, "<text x=\"%g\" y=\"%g\">", x + KEY_MARK, y + 4);
        markup_text(file, key[k].text);
        fputs("</text>\n", file);
    }
}
