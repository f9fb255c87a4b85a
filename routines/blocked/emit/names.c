#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "routines/blocked/emit/emission.h"

static bool is_taken(const struct emission *emission, const char *name) {
    for (int t = 0; t < emission->taken_count; t++) {
        if (strcmp(emission->taken[t], name) == 0) return true;
    }
    return false;
}

void emission_take(struct emission *emission, char out[EMISSION_NAME], const char *wanted) {
    char name[EMISSION_NAME];
    snprintf(name, sizeof name, "%s", wanted);
    for (size_t length = strlen(name); is_taken(emission, name) && length + 1 < sizeof name;
         length++) {
        name[length] = '_';
        name[length + 1] = '\0';
    }
    if (emission->taken_count == EMISSION_NAMES || is_taken(emission, name)) {
        emission_refuse(emission, "it has too many blocks to name");
        snprintf(out, EMISSION_NAME, "%s", name);
        return;
    }
    snprintf(emission->taken[emission->taken_count++], EMISSION_NAME, "%s", name);
    snprintf(out, EMISSION_NAME, "%s", name);
}

void emission_leave(struct emission *emission, int count) {
    emission->taken_count = count;
}

void emission_refuse(struct emission *emission, const char *format, ...) {
    if (emission->failed) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(emission->reason, sizeof emission->reason, format, arguments);
    va_end(arguments);
    emission->failed = true;
}

void emission_indent(const struct emission *emission) {
    strbuf_fill(emission->out, ' ', 4 * (size_t)emission->level);
}
