#include "tcplan/distributed_network.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "distributed/expression.h"
#include "distributed/network.h"
#include "distributed/seconds.h"
#include "distributed/slices.h"

enum { MOST = 24, MOST_OF_MANY = 6, MANY_PROCESSES = 256, MOST_TIMED = 4 };

/* An order is skipped if its lower bound is this many times the lowest cost so far. */
#define TOO_SLOW 8.0

#define TIE 1.02 /* algorithms whose times differ by less than this factor are ties */

static void algorithm_free(struct network_algorithm *algorithm) {
    for (int s = 0; algorithm->step && s < algorithm->tree->step_count; s++)
        tcplan_distributed_free(algorithm->step[s].planned);
    base_free(algorithm->step);
    tcplan_tree_free(algorithm->tree);
    free(algorithm->name);
}

void tcplan_distributed_network_free(struct tcplan_distributed_network *network) {
    if (!network) return;
    for (int a = 0; a < network->count; a++) algorithm_free(&network->algorithm[a]);
    base_free(network->algorithm);
    expression_free(&network->expression);
    base_free(network);
}

/* Predictions of an algorithm. */

const struct tcplan_distributed *network_holder(const struct tcplan_distributed_network *network,
                                                int algorithm, int tensor,
                                                enum tcplan_operand *operand) {
    const struct network_algorithm *of = &network->algorithm[algorithm];
    const int steps = of->tree->step_count;
    *operand = TCPLAN_RESULT;
    for (int s = 0; s < steps && tensor < network->expression.network->tensor_count; s++) {
        for (int o = 0; o < 2; o++) {
            if (of->step[s].operand[o] != tensor) continue;
            *operand = o == 0 ? TCPLAN_A : TCPLAN_B;
            return of->step[s].planned;
        }
    }
    return of->step[steps - 1].planned;
}

/** Returns the bytes of a rank's input tensors, intermediates, result and buffers. */
static int64_t memory_of(const struct network_algorithm *algorithm, int inputs, int rank) {
    int64_t bytes = 0;
    for (int s = 0; s < algorithm->tree->step_count; s++) {
        const struct dist_plan *plan = &algorithm->step[s].planned->plan;
        bytes += traffic_memory(plan, rank);
        for (int o = 0; o < 2; o++) {
            const int tensor = algorithm->step[s].operand[o];
            bool counted = tensor >= inputs; /* a result was counted at the step that computes it */
            for (int e = 0; e < 2 * s + o && !counted; e++)
                counted = algorithm->step[e / 2].operand[e % 2] == tensor;
            if (counted) bytes -= dist_held(plan, o, &plan->home[o], rank) * plan->element_bytes;
        }
    }
    return bytes;
}

/** Adds up the predictions of the steps. */
static void add_entries(struct network_algorithm *algorithm, int inputs,
                        const struct tcplan_distributed_options *options) {
    struct tcplan_distributed_entry *sum = &algorithm->entry;
    const int processes = options->processes, node = options->ranks_per_node;
    *sum =
        (struct tcplan_distributed_entry){.timed = true,
                                          .communication_seconds = tcplan_communication_seconds(
                                              options->communication, TCPLAN_ALLREDUCE,
                                              node > 0 && node < processes, processes, sizeof(int)),
                                          .memory_bytes = memory_of(algorithm, inputs, 0)};
    for (int s = 0; s < algorithm->tree->step_count; s++) {
        const struct tcplan_distributed_entry *entry = &algorithm->step[s].planned->entry;
        sum->local_seconds += entry->local_seconds;
        sum->communication_seconds += entry->communication_seconds;
        sum->moved_bytes += entry->moved_bytes;
        sum->total_bytes += entry->total_bytes;
        sum->timed = sum->timed && entry->timed;
    }
    sum->seconds = sum->local_seconds + sum->communication_seconds;
}

static enum tcplan_status add_name(struct network_algorithm *algorithm,
                                   const struct steps_choice *choice, struct tcplan_error *error) {
    struct strbuf name = {0};
    if (choice->is_sliced) slices_add_name(&name, &choice->slicing, algorithm->tree->network);
    for (int s = 0; !choice->is_sliced && s < algorithm->tree->step_count; s++)
        strbuf_add(&name, "%s%s", s > 0 ? ";" : "", algorithm->step[s].planned->entry.name);
    algorithm->name = strbuf_finish(&name);
    return algorithm->name ? TCPLAN_OK : error_no_memory(error);
}

/** Plans the steps of a choice. */
static enum tcplan_status plan_steps(struct network_algorithm *out,
                                     const struct steps_choice *choice,
                                     const struct tcplan_tree *tree,
                                     const struct tcplan_distributed_options *options,
                                     struct tcplan_error *error) {
    *out = (struct network_algorithm){
        .tree = tcplan_tree_copy(tree),
        .step = base_alloc_zero((size_t)tree->step_count, sizeof *out->step)};
    enum tcplan_status status = out->tree && out->step ? TCPLAN_OK : error_no_memory(error);
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        struct tcplan_contraction *contraction = NULL;
        struct tcplan_problem problem;
        out->step[s].operand[0] = steps_tensor(tree, tree->step[s].left);
        out->step[s].operand[1] = steps_tensor(tree, tree->step[s].right);
        status = steps_problem(&contraction, &problem, tree, s, error);
        if (status == TCPLAN_OK)
            status = distributed_plan_one(&out->step[s].planned, &problem, &choice->algorithm[s],
                                          &choice->distribution[s], options, error);
        tcplan_contraction_free(contraction);
    }
    if (status == TCPLAN_OK) status = add_name(out, choice, error);
    if (status == TCPLAN_OK) {
        add_entries(out, tree->network->tensor_count, options);
    } else if (out->tree) {
        algorithm_free(out);
    } else {
        base_free(out->step);
    }
    return status;
}

/* Choice. */

/** A choice of algorithms for one of the orders. */
struct candidate {
    const struct tcplan_tree *tree;
    struct steps_choice choice;
};

/** State of a choice. */
struct search {
    struct tcplan_distributed_network *network;
    struct tcplan_distributed_options options;
    const struct tcplan_network_texts *texts;
    struct order order[EXPRESSION_MOST_ORDERS];
    int orders;
    double least; /* lowest cost of a candidate, in seconds; 0: none yet */
    int candidates;
    struct candidate candidate[2 * EXPRESSION_MOST_ORDERS * STEPS_MOST_CHOICES];
    const char **wrong;
    struct tcplan_error *error;
};

/** Chooses algorithms for an order. A second choice saves memory if the memory is limited. */
static enum tcplan_status choose(struct search *search, const struct tcplan_tree *tree) {
    const struct expression *expression = &search->network->expression;
    struct steps_request request = {.tree = tree,
                                    .options = &search->options,
                                    .grid = expression->has_grid ? &expression->grid : NULL,
                                    .layout = expression->layout};
    const bool is_limited = search->options.max_memory_bytes > 0 && !search->options.algorithm;
    if (search->options.max_memory_bytes == 0 && !search->options.algorithm)
        request.limit_seconds = TOO_SLOW * search->least;
    enum tcplan_status status = TCPLAN_OK;
    for (int pass = 0; pass <= is_limited && status == TCPLAN_OK; pass++) {
        struct steps_choice found[STEPS_MOST_CHOICES];
        int count;
        request.saves_memory = pass == 1;
        *search->wrong = search->options.algorithm;
        status = steps_choose(found, &count, &request, search->options.algorithm, search->error);
        for (int c = 0; c < count; c++) {
            search->candidate[search->candidates++] = (struct candidate){tree, found[c]};
            if (pass == 0 && (search->least == 0 || found[c].coarse < search->least))
                search->least = found[c].coarse;
        }
    }
    return status;
}

static int compare_candidates(const void *left, const void *right) {
    const double a = ((const struct candidate *)left)->choice.coarse,
                 b = ((const struct candidate *)right)->choice.coarse;
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right) {
    const struct network_algorithm *a = left, *b = right;
    if (a->entry.seconds != b->entry.seconds) return a->entry.seconds < b->entry.seconds ? -1 : 1;
    return strcmp(a->name, b->name);
}

/** Returns whether an algorithm is already in the list: the same steps with the same names. */
static bool is_known(const struct tcplan_distributed_network *network,
                     const struct network_algorithm *algorithm) {
    for (int a = 0; a < network->count; a++) {
        const struct network_algorithm *other = &network->algorithm[a];
        bool same = strcmp(other->name, algorithm->name) == 0;
        for (int s = 0; s < algorithm->tree->step_count && same; s++)
            same = algorithm->tree->step[s].left == other->tree->step[s].left &&
                   algorithm->tree->step[s].right == other->tree->step[s].right;
        if (same) return true;
    }
    return false;
}

/** Plans the candidates with the lowest costs. */
static enum tcplan_status plan_candidates(struct search *search) {
    struct tcplan_distributed_network *network = search->network;
    struct tcplan_distributed_options untimed = search->options;
    const int64_t most = untimed.max_memory_bytes;
    /* The bytes of all ranks are added up for every algorithm. */
    const int rows = untimed.processes > MANY_PROCESSES ? MOST_OF_MANY : MOST;
    enum tcplan_status status = TCPLAN_OK;
    untimed.timing = NULL;
    network->algorithm = base_alloc_zero(MOST, sizeof *network->algorithm);
    if (!network->algorithm) return error_no_memory(search->error);
    qsort(search->candidate, (size_t)search->candidates, sizeof *search->candidate,
          compare_candidates);
    bool has_slices = true;
    for (int c = 0; c < search->candidates; c++)
        has_slices = has_slices && !search->candidate[c].choice.is_sliced;
    for (int c = 0; c < search->candidates && network->count < rows && status == TCPLAN_OK; c++) {
        struct network_algorithm planned;
        const bool is_sliced = search->candidate[c].choice.is_sliced;
        /* The last row is reserved for the fastest slices. */
        if (network->count == rows - 1 && !has_slices && !is_sliced) continue;
        status = plan_steps(&planned, &search->candidate[c].choice, search->candidate[c].tree,
                            &untimed, search->error);
        if (status != TCPLAN_OK) break;
        const bool known = is_known(network, &planned);
        const bool fits = most == 0 || planned.entry.memory_bytes <= most;
        network->enumerated += !known;
        network->over_memory += !known && !fits;
        if (fits && !known) {
            planned.choice = c;
            has_slices = has_slices || is_sliced;
            network->algorithm[network->count++] = planned;
        } else {
            algorithm_free(&planned);
        }
    }
    if (status != TCPLAN_OK || network->count > 0) return status;
    return error_set(search->error, TCPLAN_NOT_APPLICABLE,
                     "no algorithm of %d processes fits into the memory limit of a rank",
                     search->options.processes);
}

/** Times local products until the fastest algorithm has measured times. */
static enum tcplan_status time_fastest(struct search *search) {
    struct tcplan_distributed_network *network = search->network;
    enum tcplan_status status = TCPLAN_OK;
    for (int n = 0; n < MOST_TIMED && status == TCPLAN_OK; n++) {
        struct network_algorithm *best = &network->algorithm[0], timed;
        if (best->entry.timed) break;
        const struct candidate *candidate = &search->candidate[best->choice];
        status = plan_steps(&timed, &candidate->choice, candidate->tree, &search->options,
                            search->error);
        if (status != TCPLAN_OK) break;
        timed.choice = best->choice;
        const bool all = timed.entry.timed;
        algorithm_free(best);
        *best = timed;
        if (!all) break; /* there was too little memory or time to time all */
        qsort(network->algorithm, (size_t)network->count, sizeof *network->algorithm, compare);
    }
    return status;
}

static enum tcplan_status find(struct search *search) {
    struct tcplan_distributed_network *network = search->network;
    enum tcplan_status status =
        expression_orders(search->order, &search->orders, &network->expression, search->texts,
                          search->options.planner, search->wrong, search->error);
    enum tcplan_status last = TCPLAN_OK;
    network->serial_seconds = search->orders > 0 ? search->order[0].seconds : 0;
    for (int o = 0; o < search->orders && status == TCPLAN_OK; o++) {
        last = choose(search, search->order[o].tree);
        /* Some orders may have steps that cannot be distributed. */
        if (last != TCPLAN_NOT_APPLICABLE) status = last;
    }
    if (status == TCPLAN_OK && search->candidates == 0) status = last;
    if (status == TCPLAN_OK) status = plan_candidates(search);
    if (status != TCPLAN_OK) return status;
    qsort(network->algorithm, (size_t)network->count, sizeof *network->algorithm, compare);
    if (search->options.timing) status = time_fastest(search);
    for (int a = 0; a < network->count; a++)
        network->algorithm[a].entry.tied =
            network->algorithm[a].entry.seconds <= TIE * network->algorithm[0].entry.seconds;
    return status;
}

enum tcplan_status tcplan_distributed_network_new(struct tcplan_distributed_network **out,
                                                  const struct tcplan_network_texts *texts,
                                                  enum tcplan_dtype dtype,
                                                  const struct tcplan_distributed_options *options,
                                                  const char **wrong, struct tcplan_error *error) {
    const char *unused;
    struct tcplan_planner *own = NULL;
    struct tcplan_distributed_network *network = base_alloc_zero(1, sizeof *network);
    struct search *search = base_alloc_zero(1, sizeof *search);
    enum tcplan_status status = network && search ? TCPLAN_OK : error_no_memory(error);
    if (status == TCPLAN_OK) {
        search->network = network;
        search->options = *options;
        search->texts = texts;
        search->wrong = wrong ? wrong : &unused;
        search->error = error;
        status = expression_read(&network->expression, texts, dtype, &search->options,
                                 search->wrong, error);
        network->processes = search->options.processes;
    }
    if (status == TCPLAN_OK && !options->planner) {
        status = tcplan_planner_new(&own, error);
        if (status == TCPLAN_OK)
            status = tcplan_planner_set_effort(own, TCPLAN_EFFORT_ESTIMATE, error);
        search->options.planner = own;
    }
    if (status == TCPLAN_OK) status = find(search);
    for (int c = 0; search && c < search->candidates; c++)
        steps_choice_free(&search->candidate[c].choice);
    for (int o = 0; search && o < search->orders; o++) tcplan_tree_free(search->order[o].tree);
    base_free(search);
    tcplan_planner_free(own);
    if (status == TCPLAN_OK) {
        *out = network;
    } else {
        tcplan_distributed_network_free(network);
    }
    return status;
}

/* What was found. */

int tcplan_distributed_network_count(const struct tcplan_distributed_network *network) {
    return network->count;
}

int64_t tcplan_distributed_network_enumerated(const struct tcplan_distributed_network *network,
                                              int64_t *over_memory) {
    if (over_memory) *over_memory = network->over_memory;
    return network->enumerated;
}

double tcplan_distributed_network_serial_seconds(const struct tcplan_distributed_network *network) {
    return network->serial_seconds;
}

int tcplan_distributed_network_processes(const struct tcplan_distributed_network *network) {
    return network->processes;
}

const char *tcplan_distributed_network_name(const struct tcplan_distributed_network *network,
                                            int algorithm) {
    return network->algorithm[algorithm].name;
}

struct tcplan_distributed_entry tcplan_distributed_network_entry(
    const struct tcplan_distributed_network *network, int algorithm) {
    return network->algorithm[algorithm].entry;
}

const struct tcplan_tree *tcplan_distributed_network_tree(
    const struct tcplan_distributed_network *network, int algorithm) {
    return network->algorithm[algorithm].tree;
}

int tcplan_distributed_network_step_count(const struct tcplan_distributed_network *network,
                                          int algorithm) {
    return network->algorithm[algorithm].tree->step_count;
}

const struct tcplan_distributed *tcplan_distributed_network_step(
    const struct tcplan_distributed_network *network, int algorithm, int step, int operand[2]) {
    const struct planned_step *of = &network->algorithm[algorithm].step[step];
    if (operand) memcpy(operand, of->operand, sizeof of->operand);
    return of->planned;
}

char *tcplan_distributed_network_layout(const struct tcplan_distributed_network *network,
                                        int algorithm, int step, enum tcplan_operand operand,
                                        bool at_work) {
    const struct tcplan_distributed *of = network->algorithm[algorithm].step[step].planned;
    const struct dist_layout *layout = at_work ? &of->plan.work[operand] : &of->plan.home[operand];
    struct strbuf out = {0};
    if (layout->count == 0) {
        strbuf_add(&out, "copies");
    } else {
        grid_add_text(&out, &layout->grid);
        strbuf_add(&out, " ");
        layout_add_text(&out, of->contraction, layout);
    }
    return strbuf_finish(&out);
}

int tcplan_distributed_network_inputs(const struct tcplan_distributed_network *network) {
    return network->expression.network->tensor_count;
}

int64_t tcplan_distributed_network_block(const struct tcplan_distributed_network *network,
                                         int algorithm, int tensor, int rank, int64_t first[],
                                         int64_t extent[]) {
    enum tcplan_operand operand;
    const struct tcplan_distributed *holder = network_holder(network, algorithm, tensor, &operand);
    return tcplan_distributed_block(holder, operand, rank, first, extent);
}

void tcplan_distributed_network_cycle(const struct tcplan_distributed_network *network,
                                      int algorithm, int tensor, int64_t block[],
                                      int64_t period[]) {
    enum tcplan_operand operand;
    const struct tcplan_distributed *holder = network_holder(network, algorithm, tensor, &operand);
    tcplan_distributed_cycle(holder, operand, block, period);
}

int tcplan_distributed_network_calls(struct tcplan_distributed_call call[],
                                     const struct tcplan_distributed_network *network,
                                     int algorithm, int rank) {
    const struct network_algorithm *of = &network->algorithm[algorithm];
    const int64_t bytes = sizeof(int);
    struct tcplan_distributed_call agreed = {.collective = tcplan_collective_name(TCPLAN_ALLREDUCE),
                                             .tensor = "status",
                                             .ranks = network->processes,
                                             .calls = 1,
                                             .sent = bytes,
                                             .received = bytes};
    int count = 0;
    for (int s = 0; s < of->tree->step_count; s++) {
        const int own = tcplan_distributed_calls(&call[count], of->step[s].planned, rank);
        const struct tcplan_distributed_call *last = &call[count + own - 1];
        agreed.calls += last->calls;
        agreed.sent += last->sent;
        agreed.received += last->received;
        agreed.seconds += last->seconds;
        count += own - 1; /* the agreement of a step is its last call */
    }
    call[count++] = agreed;
    return count;
}
