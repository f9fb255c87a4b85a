#include <assert.h>
#include <string.h>

#include "base/strbuf.h"
#include "contractions/library_item.h"

/*
 * line  = name "|" ( formula | result "|" factor "|" factor ) "|" sizes { "|" extra }
 * extra = strides | { setting }
 *
 * A result or factor is a word of letters, one for each index. An extra with a "=" holds strides.
 * Strides and settings occur at most once each.
 */
enum { MOST_PARTS = 7 };

/** A line split at its bars. */
struct parts {
    const char *line; /* the whole line, for messages */
    int count;        /* number of parts; MOST_PARTS + 1 if there are more than MOST_PARTS */
    char *text[MOST_PARTS];
    size_t offset[MOST_PARTS]; /* offset of each part in the line */
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void split(struct parts *parts, char *line) {
    char *at = line, *bar;
    do {
        if (parts->count++ == MOST_PARTS) return;
        bar = strchr(at, '|');
        if (bar) *bar = '\0';
        parts->text[parts->count - 1] = library_trim(at);
        parts->offset[parts->count - 1] = (size_t)(parts->text[parts->count - 1] - line);
        at = bar ? bar + 1 : at;
    } while (bar);
}

/** Checks that a part has only letters, the indices of a tensor. */
static void check_indices(struct library_item *item, const struct parts *parts, int part) {
    for (const char *at = parts->text[part]; *at; at++) {
        if (is_letter(*at)) continue;
        library_item_fault(
            item, parts->line, parts->offset[part] + (size_t)(at - parts->text[part]), 1,
            "expected an index letter, found '%c'", *at >= ' ' && *at <= '~' ? *at : '?');
        return;
    }
}

static void add_tensor(struct strbuf *out, const char *name, const char *indices) {
    strbuf_add(out, "%s%s%s", name, *indices ? "_" : "", indices);
}

const char *library_formula_of_indices(const char *const indices[3], struct arena *arena) {
    struct strbuf text = {0};
    add_tensor(&text, "C", indices[0]);
    add_tensor(&text, "=A", indices[1]);
    add_tensor(&text, "*B", indices[2]);
    const char *copy = text.failed ? NULL : arena_strndup(arena, text.text, text.length);
    strbuf_free(&text);
    return copy;
}

static const char *formula_of_parts(struct library_item *item, const struct parts *parts,
                                    struct arena *arena) {
    const char *const indices[3] = {parts->text[1], parts->text[2], parts->text[3]};
    for (int p = 1; p <= 3; p++) check_indices(item, parts, p);
    return library_formula_of_indices(indices, arena);
}

enum { MOST_WEIGHT_DIGITS = 9 };

/* weight = "x" digit { digit }, above 0 */
static bool take_weight(struct library_settings *settings, const char *word, size_t length) {
    int64_t weight = 0;
    if (length < 2 || length > 1 + MOST_WEIGHT_DIGITS || word[0] != 'x') return false;
    for (size_t i = 1; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') return false;
        weight = 10 * weight + (word[i] - '0');
    }
    if (weight > 0) settings->weight = weight;
    return weight > 0;
}

/** Reads a setting: a type, a storage order or a weight. Returns false for any other word. */
static bool take_setting(struct library_settings *settings, const char *word, size_t length) {
    enum tcplan_dtype dtype;
    const bool is_row_major =
        length == strlen("row-major") && memcmp(word, "row-major", length) == 0;
    const bool is_column_major =
        length == strlen("column-major") && memcmp(word, "column-major", length) == 0;
    if (is_row_major || is_column_major)
        settings->order = is_row_major ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
    if (is_row_major || is_column_major || take_weight(settings, word, length)) return true;
    if (length != 1 || !tcplan_dtype_from_letter(*word, &dtype)) return false;
    settings->dtype[0] = dtype;
    settings->dtype_count = 1;
    return true;
}

/* settings = { "s" | "d" | "c" | "z" | "row-major" | "column-major" | weight } */
static void read_settings(struct library_item *item, const struct parts *parts, int part) {
    const char *text = parts->text[part];
    while (*text) {
        const size_t length = strcspn(text, " \t");
        if (!take_setting(&item->settings, text, length)) {
            library_item_fault(
                item, parts->line, parts->offset[part] + (size_t)(text - parts->text[part]), length,
                "expected strides such as A=1,400, or s, d, c, z, row-major, column-major or a "
                "weight such as x12, found '%.*s'",
                length > 40 ? 40 : (int)length, text);
            return;
        }
        text += length;
        text += strspn(text, " \t");
    }
}

/** Reads the parts after the sizes; returns false if memory runs out. */
static bool read_extras(struct library_item *item, const struct parts *parts, int first,
                        struct arena *arena) {
    bool has_settings = false;
    item->strides = "";
    for (int p = first; p < parts->count; p++) {
        const char *text = parts->text[p];
        const bool is_strides = strchr(text, '=') != NULL;
        if (is_strides ? *item->strides != '\0' : has_settings && *text) {
            library_item_fault(item, parts->line, parts->offset[p], strlen(text),
                               "expected %s once",
                               is_strides ? "strides" : "type, order and weight");
        } else if (is_strides) {
            item->strides = arena_strndup(arena, text, strlen(text));
            if (!item->strides) return false;
        } else {
            read_settings(item, parts, p);
            has_settings = has_settings || *text;
        }
    }
    return true;
}

static bool is_formula(const struct parts *parts) {
    return parts->count > 1 && strpbrk(parts->text[1], "=,");
}

/** Records a fault unless a line has `least` to `least` + 2 parts. */
static void check_count(struct library_item *item, const struct parts *parts, int least) {
    if (parts->count >= least && parts->count <= least + 2) return;
    library_item_fault(
        item, parts->line, 0, strlen(parts->line),
        "expected NAME | FORMULA | SIZES or NAME | C | A | B | SIZES, optionally followed by | "
        "STRIDES | TYPE ORDER WEIGHT, found %s%d parts",
        parts->count > MOST_PARTS ? "more than " : "",
        parts->count > MOST_PARTS ? MOST_PARTS : parts->count);
}

bool library_read_list_line(struct library_item *item, char *line, struct arena *arena) {
    struct parts parts = {.line = arena_strndup(arena, line, strlen(line))};
    if (!parts.line) return false;
    split(&parts, line);
    const bool has_formula = is_formula(&parts);
    const int sizes = has_formula ? 2 : 4;
    check_count(item, &parts, sizes + 1);
    item->formula = parts.line;
    if (item->fault.status != TCPLAN_OK) return true;
    assert(parts.count > sizes); /* otherwise check_count() would have found a fault */
    if (*parts.text[0]) item->name = arena_strndup(arena, parts.text[0], strlen(parts.text[0]));
    item->formula = has_formula ? arena_strndup(arena, parts.text[1], strlen(parts.text[1]))
                                : formula_of_parts(item, &parts, arena);
    item->sizes = arena_strndup(arena, parts.text[sizes], strlen(parts.text[sizes]));
    return item->name && item->formula && item->sizes &&
           read_extras(item, &parts, sizes + 1, arena);
}
