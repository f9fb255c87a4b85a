/**
 * Splits a command line into words, to run programs without a shell.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

/** Ended by NULL; words and pointers are one block. */
struct words {
    char **word;
    int count;
};

/**
 * Splits a text at blanks. Quotes and backslashes protect characters as in sh; nothing is expanded.
 *
 * @param out    free with words_free() if NULL was returned
 * @return NULL, or an error: an open quote, no word, no memory
 */
const char *words_split(struct words *out, const char *text);

void words_free(struct words *words);

#endif
