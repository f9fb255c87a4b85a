#include "gen/emit/joined.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"

/** Removes a word, which is between blanks, from the links. */
static void remove_link(struct strbuf *links, const char *word) {
    char *at = links->text ? strstr(links->text, word) : NULL;
    const size_t length = strlen(word) - 1; /* the blank after the word stays */
    if (!at) return;
    memmove(at, at + length, strlen(at + length) + 1);
    links->length -= length;
}

/* Moves each library to the end if it is listed already, because a static library must precede the
 * libraries that it needs. */
void emit_joined_add_links(struct emit_joined *joined, const char *libraries) {
    struct strbuf *links = &joined->links;
    for (const char *at = libraries; *at && *at != '\n';) {
        const size_t length = strcspn(at, " \n");
        struct strbuf word = {0};
        strbuf_add(&word, " %.*s ", (int)length, at);
        if (length > 0 && word.text) remove_link(links, word.text);
        if (length > 0) strbuf_add(links, "%s%.*s ", links->length > 0 ? "" : " ", (int)length, at);
        links->failed = links->failed || word.failed;
        strbuf_free(&word);
        at += length + (at[length] == ' ');
    }
}

enum tcplan_status emit_joined_add(struct emit_joined *joined, const char *text,
                                   const char *function, struct tcplan_error *error) {
    struct strbuf signature = {0};
    strbuf_add(&signature, "\nint %s(", function);
    if (signature.failed) return error_no_memory(error);
    const char *body = strstr(text, "*/\n");
    const char *found = body ? strstr(body, signature.text) : NULL;
    strbuf_free(&signature);
    if (!found)
        return error_set(error, TCPLAN_NOT_APPLICABLE, "'%.60s' is not a function of three tensors",
                         function);
    const char *links = strstr(text, "link: ");
    if (links && links < body) emit_joined_add_links(joined, links + strlen("link: "));
    strbuf_append(&joined->functions, body + 3, (size_t)(found + 1 - (body + 3)));
    strbuf_add(&joined->functions, "static %s\n", found + 1);
    return TCPLAN_OK;
}

void emit_joined_link(struct strbuf *out, const struct emit_joined *joined) {
    const struct strbuf *links = &joined->links;
    strbuf_add(out, "link:%.*s\n", links->text ? (int)links->length - 1 : 4,
               links->text ? links->text : " -lm");
    if (links->failed || joined->functions.failed) out->failed = true;
}

static bool begins(const char *text, const char *word) {
    return strncmp(text, word, strlen(word)) == 0;
}

/** Returns the length of a line with its end. */
static size_t line_length(const char *line) {
    const size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

/** Returns the length of the lines from an `#if` to its `#endif`, and of the blank line after it;
 * of one line if the text is no `#if`. */
static size_t block_length(const char *text) {
    size_t length = 0;
    int depth = 0;
    do {
        const char *line = text + length;
        depth += begins(line, "#if") - begins(line, "#endif");
        length += line_length(line);
    } while (depth > 0 && text[length]);
    return length + (length > line_length(text) && text[length] == '\n');
}

/** Returns whether the first `length` characters of a text contain a block. */
static bool contains(const char *text, size_t length, const char *block, size_t block_length) {
    for (size_t at = 0; at + block_length <= length; at += line_length(text + at)) {
        if (text[at] == '#' && memcmp(text + at, block, block_length) == 0) return true;
    }
    return false;
}

void emit_drop_repeats(struct strbuf *text) {
    size_t kept = 0, length;
    for (size_t at = 0; at < text->length; at += length) {
        const char *block = text->text + at;
        length = block_length(block);
        if (begins(block, "#ifndef") && contains(text->text, kept, block, length)) continue;
        memmove(text->text + kept, block, length);
        kept += length;
    }
    if (text->text) text->text[kept] = '\0';
    text->length = kept;
}

void emit_joined_free(struct emit_joined *joined) {
    strbuf_free(&joined->functions);
    strbuf_free(&joined->links);
}
