#include "plan/decision/simplicity.h"

#include <limits.h>
#include <stdlib.h>

#include "ast/algorithm/algorithm.h"
#include "tcplan/emit.h"

#define EQUAL_MARGIN 0.02

/** An algorithm's properties by which one of several equally fast ones is simpler to use. */
struct simplicity {
    int threads;
    int libraries;            /* number of libraries to link with, without the system's */
    int64_t workspace_bytes;  /* total bytes of the temporaries */
    struct tcplan_nest *nest; /* loop nest of the algorithm; NULL: it cannot be built */
};

static struct simplicity begin(const struct tcplan_problem *problem,
                               const struct tcplan_entry *entry) {
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    struct simplicity out = {.threads = entry->threads,
                             .libraries = tcplan_algorithm_libraries(&entry->algorithm, library)};
    if (tcplan_nest_build(&out.nest, problem->contraction, &entry->algorithm, NULL) != TCPLAN_OK)
        out.nest = NULL;
    else
        out.workspace_bytes = tcplan_nest_workspace_bytes(out.nest, problem, entry->threads);
    return out;
}

/** Returns the lines of an algorithm's emitted C; INT_MAX if it cannot be emitted. */
static int lines_of(const struct simplicity *simplicity, const struct tcplan_problem *problem) {
    const struct tcplan_emit_options options = {.threads = simplicity->threads};
    char *text = NULL;
    if (!simplicity->nest ||
        tcplan_emit_c(&text, simplicity->nest, problem, &options, NULL) != TCPLAN_OK)
        return INT_MAX;
    int lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    free(text);
    return lines;
}

/** Compares the properties in order; negative if `a` is simpler. Emits C only if the others are
 * equal, because that takes longer than an estimate of the time, and never if speed is preferred.
 */
static int compare(const struct simplicity *a, const struct simplicity *b,
                   const struct tcplan_problem *problem, enum tcplan_preference prefer) {
    if (a->threads != b->threads) return a->threads < b->threads ? -1 : 1;
    if (a->libraries != b->libraries) return a->libraries < b->libraries ? -1 : 1;
    if (a->workspace_bytes != b->workspace_bytes)
        return a->workspace_bytes < b->workspace_bytes ? -1 : 1;
    if (prefer == TCPLAN_PREFER_SPEED) return 0;
    const int lines_a = lines_of(a, problem), lines_b = lines_of(b, problem);
    return (lines_a > lines_b) - (lines_a < lines_b);
}

int simplicity_prefer(const struct tcplan_problem *problem, const struct tcplan_entry *a,
                      const struct tcplan_entry *b, enum tcplan_preference prefer) {
    struct simplicity of_a = begin(problem, a), of_b = begin(problem, b);
    const int order = compare(&of_a, &of_b, problem, prefer);
    tcplan_nest_free(of_a.nest);
    tcplan_nest_free(of_b.nest);
    return order != 0 ? order : algorithm_compare(&a->algorithm, &b->algorithm);
}

double simplicity_margin(enum tcplan_preference prefer) {
    return prefer == TCPLAN_PREFER_SPEED ? 0 : EQUAL_MARGIN;
}
