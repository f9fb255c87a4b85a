/**
 * Templates: the fixed text of emitted files, in files of its own (gen/templates). EMIT_name in it
 * stands for a value; alone on a line, with a `;` or `,` behind it that makes it C, it stands for
 * the whole line. There is nothing else: what repeats or may be missing is a value, too.
 */
#ifndef GEN_EMIT_TEMPLATE_H
#define GEN_EMIT_TEMPLATE_H

#include "base/strbuf.h"

enum { TEMPLATE_VALUES = 64 };

/** The values of a template. Zero-initialise before use. */
struct template_values {
    struct strbuf text; /**< of all values, one behind the other */
    struct template_value {
        const char *name;
        size_t start;
    } value[TEMPLATE_VALUES];
    int count;
};

/** Begins the value of EMIT_name: what is added to the buffer that is returned, until the next
 * value begins. */
struct strbuf *template_value(struct template_values *values, const char *name);

/** Adds a template. Where a name begins with the names of several values (EMIT_function_small), the
 * longest of them counts. */
void template_add(struct strbuf *out, const struct template_values *values, const char *text);

/** Its parts before and behind the line of EMIT_name, for a file that is written piece by piece. */
void template_add_before(struct strbuf *out, const struct template_values *values, const char *text,
                         const char *name);
void template_add_behind(struct strbuf *out, const struct template_values *values, const char *text,
                         const char *name);

void template_free(struct template_values *values);

#endif
