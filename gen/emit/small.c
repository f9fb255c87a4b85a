/*
 * Chooses small extents at which a nest is checked against naive loops. Tiles have full steps and
 * a partial last step, as at the real extents.
 */
#include <math.h>
#include <stdlib.h>

#include "ast/nest/refine.h"
#include "base/indexset.h"
#include "gen/emit/parts.h"
#include "gen/emit/strides.h"

enum {
    MAX_SMALL_WORK = 1 << 18
}; /* maximum number of multiply-adds of the naive loops, and of elements of a tensor */

static double work(const struct tcplan_problem *problem) {
    double most = tcplan_dtype_is_complex(problem->dtype) ? 8 : 2;
    for (int i = 0; i < problem->contraction->index_count; i++) most *= (double)problem->extent[i];
    for (int operand = 0; operand < TCPLAN_TENSORS; operand++)
        most = fmax(most, (double)problem->elems[operand]);
    return most;
}

/** Returns a small extent for a tiled index: at most one tile if the real extent fits in one tile,
 * otherwise one full tile and a second one. The second tile is smaller than the first if the last
 * tile of the real extent is partial. */
static int64_t tiled_extent(int64_t real, int64_t step, int64_t small) {
    const int64_t rest = real % step;
    if (real <= step) return real < small ? real : small;
    return step + (rest == 0 ? step : rest < small ? rest : small);
}

/** The tiles, of several nested ones, that have more than one step at the small extents. */
enum tile_levels { OUTERMOST_TILES, INNERMOST_TILES, NO_TILES };

/** Chooses extents from 2 to `largest` in turn, so that neighbouring indices differ, but none above
 * its real extent. Tiled indices get larger extents. */
static void choose_extents(int64_t extent[], const struct tcplan_problem *problem,
                           const struct tcplan_refinement *tiles, enum tile_levels levels,
                           int64_t largest) {
    for (int i = 0; i < problem->contraction->index_count; i++) {
        const int64_t small = largest > 2 ? 2 + i % (largest - 1) : largest;
        extent[i] = problem->extent[i] < small ? problem->extent[i] : small;
    }
    for (int t = 0; tiles && t < tiles->tile_count; t++) {
        const struct tile tile = tiles->tile[t];
        if (levels == OUTERMOST_TILES ? tile.outer >= 0 : tile.inner != tile.point) continue;
        extent[tile.point] =
            tiled_extent(problem->extent[tile.point], tile.step, extent[tile.point]);
    }
}

/** Rounds the extents of summed steps up, so that all steps are full, unless there is only one. */
static void fill_summed_steps(int64_t extent[], const struct tcplan_nest *nest) {
    for (int t = 0; t < nest->refinement->tile_count; t++) {
        const struct tile tile = nest->refinement->tile[t];
        int64_t *own = &extent[tile.point];
        if (!indexset_has(nest->algorithm.group[TCPLAN_R], tile.steps) || *own <= tile.step)
            continue;
        *own = (*own + tile.step - 1) / tile.step * tile.step;
    }
}

/**
 * Chooses strides for the small extents, with the order and signs of the real ones. Indices that
 * were contiguous with each other stay so. All others get a gap, so that elements do not overlap.
 */
static void shrink_strides(struct tcplan_problem *small, const struct tcplan_problem *real,
                           enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &real->contraction->tensor[operand];
    int64_t real_end = 1,
            end = 1; /* end of the previous index, at the real and at the small extents */
    uint64_t seen = tensor->still;
    if (small->elems[operand] == 0) return;
    small->elems[operand] = 1;
    small->first_elems[operand] = 0;
    for (int d = 0; d < tensor->rank && small->elems[operand] <= MAX_SMALL_WORK; d++) {
        const int index = tensor->nearest[d];
        const int64_t own = real->stride_elems[operand][index];
        if (indexset_has(seen, index)) continue;
        seen |= indexset_of(index);
        const int64_t stride = llabs(own) == real_end ? end : end + 1;
        const int64_t reach = stride * (small->extent[index] - 1);
        small->stride_elems[operand][index] = own < 0 ? -stride : stride;
        small->elems[operand] += reach;
        small->first_elems[operand] += own < 0 ? reach : 0;
        real_end = llabs(own) * real->extent[index];
        end = stride * small->extent[index];
    }
}

/** Chooses strides for the small extents for a tensor whose strides are arguments, dimension by
 * dimension. */
static void shrink_arguments(struct tcplan_problem *small, const struct tcplan_problem *real,
                             enum tcplan_operand operand) {
    const struct tcplan_tensor *tensor = &real->contraction->tensor[operand];
    int64_t stride[TCPLAN_MAX_RANK];
    if (small->elems[operand] == 0) return;
    emit_smaller_strides(stride, real, operand, small->extent);
    small->elems[operand] = 1;
    for (int d = 0; d < tensor->rank; d++) small->stride_elems[operand][tensor->dims[d]] = 0;
    for (int d = 0; d < tensor->rank; d++) {
        small->stride_elems[operand][tensor->dims[d]] += stride[d];
        small->elems[operand] += stride[d] * (small->extent[tensor->dims[d]] - 1);
    }
}

/** Makes the problem with other extents, and with strides that fit them. */
static enum tcplan_status problem_at(struct tcplan_problem *out, const struct emitter *emitter,
                                     const int64_t extent[], struct tcplan_error *error) {
    const struct tcplan_problem *problem = emitter->problem;
    enum tcplan_status status =
        tcplan_problem_init(out, problem->contraction, extent, problem->dtype, error);
    for (int t = 0; t < TCPLAN_TENSORS && status == TCPLAN_OK; t++) {
        if (!problem->contraction->tensor[t].strided) continue;
        (emitter->takes_extents ? shrink_arguments : shrink_strides)(out, problem,
                                                                     (enum tcplan_operand)t);
    }
    return status;
}

/** Makes a small problem for very many indices: extents of 2 for as many indices as possible, and 1
 * for the others. */
static enum tcplan_status least_problem(struct tcplan_problem *out, const struct emitter *emitter,
                                        int64_t extent[], struct tcplan_error *error) {
    const struct tcplan_problem *problem = emitter->problem;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (problem->extent[i] == 1) continue;
        extent[i] = 2;
        enum tcplan_status status = problem_at(out, emitter, extent, error);
        if (status != TCPLAN_OK || work(out) > MAX_SMALL_WORK) extent[i] = 1;
    }
    return problem_at(out, emitter, extent, error);
}

enum tcplan_status emit_small_problem(struct tcplan_problem *out, const struct emitter *emitter,
                                      struct tcplan_error *error) {
    const struct tcplan_problem *problem = emitter->problem;
    const struct tcplan_refinement *tiles = emitter->nest->refinement;
    int levels = OUTERMOST_TILES;
    int64_t extent[TCPLAN_MAX_INDICES];
    enum tcplan_status status = TCPLAN_OK;
    for (int64_t largest = 5; largest >= 1; largest--) {
        choose_extents(extent, problem, levels < NO_TILES ? tiles : NULL, (enum tile_levels)levels,
                       largest);
        fill_summed_steps(extent, emitter->nest);
        status = problem_at(out, emitter, extent, error);
        if (status == TCPLAN_OK && work(out) <= MAX_SMALL_WORK)
            return largest > 1 ? TCPLAN_OK : least_problem(out, emitter, extent, error);
        if (largest > 1 || levels == NO_TILES || tiles->tile_count == 0) continue;
        levels++; /* too large: retry with fewer tiles */
        largest = 6;
    }
    return status;
}
