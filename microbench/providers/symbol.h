/**
 * Symbols of libraries that are opened at run time.
 */
#ifndef MICROBENCH_SYMBOL_H
#define MICROBENCH_SYMBOL_H

#include <stdbool.h>

/**
 * Writes the address of a function to `function`, a pointer to a pointer to functions of its type; ISO C knows no conversion between addresses of
 * functions and of data. False, and NULL written, where the library lacks it.
 */
bool symbol_find(void *library, const char *name, void *function);

#endif
