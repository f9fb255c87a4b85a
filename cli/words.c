#include "cli/words.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

/** Copies the quoted text at `*at`; false: an open quote. */
static bool copy_quoted(char **to, const char **at) {
    const char quote = *(*at)++;
    for (; **at && **at != quote; (*at)++) {
        const char next = (*at)[1];
        if (quote == '"' && **at == '\\' &&
            (next == '"' || next == '\\' || next == '$' || next == '`'))
            (*at)++;
        *(*to)++ = **at;
    }
    if (**at != quote) return false;
    (*at)++;
    return true;
}

/** Copies a word and ends it. */
static bool copy_word(char **to, const char **at) {
    while (**at && !is_blank(**at)) {
        if (**at == '\'' || **at == '"') {
            if (!copy_quoted(to, at)) return false;
            continue;
        }
        if (**at == '\\' && (*at)[1]) (*at)++;
        *(*to)++ = *(*at)++;
    }
    *(*to)++ = '\0';
    return true;
}

const char *words_split(struct words *out, const char *text) {
    const size_t length = strlen(text),
                 most = length / 2 + 2; /* words of one letter with a blank between them */
    char **word = base_alloc(most * sizeof *word + length + 2);
    if (!word) return "out of memory";
    char *to = (char *)(word + most);
    int count = 0;
    for (const char *at = text;;) {
        while (is_blank(*at)) at++;
        if (!*at) break;
        word[count++] = to;
        if (copy_word(&to, &at)) continue;
        base_free(word);
        return "a quote is not closed";
    }
    word[count] = NULL;
    *out = (struct words){.word = word, .count = count};
    if (count > 0) return NULL;
    words_free(out);
    return "expected a program and its arguments";
}

void words_free(struct words *words) {
    base_free(words->word);
    *words = (struct words){0};
}
