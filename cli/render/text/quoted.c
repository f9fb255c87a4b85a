#include "cli/render/text/quoted.h"

#include <string.h>

void quoted_add(struct strbuf *out, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=,.:/@%+-";
    strbuf_add(out, " ");
    if (*word && word[strspn(word, plain)] == '\0') {
        strbuf_add(out, "%s", word);
    } else if (!strpbrk(word, "\"$`\\!")) {
        strbuf_add(out, "\"%s\"", word);
    } else {
        strbuf_add(out, "'");
        for (; *word; word++) {
            if (*word == '\'') strbuf_add(out, "'\\'");
            strbuf_add(out, "%c", *word);
        }
        strbuf_add(out, "'");
    }
}
