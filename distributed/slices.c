/*
 * Each axis of a grid splits one index of the whole expression: every step that has the index
 * computes the rank's share of its values. A step without the index is computed by all ranks along
 * the axis. After the step that sums over the index, each rank has a partial sum of the result.
 * The later steps are linear in it, so they multiply the partial sums, and the last step adds them:
 * one reduction is the only communication, apart from gathering input tensors that lack an index.
 */
#include "distributed/slices.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/indexset.h"
#include "distributed/seconds.h"

enum { MOST_AXES = 3, MOST_INDICES = 4 };

static const char prefix[] = "slices:";

/** State of a choice. */
struct choosing {
    const struct steps_request *request;
    const struct step_problem *steps;
    struct algorithm *algorithm;       /* algorithms of the slices that are being planned */
    struct distribution *distribution; /* layouts of the tensors of their steps */
    struct dist_layout *left;          /* layout of the result of each step, by dimensions */
    int count;
    struct {
        struct slicing slicing;
        double cost;
    } best[STEPS_MOST_SLICES];
    struct slicing current;                  /* slices that are being enumerated */
    int candidates, candidate[MOST_INDICES]; /* indices that may be sliced */
    struct tcplan_error *error;
};

/* Names. */

bool slices_is_name(const char *name) {
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

void slices_add_name(struct strbuf *out, const struct slicing *slicing,
                     const struct tcplan_network *network) {
    strbuf_add(out, "%s", prefix);
    grid_add_text(out, &slicing->grid);
    for (int k = 0; k < slicing->grid.axes; k++)
        strbuf_add(out, "%s%s", k > 0 ? "," : ":", network->index[slicing->index[k]]);
}

static bool read_index(struct slicing *out, int axis, struct scan *scan,
                       const struct tcplan_network *network) {
    scan_peek(scan);
    const struct word name = scan_run(scan, scan_is_name);
    int index = 0;
    if (name.length == 0) return scan_expected(scan, "an index");
    while (index < network->index_count && !word_equal(name, word_of(network->index[index])))
        index++;
    if (index == network->index_count)
        return scan_refuse(scan, name, "the expression has no index %s", scan_excerpt(name).text);
    for (int k = 0; k < axis; k++) {
        if (out->index[k] == index)
            return scan_refuse(scan, name, "index %s is sliced twice", scan_excerpt(name).text);
    }
    out->index[axis] = index;
    return true;
}

static enum tcplan_status read_name(struct slicing *out, const char *name,
                                    const struct steps_request *request,
                                    struct tcplan_error *error) {
    struct scan scan;
    if (!scan_init(&scan, name, error)) return scan.status;
    scan.at += sizeof prefix - 1;
    if (!grid_scan(&out->grid, &scan)) return scan.status;
    const int processes = dist_grid_processes(&out->grid);
    if (processes != request->options->processes)
        return error_at(error, TCPLAN_INVALID, 0, strlen(name),
                        "the slices are for %d processes, not for %d", processes,
                        request->options->processes);
    if (out->grid.axes > 0 && !scan_accept(&scan, ":"))
        scan_expected(&scan, "':' and the index that each axis splits");
    for (int k = 0; k < out->grid.axes && scan.status == TCPLAN_OK; k++) {
        if (k > 0 && !scan_accept(&scan, ",")) {
            scan_expected(&scan, "',' and an index for each axis");
        } else {
            read_index(out, k, &scan, request->tree->network);
        }
    }
    if (scan.status == TCPLAN_OK && scan_peek(&scan) != '\0')
        scan_expected(&scan, "the end of the name");
    return scan.status;
}

/* Plans. */

/** Returns the number that a step has for an index of the expression; -1 if the step lacks it. */
static int index_in(const struct step_problem *step, const struct tcplan_network *network,
                    int index) {
    return distribution_index(step->contraction, word_of(network->index[index]));
}

/** Makes the algorithm of a step. Returns false if a sliced index is a diagonal of a tensor. */
static bool set_algorithm(struct algorithm *out, const struct choosing *choosing,
                          const struct slicing *slicing, int step) {
    const struct step_problem *of = &choosing->steps[step];
    const uint64_t divisible = algorithm_indices(of->contraction);
    *out = (struct algorithm){.grid = slicing->grid,
                              .panel_index = -1,
                              .is_slice = true,
                              .is_partial = step < choosing->request->tree->step_count - 1};
    for (int k = 0; k < slicing->grid.axes; k++) {
        const int index = index_in(of, choosing->request->tree->network, slicing->index[k]);
        if (index >= 0 && !indexset_has(divisible, index)) return false;
        out->index[k] = index < 0 ? ALGORITHM_NO_INDEX : (uint8_t)index;
    }
    return true;
}

/** Sets the prescribed layouts of a step's tensors; those of intermediates are how the steps before
 * have left them. */
static void set_distribution(struct distribution *out, const struct choosing *choosing, int step) {
    const struct tcplan_tree *tree = choosing->request->tree;
    const struct step_problem *of = &choosing->steps[step];
    const int inputs = tree->network->tensor_count;
    *out = (struct distribution){.given = {false}};
    for (int t = 0; t < DIST_TENSORS; t++) {
        const struct tensor_layout *layout = &choosing->request->layout[inputs];
        struct tensor_layout left;
        if (t == DIST_C && step < tree->step_count - 1) continue;
        if (t != DIST_C && of->operand[t] >= inputs) {
            left = (struct tensor_layout){true, choosing->left[of->operand[t] - inputs]};
            layout = &left;
        } else if (t != DIST_C) {
            layout = &choosing->request->layout[of->operand[t]];
        }
        if (!layout->given) continue;
        out->given[t] = true;
        out->layout[t] = steps_to_indices(layout->layout, &of->contraction->tensor[t]);
    }
}

/** Plans the steps of slices. Returns whether they apply and fit into memory, and cost at most
 * `most`. */
static bool plan(double *cost, struct choosing *choosing, const struct slicing *slicing,
                 double most) {
    const struct steps_request *request = choosing->request;
    const int64_t most_bytes = request->options->max_memory_bytes;
    *cost = 0;
    for (int s = 0; s < request->tree->step_count; s++) {
        const struct step_problem *step = &choosing->steps[s];
        struct dist_plan planned;
        if (!set_algorithm(&choosing->algorithm[s], choosing, slicing, s)) {
            error_set(choosing->error, TCPLAN_NOT_APPLICABLE,
                      "a sliced index is a diagonal of a tensor");
            return false;
        }
        set_distribution(&choosing->distribution[s], choosing, s);
        if (algorithm_plan(&planned, &step->problem, &choosing->algorithm[s],
                           &choosing->distribution[s], choosing->error) != TCPLAN_OK)
            return false;
        if (most_bytes > 0 && traffic_memory(&planned, 0) > most_bytes) {
            error_set(choosing->error, TCPLAN_NOT_APPLICABLE,
                      "the slices do not fit into the memory limit of a rank");
            return false;
        }
        *cost += steps_cost(request, step, &planned);
        if (*cost > most) return false;
        choosing->left[s] =
            steps_to_dimensions(planned.home[DIST_C], &step->contraction->tensor[DIST_C]);
    }
    return true;
}

/* Enumeration. */

static void receive(struct choosing *choosing) {
    const bool is_full = choosing->count == STEPS_MOST_SLICES;
    double cost;
    if (!plan(&cost, choosing, &choosing->current,
              is_full ? choosing->best[STEPS_MOST_SLICES - 1].cost : HUGE_VAL))
        return;
    int place = is_full ? STEPS_MOST_SLICES - 1 : choosing->count++;
    for (; place > 0 && choosing->best[place - 1].cost > cost; place--)
        choosing->best[place] = choosing->best[place - 1];
    choosing->best[place].slicing = choosing->current;
    choosing->best[place].cost = cost;
}

/** Adds axes in all ways for which the product of their sizes is `processes`. Later axes split
 * later candidates. */
static void extend(struct choosing *choosing, int processes, int from) {
    struct slicing *slicing = &choosing->current;
    const int axis = slicing->grid.axes;
    if (processes == 1) {
        receive(choosing);
        return;
    }
    if (axis == MOST_AXES) return;
    for (int size = 2; size <= processes; size++) {
        if (axis == MOST_AXES - 1) size = processes;
        if (processes % size != 0) continue;
        for (int c = from; c < choosing->candidates; c++) {
            const int index = choosing->candidate[c];
            if (choosing->request->tree->extent[index] < size) continue;
            slicing->grid.axes = axis + 1;
            slicing->grid.size[axis] = size;
            slicing->index[axis] = index;
            extend(choosing, processes / size, c + 1);
            slicing->grid.axes = axis;
        }
    }
}

/** Selects the indices whose steps have the most operations, because slicing divides the work of
 * these steps only. */
static void select_indices(struct choosing *choosing) {
    const struct tcplan_tree *tree = choosing->request->tree;
    double weight[MOST_INDICES];
    for (int i = 0; i < tree->network->index_count; i++) {
        double flops = 0;
        for (int s = 0; s < tree->step_count; s++) {
            if (index_in(&choosing->steps[s], tree->network, i) >= 0)
                flops += choosing->steps[s].problem.flops;
        }
        int place = choosing->candidates < MOST_INDICES ? choosing->candidates++ : MOST_INDICES;
        for (; place > 0 && weight[place - 1] < flops; place--) {
            if (place == MOST_INDICES) continue;
            weight[place] = weight[place - 1];
            choosing->candidate[place] = choosing->candidate[place - 1];
        }
        if (place == MOST_INDICES) continue;
        weight[place] = flops;
        choosing->candidate[place] = i;
    }
}

/** Plans the best slices again, and appends them as choices. */
static enum tcplan_status give(struct steps_choice out[], int *count, struct choosing *choosing) {
    const int steps = choosing->request->tree->step_count;
    for (int b = 0; b < choosing->count; b++) {
        double cost;
        struct steps_choice choice = {
            .coarse = choosing->best[b].cost,
            .is_sliced = true,
            .slicing = choosing->best[b].slicing,
            .algorithm = base_alloc_zero((size_t)steps, sizeof *choice.algorithm),
            .distribution = base_alloc_zero((size_t)steps, sizeof *choice.distribution)};
        if (!choice.algorithm || !choice.distribution) {
            steps_choice_free(&choice);
            return error_no_memory(choosing->error);
        }
        plan(&cost, choosing, &choice.slicing, HUGE_VAL);
        memcpy(choice.algorithm, choosing->algorithm, (size_t)steps * sizeof *choice.algorithm);
        memcpy(choice.distribution, choosing->distribution,
               (size_t)steps * sizeof *choice.distribution);
        out[(*count)++] = choice;
    }
    return TCPLAN_OK;
}

enum tcplan_status slices_choose(struct steps_choice out[], int *count,
                                 const struct steps_request *request,
                                 const struct step_problem steps[], const char *name,
                                 struct tcplan_error *error) {
    const size_t step_count = (size_t)request->tree->step_count;
    struct choosing choosing = {.request = request, .steps = steps, .error = error};
    enum tcplan_status status = TCPLAN_OK;
    choosing.algorithm = base_alloc_zero(step_count, sizeof *choosing.algorithm);
    choosing.distribution = base_alloc_zero(step_count, sizeof *choosing.distribution);
    choosing.left = base_alloc_zero(step_count, sizeof *choosing.left);
    if (!choosing.algorithm || !choosing.distribution || !choosing.left)
        status = error_no_memory(error);
    if (status == TCPLAN_OK && name) {
        status = read_name(&choosing.current, name, request, error);
        if (status == TCPLAN_OK) receive(&choosing);
        if (status == TCPLAN_OK && choosing.count == 0) status = TCPLAN_NOT_APPLICABLE;
    } else if (status == TCPLAN_OK && request->options->processes > 1) {
        select_indices(&choosing);
        extend(&choosing, request->options->processes, 0);
    }
    if (status == TCPLAN_OK) status = give(out, count, &choosing);
    base_free(choosing.algorithm);
    base_free(choosing.distribution);
    base_free(choosing.left);
    return status;
}
