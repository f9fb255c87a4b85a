/**
 * Emitted C: compiled with the strict warnings that tcplan promises, and executed.
 *
 * Files are created in a new folder below the current one, and removed again.
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
 * @param compiler  NULL: the one that builds tcplan
 * @return to be freed with emitted_free(); if the text does not compile, the test fails with the
 *     compiler's messages
 */
struct emitted *emitted_build(const char *compiler, const char *text);

/** Compiles without optimization, which takes a fifth of the time, for tests of results. Another
 * test with the same kind of text must compile with optimization, for its warnings, and because
 * users do. */
struct emitted *emitted_build_unoptimized(const char *compiler, const char *text);

/** Checks the syntax of a text with a compiler, which takes a fraction of the time; if there are
 * errors or warnings, the test fails with its messages. */
void emitted_check(const char *compiler, const char *text);

/** Type of an emitted function, for every element type; with an addend it differs, see
 * emitted_compute(). */
typedef int emitted_function(const void *A, const void *B, void *C);

/** Finds a function by its name; fails the test if it is missing. */
emitted_function *emitted_find(const struct emitted *emitted, const char *name);

/** Calls a function for the contraction of a case on its tensors, including the addend; returns its
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
 * Joins several programs to one, to be compiled at once: most of a compilation's time is spent on
 * headers. It runs them one after the other, and prints `exit status N` after each; their
 * functions need different names.
 * @return to be freed
 */
char *emitted_joined(char *const text[], int count);

/** Runs a program as emitted_run() does, compiled as by emitted_build_unoptimized(). */
int emitted_run_unoptimized(const char *compiler, const char *text, char *output, size_t size);

typedef int emitted_run_function(const char *compiler, const char *text, char *output, size_t size);

/** Joins drivers of products, and runs them by one of the functions above. Fails the test unless
 * each prints a line that starts with its title, and reports that its check passed. */
void emitted_check_drivers(emitted_run_function *run_text, const char *compiler, char *const text[],
                           int count, const char *const title[]);

#endif
