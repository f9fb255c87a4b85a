#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "ast/choices.h"
#include "ast/refine.h"
#include "base/alloc.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "base/indexset.h"
#include "base/strbuf.h"
#include "gen/name_parts.h"

enum {
    SUGGESTIONS = 3,
    SUGGESTION_CANDIDATES = 20000 /* names compared with a mistyped one: a fraction of a second */
};

/** Bit d is set where the place inside the first d loops carries a copy. */
static uint64_t copy_depths(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    uint64_t depths = 0;
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        if (!algorithm_needs_copy(algorithm, contraction, (enum tcplan_operand)operand)) continue;
        depths |= indexset_of(algorithm_copy_depth(algorithm, contraction, (enum tcplan_operand)operand));
    }
    return depths;
}

/** The name of an algorithm of the `blas` space, or of one that could as well be of it. */
static void print_by_rules(struct strbuf *out, const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                           enum tcplan_dtype dtype) {
    const uint64_t depths = copy_depths(algorithm, contraction);
    strbuf_add(out, "%s", indexset_has(depths, 0) ? "'" : "");
    for (int l = 0; l < algorithm->loop_count; l++) {
        const char *separator = contraction->long_names && l > 0 ? "." : "";
        strbuf_add(out, "%s%s%s", separator, contraction->index[algorithm->loop[l]].name, indexset_has(depths, l + 1) ? "'" : "");
    }
    strbuf_add(out, "%s%c%s", algorithm->loop_count > 0 ? "-" : "", tcplan_dtype_letter(dtype),
               tcplan_kernel_name(algorithm->kernel, dtype));
}

static void print_name(struct strbuf *out, const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                       enum tcplan_dtype dtype) {
    if (choices_follow_rules(algorithm, contraction)) {
        print_by_rules(out, algorithm, contraction, dtype);
    } else {
        name_print_choices(out, algorithm, contraction, dtype);
    }
}

char *tcplan_algorithm_name(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                            enum tcplan_dtype dtype) {
    struct strbuf out = {0};
    if (algorithm_check(algorithm, contraction_source(contraction), NULL) != TCPLAN_OK) return NULL;
    print_name(&out, algorithm, contraction_source(contraction), dtype);
    return strbuf_finish(&out);
}

static int find_index(const struct tcplan_contraction *contraction, const char *name, size_t length) {
    for (int i = 0; i < contraction->index_count; i++) {
        const char *candidate = contraction->index[i].name;
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0) return i;
    }
    return -1;
}

/** loops = [ loop { ["."] loop } ] ; loop = index ["'"] ; the dots only where index names are long. */
static bool parse_loops(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction, const char *text, const char *end) {
    uint64_t seen = 0;
    while (text < end && *text == '\'') text++;
    while (text < end) {
        size_t length = contraction->long_names ? strcspn(text, ".'-") : 1;
        int index = find_index(contraction, text, length);
        if (index < 0 || indexset_has(seen, index)) return false;
        seen |= indexset_of(index);
        out->loop[out->loop_count++] = (uint8_t)index;
        text += length;
        while (text < end && *text == '\'') text++;
        if (contraction->long_names && text < end && *text++ != '.') return false;
    }
    return true;
}

/** Indices without a loop go into the kernel; false where they do not fit one. */
static bool assign_roles(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction) {
    static const int role_of_kind[] = {
        [TCPLAN_FREE_A] = TCPLAN_M, [TCPLAN_FREE_B] = TCPLAN_N, [TCPLAN_CONTRACTED] = TCPLAN_K, [TCPLAN_BATCH] = -1};
    uint64_t looped = 0;
    for (int l = 0; l < out->loop_count; l++) looped |= indexset_of(out->loop[l]);
    for (int i = 0; i < contraction->index_count; i++) {
        if (indexset_has(looped, i)) continue;
        int role = role_of_kind[contraction->index[i].kind];
        if (role < 0 || out->role[role] >= 0) return false;
        out->role[role] = (int8_t)i;
    }
    return true;
}

/** Batch indices alone leave the dot of one element; anything else needs an index inside the kernel. */
static bool assign_kernel(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction) {
    const int8_t *role = out->role;
    if (algorithm_kernel_of_roles(role[TCPLAN_M] >= 0, role[TCPLAN_N] >= 0, role[TCPLAN_K] >= 0, &out->kernel)) return true;
    out->kernel = TCPLAN_DOT;
    return indexset_size(tcplan_contraction_indices(contraction, TCPLAN_BATCH)) == contraction->index_count;
}

/** Whether an algorithm's name is `name`, whose apostrophes may be left out in the `blas` space. */
static bool same_name(const char *own, const char *name, bool has_choices) {
    const bool bare = !has_choices && !strchr(name, '\'');
    for (; *own; own++) {
        if (bare && *own == '\'') continue;
        if (*own != *name) return false;
        name++;
    }
    return *name == '\0';
}

struct suggestion {
    size_t distance;
    struct tcplan_algorithm algorithm;
};

static void insert_suggestion(struct suggestion best[SUGGESTIONS], struct suggestion candidate) {
    for (int s = 0; s < SUGGESTIONS; s++) {
        if (candidate.distance >= best[s].distance) continue;
        memmove(&best[s + 1], &best[s], (size_t)(SUGGESTIONS - 1 - s) * sizeof *best);
        best[s] = candidate;
        return;
    }
}

static void find_suggestions(struct suggestion best[SUGGESTIONS], const struct tcplan_contraction *contraction, enum tcplan_dtype dtype,
                             const char *name) {
    struct tcplan_enumerator enumerator;
    tcplan_enumerator_init(&enumerator, contraction);
    struct suggestion candidate = {0};
    for (int i = 0; i < SUGGESTION_CANDIDATES && tcplan_enumerator_next(&enumerator, &candidate.algorithm); i++) {
        char *other = tcplan_algorithm_name(&candidate.algorithm, contraction, dtype);
        if (!other) return;
        candidate.distance = edit_distance(name, other);
        insert_suggestion(best, candidate);
        free(other);
    }
}

/** Refuses a name that looks like one of the `blas` space: the nearest ones may be meant. */
static enum tcplan_status refuse(const struct tcplan_contraction *contraction, enum tcplan_dtype dtype, const char *name,
                                 struct tcplan_error *error) {
    struct suggestion best[SUGGESTIONS] = {{.distance = SIZE_MAX}, {.distance = SIZE_MAX}, {.distance = SIZE_MAX}};
    if (strlen(name) <= EDIT_DISTANCE_LONGEST) find_suggestions(best, contraction, dtype, name);
    struct strbuf names = {0};
    for (int s = 0; s < SUGGESTIONS && best[s].distance < SIZE_MAX; s++) {
        strbuf_add(&names, "%s", s > 0 ? ", " : "");
        print_name(&names, &best[s].algorithm, contraction, dtype);
    }
    char *text = strbuf_finish(&names);
    enum tcplan_status status = error_at(error, TCPLAN_INVALID, 0, strlen(name), "no algorithm is called '%.80s'%s%.160s", name,
                                         text && *text ? "; the nearest: " : "", text ? text : "");
    free(text);
    return status;
}

static bool read_by_rules(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction, const char *name) {
    const char *hyphen = strrchr(name, '-');
    *out = (struct tcplan_algorithm){.role = {-1, -1, -1}};
    return parse_loops(out, contraction, name, hyphen ? hyphen : name) && assign_roles(out, contraction) && assign_kernel(out, contraction);
}

/** TCPLAN_INVALID where the algorithm that was read is called otherwise: `why` says how. */
static enum tcplan_status check_name(const struct tcplan_algorithm *read, const struct tcplan_contraction *contraction,
                                     enum tcplan_dtype dtype, const char *name, struct tcplan_error *why) {
    char *own = tcplan_algorithm_name(read, contraction, dtype);
    if (!own) return TCPLAN_NO_MEMORY;
    enum tcplan_status status = TCPLAN_OK;
    if (!same_name(own, name, read->choices.made)) status = error_set(why, TCPLAN_INVALID, "it is written '%.120s'", own);
    free(own);
    return status;
}

enum tcplan_status tcplan_algorithm_parse(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                                          enum tcplan_dtype dtype, const char *name, struct tcplan_error *error) {
    struct tcplan_algorithm found;
    struct tcplan_error why = {0};
    enum tcplan_status status = TCPLAN_INVALID;
    if (read_by_rules(&found, contraction, name)) status = check_name(&found, contraction, dtype, name, &why);
    if (status == TCPLAN_INVALID) {
        status = name_read_choices(&found, contraction, dtype, name, &why);
        if (status == TCPLAN_OK) status = check_name(&found, contraction, dtype, name, &why);
    }
    if (status == TCPLAN_NO_MEMORY) return error_no_memory(error);
    if (status == TCPLAN_OK) {
        *out = found;
    } else if (name_has_choices(contraction, name)) {
        status = error_at(error, TCPLAN_INVALID, 0, strlen(name), "no algorithm is called '%.80s': %.180s", name, why.message);
    } else {
        status = refuse(contraction, dtype, name, error);
    }
    return status;
}
