/** Documentation of the fields of results. */
#ifndef SUPPORT_FIELD_TEXTS_H
#define SUPPORT_FIELD_TEXTS_H

#include "cli/render/fields.h"

/** Returns tables in Markdown, to be freed: columns of text, and members of documents. */
char *field_markdown(const struct field *fields);

#endif
