#include "ast/algorithm.h"
#include "ast/choices.h"
#include "ast/refine.h"
#include "base/error.h"
#include "base/indexset.h"

static const char role_letter[TCPLAN_ROLES] = {[TCPLAN_M] = 'm', [TCPLAN_N] = 'n', [TCPLAN_K] = 'k'};

/** Whether indices and steps together are numbers that sets and lists of loops hold. */
static enum tcplan_status check_size(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                     struct tcplan_error *error) {
    if (algorithm->choices.made && algorithm->choices.split_count > TCPLAN_MAX_TILES) {
        return error_set(error, TCPLAN_INVALID, "the algorithm has steps of %d indices; expected at most %d",
                         algorithm->choices.split_count, TCPLAN_MAX_TILES);
    }
    if (algorithm_index_count(algorithm, contraction) <= TCPLAN_MAX_INDICES) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "the algorithm has %d indices and steps of %d of them; expected at most %d together",
                     contraction->index_count, algorithm->choices.split_count, TCPLAN_MAX_INDICES);
}

/** The name of the index that a number stands for; that has been checked. */
static const char *name_of(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int number) {
    return contraction->index[algorithm_source_index(algorithm, contraction, number)].name;
}

static enum tcplan_status check_loops(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                      struct tcplan_error *error) {
    const int count = algorithm_index_count(algorithm, contraction);
    uint64_t seen = 0;
    if (algorithm->loop_count > count) {
        return error_set(error, TCPLAN_INVALID, "the algorithm has %d loops; expected at most %d", algorithm->loop_count, count);
    }
    for (int l = 0; l < algorithm->loop_count; l++) {
        const int number = algorithm->loop[l];
        if (number >= count) {
            return error_set(error, TCPLAN_INVALID, "loop %d of the algorithm is over index number %d; expected 0 to %d", l, number,
                             count - 1);
        }
        if (indexset_has(seen, number)) {
            return error_set(error, TCPLAN_INVALID, "loop %d of the algorithm is over index '%.40s' again; expected each index once", l,
                             name_of(algorithm, contraction, number));
        }
        seen |= indexset_of(number);
    }
    return TCPLAN_OK;
}

/** The indices in the kernel of an algorithm of the `blas` space, in *out. */
static enum tcplan_status check_roles(uint64_t *out, const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                      struct tcplan_error *error) {
    static const enum tcplan_index_kind kind[TCPLAN_ROLES] = {
        [TCPLAN_M] = TCPLAN_FREE_A, [TCPLAN_N] = TCPLAN_FREE_B, [TCPLAN_K] = TCPLAN_CONTRACTED};
    *out = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const int index = algorithm->role[role];
        if (index == -1) continue;
        if (index < -1 || index >= contraction->index_count) {
            return error_set(error, TCPLAN_INVALID, "the kernel's index %c is number %d; expected 0 to %d, or -1", role_letter[role], index,
                             contraction->index_count - 1);
        }
        if (contraction->index[index].kind != kind[role]) {
            return error_set(
                error, TCPLAN_INVALID,
                "index '%.40s' cannot be the kernel's %c; expected a free index of A for m, of B for n, a contracted one for k",
                contraction->index[index].name, role_letter[role]);
        }
        *out |= indexset_of(index);
    }
    return TCPLAN_OK;
}

/** Every index is either in the kernel or a loop. */
static enum tcplan_status check_cover(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                      uint64_t kernel, struct tcplan_error *error) {
    uint64_t loops = 0;
    for (int l = 0; l < algorithm->loop_count; l++) loops |= indexset_of(algorithm->loop[l]);
    for (int i = 0; i < contraction->index_count; i++) {
        const bool in_kernel = indexset_has(kernel, i);
        if (in_kernel != indexset_has(loops, i)) continue;
        return error_set(error, TCPLAN_INVALID, "index '%.40s' is %s; expected one of the two", contraction->index[i].name,
                         in_kernel ? "in the kernel and a loop" : "neither in the kernel nor a loop");
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_kernel(const struct tcplan_algorithm *algorithm, struct tcplan_error *error) {
    const int8_t *role = algorithm->role;
    enum tcplan_kernel kernel = TCPLAN_DOT; /* of one element, where all indices are loops */
    const bool found = algorithm_kernel_of_roles(role[TCPLAN_M] >= 0, role[TCPLAN_N] >= 0, role[TCPLAN_K] >= 0, &kernel);
    if (algorithm->kernel == kernel) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID, "the algorithm's kernel is number %d; its indices make it %d (%s)", (int)algorithm->kernel,
                     (int)kernel, found ? tcplan_kernel_name(kernel, TCPLAN_DOUBLE) : "a dot of one element");
}

static bool only_batch(const struct tcplan_contraction *contraction) {
    return indexset_size(tcplan_contraction_indices(contraction, TCPLAN_BATCH)) == contraction->index_count;
}

static enum tcplan_status check_by_rules(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                         struct tcplan_error *error) {
    uint64_t kernel;
    enum tcplan_status status = check_roles(&kernel, algorithm, contraction, error);
    if (status == TCPLAN_OK) status = check_cover(algorithm, contraction, kernel, error);
    if (status == TCPLAN_OK && kernel == 0 && !only_batch(contraction)) {
        status = error_set(error, TCPLAN_INVALID, "the algorithm has no index in its kernel; expected one at least");
    }
    return status == TCPLAN_OK ? check_kernel(algorithm, error) : status;
}

enum tcplan_status algorithm_check(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                   struct tcplan_error *error) {
    enum tcplan_status status = check_size(algorithm, contraction, error);
    if (status == TCPLAN_OK) status = check_loops(algorithm, contraction, error);
    if (status != TCPLAN_OK) return status;
    return algorithm->choices.made ? choices_check(algorithm, contraction, error) : check_by_rules(algorithm, contraction, error);
}
