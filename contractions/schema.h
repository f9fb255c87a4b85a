/**
 * The schemas, part of the program so that they are at hand wherever it is installed.
 */
#ifndef CONTRACTIONS_SCHEMA_H
#define CONTRACTIONS_SCHEMA_H

#include <stddef.h>

/** A RELAX NG schema in its XML form. */
struct schema {
    const char *name; /* of the file it was made from */
    const char *text;
};

/** What an element is made of, for messages. */
struct schema_element {
    const char *name;
    const char *attributes; /* as `name, formula and maybe types` */
    const char *content;    /* as `title, source` */
};

/** NULL where no schema has such an element. */
const struct schema_element *schema_find_element(const char *name);

/** The files themselves. */
extern const char schema_library_text[];
extern const char schema_results_text[];

extern const struct schema schema_library;
extern const struct schema schema_results;

#endif
