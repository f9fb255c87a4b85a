#include "ast/refine.h"

#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "base/indexset.h"
#include "base/strbuf.h"

int algorithm_index_count(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    return contraction->index_count + algorithm->split_count;
}

int algorithm_source_index(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int index) {
    return index < contraction->index_count ? index : algorithm->split[index - contraction->index_count].index;
}

int refinement_source_index(const struct tcplan_refinement *refinement, int index) {
    const int tile = refinement_tile_of_steps(refinement, index);
    return tile >= 0 ? refinement->tile[tile].point : index;
}

const struct tcplan_index *refinement_index(const struct tcplan_refinement *refinement, int index) {
    return &refinement->source->index[refinement_source_index(refinement, index)];
}

int refinement_tile_of_points(const struct tcplan_refinement *refinement, int index) {
    for (int t = 0; t < refinement->tile_count; t++) {
        if (refinement->tile[t].point == index) return t;
    }
    return -1;
}

int refinement_tile_of_steps(const struct tcplan_refinement *refinement, int index) {
    for (int t = 0; t < refinement->tile_count; t++) {
        if (refinement->tile[t].steps == index) return t;
    }
    return -1;
}

/* Groups. */

int operand_roles(enum tcplan_operand operand, enum tcplan_role role[OPERAND_ROLES]) {
    static const enum tcplan_role roles[TCPLAN_OPERANDS][OPERAND_ROLES] = {[TCPLAN_A] = {TCPLAN_M, TCPLAN_K, TCPLAN_H, TCPLAN_R},
                                                                           [TCPLAN_B] = {TCPLAN_K, TCPLAN_N, TCPLAN_H, TCPLAN_R},
                                                                           [TCPLAN_C] = {TCPLAN_M, TCPLAN_N, TCPLAN_H}};
    memcpy(role, roles[operand], sizeof roles[operand]);
    return operand == TCPLAN_C ? RESULT_ROLES : OPERAND_ROLES;
}

static bool is_split(const struct tcplan_algorithm *algorithm, int index) {
    for (int s = 0; s < algorithm->split_count; s++) {
        if (algorithm->split[s].index == index) return true;
    }
    return false;
}

/** The operand whose order of indices a role follows. */
static enum tcplan_operand leading_operand(const struct tcplan_algorithm *algorithm, enum tcplan_role role, bool *copied) {
    static const enum tcplan_operand operands[TCPLAN_ROLES][TCPLAN_OPERANDS] = {[TCPLAN_M] = {TCPLAN_C, TCPLAN_A},
                                                                                [TCPLAN_N] = {TCPLAN_C, TCPLAN_B},
                                                                                [TCPLAN_K] = {TCPLAN_A, TCPLAN_B},
                                                                                [TCPLAN_H] = {TCPLAN_C, TCPLAN_A, TCPLAN_B},
                                                                                [TCPLAN_R] = {TCPLAN_A, TCPLAN_B}};
    const int count = role == TCPLAN_H ? 3 : 2;
    *copied = false;
    for (int o = 0; o < count; o++) {
        if (!algorithm_copies(algorithm, operands[role][o])) return operands[role][o];
    }
    *copied = true;
    return operands[role][0];
}

struct tcplan_group algorithm_group(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                    enum tcplan_role role) {
    struct tcplan_group group = {0};
    bool copied;
    const enum tcplan_operand operand = leading_operand(algorithm, role, &copied);
    int place[TCPLAN_MAX_FUSED];
    for (uint64_t rest = algorithm->group[role]; rest && group.count < TCPLAN_MAX_FUSED; rest &= rest - 1) {
        const int index = indexset_first(rest);
        int own = contraction_place(contraction, operand, index);
        if (copied && is_split(algorithm, index)) own += TCPLAN_MAX_RANK;
        int at = group.count++;
        for (; at > 0 && place[at - 1] > own; at--) {
            place[at] = place[at - 1];
            group.index[at] = group.index[at - 1];
        }
        place[at] = own;
        group.index[at] = (uint8_t)index;
    }
    return group;
}

uint64_t group_indices(const struct tcplan_group *group) {
    uint64_t indices = 0;
    for (int i = 0; i < group->count; i++) indices |= indexset_of(group->index[i]);
    return indices;
}

/* Refinements. */

struct tcplan_refinement refinement_none(const struct tcplan_contraction *source) {
    struct tcplan_refinement refinement = {.source = source, .index_count = source->index_count};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        refinement.indices[t] = source->tensor[t].indices;
        refinement.still[t] = source->tensor[t].still;
    }
    return refinement;
}

static const char *steps_name(struct arena *arena, const struct tcplan_contraction *source, struct tcplan_split split) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s:%d", source->index[split.index].name, (int)split.step);
    char *name = strbuf_finish(&text);
    const char *kept = name ? arena_strndup(arena, name, strlen(name)) : NULL;
    free(name);
    return kept;
}

static bool add_tile(struct tcplan_refinement *refinement, struct arena *arena, struct tcplan_split split) {
    const int tile = refinement->tile_count++;
    const int steps = refinement->index_count++;
    refinement->tile[tile] = (struct tile){.point = split.index, .steps = (uint8_t)steps, .step = split.step};
    refinement->steps_name[tile] = steps_name(arena, refinement->source, split);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (indexset_has(refinement->indices[t], split.index)) refinement->indices[t] |= indexset_of(steps);
        if (indexset_has(refinement->still[t], split.index)) refinement->still[t] |= indexset_of(steps);
    }
    return refinement->steps_name[tile] != NULL;
}

/** A temporary holds the kernel's groups and then the loops inside its copy, the innermost first. */
static void lay_out_temporary(struct tcplan_refinement *refinement, const struct tcplan_algorithm *algorithm, enum tcplan_operand operand) {
    enum tcplan_role role[OPERAND_ROLES];
    uint8_t *dims = refinement->temporary_dims[operand];
    int rank = 0;
    const int roles = operand_roles(operand, role);
    for (int r = 0; r < roles; r++) {
        const int turned = algorithm->copy[operand].turned && r < MATRIX_ROLES ? 1 - r : r;
        const struct tcplan_group group = algorithm_group(algorithm, refinement->source, role[turned]);
        for (int i = 0; i < group.count; i++) dims[rank++] = group.index[i];
    }
    for (int l = algorithm->loop_count - 1; l >= algorithm->copy[operand].depth; l--) {
        if (indexset_has(refinement->indices[operand], algorithm->loop[l])) dims[rank++] = algorithm->loop[l];
    }
    refinement->temporary_rank[operand] = rank;
}

const struct tcplan_refinement *refinement_of(struct arena *arena, const struct tcplan_contraction *source,
                                              const struct tcplan_algorithm *algorithm) {
    struct tcplan_refinement *refinement = arena_alloc(arena, sizeof *refinement);
    if (!refinement) return NULL;
    *refinement = refinement_none(source);
    for (int s = 0; s < algorithm->split_count; s++) {
        if (!add_tile(refinement, arena, algorithm->split[s])) return NULL;
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (algorithm_copies(algorithm, (enum tcplan_operand)t)) lay_out_temporary(refinement, algorithm, (enum tcplan_operand)t);
    }
    return refinement;
}

const char *tcplan_nest_index_name(const struct tcplan_nest *nest, int index) {
    const int tile = refinement_tile_of_steps(nest->refinement, index);
    return tile >= 0 ? nest->refinement->steps_name[tile] : nest->contraction->index[index].name;
}

/* Problems. */

static void add_extents(struct refined_problem *out, struct tile tile) {
    const int64_t extent = out->written.extent[tile.point];
    const int64_t step = tile.step < extent ? tile.step : extent > 0 ? extent : 1;
    out->extent[tile.point] = step;
    out->extent[tile.steps] = out->last_extent[tile.steps] = (extent + step - 1) / step;
    out->last_extent[tile.point] = extent - (out->extent[tile.steps] - 1) * step;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) out->stride_elems[t][tile.steps] = step * out->stride_elems[t][tile.point];
}

struct refined_problem problem_refine(const struct tcplan_problem *problem, const struct tcplan_refinement *refinement) {
    struct refined_problem out = {.refinement = refinement, .written = *problem};
    memcpy(out.extent, problem->extent, sizeof out.extent);
    memcpy(out.last_extent, problem->extent, sizeof out.last_extent);
    memcpy(out.stride_elems, problem->stride_elems, sizeof out.stride_elems);
    for (int t = 0; t < refinement->tile_count; t++) add_extents(&out, refinement->tile[t]);
    return out;
}

int64_t problem_extent_at(const struct refined_problem *problem, int index, uint64_t fixed, const int64_t at[]) {
    const int tile = refinement_tile_of_points(problem->refinement, index);
    if (tile < 0) return problem->extent[index];
    const int steps = problem->refinement->tile[tile].steps;
    const bool is_last = indexset_has(fixed, steps) && at[steps] == problem->extent[steps] - 1;
    return is_last ? problem->last_extent[index] : problem->extent[index];
}

uint64_t problem_varying(const struct refined_problem *problem, uint64_t span) {
    uint64_t varying = 0;
    for (int t = 0; t < problem->refinement->tile_count; t++) {
        const struct tile tile = problem->refinement->tile[t];
        const bool varies = indexset_has(span, tile.point) && !indexset_has(span, tile.steps);
        if (varies && problem->last_extent[tile.point] != problem->extent[tile.point]) varying |= indexset_of(tile.point);
    }
    return varying;
}

int64_t problem_whole_extent(const struct refined_problem *problem, int point) {
    const int tile = refinement_tile_of_points(problem->refinement, point);
    const int64_t steps = problem->extent[problem->refinement->tile[tile].steps];
    return (steps - 1) * problem->extent[point] + problem->last_extent[point];
}
