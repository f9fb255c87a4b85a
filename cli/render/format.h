/**
 * Output formats: one table of functions each, one file each.
 */
#ifndef CLI_RENDER_FORMAT_H
#define CLI_RENDER_FORMAT_H

#include "cli/render/algorithms/report.h"

struct document;
struct row;
struct view;

/** An output in the making. */
struct writer {
    FILE *file;
    FILE *unwrapped; /**< of the text format, from begin to end: what `file` passes lines on to */
    int64_t points;  /**< size points: JSON and XML wrap several in a list */
    int64_t written; /**< reports or rows so far; counted by the caller, for separators */
    struct document *document; /**< of the formats that have one */
    bool no_memory;            /**< something is missing: memory ran out */
};

/** Functions that are NULL have nothing to write. */
struct format {
    void (*begin)(struct writer *writer); /**< before all */
    void (*view)(struct writer *writer, const struct view *view, const void *record);
    void (*end)(struct writer *writer); /**< after all, also where something failed */
};

extern const struct format format_text;
extern const struct format format_json;
extern const struct format format_csv;
extern const struct format format_xml;

/** The functions of an enum output_format. */
const struct format *format_of(int output_format);

/** Prints `machine ` and its CPU or, where that is not known, its source: the beginning of a line
 * of the text format. */
void format_text_machine_name(FILE *file, const struct tcplan_machine *machine);

/** Prints the line `machine ...` of the text format. */
void format_text_machine(struct writer *writer, const struct tcplan_machine *machine);

/** "double precision" */
const char *format_text_dtype(enum tcplan_dtype dtype);

/** Prints the lines `contraction ...` to `sizes ...` of the text format. */
void format_text_problem(struct writer *writer, const struct tcplan_problem *problem);

/** Prints the line `strides ...` of the text format, where some tensor has them. */
void format_text_strides(struct writer *writer, const struct tcplan_contraction *contraction);

/** Prints the loop nest of a row, indented by four spaces. */
void writer_print_nest(struct writer *writer, const struct row *row,
                       const struct tcplan_problem *problem);

/** Prints a text and frees it; NULL means that memory is out, which is noted. */
void writer_print_owned(struct writer *writer, char *text);

#endif
