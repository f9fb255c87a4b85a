/* Each index of the canonical product is a chain of parts: indices of the problem. Splits of an
 * index divide its chain into levels: the points of a tile, then the steps of each split, shortest
 * first. A cut separates two levels; it is between two parts, or within a part, which then becomes
 * split itself. Each level is a list of index numbers, innermost first. In a group it becomes a set
 * of indices, and a loop over it becomes one loop for each number. */
#include "ast/algorithm/expand.h"

#include <assert.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "base/indexset.h"

/* A parallel loop with fewer iterations is collapsed with the next one, so that threads get
 * equal shares. */
enum { FEW_ITERATIONS = 16 };

/** A level of an index: numbers of the expanded algorithm, innermost first. */
struct level {
    int count;
    uint8_t number[TCPLAN_MAX_INDICES];
};

/** A place where steps end: after this many parts, and this many points of the next part (1: at its
 * start). */
struct cut {
    int parts;
    int64_t points;
};

/** The state of one expansion. */
struct expansion {
    const struct canonical_product *product;
    const struct tcplan_algorithm *from;
    struct tcplan_algorithm *out;
    struct level level[2 * TCPLAN_MAX_INDICES]; /* levels of each index of `from`, by number */
};

static int64_t extent_of(const struct canonical_product *product, int index) {
    return product->source->extent[index];
}

/** Returns the cut nearest to this number of points of an index, a multiple of the preceding cut
 * and not before it. */
static struct cut cut_at(const struct canonical_product *product,
                         const struct canonical_index *index, int64_t step, struct cut before) {
    struct cut cut = {0, 1};
    int64_t inner = 1;
    while (cut.parts < index->count && inner * extent_of(product, index->part[cut.parts]) <= step)
        inner *= extent_of(product, index->part[cut.parts++]);
    if (cut.parts == index->count) return cut;
    assert(cut.parts >= before.parts); /* longer steps must not end earlier */
    const int64_t multiple = cut.parts == before.parts ? before.points : 1;
    const int64_t points = (step + inner / 2) / inner / multiple * multiple;
    cut.points = points > multiple ? points : multiple;
    if (cut.points < extent_of(product, index->part[cut.parts])) return cut;
    return (struct cut){cut.parts + 1, 1};
}

static void add(struct level *level, int number) {
    assert(level->count < TCPLAN_MAX_INDICES && number < TCPLAN_MAX_INDICES);
    level->number[level->count++] = (uint8_t)number;
}

/** Adds a split of a part to the expanded algorithm; returns the number of its steps. */
static int add_split(struct expansion *expansion, int part, int64_t points) {
    assert(expansion->out->split_count < TCPLAN_MAX_TILES && points > 1);
    struct tcplan_algorithm *out = expansion->out;
    out->split[out->split_count] =
        (struct tcplan_split){.index = (uint8_t)part, .step = (int32_t)points};
    return expansion->product->source->contraction->index_count + out->split_count++;
}

/** Fills a level with the numbers between two cuts. */
static void fill_level(struct expansion *expansion, struct level *level,
                       const struct canonical_index *index, struct cut from, struct cut to) {
    level->count = 0;
    if (from.parts == to.parts && from.points == to.points) return;
    if (from.points > 1) add(level, add_split(expansion, index->part[from.parts], from.points));
    for (int p = from.parts + (from.points > 1 ? 1 : 0); p < to.parts; p++)
        add(level, index->part[p]);
    if (to.points > 1 && (to.parts > from.parts || from.points == 1))
        add(level, index->part[to.parts]);
}

/** Returns the split of an index with the shortest steps longer than `step`; -1 if there is none.
 */
static int split_above(const struct tcplan_algorithm *algorithm, int index, int64_t step) {
    int found = -1;
    for (int s = 0; s < algorithm->split_count; s++) {
        const struct tcplan_split split = algorithm->split[s];
        if (split.index == index && split.step > step &&
            (found < 0 || split.step < algorithm->split[found].step))
            found = s;
    }
    return found;
}

static void fill_levels(struct expansion *expansion, int number) {
    const struct canonical_product *product = expansion->product;
    const struct canonical_index *index = &product->index[number];
    struct cut before = {0, 1};
    int level = number;
    for (int split = split_above(expansion->from, number, 0); split >= 0;
         split = split_above(expansion->from, number, expansion->from->split[split].step)) {
        const struct cut cut = cut_at(product, index, expansion->from->split[split].step, before);
        fill_level(expansion, &expansion->level[level], index, before, cut);
        level = product->contraction.index_count + split;
        before = cut;
    }
    fill_level(expansion, &expansion->level[level], index, before, (struct cut){index->count, 1});
}

static uint64_t expand_set(const struct expansion *expansion, uint64_t numbers) {
    uint64_t out = 0;
    for (; numbers; numbers &= numbers - 1) {
        const struct level *level = &expansion->level[indexset_first(numbers)];
        for (int n = 0; n < level->count; n++) out |= indexset_of(level->number[n]);
    }
    return out;
}

/** Returns the number of iterations of a loop; for a loop within a tile, the maximum. */
static int64_t iterations_of(const struct expansion *expansion, int number) {
    const struct tcplan_contraction *contraction = expansion->product->source->contraction;
    const int64_t extent =
        extent_of(expansion->product, algorithm_source_index(expansion->out, contraction, number));
    if (number < contraction->index_count) return extent;
    const int64_t step = expansion->out->split[number - contraction->index_count].step;
    return (extent + step - 1) / step;
}

/** Expands the loops and moves each copy to the matching depth. */
static void expand_loops(struct expansion *expansion) {
    const struct tcplan_algorithm *from = expansion->from;
    struct tcplan_algorithm *out = expansion->out;
    int place[TCPLAN_MAX_INDICES + 1];
    for (uint64_t rest = expansion->product->dropped; rest; rest &= rest - 1)
        out->loop[out->loop_count++] = (uint8_t)indexset_first(rest);
    for (int l = 0; l < from->loop_count; l++) {
        const struct level *level = &expansion->level[from->loop[l]];
        place[l] = out->loop_count;
        for (int n = level->count; n-- > 0;) out->loop[out->loop_count++] = level->number[n];
    }
    assert(out->loop_count <= TCPLAN_MAX_INDICES);
    place[from->loop_count] = out->loop_count;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int depth = from->copy[t].depth;
        if (depth >= 0) out->copy[t].depth = (int8_t)place[depth];
    }
    if (from->parallel < 0) return;
    const int own = place[from->parallel], behind = place[from->parallel + 1];
    out->parallel = (int8_t)own;
    const bool is_short = behind > own && iterations_of(expansion, out->loop[own]) < FEW_ITERATIONS;
    out->collapsed = from->collapsed || (is_short && behind > own + 1);
}

/** Returns whether all parallel loops of the algorithm still exist after its expansion. */
static bool keeps_parallel(const struct expansion *expansion) {
    const struct tcplan_algorithm *from = expansion->from;
    if (from->parallel < 0) return true;
    const int loops = from->collapsed ? 2 : 1;
    for (int l = from->parallel; l < from->parallel + loops; l++) {
        if (expansion->level[from->loop[l]].count == 0) return false;
    }
    return true;
}

bool algorithm_expand(struct tcplan_algorithm *out, const struct canonical_product *product,
                      const struct tcplan_algorithm *algorithm) {
    const struct tcplan_contraction *contraction = product->source->contraction;
    struct expansion expansion;
    expansion.product = product;
    expansion.from = algorithm;
    expansion.out = out;
    *out = *algorithm;
    if (canonical_product_is_source(product)) return true;
    out->split_count = out->loop_count = 0;
    if (contraction->index_count + algorithm->split_count > TCPLAN_MAX_INDICES) return false;
    for (int i = 0; i < product->contraction.index_count; i++) fill_levels(&expansion, i);
    for (int r = 0; r < TCPLAN_ROLES; r++)
        out->group[r] = expand_set(&expansion, algorithm->group[r]);
    if (!keeps_parallel(&expansion)) return false;
    expand_loops(&expansion);
    return algorithm_check(out, contraction, NULL) == TCPLAN_OK;
}
