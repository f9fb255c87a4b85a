#include "network/search/fused.h"

#include <math.h>
#include <string.h>

#include "api/knowledge.h"
#include "ast/scalar.h"
#include "base/alloc.h"
#include "microbench/calibrate/parts.h"
#include "microbench/copy/terms.h"
#include "microbench/program/buffers.h"
#include "network/execution/network_plan.h"
#include "network/search/speeds.h"
#include "network/tree.h"
#include "tcplan/costs.h"

/* An estimated pass is used if its time is below this share of the separate steps' time. The margin
 * covers errors of the estimate. */
#define LEAST_GAIN 0.9

/* Alignment of a timed pass's memory, in bytes: a cache line. */
enum { TERMS_ALIGNMENT = 64 };

/* Passes are timed in stretches of at least WINDOW_NS nanoseconds. A pass is timed only if the time
 * left exceeds that of CALLS executions of the steps that the pass would replace. */
#define WINDOW_NS 1e6
#define CALLS 5

/* Seconds that waking and awaiting threads adds to the estimate of a pass. */
#define THREADS_SECONDS 5e-6

/* Ways of a pass whose first executions take longer than this many times the fastest one are not
 * timed again. */
#define WAY_MARGIN 1.5

/* Timed executions of all steps of tensors that exceed the last cache. */
enum { WHOLE_RUNS = 2 };

/* Largest share of the available memory for the arrays of a timed pass. */
#define MEMORY_SHARE 0.5

/* Terms. */

static bool has_twice(const struct tcplan_network_operand *operand) {
    for (int d = 0; d < operand->rank; d++) {
        for (int e = 0; e < d; e++) {
            if (operand->dims[d] == operand->dims[e]) return true;
        }
    }
    return false;
}

/** Returns whether a step can be joined with others: it adds an input tensor, times a factor, to a
 * sum or the result, and each index of that target occurs once in the tensor. */
static bool is_term(const struct tcplan_tree *tree, int s) {
    const struct tcplan_network *network = tree->network;
    const struct tcplan_tree_step *step = &tree->step[s];
    if (step->right != TCPLAN_TREE_ONE || step->idle || tree->sliced_count > 0) return false;
    const struct tcplan_network_operand *target = tcplan_network_target(network, step->term),
                                        *from = &network->operand[step->left];
    const struct tcplan_scalar factor = network->term[step->term].factor;
    return from->tensor < TCPLAN_NETWORK_SUMS && from->rank == target->rank && !has_twice(target) &&
           !has_twice(from) && !scalar_is(factor, 0);
}

static int target_of(const struct tcplan_tree *tree, int s) {
    return tree->network->term[tree->step[s].term].into;
}

/** Returns the number of elements between neighbours along an index in a dense tensor. */
static int64_t step_of(const struct tcplan_tree *tree, const uint16_t dims[], int rank, int index) {
    const bool first = tree->network->order == TCPLAN_COLUMN_MAJOR;
    int64_t elems = 1;
    for (int i = 0; i < rank; i++) {
        const int dim = dims[first ? i : rank - 1 - i];
        if (dim == index) break;
        elems *= tree->extent[dim];
    }
    return elems;
}

/** Adds a term to a sum whose dimensions are those of the result, in its storage order. */
static void add_term(struct fused *out, const struct tcplan_tree *tree, int tensor,
                     struct tcplan_scalar factor, bool conjugated,
                     const struct tcplan_tree_step *target) {
    const struct tree_tensor from = tree_tensor_of(tree, tensor);
    const bool is_complex = tcplan_dtype_is_complex(tree->dtype),
               first = tree->network->order == TCPLAN_COLUMN_MAJOR;
    const int t = out->shape.count++;
    out->tensor[t] = tensor;
    out->shape.term[t].factor = (struct tcplan_scalar){factor.re, is_complex ? factor.im : 0};
    out->shape.term[t].conjugated = conjugated && is_complex;
    for (int d = 0; d < target->rank; d++)
        out->shape.term[t].step[d] =
            step_of(tree, from.dims, from.rank, target->dims[first ? d : target->rank - 1 - d]);
}

/* Dimensions. */

static void move_dimension(struct terms_shape *shape, int to, int from) {
    shape->extent[to] = shape->extent[from];
    shape->step[to] = shape->step[from];
    for (int t = 0; t < shape->count; t++) shape->term[t].step[to] = shape->term[t].step[from];
}

static void swap_dimensions(struct terms_shape *shape, int a, int b) {
    struct terms_shape before = *shape;
    move_dimension(shape, a, b);
    shape->extent[b] = before.extent[a];
    shape->step[b] = before.step[a];
    for (int t = 0; t < shape->count; t++) shape->term[t].step[b] = before.term[t].step[a];
}

/** Returns whether dimension d continues dimension c in all tensors: its step is the step of c
 * times the extent of c. */
static bool continues(const struct terms_shape *shape, int c, int d) {
    bool all = shape->step[d] == shape->step[c] * shape->extent[c];
    for (int t = 0; t < shape->count; t++)
        all = all && shape->term[t].step[d] == shape->term[t].step[c] * shape->extent[c];
    return all;
}

/** Removes dimensions of extent 1, fuses dimensions that continue each other, and adds dimensions
 * of extent 1 until there are two. */
static void simplify(struct terms_shape *shape) {
    int rank = 0;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->extent[d] == 1) continue;
        if (rank > 0 && continues(shape, rank - 1, d)) {
            shape->extent[rank - 1] *= shape->extent[d];
        } else {
            move_dimension(shape, rank++, d);
        }
    }
    for (; rank < 2; rank++) {
        shape->extent[rank] = 1;
        shape->step[rank] = rank == 0;
        for (int t = 0; t < shape->count; t++) shape->term[t].step[rank] = rank == 0;
    }
    shape->rank = rank;
}

/** Finds the first term that is not contiguous along dimension 0 but along another one, and makes
 * that dimension number 1. */
static void choose_second(struct terms_shape *shape) {
    for (int t = 0; t < shape->count; t++) {
        for (int d = 1; d < shape->rank; d++) {
            if (shape->term[t].step[0] == 1 || shape->term[t].step[d] != 1) continue;
            for (int e = d; e > 1; e--) swap_dimensions(shape, e, e - 1);
            return;
        }
    }
}

struct fused fused_of(const struct tcplan_tree *tree, int s) {
    const struct tcplan_network *network = tree->network;
    const struct tcplan_tree_step *step = &tree->step[s];
    const int result = network->operand_count + s;
    const bool is_result = target_of(tree, s) == network->sum_count,
               begins = tcplan_network_begins(network, step->term),
               first = network->order == TCPLAN_COLUMN_MAJOR;
    const struct tcplan_scalar zero = {0, 0}, one = {1, 0},
                               beta = !begins     ? one
                                      : is_result ? network->beta
                                                  : zero;
    struct fused fused = {.shape = {.dtype = tree->dtype, .rank = step->rank}};
    for (int d = 0; d < step->rank; d++) {
        const int index = step->dims[first ? d : step->rank - 1 - d];
        fused.shape.extent[d] = tree->extent[index];
        fused.shape.step[d] = step_of(tree, step->dims, step->rank, index);
    }
    for (int m = 0; m < tree->step_count; m++) {
        if (tree->step[m].joined != s) continue;
        add_term(&fused, tree, tree->step[m].left, network->term[tree->step[m].term].factor,
                 network->operand[tree->step[m].left].conjugated, step);
    }
    if (!scalar_is(beta, 0))
        add_term(&fused, tree, result, beta, begins && network->conjugates_added, step);
    simplify(&fused.shape);
    choose_second(&fused.shape);
    fused.shape.streamed = step->pass_streamed;
    return fused;
}

/* Ways. */

enum { WAYS_MOST = 64 };

/** A way to execute a pass. */
struct way {
    bool streamed;
    int threads;
};

/** Lists the ways of a pass: with 1, 2, 4, ... and `threads` threads; with ordinary and, unless the
 * result is a term, with non-temporal stores. Returns their number. */
static int list_ways(struct way out[WAYS_MOST], const struct fused *fused, int result,
                     int threads) {
    bool reads_result = false;
    int count = 0;
    for (int t = 0; t < fused->shape.count; t++)
        reads_result = reads_result || fused->tensor[t] == result;
    for (int n = 1; count + 2 <= WAYS_MOST; n = 2 * n < threads ? 2 * n : threads) {
        out[count++] = (struct way){.threads = n};
        if (!reads_result) out[count++] = (struct way){.streamed = true, .threads = n};
        if (n >= threads) break;
    }
    return count;
}

/** Returns the seconds of a term's elements if all tensors are in the nearest caches. */
static double element_seconds(const struct terms_shape *shape, int t,
                              const struct tcplan_copy_costs *costs) {
    const int64_t *step = shape->term[t].step;
    double elements = 1;
    for (int d = 0; d < shape->rank; d++) elements *= (double)shape->extent[d];
    const double rows = elements / fmax((double)shape->extent[0], 1);
    if (step[0] == 1) return elements * costs->run + rows * costs->contiguous_row;
    if (step[1] != 1) return elements * costs->scattered + rows * costs->row;
    return elements * costs->transposed +
           (rows + elements / fmax((double)shape->extent[1], 1)) * costs->row;
}

/** Returns the predicted time of a pass, from the machine's costs of elements and of cache lines.
 * With several threads it is at least the time in which the machine's ceilings, if they are known,
 * allow to move all tensors. @param bytes  of each tensor */
static double way_seconds(const struct fused *fused, const struct speeds *speeds, double bytes,
                          struct way way) {
    const struct tcplan_machine *machine = speeds->machine;
    const struct tcplan_costs costs = tcplan_costs_of(machine);
    const double moved = bytes * (fused->shape.count + 1),
                 lines = bytes / (double)(machine->line_bytes > 0 ? machine->line_bytes : 64);
    double line_seconds = 0, seconds = costs.copy[fused->shape.dtype].begin;
    for (int c = 0; c < costs.cache_count; c++) {
        /* Non-temporal stores leave no line in a cache. */
        const bool is_far = moved > costs.cache[c].held_bytes;
        const double write = way.streamed ? costs.streamed : is_far ? costs.written : 0;
        line_seconds += costs.cache[c].line_seconds * ((is_far ? fused->shape.count : 0) + write);
    }
    for (int t = 0; t < fused->shape.count; t++)
        seconds += element_seconds(&fused->shape, t, &costs.copy[fused->shape.dtype]);
    seconds += lines * line_seconds;
    if (way.threads == 1) return seconds;
    const double least = machine->ceilings ? speeds_moving(speeds, moved, moved) : 0;
    return fmax(seconds / way.threads, least) + THREADS_SECONDS;
}

/** Chooses the way with the shortest predicted time, which it returns. */
static double choose_way(struct way *best, const struct fused *fused, const struct speeds *speeds,
                         int result, double bytes) {
    struct way way[WAYS_MOST];
    const int count = list_ways(way, fused, result, speeds->threads);
    double least = INFINITY;
    for (int w = 0; w < count; w++) {
        const double seconds = way_seconds(fused, speeds, bytes, way[w]);
        if (seconds >= least) continue;
        least = seconds;
        *best = way[w];
    }
    return least;
}

/* Joining. */

/** Steps that one pass may replace. */
struct group {
    int count;
    double seconds, flops; /* sums over the steps, executed one after the other */
};

/** Joins a step with the steps of later terms that may be added to the same target in one pass:
 * sets their `joined` to s. Returns their number and their cost. */
static struct group gather(struct tcplan_tree *tree, int s) {
    struct group group = {.count = 0};
    for (int m = 0; m < tree->step_count && group.count < TERMS_SHAPE_MOST - 1; m++) {
        if (!is_term(tree, m) || tree->step[m].joined >= 0 ||
            tree->step[m].term < tree->step[s].term || target_of(tree, m) != target_of(tree, s))
            continue;
        tree->step[m].joined = s;
        group.seconds += tree->step[m].seconds;
        group.flops += tree->step[m].flops;
        group.count++;
    }
    return group;
}

/** Undoes gather(). */
static void scatter(struct tcplan_tree *tree, int s) {
    for (int m = 0; m < tree->step_count; m++) {
        if (tree->step[m].joined == s) tree->step[m].joined = -1;
    }
}

/** Joins a step with others as gather() does, or undoes this if one pass is not faster than the
 * separate steps. */
static void join(struct tcplan_tree *tree, int s, const struct speeds *speeds) {
    struct tcplan_tree_step *step = &tree->step[s];
    const struct group group = gather(tree, s);
    const struct fused fused = fused_of(tree, s);
    const bool timed = step->pass_seconds > 0;
    struct way way = {.streamed = step->pass_streamed, .threads = step->pass_threads};
    const double seconds =
        timed ? step->pass_seconds
              : choose_way(&way, &fused, speeds, tree->network->operand_count + s, step->bytes);
    if (seconds >= (timed ? 1 : LEAST_GAIN) * group.seconds) {
        scatter(tree, s);
        return;
    }
    for (int m = 0; m < tree->step_count; m++)
        tree->step[m].idle = tree->step[m].idle || (tree->step[m].joined == s && m != s);
    step->alone_seconds = step->seconds;
    step->alone_flops = step->flops;
    step->alone_timed = step->timed;
    step->apart_seconds = group.seconds;
    step->seconds = seconds;
    step->pass_streamed = way.streamed;
    step->pass_threads = way.threads;
    step->flops = group.flops;
    step->timed = timed;
}

/** Returns the next step that may be joined with others, in the order of terms, because the first
 * term assigns the result and later ones add to it. Begins at *term and *step, which it advances;
 * returns -1 after the last one. */
static int next_term(const struct tcplan_tree *tree, int *term, int *step) {
    for (; *term < tree->network->term_count; (*term)++, *step = 0) {
        while (*step < tree->step_count) {
            const int s = (*step)++;
            if (tree->step[s].term == *term && is_term(tree, s) && tree->step[s].joined < 0)
                return s;
        }
    }
    return -1;
}

void fused_join(struct tcplan_tree *tree, const struct tcplan_machine *machine, int threads) {
    const struct speeds speeds = speeds_of(machine, tree->dtype, threads);
    for (int term = 0, step = 0, s; (s = next_term(tree, &term, &step)) >= 0;)
        join(tree, s, &speeds);
}

/* Timing. */

/** One pass over memory that adds up all terms of a sum. */
struct pass {
    struct fused fused;
    const void *from[TERMS_SHAPE_MOST];
    void *to;
    int threads;
};

static void run_pass(void *context) {
    const struct pass *pass = context;
    terms_run(&pass->fused.shape, pass->from, pass->to, pass->threads);
}

static void set_way(struct pass *pass, const struct way *way) {
    pass->fused.shape.streamed = way->streamed;
    pass->threads = way->threads;
}

/** Executes a pass once, and returns the seconds. */
static double once_seconds(struct pass *pass, const struct way *way) {
    const double start = monotonic_seconds();
    set_way(pass, way);
    run_pass(pass);
    return monotonic_seconds() - start;
}

/** Times the ways of a pass: each twice, then the fast ones by medians. Returns the shortest time
 * in seconds. */
static double fastest_seconds(struct way *best, struct pass *pass, const struct way way[],
                              int count) {
    struct calibration calibration = {.windows = 0};
    double first[WAYS_MOST], least = INFINITY, seconds = INFINITY;
    for (int w = 0; w < count; w++) first[w] = once_seconds(pass, &way[w]); /* touches memory */
    for (int w = 0; w < count; w++) {
        first[w] = once_seconds(pass, &way[w]);
        least = fmin(least, first[w]);
    }
    for (int w = 0; w < count; w++) {
        if (first[w] > WAY_MARGIN * least) continue;
        set_way(pass, &way[w]);
        const double taken = 1e-9 * calibration_ns(&calibration, run_pass, pass, WINDOW_NS);
        if (taken >= seconds) continue;
        seconds = taken;
        *best = way[w];
    }
    return seconds;
}

/** Returns whether two numbers of tensors in a tree are of the same memory: of the same step, or of
 * factors that are the same tensor. */
static bool is_same_tensor(const struct tcplan_network *network, int a, int b) {
    const int operands = network->operand_count;
    return a == b || (a < operands && b < operands &&
                      network->operand[a].tensor == network->operand[b].tensor);
}

/** Times the ways of a step's pass, and sets the time and the way of the fastest one; without
 * effect if memory runs out. */
static void time_pass(struct tcplan_tree *tree, int s, const struct fused *fused, int threads) {
    const int result = tree->network->operand_count + s;
    const size_t bytes = (size_t)tree->step[s].bytes; /* every tensor of the pass has this size */
    struct pass pass = {.fused = *fused};
    struct way way[WAYS_MOST], best = {.threads = 1};
    const int count = list_ways(way, fused, result, threads);
    char *memory = base_aligned_alloc(TERMS_ALIGNMENT, bytes * ((size_t)fused->shape.count + 1));
    if (!memory) return;
    memset(memory, 0x3f, bytes * ((size_t)fused->shape.count + 1)); /* numbers near 1 or smaller */
    pass.to = memory;
    for (int t = 0; t < fused->shape.count; t++) {
        int first = 0; /* first term that reads the same tensor */
        while (!is_same_tensor(tree->network, fused->tensor[first], fused->tensor[t])) first++;
        pass.from[t] = fused->tensor[t] == result ? memory : memory + ((size_t)first + 1) * bytes;
    }
    tree->step[s].pass_seconds = fastest_seconds(&best, &pass, way, count);
    tree->step[s].pass_streamed = best.streamed;
    tree->step[s].pass_threads = best.threads;
    base_free(memory);
}

/* Whole executions. A step of a tensor that exceeds the last cache is otherwise predicted from a
 * part that the cache holds, and then seems faster than a pass, whose time is that of all
 * elements. */

/** Executes the steps of a tree one after the other, and sets their times. Has no effect if memory
 * runs out or a step cannot be planned. */
static void time_steps(struct tcplan_tree *tree, struct tcplan_planner *planner) {
    const int tensors = tree->network->tensor_count;
    const size_t bytes = (size_t)tree->step[0].bytes;
    struct tcplan_network_plan *plan = NULL;
    double *seconds = base_alloc_zero((size_t)tree->step_count, sizeof *seconds);
    const void **tensor =
        base_alloc_zero((size_t)tensors, sizeof *tensor); /* NOLINT(bugprone-sizeof-expression):
                                                             an array of pointers */
    char *memory = base_aligned_alloc(TERMS_ALIGNMENT, bytes * ((size_t)tensors + 1));
    bool done = seconds && tensor && memory &&
                network_plan_make(&plan, tree, planner, true, NULL) == TCPLAN_OK;
    if (done) memset(memory, 0x3f, bytes * ((size_t)tensors + 1)); /* numbers near 1 or smaller */
    for (int t = 0; done && t < tensors; t++) tensor[t] = memory + ((size_t)t + 1) * bytes;
    for (int run = 0; done && run <= WHOLE_RUNS; run++) /* the first run touches the workspace */
        done = network_execute_timed(plan, tensor, memory, run > 0 ? seconds : NULL, NULL) ==
               TCPLAN_OK;
    for (int s = 0; done && s < tree->step_count; s++) {
        tree->step[s].seconds = seconds[s] / WHOLE_RUNS;
        tree->step[s].timed = true;
    }
    tcplan_network_plan_free(plan);
    base_free(seconds);
    base_free(tensor);
    base_free(memory);
}

/** Times whole executions of the steps of a tree in which every step is a term of a pass, if the
 * tensors exceed the last cache, and time and memory suffice. */
static void time_large_steps(struct tcplan_tree *tree, const struct tcplan_rank_options *rank,
                             struct deadline deadline) {
    const struct tcplan_machine *machine = rank->machine;
    struct tcplan_planner *planner = NULL;
    double seconds = 0;
    if (tree->network->sum_count > 0 || tree->step_count == 0) return;
    for (int s = 0; s < tree->step_count; s++) {
        if (!is_term(tree, s)) return;
        seconds += tree->step[s].seconds;
    }
    if (!machine && knowledge_machine(&machine, NULL) != TCPLAN_OK) return;
    const double bytes = tree->step[0].bytes * (tree->network->tensor_count + 1),
                 available = (double)buffers_available_bytes();
    if (machine->cache_count == 0 ||
        bytes <= (double)machine->cache[machine->cache_count - 1].size_bytes ||
        (available > 0 && 2 * bytes > MEMORY_SHARE * available) || /* the workspace may be as large
                                                                    */
        CALLS * seconds >= deadline_left_seconds(deadline))
        return;
    if (tcplan_planner_new(&planner, NULL) != TCPLAN_OK) return;
    if (tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL) == TCPLAN_OK &&
        tcplan_planner_set_oversubscription(planner, true, NULL) == TCPLAN_OK &&
        tcplan_planner_set_threads(planner, rank->threads, NULL) == TCPLAN_OK)
        time_steps(tree, planner);
    tcplan_planner_free(planner);
}

int fused_time(struct tcplan_tree *tree, const struct tcplan_rank_options *rank,
               struct deadline deadline) {
    int timed = 0;
    if (rank->cache != TCPLAN_CACHE_WARM) return 0;
    time_large_steps(tree, rank, deadline);
    for (int term = 0, step = 0, s; (s = next_term(tree, &term, &step)) >= 0;) {
        const struct group group = gather(tree, s);
        const struct fused fused = fused_of(tree, s);
        const double bytes = tree->step[s].bytes * (fused.shape.count + 1),
                     available = (double)buffers_available_bytes();
        if (bytes > 0 && (available == 0 || bytes < MEMORY_SHARE * available) &&
            CALLS * group.seconds < deadline_left_seconds(deadline)) {
            time_pass(tree, s, &fused, rank->threads);
            timed += tree->step[s].pass_seconds > 0;
        }
    }
    for (int s = 0; s < tree->step_count; s++) tree->step[s].joined = -1;
    return timed;
}

enum tcplan_status fused_join_known(struct tcplan_tree *tree,
                                    const struct tcplan_rank_options *rank,
                                    struct tcplan_error *error) {
    const struct tcplan_machine *machine = rank ? rank->machine : NULL;
    const enum tcplan_status status = machine ? TCPLAN_OK : knowledge_machine(&machine, error);
    if (status == TCPLAN_OK) fused_join(tree, machine, rank ? rank->threads : 1);
    return status;
}

void fused_part(struct tcplan_tree *tree) {
    for (int s = 0; s < tree->step_count; s++) {
        struct tcplan_tree_step *step = &tree->step[s];
        if (step->joined < 0) continue;
        if (step->joined == s) {
            step->seconds = step->alone_seconds;
            step->flops = step->alone_flops;
            step->timed = step->alone_timed;
        }
        step->idle = false;
        step->joined = -1;
    }
}
