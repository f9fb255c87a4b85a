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
 * The same of emitted C whose function is called `contract`, without the kernels of copies and
 * element-wise products in front of it, which are the same everywhere (emit/copies.c has those of
 * copies) and are cut out of `text`.
 */
void golden_check_function(const char *name, char *text);

#endif
