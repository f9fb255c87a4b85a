#include "cli/page/markup.h"

#include <stdbool.h>
#include <string.h>

#include "cli/render/text/visible.h"

/** Writes one character; returns its bytes. */
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
