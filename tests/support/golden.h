/**
 * Expected texts, kept in tests/golden.
 */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

/**
 * Fails the test where `text` differs from the file tests/golden/NAME; rewrites the file instead when the environment variable
 * TCPLAN_UPDATE_GOLDEN is set. tcplan's version stands as `@VERSION@` in the file.
 */
void golden_check(const char *name, const char *text);

#endif
