/*
 * Definitions of gen/runtime in emitted files, see gen/emitted/emitted.h: those whose names the
 * kernels use.
 */
#include <string.h>

#include "gen/emit/runtime_text.h"
#include "gen/emitted/emitted.h"

enum { PREFIXES = 3 };

/** Definitions, and the prefixes of their names. */
struct definitions {
    const char *guard; /**< NULL: the text has one */
    const char *text;
    const char *prefix[PREFIXES];
};

/* Definitions may use those before them. */
static const struct definitions all[] = {
    {"KERNEL_MIXES", mixes_text, {"KERNEL_MIX_", "KERNEL_APART"}},
    {"KERNEL_SWAPS", swaps_text, {"KERNEL_SWAP_"}},
    {"KERNEL_MASKS", masks_text, {"KERNEL_LOAD_", "KERNEL_STORE_"}},
    {"KERNEL_JOINS", joins_text, {"KERNEL_JOIN_"}},
    {"KERNEL_STORES", stores_text, {"KERNEL_STREAM", "KERNEL_LINE_", "kernel_write_"}},
    {"KERNEL_PAST", past_text, {"KERNEL_PAST"}},
    {NULL, products_text, {"struct kernel_gemm"}},
};

enum { COUNT = sizeof all / sizeof *all };

static bool uses(const char *text, const struct definitions *definitions) {
    for (int p = 0; p < PREFIXES && definitions->prefix[p]; p++) {
        if (strstr(text, definitions->prefix[p])) return true;
    }
    return false;
}

static void add_once(struct strbuf *out, const char *guard, const char *text) {
    if (!guard) {
        strbuf_add(out, "%s\n", text);
        return;
    }
    strbuf_add(out, "#ifndef %s /* emitted files may be concatenated */\n#define %s\n%s#endif\n\n",
               guard, guard, text);
}

void emitted_add_common(struct strbuf *out) {
    add_once(out, "KERNEL_VECTORS", vectors_text);
}

static void add_definitions(struct strbuf *out, const char *kernels) {
    bool is_used[COUNT];
    for (int d = COUNT - 1; d >= 0; d--) {
        is_used[d] = uses(kernels, &all[d]);
        for (int other = d + 1; other < COUNT && !is_used[d]; other++)
            is_used[d] = is_used[other] && uses(all[other].text, &all[d]);
    }
    for (int d = 0; d < COUNT; d++) {
        if (is_used[d]) add_once(out, all[d].guard, all[d].text);
    }
}

void emitted_add_kernels(struct strbuf *out, struct strbuf *kernels) {
    if (kernels->failed || !kernels->text) {
        out->failed = true;
    } else {
        add_definitions(out, kernels->text);
        strbuf_append(out, kernels->text, kernels->length);
    }
    strbuf_free(kernels);
}
