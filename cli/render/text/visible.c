#include "cli/render/text/visible.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"

static bool continues(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

/** Returns the bytes of a UTF-8 character outside ASCII that is no control character (U+0080 to
 * U+009F) and valid in XML (no surrogate, U+FFFE or U+FFFF); 0: none. */
static size_t foreign_letter(const char *text) {
    const unsigned char first = (unsigned char)text[0];
    const size_t bytes = first >= 0xF0 && first <= 0xF4  ? 4
                         : first >= 0xE0 && first < 0xF0 ? 3
                         : first >= 0xC2 && first < 0xE0 ? 2
                                                         : 0;
    for (size_t b = 1; b < bytes; b++) {
        if (!continues(text[b])) return 0;
    }
    const unsigned char second = bytes > 0 ? (unsigned char)text[1] : 0;
    const bool longer_than_needed =
        (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool control = first == 0xC2 && second < 0xA0;
    const bool beyond =
        (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90) ||
        (bytes == 3 && memcmp(text, "\xEF\xBF", 2) == 0 && (unsigned char)text[2] >= 0xBE);
    return longer_than_needed || control || beyond ? 0 : bytes;
}

struct visible_piece visible_piece(const char *text) {
    struct visible_piece piece = {.bytes = 1};
    const size_t foreign = foreign_letter(text);
    if ((*text >= ' ' && *text <= '~') || *text == '\t') {
        piece.text[0] = *text == '\t' ? ' ' : *text;
    } else if (foreign > 0) {
        memcpy(piece.text, text, foreign);
        piece.bytes = foreign;
    } else {
        snprintf(piece.text, sizeof piece.text, "\\x%02x", (unsigned char)*text);
    }
    return piece;
}

char *visible_text(const char *text) {
    struct strbuf shown = {0};
    strbuf_add(&shown, "%s", "");
    while (*text) {
        const struct visible_piece piece = visible_piece(text);
        strbuf_add(&shown, "%s", piece.text);
        text += piece.bytes;
    }
    return strbuf_finish(&shown);
}

void visible_print(FILE *file, const char *text) {
    while (*text) {
        const struct visible_piece piece = visible_piece(text);
        fputs(piece.text, file);
        text += piece.bytes;
    }
}

size_t visible_width(const char *text) {
    size_t width = 0;
    for (; *text; text++) width += !continues(*text);
    return width;
}

size_t visible_cut(const char *text, size_t columns) {
    const char *at = text;
    for (size_t width = 0; *at; at++) {
        if (!continues(*at) && width++ == columns) break;
    }
    return (size_t)(at - text);
}
