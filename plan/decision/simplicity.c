#include "plan/decision/simplicity.h"

#include <limits.h>
#include <stdlib.h>

#include "ast/algorithm/algorithm.h"
#include "tcplan/emit.h"

#define EQUAL_MARGIN 0.02

static int count_lines(const char *text) {
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

struct simplicity simplicity_of(const struct tcplan_problem *problem,
                                const struct tcplan_algorithm *algorithm, int threads) {
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    struct simplicity simplicity = {.threads = threads,
                                    .libraries = tcplan_algorithm_libraries(algorithm, library),
                                    .lines = INT_MAX};
    const struct tcplan_emit_options options = {.threads = threads};
    struct tcplan_nest *nest;
    char *text = NULL;
    if (tcplan_nest_build(&nest, problem->contraction, algorithm, NULL) != TCPLAN_OK)
        return simplicity;
    simplicity.workspace_bytes = tcplan_nest_workspace_bytes(nest, problem, threads);
    if (tcplan_emit_c(&text, nest, problem, &options, NULL) == TCPLAN_OK)
        simplicity.lines = count_lines(text);
    free(text);
    tcplan_nest_free(nest);
    return simplicity;
}

int simplicity_compare(const struct simplicity *a, const struct simplicity *b) {
    if (a->threads != b->threads) return a->threads < b->threads ? -1 : 1;
    if (a->libraries != b->libraries) return a->libraries < b->libraries ? -1 : 1;
    if (a->workspace_bytes != b->workspace_bytes)
        return a->workspace_bytes < b->workspace_bytes ? -1 : 1;
    return (a->lines > b->lines) - (a->lines < b->lines);
}

int simplicity_prefer(const struct tcplan_problem *problem, const struct tcplan_entry *a,
                      const struct tcplan_entry *b) {
    const struct simplicity of_a = simplicity_of(problem, &a->algorithm, a->threads);
    const struct simplicity of_b = simplicity_of(problem, &b->algorithm, b->threads);
    const int order = simplicity_compare(&of_a, &of_b);
    return order != 0 ? order : algorithm_compare(&a->algorithm, &b->algorithm);
}

double simplicity_margin(enum tcplan_preference prefer) {
    return prefer == TCPLAN_PREFER_SPEED ? 0 : EQUAL_MARGIN;
}
