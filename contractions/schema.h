/**
 * Schemas of documents: tables against which the reader checks each element. schemas/NAME.rng are
 * the equivalents for other programs; a test compares both.
 */
#ifndef CONTRACTIONS_SCHEMA_H
#define CONTRACTIONS_SCHEMA_H

#include <stdbool.h>

enum { SCHEMA_ATTRIBUTES_MAX = 64, SCHEMA_CHILDREN_MAX = 8 };

/** An attribute of an element. */
struct schema_attribute {
    const char *name;                 /**< name of the attribute; NULL ends a table */
    bool (*holds)(const char *value); /**< returns whether a value is valid; NULL: every value is
                                         valid */
    const char *expected;             /**< description of a valid value, for messages */
    bool optional;
    const char *with; /**< name of an attribute that must be present, too; NULL: no other attribute
                         is needed */
};

/** A child element. */
struct schema_child {
    const char *name; /**< name of the element; NULL ends a table */
    int place; /**< position in the element: children must appear in ascending order of place */
    bool repeated;
    bool required;
};

struct schema_element {
    const char *name;       /**< name of the element; NULL ends a table */
    const char *attributes; /**< description of the attributes for messages: `name, formula and
                               maybe types` */
    const char *content;    /**< description of the children for messages: `title, source` */
    bool text;              /**< whether the element may contain text */
    const struct schema_attribute *attribute;
    const struct schema_child *child;
};

/** The elements of a document; the first is the root. */
struct schema {
    const struct schema_element *elements;
};

/** Returns the element of that name; NULL if the schema has none. */
const struct schema_element *schema_find_element(const struct schema *schema, const char *name);

extern const struct schema schema_library;
extern const struct schema schema_results;

#endif
