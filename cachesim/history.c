#include "cachesim/history.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "ast/nest/heuristics.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "base/alloc.h"
#include "base/indexset.h"

enum {
    FINEST_BLOCK_BYTES = 16 * 1024, /* maximum size of joined stretches near the place; farther
                                       away, their size is a share of the distance */
    BLOCKS_PER_DISTANCE = 8,
    RECENT_REGIONS = 8, /* number of recent regions with which a new region is compared; no body has
                           more slices */
    MAX_LOOPS = TCPLAN_MAX_INDICES
};

void region_list_free(struct region_list *list) {
    base_free(list->region);
    *list = (struct region_list){0};
}

/** Keeps only the last part, in memory order, of a region that is larger than `capacity_bytes`. */
static void trim(struct region *region, double capacity_bytes, int64_t line_bytes) {
    assert(capacity_bytes >= 0 && line_bytes > 0);
    for (int d = region->rank - 1; d >= 0; d--) {
        const double bytes = region_footprint_bytes(region, line_bytes);
        if (bytes <= capacity_bytes) return;
        struct region_dimension *dimension = &region->dimension[d];
        int64_t kept = (int64_t)((double)dimension->extent * (capacity_bytes / bytes));
        if (kept < 1) kept = 1;
        region->offset_bytes += (dimension->extent - kept) * dimension->stride_bytes;
        dimension->extent = kept;
    }
}

void region_list_add(struct region_list *list, const struct region *region,
                     struct granularity granularity) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        struct region *grown = base_realloc(list->region, capacity * sizeof *grown);
        list->out_of_memory = list->out_of_memory || !grown;
        if (!grown) return;
        list->region = grown;
        list->capacity = capacity;
    }
    list->region[list->count++] = *region;
    list->footprint_bytes += region_footprint_bytes(region, granularity.line_bytes);
    list->page_bytes += region_footprint_bytes(region, granularity.page_bytes);
}

/** Returns a bit for each tensor and temporary, for the set of operands already listed. */
static unsigned bit_of(struct tcplan_slice slice) {
    assert((unsigned)slice.operand < TCPLAN_TENSORS);
    return 1U << ((unsigned)slice.operand + (slice.temporary ? TCPLAN_TENSORS : 0));
}

/* Walking backwards. */

struct walk {
    struct region_list *out;
    const struct history_place *place;
    bool ahead; /* whether the walk goes forwards instead of backwards, and omits the nodes in
                   place->skipped */
    double capacity_bytes;
    double page_capacity_bytes;
    int64_t at[TCPLAN_MAX_INDICES];
    uint64_t fixed; /* indices of loops whose iteration is fixed */
};

static bool is_skipped(const struct history_place *place, const struct tcplan_node *node) {
    for (int s = 0; s < place->skipped_count; s++) {
        if (place->skipped[s] == node) return true;
    }
    return false;
}

static bool full(const struct walk *walk) {
    const struct region_list *out = walk->out;
    return out->out_of_memory || out->footprint_bytes >= walk->capacity_bytes ||
           out->page_bytes >= walk->page_capacity_bytes;
}

static double block_bytes(const struct walk *walk) {
    double share = walk->out->footprint_bytes / BLOCKS_PER_DISTANCE;
    return share > FINEST_BLOCK_BYTES ? share : FINEST_BLOCK_BYTES;
}

static struct region_scope scope_of(const struct walk *walk, int ranged, int64_t first,
                                    int64_t count) {
    return (struct region_scope){
        .at = walk->at, .fixed = walk->fixed, .ranged = ranged, .first = first, .count = count};
}

/** Returns whether the same region was listed just before, for the kernel that follows a scaling or
 * copy. */
static bool is_repeated(const struct region_list *list, const struct region *region) {
    for (size_t r = list->count; r-- > 0 && list->count - r <= RECENT_REGIONS;) {
        const struct region *other = &list->region[r];
        if (other->operand == region->operand && other->temporary == region->temporary &&
            other->offset_bytes == region->offset_bytes && other->rank == region->rank &&
            (other->written || !region->written) &&
            memcmp(other->dimension, region->dimension,
                   (size_t)region->rank * sizeof *region->dimension) == 0) {
            return true;
        }
    }
    return false;
}

/** Lists what a leaf touches in a scope, except for the operands in `listed`. */
static void list_leaf(struct walk *walk, const struct tcplan_node *leaf,
                      const struct region_scope *scope, unsigned listed) {
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    const int count = node_touches(leaf, touch);
    if (walk->ahead && is_skipped(walk->place, leaf)) return;
    for (int t = count - 1; t >= 0; t--) {
        if (listed & bit_of(touch[t])) continue;
        if (!walk->ahead && t == count - 1 && heuristics_stream_node(walk->place->problem, leaf))
            continue; /* non-temporal stores leave nothing in the caches */
        struct region region = region_of(walk->place->problem, touch[t], t == count - 1, scope);
        trim(&region, walk->capacity_bytes, walk->place->granularity.line_bytes);
        trim(&region, walk->page_capacity_bytes, walk->place->granularity.page_bytes);
        if (!is_repeated(walk->out, &region))
            region_list_add(walk->out, &region, walk->place->granularity);
    }
}

/** Lists a body and everything in it, joined over the scope, last node first. */
static void list_joined(struct walk *walk, const struct tcplan_node *body,
                        const struct region_scope *scope, unsigned listed) {
    if (!body) return;
    list_joined(walk, body->next, scope, listed);
    if (body->kind == TCPLAN_NODE_LOOP) {
        list_joined(walk, body->loop.body, scope, listed);
    } else {
        list_leaf(walk, body, scope, listed);
    }
}

/** Returns the bytes that a body touches in a scope, except for the operands in `listed`. */
static double joined_bytes(const struct walk *walk, const struct tcplan_node *body,
                           const struct region_scope *scope, unsigned listed) {
    double bytes = 0;
    for (; body; body = body->next) {
        if (body->kind == TCPLAN_NODE_LOOP)
            bytes += joined_bytes(walk, body->loop.body, scope, listed);
        struct tcplan_slice touch[TCPLAN_OPERANDS];
        const int count = node_touches(body, touch);
        for (int t = count - 1; t >= 0; t--) {
            if (listed & bit_of(touch[t]) ||
                (t == count - 1 && heuristics_stream_node(walk->place->problem, body)))
                continue;
            const struct region region = region_of(walk->place->problem, touch[t], false, scope);
            bytes += region_footprint_bytes(&region, walk->place->granularity.line_bytes);
        }
    }
    return bytes;
}

/** Returns the operands of a body that are the same in every iteration of a loop over `index`. */
static unsigned invariant_operands(const struct refined_problem *problem,
                                   const struct tcplan_node *body, int index) {
    unsigned invariant = 0;
    for (; body; body = body->next) {
        if (body->kind == TCPLAN_NODE_LOOP)
            invariant |= invariant_operands(problem, body->loop.body, index);
        struct tcplan_slice touch[TCPLAN_OPERANDS];
        for (int t = node_touches(body, touch) - 1; t >= 0; t--) {
            /* a temporary has the same memory in every iteration, except in iterations of loops
             * inside its copy */
            if (!indexset_has(slice_moving_indices(problem->refinement, touch[t]), index))
                invariant |= bit_of(touch[t]);
        }
    }
    return invariant;
}

static void scan_body_backward(struct walk *walk, const struct tcplan_node *body, unsigned listed);

/** Returns how many iterations before `upto` to join: as many as touch one block, within a factor
 * of two, because neighbouring iterations may share lines. */
static int64_t iterations_in_block(const struct walk *walk, const struct tcplan_loop *loop,
                                   int64_t upto, unsigned listed) {
    int64_t count = 1;
    while (count < upto) {
        const int64_t more = 2 * count < upto ? 2 * count : upto;
        const struct region_scope block = scope_of(walk, loop->index, upto - more, more);
        if (joined_bytes(walk, loop->body, &block, listed) > block_bytes(walk)) break;
        count = more;
    }
    return count;
}

/** Lists iterations `upto` - 1 down to 0 of a loop, newest first, in blocks of about the required
 * size. */
static void scan_loop_backward(struct walk *walk, const struct tcplan_loop *loop, int64_t upto,
                               unsigned listed) {
    assert(upto >= 0 && upto <= walk->place->problem->extent[loop->index]);
    assert(!indexset_has(walk->fixed, loop->index)); /* no loop contains a loop over the same index
                                                      */
    const uint64_t outer_fixed = walk->fixed;
    walk->fixed |= indexset_of(loop->index);
    while (upto > 0 && !full(walk)) {
        const struct region_scope one = scope_of(walk, loop->index, upto - 1, 1);
        const double bytes = joined_bytes(walk, loop->body, &one, listed);
        if (bytes > block_bytes(walk) &&
            !(loop->body->kind == TCPLAN_NODE_KERNEL && !loop->body->next)) {
            walk->at[loop->index] = upto - 1;
            scan_body_backward(walk, loop->body, listed);
            upto--;
        } else {
            const int64_t count = iterations_in_block(walk, loop, upto, listed);
            const struct region_scope block = scope_of(walk, loop->index, upto - count, count);
            list_joined(walk, loop->body, &block, listed);
            upto -= count;
        }
        listed |= invariant_operands(walk->place->problem, loop->body, loop->index);
    }
    walk->fixed = outer_fixed;
}

static int64_t loop_extent(const struct walk *walk, const struct tcplan_loop *loop) {
    return problem_extent_at(walk->place->problem, loop->index, walk->fixed, walk->at);
}

/** Lists one execution of a body, last node first. */
static void scan_body_backward(struct walk *walk, const struct tcplan_node *body, unsigned listed) {
    if (!body || full(walk)) return;
    scan_body_backward(walk, body->next, listed);
    if (full(walk)) return;
    if (body->kind == TCPLAN_NODE_LOOP) {
        scan_loop_backward(walk, &body->loop, loop_extent(walk, &body->loop), listed);
    } else {
        const struct region_scope scope = scope_of(walk, -1, 0, 0);
        list_leaf(walk, body, &scope, listed);
    }
}

/** Returns whether `target` is `node` or inside it. */
static bool holds(const struct tcplan_node *node, const struct tcplan_node *target) {
    if (node == target) return true;
    if (node->kind != TCPLAN_NODE_LOOP) return false;
    for (const struct tcplan_node *child = node->loop.body; child; child = child->next) {
        if (holds(child, target)) return true;
    }
    return false;
}

/** Lists the nodes of a body before `until`, last first. */
static void scan_siblings_backward(struct walk *walk, const struct tcplan_node *body,
                                   const struct tcplan_node *until) {
    if (body == until || full(walk)) return;
    scan_siblings_backward(walk, body->next, until);
    if (full(walk)) return;
    if (body->kind == TCPLAN_NODE_LOOP) {
        scan_loop_backward(walk, &body->loop, loop_extent(walk, &body->loop), 0);
    } else {
        const struct region_scope scope = scope_of(walk, -1, 0, 0);
        list_leaf(walk, body, &scope, 0);
    }
}

/** Lists what is executed before the place's leaf, from the leaf outwards: the preceding nodes of
 * each body, then (in the caller) the earlier iterations of the loop around that body. */
static void scan_path_backward(struct walk *walk, const struct tcplan_node *body) {
    const struct tcplan_node *path = body;
    while (!holds(path, walk->place->leaf)) path = path->next;
    assert(path); /* the leaf is in the nest */
    if (path->kind == TCPLAN_NODE_LOOP) {
        const uint64_t outer_fixed = walk->fixed;
        walk->fixed |= indexset_of(path->loop.index);
        scan_path_backward(walk, path->loop.body);
        walk->fixed = outer_fixed;
        scan_loop_backward(walk, &path->loop, walk->place->at[path->loop.index], 0);
        walk->at[path->loop.index] = walk->place->at[path->loop.index];
    }
    scan_siblings_backward(walk, body, path);
}

void history_before(struct region_list *out, const struct history_place *place,
                    double capacity_bytes, double page_capacity_bytes, bool wraps) {
    struct walk walk = {.out = out,
                        .place = place,
                        .capacity_bytes = capacity_bytes,
                        .page_capacity_bytes = page_capacity_bytes};
    for (int i = 0; i < place->nest->refinement->index_count; i++) walk.at[i] = place->at[i];
    scan_path_backward(&walk, place->nest->body);
    if (wraps && !full(&walk)) scan_body_backward(&walk, place->nest->body, 0);
}

/* Looking ahead. */

/** Lists the loops around the place's leaf, from the outside in; returns their number. */
static int loops_around(const struct history_place *place,
                        const struct tcplan_loop *loops[MAX_LOOPS]) {
    const struct tcplan_node *body = place->nest->body;
    int count = 0;
    while (body) {
        while (!holds(body, place->leaf)) body = body->next;
        if (body->kind != TCPLAN_NODE_LOOP) break;
        assert(count < MAX_LOOPS);
        loops[count++] = &body->loop;
        body = body->loop.body;
    }
    return count;
}

/** Advances the loops outside `level` by one iteration; a loop after its last iteration starts
 * again at its first. Returns the outermost level that moved, -1 if all started again. */
static int next_outer_iteration(const struct history_place *place,
                                const struct tcplan_loop *const loops[], int level,
                                int64_t at[TCPLAN_MAX_INDICES]) {
    while (--level >= 0) {
        const int index = loops[level]->index;
        if (++at[index] < place->problem->extent[index]) return level;
        at[index] = 0;
    }
    return -1;
}

/** Returns whether a node is a copy. An execution that starts in the middle of the nest must fill
 * temporaries first, and must copy them back when it leaves the loop. */
static bool is_copy(const struct tcplan_node *node) {
    return node->kind == TCPLAN_NODE_COPY;
}

static void list_siblings(struct walk *walk, const struct tcplan_node *body, bool only_copies) {
    const struct region_scope scope = scope_of(walk, -1, 0, 0);
    for (; body; body = body->next) {
        if (holds(body, walk->place->leaf) || (only_copies && !is_copy(body))) continue;
        if (body->kind == TCPLAN_NODE_LOOP) {
            list_joined(walk, body->loop.body, &scope, 0);
        } else {
            list_leaf(walk, body, &scope, 0);
        }
    }
}

/** Lists the nodes next to the path inside the loops of levels `from` to `to` - 1; -1 is the
 * root. */
static void list_crossings(struct walk *walk, const struct tcplan_loop *const loops[], int from,
                           int to, bool only_copies) {
    if (from < 0) list_siblings(walk, walk->place->nest->body, only_copies);
    for (int level = from < 0 ? 0 : from; level < to; level++)
        list_siblings(walk, loops[level]->body, only_copies);
}

void history_ahead(struct region_list *out, const struct history_place *place, int64_t calls) {
    assert(calls >= 0);
    if (calls == 0) return;
    const struct tcplan_loop *loops[MAX_LOOPS];
    const int depth = loops_around(place, loops);
    struct walk walk = {.out = out,
                        .place = place,
                        .ahead = true,
                        .capacity_bytes = INFINITY,
                        .page_capacity_bytes = INFINITY};
    for (int i = 0; i < place->nest->refinement->index_count; i++) walk.at[i] = place->at[i];
    /* chooses the innermost loop whose complete execution makes at least the required number of
     * calls */
    int level = depth - 1;
    int64_t calls_each = 1;
    while (level > 0 && calls_each * place->problem->extent[loops[level]->index] < calls) {
        calls_each *= place->problem->extent[loops[level]->index];
        level--;
    }
    if (level < 0 ||
        (level == 0 && calls_each * place->problem->extent[loops[0]->index] <= calls)) {
        const struct region_scope everything = scope_of(&walk, -1, 0, 0);
        list_joined(&walk, place->nest->body, &everything, 0);
        return;
    }
    for (int l = 0; l < level; l++) walk.fixed |= indexset_of(loops[l]->index);
    list_crossings(&walk, loops, -1, level,
                   true); /* the nodes of the loop itself are listed together with its iterations */
    const int index = loops[level]->index;
    for (int64_t left = calls / calls_each + 2; left > 0;) {
        const int64_t rest = place->problem->extent[index] - walk.at[index];
        assert(rest > 0);
        const int64_t count = left < rest ? left : rest;
        const struct region_scope scope = scope_of(&walk, index, walk.at[index], count);
        list_joined(&walk, loops[level]->body, &scope, 0);
        left -= count;
        if (left == 0) break;
        walk.at[index] = 0;
        list_crossings(&walk, loops, next_outer_iteration(place, loops, level, walk.at), level,
                       false);
    }
}
