#include "cli/render/text/csv_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

/** Whether spreadsheets would run a text as a formula (OWASP, CSV injection); an apostrophe
 * prevents this. */
static bool is_formula(const char *value) {
    return *value && strchr("=+-@\t\r", *value) && value[1];
}

void csv_add_text(struct csv_line *line, const char *value) {
    const bool quoted = strpbrk(value, ",\"\r\n") != NULL;
    strbuf_add(&line->text, "%s%s%s", line->started ? "," : "", quoted ? "\"" : "",
               is_formula(value) ? "'" : "");
    for (; *value; value++) strbuf_add(&line->text, "%s%c", *value == '"' ? "\"" : "", *value);
    strbuf_add(&line->text, "%s", quoted ? "\"" : "");
    line->started = true;
}

void csv_add_integer(struct csv_line *line, int64_t value) {
    strbuf_add(&line->text, "%s%lld", line->started ? "," : "", (long long)value);
    line->started = true;
}

void csv_add_number(struct csv_line *line, bool known, double value) {
    csv_add_text(line, "");
    if (known) decimal_print(&line->text, value);
}

void csv_add_names(struct csv_line *line, const char *const names[], int count) {
    csv_add_text(line, "");
    for (int i = 0; i < count; i++) strbuf_add(&line->text, "%s%s", i > 0 ? " " : "", names[i]);
}

bool csv_print(struct csv_line *line, FILE *file) {
    char *text = strbuf_finish(&line->text);
    if (text) fprintf(file, "%s\n", text);
    free(text);
    line->started = false;
    return text != NULL;
}
