/** Functions of several emitted files in one file. */
#ifndef GEN_EMIT_JOINED_H
#define GEN_EMIT_JOINED_H

#include "base/strbuf.h"
#include "tcplan/status.h"

/** Emitted functions that become static ones. Zero-initialise before use. */
struct emit_joined {
    struct strbuf functions; /**< C text of the functions, each with its includes and helper
                                functions */
    struct strbuf links;     /**< the libraries to link, each once, with blanks around each */
};

/**
 * Adds the function of an emitted file (tcplan/emit.h) as a static one, without the file's comment.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if the text has no such function; TCPLAN_NO_MEMORY
 */
enum tcplan_status emit_joined_add(struct emit_joined *joined, const char *text,
                                   const char *function, struct tcplan_error *error);

/** Adds libraries, separated by blanks, to those to link. */
void emit_joined_add_links(struct emit_joined *joined, const char *libraries);

/** Appends a line for the file's comment: `link:` and the libraries, -lm if there are none. */
void emit_joined_link(struct strbuf *out, const struct emit_joined *joined);

/** Removes blocks from `#ifndef` to `#endif` that the file has before, such as the functions that
 * copies call. */
void emit_drop_repeats(struct strbuf *text);

void emit_joined_free(struct emit_joined *joined);

#endif
