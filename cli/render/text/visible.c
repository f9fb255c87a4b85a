#include "cli/render/text/visible.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static bool continues(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

/** Returns the length of the first character if it is outside of ASCII and printable: not a control
 * character (U+0080 to U+009F), and valid in XML (no surrogate, U+FFFE or U+FFFF). Otherwise
 * returns 0. */
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

enum { USUAL_COLUMNS = 80 };

static bool wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    return !(no_colour && *no_colour) && kind && *kind && strcmp(kind, "dumb") != 0;
}

static FILE *announced_file;
static int announced_descriptor;

void terminal_announce(FILE *file, int descriptor) {
    const bool shown = isatty(descriptor);
    if (!shown && file != announced_file) return;
    announced_file = shown ? file : NULL;
    announced_descriptor = descriptor;
}

static int descriptor_of(FILE *file) {
    return file == announced_file ? announced_descriptor : fileno(file);
}

void terminal_pass_on(FILE *from, FILE *to) {
    announced_descriptor = descriptor_of(from);
    announced_file = to;
}

struct terminal terminal_of(FILE *file) {
    const int descriptor = descriptor_of(file);
    struct winsize size;
    if (descriptor < 0 || !isatty(descriptor)) return (struct terminal){0};
    const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return (struct terminal){.columns = known ? size.ws_col : USUAL_COLUMNS,
                             .coloured = wants_colour()};
}

void terminal_style(FILE *file, const struct terminal *terminal, enum terminal_style style) {
    static const char *const codes[] = {[STYLE_PLAIN] = "0",
                                        [STYLE_HEADING] = "1",
                                        [STYLE_BEST] = "1;32",
                                        [STYLE_GOOD] = "32",
                                        [STYLE_BAD] = "1;31"};
    if (terminal->coloured) fprintf(file, "\x1b[%sm", codes[style]);
}

enum { COLUMNS = 80, LABEL_COLUMNS = 16 };

void wrapped_print(FILE *file, const char *text, size_t column, size_t indent) {
    const size_t shown = terminal_of(file).columns,
                 columns = shown > 0 && shown < COLUMNS ? shown : COLUMNS;
    /* whether a line begins here: its first word is never moved to the next line */
    bool begins = true;
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (!begins && column + 1 + length > columns) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
            begins = true;
        }
        fprintf(file, "%s%.*s", begins ? "" : " ", (int)length, text);
        column += length + !begins;
        begins = false;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', file);
}

/* Whole streams. */

/** State of a stream that wraps lines: the current line. */
struct wrapping {
    FILE *file;
    size_t columns;
    char *line;
    size_t length, capacity;
};

/** Returns the number of bytes of one visible character, or of an escape sequence, whose width is
 * 0. */
static size_t step(const char *text, size_t length, size_t *width) {
    size_t bytes = 1;
    *width = 1;
    if (*text == '\x1b') {
        *width = 0;
        while (bytes < length && !strchr("ABCDEFGHJKSTfm", text[bytes])) bytes++;
        return bytes < length ? bytes + 1 : length;
    }
    while (bytes < length && ((unsigned char)text[bytes] & 0xC0) == 0x80) bytes++;
    return bytes;
}

/** Returns the indentation of continuation lines: that of the text after a label ("machine Intel"),
 * or slightly more than the line's own. */
static size_t indent_of(const char *line, size_t length) {
    size_t spaces = 0;
    while (spaces < length && line[spaces] == ' ') spaces++;
    if (spaces > 0) return spaces < LABEL_COLUMNS / 2 ? spaces + 2 : spaces;
    for (size_t at = 0; at + 2 < length && at < LABEL_COLUMNS; at++) {
        if (line[at] != ' ' || line[at + 1] != ' ') continue;
        while (at < length && line[at] == ' ') at++;
        return at;
    }
    return 0;
}

/** Returns how many bytes fit on a line: up to the last blank within the terminal's width; if there
 * is none, the whole first word. */
static size_t fitting(const char *text, size_t length, size_t columns) {
    size_t at = 0, column = 0, blank = 0, width;
    while (at < length) {
        const size_t bytes = step(text + at, length - at, &width);
        if (column + width > columns && blank > 0) return blank;
        if (text[at] == ' ' && at > 0 && text[at - 1] != ' ') blank = at;
        if (text[at] == ' ' && column == 0) blank = 0;
        at += bytes;
        column += width;
    }
    return length;
}

static void print_line(const struct wrapping *wrapping) {
    const char *text = wrapping->line;
    size_t left = wrapping->length, columns = wrapping->columns;
    size_t indent = indent_of(text, left);
    if (indent > wrapping->columns / 2) indent = 0;
    for (;;) {
        const size_t fits = fitting(text, left, columns);
        assert(fits > 0 || left == 0); /* Each pass of the loop must print something. */
        fprintf(wrapping->file, "%.*s", (int)fits, text);
        text += fits;
        left -= fits;
        for (; left > 0 && *text == ' '; left--) text++;
        if (left == 0) return;
        fprintf(wrapping->file, "\n%*s", (int)indent, "");
        columns = wrapping->columns - indent;
    }
}

static bool add(struct wrapping *wrapping, char letter) {
    if (wrapping->length == wrapping->capacity) {
        const size_t capacity = 2 * wrapping->capacity + 256;
        char *line = base_realloc(wrapping->line, capacity);
        if (!line) return false;
        wrapping->line = line;
        wrapping->capacity = capacity;
    }
    wrapping->line[wrapping->length++] = letter;
    return true;
}

static ssize_t write_part(void *context, const char *text, size_t length) {
    struct wrapping *wrapping = context;
    for (size_t b = 0; b < length; b++) {
        if (text[b] != '\n') {
            if (!add(wrapping, text[b])) return 0;
            continue;
        }
        print_line(wrapping);
        fputc('\n', wrapping->file);
        wrapping->length = 0;
    }
    return (ssize_t)length;
}

static int close_all(void *context) {
    struct wrapping *wrapping = context;
    if (wrapping->length > 0) print_line(wrapping);
    base_free(wrapping->line);
    base_free(wrapping);
    return 0;
}

FILE *wrapped_begin(FILE *file) {
    const size_t columns = terminal_of(file).columns;
    if (columns == 0) return file;
    struct wrapping *wrapping = base_alloc_zero(1, sizeof *wrapping);
    if (!wrapping) return NULL;
    *wrapping = (struct wrapping){.file = file, .columns = columns};
    FILE *wrapped = fopencookie(wrapping, "w",
                                (cookie_io_functions_t){.write = write_part, .close = close_all});
    if (!wrapped) {
        base_free(wrapping);
        return NULL;
    }
    terminal_pass_on(file, wrapped);
    return wrapped;
}

bool wrapped_end(FILE *wrapped, FILE *file) {
    if (wrapped == file) return true;
    terminal_pass_on(wrapped, file);
    return fclose(wrapped) == 0;
}
