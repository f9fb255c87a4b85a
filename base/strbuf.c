#include "base/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/format.h"

static bool reserve(struct strbuf *buffer, size_t extra) {
    if (buffer->failed) return false;
    if (extra < buffer->capacity - buffer->length) return true;
    size_t capacity = (buffer->capacity + extra + 1) * 2;
    char *text = extra < SIZE_MAX / 4 && buffer->capacity < SIZE_MAX / 4
                     ? base_realloc(buffer->text, capacity)
                     : NULL;
    buffer->failed = !text;
    if (!text) return false;
    buffer->text = text;
    buffer->capacity = capacity;
    return true;
}

char *strbuf_extend(struct strbuf *buffer, size_t length) {
    if (!reserve(buffer, length)) return NULL;
    char *room = buffer->text + buffer->length;
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
    return room;
}

void strbuf_append(struct strbuf *buffer, const char *text, size_t length) {
    char *room = strbuf_extend(buffer, length);
    if (room) memcpy(room, text, length);
}

void strbuf_fill(struct strbuf *buffer, char c, size_t count) {
    char *room = strbuf_extend(buffer, count);
    if (room) memset(room, c, count);
}

void strbuf_add(struct strbuf *buffer, const char *format, ...) {
    const size_t room =
        buffer->capacity - buffer->length; /* a text that fits is printed only once */
    va_list arguments;
    va_start(arguments, format);
    const int length = format_plain_arguments(room > 0 ? buffer->text + buffer->length : NULL, room,
                                              format, arguments);
    va_end(arguments);
    /* after a failed conversion, strbuf_finish() returns NULL */
    buffer->failed = buffer->failed || length < 0;
    if (buffer->failed || !reserve(buffer, (size_t)length)) return;
    if ((size_t)length >= room) {
        va_start(arguments, format);
        format_plain_arguments(buffer->text + buffer->length, (size_t)length + 1, format,
                               arguments);
        va_end(arguments);
    }
    buffer->length += (size_t)length;
}

char *strbuf_finish(struct strbuf *buffer) {
    strbuf_fill(buffer, ' ', 0);
    char *text = buffer->failed ? NULL : buffer->text;
    if (buffer->failed) base_free(buffer->text);
    *buffer = (struct strbuf){0};
    return text;
}

enum tcplan_status strbuf_give(struct strbuf *buffer, char **out, enum tcplan_status status,
                               struct tcplan_error *error) {
    char *text = strbuf_finish(buffer);
    if (status == TCPLAN_OK && !text) status = error_no_memory(error);
    if (status == TCPLAN_OK) {
        *out = text;
    } else {
        free(text);
    }
    return status;
}

void strbuf_free(struct strbuf *buffer) {
    base_free(buffer->text);
    *buffer = (struct strbuf){0};
}
