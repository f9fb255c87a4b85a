/*
 * For each step, the fastest way to leave its result in each of a few layouts is stored. A way is
 * an algorithm, and a layout of each operand that an earlier step left. The algorithm moves
 * operands that lie otherwise than it needs them, so moves are part of its predicted time. Steps
 * come after the steps whose results they read; the ways of the last step are therefore complete.
 *
 * Of the many algorithms of a step, only the fastest with free layouts are combined with the
 * layouts of its operands.
 */
#include "distributed/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "distributed/seconds.h"
#include "distributed/slices.h"

enum { MOST_LAYOUTS = STEPS_MOST_CHOICES - STEPS_MOST_SLICES, MOST_ALGORITHMS = 48 };

/** The fastest way to leave the result of a step in a layout. */
struct way {
    double cost; /* cost of this step and of all steps that it needs: seconds, or bytes */
    struct dist_layout layout; /* layout of the result; `index` of a split is a dimension */
    struct algorithm algorithm;
    struct distribution distribution;
    int from[2]; /* for each operand that is a result, the number of its way */
};

/** The ways of a step. */
struct step {
    int ways;
    struct way way[MOST_LAYOUTS];
};

/** An algorithm with its cost for free layouts. */
struct candidate {
    struct algorithm algorithm;
    double cost;
};

/** State of the choice for one step. */
struct choosing {
    const struct steps_request *request;
    const struct step_problem *of; /* the step */
    struct step *steps;            /* ways of all steps */
    struct step *step;             /* ways of the step */
    int number;
    int count;
    struct candidate best[MOST_ALGORITHMS];
    bool over_memory;
    enum tcplan_status status;
    struct tcplan_error *error;
};

int steps_tensor(const struct tcplan_tree *tree, int operand) {
    const struct tcplan_network *network = tree->network;
    if (operand >= network->operand_count)
        return network->tensor_count + operand - network->operand_count;
    return network->operand[operand].tensor;
}

enum tcplan_status steps_problem(struct tcplan_contraction **out, struct tcplan_problem *problem,
                                 const struct tcplan_tree *tree, int step,
                                 struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    enum tcplan_status status =
        tcplan_tree_step_contraction(&contraction, tree, step, false, error);
    if (status == TCPLAN_OK) status = tcplan_tree_step_problem(problem, tree, contraction, error);
    if (status == TCPLAN_OK) {
        *out = contraction;
    } else {
        tcplan_contraction_free(contraction);
    }
    return status;
}

/* Layouts. */

struct dist_layout steps_to_dimensions(struct dist_layout layout,
                                       const struct tcplan_tensor *tensor) {
    for (int s = 0; s < layout.count; s++) {
        int d = 0;
        while (d < tensor->rank && tensor->dims[d] != layout.split[s].index) d++;
        layout.split[s].index = (uint8_t)d;
    }
    return layout;
}

struct dist_layout steps_to_indices(struct dist_layout layout, const struct tcplan_tensor *tensor) {
    for (int s = 0; s < layout.count; s++)
        layout.split[s].index = (uint8_t)tensor->dims[layout.split[s].index];
    return layout;
}

static bool is_same(const struct dist_layout *a, const struct dist_layout *b) {
    if (a->count != b->count || a->grid.axes != b->grid.axes) return false;
    for (int k = 0; k < a->grid.axes; k++) {
        if (a->grid.size[k] != b->grid.size[k]) return false;
    }
    for (int s = 0; s < a->count; s++) {
        if (a->split[s].index != b->split[s].index || a->split[s].axis != b->split[s].axis ||
            a->split[s].cyclic != b->split[s].cyclic)
            return false;
    }
    return true;
}

/* Algorithms of a step. */

double steps_cost(const struct steps_request *request, const struct step_problem *step,
                  const struct dist_plan *plan) {
    const struct tcplan_distributed_options *options = request->options;
    if (request->saves_memory) return (double)traffic_memory(plan, 0);
    return predict_communication(NULL, plan, options->communication, options->ranks_per_node) +
           predict_coarse(plan, &step->problem, step->flops_per_second);
}

/** Plans an algorithm. Returns whether it is applicable and fits into memory. */
static bool plan_fits(struct dist_plan *plan, struct choosing *choosing,
                      const struct algorithm *algorithm, const struct distribution *distribution) {
    const int64_t most = choosing->request->options->max_memory_bytes;
    if (algorithm_plan(plan, &choosing->of->problem, algorithm, distribution, choosing->error) !=
        TCPLAN_OK)
        return false;
    const bool fits = most == 0 || traffic_memory(plan, 0) <= most;
    choosing->over_memory = choosing->over_memory || !fits;
    return fits;
}

/** Returns whether a plan costs more than the worst of the best algorithms. */
static bool cannot_improve(const struct choosing *choosing, const struct dist_plan *plan) {
    const struct tcplan_distributed_options *options = choosing->request->options;
    return !choosing->request->saves_memory &&
           predict_least(plan, options->communication, options->ranks_per_node) >
               choosing->best[MOST_ALGORITHMS - 1].cost;
}

static bool receive(void *context, const struct algorithm *algorithm) {
    struct choosing *choosing = context;
    const struct distribution free_layouts = {.given = {false}};
    struct dist_plan plan;
    if (!plan_fits(&plan, choosing, algorithm, &free_layouts)) return true;
    if (choosing->count == MOST_ALGORITHMS && cannot_improve(choosing, &plan)) return true;
    const struct candidate candidate = {*algorithm,
                                        steps_cost(choosing->request, choosing->of, &plan)};
    int place = choosing->count < MOST_ALGORITHMS ? choosing->count++ : MOST_ALGORITHMS;
    for (; place > 0 && choosing->best[place - 1].cost > candidate.cost; place--) {
        if (place < MOST_ALGORITHMS) choosing->best[place] = choosing->best[place - 1];
    }
    if (place < MOST_ALGORITHMS) choosing->best[place] = candidate;
    return true;
}

/** Reads the algorithm of this step from a list of names, and moves `*names` behind it. */
static enum tcplan_status read_named(struct choosing *choosing, const char **names) {
    const size_t length = strcspn(*names, ";");
    const int processes = choosing->request->options->processes;
    struct algorithm *named = &choosing->best[0].algorithm;
    struct strbuf name = {0};
    strbuf_append(&name, *names, length);
    if (!name.text || name.failed) {
        strbuf_free(&name);
        return error_no_memory(choosing->error);
    }
    enum tcplan_status status =
        algorithm_parse(named, choosing->of->contraction, name.text, choosing->error);
    if (status == TCPLAN_OK && named->is_pdgemm)
        status = error_set(choosing->error, TCPLAN_NOT_APPLICABLE,
                           "ScaLAPACK multiplies two tensors only; a step of an expression needs "
                           "another algorithm");
    if (status == TCPLAN_OK && dist_grid_processes(&named->grid) != processes)
        status = error_at(choosing->error, TCPLAN_INVALID, 0, length,
                          "the algorithm is for %d processes, not for %d",
                          dist_grid_processes(&named->grid), processes);
    strbuf_free(&name);
    choosing->count = 1;
    *names += length + ((*names)[length] == ';');
    return status;
}

/** Fills `best` with the algorithms of the step. */
static enum tcplan_status enumerate(struct choosing *choosing) {
    const struct tcplan_distributed_options *options = choosing->request->options;
    const int processes = options->processes, node = options->ranks_per_node;
    const bool all_orders = node > 1 && node < processes;
    if (choosing->request->grid)
        algorithm_enumerate(&choosing->of->problem, processes, choosing->request->grid, all_orders,
                            receive, choosing);
    if (choosing->count == 0)
        algorithm_enumerate(&choosing->of->problem, processes, NULL, all_orders, receive, choosing);
    if (choosing->count > 0) return TCPLAN_OK;
    char *text = tcplan_tree_step_text(choosing->request->tree, choosing->number);
    error_set(choosing->error, TCPLAN_NOT_APPLICABLE,
              choosing->over_memory
                  ? "no algorithm of %d processes for %.200s fits into the memory "
                    "limit of a rank"
                  : "no algorithm divides the work among %d processes: %.200s",
              processes, text ? text : "a step");
    free(text);
    return TCPLAN_NOT_APPLICABLE;
}

/* Ways. */

/** Stores a way unless one that leaves the same layout is better, or all others are. */
static void keep(struct step *step, const struct way *way) {
    int place = 0;
    while (place < step->ways && !is_same(&step->way[place].layout, &way->layout)) place++;
    if (place < step->ways && step->way[place].cost <= way->cost) return;
    if (place == step->ways) {
        if (step->ways < MOST_LAYOUTS) {
            step->ways++;
        } else {
            place--;
            if (step->way[place].cost <= way->cost) return;
        }
    }
    for (; place > 0 && step->way[place - 1].cost > way->cost; place--)
        step->way[place] = step->way[place - 1];
    step->way[place] = *way;
}

/** Returns the number of layouts in which an operand may lie: 1 for an input tensor. */
static int layouts_of(const struct choosing *choosing, int operand) {
    const int inputs = choosing->request->tree->network->tensor_count;
    const int tensor = choosing->of->operand[operand];
    return tensor < inputs ? 1 : choosing->steps[tensor - inputs].ways;
}

/** Sets the layout of an operand; `number` selects one of an intermediate. Returns the cost of the
 * steps before. */
static double set_operand(struct distribution *out, const struct choosing *choosing, int operand,
                          int number) {
    const int inputs = choosing->request->tree->network->tensor_count;
    const int tensor = choosing->of->operand[operand];
    const struct tcplan_tensor *of = &choosing->of->contraction->tensor[operand];
    if (tensor < inputs) {
        const struct tensor_layout *layout = &choosing->request->layout[tensor];
        out->given[operand] = layout->given;
        if (layout->given) out->layout[operand] = steps_to_indices(layout->layout, of);
        return 0;
    }
    const struct way *way = &choosing->steps[tensor - inputs].way[number];
    out->given[operand] = true;
    out->layout[operand] = steps_to_indices(way->layout, of);
    return way->cost;
}

/** Combines an algorithm with layouts of its operands. */
static void combine(struct choosing *choosing, const struct candidate *candidate, const int from[2],
                    const struct distribution *distribution, double before) {
    struct dist_plan plan;
    if (!plan_fits(&plan, choosing, &candidate->algorithm, distribution)) return;
    const struct way way = {.cost = before + steps_cost(choosing->request, choosing->of, &plan),
                            .layout = steps_to_dimensions(
                                plan.home[DIST_C], &choosing->of->contraction->tensor[DIST_C]),
                            .algorithm = candidate->algorithm,
                            .distribution = *distribution,
                            .from = {from[0], from[1]}};
    keep(choosing->step, &way);
}

static enum tcplan_status choose_step(struct choosing *choosing, const char **names) {
    const struct steps_request *request = choosing->request;
    const struct tcplan_network *network = request->tree->network;
    const struct tcplan_tree_step *of = &request->tree->step[choosing->number];
    struct step *step = choosing->step;
    struct tcplan_error *error = choosing->error;
    const enum tcplan_status status = *names ? read_named(choosing, names) : enumerate(choosing);
    if (status != TCPLAN_OK) return status;
    const struct tensor_layout *result = &request->layout[network->tensor_count];
    for (int l = 0; l < layouts_of(choosing, 0); l++) {
        for (int r = 0; r < layouts_of(choosing, 1); r++) {
            struct distribution distribution = {.given = {false}};
            const double before = set_operand(&distribution, choosing, 0, l) +
                                  set_operand(&distribution, choosing, 1, r);
            if (of->last && result->given) {
                distribution.given[DIST_C] = true;
                distribution.layout[DIST_C] =
                    steps_to_indices(result->layout, &choosing->of->contraction->tensor[DIST_C]);
            }
            for (int a = 0; a < choosing->count; a++)
                combine(choosing, &choosing->best[a], (const int[]){l, r}, &distribution, before);
        }
    }
    if (step->ways > 0) return TCPLAN_OK;
    /* algorithm_plan() has set the message, unless memory is the reason */
    return choosing->over_memory
               ? error_set(error, TCPLAN_NOT_APPLICABLE,
                           "no algorithm of %d processes fits into the memory limit of a rank",
                           request->options->processes)
               : TCPLAN_NOT_APPLICABLE;
}

/* Choices. */

/** Follows the ways back from the way of a step. */
static void trace(struct steps_choice *out, const struct step steps[],
                  const struct step_problem problems[], int inputs, int step, int number) {
    const struct way *way = &steps[step].way[number];
    out->algorithm[step] = way->algorithm;
    out->distribution[step] = way->distribution;
    for (int o = 0; o < 2; o++) {
        if (problems[step].operand[o] >= inputs)
            trace(out, steps, problems, inputs, problems[step].operand[o] - inputs, way->from[o]);
    }
}

void steps_choice_free(struct steps_choice *choice) {
    base_free(choice->algorithm);
    base_free(choice->distribution);
}

static enum tcplan_status give(struct steps_choice out[], int *count, const struct step steps[],
                               const struct step_problem problems[], const struct tcplan_tree *tree,
                               struct tcplan_error *error) {
    const int last = tree->step_count - 1;
    for (int w = 0; w < steps[last].ways; w++) {
        struct steps_choice choice = {
            .coarse = steps[last].way[w].cost,
            .algorithm = base_alloc_zero((size_t)tree->step_count, sizeof *choice.algorithm),
            .distribution = base_alloc_zero((size_t)tree->step_count, sizeof *choice.distribution)};
        if (!choice.algorithm || !choice.distribution) {
            steps_choice_free(&choice);
            while (*count > 0) steps_choice_free(&out[--*count]);
            return error_no_memory(error);
        }
        trace(&choice, steps, problems, tree->network->tensor_count, last, w);
        out[(*count)++] = choice;
    }
    return TCPLAN_OK;
}

/** Makes the contractions of all steps. */
static enum tcplan_status prepare(struct step_problem problems[],
                                  const struct steps_request *request, struct tcplan_error *error) {
    const struct tcplan_tree *tree = request->tree;
    enum tcplan_status status = TCPLAN_OK;
    double least = 0;
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        struct step_problem *step = &problems[s];
        step->operand[0] = steps_tensor(tree, tree->step[s].left);
        step->operand[1] = steps_tensor(tree, tree->step[s].right);
        status = steps_problem(&step->contraction, &step->problem, tree, s, error);
        if (status == TCPLAN_OK)
            status = predict_rate(&step->flops_per_second, &step->problem,
                                  request->options->planner, error);
        if (status != TCPLAN_OK) break;
        least += step->problem.flops / step->flops_per_second / request->options->processes;
        if (request->limit_seconds > 0 && least > request->limit_seconds)
            status = error_set(error, TCPLAN_NOT_APPLICABLE, "the order is too slow");
    }
    return status;
}

/** Chooses the algorithms of all steps, or reads their names. */
static enum tcplan_status choose_steps(struct choosing *choosing,
                                       const struct steps_request *request,
                                       const struct step_problem problems[], struct step steps[],
                                       const char *names, struct tcplan_error *error) {
    const int count = request->tree->step_count;
    enum tcplan_status status = TCPLAN_OK;
    const char *rest = names;
    for (int s = 0; s < count && status == TCPLAN_OK; s++) {
        *choosing = (struct choosing){.request = request,
                                      .of = &problems[s],
                                      .steps = steps,
                                      .step = &steps[s],
                                      .number = s,
                                      .error = error};
        if (names && !*rest)
            return error_at(error, TCPLAN_INVALID, strlen(names), 1,
                            "expected %d names of algorithms, separated by ';', found %d", count,
                            s);
        const char *from = rest;
        status = choose_step(choosing, &rest);
        if (status == TCPLAN_INVALID && error && error->column > 0 && names)
            error->column += (size_t)(from - names);
    }
    if (status == TCPLAN_OK && names && *rest)
        status = error_at(error, TCPLAN_INVALID, (size_t)(rest - names), strlen(rest),
                          "expected %d names of algorithms, separated by ';', found more", count);
    return status;
}

enum tcplan_status steps_choose(struct steps_choice out[STEPS_MOST_CHOICES], int *count,
                                const struct steps_request *request, const char *names,
                                struct tcplan_error *error) {
    const struct tcplan_tree *tree = request->tree;
    const bool is_sliced = names && slices_is_name(names);
    struct step_problem *problems = base_alloc_zero((size_t)tree->step_count, sizeof *problems);
    struct step *steps = base_alloc_zero((size_t)tree->step_count, sizeof *steps);
    struct choosing *choosing = base_alloc_zero(1, sizeof *choosing);
    *count = 0;
    enum tcplan_status status =
        problems && steps && choosing ? prepare(problems, request, error) : error_no_memory(error);
    enum tcplan_status stepwise = status;
    if (status == TCPLAN_OK && !is_sliced) {
        stepwise = choose_steps(choosing, request, problems, steps, names, error);
        if (stepwise == TCPLAN_OK) stepwise = give(out, count, steps, problems, tree, error);
        /* Slices may apply although a step has no index that its processes can divide. */
        if (stepwise != TCPLAN_NOT_APPLICABLE) status = stepwise;
    }
    if (status == TCPLAN_OK && (is_sliced || !names))
        status = slices_choose(out, count, request, problems, names, error);
    if (status == TCPLAN_OK && *count == 0) status = stepwise;
    for (int s = 0; problems && s < tree->step_count; s++)
        tcplan_contraction_free(problems[s].contraction);
    base_free(problems);
    base_free(steps);
    base_free(choosing);
    return status;
}
