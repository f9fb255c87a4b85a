#include "ast/nest/formula.h"

#include <string.h>

#include "ast/algorithm/kernel_class.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"

/* Indices. */

/** Appends the name of an index or, for an index that counts tiles, the name of the divided index,
 * with a prime for each tile around it. */
void formula_print_variable(struct strbuf *out, const struct tcplan_refinement *refinement,
                            int index) {
    strbuf_add(out, "%s", refinement_index(refinement, index)->name);
    for (int outer = index; (outer = refinement_outer(refinement, outer)) >= 0;)
        strbuf_add(out, "'");
}

void formula_print_tile(struct strbuf *out, const struct tcplan_refinement *refinement,
                        struct tile tile) {
    formula_print_variable(out, refinement, tile.steps);
    strbuf_add(out, ":");
    formula_print_variable(out, refinement, tile.steps);
    if (tile.step > 1) strbuf_add(out, "+%d", (int)tile.step - 1);
}

void formula_print_range(struct strbuf *out, const struct tcplan_refinement *refinement,
                         int index) {
    const int steps = refinement_tile_of_steps(refinement, index);
    const int around = refinement_tile_around(refinement, index);
    if (around < 0) {
        strbuf_add(out, "1:");
    } else {
        formula_print_variable(out, refinement, refinement->tile[around].steps);
        strbuf_add(out, ":");
    }
    if (steps >= 0) strbuf_add(out, "%d:", (int)refinement->tile[steps].step);
    formula_print_variable(out, refinement, around < 0 ? index : refinement->tile[around].steps);
    if (around >= 0 && refinement->tile[around].step > 1)
        strbuf_add(out, "+%d", (int)refinement->tile[around].step - 1);
}

void formula_print_first(struct strbuf *out, const struct tcplan_refinement *refinement,
                         uint64_t loops) {
    const char *separator = "";
    for (uint64_t rest = loops; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const int tile = refinement_tile_of_steps(refinement, index);
        if (tile >= 0 && indexset_has(loops, refinement->tile[tile].inner)) continue;
        strbuf_add(out, "%s", separator);
        formula_print_variable(out, refinement, index);
        strbuf_add(out, " = ");
        int outer = refinement_outer(refinement, index);
        while (outer >= 0 && indexset_has(loops, outer))
            outer = refinement_outer(refinement, outer);
        if (outer < 0) {
            strbuf_add(out, "1");
        } else {
            formula_print_variable(out, refinement, outer);
        }
        separator = ", ";
    }
}

/* Slices. */

static bool on_diagonal(const struct tcplan_tensor *tensor, int index) {
    int occurrences = 0;
    for (int d = 0; d < tensor->rank; d++) occurrences += tensor->dims[d] == index;
    return occurrences > 1;
}

/** Prints the subscript of an index in tiles: the points or steps that loops select, and the
 * remaining range within them, or `:` for the whole dimension. */
static void print_tiled(struct strbuf *out, const struct tcplan_refinement *refinement,
                        struct tcplan_slice slice, int point) {
    const bool diagonal = on_diagonal(&refinement->source->tensor[slice.operand], point);
    int outermost = point;
    for (int outer = outermost; indexset_has(slice.span, outermost) && outer >= 0;
         outer = refinement_outer(refinement, outer)) {
        if (indexset_has(slice.span, outer)) outermost = outer;
    }
    const int around = refinement_tile_around(refinement, outermost);
    if (!indexset_has(slice.span, point)) {
        formula_print_variable(out, refinement, point);
    } else if (around < 0) {
        strbuf_add(out, ":%s", diagonal ? refinement->source->index[point].name : "");
    } else if (diagonal) {
        strbuf_add(out, ":");
        formula_print_variable(out, refinement, outermost);
    } else {
        formula_print_tile(out, refinement, refinement->tile[around]);
    }
}

static int first_place(const struct tcplan_tensor *tensor, int index) {
    int place = 0;
    while (place < tensor->rank && tensor->dims[place] != index) place++;
    return place;
}

/**
 * Returns whether the dimensions of a temporary are in another order than those of its tensor, or
 * include steps. Plain colons would then be misleading.
 */
static bool is_permuted(const struct tcplan_refinement *refinement,
                        const struct tcplan_tensor *tensor, const uint8_t *dims, int rank) {
    bool permuted = rank > 0 && refinement_tile_of_steps(refinement, dims[0]) >= 0;
    for (int d = 1; d < rank; d++) {
        permuted = permuted || refinement_tile_of_steps(refinement, dims[d]) >= 0 ||
                   first_place(tensor, dims[d - 1]) > first_place(tensor, dims[d]);
    }
    return permuted;
}

/** Returns whether the addend has the dimensions of the result in the same order. */
static bool is_like_result(const struct tcplan_contraction *contraction) {
    const struct tcplan_tensor *addend = &contraction->tensor[TCPLAN_ADDEND],
                               *result = &contraction->tensor[TCPLAN_C];
    return addend->rank == result->rank &&
           memcmp(addend->dims, result->dims, (size_t)addend->rank) == 0;
}

/** Prints the subscript of a dimension: `:` (`:a` if `named`) for a whole dimension, otherwise
 * the variable of the loop. */
static void print_subscript(struct strbuf *out, const struct tcplan_refinement *refinement,
                            struct tcplan_slice slice, int index, bool named) {
    const bool whole = indexset_has(slice.span, index);
    strbuf_add(out, "%s", whole ? ":" : "");
    if (!whole || named) formula_print_variable(out, refinement, index);
}

void formula_print_slice(struct strbuf *out, const struct tcplan_refinement *refinement,
                         struct tcplan_slice slice) {
    const struct tcplan_tensor *tensor = &refinement->source->tensor[slice.operand];
    uint8_t dims[TCPLAN_MAX_RANK];
    const int rank = slice_dims(refinement, slice, dims);
    const bool permuted =
        slice.temporary ? is_permuted(refinement, tensor, dims, rank)
                        : slice.operand == TCPLAN_ADDEND && !is_like_result(refinement->source);
    strbuf_add(out, "%s%s", tensor->name, slice.temporary ? "~" : "");
    for (int d = 0; d < rank; d++) {
        const int tile = slice.temporary ? -1 : refinement_tile_around(refinement, dims[d]);
        strbuf_add(out, "%s", d == 0 ? "[" : ",");
        if (tile >= 0) {
            print_tiled(out, refinement, slice, dims[d]);
        } else {
            print_subscript(out, refinement, slice, dims[d],
                            permuted || (!slice.temporary && on_diagonal(tensor, dims[d])));
        }
    }
    if (rank > 0) strbuf_add(out, "]");
}

void formula_print_conjugated(struct strbuf *out, const struct tcplan_refinement *refinement,
                              struct tcplan_slice slice, bool conjugated) {
    strbuf_add(out, "%s", conjugated ? "conj(" : "");
    formula_print_slice(out, refinement, slice);
    strbuf_add(out, "%s", conjugated ? ")" : "");
}

void formula_print_sum(struct strbuf *out, const struct tcplan_refinement *refinement,
                       uint64_t summed) {
    for (uint64_t rest = summed; rest; rest &= rest - 1) {
        strbuf_add(out, "%s", rest == summed ? "sum(" : ",");
        const int index = indexset_first(rest);
        formula_print_variable(out, refinement, index);
        if (refinement_tile_of_steps(refinement, index) < 0) continue;
        strbuf_add(out, " = ");
        formula_print_range(out, refinement, index);
    }
    strbuf_add(out, "%s", summed ? ") " : "");
}

void formula_print_source(struct strbuf *out, const struct tcplan_refinement *refinement,
                          struct tcplan_slice from, uint64_t summed) {
    formula_print_sum(out, refinement, summed);
    from.span &= ~summed;
    formula_print_slice(out, refinement, from);
}

/* Kernels. */

/** Returns whether the first dimension that a slice spans, as printed, is in a group. */
static bool begins_with(const struct tcplan_refinement *refinement, struct tcplan_slice slice,
                        const struct tcplan_group *group) {
    uint8_t dims[TCPLAN_MAX_RANK];
    const int rank = slice_dims(refinement, slice, dims);
    int first = 0;
    while (first < rank && !indexset_has(slice.span, dims[first])) first++;
    for (int i = 0; i < group->count && first < rank; i++) {
        if (group->index[i] == dims[first]) return true;
    }
    return false;
}

static bool is_matrix(const struct tcplan_kernel_call *call, enum tcplan_operand operand) {
    enum tcplan_role role[OPERAND_ROLES];
    operand_roles(operand, role);
    return call->group[role[0]].count > 0 && call->group[role[1]].count > 0;
}

struct formula formula_of(const struct tcplan_refinement *refinement,
                          const struct tcplan_kernel_call *call) {
    const struct tcplan_slice *slice = call->slice;
    const bool swapped = is_matrix(call, TCPLAN_C) &&
                         begins_with(refinement, slice[TCPLAN_C], &call->group[TCPLAN_N]);
    struct formula formula = {
        .factor = {slice[swapped ? TCPLAN_B : TCPLAN_A], slice[swapped ? TCPLAN_A : TCPLAN_B]},
        .summed = group_indices(&call->group[TCPLAN_R])};
    for (int f = 0; f < 2; f++) {
        formula.factor[f].span &= ~formula.summed;
        const bool contracted_first =
            begins_with(refinement, formula.factor[f], &call->group[TCPLAN_K]);
        formula.matrix[f] = is_matrix(call, formula.factor[f].operand);
        formula.transposed[f] = formula.matrix[f] && contracted_first == (f == 0);
        formula.conjugated[f] = call->conjugated[formula.factor[f].operand];
    }
    if (kernel_class_of(call->kernel)->turns_second) formula.transposed[1] = true;
    return formula;
}

struct formula_letters formula_letters(const struct formula *formula) {
    struct formula_letters letters = {.text = ""};
    int count = 0;
    for (int f = 0; f < 2; f++) {
        if (formula->matrix[f])
            letters.text[count++] = !formula->transposed[f]  ? 'N'
                                    : formula->conjugated[f] ? 'C'
                                                             : 'T';
    }
    return letters;
}
