#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/algorithm_check.h"
#include "ast/nest/refine.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "gen/names/algorithm_name.h"

enum {
    SUGGESTIONS = 3,
    MOST_CHANGED = 2, /* a name is suggested if at most one letter in this many differs */
    SUGGESTION_CANDIDATES = 20000 /* maximum number of names that a mistyped one is compared with,
                                     in a fraction of a second */
};

char *tcplan_algorithm_name(const struct tcplan_algorithm *algorithm,
                            const struct tcplan_contraction *contraction, enum tcplan_dtype dtype) {
    struct strbuf out = {0};
    if (algorithm_check(algorithm, contraction, NULL) != TCPLAN_OK) return NULL;
    name_print(&out, algorithm, contraction, dtype);
    return strbuf_finish(&out);
}

/* Similar names for a mistyped one, sorted by distance. */

struct suggestion {
    size_t distance;
    struct tcplan_algorithm algorithm;
};

/** Returns the kernel in a name: the part after the last hyphen. */
static const char *kernel_of(const char *name) {
    const char *hyphen = strrchr(name, '-');
    return hyphen ? hyphen + 1 : name;
}

/** Returns whether a name is similar enough to be suggested, as a whole or in its kernel. */
static bool is_similar(const char *typed, const char *name, size_t distance) {
    const char *kernel = kernel_of(typed);
    return MOST_CHANGED * distance <= strlen(typed) ||
           MOST_CHANGED * edit_distance(kernel, kernel_of(name)) <= strlen(kernel);
}

static void insert_suggestion(struct suggestion best[SUGGESTIONS], struct suggestion candidate) {
    for (int s = 0; s < SUGGESTIONS; s++) {
        if (candidate.distance >= best[s].distance) continue;
        memmove(&best[s + 1], &best[s], (size_t)(SUGGESTIONS - 1 - s) * sizeof *best);
        best[s] = candidate;
        return;
    }
}

static void find_suggestions(struct suggestion best[SUGGESTIONS],
                             const struct tcplan_contraction *contraction, enum tcplan_dtype dtype,
                             const char *name) {
    struct tcplan_enumerator enumerator;
    tcplan_enumerator_init(&enumerator, contraction);
    struct suggestion candidate = {0};
    for (int i = 0;
         i < SUGGESTION_CANDIDATES && tcplan_enumerator_next(&enumerator, &candidate.algorithm);
         i++) {
        char *other = tcplan_algorithm_name(&candidate.algorithm, contraction, dtype);
        if (!other) return;
        candidate.distance = edit_distance(name, other);
        if (is_similar(name, other, candidate.distance)) insert_suggestion(best, candidate);
        free(other);
    }
}

/** Rejects a name with the reason and similar names of the `blas` space. */
static enum tcplan_status refuse(const struct tcplan_contraction *contraction,
                                 enum tcplan_dtype dtype, const char *name, const char *why,
                                 struct tcplan_error *error) {
    struct suggestion best[SUGGESTIONS] = {
        {.distance = SIZE_MAX}, {.distance = SIZE_MAX}, {.distance = SIZE_MAX}};
    if (strlen(name) <= EDIT_DISTANCE_LONGEST) find_suggestions(best, contraction, dtype, name);
    struct strbuf names = {0};
    for (int s = 0; s < SUGGESTIONS && best[s].distance < SIZE_MAX; s++) {
        strbuf_add(&names, "%s", s > 0 ? ", " : "");
        name_print(&names, &best[s].algorithm, contraction, dtype);
    }
    char *text = strbuf_finish(&names);
    enum tcplan_status status =
        error_at(error, TCPLAN_INVALID, 0, strlen(name), "unknown algorithm '%.60s': %.110s%s%.60s",
                 name, why, text && *text ? "; the nearest: " : "", text ? text : "");
    free(text);
    return status;
}

enum tcplan_status tcplan_algorithm_parse(struct tcplan_algorithm *out,
                                          const struct tcplan_contraction *contraction,
                                          enum tcplan_dtype dtype, const char *name,
                                          struct tcplan_error *error) {
    struct tcplan_algorithm found;
    struct tcplan_error why = {0};
    if (name_read(&found, contraction, dtype, name, &why) != TCPLAN_OK)
        return refuse(contraction, dtype, name, why.message, error);
    *out = found;
    return TCPLAN_OK;
}
