#include <assert.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/orientation.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "ast/scalar.h"
#include "base/indexset.h"

uint64_t algorithm_contracted_loops(const struct tcplan_algorithm *algorithm,
                                    const struct tcplan_contraction *contraction, int from,
                                    int to) {
    assert(from >= 0 && to <= algorithm->loop_count);
    uint64_t loops = 0;
    for (int l = from; l < to; l++) {
        const int source = algorithm_source_index(algorithm, contraction, algorithm->loop[l]);
        if (contraction->index[source].kind == TCPLAN_CONTRACTED)
            loops |= indexset_of(algorithm->loop[l]);
    }
    return loops;
}

/** Returns the number of loops around a copy at its outermost legal place, directly inside the last
 * loop that the operand depends on. */
static int outermost_depth(const struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction,
                           enum tcplan_operand operand) {
    int depth = algorithm->loop_count;
    while (depth > 0 &&
           !indexset_has(contraction->tensor[operand].indices, algorithm->loop[depth - 1]))
        depth--;
    return depth;
}

/** Returns whether the result's temporary must be filled first: beta is not 0, or contracted
 * loops around the copy revisit it. */
static bool is_read(const struct tcplan_algorithm *algorithm,
                    const struct tcplan_contraction *contraction, int depth) {
    const bool is_zero = scalar_is(contraction->beta, 0);
    return !is_zero || algorithm_contracted_loops(algorithm, contraction, 0, depth) != 0;
}

/** Returns whether the second role of an operand comes before the first in the tensor. */
static bool is_transposed(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction,
                          enum tcplan_operand operand) {
    enum tcplan_role role[OPERAND_ROLES];
    operand_roles(operand, role);
    if (!algorithm->group[role[0]] || !algorithm->group[role[1]]) return false;
    return contraction_place(contraction, operand, indexset_first(algorithm->group[role[0]])) >
           contraction_place(contraction, operand, indexset_first(algorithm->group[role[1]]));
}

static bool has_unit(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                     uint64_t span) {
    for (; span; span &= span - 1) {
        if (contraction_is_unit(contraction, operand, indexset_first(span))) return true;
    }
    return false;
}

/** Returns whether a factor must be conjugated by a copy, because the kernel cannot conjugate it
 * with the copies that are needed in any case. */
static bool is_conjugated_before(const struct tcplan_algorithm *algorithm,
                                 const struct tcplan_contraction *contraction,
                                 enum tcplan_operand factor) {
    struct tcplan_algorithm in_place = *algorithm;
    if (factor == TCPLAN_C || !contraction->tensor[factor].conjugated) return false;
    in_place.copy[factor].depth = -1;
    in_place.copy[TCPLAN_C] = algorithm_copy_by_rules(algorithm, contraction, TCPLAN_C);
    return !algorithm_conjugates(&in_place, contraction, factor);
}

struct tcplan_operand_copy algorithm_copy_by_rules(const struct tcplan_algorithm *algorithm,
                                                   const struct tcplan_contraction *contraction,
                                                   enum tcplan_operand operand) {
    if (kernel_class_of(algorithm->kernel)->takes_loops)
        return (struct tcplan_operand_copy){.depth = -1};
    const uint64_t span = algorithm_span(algorithm, contraction, operand);
    const bool is_matrix = indexset_size(span) > 1;
    const bool fits = !is_matrix || has_unit(contraction, operand, span) ||
                      provider_traits_of(algorithm->provider)->takes_any_strides;
    const bool is_ready =
        !contraction_summed(contraction, operand) && !(span & contraction->tensor[operand].falling);
    if (fits && is_ready && !is_conjugated_before(algorithm, contraction, operand))
        return (struct tcplan_operand_copy){.depth = -1};
    const int depth = outermost_depth(algorithm, contraction, operand);
    return (struct tcplan_operand_copy){
        .depth = (int8_t)depth,
        .transposed = is_matrix && is_transposed(algorithm, contraction, operand),
        .read = operand == TCPLAN_C && is_read(algorithm, contraction, depth)};
}

void algorithm_apply_rules(struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction) {
    algorithm->starts = false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        algorithm->copy[t] =
            algorithm_copy_by_rules(algorithm, contraction, (enum tcplan_operand)t);
    }
}

bool algorithm_follows_rules(const struct tcplan_algorithm *algorithm,
                             const struct tcplan_contraction *contraction) {
    if (algorithm->split_count > 0 || algorithm->starts || algorithm->group[TCPLAN_R]) return false;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        if (indexset_size(algorithm->group[role]) > 1) return false;
    }
    struct tcplan_algorithm ruled = *algorithm;
    algorithm_apply_rules(&ruled, contraction);
    if (!algorithm_copies(&ruled, TCPLAN_C))
        /* the kernel itself writes the result with non-temporal stores */
        ruled.copy[TCPLAN_C].streamed = algorithm->copy[TCPLAN_C].streamed;
    return tcplan_algorithm_equal(&ruled, algorithm);
}

bool tcplan_algorithm_in_blas_space(const struct tcplan_algorithm *algorithm,
                                    const struct tcplan_contraction *contraction) {
    const unsigned roles = algorithm_roles(algorithm);
    return algorithm->provider == TCPLAN_PROVIDER_BLAS && algorithm->parallel < 0 &&
           kernel_class_of(algorithm->kernel)->is_blas &&
           (roles == 0 || kernel_is_named_by(algorithm->kernel, roles)) &&
           algorithm_follows_rules(algorithm, contraction);
}

/* Canonical form. */

/** Numbers the splits from the outermost steps inwards. The split that is summed over comes
 * last; there is at most one. */
static void order_splits(struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction) {
    const uint64_t summed = algorithm->group[TCPLAN_R] & ~indexset_below(contraction->index_count);
    struct tcplan_split split[TCPLAN_MAX_TILES] = {{0}};
    int count = 0;
    for (int l = 0; l < algorithm->loop_count; l++) {
        const int number = algorithm->loop[l];
        if (number < contraction->index_count) continue;
        split[count] = algorithm->split[number - contraction->index_count];
        algorithm->loop[l] = (uint8_t)(contraction->index_count + count++);
    }
    if (summed) {
        split[count] = algorithm->split[indexset_first(summed) - contraction->index_count];
        algorithm->group[TCPLAN_R] =
            (algorithm->group[TCPLAN_R] & ~summed) | indexset_of(contraction->index_count + count);
    }
    assert(indexset_size(summed) <= 1);
    assert(count + (summed != 0) == algorithm->split_count); /* each split is either a loop or a sum
                                                              */
    memcpy(algorithm->split, split, sizeof split);
}

static struct tcplan_operand_copy canonical_copy(const struct tcplan_algorithm *algorithm,
                                                 const struct tcplan_contraction *contraction,
                                                 enum tcplan_operand operand) {
    struct tcplan_operand_copy copy = algorithm->copy[operand];
    enum tcplan_role role[OPERAND_ROLES];
    if (copy.depth < 0) return (struct tcplan_operand_copy){.depth = -1, .streamed = copy.streamed};
    operand_roles(operand, role);
    copy.transposed = copy.transposed && algorithm->group[role[0]] && algorithm->group[role[1]];
    copy.read = copy.read && is_read(algorithm, contraction, copy.depth);
    return copy;
}

/** Returns whether the first iteration of contracted loops can apply beta: there are such loops,
 * and beta scales neither a conjugate of the result nor an addend. */
static bool can_start(const struct tcplan_algorithm *algorithm,
                      const struct tcplan_contraction *contraction) {
    const struct tcplan_operand_copy copy = algorithm->copy[TCPLAN_C];
    const bool is_own =
        contraction->tensor[TCPLAN_C].conjugated || contraction_added(contraction) == TCPLAN_ADDEND;
    if (is_own && (copy.depth < 0 || copy.read)) return false;
    return algorithm_contracted_loops(algorithm, contraction, is_own ? copy.depth : 0,
                                      algorithm->loop_count) != 0;
}

/** Clears panels and padding that do not change a temporary. */
static void canonical_layouts(struct tcplan_algorithm *algorithm,
                              const struct tcplan_contraction *contraction) {
    struct tcplan_algorithm plain = *algorithm;
    bool any = false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        any = any || algorithm->copy[t].panels || algorithm->copy[t].padding > 0;
        plain.copy[t].panels = false;
    }
    if (!any) return;
    const struct tcplan_refinement own = refinement_unnamed(contraction, algorithm),
                                   flat = refinement_unnamed(contraction, &plain);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool same = memcmp(own.temporary_dims[t], flat.temporary_dims[t],
                                 sizeof own.temporary_dims[t]) == 0 &&
                          (own.padding[t] == 0 || own.padded_dims[t] == flat.padded_dims[t]);
        if (same) algorithm->copy[t].panels = false;
        algorithm->copy[t].padding = (uint16_t)own.padding[t];
    }
}

void algorithm_canonical(struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction) {
    order_splits(algorithm, contraction);
    memset(algorithm->loop + algorithm->loop_count, 0,
           sizeof algorithm->loop - algorithm->loop_count);
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        algorithm->copy[t] = canonical_copy(algorithm, contraction, (enum tcplan_operand)t);
    algorithm->starts = algorithm->starts && can_start(algorithm, contraction);
    canonical_layouts(algorithm, contraction);
}
