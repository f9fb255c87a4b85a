#include "ast/formula.h"

#include "ast/kernel_class.h"
#include "ast/refine.h"
#include "ast/slice.h"
#include "base/indexset.h"

/* Indices. */

void formula_print_variable(struct strbuf *out, const struct tcplan_refinement *refinement, int index) {
    const int steps_of = refinement_tile_of_steps(refinement, index);
    const int named = steps_of >= 0 ? refinement->tile[steps_of].point : index;
    strbuf_add(out, "%s%s", refinement->source->index[named].name, refinement_tile_of_points(refinement, index) >= 0 ? "'" : "");
}

void formula_print_tile(struct strbuf *out, const struct tcplan_refinement *refinement, struct tile tile) {
    const char *name = refinement->source->index[tile.point].name;
    strbuf_add(out, "%s:%s", name, name);
    if (tile.step > 1) strbuf_add(out, "+%d", (int)tile.step - 1);
}

/** Points whose steps are in a set of loops as well count from 1, others from the first of their tile. */
static const char *first_of_points(const struct tcplan_refinement *refinement, struct tile tile, uint64_t loops) {
    return indexset_has(loops, tile.steps) ? "1" : refinement->source->index[tile.point].name;
}

void formula_print_first(struct strbuf *out, const struct tcplan_refinement *refinement, uint64_t loops) {
    const char *separator = "";
    for (uint64_t rest = loops; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const int points_of = refinement_tile_of_points(refinement, index);
        const int steps_of = refinement_tile_of_steps(refinement, index);
        if (steps_of >= 0 && indexset_has(loops, refinement->tile[steps_of].point)) continue;
        strbuf_add(out, "%s", separator);
        formula_print_variable(out, refinement, index);
        strbuf_add(out, " = %s", points_of < 0 ? "1" : first_of_points(refinement, refinement->tile[points_of], loops));
        separator = ", ";
    }
}

/* Slices. */

static bool on_diagonal(const struct tcplan_tensor *tensor, int index) {
    int occurrences = 0;
    for (int d = 0; d < tensor->rank; d++) occurrences += tensor->dims[d] == index;
    return occurrences > 1;
}

/** A dimension that runs over the points of a tile, over its steps, or over both. */
static void print_tiled(struct strbuf *out, const struct tcplan_refinement *refinement, struct tcplan_slice slice, struct tile tile) {
    const bool diagonal = on_diagonal(&refinement->source->tensor[slice.operand], tile.point);
    const bool points = indexset_has(slice.span, tile.point);
    const bool steps = indexset_has(slice.span, tile.steps);
    const char *name = refinement->source->index[tile.point].name;
    if (points && steps) {
        strbuf_add(out, ":%s", diagonal ? name : "");
    } else if (points && diagonal) {
        strbuf_add(out, ":%s'", name);
    } else if (points) {
        formula_print_tile(out, refinement, tile);
    } else {
        strbuf_add(out, "%s'", name);
        if (steps) strbuf_add(out, ":%d:%s", (int)tile.step, name);
    }
}

static int first_place(const struct tcplan_tensor *tensor, int index) {
    int place = 0;
    while (place < tensor->rank && tensor->dims[place] != index) place++;
    return place;
}

/** Whether the dimensions of a temporary come in another order than those of its tensor, so that bare colons would mislead. */
static bool is_permuted(const struct tcplan_tensor *tensor, const uint8_t *dims, int rank) {
    for (int d = 1; d < rank; d++) {
        if (first_place(tensor, dims[d - 1]) > first_place(tensor, dims[d])) return true;
    }
    return false;
}

/** `:` for a whole dimension, else the loop's variable; `named`: `:a`. */
static void print_subscript(struct strbuf *out, const struct tcplan_refinement *refinement, struct tcplan_slice slice, int index,
                            bool named) {
    const bool whole = indexset_has(slice.span, index);
    strbuf_add(out, "%s", whole ? ":" : "");
    if (!whole || named) formula_print_variable(out, refinement, index);
}

void formula_print_slice(struct strbuf *out, const struct tcplan_refinement *refinement, struct tcplan_slice slice) {
    const struct tcplan_tensor *tensor = &refinement->source->tensor[slice.operand];
    uint8_t dims[TCPLAN_MAX_RANK];
    const int rank = slice_dims(refinement, slice, dims);
    const bool permuted = slice.temporary && is_permuted(tensor, dims, rank);
    strbuf_add(out, "%s%s", tensor->name, slice.temporary ? "~" : "");
    for (int d = 0; d < rank; d++) {
        const int tile = slice.temporary ? -1 : refinement_tile_of_points(refinement, dims[d]);
        strbuf_add(out, "%s", d == 0 ? "[" : ",");
        if (tile >= 0) {
            print_tiled(out, refinement, slice, refinement->tile[tile]);
        } else {
            print_subscript(out, refinement, slice, dims[d], slice.temporary ? permuted : on_diagonal(tensor, dims[d]));
        }
    }
    if (rank > 0) strbuf_add(out, "]");
}

void formula_print_conjugated(struct strbuf *out, const struct tcplan_refinement *refinement, struct tcplan_slice slice, bool conjugated) {
    strbuf_add(out, "%s", conjugated ? "conj(" : "");
    formula_print_slice(out, refinement, slice);
    strbuf_add(out, "%s", conjugated ? ")" : "");
}

void formula_print_sum(struct strbuf *out, const struct tcplan_refinement *refinement, uint64_t summed) {
    for (uint64_t rest = summed; rest; rest &= rest - 1) {
        strbuf_add(out, "%s", rest == summed ? "sum(" : ",");
        formula_print_variable(out, refinement, indexset_first(rest));
    }
    strbuf_add(out, "%s", summed ? ") " : "");
}

void formula_print_source(struct strbuf *out, const struct tcplan_refinement *refinement, struct tcplan_slice from, uint64_t summed) {
    formula_print_sum(out, refinement, summed);
    from.span &= ~summed;
    formula_print_slice(out, refinement, from);
}

/* Kernels. */

/** Whether the first dimension that a slice spans, as it is written, is in a group. */
static bool begins_with(const struct tcplan_refinement *refinement, struct tcplan_slice slice, const struct tcplan_group *group) {
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

struct formula formula_of(const struct tcplan_refinement *refinement, const struct tcplan_kernel_call *call) {
    const struct tcplan_slice *slice = call->slice;
    const bool swapped = is_matrix(call, TCPLAN_C) && begins_with(refinement, slice[TCPLAN_C], &call->group[TCPLAN_N]);
    struct formula formula = {.factor = {slice[swapped ? TCPLAN_B : TCPLAN_A], slice[swapped ? TCPLAN_A : TCPLAN_B]},
                              .summed = group_indices(&call->group[TCPLAN_R])};
    for (int f = 0; f < 2; f++) {
        formula.factor[f].span &= ~formula.summed;
        const bool contracted_first = begins_with(refinement, formula.factor[f], &call->group[TCPLAN_K]);
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
        if (formula->matrix[f]) letters.text[count++] = !formula->transposed[f] ? 'N' : formula->conjugated[f] ? 'C' : 'T';
    }
    return letters;
}
