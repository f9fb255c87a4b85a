#include "cli/suggestion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct suggestion suggestion_of(const struct nearest *nearest, const char *mark) {
    struct suggestion out = {""};
    if (nearest->name)
        snprintf(out.text, sizeof out.text, "; did you mean '%s%s'?", mark, nearest->name);
    return out;
}

struct suggestion suggestion_among(const struct tcplan_word *words, const char *typed) {
    struct nearest nearest = {0};
    for (; words && words->word; words++) nearest_consider(&nearest, typed, words->word);
    return suggestion_of(&nearest, "");
}

struct suggestion suggestion_offered(void (*offer)(struct strbuf *out), const char *typed) {
    struct strbuf offered = {0};
    struct nearest nearest = {0};
    char *state;
    offer(&offered);
    char *words = strbuf_finish(&offered);
    for (char *word = words ? strtok_r(words, " ", &state) : NULL; word;
         word = strtok_r(NULL, " ", &state))
        nearest_consider(&nearest, typed, word);
    const struct suggestion out = suggestion_of(&nearest, "");
    free(words);
    return out;
}
