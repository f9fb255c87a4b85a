/** Writes text in HTML and SVG. */
#ifndef CLI_PAGE_MARKUP_H
#define CLI_PAGE_MARKUP_H

#include <stdio.h>

/** Writes plain text for elements and quoted attributes: escapes markup and control characters. */
void markup_text(FILE *file, const char *text);

/** Does the same as markup_text() for at most `characters` characters; an ellipsis replaces the
 * rest. */
void markup_shortened(FILE *file, const char *text, int characters);

#endif
