#include "support/random_algorithm.h"

#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "base/indexset.h"
#include "support/rng.h"

enum { ATTEMPTS = 400, LARGEST_STEP = 4 };

/** Splits several indices into steps, and sometimes splits an index again, into multiples of its
 * previous step. */
static void add_splits(struct tcplan_algorithm *algorithm,
                       const struct tcplan_contraction *contraction, uint64_t *state) {
    const int wanted = rng_below(state, 4);
    for (int s = 0; s < wanted && contraction->index_count > 0; s++) {
        const int index = rng_below(state, contraction->index_count);
        int32_t longest = 0;
        if (!indexset_has(contraction_run(contraction), index)) continue;
        for (int other = 0; other < algorithm->split_count; other++) {
            if (algorithm->split[other].index == index && algorithm->split[other].step > longest)
                longest = algorithm->split[other].step;
        }
        const int32_t step =
            longest > 0 ? longest * (2 + rng_below(state, 2)) : 1 + rng_below(state, LARGEST_STEP);
        algorithm->split[algorithm->split_count++] =
            (struct tcplan_split){.index = (uint8_t)index, .step = step};
    }
}

/** Returns the length of the step that an index number stands for; 0: it stands for the index
 * itself. */
static int32_t step_of(const struct tcplan_algorithm *algorithm,
                       const struct tcplan_contraction *contraction, int number) {
    return number < contraction->index_count
               ? 0
               : algorithm->split[number - contraction->index_count].step;
}

/** Sorts the loops of an algorithm over the steps of an index: longer steps outside. */
static void order_steps(struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction) {
    for (int l = 0; l < algorithm->loop_count; l++) {
        for (int outer = 0; outer < l; outer++) {
            const uint8_t own = algorithm->loop[l], other = algorithm->loop[outer];
            const bool same = algorithm_source_index(algorithm, contraction, own) ==
                              algorithm_source_index(algorithm, contraction, other);
            if (!same ||
                step_of(algorithm, contraction, own) < step_of(algorithm, contraction, other))
                continue;
            algorithm->loop[outer] = own;
            algorithm->loop[l] = other;
        }
    }
}

/** Chooses which indices the kernel has; the others become loops. Element-wise kernels have batch
 * indices, kernels with loops any indices, others all but batch indices. */
static void deal_indices(struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction, uint64_t *state) {
    const bool has_elementwise = provider_has_kernel(algorithm->provider, TCPLAN_MUL);
    const bool is_elementwise = has_elementwise &&
                                tcplan_contraction_indices(contraction, TCPLAN_BATCH) != 0 &&
                                rng_once_in(state, 2);
    const bool has_loops =
        provider_has_kernel(algorithm->provider, TCPLAN_LOOPS) && rng_once_in(state, 2);
    for (int i = 0; i < contraction->index_count + algorithm->split_count; i++) {
        if (i < contraction->index_count && !indexset_has(contraction_run(contraction), i))
            continue;
        const bool is_batch =
            i < contraction->index_count && contraction->index[i].kind == TCPLAN_BATCH;
        if (i < contraction->index_count && (has_loops || is_batch == is_elementwise) &&
            !rng_once_in(state, is_batch ? 4 : 3)) {
            algorithm->group[algorithm_role_of_kind(contraction->index[i].kind)] |= indexset_of(i);
        } else {
            algorithm->loop[algorithm->loop_count++] = (uint8_t)i;
        }
    }
    for (int l = algorithm->loop_count - 1; l > 0; l--) {
        const int other = rng_below(state, l + 1);
        const uint8_t moved = algorithm->loop[l];
        algorithm->loop[l] = algorithm->loop[other];
        algorithm->loop[other] = moved;
    }
    order_steps(algorithm, contraction);
}

/** Sometimes lets the kernel sum over the shortest steps of contracted indices, instead of a loop.
 */
static void deal_summed_steps(struct tcplan_algorithm *algorithm,
                              const struct tcplan_contraction *contraction, uint64_t *state) {
    for (int l = algorithm->loop_count - 1; l >= 0; l--) {
        const int number = algorithm->loop[l],
                  point = algorithm_source_index(algorithm, contraction, number);
        const uint64_t around =
            algorithm_steps_around(algorithm, contraction, number) | indexset_of(number);
        if (number == point || !indexset_has(algorithm->group[TCPLAN_K], point) ||
            rng_once_in(state, 3))
            continue;
        if (algorithm_steps_around(algorithm, contraction, point) != around) continue;
        algorithm->group[TCPLAN_R] |= indexset_of(number);
        algorithm->loop_count--;
        memmove(&algorithm->loop[l], &algorithm->loop[l + 1], (size_t)(algorithm->loop_count - l));
    }
}

/** Sometimes lets the kernel sum the products over some contracted indices. */
static void deal_sums(struct tcplan_algorithm *algorithm,
                      const struct tcplan_contraction *contraction, uint64_t *state) {
    if (!provider_has_kernel(algorithm->provider, TCPLAN_BRGEMM)) return;
    for (uint64_t rest = algorithm->group[TCPLAN_K]; rest; rest &= rest - 1) {
        const uint64_t index = indexset_of(indexset_first(rest));
        if (rng_once_in(state, 2)) continue;
        algorithm->group[TCPLAN_K] &= ~index;
        algorithm->group[TCPLAN_R] |= index;
    }
    deal_summed_steps(algorithm, contraction, state);
}

/** Chooses a random kernel class of the provider for the roles of the indices. */
static void choose_kernel(struct tcplan_algorithm *algorithm, uint64_t *state) {
    const unsigned roles = algorithm_roles(algorithm);
    int found = 0;
    for (int k = 0; k < TCPLAN_KERNELS && roles; k++) {
        const enum tcplan_kernel kernel = (enum tcplan_kernel)k;
        if (!provider_has_kernel(algorithm->provider, kernel) || !kernel_takes(kernel, roles))
            continue;
        if (rng_below(state, ++found) == 0) algorithm->kernel = kernel;
    }
    if (found == 0)
        algorithm_kernel_of_roles(roles, &algorithm->kernel); /* sets the class, if it is an
                                                                 element-wise product */
}

/** Chooses copies: operands with indices to sum over are copied, unless the kernel sums; others at
 * random. */
static void choose_copies(struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, uint64_t *state) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool sums = contraction_summed(contraction, (enum tcplan_operand)t) &&
                          algorithm->kernel != TCPLAN_LOOPS;
        const bool copied = rng_once_in(state, 2) || sums;
        algorithm->copy[t].depth =
            (int8_t)(copied ? rng_below(state, algorithm->loop_count + 1) : -1);
        algorithm->copy[t].transposed = copied && rng_once_in(state, 2);
        algorithm->copy[t].panels = copied && rng_once_in(state, 2);
        algorithm->copy[t].padding =
            (uint16_t)(copied && rng_once_in(state, 3) ? 1 + rng_below(state, 5) : 0);
    }
    algorithm->copy[TCPLAN_C].streamed = (algorithm_copies(algorithm, TCPLAN_C) ||
                                          provider_traits_of(algorithm->provider)->streams) &&
                                         rng_once_in(state, 2);
    algorithm->copy[TCPLAN_C].read = algorithm_copies(algorithm, TCPLAN_C) && rng_once_in(state, 3);
    algorithm->starts = kernel_class_of(algorithm->kernel)->has_beta && !rng_once_in(state, 3);
}

/** Chooses a random register tile, an unrolling, or both, if the kernel can have them. */
static void choose_tile(struct tcplan_algorithm *algorithm, uint64_t *state) {
    if (!provider_traits_of(algorithm->provider)->is_compiled || rng_once_in(state, 2)) return;
    algorithm->tile.unroll = (uint8_t)rng_below(state, 6);
    if (algorithm->tile.unroll > 0 && rng_once_in(state, 3)) return;
    algorithm->tile.vectors = (uint8_t)(1 + rng_below(state, 4));
    algorithm->tile.columns = (uint8_t)(1 + rng_below(state, 6));
}

bool random_algorithm(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                      enum tcplan_provider provider, uint64_t *state) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        *out = tcplan_algorithm_empty();
        out->provider = provider;
        add_splits(out, contraction, state);
        deal_indices(out, contraction, state);
        deal_sums(out, contraction, state);
        choose_kernel(out, state);
        choose_copies(out, contraction, state);
        choose_tile(out, state);
        if (algorithm_check(out, contraction, NULL) == TCPLAN_OK) return true;
    }
    return false;
}

bool random_algorithm_divides(const struct tcplan_algorithm *algorithm,
                              const struct tcplan_contraction *contraction,
                              const int64_t extent[]) {
    for (uint64_t rest = algorithm->group[TCPLAN_R] & ~indexset_below(contraction->index_count);
         rest; rest &= rest - 1) {
        const struct tcplan_split split =
            algorithm->split[indexset_first(rest) - contraction->index_count];
        if (extent[split.index] > split.step && extent[split.index] % split.step != 0) return false;
    }
    return true;
}

bool random_parallel_loop(struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, uint64_t *state) {
    if (algorithm->loop_count == 0) return false;
    algorithm->parallel = (int8_t)rng_below(state, algorithm->loop_count);
    algorithm->collapsed = rng_once_in(state, 2);
    if (algorithm_check(algorithm, contraction, NULL) == TCPLAN_OK) return true;
    algorithm->collapsed = false;
    if (algorithm_check(algorithm, contraction, NULL) == TCPLAN_OK) return true;
    algorithm->parallel = -1;
    return false;
}
