/**
 * Text within HTML and SVG.
 */
#ifndef CLI_PAGE_MARKUP_H
#define CLI_PAGE_MARKUP_H

#include <stdio.h>

/** Writes a text so that it is nothing but text, within elements and quoted attributes: markup is
 * escaped, what is no character of XML becomes U+FFFD. */
void markup_text(FILE *file, const char *text);

/** The same for at most `characters` of it; an ellipsis stands for the rest. */
void markup_shortened(FILE *file, const char *text, int characters);

#endif
