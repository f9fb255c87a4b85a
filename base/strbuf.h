/**
 * A string that grows. Out-of-memory is remembered and answered once, by strbuf_finish().
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

/** Zero-initialise before use. */
struct strbuf {
    char *text; /**< terminated once anything was added */
    size_t length;
    size_t capacity;
    bool failed;
};

/** Appends formatted text. */
void strbuf_add(struct strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Appends `length` characters. */
void strbuf_append(struct strbuf *buffer, const char *text, size_t length);

/** Appends room for `length` characters, for the caller to fill; NULL when memory is out. */
char *strbuf_extend(struct strbuf *buffer, size_t length);

/** Appends `count` copies of `c`. */
void strbuf_fill(struct strbuf *buffer, char c, size_t count);

/** Hands the text over, to be freed with free(), and empties the buffer; NULL when memory ran out
 * on the way. */
char *strbuf_finish(struct strbuf *buffer);

/**
 * Hands the text over to `*out` as strbuf_finish() does, where a status is TCPLAN_OK; else drops
 * it.
 *
 * @return the status; TCPLAN_NO_MEMORY when memory ran out on the way; `*out` is set only with
 *         TCPLAN_OK
 */
enum tcplan_status strbuf_give(struct strbuf *buffer, char **out, enum tcplan_status status,
                               struct tcplan_error *error);

/** Drops the text. */
void strbuf_free(struct strbuf *buffer);

#endif
