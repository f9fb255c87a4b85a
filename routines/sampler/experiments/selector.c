#include "routines/sampler/experiments/selector.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"

/** State of the parser. */
struct cursor {
    const struct tcplan_experiment *experiment;
    const char *text, *at;
    struct tcplan_error *error;
};

static char peek(struct cursor *cursor) {
    while (isspace((unsigned char)*cursor->at)) cursor->at++;
    return *cursor->at;
}

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static enum tcplan_status refuse(const struct cursor *cursor, size_t length, const char *what) {
    return error_at(cursor->error, TCPLAN_INVALID, (size_t)(cursor->at - cursor->text), length,
                    "%s", what);
}

/** Reads the name of a call; returns its number, or -1. The name may contain + or -: the longest
 * name of a call that matches is taken. */
static int find_call(const struct tcplan_experiment *experiment, const char *at, size_t *length) {
    int found = -1;
    *length = 0;
    for (int c = 0; c < experiment->call_count; c++) {
        const char *name = experiment->call[c].name;
        const size_t size = strlen(name);
        if (size <= *length || strncmp(at, name, size) != 0 || is_of_name(at[size])) continue;
        found = c;
        *length = size;
    }
    return found;
}

static void add(struct selector *out, int call_count, int call, double factor) {
    for (int c = 0; c < call_count; c++) {
        if (call < 0 || call == c) out->factor[c] += factor;
    }
}

static enum tcplan_status refuse_name(const struct cursor *cursor) {
    char names[160] = "";
    size_t length = 0;
    for (int c = 0; c < cursor->experiment->call_count && length + 1 < sizeof names; c++) {
        const char *name = cursor->experiment->call[c].name;
        const size_t size = strlen(name);
        if (length + size + 3 > sizeof names) break;
        snprintf(names + length, sizeof names - length, ", %s", name);
        length += size + 2;
    }
    size_t found = 0;
    while (is_of_name(cursor->at[found])) found++;
    return error_at(cursor->error, TCPLAN_INVALID, (size_t)(cursor->at - cursor->text),
                    found > 0 ? found : 1, "unknown call '%.*s': expected all%s",
                    (int)(found < 40 ? found : 40), cursor->at, names);
}

/* term = [ number "*" ] name */
static enum tcplan_status parse_term(struct selector *out, struct cursor *cursor, double sign) {
    double factor = 1;
    size_t length = 0;
    const char c = peek(cursor);
    while (isdigit((unsigned char)cursor->at[length]) || cursor->at[length] == '.') length++;
    const char *behind = cursor->at + length;
    while (isspace((unsigned char)*behind)) behind++;
    if (isdigit((unsigned char)c) && *behind == '*') {
        if (!decimal_read(&factor, cursor->at, length) || factor > 1e9)
            return refuse(cursor, length, "expected a number up to 1e9");
        cursor->at = behind + 1;
        peek(cursor);
    }
    int call = find_call(cursor->experiment, cursor->at, &length);
    if (call < 0 && (strncmp(cursor->at, "all", 3) != 0 || is_of_name(cursor->at[3])))
        return refuse_name(cursor);
    cursor->at += call < 0 ? 3 : length;
    add(out, cursor->experiment->call_count, call, sign * factor);
    return TCPLAN_OK;
}

enum tcplan_status selector_parse(struct selector *out, struct arena *arena,
                                  const struct tcplan_experiment *experiment, const char *text,
                                  struct tcplan_error *error) {
    const char *equals = strchr(text, '=');
    struct cursor cursor = {
        .experiment = experiment, .text = text, .at = equals ? equals + 1 : text, .error = error};
    *out = (struct selector){
        .label = arena_strndup(arena, text, equals ? (size_t)(equals - text) : strlen(text))};
    if (!out->label) return error_no_memory(error);
    double sign = 1;
    if (peek(&cursor) == '-') {
        sign = -1;
        cursor.at++;
    }
    for (;;) {
        enum tcplan_status status = parse_term(out, &cursor, sign);
        if (status != TCPLAN_OK) return status;
        const char c = peek(&cursor);
        if (c == '\0') return TCPLAN_OK;
        if (c != '+' && c != '-') return refuse(&cursor, 1, "expected + or - between calls");
        sign = c == '+' ? 1 : -1;
        cursor.at++;
    }
}
