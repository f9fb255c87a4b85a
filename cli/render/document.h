/**
 * Documents of objects and lists, written piece by piece. One description serves JSON and XML.
 *
 * In JSON, plain values, objects and lists are members of an object. In XML, plain values are
 * attributes, which must precede objects and lists; these are elements.
 */
#ifndef CLI_RENDER_DOCUMENT_H
#define CLI_RENDER_DOCUMENT_H

#include "cli/render/format.h"

/** Functions that write the pieces of a kind of document. */
struct document_kind {
    bool (*open)(struct document *document);
    void (*object)(struct document *document,
                   const char *name); /**< in a list, only XML uses the name */
    void (*list)(struct document *document, const char *name);
    void (*end)(struct document *document); /**< ends the innermost object or list */
    void (*text)(struct document *document, const char *name, const char *value);
    void (*integer)(struct document *document, const char *name, int64_t value);
    void (*number)(struct document *document, const char *name,
                   double value); /**< omitted if not finite */
    void (*boolean)(struct document *document, const char *name, bool value);
    void (*texts)(struct document *document, const char *name, const char *const values[],
                  int count);
    void (*numbers)(struct document *document, const char *name, const double values[], int count);
    void (*absent)(struct document *document,
                   const char *name); /**< a missing text: null in JSON, nothing in XML */
    void (*sentences)(struct document *document, const char *name, const char *item,
                      const char *const values[], int count);
    void (*sizes)(struct document *document,
                  const char *sizes); /**< `sizes` has the form of report_sizes() */
    void (*nest)(struct document *document, const struct row *row,
                 const struct tcplan_problem *problem); /**< may be NULL */
    void (*markup)(struct document *document,
                   const char *elements); /**< only XML: writes existing elements; NULL in others */
    void (*close)(struct document *document);
};

enum { DOCUMENT_DEPTH = 8 };

struct document {
    const struct document_kind *kind;
    struct writer *writer;
    struct tcplan_xml *xml; /**< XML only */
    int depth;
    bool on_one_line; /**< JSON only */
    struct {
        bool is_list;
        bool filled;
    } level[DOCUMENT_DEPTH]; /**< JSON only */
};

/** JSON, for documents without document_begin(), which need no end. */
extern const struct document_kind document_json;

/** Version of JSON and XML documents; increases when a member changes its name or meaning. See
 * docs/schema/. */
enum { DOCUMENT_SCHEMA = 2 };

/** Opens the object of a whole document, which begins with the version of the schema and of tcplan.
 */
void document_open(struct document *document, const char *name);

/** The functions of struct format, over any kind of document. */
void document_begin(struct writer *writer, const struct document_kind *kind);
void document_end(struct writer *writer);

/** A format that writes documents of the kind of its `begin`. */
#define DOCUMENT_FORMAT(begin_function)                                                            \
    { .begin = (begin_function), .view = view_document, .end = document_end }

/** Writes a text and frees it; notes NULL as out of memory. */
void document_text_owned(struct document *document, const char *name, char *text);

#endif
