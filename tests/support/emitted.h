/**
 * Emitted C, compiled as strictly as tcplan promises and run.
 *
 * Files are made in a new folder below the current one and removed again.
 */
#ifndef SUPPORT_EMITTED_H
#define SUPPORT_EMITTED_H

#include <stdbool.h>
#include <stddef.h>

#include "support/naive.h"

/** A shared object made of emitted C. */
struct emitted;

/** Whether there is such a compiler. */
bool emitted_has_compiler(const char *compiler);

/**
 * Compiles and loads. The text is linked as its first `link: ` line says.
 *
 * @param compiler  NULL: the one that builds tcplan
 * @return to be given to emitted_free(); where the text does not compile the test fails with the
 *         compiler's words
 */
struct emitted *emitted_build(const char *compiler, const char *text);

/** Compiles without optimization, which takes a fifth of the time. For tests of the results: a test
 * of the same kind of text compiles with optimization, for its warnings and as people compile. */
struct emitted *emitted_build_unoptimized(const char *compiler, const char *text);

/** Has a compiler read the text, which takes a fraction of the time; where it objects the test
 * fails with its words. */
void emitted_check(const char *compiler, const char *text);

/** An emitted function's type, whatever the type of the elements; with an addend it is another, see
 * emitted_compute(). */
typedef int emitted_function(const void *A, const void *B, void *C);

/** A function by its name; where it is missing the test fails. */
emitted_function *emitted_find(const struct emitted *emitted, const char *name);

/** Calls a function of the contraction of a case on its tensors, the addend included; returns what
 * it returns. */
int emitted_compute(const struct emitted *emitted, const char *name,
                    const struct naive_case *naive);

void emitted_free(struct emitted *emitted);

/**
 * Compiles a whole program and runs it with one BLAS thread.
 *
 * @param output  receives what it printed
 * @return its exit status
 */
int emitted_run(const char *compiler, const char *text, char *output, size_t size);

/**
 * Makes one program of several, to be compiled at once: most of a compilation goes into headers.
 * It runs one after the other and prints `exit status N` behind each; their functions need
 * different names.
 *
 * @return to be freed
 */
char *emitted_joined(char *const text[], int count);

/** Runs a program as emitted_run(), compiled as by emitted_build_unoptimized(). */
int emitted_run_unoptimized(const char *compiler, const char *text, char *output, size_t size);

typedef int emitted_run_function(const char *compiler, const char *text, char *output, size_t size);

/** Runs drivers of products, joined, by one of the functions above. The test fails unless each
 * prints a line that begins with its title and says that its check passed. */
void emitted_check_drivers(emitted_run_function *run_text, const char *compiler, char *const text[],
                           int count, const char *const title[]);

#endif
