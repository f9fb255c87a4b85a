/**
 * Corrections of contractions in other spellings, such as C(a,b)=A(a,i)*B(i,b) or ab=ai*ib.
 */
#ifndef CLI_CORRECTION_H
#define CLI_CORRECTION_H

#include "cli/diagnostics.h"

/**
 * Returns the contraction in tcplan's notation, to be released with free(). Indices may be in
 * parentheses, brackets or braces, or follow the name directly; the result, `*`, or the names may
 * be missing. NULL: the text is not such a product, or is correct already.
 */
char *correction_of(const char *text);

/** Prints the command with a corrected contraction, if there is one: "try: tcplan rank ...". */
void correction_print(const struct options *options);

#endif
