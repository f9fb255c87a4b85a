#include "gen/emit/runtime.h"

#include <string.h>

/** What a piece of text begins with: no prefix, the prefix, or the prefix in capitals. */
enum beginning { OTHER, LOWER, UPPER };

static enum beginning beginning_of(const char *text, const char *prefix) {
    enum beginning beginning = strncmp(text, prefix, strlen(prefix)) == 0 ? LOWER : UPPER;
    for (size_t c = 0; prefix[c] && beginning == UPPER; c++) {
        const bool is_letter = prefix[c] >= 'a' && prefix[c] <= 'z';
        if (text[c] != (is_letter ? prefix[c] - 'a' + 'A' : prefix[c])) beginning = OTHER;
    }
    return beginning;
}

void emit_runtime(const struct emitter *emitter, const char *prefix, const char *text) {
    static const char upper_letter[TCPLAN_DTYPES] = {'S', 'D', 'C', 'Z'};
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    const char starts[] = {prefix[0], (char)(prefix[0] - 'a' + 'A'), '\0'};
    while (*text) {
        const enum beginning beginning = beginning_of(text, prefix);
        if (beginning != OTHER) {
            const size_t length = strlen(prefix);
            strbuf_add(emitter->out, "%.*s%c_", (int)length, text,
                       beginning == LOWER ? tcplan_dtype_letter(dtype) : upper_letter[dtype]);
            text += length;
            continue;
        }
        const size_t length = 1 + strcspn(text + 1, starts);
        strbuf_add(emitter->out, "%.*s", (int)length, text);
        text += length;
    }
}
