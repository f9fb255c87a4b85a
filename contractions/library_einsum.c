#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "contractions/library_item.h"

/* line = [ name ":" ] subscripts "," subscripts "->" subscripts shape shape ; shape = [ "(" ] [ number { "," number } [ "," ] ] [ ")" ] */

enum { FACTORS = 2 };

/** A line being read. */
struct einsum {
    struct library_item *item;
    const char *line;
    const char *at;
    struct strbuf sizes;
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void skip_blanks(struct einsum *einsum) {
    einsum->at += strspn(einsum->at, " \t");
}

static bool refuse(struct einsum *einsum, const char *at, size_t length, const char *message) {
    library_item_fault(einsum->item, einsum->line, (size_t)(at - einsum->line), length, "%s", message);
    return false;
}

/** The subscripts of both factors, behind blanks. */
static void find_subscripts(const char *formula, const char *subscript[FACTORS]) {
    const char *comma = strchr(formula, ',');
    subscript[0] = formula;
    subscript[1] = comma ? comma + 1 : formula + strlen(formula);
}

/** The next letter of subscripts, blanks skipped; NULL behind the last one. */
static const char *next_letter(const char *at) {
    at += strspn(at, " \t");
    return is_letter(*at) ? at : NULL;
}

/** Notes an extent; one index has one extent, wherever it is met. */
static bool add_extent(struct einsum *einsum, char index, const char *number, size_t length) {
    const char *known = einsum->sizes.text;
    for (; known && *known; known += strcspn(known, ","), known += *known == ',') {
        if (*known != index) continue;
        if (strcspn(known + 2, ",") == length && memcmp(known + 2, number, length) == 0) return true;
        library_item_fault(einsum->item, einsum->line, (size_t)(number - einsum->line), length,
                           "index '%c' has extent %.*s already, found %.*s", index, (int)strcspn(known + 2, ","), known + 2, (int)length,
                           number);
        return false;
    }
    strbuf_add(&einsum->sizes, "%s%c=%.*s", einsum->sizes.length > 0 ? "," : "", index, (int)length, number);
    return !einsum->sizes.failed;
}

/* shape, for the indices of one factor */
static bool read_shape(struct einsum *einsum, const char *subscript) {
    skip_blanks(einsum);
    const char *start = einsum->at;
    const char close = *start == '(' ? ')' : *start == '[' ? ']' : '\0';
    if (close) einsum->at++;
    for (const char *letter = next_letter(subscript); letter; letter = next_letter(letter + 1)) {
        if (close) skip_blanks(einsum);
        const size_t length = strspn(einsum->at, "0123456789");
        if (length == 0)
            return refuse(einsum, start, strcspn(start, " \t"), "expected one extent for each index of the factor, found fewer");
        if (!add_extent(einsum, *letter, einsum->at, length)) return false;
        einsum->at += length;
        if (close) skip_blanks(einsum);
        if (*einsum->at == ',' || *einsum->at == 'x') einsum->at++;
    }
    if (close) skip_blanks(einsum);
    if (close && *einsum->at == close) {
        einsum->at++;
    } else if (close || strchr(" \t", *einsum->at) == NULL) {
        return refuse(einsum, start, strcspn(start, " \t"), "expected one extent for each index of the factor, found more or no numbers");
    }
    return true;
}

/** Reads `NAME:`, if it is there. */
static bool read_name(struct einsum *einsum, struct arena *arena) {
    const char *colon = strchr(einsum->at, ':');
    if (!colon) return true;
    size_t length = (size_t)(colon - einsum->at);
    while (length > 0 && strchr(" \t", einsum->at[length - 1])) length--;
    if (length > 0) einsum->item->name = arena_strndup(arena, einsum->at, length);
    einsum->at = colon + 1;
    return einsum->item->name != NULL;
}

/* formula = subscripts "," subscripts "->" subscripts */
static bool read_formula(struct einsum *einsum, struct arena *arena) {
    skip_blanks(einsum);
    const char *start = einsum->at;
    const char *arrow = strstr(start, "->");
    if (!arrow) {
        refuse(einsum, start, strlen(start),
               "expected an einsum with its shapes, as ai,ibc->abc 64,8 8,64,64, or NAME | C | A | B | SIZES");
        einsum->item->formula = start;
        return true;
    }
    einsum->at = arrow + 2;
    skip_blanks(einsum);
    while (is_letter(*einsum->at)) einsum->at++;
    einsum->item->formula = arena_strndup(arena, start, (size_t)(einsum->at - start));
    return einsum->item->formula != NULL;
}

static void read_shapes(struct einsum *einsum) {
    const char *subscript[FACTORS];
    find_subscripts(einsum->item->formula, subscript);
    for (int f = 0; f < FACTORS; f++) {
        if (!read_shape(einsum, subscript[f])) return;
    }
    skip_blanks(einsum);
    if (*einsum->at) refuse(einsum, einsum->at, strlen(einsum->at), "expected the end behind two shapes");
}

bool library_read_einsum_line(struct library_item *item, char *line, struct arena *arena) {
    struct einsum einsum = {.item = item, .line = arena_strndup(arena, line, strlen(line))};
    if (!einsum.line) return false;
    einsum.at = einsum.line;
    bool good = read_name(&einsum, arena) && read_formula(&einsum, arena);
    if (good && item->fault.status == TCPLAN_OK) read_shapes(&einsum);
    if (good && einsum.sizes.length > 0) item->sizes = arena_strndup(arena, einsum.sizes.text, einsum.sizes.length);
    good = good && item->sizes && !einsum.sizes.failed;
    strbuf_free(&einsum.sizes);
    return good;
}
