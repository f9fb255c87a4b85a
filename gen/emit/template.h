/**
 * Templates: the fixed text of emitted files, kept in separate files (gen/templates). EMIT_name is
 * replaced by a value; if it is alone on a line, apart from a `;` or `,` that makes it valid C, it
 * is replaced together with the line. There are no other features: repeated and optional text is
 * also a value.
 */
#ifndef GEN_EMIT_TEMPLATE_H
#define GEN_EMIT_TEMPLATE_H

#include <stdint.h>

#include "base/strbuf.h"

enum { TEMPLATE_VALUES = 64 };

/** The values of a template. Zero-initialise before use. */
struct template_values {
    struct strbuf text; /**< texts of all values, concatenated */
    struct template_value {
        const char *name;
        size_t start;
    } value[TEMPLATE_VALUES];
    int count;
};

/** Begins the value of EMIT_name: text added to the returned buffer belongs to it until the next
 * value begins. */
struct strbuf *template_value(struct template_values *values, const char *name);

/** Sets the value of EMIT_name to a number. */
void template_number(struct template_values *values, const char *name, int64_t number);

/** Adds a template with its values. If several names match (EMIT_function and EMIT_function_small),
 * the longest counts. */
void template_add(struct strbuf *out, const struct template_values *values, const char *text);

/** Adds the part before or after the line of EMIT_name, for a file that is written in pieces. */
void template_add_before(struct strbuf *out, const struct template_values *values, const char *text,
                         const char *name);
void template_add_behind(struct strbuf *out, const struct template_values *values, const char *text,
                         const char *name);

void template_free(struct template_values *values);

#endif
