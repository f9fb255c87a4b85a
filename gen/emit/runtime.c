#include "gen/emit/runtime.h"

#include <string.h>

/** The beginning of a piece of text: no prefix, the prefix, or the prefix in capitals. */
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
    emit_runtime_of(emitter->out, emitter->problem->dtype, prefix, text);
}

void emit_runtime_of(struct strbuf *out, enum tcplan_dtype dtype, const char *prefix,
                     const char *text) {
    static const char upper_letter[TCPLAN_DTYPES] = {'S', 'D', 'C', 'Z'};
    const char starts[] = {prefix[0], (char)(prefix[0] - 'a' + 'A'), '\0'};
    while (*text) {
        const enum beginning beginning = beginning_of(text, prefix);
        if (beginning != OTHER) {
            const size_t length = strlen(prefix);
            strbuf_add(out, "%.*s%c_", (int)length, text,
                       beginning == LOWER ? tcplan_dtype_letter(dtype) : upper_letter[dtype]);
            text += length;
            continue;
        }
        const size_t length = 1 + strcspn(text + 1, starts);
        strbuf_add(out, "%.*s", (int)length, text);
        text += length;
    }
}
