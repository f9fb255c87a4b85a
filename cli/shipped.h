/**
 * The libraries that are installed with tcplan, found by name wherever it was installed.
 */
#ifndef CLI_SHIPPED_H
#define CLI_SHIPPED_H

#include "base/strbuf.h"

/**
 * Where a library is: the path itself where there is such a file or where it has folders, else the
 * shipped library of that name, with or without `.xml`, if there is one. To be freed with free();
 * NULL when memory is out.
 */
char *shipped_find(const char *path);

/** Says on stderr which shipped library may be meant by a name that neither a file nor a library
 * has, where one is near. */
void shipped_suggest(const char *name);

/** Appends the names of the shipped libraries, with blanks between them. */
void shipped_offer(struct strbuf *out);

/** The folder of the shipped libraries, to be freed with free(); NULL when memory is out. */
char *shipped_folder(void);

#endif
