#include "support/field_texts.h"

#include <string.h>

#include "base/strbuf.h"

/** Returns whether CSV has a column with this name. */
static bool is_column(const struct field *fields, const char *key) {
    for (; fields->get || fields->each; fields++) {
        const char *heading = fields->csv_key ? fields->csv_key : fields->key;
        if (fields->csv > 0 && strcmp(heading, key) == 0) return true;
    }
    return false;
}

char *field_markdown(const struct field *fields) {
    struct strbuf out = {0};
    const struct field *field;
    strbuf_add(&out, "| column | is | member |\n|---|---|---|\n");
    for (int place = 0; (field = fields_next_column(fields, place)); place = field->column)
        strbuf_add(&out, "| %s%s | %s | %s%s%s |\n", field->heading,
                   field->verbose ? " (`-v`)" : "", field->says, field->hidden ? "" : "`",
                   field->hidden ? "" : field->key, field->hidden ? "" : "`");
    strbuf_add(&out, "\n| member | is |\n|---|---|\n");
    for (field = fields; field->get || field->each; field++) {
        if (field->hidden) continue;
        strbuf_add(&out, "| `%s`%s | %s |\n", field->key,
                   is_column(fields, field->key) ? "" : " (not in CSV)", field->says);
    }
    return strbuf_finish(&out);
}
