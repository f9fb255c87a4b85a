/**
 * Words of a shell command.
 */
#ifndef CLI_RENDER_TEXT_QUOTED_H
#define CLI_RENDER_TEXT_QUOTED_H

#include "base/strbuf.h"

/** Appends a blank and a word, which is quoted if a shell would change it. */
void quoted_add(struct strbuf *out, const char *word);

#endif
