#include "cachesim/distance.h"

#include "ast/problem/slice.h"
#include "base/indexset.h"

/** The path from the root to the kernel: node[d] is in body[d], the body inside d loops; the last
 * node is the kernel. */
struct path {
    int depth;
    const struct tcplan_node *body[TCPLAN_MAX_INDICES + 1];
    const struct tcplan_node *node[TCPLAN_MAX_INDICES + 1];
};

static bool holds_kernel(const struct tcplan_node *node) {
    if (node->kind != TCPLAN_NODE_LOOP) return node->kind == TCPLAN_NODE_KERNEL;
    for (const struct tcplan_node *child = node->loop.body; child; child = child->next) {
        if (holds_kernel(child)) return true;
    }
    return false;
}

static struct path path_to_kernel(const struct tcplan_nest *nest) {
    struct path path = {0};
    const struct tcplan_node *node;
    for (const struct tcplan_node *body = nest->body;; body = node->loop.body) {
        node = body;
        while (!holds_kernel(node)) node = node->next;
        path.body[path.depth] = body;
        path.node[path.depth] = node;
        if (node->kind == TCPLAN_NODE_KERNEL) return path;
        path.depth++;
    }
}

struct walk {
    const struct distance_call *call;
    struct path path;
    struct tcplan_slice operand;
    struct distance found;
};

static const struct tcplan_refinement *refinement_of_walk(const struct walk *walk) {
    return walk->call->nest->refinement;
}

/** Visits a node during the backward walk. Collects the node unless it is a copy, scaling or kernel
 * that touches the operand, at which the walk ends. Returns whether it touches the operand. */
static bool meet(struct walk *walk, const struct tcplan_node *node) {
    const bool touches = node_touches_operand(node, walk->operand);
    if (!touches || node->kind == TCPLAN_NODE_LOOP)
        collection_add_node(&walk->found.collected, refinement_of_walk(walk), node);
    if (touches) walk->found.node = node;
    return touches;
}

/** Visits the nodes from `from` up to but not including `until`, last first, until one touches the
 * operand. Returns whether one did. */
static bool meet_back(struct walk *walk, const struct tcplan_node *from,
                      const struct tcplan_node *until) {
    if (from == until) return false;
    return meet_back(walk, from->next, until) || meet(walk, from);
}

/** Walks through the previous iteration or execution of the same body: the nodes after the path's
 * node, then that node itself, which touches the operand. */
static void meet_previous(struct walk *walk, int depth) {
    const struct tcplan_node *node = walk->path.node[depth];
    if (!meet_back(walk, node->next, NULL)) meet(walk, node);
}

static bool varies(const struct walk *walk, int index) {
    /* a temporary has the same memory in every iteration, except in iterations of loops inside
     * its copy */
    return indexset_has(
        slice_moving_indices(refinement_of_walk(walk), walk->operand) & ~walk->operand.span, index);
}

static bool has_previous_iteration(const struct distance_call *call, const struct tcplan_loop *loop,
                                   int position) {
    return position < call->first && call->problem->extent[loop->index] > 1;
}

/** Visits the loop around body[depth]. Returns whether the walk ends there. */
static bool meet_loop(struct walk *walk, int depth) {
    const struct tcplan_node *loop = walk->path.node[depth - 1];
    if (!has_previous_iteration(walk->call, &loop->loop, depth - 1)) return false;
    if (varies(walk, loop->loop.index)) {
        collection_add_node(&walk->found.collected, refinement_of_walk(walk), loop);
        return false;
    }
    meet_previous(walk, depth);
    walk->found.loop = depth - 1;
    return true;
}

static enum distance_end scan_backward(struct walk *walk) {
    for (int depth = walk->path.depth; depth >= 0; depth--) {
        if (meet_back(walk, walk->path.body[depth], walk->path.node[depth]))
            return DISTANCE_SIBLING;
        if (depth > 0 && meet_loop(walk, depth)) return DISTANCE_ITERATION;
    }
    if (!walk->call->warm) return DISTANCE_NEVER;
    meet_previous(walk, 0);
    return DISTANCE_EXECUTION;
}

struct distance distance_of_access(const struct distance_call *call, enum tcplan_operand operand) {
    struct walk walk = {.call = call, .path = path_to_kernel(call->nest), .found = {.loop = -1}};
    walk.operand = walk.path.node[walk.path.depth]->kernel.slice[operand];
    walk.found.end = scan_backward(&walk);
    return walk.found;
}

struct distance distance_of_prefetch(const struct distance_call *call) {
    const struct path path = path_to_kernel(call->nest);
    const struct tcplan_node *kernel = path.node[path.depth];
    struct distance found = {.end = DISTANCE_ITERATION, .loop = path.depth - 1, .node = kernel};
    for (const struct tcplan_node *node = path.body[path.depth]; node; node = node->next) {
        if (node != kernel) collection_add_node(&found.collected, call->nest->refinement, node);
    }
    return found;
}
