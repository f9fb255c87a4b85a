/*
 * A machine and its libraries as texts: equal texts mean that earlier measurements are valid here.
 */
#include <stdio.h>
#include <string.h>

#include "ast/algorithm/provider.h"
#include "tcplan/blas.h"
#include "tcplan/store.h"

const char *tcplan_fingerprint_part_name(int part) {
    static const char *const names[TCPLAN_FINGERPRINT_LIBRARIES] = {"CPU", "cores", "caches"};
    if (part < TCPLAN_FINGERPRINT_LIBRARIES) return names[part];
    return provider_traits_of((enum tcplan_provider)(part - TCPLAN_FINGERPRINT_LIBRARIES))->library;
}

/** Appends a text, as much of it as fits. */
static void append(char *out, size_t size, const char *text) {
    const size_t length = strlen(out);
    snprintf(out + length, size - length, "%s", text);
}

/** Prints `L1 48K/12/1, L2 2M/16/1`: size, ways and sharing units. */
static void describe_caches(char *out, size_t size, const struct tcplan_machine *machine) {
    for (int c = 0; c < machine->cache_count; c++) {
        const struct tcplan_cache_level *cache = &machine->cache[c];
        char text[80];
        snprintf(text, sizeof text, "%sL%d %lld/%d/%d", c > 0 ? ", " : "", cache->level,
                 (long long)cache->size_bytes, cache->ways, cache->shared_by);
        append(out, size, text);
    }
}

static void describe_library(char *out, size_t size, enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    if (!tcplan_provider_info(&info, provider)) return;
    snprintf(out, size, "%s%s%s%s%s%s", info.name, info.version ? " " : "",
             info.version ? info.version : "", info.core ? " (" : "", info.core ? info.core : "",
             info.core ? ")" : "");
}

struct tcplan_fingerprint tcplan_fingerprint_make(const struct tcplan_machine *machine) {
    struct tcplan_fingerprint out = {0};
    enum { SIZE = TCPLAN_MACHINE_TEXT };
    snprintf(out.part[TCPLAN_FINGERPRINT_CPU], SIZE, "%s", machine->cpu);
    snprintf(out.part[TCPLAN_FINGERPRINT_CORES], SIZE, "%d with %d units", machine->cores,
             machine->processing_units);
    describe_caches(out.part[TCPLAN_FINGERPRINT_CACHES], SIZE, machine);
    for (int p = 0; p < TCPLAN_PROVIDER_EMITTED; p++) {
        describe_library(out.part[TCPLAN_FINGERPRINT_LIBRARIES + p], SIZE, (enum tcplan_provider)p);
    }
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++) {
        if (!*out.part[p]) append(out.part[p], SIZE, "none");
    }
    return out;
}

int tcplan_fingerprint_compare(char *out, size_t size, const struct tcplan_fingerprint *found,
                               const struct tcplan_fingerprint *expected) {
    int different = 0;
    out[0] = '\0';
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++) {
        if (strcmp(found->part[p], expected->part[p]) == 0) continue;
        append(out, size, different++ > 0 ? "; " : "");
        const char *name = tcplan_fingerprint_part_name(p);
        if (strncmp(found->part[p], name, strlen(name)) != 0) {
            append(out, size, name);
            append(out, size, " ");
        }
        append(out, size, found->part[p]);
        append(out, size, ", not ");
        append(out, size, expected->part[p]);
    }
    return different;
}
