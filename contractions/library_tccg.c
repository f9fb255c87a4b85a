/*
 * The formats of TCCG, the Tensor Contraction Code Generator (Springer and Bientinesi, 2018): its
 * input files, a formula and then a line for each extent,
 *
 *     C[a,b,i,j] = A[i,m,a] * B[m,j,b]
 *     a = 24
 *
 * and the lines that its benchmark prints, `abc-bda-dc & a:312,b:312,c:24,d:312;`.
 */
#include <string.h>

#include "base/error.h"
#include "contractions/library_item.h"

bool library_is_tccg_line(const char *line) {
    return !strchr(line, '|') && (strchr(line, '&') || (strchr(line, '[') && strchr(line, '=')));
}

/* benchmark line = result "-" factor "-" factor "&" index ":" extent { "," index ":" extent } [ ","
 * ] [ ";" ] */
static bool read_benchmark_line(struct library_item *item, char *line, struct arena *arena) {
    const char *whole = arena_strndup(arena, line, strlen(line));
    char *sizes = strchr(line, '&');
    if (!whole) return false;
    *sizes++ = '\0';
    char *first = strchr(line, '-'), *second = first ? strchr(first + 1, '-') : NULL;
    item->formula = whole;
    if (!second || strchr(second + 1, '-')) {
        library_item_fault(item, whole, 0, strlen(whole),
                           "expected C-A-B & SIZES, such as abc-bda-dc & a:312,b:312,c:24,d:312");
        return true;
    }
    *first = *second = '\0';
    const char *const indices[3] = {library_trim(line), library_trim(first + 1),
                                    library_trim(second + 1)};
    for (char *at = sizes; *at; at++) *at = *at == ':' ? '=' : *at == ';' ? ' ' : *at;
    sizes = library_trim(sizes);
    for (size_t end = strlen(sizes); end > 0 && sizes[end - 1] == ','; end--) sizes[end - 1] = '\0';
    item->formula = library_formula_of_indices(indices, arena);
    item->sizes = arena_strndup(arena, sizes, strlen(sizes));
    return item->formula && item->sizes;
}

/* extent line = index "=" extent */
static bool is_extent_line(const char *line) {
    const size_t name =
        strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    const char *at = line + name + strspn(line + name, " \t");
    if (name == 0 || *at++ != '=') return false;
    at += strspn(at, " \t");
    const size_t digits = strspn(at, "0123456789");
    return digits > 0 && at[digits] == '\0';
}

enum tcplan_status library_read_tccg(struct library_item *item, struct library_reader *reader,
                                     char *line, struct tcplan_error *error) {
    struct strbuf sizes = {0};
    enum tcplan_status status = TCPLAN_OK;
    if (strchr(line, '&'))
        return read_benchmark_line(item, line, &reader->texts) ? TCPLAN_OK : error_no_memory(error);
    item->formula = arena_strndup(&reader->texts, line, strlen(line));
    while ((status = library_next_text(&reader->held, reader, error)) == TCPLAN_OK &&
           reader->held && is_extent_line(reader->held)) {
        strbuf_add(&sizes, "%s%s", sizes.length > 0 ? "," : "", reader->held);
    }
    item->sizes = sizes.failed
                      ? NULL
                      : arena_strndup(&reader->texts, sizes.text ? sizes.text : "", sizes.length);
    strbuf_free(&sizes);
    if (status != TCPLAN_OK) return status;
    return item->formula && item->sizes ? TCPLAN_OK : error_no_memory(error);
}
