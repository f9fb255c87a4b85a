#include "contractions/line_input.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

/** Reads more input into the buffer, if there is room; returns false at the end. */
static bool fill(struct line_input *input) {
    if (input->at == input->length) input->at = input->length = 0;
    if (input->ended || input->length == LINE_BUFFER) return false;
    const ptrdiff_t count =
        input->read(input->context, input->buffer + input->length, LINE_BUFFER - input->length);
    input->failed = count < 0;
    input->ended = count <= 0;
    assert(count <= (ptrdiff_t)(LINE_BUFFER - input->length)); /* The callback must not return more
                                                                  bytes than were requested. */
    if (count > 0) input->length += (size_t)count;
    return count > 0;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

char line_input_peek(struct line_input *input) {
    size_t at = 0;
    do {
        if (input->length >= 3 && memcmp(input->buffer, "\xef\xbb\xbf", 3) == 0 && at < 3) at = 3;
        while (at < input->length && is_space(input->buffer[at])) at++;
        if (at < input->length && !(at < 3 && input->length < 3 && input->buffer[at] == '\xef'))
            return input->buffer[at];
    } while (fill(input));
    return '\0';
}

ptrdiff_t line_input_read(void *context, char *buffer, size_t size) {
    struct line_input *input = context;
    if (input->at == input->length) fill(input);
    assert(input->at <= input->length && input->length <= LINE_BUFFER);
    const size_t rest = input->length - input->at;
    const size_t count = rest < size ? rest : size;
    if (input->failed && count == 0) return -1;
    memcpy(buffer, input->buffer + input->at, count);
    input->at += count;
    return (ptrdiff_t)count;
}

/** Appends bytes to the line and replaces NUL bytes by \x01. */
static void take(struct line_input *input, size_t count) {
    const size_t length = input->text.length;
    strbuf_fill(&input->text, '\x01', count);
    if (input->text.failed) return;
    for (size_t i = 0; i < count; i++) {
        const char c = input->buffer[input->at + i];
        if (c != '\0') input->text.text[length + i] = c;
    }
}

/** Appends the buffered part of the line. Returns true if this completes the line. */
static bool take_piece(struct line_input *input) {
    const char *start = input->buffer + input->at;
    const char *end = memchr(start, '\n', input->length - input->at);
    const size_t count = end ? (size_t)(end - start) : input->length - input->at;
    take(input, count);
    input->at += count + (end != NULL);
    assert(input->at <= input->length);
    return end != NULL;
}

enum tcplan_status line_input_next(struct line_input *input, char **out,
                                   struct tcplan_error *error) {
    *out = NULL;
    input->text.length = 0;
    bool some = false, whole = false;
    while (!whole && (input->at < input->length || fill(input))) {
        some = true;
        whole = take_piece(input);
        if (input->text.failed) return error_no_memory(error);
        if (input->text.length <= LINE_BYTES_MAX) continue;
        error_set(error, TCPLAN_INVALID, "expected a line of at most %d bytes", LINE_BYTES_MAX);
        if (error) error->line = input->number + 1;
        return TCPLAN_INVALID;
    }
    if (!some || input->failed) return TCPLAN_OK;
    input->number++;
    strbuf_fill(&input->text, ' ', 0);
    if (input->text.failed) return error_no_memory(error);
    if (input->text.length > 0 && input->text.text[input->text.length - 1] == '\r')
        input->text.text[--input->text.length] = '\0';
    *out = input->text.text;
    return TCPLAN_OK;
}

void line_input_free(struct line_input *input) {
    strbuf_free(&input->text);
}
