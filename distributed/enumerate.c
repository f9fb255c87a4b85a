/*
 * Enumerates the choices of up to three indices, and the ways to write the number of processes as
 * a product of one factor for each index. There are few such products: 65,536 can be written in
 * 105 ways with three factors.
 */
#include "base/indexset.h"

#include <assert.h>

#include "distributed/algorithm.h"

enum { MOST_AXES = 3 };

/** State of an enumeration; `algorithm` grows axis by axis. */
struct enumeration {
    const struct tcplan_problem *problem;
    uint64_t indices;
    const struct dist_grid *grid; /* the only grid to enumerate; NULL: all grids */
    bool all_orders;
    bool ignores_extents;
    int64_t panel;
    algorithm_fn *receive;
    void *context;
    bool any;
    struct algorithm algorithm;
};

/** Passes the algorithm to the callback; when panels are enumerated, once for each contracted index
 * that is longer than a panel. Returns false if the callback ended the enumeration. */
static bool pass(struct enumeration *e) {
    assert(!e->grid || e->algorithm.grid.axes == e->grid->axes);
    e->any = true;
    if (e->panel == 0) return e->receive(e->context, &e->algorithm);
    const uint64_t contracted =
        e->indices & tcplan_contraction_indices(e->problem->contraction, TCPLAN_CONTRACTED);
    bool goes_on = true;
    for (uint64_t rest = contracted; rest && goes_on; rest &= rest - 1) {
        e->algorithm.panel_index = indexset_first(rest);
        e->algorithm.panel = e->panel;
        goes_on = e->problem->extent[e->algorithm.panel_index] <= e->panel ||
                  e->receive(e->context, &e->algorithm);
    }
    return goes_on;
}

/** Adds axes in all ways for which the product of their sizes is `processes`, and passes on each
 * complete algorithm. Returns false if the callback ended the enumeration. */
static bool extend(struct enumeration *e, int processes);

/** Adds an axis of `size` that splits each possible index in turn, and adds the remaining axes. */
static bool add_axes(struct enumeration *e, int processes, int size) {
    struct algorithm *algorithm = &e->algorithm;
    const int axis = algorithm->grid.axes;
    /* This also holds for a prescribed grid, because the product of its sizes is the number of
     * processes. */
    assert(axis < DIST_AXES && processes % size == 0);
    const bool any_order = e->all_orders || e->grid;
    const int from = axis > 0 && !any_order ? algorithm->index[axis - 1] + 1 : 0;
    bool goes_on = true;
    for (int i = from; i < e->problem->contraction->index_count && goes_on; i++) {
        bool used = !indexset_has(e->indices, i);
        for (int k = 0; k < axis; k++) used = used || algorithm->index[k] == i;
        if (used || (!e->ignores_extents && e->problem->extent[i] < size)) continue;
        algorithm->grid.size[axis] = size;
        algorithm->index[axis] = (uint8_t)i;
        algorithm->grid.axes = axis + 1;
        goes_on = extend(e, processes / size);
        algorithm->grid.axes = axis;
    }
    return goes_on;
}

static bool extend(struct enumeration *e, int processes) {
    const int axis = e->algorithm.grid.axes;
    if (e->grid && axis < e->grid->axes) return add_axes(e, processes, e->grid->size[axis]);
    if (processes == 1) return pass(e);
    if (axis == MOST_AXES || e->grid) return true;
    bool goes_on = true;
    for (int size = 2; size <= processes && goes_on; size++) {
        const bool is_last = axis == MOST_AXES - 1;
        if (is_last) size = processes;
        if (processes % size == 0) goes_on = add_axes(e, processes, size);
    }
    return goes_on;
}

bool algorithm_enumerate(const struct tcplan_problem *problem, int processes,
                         const struct dist_grid *grid, bool all_orders, algorithm_fn *receive,
                         void *context) {
    struct enumeration e = {.problem = problem,
                            .indices = algorithm_indices(problem->contraction),
                            .grid = grid,
                            .all_orders = all_orders,
                            .receive = receive,
                            .context = context};
    static const int64_t panels[] = {0, 256, 64};
    bool goes_on = true;
    for (size_t p = 0; p < sizeof panels / sizeof *panels && goes_on; p++) {
        e.panel = panels[p];
        e.algorithm = (struct algorithm){.panel_index = -1};
        goes_on = extend(&e, processes);
        if (p == 0 && !e.any && goes_on) {
            e.ignores_extents = true;
            goes_on = extend(&e, processes);
        }
    }
    return goes_on;
}
