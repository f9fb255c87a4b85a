/** Symbols of libraries that are opened at run time. */
#ifndef MICROBENCH_SYMBOL_H
#define MICROBENCH_SYMBOL_H

#include <stdbool.h>

/**
 * Opens a library without exporting its symbols and binds it to its own symbols first. Without
 * this, a library's cblas_dgemm would call the dgemm_ that comes first in the symbol table of the
 * process, usually OpenBLAS's; and a program may contain another BLIS, for example through TBLIS.
 * @return NULL if it cannot be opened, with the reason in dlerror()
 */
void *symbol_library(const char *path);

/**
 * Stores the address of a function in `function`, a pointer to a function pointer of its type,
 * since ISO C does not convert between addresses of functions and data. Returns false, storing
 * NULL, if the library lacks it.
 */
bool symbol_find(void *library, const char *name, void *function);

#endif
