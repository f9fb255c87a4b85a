#include "cli/render/format.h"

#include <stdlib.h>
#include <string.h>

#include "cli/render/algorithms/row.h"

const struct format *format_of(int output_format) {
    static const struct format *const formats[] = {[OUTPUT_TEXT] = &format_text,
                                                   [OUTPUT_JSON] = &format_json,
                                                   [OUTPUT_CSV] = &format_csv,
                                                   [OUTPUT_XML] = &format_xml};
    return formats[output_format];
}

void writer_print_owned(struct writer *writer, char *text) {
    fputs(text ? text : "", writer->file);
    writer->no_memory = writer->no_memory || !text;
    free(text);
}

void writer_print_indented(FILE *file, const char *text) {
    for (const char *line = text; line && *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(file, "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void writer_print_nest(struct writer *writer, const struct row *row,
                       const struct tcplan_problem *problem) {
    char *nest = tcplan_nest_text(row->nest, problem, row->dtype);
    writer_print_indented(writer->file, nest);
    writer->no_memory = writer->no_memory || !nest;
    free(nest);
}
