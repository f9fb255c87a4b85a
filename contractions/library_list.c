#include <string.h>

#include "base/strbuf.h"
#include "contractions/library_item.h"

/* line = name "|" result "|" factor "|" factor "|" sizes [ "|" strides ] ; indices are letters */
enum { LEAST_PARTS = 5, PARTS };

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/** Cuts the line at its bars; returns the number of parts, PARTS + 1 where there are more. */
static int split(char *line, char *part[]) {
    int count = 0;
    for (char *at = line; at; count++) {
        if (count == PARTS) return PARTS + 1;
        char *bar = strchr(at, '|');
        if (bar) *bar = '\0';
        part[count] = library_trim(at);
        at = bar ? bar + 1 : NULL;
    }
    return count;
}

/** Indices of a tensor: letters only. */
static bool check_indices(struct library_item *item, const char *text, const char *indices, size_t offset) {
    for (const char *at = indices; *at; at++) {
        if (is_letter(*at)) continue;
        library_item_fault(item, text, offset + (size_t)(at - indices), 1, "expected an index, which is a letter, found '%c'",
                           *at >= ' ' && *at <= '~' ? *at : '?');
        return false;
    }
    return true;
}

static void add_tensor(struct strbuf *out, const char *name, const char *indices) {
    strbuf_add(out, "%s%s%s", name, *indices ? "_" : "", indices);
}

/** Hands a text over to the arena; NULL when memory is out. */
static const char *keep(struct strbuf *text, struct arena *arena) {
    const char *copy = text->failed ? NULL : arena_strndup(arena, text->text ? text->text : "", text->length);
    strbuf_free(text);
    return copy;
}

/* sizes = group { space group } ; blanks become the commas that sizes have between groups, except beside the signs of a group */
static const char *with_commas(const char *text, struct arena *arena) {
    static const char signs[] = "=:,";
    struct strbuf out = {0};
    while (*text) {
        const size_t word = strcspn(text, " \t");
        strbuf_add(&out, "%.*s", (int)word, text);
        text += word;
        const size_t blank = strspn(text, " \t");
        text += blank;
        if (blank == 0 || *text == '\0' || out.length == 0 || strchr(signs, *text) || strchr(signs, out.text[out.length - 1])) continue;
        strbuf_add(&out, ",");
    }
    return keep(&out, arena);
}

bool library_read_list_line(struct library_item *item, char *line, struct arena *arena) {
    char *part[PARTS + 1];
    const char *whole = arena_strndup(arena, line, strlen(line));
    if (!whole) return false;
    const int count = split(line, part);
    if (count < LEAST_PARTS || count > PARTS) {
        library_item_fault(item, whole, 0, strlen(whole), "expected NAME | C | A | B | SIZES, and maybe | STRIDES, found %s parts",
                           count > PARTS ? "more than 6"
                           : count == 1  ? "1"
                                         : "fewer than 5");
        item->formula = whole;
        return true;
    }
    if (*part[0]) item->name = arena_strndup(arena, part[0], strlen(part[0]));
    bool good = true;
    for (int p = 1; p <= 3 && good; p++) good = check_indices(item, whole, part[p], (size_t)(part[p] - line));
    struct strbuf formula = {0};
    add_tensor(&formula, "C", part[1]);
    add_tensor(&formula, "=A", part[2]);
    add_tensor(&formula, "*B", part[3]);
    item->formula = keep(&formula, arena);
    item->sizes = with_commas(part[4], arena);
    item->strides = count == PARTS ? arena_strndup(arena, part[5], strlen(part[5])) : "";
    return item->name && item->formula && item->sizes && item->strides;
}
