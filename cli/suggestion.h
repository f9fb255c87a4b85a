/**
 * Suggestions for mistyped words: "; did you mean 'rank'?"
 */
#ifndef CLI_SUGGESTION_H
#define CLI_SUGGESTION_H

#include "base/edit_distance.h"
#include "base/strbuf.h"
#include "tcplan/study/words.h"

/** The end of an error message; "" if no name is near. */
struct suggestion {
    char text[120];
};

/** @param mark  precedes the name, as `--`; not NULL */
struct suggestion suggestion_of(const struct nearest *nearest, const char *mark);

/** Suggests one of a list of words. */
struct suggestion suggestion_among(const struct tcplan_word *words, const char *typed);

/** Suggests one of the words that a function appends, with blanks between them. */
struct suggestion suggestion_offered(void (*offer)(struct strbuf *out), const char *typed);

#endif
