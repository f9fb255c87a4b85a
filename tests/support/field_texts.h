/** Documentation of the fields of results. */
#ifndef SUPPORT_FIELD_TEXTS_H
#define SUPPORT_FIELD_TEXTS_H

#include "cli/render/fields.h"

/** Returns Markdown tables that describe all fields: columns of text, and members of documents. To
 * be freed. */
char *field_markdown(const struct field *fields);

#endif
