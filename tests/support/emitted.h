/**
 * Compiles emitted C, with the warnings that tcplan's documentation promises to avoid, and
 * executes it. Files are in a new folder in the working directory, which is removed afterwards.
 */
#ifndef SUPPORT_EMITTED_H
#define SUPPORT_EMITTED_H

#include <stdbool.h>
#include <stddef.h>

#include "support/naive.h"

/** A shared object made from emitted C. */
struct emitted;

/** Returns whether a compiler is available. */
bool emitted_has_compiler(const char *compiler);

/**
 * Compiles and loads a text, linked according to its first `link: ` line.
 * @param compiler NULL: the compiler that builds tcplan
 * @return to be freed with emitted_free(); if the text does not compile, the test fails with the
 *     compiler's messages
 */
struct emitted *emitted_build(const char *compiler, const char *text);

/** Like emitted_build(), but without optimization, which takes a fifth of the time; for tests of
 * results. For warnings, another test must compile similar text with optimization. */
struct emitted *emitted_build_unoptimized(const char *compiler, const char *text);

/** Checks the syntax of a text with a compiler, which is faster than compiling. If there are errors
 * or warnings, the test fails with the compiler's messages. */
void emitted_check(const char *compiler, const char *text);

/** An emitted function for any element type. With a separate addend it has another parameter: see
 * emitted_compute(). */
typedef int emitted_function(const void *A, const void *B, void *C);

/** Finds a function by its name; fails the test if it is missing. */
emitted_function *emitted_find(const struct emitted *emitted, const char *name);

/** Calls an emitted function on the tensors of a case, including its addend; returns the function's
 * result. */
int emitted_compute(const struct emitted *emitted, const char *name,
                    const struct naive_case *naive);

void emitted_free(struct emitted *emitted);

/**
 * Compiles a whole program, and runs it with one BLAS thread.
 * @param output  receives what it printed
 * @return its exit status
 */
int emitted_run(const char *compiler, const char *text, char *output, size_t size);

/**
 * Joins several programs to one, which compiles faster. It runs them one after the other, and
 * prints `exit status N` after each. Their functions must have different names.
 *
 * @return to be freed
 */
char *emitted_joined(char *const text[], int count);

/** Runs a program as emitted_run() does, compiled as by emitted_build_unoptimized(). */
int emitted_run_unoptimized(const char *compiler, const char *text, char *output, size_t size);

typedef int emitted_run_function(const char *compiler, const char *text, char *output, size_t size);

/** Joins drivers of products, and runs them by emitted_run() or emitted_run_unoptimized(). The test
 * fails unless each driver prints a line that begins with its title, and reports that its check
 * passed. */
void emitted_check_drivers(emitted_run_function *run_text, const char *compiler, char *const text[],
                           int count, const char *const title[]);

#endif
