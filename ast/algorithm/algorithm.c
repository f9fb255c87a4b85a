#include "ast/algorithm/algorithm.h"

#include <assert.h>
#include <string.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/contraction/contraction.h"
#include "ast/contraction/tensor.h"
#include "ast/nest/refine.h"
#include "base/indexset.h"

struct tcplan_algorithm tcplan_algorithm_empty(void) {
    return (struct tcplan_algorithm){.copy = {{.depth = -1}, {.depth = -1}, {.depth = -1}},
                                     .parallel = -1};
}

static int compare_numbers(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

static int compare_splits(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    int order = compare_numbers(a->split_count, b->split_count);
    for (int s = 0; s < a->split_count && order == 0; s++) {
        order = compare_numbers(a->split[s].index, b->split[s].index);
        if (order == 0) order = compare_numbers(a->split[s].step, b->split[s].step);
    }
    return order;
}

/** Encodes a copy as a number; no copy (a negative depth) comes first. */
static int64_t copy_number(struct tcplan_operand_copy copy) {
    return copy.depth * (INT64_C(1) << 20) + copy.panels * (INT64_C(1) << 19) +
           copy.padding * INT64_C(8) + 4 * copy.transposed + 2 * copy.read + copy.streamed;
}

static int compare_copies(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    int order = 0;
    for (int t = 0; t < TCPLAN_OPERANDS && order == 0; t++)
        order = compare_numbers(copy_number(a->copy[t]), copy_number(b->copy[t]));
    return order;
}

uint32_t algorithm_tile_number(struct tcplan_register_tile tile) {
    return ((uint32_t)tile.vectors << 16) + ((uint32_t)tile.columns << 8) + tile.unroll;
}

void algorithm_print_tile(struct strbuf *out, struct tcplan_register_tile tile) {
    if (tile.vectors > 0) strbuf_add(out, "%dx%d", tile.vectors, tile.columns);
    if (tile.unroll > 0) strbuf_add(out, "u%d", tile.unroll);
}

int algorithm_compare(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    int order = compare_numbers(a->kernel, b->kernel);
    if (order == 0) order = compare_numbers(a->provider, b->provider);
    if (order == 0)
        order = compare_numbers(algorithm_tile_number(a->tile), algorithm_tile_number(b->tile));
    if (order == 0) order = compare_numbers(a->starts, b->starts);
    if (order == 0) order = compare_numbers(a->parallel, b->parallel);
    if (order == 0) order = compare_numbers(a->collapsed, b->collapsed);
    if (order == 0) order = compare_numbers(a->loop_count, b->loop_count);
    if (order == 0) order = memcmp(a->group, b->group, sizeof a->group);
    if (order == 0) order = memcmp(a->loop, b->loop, a->loop_count);
    if (order == 0) order = compare_splits(a, b);
    return order == 0 ? compare_copies(a, b) : order;
}

bool tcplan_algorithm_equal(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b) {
    return algorithm_compare(a, b) == 0;
}

uint64_t algorithm_kernel_indices(const struct tcplan_algorithm *algorithm) {
    uint64_t indices = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) indices |= algorithm->group[role];
    return indices;
}

uint64_t algorithm_span(const struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    uint64_t span = 0;
    for (uint64_t rest = algorithm_kernel_indices(algorithm); rest; rest &= rest - 1) {
        const int number = indexset_first(rest);
        const bool has = indexset_has(contraction->tensor[operand].indices,
                                      algorithm_source_index(algorithm, contraction, number));
        if (has) span |= indexset_of(number);
    }
    const bool sums = operand != TCPLAN_C && kernel_class_of(algorithm->kernel)->takes_loops &&
                      !algorithm_copies(algorithm, operand);
    return sums ? span | contraction_summed(contraction, operand) : span;
}

bool algorithm_shares_loop(const struct tcplan_algorithm *algorithm, int loop) {
    if (algorithm->parallel < 0) return false;
    return loop == algorithm->parallel || (algorithm->collapsed && loop == algorithm->parallel + 1);
}

bool algorithm_copies(const struct tcplan_algorithm *algorithm, enum tcplan_operand operand) {
    return algorithm->copy[operand].depth >= 0;
}

int algorithm_role_of_kind(enum tcplan_index_kind kind) {
    assert((unsigned)kind < TCPLAN_INDEX_KINDS);
    static const int role[TCPLAN_INDEX_KINDS] = {
        [TCPLAN_FREE_A] = TCPLAN_M, [TCPLAN_FREE_B] = TCPLAN_N, [TCPLAN_CONTRACTED] = TCPLAN_K,
        [TCPLAN_BATCH] = TCPLAN_H,  [TCPLAN_SUMMED_A] = -1,     [TCPLAN_SUMMED_B] = -1};
    return role[kind];
}

enum tcplan_index_kind algorithm_kind_of_role(enum tcplan_role role) {
    assert((unsigned)role < TCPLAN_ROLES);
    static const enum tcplan_index_kind kind[TCPLAN_ROLES] = {[TCPLAN_M] = TCPLAN_FREE_A,
                                                              [TCPLAN_N] = TCPLAN_FREE_B,
                                                              [TCPLAN_K] = TCPLAN_CONTRACTED,
                                                              [TCPLAN_H] = TCPLAN_BATCH,
                                                              [TCPLAN_R] = TCPLAN_CONTRACTED};
    return kind[role];
}

unsigned algorithm_roles(const struct tcplan_algorithm *algorithm) {
    unsigned roles = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++)
        roles |= (algorithm->group[role] ? 1U : 0U) << role;
    return roles;
}

bool algorithm_kernel_of_roles(unsigned roles, enum tcplan_kernel *out) {
    for (int kernel = 0; kernel < TCPLAN_KERNELS; kernel++) {
        if (!kernel_is_named_by((enum tcplan_kernel)kernel, roles)) continue;
        *out = (enum tcplan_kernel)kernel;
        return true;
    }
    return false;
}

const char *tcplan_algorithm_provider_name(const struct tcplan_algorithm *algorithm) {
    return kernel_class_of(algorithm->kernel)->is_own ? "tcplan"
                                                      : tcplan_provider_name(algorithm->provider);
}
