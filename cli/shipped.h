/**
 * Finds the libraries that are installed with tcplan by name.
 */
#ifndef CLI_SHIPPED_H
#define CLI_SHIPPED_H

#include "base/strbuf.h"

/**
 * Returns the path of a library: the given path if the file exists or the path has folders, else
 * the shipped library of that name, with or without `.xml`, if there is one. Free with free();
 * NULL: out of memory.
 */
char *shipped_find(const char *path);

/** Suggests on stderr the shipped library with the nearest name to an unknown one, if any. */
void shipped_suggest(const char *name);

/** Appends the names of the shipped libraries, with blanks between them. */
void shipped_offer(struct strbuf *out);

/** Returns the folder of the shipped libraries; free with free(); NULL: out of memory. */
char *shipped_folder(void);

#endif
