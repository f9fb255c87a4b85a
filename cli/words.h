/**
 * A command in one text as words, for programs that are run without a shell.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

/** Ended by NULL; words and pointers are one block. */
struct words {
    char **word;
    int count;
};

/**
 * Splits a text at blanks. Quotes and backslashes keep what is in or behind them together, as sh
 * has it; nothing is expanded.
 *
 * @param out    to be freed with words_free() where NULL was returned
 * @return NULL; or what is wrong: an open quote, no word, no memory
 */
const char *words_split(struct words *out, const char *text);

void words_free(struct words *words);

#endif
