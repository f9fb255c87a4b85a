/**
 * Output formats: one table of functions each, one file each.
 */
#ifndef CLI_RENDER_FORMAT_H
#define CLI_RENDER_FORMAT_H

#include "cli/render/algorithms/report.h"

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

/** Prints a text and frees it; notes NULL as out of memory. */
void writer_print_owned(struct writer *writer, char *text);

#endif
