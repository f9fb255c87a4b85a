/**
 * Schemas of documents, as tables against which the reader checks every element. schemas/NAME.rng
 * are the equivalents for other programs; a test compares both.
 */
#ifndef CONTRACTIONS_SCHEMA_H
#define CONTRACTIONS_SCHEMA_H

#include <stdbool.h>

enum { SCHEMA_ATTRIBUTES_MAX = 64, SCHEMA_CHILDREN_MAX = 8 };

/** One attribute of an element. */
struct schema_attribute {
    const char *name;                 /**< NULL ends a table */
    bool (*holds)(const char *value); /**< whether it may have this value; NULL: any */
    const char *expected;             /**< the expected content, for messages */
    bool optional;
    const char *with; /**< only together with this one; NULL: alone */
};

/** One kind of element within another. */
struct schema_child {
    const char *name; /**< NULL ends a table */
    int place;        /**< never behind one of a higher place */
    bool repeated;
    bool required;
};

struct schema_element {
    const char *name;       /**< NULL ends a table */
    const char *attributes; /**< in words, for messages: as `name, formula and maybe types` */
    const char *content;    /**< likewise: as `title, source` */
    bool text;              /**< has text */
    const struct schema_attribute *attribute;
    const struct schema_child *child;
};

/** A document's elements, the root first. */
struct schema {
    const struct schema_element *elements;
};

/** NULL where the schema has no such element. */
const struct schema_element *schema_find_element(const struct schema *schema, const char *name);

extern const struct schema schema_library;
extern const struct schema schema_results;

#endif
