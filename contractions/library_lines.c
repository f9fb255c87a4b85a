#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "contractions/library_item.h"

void library_item_fault(struct library_item *item, const char *text, size_t offset, size_t length,
                        const char *format, ...) {
    char message[TCPLAN_MESSAGE_SIZE];
    va_list arguments;
    if (item->fault.status != TCPLAN_OK) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_at(&item->fault, TCPLAN_INVALID, offset, length, "%s", message);
    item->fault_text = text;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

char *library_trim(char *text) {
    while (is_space(*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && is_space(text[length - 1])) text[--length] = '\0';
    return text;
}

static enum tcplan_status open_lines(struct library_reader *reader, struct tcplan_error *error) {
    (void)reader;
    (void)error;
    return TCPLAN_OK;
}

/** Returns whether a line is read as a list line: the format is TCPLAN_LIBRARY_LIST; or it is any
 * format but einsum, and the line has a bar. */
static bool is_list_line(const struct library_reader *reader, const char *line) {
    return reader->format == TCPLAN_LIBRARY_LIST ||
           (reader->format != TCPLAN_LIBRARY_EINSUM && strchr(line, '|'));
}

/** Returns whether a line is read in TCCG's format: the format is TCPLAN_LIBRARY_TCCG; or any
 * format is accepted, and the line has TCCG's form. */
static bool is_tccg_line(const struct library_reader *reader, const char *line) {
    return reader->format == TCPLAN_LIBRARY_TCCG ||
           (reader->format == TCPLAN_LIBRARY_ANY && library_is_tccg_line(line));
}

/** Makes an item from a non-empty line. */
static enum tcplan_status read_item(struct library_reader *reader, struct library_item *item,
                                    char *line, struct tcplan_error *error) {
    struct strbuf name = {0};
    strbuf_add(&name, "line%zu", reader->input.number);
    *item = (struct library_item){.group = "",
                                  .size_class = "",
                                  .source = "",
                                  .formula = "",
                                  .sizes = "",
                                  .line = reader->input.number,
                                  .settings = reader->defaults};
    item->name = name.failed ? NULL : arena_strndup(&reader->texts, name.text, name.length);
    strbuf_free(&name);
    if (!item->name) return error_no_memory(error);
    if (is_tccg_line(reader, line)) return library_read_tccg(item, reader, line, error);
    const bool list = is_list_line(reader, line);
    const bool done = list ? library_read_list_line(item, line, &reader->texts)
                           : library_read_einsum_line(item, line, &reader->texts);
    return done ? TCPLAN_OK : error_no_memory(error);
}

enum tcplan_status library_next_text(char **out, struct library_reader *reader,
                                     struct tcplan_error *error) {
    for (;;) {
        enum tcplan_status status = line_input_next(&reader->input, out, error);
        char *line = *out;
        if (status != TCPLAN_OK || !line) return status;
        if (reader->input.number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) line += 3;
        line[strcspn(line, "#")] = '\0';
        *out = library_trim(line);
        if (**out) return TCPLAN_OK;
    }
}

static enum tcplan_status next_line(struct library_reader *reader, struct library_item *item,
                                    bool *got, struct tcplan_error *error) {
    char *line = reader->held;
    *got = false;
    reader->held = NULL;
    enum tcplan_status status = line ? TCPLAN_OK : library_next_text(&line, reader, error);
    if (status != TCPLAN_OK || !line) return status;
    arena_free(&reader->texts);
    status = read_item(reader, item, line, error);
    *got = status == TCPLAN_OK;
    return status;
}

static void close_lines(struct library_reader *reader) {
    arena_free(&reader->texts);
}

const struct library_reader library_reader_lines = {
    .open = open_lines, .next = next_line, .close = close_lines};
