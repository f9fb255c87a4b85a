/**
 * Output formats: one table of functions each, one file each.
 */
#ifndef CLI_RENDER_FORMAT_H
#define CLI_RENDER_FORMAT_H

#include "cli/request.h"

struct document;
struct row;
struct view;

/** An output under construction. */
struct writer {
    FILE *file;
    FILE *unwrapped; /**< of the text format: the stream below the line wrapping of `file` */
    int64_t points;  /**< size points: JSON and XML wrap several in a list */
    int64_t written; /**< reports or rows so far; counted by the caller, for separators */
    struct document *document; /**< of document formats */
    uint64_t warned;           /**< providers (bits) whose advice is printed */
    int64_t disturbed;         /**< sizes of a sweep that other load disturbed */
    bool no_memory;            /**< output is incomplete */
};

/** NULL functions write nothing. */
struct format {
    void (*begin)(struct writer *writer); /**< first */
    void (*view)(struct writer *writer, const struct view *view, const void *record);
    void (*end)(struct writer *writer); /**< last, even after an error */
};

extern const struct format format_text;
extern const struct format format_json;
extern const struct format format_csv;
extern const struct format format_xml;

/** The functions of an enum output_format. */
const struct format *format_of(int output_format);

/** Prints `machine ` and its CPU or, if unknown, its source, without ending the line. */
void format_text_machine_name(FILE *file, const struct tcplan_machine *machine);

/** Prints the line `machine ...` of the text format. */
void format_text_machine(struct writer *writer, const struct tcplan_machine *machine);

/** "double precision" */
const char *format_text_dtype(enum tcplan_dtype dtype);

/** Prints "C_ab=A_ai*B_ib   a=b=400,i=8   2.56 MFLOP   double precision, column-major", without
 * ending the line. */
void format_text_heading(struct writer *writer, const struct tcplan_problem *problem);

/** Prints the lines `contraction ...` to `sizes ...` of the text format. */
void format_text_problem(struct writer *writer, const struct tcplan_problem *problem);

/** Prints the line `strides ...` of the text format, if a tensor has strides. */
void format_text_strides(struct writer *writer, const struct tcplan_contraction *contraction);

/** Prints a text with four spaces in front of each line; nothing if it is NULL. */
void writer_print_indented(FILE *file, const char *text);

/** Prints the loop nest of a row, indented by four spaces. */
void writer_print_nest(struct writer *writer, const struct row *row,
                       const struct tcplan_problem *problem);

/** Prints a text between others and frees it; notes NULL as out of memory. */
void writer_print_owned(struct writer *writer, const char *before, char *text, const char *after);

/** Prints the file with the C code, or the command that writes it, in one line, so that it can be
 * copied; frees it. */
void writer_print_emission(struct writer *writer, char *command);

/* Documents of objects and lists, written piece by piece. One description serves JSON and XML.
 *
 * In JSON, plain values, objects and lists are members of an object. In XML, plain values are
 * attributes, which must precede objects and lists; these are elements. */

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
