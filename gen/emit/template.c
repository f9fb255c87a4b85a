#include "gen/emit/template.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static const char mark[] = "EMIT_";
enum { MARK = sizeof mark - 1 };

struct strbuf *template_value(struct template_values *values, const char *name) {
    assert(values->count < TEMPLATE_VALUES);
    values->value[values->count++] =
        (struct template_value){.name = name, .start = values->text.length};
    return &values->text;
}

void template_number(struct template_values *values, const char *name, int64_t number) {
    strbuf_add(template_value(values, name), "%lld", (long long)number);
}

/** Returns the value whose name `text` begins with; if several do, the one with the longest name.
 * There must be one. */
static const struct template_value *value_at(const struct template_values *values,
                                             const char *text) {
    const struct template_value *found = NULL;
    for (int v = 0; v < values->count; v++) {
        const size_t length = strlen(values->value[v].name);
        if (strncmp(text, values->value[v].name, length) != 0) continue;
        if (!found || length > strlen(found->name)) found = &values->value[v];
    }
    assert(found);
    return found;
}

static void add_value(struct strbuf *out, const struct template_values *values,
                      const struct template_value *value) {
    const bool is_last = value == &values->value[values->count - 1];
    const size_t end = is_last ? values->text.length : value[1].start;
    if (end > value->start)
        strbuf_add(out, "%.*s", (int)(end - value->start), values->text.text + value->start);
}

/** If a placeholder is alone on its line, apart from blanks and one `;` or `,`, finds the beginning
 * and the end of the line. Returns false if the line contains anything else. */
static bool is_line(const char **begin, const char **end, const char *text, const char *place,
                    const char *behind) {
    *begin = place;
    *end = behind + (*behind == ';' || *behind == ',');
    while (*begin > text && (*begin)[-1] == ' ') (*begin)--;
    if ((*begin > text && (*begin)[-1] != '\n') || **end != '\n') return false;
    ++*end;
    return true;
}

static void add_until(struct strbuf *out, const struct template_values *values, const char *text,
                      const char *end) {
    if (values->text.failed) out->failed = true;
    for (const char *at = text; at < end && !out->failed;) {
        const char *place = strstr(at, mark);
        if (!place || place >= end) {
            strbuf_add(out, "%.*s", (int)(end - at), at);
            return;
        }
        const struct template_value *value = value_at(values, place + MARK);
        const char *begin, *behind = place + MARK + strlen(value->name), *next;
        const bool whole = is_line(&begin, &next, text, place, behind);
        strbuf_add(out, "%.*s", (int)((whole ? begin : place) - at), at);
        add_value(out, values, value);
        at = whole ? next : behind;
    }
}

void template_add(struct strbuf *out, const struct template_values *values, const char *text) {
    add_until(out, values, text, text + strlen(text));
}

/** Finds the line with EMIT_name, which must exist. */
static void find_line(const char **begin, const char **end, const char *text, const char *name) {
    const char *place = strstr(text, mark);
    while (place && strncmp(place + MARK, name, strlen(name)) != 0)
        place = strstr(place + MARK, mark);
    assert(place);
    const bool found = is_line(begin, end, text, place, place + MARK + strlen(name));
    assert(found);
    (void)found;
}

void template_add_before(struct strbuf *out, const struct template_values *values, const char *text,
                         const char *name) {
    const char *begin, *end;
    find_line(&begin, &end, text, name);
    add_until(out, values, text, begin);
}

void template_add_behind(struct strbuf *out, const struct template_values *values, const char *text,
                         const char *name) {
    const char *begin, *end;
    find_line(&begin, &end, text, name);
    template_add(out, values, end);
}

void template_free(struct template_values *values) {
    strbuf_free(&values->text);
}
