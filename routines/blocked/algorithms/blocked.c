#include "tcplan/blocked.h"

#include <string.h>

#include "ast/nest/nest.h"
#include "base/alloc.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "routines/blocked/algorithms/families.h"
#include "routines/blocked/algorithms/text.h"

int tcplan_blocked_operations(void) {
    return blocked_family_count;
}

/** Counts the different sizes in the text of matrices: the names after `(` and `,`. */
static int count_sizes(const char *matrices) {
    int count = 0;
    for (const char *at = strpbrk(matrices, "(,"); at; at = strpbrk(at + 1, "(,")) {
        const size_t length = strcspn(at + 1, ",)");
        bool is_new = true;
        for (const char *other = strpbrk(matrices, "(,"); other < at;
             other = strpbrk(other + 1, "(,"))
            is_new = is_new && (strcspn(other + 1, ",)") != length ||
                                strncmp(other + 1, at + 1, length) != 0);
        count += is_new;
    }
    return count;
}

void tcplan_blocked_operation(struct tcplan_blocked_operation *out, int number) {
    const struct blocked_family *family = &blocked_families[number];
    *out = (struct tcplan_blocked_operation){.name = family->name,
                                             .purpose = family->purpose,
                                             .algorithms = family->count,
                                             .default_block = family->default_block,
                                             .size_count = count_sizes(family->matrices),
                                             .lapack = -1};
    for (int a = 0; a < family->count && family->lapack; a++) {
        char variant[TCPLAN_BLOCKED_NAME];
        blocked_family_variant(variant, family, a);
        if (strcmp(variant, family->lapack) == 0) out->lapack = a;
    }
}

void tcplan_blocked_algorithm_name(char out[TCPLAN_BLOCKED_NAME], int operation, int algorithm) {
    blocked_family_name(out, &blocked_families[operation], algorithm);
}

/** Returns whether a name is the name of a family, with or without the underscore and the letters
 * after it. */
static bool is_family(const struct blocked_family *family, const char *name) {
    const size_t length = strcspn(family->name, "_");
    return strcmp(family->name, name) == 0 ||
           (strncmp(family->name, name, length) == 0 && name[length] == '\0');
}

static bool find(int *operation, int *algorithm, const char *name, struct nearest *nearest) {
    for (int f = 0; f < blocked_family_count; f++) {
        const struct blocked_family *family = &blocked_families[f];
        nearest_consider(nearest, name, family->name);
        if (is_family(family, name)) {
            *operation = f;
            *algorithm = family->count == 1 ? 0 : -1;
            return true;
        }
        for (int a = 0; a < family->count; a++) {
            char full[TCPLAN_BLOCKED_NAME];
            blocked_family_name(full, family, a);
            if (strcmp(full, name) != 0) continue;
            *operation = f;
            *algorithm = a;
            return true;
        }
    }
    return false;
}

enum tcplan_status tcplan_blocked_find(int *operation, int *algorithm, enum tcplan_dtype *dtype,
                                       const char *name, struct tcplan_error *error) {
    struct nearest nearest = {0};
    enum tcplan_dtype found;
    if (find(operation, algorithm, name, &nearest)) return TCPLAN_OK;
    if (*name && tcplan_dtype_from_letter(*name, &found) &&
        find(operation, algorithm, name + 1, &nearest)) {
        *dtype = found;
        return TCPLAN_OK;
    }
    if (nearest.name)
        return error_set(error, TCPLAN_INVALID,
                         "unknown operation or algorithm '%.40s'; did you mean '%s'?", name,
                         nearest.name);
    return error_set(error, TCPLAN_INVALID,
                     "unknown operation or algorithm '%.40s'; `tcplan blocked list` lists all",
                     name);
}

enum tcplan_status tcplan_blocked_make(struct tcplan_blocked **out, int operation, int algorithm,
                                       enum tcplan_dtype dtype, struct tcplan_error *error) {
    const struct blocked_family *family = &blocked_families[operation];
    char name[TCPLAN_BLOCKED_NAME], steps[FAMILY_STEPS];
    blocked_family_name(name, family, algorithm);
    blocked_family_steps(steps, family, algorithm);
    const struct blocked_source source = {.name = name,
                                          .note =
                                              family->text ? family->text[algorithm].note : NULL,
                                          .matrices = family->matrices,
                                          .steps = steps,
                                          .routine = family->routine,
                                          .transposed = family->transposed};
    enum tcplan_status status = blocked_build(out, &source, dtype, NULL, error);
    if (status == TCPLAN_OK) (*out)->operation = operation;
    return status;
}

void tcplan_blocked_free(struct tcplan_blocked *blocked) {
    if (!blocked) return;
    base_free(blocked->statement);
    arena_free(&blocked->arena);
    base_free(blocked);
}

const char *tcplan_blocked_name(const struct tcplan_blocked *blocked) {
    return blocked->name;
}

const char *tcplan_blocked_note(const struct tcplan_blocked *blocked) {
    return blocked->note ? blocked->note : "";
}

int tcplan_blocked_of(const struct tcplan_blocked *blocked) {
    return blocked->operation;
}

enum tcplan_dtype tcplan_blocked_dtype(const struct tcplan_blocked *blocked) {
    return blocked->dtype;
}

const struct tcplan_blocks *tcplan_blocked_blocks(const struct tcplan_blocked *blocked) {
    return &blocked->blocks;
}

const struct tcplan_node *tcplan_blocked_body(const struct tcplan_blocked *blocked) {
    return blocked->body;
}

char *tcplan_blocked_text(const struct tcplan_blocked *blocked) {
    struct strbuf out = {0};
    nest_print_blocked(&out, &blocked->blocks, blocked->body, blocked->dtype);
    return strbuf_finish(&out);
}
