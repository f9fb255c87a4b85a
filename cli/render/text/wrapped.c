#include "cli/render/text/wrapped.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "cli/render/text/terminal.h"

enum { COLUMNS = 80, LABEL_COLUMNS = 16 };

void wrapped_print(FILE *file, const char *text, size_t column, size_t indent) {
    const size_t shown = terminal_of(file).columns,
                 columns = shown > 0 && shown < COLUMNS ? shown : COLUMNS;
    bool begins = true; /* a line, whose first word always fits */
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

/** The state of a wrapped stream: the line so far. */
struct wrapping {
    FILE *file;
    size_t columns;
    char *line;
    size_t length, capacity;
};

/** Returns the bytes of one visible character, or of an escape sequence without width. */
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

/** Returns the indentation of continuation lines: below the text after a label ("machine Intel"),
 * or a little right of an indented line. */
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

/** Returns the bytes that fit: up to the last blank within the terminal's width, or a whole longer
 * word. */
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
        assert(fits > 0 || left == 0); /* or it would not end */
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
