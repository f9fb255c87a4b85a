#include "cachesim/collection.h"

#include "ast/problem/slice.h"
#include "base/checked.h"
#include "base/indexset.h"

bool node_touches_operand(const struct tcplan_node *node, struct tcplan_slice slice) {
    if (node->kind == TCPLAN_NODE_LOOP) {
        for (const struct tcplan_node *child = node->loop.body; child; child = child->next) {
            if (node_touches_operand(child, slice)) return true;
        }
        return false;
    }
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    for (int t = node_touches(node, touch) - 1; t >= 0; t--) {
        if (touch[t].operand == slice.operand && touch[t].temporary == slice.temporary) return true;
    }
    return false;
}

void collection_add_slice(struct collection *collection, struct tcplan_slice slice) {
    const int slot = (int)slice.operand + (slice.temporary ? TCPLAN_TENSORS : 0);
    collection->has[slot] = true;
    collection->span[slot] |= slice.span;
}

/** Adds the data that a node touches to a collection: the union over all iterations of the loops
 * over `joined` and of the loops inside the node. */
static void add_joined(struct collection *collection, const struct tcplan_refinement *refinement,
                       const struct tcplan_node *node, uint64_t joined) {
    if (node->kind == TCPLAN_NODE_LOOP) {
        joined |= indexset_of(node->loop.index);
        for (const struct tcplan_node *child = node->loop.body; child; child = child->next)
            add_joined(collection, refinement, child, joined);
        return;
    }
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    const int count = node_touches(node, touch);
    for (int t = 0; t < count; t++) {
        /* a temporary has the same memory in every iteration, except in iterations of loops
         * inside its copy */
        touch[t].span |= joined & slice_indices(refinement, touch[t]);
        collection_add_slice(collection, touch[t]);
    }
}

void collection_add_node(struct collection *collection, const struct tcplan_refinement *refinement,
                         const struct tcplan_node *node) {
    add_joined(collection, refinement, node, 0);
}

struct tcplan_slice collection_slice(const struct collection *collection, int slot) {
    return (struct tcplan_slice){.operand = (enum tcplan_operand)(slot % TCPLAN_TENSORS),
                                 .temporary = slot >= TCPLAN_TENSORS,
                                 .span = collection->span[slot]};
}

bool collection_elems(const struct collection *collection, const struct refined_problem *problem,
                      int64_t *out) {
    *out = 0;
    for (int slot = 0; slot < COLLECTION_SLOTS; slot++) {
        if (!collection->has[slot]) continue;
        if (!checked_add_i64(*out, slice_elems(problem, collection_slice(collection, slot)), out))
            return false;
    }
    return true;
}
