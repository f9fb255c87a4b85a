#include "cli/format.h"

#include <stdlib.h>

const struct format *format_of(int output_format) {
    static const struct format *const formats[] = {
        [OUTPUT_TEXT] = &format_text, [OUTPUT_JSON] = &format_json, [OUTPUT_CSV] = &format_csv, [OUTPUT_XML] = &format_xml};
    return formats[output_format];
}

void writer_print_owned(struct writer *writer, char *text) {
    fputs(text ? text : "", writer->file);
    writer->no_memory = writer->no_memory || !text;
    free(text);
}
