#include "support/field_texts.h"

#include <string.h>

#include "base/strbuf.h"

static const char *type_of(const struct field *field) {
    static const char *const types[] = {
        [FIELD_TEXT] = "\"type\": \"string\"",
        [FIELD_INTEGER] = "\"type\": \"integer\", \"minimum\": 0",
        [FIELD_NUMBER] = "\"type\": \"number\", \"minimum\": 0",
        [FIELD_FLAG] = "\"type\": \"boolean\"",
        [FIELD_NAMES] = "\"type\": \"array\", \"items\": {\"type\": \"string\"}",
        [FIELD_NUMBERS] = "\"type\": \"array\", \"items\": {\"type\": \"number\"}",
        [FIELD_LIST] = "\"type\": \"array\""};
    return field->schema ? field->schema : types[field->kind];
}

char *field_schema(const struct field *fields, unsigned part, int indent) {
    struct strbuf out = {0};
    const char *separator = "";
    strbuf_add(&out, "%*s\"type\": \"object\",\n%*s\"additionalProperties\": false,\n", indent, "",
               indent, "");
    strbuf_add(&out, "%*s\"required\": [", indent, "");
    for (const struct field *field = fields; field->get; field++) {
        if (!(field->part & part) || !field->required) continue;
        strbuf_add(&out, "%s\"%s\"", separator, field->key);
        separator = ", ";
    }
    strbuf_add(&out, "],\n%*s\"properties\": {", indent, "");
    separator = "";
    for (const struct field *field = fields; field->get; field++) {
        if (!(field->part & part)) continue;
        strbuf_add(&out, "%s\n%*s\"%s\": {\"description\": \"%s\", %s}", separator, indent + 2, "",
                   field->key, field->says, type_of(field));
        separator = ",";
    }
    strbuf_add(&out, "\n%*s}\n", indent, "");
    return strbuf_finish(&out);
}

char *field_markdown(const struct field *fields, unsigned part) {
    struct strbuf out = {0};
    const struct field *field;
    strbuf_add(&out, "| column | is | member |\n|---|---|---|\n");
    for (int place = 0; (field = fields_next_column(fields, place)); place = field->column)
        strbuf_add(&out, "| %s%s | %s | %s%s%s |\n", field->heading,
                   field->verbose ? " (`-v`)" : "", field->says, field->key ? "`" : "",
                   field->key ? field->key : "", field->key ? "`" : "");
    strbuf_add(&out, "\n| member | is |\n|---|---|\n");
    for (field = fields; field->get; field++) {
        if (!(field->part & part)) continue;
        strbuf_add(&out, "| `%s`%s | %s |\n", field->key, field->csv > 0 ? "" : " (not in CSV)",
                   field->says);
    }
    return strbuf_finish(&out);
}
