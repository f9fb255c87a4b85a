/*
 * The order of loops and the tiles of products that are read in place, see
 * gen/emitted/general_tiles.h.
 *
 * Vectors run along the loop in which the result is contiguous. If one factor does not depend on
 * it, its elements multiply the vectors of the other one; columns are then along a loop of the
 * result on which only the former depends. Otherwise, both factors are read as vectors. A factor
 * that is not contiguous along the vectors is copied as a whole, or once for each value of some
 * outer loops. If its elements are used a few times, its vectors are gathered instead.
 */
#include <stdlib.h>
#include <string.h>

#include "ast/scalar.h"
#include "gen/emitted/blocks.h"
#include "gen/emitted/general_tiles.h"
#include "gen/emitted/tile.h"

enum {
    NEAR_BYTES = 128 << 10, /* of a factor that is read for each part of the other one */
    FAR_BYTES = 256 << 10,  /* of the other one, a part of a small L2 cache */
    LONG_ROW_BYTES = 512,
    FEWEST_USES = 4,  /* of a copied element */
    MOST_GATHERS = 4, /* of an element that many products use in a tile: if it is gathered more
                         often, it is copied */
    ONCE = 16         /* how many times larger a factor may be whose elements are used once */
};

enum { LEVELS = EMITTED_LOOPS + 2 };

/** A loop of tiles: its steps in a, b and c. */
struct level {
    int64_t count, step[3];
};

/** State of laying out the tiles. */
struct plan {
    const struct emitted_loops *loops;
    enum emitted_set set;
    struct kernel_tiles *out;
    int parts, elems, bytes; /**< real numbers, elements of a vector, bytes of an element */
    int vector, column;      /**< numbers of the loops along them; column is -1: none */
    int inner;               /**< number of the innermost summed loop; -1: none */
    bool reduces;            /**< whether vectors are along a summed loop, and added up */
    int gathered;            /**< number of the factor whose vectors are gathered; -1: none */
    int64_t chunks;          /**< parts into which the loop along vectors is divided if `reduces` */
    int64_t stride[EMITTED_LOOPS][5]; /**< see struct kernel_tiles */
    int64_t first[3];                 /**< offsets of the first elements */
    bool by_blocks; /**< whether blocks of columns are the outer loop around all vectors */
    int levels[KERNEL_GROUPS]; /**< loops of the tiles of each group: innermost first */
    struct level level[KERNEL_GROUPS][LEVELS];
};

static int64_t stride_of(const struct plan *plan, int loop, int part) {
    return loop < 0 ? 0 : plan->loops->loop[loop].stride[part];
}

static int64_t extent_of(const struct plan *plan, int loop) {
    return loop < 0 ? 1 : plan->loops->loop[loop].extent;
}

static bool is_summed(const struct plan *plan, int loop) {
    return stride_of(plan, loop, 2) == 0;
}

int general_contiguous_loop(const struct emitted_loops *loops, int part) {
    for (int l = 0; l < loops->count; l++) {
        if (loops->loop[l].stride[part] == 1) return l;
    }
    return -1;
}

struct emitted_loops general_exchanged(const struct emitted_loops *loops) {
    struct emitted_loops out = *loops;
    for (int part = 0; part < 2; part++) {
        for (int l = 0; l < loops->count; l++)
            out.loop[l].stride[part] = loops->loop[l].stride[1 - part];
        out.offset[part] = loops->offset[1 - part];
        out.conjugated[part] = loops->conjugated[1 - part];
    }
    return out;
}

/** Appends the indices of a role; `operand` is that of each of its two operands. */
static bool add_role(struct emitted_loops *out, const struct blas_call_split *split, int64_t extent,
                     const int64_t stride[2], const int operand[2]) {
    const int count = split->count > 0 ? split->count : 1;
    for (int d = 0; d < count; d++) {
        if (out->count == EMITTED_LOOPS) return false;
        struct blas_call_loop *loop = &out->loop[out->count++];
        *loop = (struct blas_call_loop){.extent = split->count > 0 ? split->extent[d] : extent};
        for (int o = 0; o < 2; o++)
            loop->stride[operand[o]] = split->count > 0 ? split->stride[o][d] : stride[o];
    }
    return true;
}

struct emitted_loops general_tiles_loops(const struct emitted_gemm *gemm) {
    const int64_t(*stride)[2] = gemm->strides;
    struct emitted_loops out = {.dtype = gemm->dtype,
                                .conjugated = {gemm->conjugated[0], gemm->conjugated[1]},
                                .alpha = gemm->alpha,
                                .beta = gemm->beta,
                                .tile = gemm->tile,
                                .streamed = gemm->streamed};
    if (!add_role(&out, &gemm->split[ROLE_ROWS], gemm->m,
                  (const int64_t[2]){stride[0][0], stride[2][0]}, (const int[2]){0, 2}) ||
        !add_role(&out, &gemm->split[ROLE_COLUMNS], gemm->n,
                  (const int64_t[2]){stride[1][1], stride[2][1]}, (const int[2]){1, 2}) ||
        !add_role(&out, &gemm->split[ROLE_CONTRACTED], gemm->k,
                  (const int64_t[2]){stride[0][1], stride[1][0]}, (const int[2]){0, 1}))
        out.count = 0;
    if (out.count > 0) emitted_simplify(&out);
    return out;
}

/* Choosing loops. */

/** Returns whether columns along a loop conflict in a small L1 cache, because their distance in the
 * result is a multiple of many lines. */
static bool conflicts(const struct plan *plan, int loop) {
    return stride_of(plan, loop, 2) * plan->bytes % (16 * EMITTED_LINE_BYTES) == 0;
}

/** Returns how well a loop suits columns: 0 if it does not. */
static int64_t column_value(const struct plan *plan, int loop) {
    const bool varies[2] = {stride_of(plan, loop, 0) != 0, stride_of(plan, loop, 1) != 0};
    if (loop == plan->vector || is_summed(plan, loop)) return 0;
    if (plan->out->way != KERNEL_TILE_SAME) return varies[0] != varies[1] ? 2 : 1;
    if (varies[0]) return 0;
    const int64_t columns =
        extent_of(plan, loop) < KERNEL_TILE_COLUMNS ? extent_of(plan, loop) : KERNEL_TILE_COLUMNS;
    return conflicts(plan, loop) ? columns : 2 * columns + 1;
}

/** Chooses the loop of columns. */
static void choose_column(struct plan *plan) {
    int64_t best = 0;
    plan->column = -1;
    for (int l = 0; l < plan->loops->count; l++) {
        const int64_t own = column_value(plan, l);
        if (own <= best) continue;
        best = own;
        plan->column = l;
    }
}

/** Takes columns from a summed loop if the result has none, so that sums are independent of each
 * other. They are added up. */
static void split_sum(struct plan *plan, struct emitted_loops *loops) {
    int split = -1;
    for (int l = 0; l < loops->count; l++) {
        if (l != plan->vector && extent_of(plan, l) > extent_of(plan, split)) split = l;
    }
    if (plan->column >= 0 || split < 0 || loops->count == EMITTED_LOOPS) return;
    for (int columns = KERNEL_TILE_COLUMNS / 2; columns > 1; columns--) {
        struct blas_call_loop *own = &loops->loop[split], *column = &loops->loop[loops->count];
        if (own->extent % columns != 0) continue;
        *column = *own;
        column->extent = columns;
        own->extent /= columns;
        for (int part = 0; part < 2; part++) own->stride[part] *= columns;
        plan->column = loops->count++;
        return;
    }
}

/** Returns how many times tiles read each element of a factor. */
static double uses_of(const struct plan *plan, int part) {
    const int most = general_tiles_most_columns(plan->loops->dtype, plan->set, plan->out->way, 1);
    double uses = 1;
    for (int l = 0; l < plan->loops->count; l++) {
        const int64_t extent = extent_of(plan, l);
        if (is_summed(plan, l) || l == plan->vector || stride_of(plan, l, part) != 0) continue;
        uses *= (double)(l == plan->column ? blocks_divide_up(extent, most) : extent);
    }
    return uses;
}

/** Transposes the gathered factor in registers if it is contiguous along a loop of whole columns.
 */
static void choose_turned(struct plan *plan) {
    const int along = general_contiguous_loop(plan->loops, plan->gathered);
    if (along < 0 || plan->elems > KERNEL_TILE_COLUMNS || extent_of(plan, along) % plan->elems != 0)
        return;
    /* Columns of a summed loop are added up by a single tile. */
    if (is_summed(plan, along) && (along != plan->column || extent_of(plan, along) > plan->elems))
        return;
    plan->column = along;
    plan->out->way = KERNEL_TILE_PAIRS_TURNED;
}

/** Chooses a factor whose vectors, which are whole, are gathered. */
static void choose_gathered(struct plan *plan, struct emitted_loops *loops, bool *exchanged) {
    const bool is_same = plan->out->way == KERNEL_TILE_SAME;
    plan->gathered = -1;
    if (plan->elems == 1 || extent_of(plan, plan->vector) % plan->elems != 0) return;
    for (int part = plan->out->way == KERNEL_TILE_EACH; part < 2; part++) {
        const int64_t along = stride_of(plan, plan->vector, part);
        const double most = is_same ? MOST_GATHERS : 1;
        if (along != 0 && along != 1 && uses_of(plan, part) <= most) plan->gathered = part;
    }
    if (plan->gathered < 0) return;
    if (plan->out->way == KERNEL_TILE_PAIRS && plan->gathered == 0) {
        *loops = general_exchanged(loops);
        *exchanged = !*exchanged;
        plan->gathered = 1;
    }
    plan->out->along = plan->parts * stride_of(plan, plan->vector, plan->gathered);
    plan->out->way = is_same ? KERNEL_TILE_SAME_GATHERED : KERNEL_TILE_PAIRS_GATHERED;
    if (!is_same) choose_turned(plan);
}

/** Adds the values of a summed loop to all combinations of the others. Returns false if there are
 * too many. */
static bool add_sums(struct kernel_tiles *out, int64_t extent, const int64_t stride[2]) {
    const int64_t before = out->sums;
    if (before * extent > KERNEL_SUMS) return false;
    for (; out->sums < before * extent; out->sums++) {
        for (int p = 0; p < 2; p++)
            out->place[p][out->sums] = out->place[p][out->sums - before] + stride[p];
    }
    return true;
}

/** Divides a summed loop along vectors into parts of a tile each, which are summed as well. Returns
 * false if other elements remain. */
static bool set_chunks(struct plan *plan) {
    const int64_t extent = extent_of(plan, plan->vector), vectors = extent / plan->elems;
    int64_t high = general_tiles_most_vectors(plan->out->way, extent_of(plan, plan->column));
    while (high > 1 && vectors % high != 0) high--;
    plan->chunks = vectors > high ? vectors / high : 1;
    if (plan->chunks == 1) return true;
    const int64_t *along = plan->stride[plan->vector], elems = high * plan->elems;
    const int64_t step[2] = {along[0] * elems, along[1] * elems};
    if (extent % plan->elems != 0) return false;
    if (plan->inner >= 0) return add_sums(plan->out, plan->chunks, step);
    plan->out->depth = plan->chunks;
    for (int p = 0; p < 2; p++) plan->out->step[p] = step[p];
    return true;
}

/** Sets the innermost summed loop, and the offsets of the values of the others. Returns false if
 * there are too many. */
static bool set_sums(struct plan *plan) {
    struct kernel_tiles *out = plan->out;
    plan->inner = -1;
    for (int l = 0; l < plan->loops->count; l++) {
        if (is_summed(plan, l) && l != plan->vector && l != plan->column &&
            (plan->inner < 0 || extent_of(plan, l) > extent_of(plan, plan->inner)))
            plan->inner = l;
    }
    out->depth = extent_of(plan, plan->inner);
    out->sums = 1;
    for (int p = 0; p < 2; p++) {
        out->step[p] = plan->inner < 0 ? 0 : plan->stride[plan->inner][p];
        out->place[p][0] = 0;
    }
    for (int l = 0; l < plan->loops->count; l++) {
        const int64_t extent = extent_of(plan, l);
        if (!is_summed(plan, l) || l == plan->inner || l == plan->vector || l == plan->column)
            continue;
        if (!add_sums(out, extent, plan->stride[l])) return false;
    }
    return !plan->reduces || set_chunks(plan);
}

/** Adds a loop to the copy of a factor if it fits. */
static bool add_to_copy(const struct plan *plan, struct kernel_copy *copy, int64_t *numbers,
                        int part, int loop, int64_t to[EMITTED_LOOPS]) {
    const int64_t extent = extent_of(plan, loop), real = plan->bytes / plan->parts;
    if (plan->out->copied + *numbers * extent > KERNEL_COPIES / real) return false;
    copy->extent[copy->loops] = extent;
    copy->from[copy->loops] = plan->parts * stride_of(plan, loop, part);
    copy->to[copy->loops++] = to[loop] = *numbers;
    *numbers *= extent;
    return true;
}

/** Plans a copy of a factor that is not contiguous along the vectors. Returns false if the part
 * that a tile needs is too large. */
static bool set_copy(struct plan *plan, int part) {
    const struct emitted_loops *loops = plan->loops;
    struct kernel_copy *copy = &plan->out->copy[part];
    int64_t to[EMITTED_LOOPS] = {0}, numbers = plan->parts;
    const int along = general_contiguous_loop(loops, part);
    *copy = (struct kernel_copy){.is_made = 1};
    if (!add_to_copy(plan, copy, &numbers, part, plan->vector, to)) return false;
    copy->turns = along >= 0 && add_to_copy(plan, copy, &numbers, part, along, to);
    for (int outer = 0; outer < 2; outer++) { /* the loops of tiles come first */
        for (int l = 0; l < loops->count; l++) {
            const bool is_outer = !is_summed(plan, l) && l != plan->column;
            if (l == plan->vector || to[l] > 0 || is_outer != (outer == 1) ||
                stride_of(plan, l, part) == 0)
                continue;
            if (!add_to_copy(plan, copy, &numbers, part, l, to) && !is_outer) return false;
        }
    }
    if (part == 0)
        plan->out->copied =
            blocks_divide_up(numbers, KERNEL_COPIES_ALIGNED) * KERNEL_COPIES_ALIGNED;
    if (copy->loops == 1) {
        copy->extent[1] = 1;
        copy->loops = 2;
    }
    for (int l = 0; l < loops->count; l++) {
        plan->stride[l][part] = to[l];
        plan->stride[l][3 + part] = to[l] > 0 ? 0 : plan->parts * stride_of(plan, l, part);
    }
    return true;
}

/** Sets the strides of all loops, with copies of factors that need them. */
static bool set_strides(struct plan *plan) {
    for (int l = 0; l < plan->loops->count; l++) {
        for (int part = 0; part < 3; part++)
            plan->stride[l][part] = plan->parts * stride_of(plan, l, part);
        plan->stride[l][3] = plan->stride[l][4] = 0;
    }
    for (int part = 0; part < 3; part++)
        plan->first[part] = plan->parts * plan->loops->offset[part];
    for (int part = 0; part < 2; part++) {
        const int64_t along = stride_of(plan, plan->vector, part);
        if (along == 1 || along == 0 || part == plan->gathered) continue;
        if (!set_copy(plan, part)) return false;
        plan->out->offset[part] = plan->first[part];
        plan->first[part] = 0;
    }
    return true;
}

/** Adds the loops around the tiles: those for which a factor is copied again are outermost, the
 * others in the order of the result. */
static void set_loops(struct plan *plan) {
    struct kernel_tiles *out = plan->out;
    int order[EMITTED_LOOPS];
    for (int l = 0; l < plan->loops->count; l++) {
        const int64_t *own = plan->stride[l];
        if (l == plan->vector || l == plan->column || is_summed(plan, l)) continue;
        int at = out->loops++;
        for (; at > 0; at--) {
            const int64_t *other = plan->stride[order[at - 1]];
            const bool copies[2] = {other[3] != 0 || other[4] != 0, own[3] != 0 || own[4] != 0};
            if (copies[0] == copies[1] ? other[2] <= own[2] : !copies[0]) break;
            order[at] = order[at - 1];
        }
        order[at] = l;
    }
    for (int o = 0; o < out->loops; o++) {
        out->extent[o] = extent_of(plan, order[o]);
        for (int p = 0; p < 5; p++) out->stride[o][p] = plan->stride[order[o]][p];
    }
}

/* Tiles. */

/** Equal parts of a loop, or some that are longer by 1 than the others. */
struct cut {
    int size[2];
    int64_t count[2];
};

static struct cut cut_of(int64_t all, int64_t most) {
    const int64_t parts = blocks_divide_up(all, most);
    struct cut cut = {.size = {0}};
    if (parts == 0) return cut;
    cut.size[0] = (int)blocks_divide_up(all, parts);
    cut.size[1] = cut.size[0] - 1;
    cut.count[0] = all - parts * cut.size[1];
    cut.count[1] = parts - cut.count[0];
    return cut;
}

/** Returns the distance of columns. */
static int64_t across_of(const struct plan *plan, int part) {
    return plan->column < 0 ? 0 : plan->stride[plan->column][part];
}

/** Adds the tiles with the same vectors, from vector `first` on, to the last phase. */
static void add_group(struct plan *plan, int vectors, int64_t first, int64_t tiles,
                      int64_t column) {
    struct kernel_tiles *out = plan->out;
    struct kernel_phase *phase = &out->phase[out->phases - 1];
    struct kernel_group *group = &out->group[phase->end++];
    const int side = plan->by_blocks ? 0 : 1; /* the loop along vectors is inner or outer */
    struct level *level = plan->level[phase->end - 1];
    *group = (struct kernel_group){.tile = KERNEL_TILE_NUMBER(out->way, vectors, phase->width),
                                   .adds = plan->reduces && first > 0};
    level[0] = level[1] = (struct level){.count = 1};
    plan->levels[phase->end - 1] = 2;
    level[side].count = tiles;
    if (!plan->by_blocks) level[0].count = phase->blocks;
    for (int part = 0; part < 3; part++) {
        const int64_t along = plan->stride[plan->vector][part] * plan->elems;
        group->first[part] = along * first;
        if (part < 2 || !out->streamed)
            group->first[part] += plan->first[part] + across_of(plan, part) * column;
        level[side].step[part] = along * vectors;
        if (!plan->by_blocks) level[0].step[part] = phase->step[part];
    }
}

/** Adds the tiles with the same number of columns, from a column on. */
static void add_phase(struct plan *plan, const struct cut *vectors, int columns, int64_t column,
                      int64_t blocks) {
    struct kernel_tiles *out = plan->out;
    struct kernel_phase *phase = &out->phase[out->phases++];
    const int begin = out->phases > 1 ? phase[-1].end : 0;
    int64_t first = 0;
    *phase =
        (struct kernel_phase){.begin = begin, .end = begin, .width = columns, .blocks = blocks};
    for (int part = 0; part < 3; part++) {
        phase->step[part] = across_of(plan, part) * columns;
    }
    phase->first = plan->first[2] + across_of(plan, 2) * column;
    for (int size = 0; size < 2; size++) {
        if (vectors->count[size] == 0) continue;
        add_group(plan, vectors->size[size], first, vectors->count[size], column);
        first += vectors->count[size] * vectors->size[size];
    }
    if (out->part > 0) add_group(plan, 0, first, 1, column);
    if (!plan->by_blocks) phase->blocks = 1;
}

/** Makes the innermost of the loops around tiles a loop of the groups. Returns false if there is
 * none, or a factor is copied for each of its values. */
static bool move_loop(struct plan *plan) {
    struct kernel_tiles *out = plan->out;
    const int groups = out->phase[out->phases - 1].end;
    if (out->loops == 0 || out->stride[0][3] != 0 || out->stride[0][4] != 0) return false;
    for (int g = 0; g < groups; g++) {
        struct level *level = &plan->level[g][plan->levels[g]++];
        *level = (struct level){.count = out->extent[0]};
        for (int part = 0; part < 3; part++) level->step[part] = out->stride[0][part];
    }
    out->loops--;
    for (int l = 0; l < out->loops; l++) {
        out->extent[l] = out->extent[l + 1];
        memcpy(out->stride[l], out->stride[l + 1], sizeof out->stride[l]);
    }
    return true;
}

/** Returns how many tiles the first `levels` loops of all groups have. */
static double tiles_of(const struct plan *plan, int levels) {
    const int groups = plan->out->phase[plan->out->phases - 1].end;
    double all = 0;
    for (int g = 0; g < groups; g++) {
        double own = 1;
        for (int l = 0; l < levels && l < plan->levels[g]; l++)
            own *= (double)plan->level[g][l].count;
        all += own;
    }
    return all;
}

/** Moves loops around tiles into the groups: all if there is a single group or the result is small,
 * so that the groups find it in a cache; otherwise the innermost one. The groups can have two loops
 * more than those whose offsets are computed in advance. Returns the number of the latter. */
static int move_loops(struct plan *plan) {
    const struct kernel_tiles *out = plan->out;
    const int groups = out->phase[out->phases - 1].end;
    double bytes = plan->bytes;
    int inner = 0;
    for (int l = 0; l < plan->loops->count; l++)
        bytes *= is_summed(plan, l) ? 1 : (double)extent_of(plan, l);
    for (bool more = !plan->by_blocks;;) {
        while (inner < plan->levels[0] && tiles_of(plan, inner + 1) <= KERNEL_OFFSETS) inner++;
        if (!more || plan->levels[0] == inner + 2 || !move_loop(plan)) return inner;
        more = groups == 1 || bytes <= NEAR_BYTES;
    }
}

/** Computes the offsets of the tiles of a group along its first `inner` loops. */
static void set_offsets(const struct plan *plan, int group, int inner) {
    struct kernel_tiles *out = plan->out;
    const int begin = group > 0 ? out->group[group - 1].end : 0;
    int end = begin + 1;
    memset(out->offsets[begin], 0, sizeof out->offsets[begin]);
    for (int l = 0; l < inner; l++) {
        const struct level *level = &plan->level[group][l];
        const int before = end - begin;
        for (int64_t i = before; i < before * level->count; i++, end++) {
            for (int part = 0; part < 3; part++)
                out->offsets[end][part] = out->offsets[end - before][part] + level->step[part];
        }
    }
    out->group[group].begin = begin;
    out->group[group].end = end;
}

/** Sets the loops of the tiles of all groups. */
static void set_tiles(struct plan *plan) {
    struct kernel_tiles *out = plan->out;
    const int inner = move_loops(plan), groups = out->phase[out->phases - 1].end;
    for (int g = 0; g < groups; g++) {
        struct kernel_group *group = &out->group[g];
        set_offsets(plan, g, inner);
        for (int l = 0; l < 2; l++) {
            const bool has_loop = inner + l < plan->levels[g];
            const struct level *level = &plan->level[g][inner + l];
            group->count[l] = has_loop ? level->count : 1;
            for (int part = 0; part < 3; part++)
                group->step[l][part] = has_loop ? level->step[part] : 0;
        }
    }
}

/** Decides whether blocks of columns are the outer loop. Returns false if the factors are too large
 * to be read in place. */
static bool choose_order(struct plan *plan, int64_t width) {
    const struct kernel_tiles *out = plan->out;
    const double sums = (double)(out->sums * out->depth) * plan->bytes;
    const double length = (double)extent_of(plan, plan->vector) / (double)plan->chunks;
    const double columns = (double)extent_of(plan, plan->column);
    const bool is_same = stride_of(plan, plan->vector, 1) == 0;
    const double a_bytes = sums * length * (stride_of(plan, plan->column, 0) != 0 ? columns : 1),
                 b_bytes = sums * columns * (is_same ? 1 : length),
                 near_bytes = a_bytes / (uses_of(plan, 0) > 1 ? 1 : ONCE) +
                              b_bytes / (uses_of(plan, 1) > 1 ? 1 : ONCE);
    plan->by_blocks = is_same && (out->streamed || b_bytes > NEAR_BYTES);
    if (out->streamed && (!is_same || length * (double)width * plan->bytes > KERNEL_ROWS))
        return false;
    return is_same ? !plan->by_blocks || a_bytes <= FAR_BYTES : near_bytes <= FAR_BYTES;
}

static bool set_groups(struct plan *plan) {
    struct kernel_tiles *out = plan->out;
    const int64_t length = extent_of(plan, plan->vector), width = extent_of(plan, plan->column);
    const int most = general_tiles_most_vectors(out->way, width);
    const struct cut vectors = cut_of(length / plan->elems / plan->chunks, most);
    const int high = vectors.size[0] > 0 ? vectors.size[0] : 1;
    const struct cut columns =
        cut_of(width, general_tiles_most_columns(plan->loops->dtype, plan->set, out->way, high));
    if (!choose_order(plan, columns.size[0])) return false;
    int64_t first = 0;
    out->part = plan->parts * (length % plan->elems);
    out->length = plan->parts * length;
    for (int part = 0; part < 3; part++) out->column[part] = across_of(plan, part);
    out->row = out->column[2];
    if (out->streamed) out->column[2] = out->length;
    for (int size = 0; size < 2; size++) {
        if (columns.count[size] == 0) continue;
        add_phase(plan, &vectors, columns.size[size], first, columns.count[size]);
        first += columns.count[size] * columns.size[size];
    }
    set_tiles(plan);
    out->is_simple =
        !plan->by_blocks && out->loops == 0 && !out->copy[0].is_made && !out->copy[1].is_made;
    return true;
}

/** Returns whether rows of products without sums are long: the kernel of loops suits them. */
static bool has_long_rows(const struct plan *plan) {
    const int64_t bytes = extent_of(plan, plan->vector) * plan->bytes;
    bool sums = false;
    for (int l = 0; l < plan->loops->count; l++) sums = sums || is_summed(plan, l);
    return !sums && bytes >= LONG_ROW_BYTES && stride_of(plan, plan->vector, 0) <= 1 &&
           stride_of(plan, plan->vector, 1) <= 1;
}

/** Chooses how tiles read the factors and, unless one of them has the same element for a vector,
 * which one is `a`. */
static void choose_way(struct plan *plan, struct emitted_loops *loops, bool *exchanged) {
    struct kernel_tiles *out = plan->out;
    out->way = stride_of(plan, plan->vector, 1) == 0 ? KERNEL_TILE_SAME : KERNEL_TILE_EACH;
    choose_column(plan);
    if (plan->reduces) split_sum(plan, loops);
    if (out->way == KERNEL_TILE_SAME || stride_of(plan, plan->column, 0) == 0) return;
    if (stride_of(plan, plan->column, 1) != 0) {
        out->way = KERNEL_TILE_PAIRS;
        return;
    }
    *loops = general_exchanged(loops);
    *exchanged = !*exchanged;
}

static void set_factors(struct kernel_tiles *out, const struct emitted_loops *loops, bool reduces) {
    const double sign[2] = {loops->conjugated[0] ? -1 : 1, loops->conjugated[1] ? -1 : 1};
    out->alpha[0] = loops->alpha.re;
    out->alpha[1] = loops->alpha.im;
    out->beta[0] = loops->beta.re;
    out->beta[1] = loops->beta.im;
    out->sign[0] = sign[0];
    out->sign[1] = sign[0] * sign[1]; /* conj(a) b is conj(a conj(b)) */
    out->streamed = loops->streamed;
    if (reduces) {
        out->finish = KERNEL_FINISH_REDUCE;
    } else if (!scalar_is(loops->alpha, 1) || sign[0] < 0) {
        out->finish = KERNEL_FINISH_SCALE;
    } else if (scalar_is(loops->beta, 0)) {
        out->finish = KERNEL_FINISH_STORE;
    } else {
        out->finish = scalar_is(loops->beta, 1) ? KERNEL_FINISH_ADD : KERNEL_FINISH_SCALE;
    }
}

/** Returns the number of elements of the factors that would be copied. */
static double copied_elements(const struct plan *plan) {
    double elements = 0;
    for (int part = 0; part < 2; part++) {
        double own = 1;
        if (stride_of(plan, plan->vector, part) <= 1) continue;
        for (int l = 0; l < plan->loops->count; l++)
            own *= stride_of(plan, l, part) != 0 ? (double)extent_of(plan, l) : 1;
        elements += own;
    }
    return elements;
}

/** Chooses the loop along vectors: that in which the result is contiguous or, if there is none, or
 * copies of factors would take a large part of the time, a summed loop. */
static void choose_vector(struct plan *plan) {
    int summed = -1;
    double products = 1;
    for (int l = 0; l < plan->loops->count; l++) {
        const bool is_contiguous = stride_of(plan, l, 0) == 1 || stride_of(plan, l, 1) == 1;
        products *= (double)extent_of(plan, l);
        if (is_summed(plan, l) && is_contiguous && stride_of(plan, l, 0) != 0 &&
            stride_of(plan, l, 1) != 0 && extent_of(plan, l) > extent_of(plan, summed))
            summed = l;
    }
    plan->vector = general_contiguous_loop(plan->loops, 2);
    plan->reduces = summed >= 0 && !plan->loops->streamed &&
                    (plan->vector < 0 || products < FEWEST_USES * copied_elements(plan));
    if (plan->reduces) plan->vector = summed;
}

/** Returns whether half as long vectors are better, because a large part of the last one would be
 * unused. */
static bool wastes_vectors(enum tcplan_dtype dtype, int64_t length) {
    const int64_t vectors = blocks_divide_up(length, emitted_vector_elems(dtype, EMITTED_AVX512));
    return 2 * blocks_divide_up(length, emitted_vector_elems(dtype, EMITTED_AVX2)) <= 3 * vectors;
}

bool general_tiles_of(struct kernel_tiles *out, bool *exchanged, enum emitted_set *set,
                      const struct emitted_loops *given) {
    struct emitted_loops loops = *given;
    struct plan plan = {.loops = &loops,
                        .out = out,
                        .parts = emitted_reals(given->dtype),
                        .bytes = (int)tcplan_dtype_bytes(given->dtype),
                        .chunks = 1};
    if (given->tile.vectors > 0 || given->tile.unroll > 0) return false;
    *out = (struct kernel_tiles){0};
    choose_vector(&plan);
    if (plan.vector < 0) return false;
    *exchanged = stride_of(&plan, plan.vector, 0) == 0 ||
                 (plan.reduces && stride_of(&plan, plan.vector, 0) != 1);
    if (*exchanged) loops = general_exchanged(given);
    if (*set == EMITTED_AVX512 && wastes_vectors(given->dtype, extent_of(&plan, plan.vector)))
        *set = EMITTED_AVX2;
    plan.set = *set;
    plan.elems = emitted_vector_elems(given->dtype, *set);
    if (stride_of(&plan, plan.vector, 0) == 0 || has_long_rows(&plan)) return false;
    choose_way(&plan, &loops, exchanged);
    choose_gathered(&plan, &loops, exchanged);
    set_factors(out, &loops, plan.reduces);
    if (!set_strides(&plan) || !set_sums(&plan)) return false;
    set_loops(&plan);
    return set_groups(&plan);
}
