#include "ast/refine.h"

#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "base/indexset.h"
#include "base/strbuf.h"

const struct tcplan_contraction *contraction_source(const struct tcplan_contraction *contraction) {
    return contraction->refinement ? contraction->refinement->source : contraction;
}

int algorithm_index_count(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction) {
    return contraction->index_count + algorithm->split_count;
}

int algorithm_source_index(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction, int index) {
    return index < contraction->index_count ? index : algorithm->split[index - contraction->index_count].index;
}

int contraction_tile_of_points(const struct tcplan_contraction *contraction, int index) {
    const struct tcplan_refinement *refinement = contraction->refinement;
    for (int t = 0; refinement && t < refinement->tile_count; t++) {
        if (refinement->tile[t].point == index) return t;
    }
    return -1;
}

int contraction_tile_of_steps(const struct tcplan_contraction *contraction, int index) {
    const struct tcplan_refinement *refinement = contraction->refinement;
    for (int t = 0; refinement && t < refinement->tile_count; t++) {
        if (refinement->tile[t].steps == index) return t;
    }
    return -1;
}

/* Groups. */

void operand_roles(enum tcplan_operand operand, enum tcplan_role role[OPERAND_ROLES]) {
    static const enum tcplan_role roles[TCPLAN_OPERANDS][OPERAND_ROLES] = {[TCPLAN_A] = {TCPLAN_M, TCPLAN_K, TCPLAN_H},
                                                                           [TCPLAN_B] = {TCPLAN_K, TCPLAN_N, TCPLAN_H},
                                                                           [TCPLAN_C] = {TCPLAN_M, TCPLAN_N, TCPLAN_H}};
    memcpy(role, roles[operand], sizeof roles[operand]);
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
                                                                                [TCPLAN_H] = {TCPLAN_C, TCPLAN_A, TCPLAN_B}};
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

/* Contractions. */

static const char *steps_name(struct arena *arena, const struct tcplan_contraction *source, struct tcplan_split split) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s:%d", source->index[split.index].name, (int)split.step);
    char *name = strbuf_finish(&text);
    const char *kept = name ? arena_strndup(arena, name, strlen(name)) : NULL;
    free(name);
    return kept;
}

static bool add_tiles(struct tcplan_contraction *contraction, struct tcplan_refinement *refinement, struct arena *arena,
                      const struct tcplan_algorithm *algorithm) {
    const struct tcplan_contraction *source = refinement->source;
    for (int s = 0; s < algorithm->split_count; s++) {
        const struct tcplan_split split = algorithm->split[s];
        const int steps = contraction->index_count++;
        refinement->tile[refinement->tile_count++] =
            (struct tcplan_tile){.point = split.index, .steps = (uint8_t)steps, .step = split.step};
        contraction->index[steps] =
            (struct tcplan_index){.name = steps_name(arena, source, split), .kind = source->index[split.index].kind};
        if (!contraction->index[steps].name) return false;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            struct tcplan_tensor *tensor = &contraction->tensor[t];
            if (indexset_has(tensor->indices, split.index)) tensor->indices |= indexset_of(steps);
            if (indexset_has(tensor->falling, split.index)) tensor->falling |= indexset_of(steps);
            if (indexset_has(tensor->still, split.index)) tensor->still |= indexset_of(steps);
        }
    }
    return true;
}

/** A temporary holds the kernel's groups and then the loops inside its copy, the innermost first. */
static void lay_out_temporary(struct tcplan_refinement *refinement, const struct tcplan_contraction *contraction,
                              const struct tcplan_algorithm *algorithm, enum tcplan_operand operand) {
    enum tcplan_role role[OPERAND_ROLES];
    uint8_t *dims = refinement->temporary_dims[operand];
    int rank = 0;
    operand_roles(operand, role);
    for (int r = 0; r < OPERAND_ROLES; r++) {
        const int turned = algorithm->copy[operand].turned && r < 2 ? 1 - r : r;
        const struct tcplan_group group = algorithm_group(algorithm, refinement->source, role[turned]);
        for (int i = 0; i < group.count; i++) dims[rank++] = group.index[i];
    }
    for (int l = algorithm->loop_count - 1; l >= algorithm->copy[operand].depth; l--) {
        if (indexset_has(contraction->tensor[operand].indices, algorithm->loop[l])) dims[rank++] = algorithm->loop[l];
    }
    refinement->temporary_rank[operand] = rank;
}

const struct tcplan_contraction *contraction_refine(struct arena *arena, const struct tcplan_contraction *source,
                                                    const struct tcplan_algorithm *algorithm) {
    struct tcplan_contraction *contraction = arena_alloc(arena, sizeof *contraction);
    struct tcplan_refinement *refinement = arena_alloc(arena, sizeof *refinement);
    if (!contraction || !refinement) return NULL;
    *contraction = *source;
    *refinement = (struct tcplan_refinement){.source = source};
    contraction->refinement = refinement;
    if (!add_tiles(contraction, refinement, arena, algorithm)) return NULL;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (algorithm_copies(algorithm, (enum tcplan_operand)t))
            lay_out_temporary(refinement, contraction, algorithm, (enum tcplan_operand)t);
    }
    return contraction;
}

/* Problems. */

void problem_refine(struct tcplan_problem *out, const struct tcplan_problem *problem, const struct tcplan_contraction *refined) {
    *out = *problem;
    if (!refined->refinement || problem->contraction == refined) return;
    out->contraction = refined;
    for (int t = 0; t < refined->refinement->tile_count; t++) {
        const struct tcplan_tile tile = refined->refinement->tile[t];
        const int64_t extent = problem->extent[tile.point];
        const int64_t step = tile.step < extent ? tile.step : extent > 0 ? extent : 1;
        out->extent[tile.point] = step;
        out->extent[tile.steps] = out->last_extent[tile.steps] = (extent + step - 1) / step;
        out->last_extent[tile.point] = extent - (out->extent[tile.steps] - 1) * step;
        for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
            out->stride_elems[operand][tile.steps] = step * problem->stride_elems[operand][tile.point];
        }
    }
}

int64_t problem_extent_at(const struct tcplan_problem *problem, int index, uint64_t fixed, const int64_t at[]) {
    const int tile = contraction_tile_of_points(problem->contraction, index);
    if (tile < 0) return problem->extent[index];
    const int steps = problem->contraction->refinement->tile[tile].steps;
    const bool is_last = indexset_has(fixed, steps) && at[steps] == problem->extent[steps] - 1;
    return is_last ? problem->last_extent[index] : problem->extent[index];
}

uint64_t problem_varying(const struct tcplan_problem *problem, uint64_t span) {
    const struct tcplan_refinement *refinement = problem->contraction->refinement;
    uint64_t varying = 0;
    for (int t = 0; refinement && t < refinement->tile_count; t++) {
        const struct tcplan_tile tile = refinement->tile[t];
        const bool varies = indexset_has(span, tile.point) && !indexset_has(span, tile.steps);
        if (varies && problem->last_extent[tile.point] != problem->extent[tile.point]) varying |= indexset_of(tile.point);
    }
    return varying;
}

int64_t problem_whole_extent(const struct tcplan_problem *problem, int point) {
    const int tile = contraction_tile_of_points(problem->contraction, point);
    const int64_t steps = problem->extent[problem->contraction->refinement->tile[tile].steps];
    return (steps - 1) * problem->extent[point] + problem->last_extent[point];
}
