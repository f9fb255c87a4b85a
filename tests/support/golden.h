/**
 * Expected texts, kept in tests/golden.
 */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

/**
 * Fails the test where `text` differs from the file tests/golden/NAME; rewrites the file instead
 * when the environment variable TCPLAN_UPDATE_GOLDEN is set. tcplan's version stands as `@VERSION@`
 * in the file.
 */
void golden_check(const char *name, const char *text);

/**
 * Fails the test where the lines between two lines of a file differ from `text`; replaces them
 * instead when the environment variable TCPLAN_UPDATE_GOLDEN is set.
 *
 * @param name  in the folder of the source tree
 * @param begin, end  the lines before and after, without their ends; each is there once
 */
void golden_check_part(const char *name, const char *begin, const char *end, const char *text);

/**
 * golden_check() of emitted C whose function is called `contract`, without the kernels of copies
 * and element-wise products in front of it, which are the same everywhere (emit/copies.c has those
 * of copies) and are cut out of `text`.
 */
void golden_check_function(const char *name, char *text);

#endif
