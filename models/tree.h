/**
 * Which piece of a model has some sizes.
 *
 * The boxes that were halved are a tree, whose leaves are the pieces. In front of it stands a
 * table: the cuts of the tree, level by level, as many as there is room for, divide each size into
 * intervals, and the domain into cells. A cell has the smallest box that holds all of it, which is
 * a piece nearly always. So sizes are bisected each by itself, without waiting for each other as on
 * a way down the tree.
 */
#ifndef MODELS_TREE_H
#define MODELS_TREE_H

#include "tcplan/models.h"

/** A box that is halved. A half is a node's number, from 0 on, or -1 - that of a piece. */
struct tcplan_model_node {
    int64_t at;
    int size;
    int half[2]; /**< the lower and the upper */
};

struct tcplan_model_tree {
    struct tcplan_model_node *node; /**< as many as there are pieces, but one; the first is the root
                                     */
    int64_t *cut; /**< of the first size, rising, then of the next; `cuts` of each */
    int *cell; /**< by intervals, those of the last size side by side: a node, or -1 - a piece, as a
                  half */
    int cuts[TCPLAN_MODEL_SIZES];
};

/** Returns the size of the tree of so many pieces: a multiple of the size of a double. */
size_t tree_bytes(size_t pieces);

/** An empty tree in memory of that size, which is zero. */
struct tcplan_model_tree *tree_place(void *room, size_t pieces);

/** Makes a tree the same as that of another model of as many pieces. */
void tree_copy(struct tcplan_model_tree *tree, const struct tcplan_model_tree *from, size_t pieces);

/** Returns the number of cuts below a size, by branch-free bisection, since branches would be
 * unpredictable. */
static inline size_t tree_count_below(const int64_t cut[], size_t count, int64_t size) {
    const int64_t *first = cut;
    for (size_t half; count > 1; count -= half) {
        half = count / 2;
        first += half & (0 - (size_t)(first[half - 1] < size));
    }
    return (size_t)(first - cut) + (count == 1 && *first < size);
}

/** The piece of sizes within the domain. */
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
