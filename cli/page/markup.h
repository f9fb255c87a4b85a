/**
 * Text within HTML and SVG.
 */
#ifndef CLI_PAGE_MARKUP_H
#define CLI_PAGE_MARKUP_H

#include <stdio.h>

/** Writes a text so that it is nothing but text, within elements and quoted attributes: markup is
 * escaped, and anything that is no letter is shown as on a terminal. */
void markup_text(FILE *file, const char *text);

/** The same for at most `characters` of it; an ellipsis stands for the rest. */
void markup_shortened(FILE *file, const char *text, int characters);

#endif
