/** Finds libraries of contractions that are installed with tcplan. */
#ifndef CLI_SHIPPED_H
#define CLI_SHIPPED_H

#include "base/strbuf.h"

/**
 * Returns the path of a library: the given path if the file exists or the path has folders,
 * otherwise the installed library of that name, with or without `.xml`, if it exists. The caller
 * frees the path with free(); NULL if memory runs out.
 */
char *shipped_find(const char *path);

/** Prints a suggestion on stderr: the installed library with the most similar name, if there is
 * one. */
void shipped_suggest(const char *name);

/** Appends the names of the installed libraries, separated by blanks. */
void shipped_offer(struct strbuf *out);

/** Returns the folder of the installed libraries, which the caller frees; NULL if memory runs
 * out. */
char *shipped_folder(void);

#endif
