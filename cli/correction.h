/**
 * Corrections of contractions in other spellings, such as C(a,b)=A(a,i)*B(i,b) or ab=ai*ib.
 */
#ifndef CLI_CORRECTION_H
#define CLI_CORRECTION_H

#include "base/edit_distance.h"
#include "base/strbuf.h"
#include "cli/diagnostics.h"
#include "tcplan/study/words.h"

/**
 * Returns the contraction in tcplan's notation, to be released with free(). Indices may be in
 * parentheses, brackets or braces, or follow the name directly; the result, `*`, or the names of
 * tensors may be missing. NULL: the text is not such a product, or already is in tcplan's notation.
 */
char *correction_of(const char *text);

/** Prints the command with a corrected contraction, if there is one: "try: tcplan rank ...". */
void correction_print(const struct options *options);

/** Prints the command that lists the names of all algorithms. */
void correction_print_list(const struct options *options);

/** Prints the command with these sizes, such as "try: tcplan rank ... --sizes ...". Frees `sizes`;
 * NULL means that memory ran out. */
void correction_print_command(const struct options *options, char *sizes);

/** Prints the command with a placeholder "i=..." for each index whose size is missing. */
void correction_print_sizes(const struct options *options, const char *const index[], int count);

/** The end of an error message, such as "; did you mean 'rank'?"; empty if no name is similar. */
struct suggestion {
    char text[120];
};

/**
 * Makes a suggestion from a nearest name.
 *
 * @param mark  text before the name, such as `--`; not NULL
 */
struct suggestion suggestion_of(const struct nearest *nearest, const char *mark);

/** Suggests the most similar word of a list. */
struct suggestion suggestion_among(const struct tcplan_word *words, const char *typed);

/** Suggests the most similar word among those that `offer` appends. */
struct suggestion suggestion_offered(void (*offer)(struct strbuf *out), const char *typed);

#endif
