/**
 * Finds the piece of a model that contains given sizes.
 *
 * The boxes that were halved form a binary tree, whose leaves are the pieces. A table shortens the
 * search: the cuts of the tree, level by level as far as there is room, divide each size into
 * intervals, and the domain into cells. A cell refers to the smallest box that contains it, which
 * is nearly always a piece. A lookup bisects the cuts of each size separately. The processor
 * overlaps these bisections, unlike the steps down a tree.
 */
#ifndef MODELS_TREE_H
#define MODELS_TREE_H

#include "tcplan/models.h"

/** A box that is halved in size number `size` at `at`. A half is a node's number, or -1 - p for
 * piece p. */
struct tcplan_model_node {
    int64_t at;
    int size;
    int half[2]; /**< the lower and the upper half */
};

struct tcplan_model_tree {
    struct tcplan_model_node *node; /**< nodes, one fewer than pieces; the first is the root */
    int64_t *cut;                   /**< cuts[i] cuts of each size i, in ascending order */
    int *cell; /**< the half of each cell; the intervals of the last size are adjacent */
    int cuts[TCPLAN_MODEL_SIZES];
};

/** Returns the bytes of a tree for `pieces` pieces, a multiple of sizeof(double). */
size_t tree_bytes(size_t pieces);

/** Makes a tree in `room`, memory of tree_bytes(pieces) bytes. It is empty if the memory is zeroed.
 */
struct tcplan_model_tree *tree_place(void *room, size_t pieces);

/** Copies a tree of `pieces` pieces. */
void tree_copy(struct tcplan_model_tree *tree, const struct tcplan_model_tree *from, size_t pieces);

/** Returns the number of cuts below a size. The bisection has no branches, because they would be
 * unpredictable. */
static inline size_t tree_count_below(const int64_t cut[], size_t count, int64_t size) {
    const int64_t *first = cut;
    for (size_t half; count > 1; count -= half) {
        half = count / 2;
        first += half & (0 - (size_t)(first[half - 1] < size));
    }
    return (size_t)(first - cut) + (count == 1 && *first < size);
}

/** Returns the number of the piece that contains the given sizes, which must be in the domain. */
static inline size_t tree_find(const struct tcplan_model *model, const int64_t size[]) {
    const struct tcplan_model_tree *tree = model->tree;
    const int64_t *cut = tree->cut;
    size_t cell = 0;
    for (int i = 0; i < model->domain.count; i++) {
        const size_t cuts = (size_t)tree->cuts[i];
        cell = cell * (cuts + 1) + tree_count_below(cut, cuts, size[i]);
        cut += cuts;
    }
    int at = tree->cell[cell];
    while (at >= 0) {
        const struct tcplan_model_node *node = &tree->node[at];
        at = node->half[size[node->size] > node->at];
    }
    return (size_t)(-1 - at);
}

#endif
