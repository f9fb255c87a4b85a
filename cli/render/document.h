/**
 * Documents of objects and lists, written piece by piece: the common side of JSON and XML, so that
 * their content is described once.
 *
 * In JSON, members of an object are its plain values and the objects and lists in it. In XML, plain
 * values are attributes, and so must come before objects and lists; an object or list is an
 * element.
 */
#ifndef CLI_RENDER_DOCUMENT_H
#define CLI_RENDER_DOCUMENT_H

#include "cli/render/format.h"

/** How a kind of document writes its pieces. */
struct document_kind {
    bool (*open)(struct document *document);
    void (*object)(struct document *document,
                   const char *name); /**< in a list the name is that of an XML element only */
    void (*list)(struct document *document, const char *name);
    void (*end)(struct document *document); /**< of the object or list opened last */
    void (*text)(struct document *document, const char *name, const char *value);
    void (*integer)(struct document *document, const char *name, int64_t value);
    void (*number)(struct document *document, const char *name,
                   double value); /**< left out where it is not finite */
    void (*boolean)(struct document *document, const char *name, bool value);
    void (*texts)(struct document *document, const char *name, const char *const values[],
                  int count);
    void (*numbers)(struct document *document, const char *name, const double values[], int count);
    void (*absent)(struct document *document,
                   const char *name); /**< a text that there is not: null in JSON, nothing in XML */
    void (*sentences)(struct document *document, const char *name, const char *item,
                      const char *const values[], int count);
    void (*sizes)(struct document *document,
                  const char *sizes); /**< `sizes`, told as report_sizes() does */
    void (*nest)(struct document *document, const struct row *row,
                 const struct tcplan_problem *problem); /**< may be NULL */
    void (*markup)(struct document *document,
                   const char *elements); /**< XML only: what is written already; NULL in others */
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

/** JSON, for documents that are not begun with document_begin(): they need no end. */
extern const struct document_kind document_json;

/** Of JSON and what is written like it: counted up where a member changes its name or meaning.
 * docs/schema/ says what there is. */
enum { DOCUMENT_SCHEMA = 2 };

/** Opens an object that is a document of its own: its schema and who writes it stand first. */
void document_open(struct document *document, const char *name);

/** The functions of struct format, over any kind of document. */
void document_begin(struct writer *writer, const struct document_kind *kind);
void document_end(struct writer *writer);

/** A format that is a kind of document, which its `begin` says. */
#define DOCUMENT_FORMAT(begin_function)                                                            \
    { .begin = (begin_function), .view = view_document, .end = document_end }

/** Writes a text and frees it; NULL means that memory is out, which is noted. */
void document_text_owned(struct document *document, const char *name, char *text);

#endif
