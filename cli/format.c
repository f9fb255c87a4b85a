#include "cli/format.h"

const struct format *format_of(int output_format) {
    static const struct format *const formats[] = {
        [OUTPUT_TEXT] = &format_text, [OUTPUT_JSON] = &format_json, [OUTPUT_CSV] = &format_csv, [OUTPUT_XML] = &format_xml};
    return formats[output_format];
}
