/** Compares texts with golden files in tests/golden. */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

/**
 * Fails the test if `text` differs from the file tests/golden/NAME. If the environment variable
 * TCPLAN_UPDATE_GOLDEN is set, rewrites the file instead. The file has `@VERSION@` in place of
 * tcplan's version.
 */
void golden_check(const char *name, const char *text);

/**
 * Fails the test if the lines between two lines of a file differ from `text`. If the environment
 * variable TCPLAN_UPDATE_GOLDEN is set, replaces them instead.
 * @param name        path in the source tree
 * @param begin, end  the lines before and after, without newlines; each occurs once
 */
void golden_check_part(const char *name, const char *begin, const char *end, const char *text);

/**
 * Checks emitted C with a function `contract` as golden_check() does, but removes from `text` the
 * kernels of copies and element-wise products before it, which are the same everywhere
 * (emit/copies.c contains those of copies).
 */
void golden_check_function(const char *name, char *text);

/**
 * Checks emitted C as golden_check() does, without its kernels of copies of doubles and its memory
 * of temporaries. They are removed from `text`, and must be those of the golden file
 * emit/collapsed.c.
 */
void golden_check_without_copies(const char *name, char *text);

#endif
