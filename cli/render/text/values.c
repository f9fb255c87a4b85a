#include "cli/render/text/values.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"

/** Returns whether a spreadsheet program would execute a text as a formula (OWASP, CSV injection).
 * An apostrophe before the text prevents this. */
static bool is_formula(const char *value) {
    return *value && strchr("=+-@\t\r", *value) && value[1];
}

void csv_add_text(struct csv_line *line, const char *value) {
    const bool quoted = strpbrk(value, ",\"\r\n") != NULL;
    strbuf_add(&line->text, "%s%s%s", line->started ? "," : "", quoted ? "\"" : "",
               is_formula(value) ? "'" : "");
    for (; *value; value++) strbuf_add(&line->text, "%s%c", *value == '"' ? "\"" : "", *value);
    strbuf_add(&line->text, "%s", quoted ? "\"" : "");
    line->started = true;
}

void csv_add_integer(struct csv_line *line, int64_t value) {
    strbuf_add(&line->text, "%s%lld", line->started ? "," : "", (long long)value);
    line->started = true;
}

void csv_add_number(struct csv_line *line, bool known, double value) {
    csv_add_text(line, "");
    if (known) decimal_print(&line->text, value);
}

void csv_add_names(struct csv_line *line, const char *const names[], int count) {
    csv_add_text(line, "");
    for (int i = 0; i < count; i++) strbuf_add(&line->text, "%s%s", i > 0 ? " " : "", names[i]);
}

bool csv_print(struct csv_line *line, FILE *file) {
    char *text = strbuf_finish(&line->text);
    if (text) fprintf(file, "%s\n", text);
    free(text);
    line->started = false;
    return text != NULL;
}

struct quantity counted(int64_t count, const char *noun) {
    struct quantity out;
    snprintf(out.text, sizeof out.text, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
    return out;
}

bool text_ends(const char *text, const char *end) {
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

bool text_is(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

const char *text_number(int64_t *out, const char *text, int64_t largest) {
    const char *at = text;
    for (*out = 0; *at >= '0' && *at <= '9'; at++) {
        if (*out > (largest - (*at - '0')) / 10) return NULL;
        *out = 10 * *out + (*at - '0');
    }
    return at > text ? at : NULL;
}

void text_add_owned(struct strbuf *out, char *text) {
    strbuf_add(out, "%s", text ? text : "");
    out->failed = out->failed || !text;
    free(text);
}

static struct date date_of(int64_t seconds, const char *format) {
    struct date out;
    const time_t time = (time_t)seconds;
    struct tm parts;
    if (seconds <= 0 || !gmtime_r(&time, &parts) ||
        strftime(out.text, sizeof out.text, format, &parts) == 0)
        return (struct date){"-"};
    return out;
}

struct date date_minute(int64_t seconds) {
    return date_of(seconds, "%Y-%m-%d %H:%M");
}

struct date date_iso(int64_t seconds) {
    return date_of(seconds, "%Y-%m-%dT%H:%M:%SZ");
}

/** A class of valid UTF-8 sequences: the range of the first byte, the number of following bytes,
 * and the range of the second byte. Further bytes are 80 to BF. */
struct sequence {
    unsigned char first_low, first_high;
    int following;
    unsigned char second_low, second_high;
};

/* Unicode, table 3-7, which excludes overlong forms, surrogates, and characters beyond U+10FFFF. */
static const struct sequence sequences[] = {
    {0xC2, 0xDF, 1, 0x80, 0xBF}, {0xE0, 0xE0, 2, 0xA0, 0xBF}, {0xE1, 0xEC, 2, 0x80, 0xBF},
    {0xED, 0xED, 2, 0x80, 0x9F}, {0xEE, 0xEF, 2, 0x80, 0xBF}, {0xF0, 0xF0, 3, 0x90, 0xBF},
    {0xF1, 0xF3, 3, 0x80, 0xBF}, {0xF4, 0xF4, 3, 0x80, 0x8F},
};

static bool is_between(unsigned char byte, unsigned char low, unsigned char high) {
    return byte >= low && byte <= high;
}

/** Returns the length of the first character in bytes; 0 if it is malformed. */
static size_t character_bytes(const unsigned char *text) {
    if (*text < 0x80) return 1;
    for (size_t s = 0; s < sizeof sequences / sizeof *sequences; s++) {
        const struct sequence *sequence = &sequences[s];
        if (!is_between(text[0], sequence->first_low, sequence->first_high)) continue;
        if (!is_between(text[1], sequence->second_low, sequence->second_high)) return 0;
        for (int b = 2; b <= sequence->following; b++) {
            if (!is_between(text[b], 0x80, 0xBF)) return 0;
        }
        return (size_t)sequence->following + 1;
    }
    return 0;
}

static bool is_utf8(const char *text) {
    while (*text) {
        const size_t bytes = character_bytes((const unsigned char *)text);
        if (bytes == 0) return false;
        text += bytes;
    }
    return true;
}

static void print_character(FILE *file, char c) {
    static const char escaped[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    const char *at = strchr(escaped, c);
    if (at) {
        fprintf(file, "\\%c", letters[at - escaped]);
    } else if ((unsigned char)c < 0x20) {
        fprintf(file, "\\u%04X", (unsigned)c);
    } else {
        fputc(c, file);
    }
}

void json_print_text(FILE *file, const char *text) {
    const bool readable = is_utf8(text);
    fputc('"', file);
    for (; *text; text++)
        print_character(file, !readable && (unsigned char)*text >= 0x80 ? '?' : *text);
    fputc('"', file);
}

bool json_print_number(FILE *file, double value) {
    struct strbuf number = {0};
    decimal_print(&number, value);
    char *text = strbuf_finish(&number);
    if (text) fputs(text, file);
    free(text);
    return text != NULL;
}

void quoted_add(struct strbuf *out, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=,.:/@%+-";
    strbuf_add(out, " ");
    if (*word && word[strspn(word, plain)] == '\0') {
        strbuf_add(out, "%s", word);
    } else if (!strpbrk(word, "\"$`\\!")) {
        strbuf_add(out, "\"%s\"", word);
    } else {
        strbuf_add(out, "'");
        for (; *word; word++) {
            if (*word == '\'') strbuf_add(out, "'\\'");
            strbuf_add(out, "%c", *word);
        }
        strbuf_add(out, "'");
    }
}

void quoted_add_owned(struct strbuf *out, char *word) {
    if (word) quoted_add(out, word);
    out->failed = out->failed || !word;
    free(word);
}
