#include "models/tree.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "models/grid.h"
#include "models/model.h"

/* DEPTH: a box can be halved at most 31 times in each size. CELLS: maximum number of cells in the
 * table for each piece. */
_Static_assert(TCPLAN_MODEL_LARGEST >> 31 <= 1, "a size can be halved at most 31 times");
enum { DEPTH = 31 * TCPLAN_MODEL_SIZES, CELLS = 8 };

/* Memory: the tree, its nodes, its cuts and its cells follow each other in one block. */

size_t tree_bytes(size_t pieces) {
    return sizeof(struct tcplan_model_tree) +
           pieces * (sizeof(struct tcplan_model_node) + sizeof(int64_t) + CELLS * sizeof(int));
}

struct tcplan_model_tree *tree_place(void *room, size_t pieces) {
    struct tcplan_model_tree *tree = room;
    tree->node = (struct tcplan_model_node *)(void *)(tree + 1);
    tree->cut = (int64_t *)(void *)(tree->node + pieces);
    tree->cell = (int *)(void *)(tree->cut + pieces);
    return tree;
}

void tree_copy(struct tcplan_model_tree *tree, const struct tcplan_model_tree *from,
               size_t pieces) {
    memcpy(tree, from, tree_bytes(pieces));
    tree_place(tree, pieces);
}

/* The nodes. */

/** A tree that is being built. */
struct growth {
    struct tcplan_model *model;
    int64_t (*lowest)[TCPLAN_MODEL_SIZES]; /* lowest[p][i]: the smallest lower end in size i of
                                              piece p and the following pieces of the range */
    int nodes;
    struct tcplan_error *error;
};

static bool is_same_box(const struct tcplan_model_domain *a, const struct tcplan_model_domain *b) {
    for (int i = 0; i < a->count; i++) {
        if (a->low[i] != b->low[i] || a->high[i] != b->high[i]) return false;
    }
    return true;
}

/** Fills `lowest` for the pieces from `first` up to but not including `last`. */
static void find_lowest(struct growth *growth, size_t first, size_t last) {
    const struct tcplan_model_piece *piece = growth->model->piece;
    for (size_t p = last; p-- > first;) {
        for (int i = 0; i < growth->model->domain.count; i++) {
            const int64_t low = piece[p].domain.low[i];
            growth->lowest[p][i] =
                p + 1 < last && growth->lowest[p + 1][i] < low ? growth->lowest[p + 1][i] : low;
        }
    }
}

/** Halves a box by the rule of grid_halve(). Returns the number of the first piece in the upper
 * half, or `first` if a piece would extend into both halves. */
static size_t halved_by_rule(const struct growth *growth, size_t first, size_t last,
                             const struct tcplan_model_domain *box, int *size, int64_t *at) {
    const struct tcplan_model_piece *piece = growth->model->piece;
    size_t place = first;
    if (!grid_halve(size, at, box, growth->model->config.multiple)) return first;
    while (place < last && piece[place].domain.high[*size] <= *at) place++;
    return place > first && place < last && growth->lowest[place][*size] >= *at ? place : first;
}

/** Finds the cut between two pieces that divides the pieces most evenly. Returns the number of the
 * first piece above the cut, or `first` if each cut would divide a piece. */
static size_t divided_anyhow(const struct growth *growth, size_t first, size_t last, int *size,
                             int64_t *at) {
    const struct tcplan_model_piece *piece = growth->model->piece;
    size_t best = first, evenness = 0;
    int64_t highest[TCPLAN_MODEL_SIZES] = {0};
    for (size_t p = first + 1; p < last; p++) {
        const size_t even = p - first < last - p ? p - first : last - p;
        for (int i = 0; i < growth->model->domain.count; i++) {
            if (piece[p - 1].domain.high[i] > highest[i]) highest[i] = piece[p - 1].domain.high[i];
            if (even <= evenness || highest[i] > growth->lowest[p][i]) continue;
            best = p;
            evenness = even;
            *size = i;
            *at = highest[i];
        }
    }
    return best;
}

static enum tcplan_status refuse_pieces(const struct growth *growth, size_t place) {
    return error_set(growth->error, TCPLAN_INVALID,
                     "the pieces do not tile the domain: piece %zu overlaps others or leaves a gap",
                     place + 1);
}

/** Builds the tree of the pieces from `first` up to but not including `last`, which fill the box.
 * `out` receives its root as a half: a node's number, or -1 - p for piece p. */
static enum tcplan_status grow(struct growth *growth, int *out, size_t first, size_t last,
                               const struct tcplan_model_domain *box, int depth) {
    assert(first < last && last <= growth->model->piece_count);
    if (last - first == 1) {
        *out = -1 - (int)first;
        return is_same_box(&growth->model->piece[first].domain, box) ? TCPLAN_OK
                                                                     : refuse_pieces(growth, first);
    }
    int size = 0;
    int64_t at = 0;
    find_lowest(growth, first, last);
    size_t place = halved_by_rule(growth, first, last, box, &size, &at);
    if (place == first) place = divided_anyhow(growth, first, last, &size, &at);
    if (place == first || at <= box->low[size] || at >= box->high[size] || depth == DEPTH)
        return refuse_pieces(growth, first);
    struct tcplan_model_domain lower = *box, upper = *box;
    const int node = growth->nodes++;
    assert((size_t)node < growth->model->piece_count); /* a tree has fewer nodes than pieces */
    *out = node;
    lower.high[size] = at;
    upper.low[size] = at;
    growth->model->tree->node[node] = (struct tcplan_model_node){.at = at, .size = size};
    enum tcplan_status status =
        grow(growth, &growth->model->tree->node[node].half[0], first, place, &lower, depth + 1);
    if (status == TCPLAN_OK)
        status =
            grow(growth, &growth->model->tree->node[node].half[1], place, last, &upper, depth + 1);
    return status;
}

/* The table. */

/** A box of cells: in each size the intervals from `begin` up to but not including `end`. */
struct cells {
    size_t begin[TCPLAN_MODEL_SIZES];
    size_t end[TCPLAN_MODEL_SIZES];
};

/** Returns the number of cuts of all sizes before `size`: the position in `cut` of the first cut of
 * that size. */
static size_t first_cut(const struct tcplan_model_tree *tree, int size) {
    assert(size >= 0 && size <= TCPLAN_MODEL_SIZES);
    size_t first = 0;
    for (int i = 0; i < size; i++) first += (size_t)tree->cuts[i];
    return first;
}

/** Returns whether a node's cut is in the table; `below` receives the number of smaller cuts of its
 * size. */
static bool has_cut(const struct tcplan_model_tree *tree, const struct tcplan_model_node *node,
                    size_t *below) {
    const int64_t *cut = tree->cut + first_cut(tree, node->size);
    const size_t cuts = (size_t)tree->cuts[node->size];
    *below = tree_count_below(cut, cuts, node->at);
    return *below < cuts && cut[*below] == node->at;
}

static size_t all_cells(const struct tcplan_model_tree *tree, int sizes, int size_more) {
    size_t cells = 1;
    for (int i = 0; i < sizes; i++) cells *= (size_t)tree->cuts[i] + 1 + (i == size_more);
    return cells;
}

/** Adds a node's cut if the table has room for the resulting cells. */
static void add_cut(const struct tcplan_model *model, const struct tcplan_model_node *node) {
    struct tcplan_model_tree *tree = model->tree;
    size_t below;
    if (has_cut(tree, node, &below)) return;
    if (all_cells(tree, model->domain.count, node->size) > CELLS * model->piece_count) return;
    const size_t all = first_cut(tree, TCPLAN_MODEL_SIZES),
                 place = first_cut(tree, node->size) + below;
    memmove(tree->cut + place + 1, tree->cut + place, (all - place) * sizeof *tree->cut);
    tree->cut[place] = node->at;
    tree->cuts[node->size]++;
}

/** Adds the cuts of the nodes that are `level` levels below a half; returns false if there are
 * none. */
static bool add_level(const struct tcplan_model *model, int half, int level) {
    if (half < 0) return false;
    const struct tcplan_model_node *node = &model->tree->node[half];
    if (level == 0) {
        add_cut(model, node);
        return true;
    }
    const bool lower = add_level(model, node->half[0], level - 1),
               upper = add_level(model, node->half[1], level - 1);
    return lower || upper;
}

/** Sets the cells of a box to `half`. `place` combines the intervals chosen in the sizes before
 * `size`. */
static void set_cells(struct tcplan_model_tree *tree, const struct cells *cells, int sizes,
                      int size, size_t place, int half) {
    if (size == sizes ||
        size == TCPLAN_MODEL_SIZES) { /* the second condition is for gcc's check of array bounds */
        tree->cell[place] = half;
        return;
    }
    const size_t intervals = (size_t)tree->cuts[size] + 1;
    for (size_t i = cells->begin[size]; i < cells->end[size]; i++)
        set_cells(tree, cells, sizes, size + 1, place * intervals + i, half);
}

/** Sets the cells of a half's box to the half. If the table has the cut of the half's node, the two
 * halves of the node divide the cells instead. */
static void share_cells(const struct tcplan_model *model, const struct cells *cells, int half) {
    const struct tcplan_model_node *node = half >= 0 ? &model->tree->node[half] : NULL;
    size_t below;
    if (!node || !has_cut(model->tree, node, &below)) {
        set_cells(model->tree, cells, model->domain.count, 0, 0, half);
        return;
    }
    struct cells lower = *cells, upper = *cells;
    lower.end[node->size] = upper.begin[node->size] = below + 1;
    share_cells(model, &lower, node->half[0]);
    share_cells(model, &upper, node->half[1]);
}

static void make_table(const struct tcplan_model *model, int root) {
    struct cells all = {0};
    memset(model->tree->cuts, 0, sizeof model->tree->cuts);
    for (int level = 0; add_level(model, root, level);) level++;
    for (int i = 0; i < model->domain.count; i++) all.end[i] = (size_t)model->tree->cuts[i] + 1;
    share_cells(model, &all, root);
}

enum tcplan_status model_index(struct tcplan_model *model, struct tcplan_error *error) {
    struct growth growth = {.model = model, .error = error};
    int root = 0;
    growth.lowest = base_alloc(model->piece_count * sizeof *growth.lowest);
    if (!growth.lowest) return error_no_memory(error);
    const enum tcplan_status status =
        grow(&growth, &root, 0, model->piece_count, &model->domain, 0);
    base_free(growth.lowest);
    if (status == TCPLAN_OK) make_table(model, root);
    return status;
}
