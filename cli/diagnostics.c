#include "cli/diagnostics.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/options/options.h"
#include "cli/output/progress.h"
#include "cli/render/text/visible.h"

struct tcplan_error failure;

static const char *program = "tcplan";

void program_set(const char *typed) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
    if (strchr(typed, '/') && strspn(typed, plain) == strlen(typed)) program = typed;
}

const char *program_name(void) {
    return program;
}

enum {
    WINDOW = 76, /* number of columns of the input that are shown */
    PIECE = 5,   /* bytes of the longest escape, `\x1b`, and the terminator */
    MESSAGE_SIZE = 1024
};

/** One byte of the input in printed form: unchanged or escaped. */
struct piece {
    char text[PIECE];
    size_t width;
};

static struct piece show(char c) {
    struct piece piece = {.width = 1};
    const unsigned char byte = (unsigned char)c;
    if (byte >= ' ' && byte <= '~') {
        piece.text[0] = c;
    } else if (byte == '\t') {
        piece.text[0] = ' ';
    } else {
        piece.width = (size_t)snprintf(piece.text, sizeof piece.text, "\\x%02x", byte);
    }
    return piece;
}

/** Returns the width in columns of bytes [from, to) of a text, at most up to its end. */
static size_t width_of(const char *text, size_t from, size_t to) {
    size_t width = 0;
    for (size_t i = from; i < to && text[i]; i++) width += show(text[i]).width;
    return width;
}

/** Returns the position of the first byte such that the text from there to byte `to` fits into
 * `width` columns. */
static size_t start_before(const char *text, size_t to, size_t width) {
    size_t start = to;
    while (start > 0 && width_of(text, start - 1, to) <= width) start--;
    return start;
}

/** Returns the first byte of the window to show. The window contains the mark, some text before the
 * mark, and as much text as possible. */
static size_t window_start(const char *text, size_t length, size_t mark) {
    const size_t seen = start_before(text, mark, WINDOW / 2);
    const size_t filled = start_before(text, length, WINDOW);
    return seen < filled ? seen : filled;
}

/** Prints as many bytes from `start` as fit in the window; returns the position after the last
 * printed byte. */
static size_t print_window(const char *text, size_t start) {
    size_t end = start;
    fputs(start > 0 ? "  ..." : "  ", stderr);
    for (size_t width = 0; text[end] && width < WINDOW; end++) {
        struct piece piece = show(text[end]);
        fputs(piece.text, stderr);
        width += piece.width;
    }
    fputs(text[end] ? "...\n" : "\n", stderr);
    return end;
}

static void print_times(char c, size_t count) {
    while (count-- > 0) fputc(c, stderr);
}

/** Shows the text with `length` bytes at `mark` underlined by `^~~`. */
static void print_marked(const char *text, size_t mark, size_t length) {
    size_t text_length = 0;
    while (text[text_length]) text_length++;
    if (mark > text_length) mark = text_length;
    const size_t start = window_start(text, text_length, mark);
    const size_t end = print_window(text, start);
    const size_t marked_to = mark + length < end ? mark + length : end;
    const size_t width = marked_to > mark ? width_of(text, mark, marked_to) : 1;
    print_times(' ', (start > 0 ? 5 : 2) + width_of(text, start, mark));
    const struct terminal terminal = terminal_of(stderr);
    terminal_style(stderr, &terminal, STYLE_BEST);
    fputc('^', stderr);
    print_times('~', width - 1);
    terminal_style(stderr, &terminal, STYLE_PLAIN);
    fputc('\n', stderr);
}

/** Prints a message, wrapped to the width of a terminal. */
static void print_message(const char *message) {
    static const char prefix[] = "tcplan: ";
    const size_t indent = sizeof prefix - 1;
    progress_clear();
    const struct terminal terminal = terminal_of(stderr);
    char *shown = terminal.columns > 0 ? visible_text(message) : NULL;
    terminal_style(stderr, &terminal, STYLE_HEADING);
    fputs(prefix, stderr);
    terminal_style(stderr, &terminal, STYLE_PLAIN);
    if (shown && indent + visible_width(shown) > terminal.columns) {
        wrapped_print(stderr, shown, indent, indent);
    } else {
        visible_print(stderr, message);
        fputc('\n', stderr);
    }
    free(shown);
}

static void print_formatted(const char *prefix, const char *format, va_list arguments) {
    char message[MESSAGE_SIZE];
    const int start = snprintf(message, sizeof message, "%s", prefix);
    vsnprintf(message + start, sizeof message - (size_t)start, format, arguments);
    print_message(message);
}

void diagnose(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_formatted("", format, arguments);
    va_end(arguments);
}

enum exit_status diagnose_as(enum exit_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_formatted("", format, arguments);
    va_end(arguments);
    return status;
}

enum exit_status options_refuse(const struct options *options, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_formatted("", format, arguments);
    va_end(arguments);
    return options_usage(options);
}

void note(const struct options *options, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!options->quiet) print_formatted("note: ", format, arguments);
    va_end(arguments);
}

void diagnose_note(const char *text, size_t column, size_t length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_formatted("note: ", format, arguments);
    va_end(arguments);
    print_marked(text, column - 1, length);
}

enum exit_status diagnose_error(const struct tcplan_error *error, const char *text) {
    diagnose("%s", error->message);
    if (text && *text && error->column > 0) print_marked(text, error->column - 1, error->length);
    const bool blameless = error->status == TCPLAN_NO_MEMORY ||
                           error->status == TCPLAN_ENVIRONMENT || error->status == TCPLAN_BUSY;
    return blameless ? EXIT_ENVIRONMENT : EXIT_REFUSED;
}

enum exit_status diagnose_failure(const char *text) {
    return diagnose_error(&failure, text);
}

enum exit_status diagnose_advised(enum tcplan_status status, const char *advice) {
    const enum exit_status refused = diagnose_failure(NULL);
    if (failure.status == status) fprintf(stderr, "%s\n", advice);
    return refused;
}

enum exit_status diagnosed(enum tcplan_status status) {
    progress_clear();
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_failure(NULL);
}

enum exit_status diagnose_no_memory(void) {
    error_no_memory(&failure);
    return diagnose_failure(NULL);
}
