/**
 * Reads a stream of bytes line by line, with a lookahead.
 */
#ifndef CONTRACTIONS_LINE_INPUT_H
#define CONTRACTIONS_LINE_INPUT_H

#include "base/strbuf.h"
#include "tcplan/xml.h"

enum { LINE_BYTES_MAX = 1 << 20, LINE_BUFFER = 4096 };

/** State of reading lines. Zero-initialise, then set the public members. */
struct line_input {
    tcplan_read_fn *read;
    void *context;
    bool failed;   /**< whether `read` returned -1 */
    size_t number; /**< number of the last line read, from 1 */
    size_t at;     /**< position in the buffer; private, as are all members that follow */
    size_t length;
    bool ended;
    struct strbuf text;
    char buffer[LINE_BUFFER];
};

/** Returns the first byte that is not a space, without consuming it; '\0' if the buffer contains
 * only spaces. May be called only before anything was read. */
char line_input_peek(struct line_input *input);

/** Reads the input that is not consumed yet; implements tcplan_read_fn. `context` is a struct
 * line_input. */
ptrdiff_t line_input_read(void *context, char *buffer, size_t size);

/**
 * Reads the next line without its end (LF or CR LF); NUL bytes become \x01, which no format
 * accepts. *out is NULL at the end, also if reading fails.
 * @return TCPLAN_OK; TCPLAN_INVALID if the line is longer than LINE_BYTES_MAX; TCPLAN_NO_MEMORY
 */
enum tcplan_status line_input_next(struct line_input *input, char **out,
                                   struct tcplan_error *error);

void line_input_free(struct line_input *input);

#endif
