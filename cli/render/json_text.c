#include "cli/render/json_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    if (value) return value;
    char *plain = base_strdup(text);
    for (char *at = plain; at && *at; at++) {
        if ((unsigned char)*at >= 0x80) *at = '?';
    }
    value = plain ? json_string(plain) : NULL;
    free(plain);
    return value;
}
