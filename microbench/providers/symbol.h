/**
 * Symbols of libraries that are opened at run time.
 */
#ifndef MICROBENCH_SYMBOL_H
#define MICROBENCH_SYMBOL_H

#include <stdbool.h>

/**
 * Opens a library that keeps its symbols to itself and is bound to its own before all others: a
 * library's cblas_dgemm calls its own dgemm_ through the symbol table of the process, where
 * OpenBLAS's comes first, and a program may hold another BLIS, as one with TBLIS does.
 *
 * @return NULL: it cannot be opened, and dlerror() says why
 */
void *symbol_library(const char *path);

/**
 * Writes the address of a function to `function`, a pointer to a pointer to functions of its type;
 * ISO C knows no conversion between addresses of functions and of data. False, and NULL written,
 * where the library lacks it.
 */
bool symbol_find(void *library, const char *name, void *function);

#endif
