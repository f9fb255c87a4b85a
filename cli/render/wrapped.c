#include "cli/render/wrapped.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS = 80 };

void wrapped_print(FILE *file, const char *text, size_t column, size_t indent) {
    bool begins = true; /* a line, which has its first word wherever that ends */
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (!begins && column + 1 + length > COLUMNS) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
            begins = true;
        }
        fprintf(file, "%s%.*s", begins ? "" : " ", (int)length, text);
        column += length + !begins;
        begins = false;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', file);
}
