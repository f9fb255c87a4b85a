#include "cli/page/markup.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** The bytes of the UTF-8 character at `text`, and its code; 0 where there is none. */
static int decode(const unsigned char *text, uint32_t *code) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const int length = *text < 0x80    ? 1
                       : *text >= 0xF0 ? 4
                       : *text >= 0xE0 ? 3
                       : *text >= 0xC0 ? 2
                                       : 0;
    if (length == 0 || *text > 0xF7) return 0;
    *code = length == 1 ? *text : *text & (0xFFU >> (length + 1));
    for (int b = 1; b < length; b++) {
        if ((text[b] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (text[b] & 0x3FU);
    }
    return *code >= smallest[length] ? length : 0;
}

/** Characters of XML 1.0, without the control characters that HTML does not take. */
static bool is_allowed(uint32_t code) {
    if (code == '\t' || code == '\n' || code == '\r') return true;
    return code >= 0x20 && (code < 0x7F || code >= 0xA0) && (code < 0xD800 || code > 0xDFFF) &&
           code < 0x110000 && (code & 0xFFFE) != 0xFFFE;
}

/** Writes one character; returns its bytes. */
static int write_character(FILE *file, const char *text) {
    uint32_t code = 0;
    const int length = decode((const unsigned char *)text, &code);
    if (length == 0 || !is_allowed(code)) {
        fputs("\xEF\xBF\xBD", file);
        return length > 0 ? length : 1;
    }
    switch (code) {
    case '&': fputs("&amp;", file); break;
    case '<': fputs("&lt;", file); break;
    case '>': fputs("&gt;", file); break;
    case '"': fputs("&quot;", file); break;
    case '\'': fputs("&#39;", file); break;
    default: fwrite(text, 1, (size_t)length, file); break;
    }
    return length;
}

/** The bytes up to the first that is not written as it is. */
static size_t plain_length(const char *text) {
    size_t length = 0;
    while (text[length] >= 0x20 && text[length] < 0x7F && !strchr("&<>\"'", text[length])) length++;
    return length;
}

void markup_text(FILE *file, const char *text) {
    while (*text) {
        const size_t plain = plain_length(text);
        fwrite(text, 1, plain, file);
        text += plain;
        if (*text) text += write_character(file, text);
    }
}

/** The number of characters, counted up to `most` + 1. */
static int count_characters(const char *text, int most) {
    int count = 0;
    for (; *text && count <= most; count++) {
        uint32_t code;
        const int length = decode((const unsigned char *)text, &code);
        text += length > 0 ? length : 1;
    }
    return count;
}

void markup_shortened(FILE *file, const char *text, int characters) {
    const bool whole = count_characters(text, characters) <= characters;
    for (int c = 0; *text && (whole || c + 1 < characters); c++)
        text += write_character(file, text);
    if (!whole) fputs("\xE2\x80\xA6", file);
}
