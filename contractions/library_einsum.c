#include <string.h>

#include "contractions/library_item.h"

/* line = [ name ":" ] einsum shapes */

/** Stores the name before `:` if there is one, and returns the text after it; NULL if memory runs
 * out. */
static const char *cut_name(struct library_item *item, char *line, struct arena *arena) {
    char *colon = strchr(line, ':');
    if (!colon) return line;
    *colon = '\0';
    const char *name = library_trim(line);
    if (*name) item->name = arena_strndup(arena, name, strlen(name));
    return item->name ? colon + 1 : NULL;
}

bool library_read_einsum_line(struct library_item *item, char *line, struct arena *arena) {
    const char *text = cut_name(item, line, arena);
    if (!text) return false;
    text += strspn(text, " \t");
    if (strchr(text, '=')) {
        item->formula = arena_strndup(arena, text, strlen(text));
        if (!item->formula) return false;
        library_item_fault(item, item->formula, 0, strlen(item->formula),
                           "expected bars between the name, the formula and the sizes, such as "
                           "ring | Z_ab=A_ai*B_ib | a=b=400,i=8");
        return true;
    }
    /* the shapes begin at the first digit or bracket */
    const size_t length = strcspn(text, "0123456789([");
    char *formula = arena_strndup(arena, text, length);
    item->shapes = arena_strndup(arena, text + length, strlen(text + length));
    if (!formula || !item->shapes) return false;
    item->formula = library_trim(formula);
    item->sizes = item->shapes;
    if (strchr(formula, ',')) return true;
    library_item_fault(
        item, item->formula, 0, strlen(item->formula),
        "expected an einsum with its shapes, such as ai,ibc->abc 64,8 8,64,64, or NAME | FORMULA | SIZES");
    return true;
}
