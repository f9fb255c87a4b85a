#include "ast/algorithm/algorithm_check.h"

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/orientation.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/contraction/tensor.h"
#include "ast/nest/refine.h"
#include "base/error.h"
#include "base/indexset.h"

static enum tcplan_status refuse(struct tcplan_error *error, const char *why) {
    return error_set(error, TCPLAN_INVALID, "this is not an algorithm of the contraction: %s", why);
}

static uint64_t summed_indices(const struct tcplan_contraction *contraction) {
    return contraction_summed(contraction, TCPLAN_A) | contraction_summed(contraction, TCPLAN_B);
}

/** Checks that of two splits of an index the longer steps are multiples of the shorter ones. */
static enum tcplan_status check_nesting(const struct tcplan_algorithm *algorithm,
                                        const struct tcplan_contraction *contraction, int split,
                                        struct tcplan_error *error) {
    const struct tcplan_split own = algorithm->split[split];
    for (int s = 0; s < split; s++) {
        const struct tcplan_split other = algorithm->split[s];
        const int32_t longer = own.step > other.step ? own.step : other.step,
                      shorter = own.step > other.step ? other.step : own.step;
        if (other.index != own.index || (longer > shorter && longer % shorter == 0)) continue;
        return error_set(
            error, TCPLAN_INVALID,
            "the steps of '%.40s' have the lengths %d and %d; expected the first to be a multiple of the second",
            contraction->index[own.index].name, (int)longer, (int)shorter);
    }
    return TCPLAN_OK;
}

/** Checks that indices and steps together fit the sets and lists of loops. */
static enum tcplan_status check_splits(const struct tcplan_algorithm *algorithm,
                                       const struct tcplan_contraction *contraction,
                                       struct tcplan_error *error) {
    const uint64_t summed = summed_indices(contraction);
    if (algorithm->split_count > TCPLAN_MAX_TILES) {
        return error_set(error, TCPLAN_INVALID,
                         "the algorithm has %d loops over tiles; expected at most %d",
                         algorithm->split_count, TCPLAN_MAX_TILES);
    }
    if (algorithm_index_count(algorithm, contraction) > TCPLAN_MAX_INDICES) {
        return error_set(
            error, TCPLAN_INVALID,
            "the algorithm has %d indices and %d loops over tiles; expected at most %d in total",
            contraction->index_count, algorithm->split_count, TCPLAN_MAX_INDICES);
    }
    for (int s = 0; s < algorithm->split_count; s++) {
        const struct tcplan_split split = algorithm->split[s];
        if (split.index >= contraction->index_count || split.step < 1 ||
            indexset_has(summed, split.index)) {
            return refuse(
                error,
                "expected steps of length 1 or more, over an index of the result or a contracted one");
        }
        enum tcplan_status status = check_nesting(algorithm, contraction, s, error);
        if (status != TCPLAN_OK) return status;
    }
    return TCPLAN_OK;
}

/** Returns the name of a checked index number. */
static const char *name_of(const struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction, int number) {
    return contraction->index[algorithm_source_index(algorithm, contraction, number)].name;
}

static enum tcplan_status check_loops(const struct tcplan_algorithm *algorithm,
                                      const struct tcplan_contraction *contraction,
                                      struct tcplan_error *error) {
    const int count = algorithm_index_count(algorithm, contraction);
    uint64_t seen = 0;
    if (algorithm->loop_count > count) {
        return error_set(error, TCPLAN_INVALID, "the algorithm has %d loops; expected at most %d",
                         algorithm->loop_count, count);
    }
    for (int l = 0; l < algorithm->loop_count; l++) {
        const int number = algorithm->loop[l];
        if (number >= count) {
            return error_set(error, TCPLAN_INVALID,
                             "loop %d of the algorithm is over index number %d; expected 0 to %d",
                             l, number, count - 1);
        }
        if (indexset_has(seen, number)) {
            return error_set(
                error, TCPLAN_INVALID,
                "loop %d of the algorithm is over index '%.40s' again; expected each index once", l,
                name_of(algorithm, contraction, number));
        }
        seen |= indexset_of(number);
        if (algorithm_steps_around(algorithm, contraction, number) & ~seen) {
            return error_set(
                error, TCPLAN_INVALID,
                "the loop over '%.40s' is outside of that over its %ssteps; expected it inside",
                name_of(algorithm, contraction, number),
                number < contraction->index_count ? "" : "longer ");
        }
    }
    return TCPLAN_OK;
}

/** If the kernel sums over the steps of an index: checks that the index itself is in role k of
 * the kernel, and that its other steps are longer. */
static enum tcplan_status check_sums(const struct tcplan_algorithm *algorithm,
                                     const struct tcplan_contraction *contraction,
                                     struct tcplan_error *error) {
    for (uint64_t rest = algorithm->group[TCPLAN_R] & ~indexset_below(contraction->index_count);
         rest; rest &= rest - 1) {
        const int number = indexset_first(rest),
                  point = algorithm_source_index(algorithm, contraction, number);
        const uint64_t around =
            algorithm_steps_around(algorithm, contraction, number) | indexset_of(number);
        const bool has_points = indexset_has(algorithm->group[TCPLAN_K], point);
        if (has_points && algorithm_steps_around(algorithm, contraction, point) == around) continue;
        return error_set(
            error, TCPLAN_INVALID,
            "the kernel sums over the steps of '%.40s' of length %d; expected the elements of a step in the kernel's k",
            contraction->index[point].name,
            (int)algorithm->split[number - contraction->index_count].step);
    }
    return TCPLAN_OK;
}

static enum tcplan_status check_groups(const struct tcplan_algorithm *algorithm,
                                       const struct tcplan_contraction *contraction,
                                       struct tcplan_error *error) {
    static const char letter[TCPLAN_ROLES] = {
        [TCPLAN_M] = 'm', [TCPLAN_N] = 'n', [TCPLAN_K] = 'k', [TCPLAN_H] = 'h', [TCPLAN_R] = 'r'};
    uint64_t seen = 0;
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const uint64_t group = algorithm->group[role];
        const int count = role == TCPLAN_R ? algorithm_index_count(algorithm, contraction)
                                           : contraction->index_count;
        if (group & ~indexset_below(count)) {
            return error_set(error, TCPLAN_INVALID,
                             "the kernel's %c has index number %d; expected 0 to %d", letter[role],
                             indexset_first(group & ~indexset_below(count)), count - 1);
        }
        for (uint64_t rest = group; rest; rest &= rest - 1) {
            const struct tcplan_index *index =
                &contraction
                     ->index[algorithm_source_index(algorithm, contraction, indexset_first(rest))];
            if (index->kind == algorithm_kind_of_role((enum tcplan_role)role)) continue;
            return error_set(
                error, TCPLAN_INVALID,
                "index '%.40s' cannot be the kernel's %c; expected a free index of A for m, of B for n, a contracted one for k or r, a batch index for h",
                index->name, letter[role]);
        }
        if (group & seen) {
            return error_set(error, TCPLAN_INVALID,
                             "index '%.40s' is the kernel's k and r; expected one of the two",
                             contraction->index[indexset_first(group & seen)].name);
        }
        seen |= group;
    }
    return TCPLAN_OK;
}

/** Checks that each index is used once: in the kernel, as a loop, or summed by a copy; and that
 * steps are loops. */
static enum tcplan_status check_cover(const struct tcplan_algorithm *algorithm,
                                      const struct tcplan_contraction *contraction,
                                      struct tcplan_error *error) {
    const uint64_t kernel = algorithm_kernel_indices(algorithm);
    uint64_t loops = 0;
    for (int l = 0; l < algorithm->loop_count; l++) loops |= indexset_of(algorithm->loop[l]);
    for (int i = 0; i < algorithm_index_count(algorithm, contraction); i++) {
        const bool in_kernel = indexset_has(kernel, i);
        const bool is_summed = indexset_has(summed_indices(contraction), i);
        if (is_summed && !indexset_has(loops, i)) continue;
        if (is_summed) {
            return error_set(error, TCPLAN_INVALID,
                             "index '%.40s' is a loop; expected none, as it is in one factor only",
                             name_of(algorithm, contraction, i));
        }
        if (in_kernel != indexset_has(loops, i)) continue;
        return error_set(error, TCPLAN_INVALID, "index '%.40s' is %s; expected one of the two",
                         name_of(algorithm, contraction, i),
                         in_kernel ? "in the kernel and a loop"
                                   : "neither in the kernel nor a loop");
    }
    return TCPLAN_OK;
}

/* Checks that provider, kernel, copies and loops fit together. */

static bool provider_fits(const struct tcplan_algorithm *algorithm) {
    if ((unsigned)algorithm->kernel >= TCPLAN_KERNELS ||
        (unsigned)algorithm->provider >= TCPLAN_PROVIDERS)
        return false;
    return provider_has_kernel(algorithm->provider, algorithm->kernel);
}

/** Returns whether the kernel class takes the algorithm's roles. Without roles the kernel is the
 * product of two elements, and all indices are batch indices. */
static bool kernel_fits(const struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction) {
    const unsigned roles = algorithm_roles(algorithm);
    if (roles) return kernel_takes(algorithm->kernel, roles);
    const uint64_t batch = tcplan_contraction_indices(contraction, TCPLAN_BATCH);
    return kernel_class_of(algorithm->kernel)->takes_elements &&
           batch == contraction_run(contraction);
}

/** Returns false if the first iteration of contracted loops is to apply beta in a kernel without a
 * beta argument. */
static bool start_fits(const struct tcplan_algorithm *algorithm,
                       const struct tcplan_contraction *contraction) {
    return !algorithm->starts || kernel_class_of(algorithm->kernel)->has_beta ||
           !algorithm_contracted_loops(algorithm, contraction, 0, algorithm->loop_count);
}

bool algorithm_splits_end_groups(const struct tcplan_algorithm *algorithm,
                                 const struct tcplan_contraction *contraction) {
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        const struct tcplan_group group =
            algorithm_group(algorithm, contraction, (enum tcplan_role)role);
        for (int i = 0; i + 1 < group.count; i++) {
            if (algorithm_steps_around(algorithm, contraction, group.index[i])) return false;
        }
    }
    return true;
}

/** Returns whether a copy is legal: its temporary has an index of the operand, or it sums over one.
 * Without a copy, returns whether the operand can be read in place. */
static bool copy_fits(const struct tcplan_algorithm *algorithm,
                      const struct tcplan_contraction *contraction, enum tcplan_operand operand) {
    const int depth = algorithm->copy[operand].depth;
    const uint64_t indices = contraction->tensor[operand].indices;
    if (depth < 0) return algorithm_fits_in_place(algorithm, contraction, operand);
    if (depth > algorithm->loop_count) return false;
    bool holds = (algorithm_kernel_indices(algorithm) & indices) != 0 ||
                 contraction_summed(contraction, operand);
    for (int l = depth; l < algorithm->loop_count; l++) {
        holds = holds || indexset_has(indices, algorithm_source_index(algorithm, contraction,
                                                                      algorithm->loop[l]));
    }
    return holds;
}

/** Returns the dimension of a tensor, counted from the contiguous one, that runs over this
 * index; -1 if two dimensions do (a diagonal). */
static int dimension_of(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                        int index) {
    const bool is_diagonal = tensor_is_diagonal(&contraction->tensor[operand], index);
    return is_diagonal ? -1 : contraction_place(contraction, operand, index);
}

/** Returns whether the indices of a group are consecutive dimensions of the tensor. Steps never
 * are, because the points within a step lie between them. */
static bool lies_together(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                          const struct tcplan_group *group) {
    const bool splits = provider_traits_of(algorithm->provider)->splits_groups;
    if (group->count < 2) return true;
    const int first = dimension_of(contraction, operand,
                                   algorithm_source_index(algorithm, contraction, group->index[0]));
    for (int i = 1; i < group->count; i++) {
        const bool is_steps = group->index[i] >= contraction->index_count;
        const int own = is_steps ? -1 : dimension_of(contraction, operand, group->index[i]);
        if (first < 0 || own < 0 || (own != first + i && !splits)) return false;
    }
    return first >= 0;
}

bool algorithm_fits_in_place(const struct tcplan_algorithm *algorithm,
                             const struct tcplan_contraction *contraction,
                             enum tcplan_operand operand) {
    enum tcplan_role role[OPERAND_ROLES];
    int groups = 0;
    bool contiguous = false;
    if (kernel_class_of(algorithm->kernel)->takes_loops) return true;
    if (contraction_summed(contraction, operand)) return false;
    if (operand != TCPLAN_C && contraction->tensor[operand].conjugated &&
        !algorithm_conjugates(algorithm, contraction, operand))
        return false;
    if (algorithm_span(algorithm, contraction, operand) & contraction->tensor[operand].falling)
        return false;
    const int roles = operand_roles(operand, role);
    for (int r = 0; r < roles; r++) {
        const struct tcplan_group group = algorithm_group(algorithm, contraction, role[r]);
        if (!lies_together(algorithm, contraction, operand, &group)) return false;
        if (role[r] == TCPLAN_R)
            continue; /* the stride of such an index separates matrices; it is not within a matrix
                       */
        groups += group.count > 0;
        contiguous = contiguous ||
                     (group.count > 0 && contraction_is_unit(contraction, operand, group.index[0]));
    }
    return contiguous || groups < 2 || provider_traits_of(algorithm->provider)->takes_any_strides;
}

static bool flags_fit(const struct tcplan_algorithm *algorithm) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_operand_copy copy = algorithm->copy[t];
        if ((copy.read || copy.streamed) && t != TCPLAN_C) return false;
        if (copy.read && copy.depth < 0) return false;
    }
    return true;
}

/** Returns whether the kernel may use non-temporal stores for its result, if the algorithm requires
 * them: no contracted loop may revisit the result. */
static bool stream_fits(const struct tcplan_algorithm *algorithm,
                        const struct tcplan_contraction *contraction) {
    if (!algorithm->copy[TCPLAN_C].streamed || algorithm_copies(algorithm, TCPLAN_C)) return true;
    if (!provider_traits_of(algorithm->provider)->streams) return false;
    return algorithm_contracted_loops(algorithm, contraction, 0, algorithm->loop_count) == 0;
}

/** Returns whether the register tile, if any, is within its limits and the kernel is compiled. */
static bool tile_fits(const struct tcplan_algorithm *algorithm) {
    const struct tcplan_register_tile tile = algorithm->tile;
    if (algorithm_tile_number(tile) == 0) return true;
    const bool is_tile = tile.vectors <= TCPLAN_MAX_VECTORS && tile.columns <= TCPLAN_MAX_COLUMNS &&
                         tile.unroll <= TCPLAN_MAX_UNROLL;
    return is_tile && (tile.vectors == 0) == (tile.columns == 0) &&
           provider_traits_of(algorithm->provider)->is_compiled;
}

/** Returns false for loops or copies around a kernel of a provider that computes whole contractions
 * only. */
static bool whole_fits(const struct tcplan_algorithm *algorithm) {
    bool is_copied = false;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        is_copied = is_copied || algorithm_copies(algorithm, (enum tcplan_operand)t);
    return !provider_traits_of(algorithm->provider)->is_whole ||
           (algorithm->loop_count == 0 && !is_copied);
}

/** Returns whether the iterations of a loop write different elements of the result. */
static bool is_shareable(const struct tcplan_algorithm *algorithm,
                         const struct tcplan_contraction *contraction, int loop) {
    if (loop >= algorithm->loop_count) return false;
    const int index = algorithm_source_index(algorithm, contraction, algorithm->loop[loop]);
    return contraction->index[index].kind != TCPLAN_CONTRACTED;
}

/** Returns whether the parallel loops are legal. The result must not be copied between two
 * collapsed loops: all threads that share an iteration of the outer loop would write it. */
static bool parallel_fits(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction) {
    const int loop = algorithm->parallel;
    if (loop < 0) return !algorithm->collapsed;
    if (!is_shareable(algorithm, contraction, loop)) return false;
    if (!algorithm->collapsed) return true;
    return is_shareable(algorithm, contraction, loop + 1) &&
           algorithm->copy[TCPLAN_C].depth != loop + 1;
}

enum tcplan_status algorithm_check(const struct tcplan_algorithm *algorithm,
                                   const struct tcplan_contraction *contraction,
                                   struct tcplan_error *error) {
    enum tcplan_status status = check_splits(algorithm, contraction, error);
    if (status == TCPLAN_OK) status = check_groups(algorithm, contraction, error);
    if (status == TCPLAN_OK) status = check_sums(algorithm, contraction, error);
    if (status == TCPLAN_OK) status = check_loops(algorithm, contraction, error);
    if (status == TCPLAN_OK) status = check_cover(algorithm, contraction, error);
    if (status != TCPLAN_OK) return status;
    if (!provider_fits(algorithm)) return refuse(error, "its provider does not have the kernel");
    if (!kernel_fits(algorithm, contraction))
        return refuse(error, "indices have roles that the kernel does not have");
    if (!start_fits(algorithm, contraction))
        return refuse(error, "'=' marks contracted loops, but the kernel has no beta");
    if (!algorithm_splits_end_groups(algorithm, contraction))
        return refuse(error, "a tile is in the middle of fused indices");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!copy_fits(algorithm, contraction, (enum tcplan_operand)t))
            return refuse(error, "the kernel cannot take one of the operands");
    }
    if (!flags_fit(algorithm))
        return refuse(error, "only a copy of the result can be marked 'r' or 's'");
    if (!stream_fits(algorithm, contraction))
        return refuse(error, "the kernel cannot write its result with non-temporal stores");
    if (!tile_fits(algorithm))
        return refuse(error, "the kernel does not have this register tile or unrolling");
    if (!parallel_fits(algorithm, contraction))
        return refuse(error, "a loop that is marked parallel cannot be parallel");
    if (!whole_fits(algorithm))
        return refuse(error, "its kernel computes the whole contraction alone");
    return TCPLAN_OK;
}
