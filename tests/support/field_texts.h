/**
 * What documentation says about the fields of a result.
 */
#ifndef SUPPORT_FIELD_TEXTS_H
#define SUPPORT_FIELD_TEXTS_H

#include "cli/render/fields.h"

/** The JSON schema of an object whose members are the fields of a part, to be freed; each line is
 * indented by so many spaces. */
char *field_schema(const struct field *fields, unsigned part, int indent);

/** Tables in Markdown, to be freed: columns of text and members of a part. */
char *field_markdown(const struct field *fields, unsigned part);

#endif
