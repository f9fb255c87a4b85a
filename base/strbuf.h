/** A growing string. It remembers that memory ran out; strbuf_finish() reports it once. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

/** Zero-initialise before use. */
struct strbuf {
    char *text; /**< the text, terminated after the first addition */
    size_t length;
    size_t capacity;
    bool failed;
};

/** Appends formatted text. */
void strbuf_add(struct strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Appends `length` characters. */
void strbuf_append(struct strbuf *buffer, const char *text, size_t length);

/** Extends the text by `length` characters, which the caller fills; returns their address, NULL if
 * out of memory. */
char *strbuf_extend(struct strbuf *buffer, size_t length);

/** Appends `count` copies of `c`. */
void strbuf_fill(struct strbuf *buffer, char c, size_t count);

/** Returns the text, to be released with free(), and empties the buffer; returns NULL if memory ran
 * out. */
char *strbuf_finish(struct strbuf *buffer);

/**
 * If `status` is TCPLAN_OK, stores the text in `*out` and empties the buffer, as strbuf_finish();
 * else frees the text.
 *
 * @return the status; TCPLAN_NO_MEMORY if memory ran out; `*out` is set only with TCPLAN_OK
 */
enum tcplan_status strbuf_give(struct strbuf *buffer, char **out, enum tcplan_status status,
                               struct tcplan_error *error);

/** Frees the text. */
void strbuf_free(struct strbuf *buffer);

#endif
