/** Output formats. Each has a table of functions, in a file of its own. */
#ifndef CLI_RENDER_FORMAT_H
#define CLI_RENDER_FORMAT_H

#include "cli/request.h"

struct document;
struct row;
struct view;

/** State of writing an output. */
struct writer {
    FILE *file;
    FILE *unwrapped; /**< text format: the stream that does not wrap lines */
    int64_t points;  /**< number of size points; JSON and XML put the results of several points in a
                        list */
    int64_t written; /**< number of reports or rows written so far; the caller counts them */
    struct document *document; /**< the document; NULL: the format is text or CSV */
    uint64_t warned;           /**< providers whose advice was printed, as bits */
    int64_t disturbed; /**< number of sizes of a sweep during which other load disturbed the timing
                        */
    bool no_memory;    /**< whether memory ran out, so that output is incomplete */
};

/** Functions of an output format. A NULL function writes nothing. */
struct format {
    void (*begin)(struct writer *writer); /**< first */
    void (*view)(struct writer *writer, const struct view *view, const void *record);
    void (*end)(struct writer *writer); /**< ends the output; called even after an error */
};

extern const struct format format_text;
extern const struct format format_json;
extern const struct format format_csv;
extern const struct format format_xml;

/** Returns the functions of an enum output_format. */
const struct format *format_of(int output_format);

/** Prints `machine ` and the CPU's name; if that is unknown, the origin of the machine. Prints no
 * newline. */
void format_text_machine_name(FILE *file, const struct tcplan_machine *machine);

/** Prints the line `machine ...` of the text format. */
void format_text_machine(struct writer *writer, const struct tcplan_machine *machine);

/** "double precision" */
const char *format_text_dtype(enum tcplan_dtype dtype);

/** Prints the problem without a newline, such as "C_ab=A_ai*B_ib a=b=400,i=8 2.56 MFLOP double
 * precision, column-major". */
void format_text_heading(struct writer *writer, const struct tcplan_problem *problem);

/** Prints the lines `contraction ...` to `sizes ...` of the text format. */
void format_text_problem(struct writer *writer, const struct tcplan_problem *problem);

/** Prints the line `strides ...` of the text format if a tensor has strides. */
void format_text_strides(struct writer *writer, const struct tcplan_contraction *contraction);

/** Prints a text with four spaces before each line; prints nothing if the text is NULL. */
void writer_print_indented(FILE *file, const char *text);

/** Prints the loop nest of a row, indented by four spaces. */
void writer_print_nest(struct writer *writer, const struct row *row,
                       const struct tcplan_problem *problem);

/** Prints a text between two other texts, and frees it. NULL is recorded as running out of
 * memory. */
void writer_print_owned(struct writer *writer, const char *before, char *text, const char *after);

/** Prints a label and a command, or the name of a file that was written, on one line for copying.
 * Frees `command`. */
void writer_print_command(struct writer *writer, const char *label, char *command);

/* Documents of objects and lists, written piece by piece. One description serves JSON and XML.
 *
 * In JSON, plain values, objects and lists are members of an object. In XML, plain values are
 * attributes, which must precede objects and lists, which are elements. */

enum { DOCUMENT_DEPTH = 8 };

struct document {
    struct writer *writer;
    struct tcplan_xml *xml; /**< writer of XML; NULL: the format is JSON */
    int depth;
    bool on_one_line; /**< JSON: whether the object is written on one line */
    struct {
        bool is_list;
        bool filled;
    } level[DOCUMENT_DEPTH]; /**< JSON: state of each open object or list */
};

/** Version of JSON and XML documents. It increases when a member changes its name or meaning. See
 * docs/schema/. */
enum { DOCUMENT_SCHEMA = 2 };

/** Opens the object of the whole document, which begins with the versions of the schema and of
 * tcplan. */
void document_open(struct document *document, const char *name);

/** Begin an object or a list. A name is needed even inside a list, because XML uses it for the
 * element. */
void document_object(struct document *document, const char *name);
void document_list(struct document *document, const char *name);

/** Ends the innermost object or list. */
void document_close(struct document *document);

/* Write plain values. Numbers that are infinite or NaN are omitted. */
void document_text(struct document *document, const char *name, const char *value);
void document_integer(struct document *document, const char *name, int64_t value);
void document_number(struct document *document, const char *name, double value);
void document_flag(struct document *document, const char *name, bool value);
void document_texts(struct document *document, const char *name, const char *const values[],
                    int count);
void document_numbers(struct document *document, const char *name, const double values[],
                      int count);

/** Writes a missing text: null in JSON, nothing in XML. */
void document_absent(struct document *document, const char *name);

/** Writes several texts. In XML, each is an element called `item`. */
void document_sentences(struct document *document, const char *name, const char *item,
                        const char *const values[], int count);

/** Writes the member `sizes`, with an object in JSON; `sizes` has the form of report_sizes(). */
void document_sizes(struct document *document, const char *sizes);

/** Writes the member `nest`; the problem may be NULL. */
void document_nest(struct document *document, const struct row *row,
                   const struct tcplan_problem *problem);

/** Writes a text and frees it. NULL is recorded as running out of memory. */
void document_text_owned(struct document *document, const char *name, char *text);

#endif
