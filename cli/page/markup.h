/**
 * Text within HTML and SVG.
 */
#ifndef CLI_PAGE_MARKUP_H
#define CLI_PAGE_MARKUP_H

#include <stdio.h>

/** Writes plain text within elements and quoted attributes: escapes markup, and shows control
 * characters as on a terminal. */
void markup_text(FILE *file, const char *text);

/** As markup_text(), for at most `characters`; an ellipsis replaces the rest. */
void markup_shortened(FILE *file, const char *text, int characters);

#endif
