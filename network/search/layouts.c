#include "network/search/layouts.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "network/sharing.h"

enum { LAYOUTS = 16, KEYS = 6, TIES = 3 };

/* Traffic of a copy, in passes over the tensor: more than two, because either the reads or the
 * writes have large strides. */
#define COPY_PASSES 4

/** The indices of a tensor, the fastest first. */
struct view {
    int rank;
    uint16_t dims[TCPLAN_MAX_RANK];
};

static struct view view_of(const struct tcplan_tree *tree, int rank, const uint16_t *dims) {
    struct view view = {.rank = rank};
    const bool first = tree->network->order == TCPLAN_COLUMN_MAJOR;
    for (int d = 0; d < rank; d++) view.dims[d] = dims[first ? d : rank - 1 - d];
    return view;
}

static struct view view_of_tensor(const struct tcplan_tree *tree, int tensor) {
    uint16_t dims[TCPLAN_MAX_RANK];
    const int rank = tcplan_tree_tensor(dims, tree, tensor);
    return view_of(tree, rank, dims);
}

static int place_in(const struct view *view, int index) {
    int place = 0;
    while (place < view->rank && view->dims[place] != index) place++;
    return place;
}

static bool has(const struct view *view, int index) {
    return place_in(view, index) < view->rank;
}

/* Tensors of a step: left operand, right operand, result. */

enum { LEFT, RIGHT, MADE };

/** Sets of tensors that share an index, as bits 1 << LEFT and so on, and the role of an index in
 * such a set. */
enum {
    GROUP_M = 1 << LEFT | 1 << MADE,
    GROUP_N = 1 << RIGHT | 1 << MADE,
    GROUP_K = 1 << LEFT | 1 << RIGHT,
    GROUP_BATCH = 7
};

/** A step: its tensors and, for each of their dimensions, the set of tensors that have its index.
 */
struct product {
    const struct tcplan_tree *tree;
    const struct speeds *speeds;
    struct view view[3];
    uint8_t where[3][TCPLAN_MAX_RANK];
    double elements[3];
    unsigned must_copy; /* tensors that must be copied, because they have a diagonal or an index
                           that no other tensor has */
};

static void product_init(struct product *product) {
    for (int t = 0; t < 3; t++) {
        const struct view *view = &product->view[t];
        product->elements[t] = 1;
        for (int d = 0; d < view->rank; d++) {
            unsigned where = 0;
            for (int u = 0; u < 3; u++)
                where |= has(&product->view[u], view->dims[d]) ? 1U << u : 0;
            product->where[t][d] = (uint8_t)where;
            product->elements[t] *= (double)product->tree->extent[view->dims[d]];
            if ((where & (where - 1)) == 0 || place_in(view, view->dims[d]) < d)
                product->must_copy |= 1U << t;
        }
    }
}

static double extent_at(const struct product *product, int t, int d) {
    return (double)product->tree->extent[product->view[t].dims[d]];
}

/** Returns how many consecutive dimensions of tensor `t`, from `d` on, have indices of a group that
 * are also consecutive in the other tensors of the group. Copied tensors always satisfy this. */
static int run_at(const struct product *product, int t, int d, unsigned group, unsigned copied) {
    int length = 1;
    for (; d + length < product->view[t].rank && product->where[t][d + length] == group; length++) {
        for (int u = 0; u < 3; u++) {
            if (u == t || !(group >> u & 1) || (copied >> u & 1)) continue;
            const int before = place_in(&product->view[u], product->view[t].dims[d + length - 1]);
            if (before + 1 >= product->view[u].rank ||
                product->view[u].dims[before + 1] != product->view[t].dims[d + length])
                return length;
        }
    }
    return length;
}

static double run_elements(const struct product *product, int t, int d, int length) {
    double elements = 1;
    for (int i = 0; i < length; i++) elements *= extent_at(product, t, d + i);
    return elements;
}

/** Returns the product of the extents of a group's indices that a kernel can treat as one index:
 * the run that begins with index `first`, or the longest run if `first` is -1. */
static double group_elements(const struct product *product, unsigned group, unsigned copied,
                             int first) {
    int t = 0;
    while (t < 3 && (!(group >> t & 1) || (copied >> t & 1))) t++;
    if (t == 3) { /* If all tensors of the group are copied, the copies have the group's indices
                     next to each other. */
        const int any = group & 1 << LEFT ? LEFT : RIGHT;
        double all = 1;
        for (int d = 0; d < product->view[any].rank; d++)
            all *= product->where[any][d] == group ? extent_at(product, any, d) : 1;
        return all;
    }
    double most = 1;
    for (int d = 0; d < product->view[t].rank; d++) {
        if (product->where[t][d] != group || (first >= 0 && product->view[t].dims[d] != first))
            continue;
        most = fmax(most, run_elements(product, t, d, run_at(product, t, d, group, copied)));
    }
    return most;
}

/** Returns the seconds of a step with a matrix kernel if a set of tensors is copied; INFINITY if no
 * kernel can have these layouts. */
static double seconds_with(const struct product *product, unsigned copied) {
    int first[GROUP_BATCH + 1];
    for (int g = 0; g <= GROUP_BATCH; g++) first[g] = -1;
    for (int t = 0; t < 3; t++) {
        const unsigned group = product->where[t][0];
        if ((copied >> t & 1) || product->view[t].rank == 0) continue;
        if (group == GROUP_BATCH || (first[group] >= 0 && first[group] != product->view[t].dims[0]))
            return INFINITY;
        first[group] = product->view[t].dims[0];
    }
    const double m = group_elements(product, GROUP_M, copied, first[GROUP_M]),
                 n = group_elements(product, GROUP_N, copied, first[GROUP_N]),
                 k = group_elements(product, GROUP_K, copied, first[GROUP_K]);
    double all = 1;
    for (int t = LEFT; t <= RIGHT; t++) {
        for (int d = 0; d < product->view[t].rank; d++) {
            const unsigned where = product->where[t][d];
            const bool counts = (where & (where - 1)) != 0 &&
                                place_in(&product->view[t], product->view[t].dims[d]) == d;
            if (counts && (t == LEFT || !(where & 1 << LEFT))) all *= extent_at(product, t, d);
        }
    }
    const double bytes = (double)tcplan_dtype_bytes(product->tree->dtype);
    const double together =
        bytes * (product->elements[LEFT] + product->elements[RIGHT] + product->elements[MADE]);
    double seconds = speeds_product(product->speeds, all / (m * n * k), m, n, k) +
                     speeds_moving(product->speeds, together, together);
    for (int t = 0; t < 3; t++) {
        if (copied >> t & 1)
            seconds += speeds_moving(product->speeds, COPY_PASSES * bytes * product->elements[t],
                                     together);
    }
    return seconds;
}

/** Returns the seconds of an elementwise step; INFINITY unless all tensors have the same batch
 * index first. */
static double seconds_elementwise(const struct product *product) {
    for (int t = 0; t < 3; t++) {
        if (product->view[t].rank == 0 || product->where[t][0] != GROUP_BATCH ||
            product->view[t].dims[0] != product->view[LEFT].dims[0])
            return INFINITY;
    }
    const double length = run_elements(product, LEFT, 0, run_at(product, LEFT, 0, GROUP_BATCH, 0));
    double calls = product->elements[LEFT] / length;
    for (int d = 0; d < product->view[RIGHT].rank; d++)
        calls *= product->where[RIGHT][d] & 1 << LEFT ? 1 : extent_at(product, RIGHT, d);
    return speeds_elementwise(product->speeds, calls, length);
}

static double product_seconds(struct product *product) {
    product_init(product);
    double seconds = seconds_elementwise(product);
    for (unsigned copied = 0; copied < 8; copied++) {
        if ((copied & product->must_copy) == product->must_copy)
            seconds = fmin(seconds, seconds_with(product, copied));
    }
    return seconds;
}

double layouts_step_seconds(const struct tcplan_tree *tree, int step, const struct speeds *speeds) {
    struct product product = {.tree = tree, .speeds = speeds};
    product.view[LEFT] = view_of_tensor(tree, tree->step[step].left);
    product.view[RIGHT] = view_of_tensor(tree, tree->step[step].right);
    product.view[MADE] = view_of_tensor(tree, tree->network->operand_count + step);
    return product_seconds(&product);
}

/** A layout that an intermediate may have. */
struct layout {
    struct view view;
    double seconds;  /* seconds of this step and all steps below it, with the best layouts of their
                        tensors */
    uint8_t from[2]; /* numbers of the operands' layouts that reach `seconds` */
};

/** The layouts of a tensor to choose from. An operand, or a result with a prescribed layout, has
 * only one. */
struct layouts {
    int count;
    struct layout layout[LAYOUTS];
};

/** An index with its sorting keys. */
struct sorted {
    uint16_t index;
    int key;
    int tie;
};

static void sort(struct sorted *sorted, int count) {
    for (int i = 1; i < count; i++) {
        const struct sorted moved = sorted[i];
        int place = i;
        for (; place > 0; place--) {
            const struct sorted *before = &sorted[place - 1];
            if (before->key < moved.key || (before->key == moved.key && before->tie <= moved.tie))
                break;
            sorted[place] = *before;
        }
        sorted[place] = moved;
    }
}

static void add_layout(struct layouts *layouts, const struct view *view) {
    for (int l = 0; l < layouts->count; l++) {
        if (memcmp(layouts->layout[l].view.dims, view->dims,
                   (size_t)view->rank * sizeof *view->dims) == 0)
            return;
    }
    if (layouts->count < LAYOUTS)
        layouts->layout[layouts->count++] = (struct layout){.view = *view};
}

/** The tensors around an intermediate: both operands of the step that makes it, and the other
 * operand and the result of the step that reads it. */
struct around {
    struct view left, right, other, made;
    bool last_first; /* whether equal indices are ordered by descending number (row-major) */
};

/** Returns the key of an index by which an intermediate's indices are sorted, ascending. It depends
 * on which operand has the index, and on the role of the index in the reading step. */
static int key_of(const struct around *around, int index, int by) {
    const int from_right = !has(&around->left, index);
    const bool kept = has(&around->made, index), shared = has(&around->other, index);
    /* 0: the reading step sums over the index; 1: the reading step's other operand lacks it;
     * 2: batch index */
    const int need = shared && !kept ? 0 : !shared ? 1 : 2;
    const int need_late = need == 2 ? 2 : 1 - need;
    switch (by) {
    case 0: return need;
    case 1: return need_late;
    case 2: return from_right;
    case 3: return 1 - from_right;
    case 4: return 4 * from_right + need;
    default: return 4 * (1 - from_right) + need;
    }
}

/** Returns the rank of an index among indices with equal keys: by the operands of the step, by the
 * other operand of the reading step, or by number. */
static int tie_of(const struct around *around, int index, int by) {
    const int number =
        TCPLAN_MAX_RANK + (around->last_first ? TCPLAN_NETWORK_INDICES - index : index);
    if (by == 0)
        return has(&around->left, index) ? place_in(&around->left, index)
                                         : place_in(&around->right, index);
    return by == 1 && has(&around->other, index) ? place_in(&around->other, index) : number;
}

static void find_layouts(struct layouts *out, const struct tcplan_tree *tree, int s, int reader) {
    const struct tcplan_tree_step *step = &tree->step[s], *next = &tree->step[reader];
    const int operands = tree->network->operand_count,
              other = next->left == operands + s ? next->right : next->left;
    const struct around around = {.left = view_of_tensor(tree, step->left),
                                  .right = view_of_tensor(tree, step->right),
                                  .other = view_of_tensor(tree, other),
                                  .made = view_of_tensor(tree, operands + reader),
                                  .last_first = tree->network->order == TCPLAN_ROW_MAJOR};
    struct sorted sorted[TCPLAN_MAX_RANK];
    out->count = 0;
    for (int tie = 0; tie < TIES; tie++) {
        for (int key = 0; key < KEYS; key++) {
            struct view view = {.rank = step->rank};
            for (int d = 0; d < step->rank; d++) {
                const int index = step->dims[d];
                sorted[d] = (struct sorted){.index = (uint16_t)index,
                                            .key = key_of(&around, index, key),
                                            .tie = tie_of(&around, index, tie)};
            }
            sort(sorted, step->rank);
            for (int d = 0; d < step->rank; d++) view.dims[d] = sorted[d].index;
            add_layout(out, &view);
        }
    }
}

/** Finds the layouts of a result that may have any layout: the order in which it is written, and
 * the orders of a matrix product, with the indices of either factor first. */
static void find_result_layouts(struct layouts *out, const struct tcplan_tree *tree, int s) {
    const struct tcplan_tree_step *step = &tree->step[s];
    const struct view side[2] = {view_of_tensor(tree, step->left),
                                 view_of_tensor(tree, step->right)};
    const struct view written = view_of(tree, step->rank, step->dims);
    struct sorted sorted[TCPLAN_MAX_RANK];
    out->count = 0;
    add_layout(out, &written);
    for (int first = 0; first < 2; first++) {
        struct view view = {.rank = step->rank};
        for (int d = 0; d < step->rank; d++) {
            const int index = step->dims[d];
            const bool here = has(&side[first], index), there = has(&side[1 - first], index);
            sorted[d] = (struct sorted){.index = (uint16_t)index,
                                        .key = here && there ? 2 : there,
                                        .tie = place_in(&side[here ? first : 1 - first], index)};
        }
        sort(sorted, step->rank);
        for (int d = 0; d < step->rank; d++) view.dims[d] = sorted[d].index;
        add_layout(out, &view);
    }
}

/* Choosing. */

struct choice {
    struct tcplan_tree *tree;
    const struct speeds *speeds;
    struct layouts *of; /* possible layouts of each tensor */
};

static struct layouts *layouts_of(const struct choice *choice, int tensor) {
    return &choice->of[tensor == TCPLAN_TREE_ONE
                           ? choice->tree->network->operand_count + choice->tree->step_count
                           : tensor];
}

static void rate_step(const struct choice *choice, int s) {
    const struct tcplan_tree *tree = choice->tree;
    const struct tcplan_tree_step *step = &tree->step[s];
    const struct layouts *left = layouts_of(choice, step->left),
                         *right = layouts_of(choice, step->right);
    struct layouts *made = layouts_of(choice, tree->network->operand_count + s);
    struct product product = {.tree = tree, .speeds = choice->speeds};
    const double times = tcplan_tree_step_times(tree, s);
    for (int m = 0; m < made->count; m++) {
        struct layout *layout = &made->layout[m];
        layout->seconds = INFINITY;
        for (int l = 0; l < left->count; l++) {
            for (int r = 0; r < right->count; r++) {
                if (left->layout[l].seconds + right->layout[r].seconds >= layout->seconds) continue;
                product.view[LEFT] = left->layout[l].view;
                product.view[RIGHT] = right->layout[r].view;
                product.view[MADE] = layout->view;
                product.must_copy = 0;
                const double seconds = left->layout[l].seconds + right->layout[r].seconds +
                                       times * product_seconds(&product);
                if (!(seconds < layout->seconds)) continue;
                layout->seconds = seconds;
                layout->from[0] = (uint8_t)l;
                layout->from[1] = (uint8_t)r;
            }
        }
    }
}

/** Gives a tensor one of its layouts, and sets the layouts of the tensors below that belong to
 * it. */
static void take_layout(const struct choice *choice, int tensor, int number) {
    struct tcplan_tree *tree = choice->tree;
    const int operands = tree->network->operand_count;
    if (tensor < operands) return;
    struct tcplan_tree_step *step = &tree->step[tensor - operands];
    const struct layout *layout = &choice->of[tensor].layout[number];
    if (!step->last || tree->frees_result) {
        const struct view dims = view_of(tree, layout->view.rank, layout->view.dims);
        memcpy(step->dims, dims.dims, (size_t)dims.rank * sizeof *step->dims);
    }
    take_layout(choice, step->left, layout->from[0]);
    take_layout(choice, step->right, layout->from[1]);
}

/** Returns the number of the layout of a tensor that minimises the time of all steps up to it. */
static int best_layout(const struct choice *choice, int tensor) {
    const struct layouts *layouts = &choice->of[tensor];
    int best = 0;
    for (int l = 1; l < layouts->count; l++) {
        if (layouts->layout[l].seconds < layouts->layout[best].seconds) best = l;
    }
    return best;
}

/* Shared tensors. */

/** Returns the seconds of the step that makes a shared tensor and of all steps that read it. */
static double shared_seconds(const struct tcplan_tree *tree, int maker,
                             const struct speeds *speeds) {
    const int operands = tree->network->operand_count;
    double seconds = layouts_step_seconds(tree, maker, speeds);
    for (int s = 0; s < tree->step_count; s++) {
        const struct tcplan_tree_step *step = &tree->step[s];
        const bool reads = (step->left >= operands && sharing_maker(tree, step->left) == maker) ||
                           (step->right >= operands && sharing_maker(tree, step->right) == maker);
        if (reads && !step->idle)
            seconds += tcplan_tree_step_times(tree, s) * layouts_step_seconds(tree, s, speeds);
    }
    return seconds;
}

/** Gives a layout to a shared tensor and to the tensors that it replaces in other steps. */
static bool set_shared(struct tcplan_tree *tree, int maker, const uint16_t *dims) {
    bool set = true;
    memmove(tree->step[maker].dims, dims, (size_t)tree->step[maker].rank * sizeof *dims);
    for (int s = 0; s < tree->step_count; s++) {
        if (tree->step[s].same == maker) set = sharing_follow(tree, s) && set;
    }
    return set;
}

/** Finds the layout that another step would give its result, expressed in the indices of the step
 * that makes the shared tensor. */
static bool layout_of(uint16_t dims[TCPLAN_MAX_RANK], const struct tcplan_tree *tree, int maker,
                      int s) {
    uint16_t map[TCPLAN_NETWORK_INDICES];
    if (!sharing_map(map, tree, s, maker)) return false;
    for (int d = 0; d < tree->step[s].rank; d++) dims[d] = map[tree->step[s].dims[d]];
    return true;
}

/** Tries the layouts that the steps sharing a tensor would choose for themselves, and sets the
 * layout with the least total time. */
static bool choose_shared(struct tcplan_tree *tree, int maker, const struct speeds *speeds) {
    const size_t bytes = sizeof tree->step->dims;
    uint16_t(*dims)[TCPLAN_MAX_RANK] = base_alloc_zero((size_t)tree->step_count + 1, bytes);
    double least = INFINITY;
    int count = 1, best = 0;
    if (!dims) return false;
    memcpy(dims[0], tree->step[maker].dims, bytes);
    bool chosen = true;
    for (int s = 0; s < tree->step_count && chosen; s++) {
        if (tree->step[s].same == maker) chosen = layout_of(dims[count++], tree, maker, s);
    }
    for (int l = 0; l < count && chosen; l++) {
        bool again = false;
        for (int k = 0; k < l; k++) again = again || memcmp(dims[k], dims[l], bytes) == 0;
        if (again) continue;
        chosen = set_shared(tree, maker, dims[l]);
        const double seconds = shared_seconds(tree, maker, speeds);
        if (!(seconds < least)) continue;
        least = seconds;
        best = l;
    }
    if (chosen) chosen = set_shared(tree, maker, dims[best]);
    base_free(dims);
    return chosen;
}

static bool choose_all_shared(struct tcplan_tree *tree, const struct speeds *speeds,
                              struct deadline deadline) {
    bool chosen = true;
    for (int s = 0; s < tree->step_count && chosen && !deadline_is_over(deadline); s++) {
        bool is_shared = false;
        for (int t = 0; t < tree->step_count; t++) is_shared = is_shared || tree->step[t].same == s;
        if (is_shared) chosen = choose_shared(tree, s, speeds);
    }
    return chosen;
}

bool layouts_choose(struct tcplan_tree *tree, const struct speeds *speeds,
                    struct deadline deadline) {
    const int operands = tree->network->operand_count, steps = tree->step_count;
    struct choice choice = {.tree = tree, .speeds = speeds};
    int *reader = base_alloc((size_t)steps * sizeof *reader);
    choice.of = base_alloc_zero((size_t)operands + (size_t)steps + 1, sizeof *choice.of);
    const bool has_memory = reader && choice.of;
    for (int s = 0; has_memory && s < steps; s++) {
        reader[s] = -1;
        if (tree->step[s].left >= operands) reader[tree->step[s].left - operands] = s;
        if (tree->step[s].right >= operands) reader[tree->step[s].right - operands] = s;
    }
    for (int t = 0; has_memory && t <= operands + steps; t++) {
        struct layouts *layouts = &choice.of[t];
        if (t < operands + steps && t >= operands && reader[t - operands] >= 0) {
            find_layouts(layouts, tree, t - operands, reader[t - operands]);
        } else if (t < operands + steps && t >= operands && tree->frees_result) {
            find_result_layouts(layouts, tree, t - operands);
        } else {
            layouts->count = 1;
            layouts->layout[0] = (struct layout){
                .view = view_of_tensor(tree, t == operands + steps ? TCPLAN_TREE_ONE : t)};
        }
    }
    for (int s = 0; has_memory && s < steps && !deadline_is_cancelled(deadline); s++)
        rate_step(&choice, s);
    for (int s = 0; has_memory && s < steps && !deadline_is_cancelled(deadline); s++) {
        if (tree->step[s].last)
            take_layout(&choice, operands + s, best_layout(&choice, operands + s));
    }
    base_free(reader);
    base_free(choice.of);
    return has_memory && choose_all_shared(tree, speeds, deadline);
}
