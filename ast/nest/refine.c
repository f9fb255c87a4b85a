#include "ast/nest/refine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/contraction/contraction.h"
#include "base/checked.h"
#include "base/indexset.h"
#include "base/strbuf.h"

int algorithm_index_count(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction) {
    return contraction->index_count + algorithm->split_count;
}

int algorithm_source_index(const struct tcplan_algorithm *algorithm,
                           const struct tcplan_contraction *contraction, int index) {
    assert(index >= 0 && index < algorithm_index_count(algorithm, contraction));
    return index < contraction->index_count
               ? index
               : algorithm->split[index - contraction->index_count].index;
}

uint64_t algorithm_steps_around(const struct tcplan_algorithm *algorithm,
                                const struct tcplan_contraction *contraction, int number) {
    const int source = algorithm_source_index(algorithm, contraction, number);
    const int32_t own = number < contraction->index_count
                            ? 0
                            : algorithm->split[number - contraction->index_count].step;
    uint64_t around = 0;
    for (int s = 0; s < algorithm->split_count; s++) {
        if (algorithm->split[s].index == source && algorithm->split[s].step > own)
            around |= indexset_of(contraction->index_count + s);
    }
    return around;
}

int refinement_source_index(const struct tcplan_refinement *refinement, int index) {
    const int tile = refinement_tile_of_steps(refinement, index);
    return tile >= 0 ? refinement->tile[tile].point : index;
}

const struct tcplan_index *refinement_index(const struct tcplan_refinement *refinement, int index) {
    return &refinement->source->index[refinement_source_index(refinement, index)];
}

int refinement_tile_around(const struct tcplan_refinement *refinement, int index) {
    assert(index >= 0 && index < refinement->index_count);
    return refinement->around[index];
}

int refinement_tile_of_steps(const struct tcplan_refinement *refinement, int index) {
    assert(index >= 0 && index < refinement->index_count);
    return index >= refinement->source->index_count ? index - refinement->source->index_count : -1;
}

int refinement_outer(const struct tcplan_refinement *refinement, int index) {
    assert(index >= 0 && index < refinement->index_count);
    const int tile = refinement->around[index];
    return tile >= 0 ? refinement->tile[tile].steps : -1;
}

/* Groups. */

int operand_roles(enum tcplan_operand operand, enum tcplan_role role[OPERAND_ROLES]) {
    static const enum tcplan_role roles[TCPLAN_OPERANDS][OPERAND_ROLES] = {
        [TCPLAN_A] = {TCPLAN_M, TCPLAN_K, TCPLAN_H, TCPLAN_R},
        [TCPLAN_B] = {TCPLAN_K, TCPLAN_N, TCPLAN_H, TCPLAN_R},
        [TCPLAN_C] = {TCPLAN_M, TCPLAN_N, TCPLAN_H}};
    memcpy(role, roles[operand], sizeof roles[operand]);
    return operand == TCPLAN_C ? RESULT_ROLES : OPERAND_ROLES;
}

/** Returns the operand whose order of indices determines the order of the indices in a role. */
static enum tcplan_operand leading_operand(const struct tcplan_algorithm *algorithm,
                                           enum tcplan_role role, bool *copied) {
    static const enum tcplan_operand operands[TCPLAN_ROLES][TCPLAN_OPERANDS] = {
        [TCPLAN_M] = {TCPLAN_C, TCPLAN_A},
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

struct tcplan_group algorithm_group(const struct tcplan_algorithm *algorithm,
                                    const struct tcplan_contraction *contraction,
                                    enum tcplan_role role) {
    struct tcplan_group group = {0};
    bool copied;
    const enum tcplan_operand operand = leading_operand(algorithm, role, &copied);
    int place[TCPLAN_MAX_INDICES];
    for (uint64_t rest = algorithm->group[role]; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        int own = contraction_place(contraction, operand,
                                    algorithm_source_index(algorithm, contraction, index));
        if (copied && algorithm_steps_around(algorithm, contraction, index)) own += TCPLAN_MAX_RANK;
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
    memset(refinement.around, -1, sizeof refinement.around);
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        refinement.indices[t] = source->tensor[t].indices;
        refinement.still[t] = source->tensor[t].still;
    }
    return refinement;
}

static const char *steps_name(struct arena *arena, const struct tcplan_contraction *source,
                              struct tcplan_split split) {
    struct strbuf text = {0};
    strbuf_add(&text, "%s:%d", source->index[split.index].name, (int)split.step);
    char *name = strbuf_finish(&text);
    const char *kept = name ? arena_strndup(arena, name, strlen(name)) : NULL;
    free(name);
    return kept;
}

static void add_tile(struct tcplan_refinement *refinement, struct tcplan_split split) {
    assert(refinement->tile_count < TCPLAN_MAX_TILES);
    assert(refinement->index_count < TCPLAN_MAX_INDICES);
    assert(split.step > 0 && split.index < refinement->source->index_count);
    const int steps = refinement->index_count++;
    refinement->tile[refinement->tile_count++] =
        (struct tile){.point = split.index, .steps = (uint8_t)steps, .step = split.step};
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        if (indexset_has(refinement->indices[t], split.index))
            refinement->indices[t] |= indexset_of(steps);
        if (indexset_has(refinement->still[t], split.index))
            refinement->still[t] |= indexset_of(steps);
    }
}

/** Returns the tile of an index with the shortest steps longer than `step`; -1 if there is none. */
static int tile_around(const struct tcplan_refinement *refinement, int point, int32_t step) {
    int found = -1;
    for (int t = 0; t < refinement->tile_count; t++) {
        const struct tile tile = refinement->tile[t];
        if (tile.point == point && tile.step > step &&
            (found < 0 || tile.step < refinement->tile[found].step))
            found = t;
    }
    return found;
}

static void nest_within(struct tcplan_refinement *refinement, int index, int point, int32_t step) {
    const int around = tile_around(refinement, point, step);
    refinement->around[index] = (int8_t)around;
    if (around >= 0) refinement->tile[around].inner = (uint8_t)index;
}

/** Links each index and tile to the tile around it. */
static void nest_tiles(struct tcplan_refinement *refinement) {
    for (int i = 0; i < refinement->source->index_count; i++) nest_within(refinement, i, i, 0);
    for (int t = 0; t < refinement->tile_count; t++) {
        struct tile *tile = &refinement->tile[t];
        nest_within(refinement, tile->steps, tile->point, tile->step);
        tile->outer = refinement->around[tile->steps];
    }
}

/* Temporaries. */

static bool has_dim(const uint8_t dims[], int rank, int index) {
    return memchr(dims, index, (size_t)rank) != NULL;
}

/** Adds an index to the dimensions of a temporary, followed by those steps around the index that
 * the temporary includes. With panels, steps follow later. */
static int add_dims(uint8_t dims[], int rank, const struct tcplan_refinement *refinement, int index,
                    uint64_t inside, bool panels) {
    for (; index >= 0 && !has_dim(dims, rank, index);
         index = panels ? -1 : refinement_outer(refinement, index)) {
        if (!indexset_has(inside, index)) break;
        assert(rank < TCPLAN_MAX_INDICES);
        dims[rank++] = (uint8_t)index;
    }
    return rank;
}

/** Returns the loops inside a copy over indices of its operand. */
static uint64_t loops_inside(const struct tcplan_refinement *refinement,
                             const struct tcplan_algorithm *algorithm,
                             enum tcplan_operand operand) {
    uint64_t inside = 0;
    for (int l = algorithm->copy[operand].depth; l < algorithm->loop_count; l++)
        inside |= indexset_of(algorithm->loop[l]);
    return inside & refinement->indices[operand];
}

/**
 * Lays out a temporary: the kernel's groups, then the loops inside its copy, innermost first.
 * Steps follow the index that runs within them, so that all tiles form one matrix; with panels
 * they follow in the order of their loops, so that each tile is contiguous. Steps that the kernel
 * sums over form a group, so that the matrices of its products are adjacent.
 */
static void lay_out_temporary(struct tcplan_refinement *refinement,
                              const struct tcplan_algorithm *algorithm,
                              enum tcplan_operand operand) {
    const struct tcplan_operand_copy copy = algorithm->copy[operand];
    const uint64_t inside = loops_inside(refinement, algorithm, operand);
    enum tcplan_role role[OPERAND_ROLES];
    uint8_t *dims = refinement->temporary_dims[operand];
    int rank = 0, padded = 0;
    const int roles = operand_roles(operand, role);
    for (int r = 0; r < roles; r++) {
        const int transposed = copy.transposed && r < MATRIX_ROLES ? 1 - r : r;
        const struct tcplan_group group =
            algorithm_group(algorithm, refinement->source, role[transposed]);
        for (int i = 0; i < group.count; i++) {
            rank = add_dims(dims, rank, refinement, group.index[i],
                            inside | algorithm->group[role[transposed]], copy.panels);
        }
        if (padded == 0) padded = rank;
    }
    for (int l = algorithm->loop_count - 1; l >= copy.depth; l--) {
        if (indexset_has(inside, algorithm->loop[l]))
            rank = add_dims(dims, rank, refinement, algorithm->loop[l], inside, copy.panels);
        if (padded == 0) padded = rank;
    }
    refinement->temporary_rank[operand] = rank;
    refinement->padded_dims[operand] = padded;
    refinement->padding[operand] = padded < rank ? copy.padding : 0;
}

struct tcplan_refinement refinement_unnamed(const struct tcplan_contraction *source,
                                            const struct tcplan_algorithm *algorithm) {
    struct tcplan_refinement refinement = refinement_none(source);
    for (int s = 0; s < algorithm->split_count; s++) add_tile(&refinement, algorithm->split[s]);
    nest_tiles(&refinement);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        refinement.has_temporary[t] = algorithm_copies(algorithm, (enum tcplan_operand)t);
        if (refinement.has_temporary[t])
            lay_out_temporary(&refinement, algorithm, (enum tcplan_operand)t);
    }
    return refinement;
}

const struct tcplan_refinement *refinement_of(struct arena *arena,
                                              const struct tcplan_contraction *source,
                                              const struct tcplan_algorithm *algorithm) {
    struct tcplan_refinement *refinement = arena_alloc(arena, sizeof *refinement);
    if (!refinement) return NULL;
    *refinement = refinement_unnamed(source, algorithm);
    for (int s = 0; s < algorithm->split_count; s++) {
        refinement->steps_name[s] = steps_name(arena, source, algorithm->split[s]);
        if (!refinement->steps_name[s]) return NULL;
    }
    return refinement;
}

const char *tcplan_nest_index_name(const struct tcplan_nest *nest, int index) {
    const int tile = refinement_tile_of_steps(nest->refinement, index);
    return tile >= 0 ? nest->refinement->steps_name[tile] : nest->contraction->index[index].name;
}

/* Problems. */

/** Adds an index, whose enclosing steps have been added, and all indices within it. */
static void add_index(struct refined_problem *out, int index) {
    const struct tcplan_refinement *refinement = out->refinement;
    const int tile = refinement_tile_of_steps(refinement, index);
    const int outer = refinement_outer(refinement, index);
    const int64_t whole = out->written.extent[refinement_source_index(refinement, index)];
    const int64_t step = tile < 0 ? 1 : refinement->tile[tile].step;
    assert(step > 0);
    out->step[index] = step < whole ? step : whole > 0 ? whole : 1;
    out->rest[index] =
        outer < 0 ? whole : out->rest[outer] - (out->last_extent[outer] - 1) * out->step[outer];
    out->last_extent[index] = (out->rest[index] + out->step[index] - 1) / out->step[index];
    const bool ends = outer < 0 || (indexset_has(out->ending, outer) && out->extent[outer] == 1);
    if (ends) out->ending |= indexset_of(index);
    assert(ends || out->step[outer] % out->step[index] == 0); /* the length of steps divides that of
                                                                 longer ones */
    out->extent[index] = ends ? out->last_extent[index] : out->step[outer] / out->step[index];
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        out->stride_elems[t][index] =
            out->step[index] *
            out->written.stride_elems[t][refinement_source_index(refinement, index)];
    }
    if (tile >= 0) add_index(out, refinement->tile[tile].inner);
}

/** Sets the strides and number of elements of a temporary; INT64_MAX if a number does not fit. */
static void add_temporary(struct refined_problem *out, enum tcplan_operand operand) {
    const struct tcplan_refinement *refinement = out->refinement;
    int64_t *elems = &out->temporary_elems[operand], bytes;
    *elems = 1;
    for (int d = 0; d < refinement->temporary_rank[operand]; d++) {
        const int index = refinement->temporary_dims[operand][d];
        out->temporary_stride[operand][index] = *elems;
        bool fits = checked_mul_i64(*elems, out->extent[index], elems);
        if (fits && d + 1 == refinement->padded_dims[operand])
            fits = checked_add_i64(*elems, refinement->padding[operand], elems);
        if (fits && checked_mul_i64(*elems, (int64_t)out->written.element_bytes, &bytes)) continue;
        *elems = INT64_MAX;
        memset(out->temporary_stride[operand], 0, sizeof out->temporary_stride[operand]);
        return;
    }
}

static void add_temporaries(struct refined_problem *out) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (out->refinement->has_temporary[t]) add_temporary(out, (enum tcplan_operand)t);
    }
}

struct refined_problem problem_refine(const struct tcplan_problem *problem,
                                      const struct tcplan_refinement *refinement) {
    struct refined_problem out; /* not initialised as a whole, because the structure is large and
                                   made often: its members are set one by one; unused array elements
                                   stay unset */
    out.refinement = refinement;
    out.written = *problem;
    out.ending = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        out.temporary_elems[t] = 0;
        memset(out.temporary_stride[t], 0,
               (size_t)refinement->index_count * sizeof out.temporary_stride[t][0]);
    }
    for (int i = 0; i < refinement->index_count; i++) {
        if (refinement->around[i] < 0) add_index(&out, i);
    }
    add_temporaries(&out);
    return out;
}

double problem_full_extent(const struct refined_problem *problem, int index) {
    const double extent = (double)problem->extent[index];
    const double full = (double)problem->rest[index] / (double)problem->step[index];
    return indexset_has(problem->ending, index) && full < extent ? full : extent;
}

void problem_shorten(struct refined_problem *problem, int index, int64_t extent) {
    assert(extent >= 0 && extent <= problem->extent[index]);
    problem->extent[index] = extent;
    if (problem->last_extent[index] > extent) problem->last_extent[index] = extent;
    add_temporaries(problem);
}

bool problem_varies(const struct refined_problem *problem, int index) {
    return problem->last_extent[index] != problem->extent[index];
}

int64_t problem_count(const struct refined_problem *problem, int outer, int inner, bool last) {
    const int around = refinement_outer(problem->refinement, outer);
    const int64_t step = problem->step[inner];
    const bool ends = last || around < 0 || indexset_has(problem->ending, outer);
    if (outer == inner)
        return ends ? problem->last_extent[inner]
                    : problem->extent[inner]; /* problem_shorten() may have changed the extent */
    return ends ? (problem->rest[outer] + step - 1) / step : problem->step[around] / step;
}

uint64_t problem_varying(const struct refined_problem *problem, uint64_t span) {
    uint64_t varying = 0;
    for (uint64_t rest = span; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const int outer = refinement_outer(problem->refinement, index);
        const int point = refinement_source_index(problem->refinement, index);
        if (outer < 0 || indexset_has(span, outer)) continue;
        if (problem_count(problem, index, point, true) !=
            problem_count(problem, index, point, false))
            varying |= indexset_of(index);
    }
    return varying;
}

unsigned problem_partial_tiles(const struct refined_problem *problem, uint64_t span) {
    unsigned tiles = 0;
    for (uint64_t rest = problem_varying(problem, span); rest; rest &= rest - 1) {
        tiles |= 1U << refinement_tile_around(problem->refinement, indexset_first(rest));
    }
    return tiles;
}

/** Returns whether the iterations `at` of the loops over `fixed` are in the last step of all tiles
 * around an index. */
static bool problem_is_last(const struct refined_problem *problem, int index, uint64_t fixed,
                            const int64_t at[]) {
    const int outer = refinement_outer(problem->refinement, index);
    if (indexset_has(problem->ending, index)) return true;
    return indexset_has(fixed, outer) && at[outer] == problem->last_extent[outer] - 1 &&
           problem_is_last(problem, outer, fixed, at);
}

int64_t problem_extent_at(const struct refined_problem *problem, int index, uint64_t fixed,
                          const int64_t at[]) {
    assert(index >= 0 && index < problem->refinement->index_count);
    return problem_is_last(problem, index, fixed, at) ? problem->last_extent[index]
                                                      : problem->extent[index];
}
