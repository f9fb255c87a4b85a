#include "gen/space/structures.h"

#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "base/indexset.h"
#include "gen/space/groups.h"
#include "gen/space/whole.h"

/* If there are more families than this, roles may fuse fewer sets of indices. */
#define MOST_FAMILIES 4096.0

/** State of an enumeration. */
struct walk {
    struct groups groups[TCPLAN_R]; /* sets of indices for each role but r: see offer_sums() */
    const struct structures_options *options;
    const struct tcplan_contraction *contraction;
    structures_fn *visit;
    void *context;
    bool without_steps; /* whether to report structures without steps; with steps */
    bool in_steps;
    bool families;
    bool stopped;
};

static int64_t extent_of(const struct walk *walk, int index) {
    return walk->options->problem->extent[index];
}

static bool is_copied(const struct tcplan_algorithm *structure, enum tcplan_operand operand) {
    return structure->copy[operand].depth >= 0;
}

/** Sets an order of loops, and depths of copies, that can be built: loops over steps outside, then
 * copies, then all other loops. */
static void arrange(const struct walk *walk, struct tcplan_algorithm *structure) {
    const int steps = walk->contraction->index_count;
    structure->loop_count = 0;
    for (int s = structure->split_count - 1; s >= 0; s--)
        structure->loop[structure->loop_count++] = (uint8_t)(steps + s);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (is_copied(structure, (enum tcplan_operand)t))
            structure->copy[t].depth = (int8_t)structure->loop_count;
    }
    uint64_t rest = contraction_run(walk->contraction) & ~algorithm_kernel_indices(structure);
    for (; rest; rest &= rest - 1)
        structure->loop[structure->loop_count++] = (uint8_t)indexset_first(rest);
}

static bool all_fit(const struct walk *walk, const struct tcplan_algorithm *structure) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!is_copied(structure, (enum tcplan_operand)t) &&
            !algorithm_fits_in_place(structure, walk->contraction, (enum tcplan_operand)t)) {
            return false;
        }
    }
    return true;
}

/** Returns whether the fused indices of every role are contiguous with each other in all strided
 * operands that are used in place. */
static bool fused_continue(const struct walk *walk, const struct tcplan_algorithm *structure) {
    const struct tcplan_problem *problem = walk->options->problem;
    if (provider_traits_of(structure->provider)->splits_groups) return true;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        enum tcplan_role role[OPERAND_ROLES];
        if (is_copied(structure, (enum tcplan_operand)t) || !walk->contraction->tensor[t].strided)
            continue;
        const int roles = operand_roles((enum tcplan_operand)t, role);
        for (int r = 0; r < roles; r++) {
            const struct tcplan_group group =
                algorithm_group(structure, walk->contraction, role[r]);
            for (int i = 1; i < group.count; i++) {
                const int64_t before = problem->stride_elems[t][group.index[i - 1]] *
                                       problem->extent[group.index[i - 1]];
                if (problem->stride_elems[t][group.index[i]] != before) return false;
            }
        }
    }
    return true;
}

static void offer(struct walk *walk, const struct tcplan_algorithm *structure) {
    struct tcplan_algorithm arranged = *structure;
    if (!(structure->split_count > 0 ? walk->in_steps : walk->without_steps)) return;
    if (walk->stopped || algorithm_index_count(structure, walk->contraction) > TCPLAN_MAX_INDICES)
        return;
    if (!kernel_class_of(structure->kernel)->takes_loops && !fused_continue(walk, structure))
        return;
    arrange(walk, &arranged);
    walk->stopped = !walk->visit(walk->context, &arranged);
}

static bool has_split(const struct tcplan_algorithm *structure, int index) {
    for (int s = 0; s < structure->split_count; s++) {
        if (structure->split[s].index == index) return true;
    }
    return false;
}

static void add_split(struct tcplan_algorithm *structure, int index, int64_t step) {
    structure->split[structure->split_count++] =
        (struct tcplan_split){.index = (uint8_t)index, .step = (int32_t)step};
}

/** Returns the last fused index of a role: tiles may divide it, because the other indices then stay
 * contiguous. -1 if the role is empty, or the index is already divided. */
static int last_of_group(const struct walk *walk, const struct tcplan_algorithm *structure,
                         enum tcplan_role role) {
    const struct tcplan_group group = algorithm_group(structure, walk->contraction, role);
    const int last = group.count > 0 ? group.index[group.count - 1] : -1;
    return last >= 0 && !has_split(structure, last) ? last : -1;
}

/** Returns last_of_group() for role number `r` of the result: 0 rows, 1 columns. */
static int last_of_result(const struct walk *walk, const struct tcplan_algorithm *structure,
                          int r) {
    enum tcplan_role role[OPERAND_ROLES];
    operand_roles(TCPLAN_C, role);
    return last_of_group(walk, structure, role[r]);
}

static int64_t group_extent(const struct walk *walk, const struct tcplan_algorithm *structure,
                            enum tcplan_role role) {
    int64_t product = 1;
    for (uint64_t rest = structure->group[role]; rest && product <= INT32_MAX; rest &= rest - 1) {
        product *= extent_of(walk, indexset_first(rest));
    }
    return product;
}

/** Returns the role that is the rows of the result when the kernel writes it. */
static enum tcplan_role rows_of(const struct walk *walk, const struct tcplan_algorithm *structure) {
    if (is_copied(structure, TCPLAN_C))
        return structure->copy[TCPLAN_C].transposed ? TCPLAN_N : TCPLAN_M;
    return indexset_has(structure->group[TCPLAN_N],
                        contraction_unit_index(walk->contraction, TCPLAN_C))
               ? TCPLAN_N
               : TCPLAN_M;
}

/** Returns the largest divisor of the extent that is at most `most` and above half of it; `most` if
 * there is none. */
static int64_t even_step(int64_t extent, int64_t most) {
    for (int64_t step = most; 2 * step > most; step--) {
        if (extent % step == 0) return step;
    }
    return most;
}

/** Offers steps of a contracted index, for kernels that prefetch the next call's first factor
 * (libxsmm's). Prefetching is worthwhile if the factors of both calls fit several times in the L2
 * cache. If the first factor has at least an eighth of that cache's elements, the steps reduce it
 * to a sixteenth, the middle of a range in which times hardly differ. */
static void offer_in_steps(struct walk *walk, const struct tcplan_algorithm *structure) {
    const int64_t near_elems = walk->options->near_elems[1];
    const int64_t rows = group_extent(walk, structure, rows_of(walk, structure));
    const int index = last_of_group(walk, structure, TCPLAN_K);
    if (index < 0 || is_copied(structure, TCPLAN_A) || is_copied(structure, TCPLAN_B)) return;
    const int64_t others =
        rows * (group_extent(walk, structure, TCPLAN_K) / extent_of(walk, index));
    const int64_t most = near_elems / 16 / others;
    if (others * extent_of(walk, index) < near_elems / 8 || most < walk->options->line_elems ||
        most >= extent_of(walk, index))
        return;
    struct tcplan_algorithm stepped = *structure;
    add_split(&stepped, index, even_step(extent_of(walk, index), most));
    offer(walk, &stepped);
}

/**
 * Divides role number `r` of the kernel's result into equal parts; returns false if it is too
 * small. Parts of whole lines suit kernels, and no two threads write to the same line. Otherwise
 * the parts are as equal as possible, a different split only for indices that are not contiguous
 * in the result: 72 becomes 36 and 36, not 40 and 32.
 */
static bool split_in_parts(struct tcplan_algorithm *structure, const struct walk *walk, int r,
                           int parts, bool of_lines) {
    const int index = last_of_result(walk, structure, r);
    const int64_t line = walk->options->line_elems;
    if (index < 0 || structure->split_count == TCPLAN_MAX_TILES ||
        extent_of(walk, index) < line * parts)
        return false;
    const int64_t part = (extent_of(walk, index) + parts - 1) / parts;
    const int64_t whole = (part + line - 1) / line * line;
    if (!of_lines &&
        (whole == part || index == contraction_unit_index(walk->contraction, TCPLAN_C)))
        return false;
    add_split(structure, index, of_lines ? whole : part);
    return true;
}

/** Returns the larger of the two closest factors of `threads`. */
static int grid_width(int threads) {
    int width = threads;
    for (int other = 2; other * other <= threads; other++) {
        if (threads % other == 0) width = threads / other;
    }
    return width;
}

/**
 * Offers kernels whose result is divided into equal parts, one for each thread: rows or columns
 * or, from four threads on, a grid of both, whose parts read less of the factors. The last
 * division is the outermost loop.
 */
static void offer_shared(struct walk *walk, const struct tcplan_algorithm *structure) {
    const int threads = walk->options->threads;
    const int width = grid_width(threads);
    struct tcplan_algorithm shared;
    if (threads == 1) return;
    for (int r = 0; r < 2 * RESULT_ROLES; r++) {
        shared = *structure;
        shared.parallel = 0;
        if (split_in_parts(&shared, walk, r / 2, threads, r % 2 == 0)) offer(walk, &shared);
    }
    shared = *structure;
    shared.parallel = 0;
    shared.collapsed = true;
    if (width == threads) return;
    if (split_in_parts(&shared, walk, 0, threads / width, true) &&
        split_in_parts(&shared, walk, 1, width, true))
        offer(walk, &shared);
}

/** Offers kernels that sum the products of contracted loops in one call: for each contracted loop
 * alone, and for all together. */
static void offer_sums(struct walk *walk, const struct tcplan_algorithm *structure) {
    const uint64_t contracted = tcplan_contraction_indices(walk->contraction, TCPLAN_CONTRACTED) &
                                ~structure->group[TCPLAN_K];
    struct tcplan_algorithm summing = *structure;
    summing.kernel = TCPLAN_BRGEMM;
    if (structure->kernel != TCPLAN_GEMM || !structure->group[TCPLAN_K] ||
        !provider_has_kernel(structure->provider, TCPLAN_BRGEMM))
        return;
    for (uint64_t rest = contracted; rest; rest &= rest - 1) {
        summing.group[TCPLAN_R] = indexset_of(indexset_first(rest));
        offer(walk, &summing);
        offer_shared(walk, &summing);
    }
    summing.group[TCPLAN_R] = contracted;
    if (indexset_size(contracted) < 2) return;
    if (!all_fit(walk, &summing) || !algorithm_splits_end_groups(&summing, walk->contraction))
        return;
    offer(walk, &summing);
    offer_shared(walk, &summing);
}

static bool is_offered(const struct walk *walk, enum tcplan_provider provider,
                       enum tcplan_kernel kernel) {
    return walk->options->provider[provider] && provider_has_kernel(provider, kernel);
}

/** Offers kernels that write the whole result in place by non-temporal stores, without dividing
 * indices into steps. */
static void offer_streamed(struct walk *walk, const struct tcplan_algorithm *structure) {
    const uint64_t contracted = tcplan_contraction_indices(walk->contraction, TCPLAN_CONTRACTED);
    struct tcplan_algorithm own = *structure;
    if (own.split_count > 0 || is_copied(&own, TCPLAN_C) || (contracted & ~own.group[TCPLAN_K]))
        return;
    own.copy[TCPLAN_C].streamed = true;
    for (int p = 0; p < TCPLAN_PROVIDERS && !walk->stopped; p++) {
        own.provider = (enum tcplan_provider)p;
        if (!walk->options->streams[p] || !provider_has_kernel(own.provider, own.kernel) ||
            !all_fit(walk, &own))
            continue;
        offer(walk, &own);
        offer_shared(walk, &own);
    }
}

static void emit(struct walk *walk, const struct tcplan_algorithm *structure) {
    if (!algorithm_splits_end_groups(structure, walk->contraction)) return;
    offer_streamed(walk, structure);
    for (int p = 0; p < TCPLAN_PROVIDERS && !walk->stopped; p++) {
        const enum tcplan_provider provider = (enum tcplan_provider)p;
        const struct provider_traits *traits = provider_traits_of(provider);
        struct tcplan_algorithm own = *structure;
        /* A provider that takes any strides is offered only if no other kernel can use the
         * operands in place. */
        if (!is_offered(walk, provider, own.kernel) || traits->takes_any_strides) continue;
        own.provider = provider;
        offer(walk, &own);
        offer_shared(walk, &own);
        offer_sums(walk, &own);
        if (traits->fetches_ahead >> own.kernel & 1U) offer_in_steps(walk, &own);
    }
}

/** Offers providers that can use operands in place which all other providers need copied. */
static void emit_any_strides(struct walk *walk, const struct tcplan_algorithm *structure) {
    struct tcplan_algorithm own = *structure;
    if (all_fit(walk, &own)) return;
    offer_streamed(walk, structure);
    for (int p = 0; p < TCPLAN_PROVIDERS && !walk->stopped; p++) {
        own.provider = (enum tcplan_provider)p;
        if (!provider_traits_of(own.provider)->takes_any_strides ||
            !is_offered(walk, own.provider, own.kernel))
            continue;
        if (all_fit(walk, &own)) offer(walk, &own);
    }
}

static int64_t kernel_elems(const struct walk *walk, const struct tcplan_algorithm *structure) {
    int64_t elems = 1;
    for (uint64_t rest =
             algorithm_kernel_indices(structure) & walk->contraction->tensor[TCPLAN_C].indices;
         rest; rest &= rest - 1) {
        elems *= extent_of(walk, indexset_first(rest));
        if (elems > INT32_MAX) return INT32_MAX; /* larger than any cache */
    }
    return elems;
}

static int64_t power_below(int64_t value) {
    int64_t power = 1;
    while (2 * power <= value) power *= 2;
    return power;
}

/** Divides the kernel's result into tiles, so that `times` of them fit in a cache. */
static void tile_kernel(struct walk *walk, const struct tcplan_algorithm *structure,
                        int64_t times) {
    const int64_t elems = kernel_elems(walk, structure) * times;
    for (int r = 0; r < RESULT_ROLES; r++) {
        const int index = last_of_result(walk, structure, r);
        if (index < 0) continue;
        const int64_t extent = extent_of(walk, index);
        const int64_t others = elems / extent > 0 ? elems / extent : 1;
        /* Offers tiles from half of the L2 cache down to a quarter of the L1 cache. */
        const int64_t least = power_below(walk->options->near_elems[0] / 4 / others);
        for (int64_t step = power_below(walk->options->near_elems[1] / 2 / others);
             step >= least && step >= 4; step /= 2) {
            if (step >= extent) continue;
            struct tcplan_algorithm tiled = *structure;
            add_split(&tiled, index, step);
            emit(walk, &tiled);
        }
    }
}

/** Returns the index of a factor that follows the kernel's indices in memory, so that the kernel
 * reads adjacent memory for adjacent values of the index; -1: none. */
static int index_behind(const struct walk *walk, const struct tcplan_algorithm *structure,
                        enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &walk->contraction->tensor[operand];
    for (int place = 0; place < tensor->rank; place++) {
        const int index = tensor->nearest[place];
        if (!indexset_has(algorithm_kernel_indices(structure), index))
            return place > 0 ? index : -1;
    }
    return -1;
}

/**
 * Divides the loop over the index of index_behind(): the innermost loop then reads whole pages,
 * and the result's temporary holds all its steps.
 */
static void tile_loops(struct walk *walk, const struct tcplan_algorithm *structure) {
    for (int operand = TCPLAN_A; operand <= TCPLAN_B; operand++) {
        const int index = index_behind(walk, structure, (enum tcplan_operand)operand);
        if (is_copied(structure, (enum tcplan_operand)operand) || index < 0 ||
            has_split(structure, index))
            continue;
        if (!indexset_has(walk->contraction->tensor[TCPLAN_C].indices, index)) continue;
        for (int64_t step = walk->options->line_elems;
             step <= 2 * walk->options->line_elems && step < extent_of(walk, index); step *= 2) {
            struct tcplan_algorithm tiled = *structure;
            add_split(&tiled, index, step);
            emit(walk, &tiled);
        }
    }
}

/** Divides the result's contiguous index into steps of whole cache lines, so that the copy from the
 * temporary writes whole lines. */
static void tile_result(struct walk *walk, const struct tcplan_algorithm *structure) {
    const int unit = contraction_unit_index(walk->contraction, TCPLAN_C);
    emit(walk, structure);
    if (!walk->in_steps) return;
    tile_kernel(walk, structure, 1);
    tile_loops(walk, structure);
    if (unit < 0 || indexset_has(algorithm_kernel_indices(structure), unit) ||
        has_split(structure, unit))
        return;
    const int64_t extent = extent_of(walk, unit);
    for (int64_t step = walk->options->line_elems;
         step <= 4 * walk->options->line_elems && step < extent; step *= 2) {
        struct tcplan_algorithm tiled = *structure;
        add_split(&tiled, unit, step);
        if (kernel_elems(walk, structure) * step <= walk->options->near_elems[1])
            emit(walk, &tiled);
        tile_kernel(walk, &tiled, step);
        tile_loops(walk, &tiled);
    }
    if (extent <= 4 * walk->options->line_elems) tile_kernel(walk, structure, extent);
}

static bool has_role(const struct tcplan_algorithm *structure, enum tcplan_operand operand,
                     int which) {
    enum tcplan_role role[OPERAND_ROLES];
    operand_roles(operand, role);
    return structure->group[role[which]] != 0;
}

static bool is_matrix(const struct tcplan_algorithm *structure, enum tcplan_operand operand) {
    return has_role(structure, operand, 0) && has_role(structure, operand, 1);
}

/** Returns whether some loop uses the same part of an operand repeatedly. */
static bool is_reused(const struct walk *walk, const struct tcplan_algorithm *structure,
                      enum tcplan_operand operand) {
    uint64_t others =
        contraction_run(walk->contraction) &
        ~(algorithm_kernel_indices(structure) | walk->contraction->tensor[operand].indices);
    while (others && extent_of(walk, indexset_first(others)) <= 1) others &= others - 1;
    return others != 0;
}

/** Returns whether a tensor is larger than the L2 cache. */
static bool is_far(const struct walk *walk, enum tcplan_operand operand) {
    return walk->options->problem->elems[operand] > walk->options->near_elems[1];
}

/* Each row of a copy that ends within a cache line costs about 50 ns with non-temporal stores,
 * because the parts of lines must be combined. Non-temporal stores save 6 ns per line if memory is
 * slow. */
enum { LEAST_STREAMED_LINES = 4 };

/** Returns whether the copy of a temporary to the result writes long rows: of whole cache lines, or
 * of several. A row ends where contiguous indices of the temporary are not contiguous in the
 * result. */
static bool has_long_rows(const struct walk *walk, const struct tcplan_algorithm *structure) {
    const struct tcplan_tensor *result = &walk->contraction->tensor[TCPLAN_C];
    const uint64_t rows = structure->group[rows_of(walk, structure)] | structure->group[TCPLAN_H];
    int64_t elems = 1;
    for (int place = 0; place < result->rank; place++) {
        const int index = result->nearest[place];
        if (place > 0 && indexset_has(rows, index)) break;
        if (indexset_has(rows, index) || elems >= LEAST_STREAMED_LINES * walk->options->line_elems)
            return true;
        elems *= extent_of(walk, index);
    }
    return elems % walk->options->line_elems == 0 ||
           elems >= LEAST_STREAMED_LINES * walk->options->line_elems;
}

static void stream_or_not(struct walk *walk, const struct tcplan_algorithm *structure, bool fits) {
    struct tcplan_algorithm own = *structure;
    if (!is_copied(&own, TCPLAN_C)) {
        emit(walk, &own);
        return;
    }
    own.copy[TCPLAN_C].streamed = is_far(walk, TCPLAN_C) && has_long_rows(walk, &own);
    own.copy[TCPLAN_C].read = contraction_added(walk->contraction) ==
                              TCPLAN_ADDEND; /* filling the temporary from the addend makes a copy
                                                to the result unnecessary */
    tile_result(walk, &own);
    if (!own.copy[TCPLAN_C].streamed || fits) return;
    own.copy[TCPLAN_C].streamed = false;
    tile_result(walk, &own);
}

/** Tries, for each copied factor from `operand` on, no tiles, and tiles of 1 and 4 cache lines
 * along its contiguous index, so that copies read whole lines. Continues with the result. */
static void tile_factors(struct walk *walk, const struct tcplan_algorithm *structure, int operand,
                         const bool fits[TCPLAN_OPERANDS]) {
    if (operand == TCPLAN_C) {
        stream_or_not(walk, structure, fits[TCPLAN_C]);
        return;
    }
    tile_factors(walk, structure, operand + 1, fits);
    if (!walk->in_steps) return;
    const int unit = contraction_unit_index(walk->contraction, (enum tcplan_operand)operand);
    if (!is_copied(structure, (enum tcplan_operand)operand) || fits[operand] || unit < 0) return;
    if (indexset_has(algorithm_kernel_indices(structure), unit) || has_split(structure, unit))
        return;
    if (!indexset_has(contraction_run(walk->contraction), unit)) return;
    for (int lines = 1;
         lines <= 4 && walk->options->line_elems * lines < extent_of(walk, unit) && !walk->stopped;
         lines *= 4) {
        struct tcplan_algorithm tiled = *structure;
        add_split(&tiled, unit, walk->options->line_elems * lines);
        tile_factors(walk, &tiled, operand + 1, fits);
    }
}

static bool may_win(const struct walk *walk, const struct tcplan_algorithm *structure) {
    struct tcplan_algorithm arranged = *structure;
    if (!walk->options->may_win) return true;
    arrange(walk, &arranged);
    return walk->options->may_win(walk->context, &arranged);
}

/** Tries every layout of each copy; an operand that could be used in place keeps its layout. */
static void turn_copies(struct walk *walk, struct tcplan_algorithm *structure, int operand,
                        const bool fits[TCPLAN_OPERANDS]) {
    if (operand == TCPLAN_OPERANDS) {
        /* Checked last, because whether a kernel can conjugate depends on all layouts. */
        if (all_fit(walk, structure) && may_win(walk, structure))
            tile_factors(walk, structure, TCPLAN_A, fits);
        return;
    }
    const bool choice = is_copied(structure, (enum tcplan_operand)operand) &&
                        is_matrix(structure, (enum tcplan_operand)operand);
    enum tcplan_role role[OPERAND_ROLES];
    operand_roles((enum tcplan_operand)operand, role);
    const int unit = contraction_unit_index(walk->contraction, (enum tcplan_operand)operand);
    for (int transposed = 0; transposed <= (choice ? 1 : 0) && !walk->stopped; transposed++) {
        const bool as_it_is = indexset_has(structure->group[role[transposed]], unit);
        if (choice && fits[operand] && !as_it_is) continue;
        structure->copy[operand].transposed = transposed != 0;
        turn_copies(walk, structure, operand + 1, fits);
    }
    structure->copy[operand].transposed = false;
}

/** Returns whether a set of copies may be worthwhile. */
static bool copies_pay(const struct walk *walk, const struct tcplan_algorithm *structure,
                       const bool fits[TCPLAN_OPERANDS]) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        if (!is_copied(structure, operand) || contraction_summed(walk->contraction, operand))
            continue;
        if (!(algorithm_kernel_indices(structure) & walk->contraction->tensor[t].indices))
            return false;
        if (t == TCPLAN_C && fits[t] && !is_far(walk, TCPLAN_C)) return false;
        const bool is_gathered = !indexset_has(algorithm_kernel_indices(structure),
                                               contraction_unit_index(walk->contraction, operand));
        const bool pays =
            is_gathered || (is_reused(walk, structure, operand) && is_far(walk, operand));
        if (t != TCPLAN_C && fits[t] && !pays) return false;
    }
    return true;
}

static void choose_copies(struct walk *walk, struct tcplan_algorithm *structure) {
    for (unsigned copied = 0; copied < 1U << TCPLAN_OPERANDS && !walk->stopped; copied++) {
        bool fits[TCPLAN_OPERANDS];
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            structure->copy[t].depth = (int8_t)(copied >> t & 1U ? 0 : -1);
        if (copied == 0) emit_any_strides(walk, structure);
        if (!all_fit(walk, structure)) continue;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            struct tcplan_algorithm in_place = *structure;
            in_place.copy[t].depth = -1;
            fits[t] = all_fit(walk, &in_place);
        }
        if (copies_pay(walk, structure, fits)) turn_copies(walk, structure, 0, fits);
    }
}

static bool is_single(unsigned roles) {
    return (roles & (roles - 1)) == 0;
}

static void note_family(struct walk *walk, const struct tcplan_algorithm *structure) {
    struct tcplan_algorithm family = *structure;
    arrange(walk, &family);
    walk->stopped = walk->stopped || !walk->visit(walk->context, &family);
}

/** Tries the kernels with a beta that can have these roles. If there is only one role, the role
 * determines the kernel, and only this kernel is tried. */
static void choose_kernel(struct walk *walk, struct tcplan_algorithm *structure) {
    const unsigned roles = algorithm_roles(structure);
    for (int k = 0; k < TCPLAN_KERNELS && roles; k++) {
        const enum tcplan_kernel kernel = (enum tcplan_kernel)k;
        if (!kernel_class_of(kernel)->has_beta || kernel_class_of(kernel)->takes_loops ||
            !kernel_takes(kernel, roles))
            continue;
        if (is_single(roles) && !kernel_is_named_by(kernel, roles)) continue;
        structure->kernel = kernel;
        if (walk->families) {
            note_family(walk, structure);
        } else {
            choose_copies(walk, structure);
        }
    }
}

/** Returns whether some kernel with a beta can have all these roles. */
static bool can_be_taken(unsigned roles) {
    bool found = false;
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        const enum tcplan_kernel kernel = (enum tcplan_kernel)k;
        if (kernel_class_of(kernel)->takes_loops) continue; /* see offer_loops() */
        found =
            found || (kernel_class_of(kernel)->has_beta && (roles & ~kernel_roles(kernel)) == 0);
    }
    return found;
}

/** Returns the indices that a role may have, given the indices of the other roles. */
static uint64_t candidates_of(const struct walk *walk, const struct tcplan_algorithm *structure,
                              enum tcplan_role role) {
    const uint64_t indices =
        tcplan_contraction_indices(walk->contraction, algorithm_kind_of_role(role));
    return can_be_taken(algorithm_roles(structure) | 1U << role) ? indices : 0;
}

/** Returns whether an element-wise product has more kernel indices than any other kernel, because
 * most indices are batch indices. */
static bool most_are_batch(const struct tcplan_contraction *contraction) {
    return 2 * indexset_size(tcplan_contraction_indices(contraction, TCPLAN_BATCH)) >
           contraction->index_count;
}

/** Tries every set of indices that a role may fuse. The empty set of batch indices comes first,
 * unless most indices are batch indices. The first set of each role is tried even after the
 * deadline. */
static void choose_groups(struct walk *walk, struct tcplan_algorithm *structure, int place) {
    static const enum tcplan_role order[] = {TCPLAN_H, TCPLAN_M, TCPLAN_N, TCPLAN_K};
    if (place == sizeof order / sizeof *order) {
        choose_kernel(walk, structure);
        walk->stopped = walk->stopped || deadline_is_over(walk->options->deadline);
        return;
    }
    const enum tcplan_role role = order[place];
    const struct groups *groups = &walk->groups[role];
    const bool none_first = role == TCPLAN_H && !most_are_batch(walk->contraction);
    for (int g = 0; g < groups->count && !walk->stopped; g++) {
        structure->group[role] = groups->set[none_first ? groups->count - 1 - g : g];
        if (structure->group[role] & ~candidates_of(walk, structure, role)) continue;
        choose_groups(walk, structure, place + 1);
    }
    structure->group[role] = 0;
}

/** Offers a kernel with loops and, with several threads, the same in parts. */
static void offer_loops_shared(struct walk *walk, const struct tcplan_algorithm *structure) {
    struct tcplan_algorithm shared;
    offer(walk, structure);
    if (walk->options->threads > 1 &&
        whole_in_parts(&shared, structure, walk->options->problem, walk->options->threads))
        offer(walk, &shared);
}

/** Offers the whole product as loops in one kernel. */
static void offer_loops(struct walk *walk) {
    struct tcplan_algorithm whole;
    for (int p = 0; p < TCPLAN_PROVIDERS && !walk->stopped; p++) {
        if (!is_offered(walk, (enum tcplan_provider)p, TCPLAN_LOOPS) ||
            !whole_loops(&whole, walk->contraction))
            continue;
        whole.provider = (enum tcplan_provider)p;
        if (walk->families) {
            note_family(walk, &whole);
            continue;
        }
        if (provider_traits_of(whole.provider)->is_whole) {
            offer(walk, &whole);
            continue;
        }
        offer_loops_shared(walk, &whole);
        struct tcplan_algorithm copied;
        if (whole_loops_copied(&copied, walk->options->problem)) {
            copied.provider = (enum tcplan_provider)p;
            offer_loops_shared(walk, &copied);
        }
        whole.copy[TCPLAN_C].streamed = walk->options->streams[p];
        if (whole.copy[TCPLAN_C].streamed) offer_loops_shared(walk, &whole);
    }
}

static struct walk walk_of(const struct structures_options *options, structures_fn *visit,
                           void *context) {
    return (struct walk){.options = options,
                         .contraction = options->problem->contraction,
                         .visit = visit,
                         .context = context};
}

static void choose_all_groups(struct walk *walk) {
    struct tcplan_algorithm structure = tcplan_algorithm_empty();
    structure.starts = true;
    choose_groups(walk, &structure, 0);
}

/** Returns an upper bound on the number of families. */
static double count_families(const struct groups groups[TCPLAN_R]) {
    double count = 1;
    for (int role = 0; role < TCPLAN_R; role++) count *= groups[role].count;
    return count;
}

static void find_groups(struct walk *walk) {
    unsigned few = 0;
    for (int role = 0; role < TCPLAN_R; role++)
        groups_find(&walk->groups[role], walk->contraction, (enum tcplan_role)role, false);
    while (count_families(walk->groups) > MOST_FAMILIES && few != (1U << TCPLAN_R) - 1) {
        int most = -1;
        for (int role = 0; role < TCPLAN_R; role++) {
            const bool is_more = most < 0 || walk->groups[role].count > walk->groups[most].count;
            if (!(few >> role & 1U) && is_more) most = role;
        }
        groups_find(&walk->groups[most], walk->contraction, (enum tcplan_role)most, true);
        few |= 1U << most;
    }
}

void structures_visit(const struct structures_options *options, structures_fn *visit,
                      void *context) {
    struct walk walk = walk_of(options, visit, context);
    find_groups(&walk);
    walk.without_steps = true;
    offer_loops(&walk);
    choose_all_groups(&walk);
    walk.without_steps = false;
    walk.in_steps = true;
    if (!walk.stopped) offer_loops(&walk);
    if (!walk.stopped) choose_all_groups(&walk);
}

void structures_families(const struct structures_options *options, structures_fn *visit,
                         void *context) {
    struct walk walk = walk_of(options, visit, context);
    find_groups(&walk);
    walk.families = true;
    offer_loops(&walk);
    choose_all_groups(&walk);
}

bool structures_has_all_families(const struct tcplan_contraction *contraction) {
    double count = 1;
    for (int role = 0; role < TCPLAN_R; role++) {
        struct groups groups;
        groups_find(&groups, contraction, (enum tcplan_role)role, false);
        count *= groups.count;
    }
    return count <= MOST_FAMILIES;
}

bool structures_of_family(const struct structures_options *options,
                          const struct tcplan_algorithm *family, enum structures_steps steps,
                          structures_fn *visit, void *context) {
    struct walk walk = walk_of(options, visit, context);
    struct tcplan_algorithm structure = tcplan_algorithm_empty();
    structure.starts = true;
    structure.kernel = family->kernel;
    memcpy(structure.group, family->group, sizeof structure.group);
    walk.without_steps = steps & STRUCTURES_WITHOUT_STEPS;
    walk.in_steps = steps & STRUCTURES_IN_STEPS;
    if (kernel_class_of(family->kernel)->takes_loops) {
        offer_loops(&walk);
        return !walk.stopped;
    }
    choose_copies(&walk, &structure);
    return !walk.stopped;
}
