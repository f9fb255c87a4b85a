/**
 * A picture: an SVG document of its own with a title, plots (`plot.h`) and a key. It follows the
 * reader's light or dark setting.
 */
#ifndef CLI_PAGE_PICTURE_H
#define CLI_PAGE_PICTURE_H

#include "cli/page/plot.h"

/** The width of a letter, at most on average, and the height of a line of text, in pixels. */
extern const double picture_letter, picture_line;

/** Where the first plot may begin, below the title; and what the labels of an axis take at its left
 * and below. */
enum { PICTURE_TOP = 84, PICTURE_LEFT = 66, PICTURE_RIGHT = 24, PICTURE_BELOW = 56 };

/** An entry of the key. */
struct picture_key {
    const char *text;
    struct plot_style style;
    bool is_line; /**< drawn with a line through its mark */
    bool no_mark; /**< without a mark */
};

/** A title, and a second, paler line; both are shortened to the width. One that is embedded in a
 * page has no style of its own, and follows the page's width. */
void picture_begin(FILE *file, double width, double height, const char *title, const char *subtitle,
                   bool embedded);

/** The height of a key in columns. */
double picture_key_height(const struct picture_key *key, size_t count, double width);

/** Writes it. */
void picture_write_key(FILE *file, const struct picture_key *key, size_t count, double top,
                       double width);

void picture_end(FILE *file);

#endif
