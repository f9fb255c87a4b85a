#include "tcplan/traffic.h"

#include <assert.h>
#include <math.h>

#include "ast/contraction/contraction.h"
#include "ast/nest/heuristics.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/error.h"
#include "base/indexset.h"
#include "base/random.h"
#include "cachesim/access_trace.h"
#include "cachesim/history.h"
#include "cachesim/simulator.h"

enum {
    SIMULATED_ACCESSES = 1 << 21, /* nests with more accesses are sampled */
    STRETCH_ACCESSES = 1 << 16,   /* approximate number of accesses of a sampled stretch */
    STREAMED_ACCESSES =
        1 << 24, /* calls with more accesses are assumed to move each operand once */
    MOST_PLACES = 24,
    FEWEST_PLACES = 4,
    PLACES_ACCESSES = 1 << 22, /* approximate number of accesses of all sampled places together */
    SIMULATED_LINES = 1 << 16, /* if a cache has more lines, only a sample of lines is simulated */
    MOST_STRETCH_SCALE = 16
};

/* A history is this much longer than the capacity of the cache that it fills, because its blocks
 * overlap. */
#define HISTORY_CAPACITIES 1.25

/** Bytes of lines that crossed the boundary between the level and the next one. */
struct crossing {
    double fetched;
    double written;
};

struct model {
    const struct tcplan_nest *nest;
    const struct refined_problem *problem;
    struct access_layout layout;
    struct simulator *simulator;
    int64_t line_bytes;
    int64_t page_bytes;
    int64_t cache_bytes;
    uint64_t sampled_lines; /* one line in this many is simulated; a power of two */
    struct random random;
    double streamed_bytes; /* bytes written past the cache since its counts were reset */
    struct crossing crossed;
    bool out_of_memory;
};

const char *tcplan_traffic_method_name(enum tcplan_traffic_method method) {
    static const char *const names[] = {"counted", "simulated", "sampled"};
    return names[method];
}

/* Exact counts. */

static bool is_zero(const struct tcplan_problem *problem, struct tcplan_scalar scalar) {
    return scalar_is(tcplan_problem_scalar(problem, scalar), 0);
}

/** Returns whether a leaf overwrites the operand that it touches last in all of its executions. */
static bool overwrites(const struct model *model, const struct tcplan_node *leaf) {
    if (leaf->kind == TCPLAN_NODE_SCALE) return is_zero(&model->problem->written, leaf->scale.beta);
    const struct tcplan_update *update =
        leaf->kind == TCPLAN_NODE_COPY ? &leaf->copy.update : &leaf->kernel.update;
    return update->first_of == 0 && is_zero(&model->problem->written, update->beta);
}

/** Returns the number of elements that one execution of a node touches, with full tiles. */
static double accesses_of(const struct model *model, const struct tcplan_node *node) {
    double accesses = 0;
    if (node->kind == TCPLAN_NODE_LOOP) {
        for (const struct tcplan_node *child = node->loop.body; child; child = child->next)
            accesses += accesses_of(model, child);
        return accesses * (double)model->problem->extent[node->loop.index];
    }
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    for (int t = node_touches(node, touch) - 1; t >= 0; t--)
        accesses += (double)slice_elems(model->problem, touch[t]);
    return accesses;
}

static double body_accesses(const struct model *model, const struct tcplan_node *body) {
    double accesses = 0;
    for (; body; body = body->next) accesses += accesses_of(model, body);
    return accesses;
}

/** Adds the requests to the first cache in an execution of a body, with full tiles. */
static void add_requests(const struct model *model, const struct tcplan_node *body,
                         double executions, struct crossing *sum) {
    for (; body; body = body->next) {
        if (body->kind == TCPLAN_NODE_LOOP) {
            add_requests(model, body->loop.body,
                         executions * (double)model->problem->extent[body->loop.index], sum);
            continue;
        }
        struct tcplan_slice touch[TCPLAN_OPERANDS];
        const int count = node_touches(body, touch);
        for (int t = 0; t < count; t++) {
            const double bytes = executions * (double)slice_elems(model->problem, touch[t]) *
                                 (double)model->problem->written.element_bytes;
            const bool written = t == count - 1;
            if (written) sum->written += bytes;
            if (!written || !overwrites(model, body)) sum->fetched += bytes;
        }
    }
}

static struct crossing requested(const struct model *model) {
    struct crossing sum = {0};
    add_requests(model, model->nest->body, 1, &sum);
    return sum;
}

/** Returns the bytes of tensors and temporaries. */
static double working_set_bytes(const struct tcplan_nest *nest,
                                const struct refined_problem *problem) {
    double elems = 0;
    const struct tcplan_problem *written = &problem->written;
    const bool is_added = contraction_added(written->contraction) == TCPLAN_ADDEND;
    const double addend = is_added ? tcplan_problem_own_elems(written, TCPLAN_ADDEND) : 0;
    if (tcplan_problem_only_scales(written))
        return (tcplan_problem_own_elems(written, TCPLAN_C) + addend) *
               (double)written->element_bytes;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_slice temporary = {
            .operand = (enum tcplan_operand)t, .temporary = true, .span = nest->temporary_span[t]};
        elems += tcplan_problem_own_elems(written, (enum tcplan_operand)t);
        if (nest_has_temporary(nest, temporary.operand))
            elems += (double)slice_elems(problem, temporary);
    }
    return (elems + addend) * (double)written->element_bytes;
}

static void set_compulsory(struct tcplan_traffic *out, const struct tcplan_problem *problem) {
    const bool only_scales = tcplan_problem_only_scales(problem);
    const bool is_unchanged = only_scales && problem_keeps_result(problem);
    const double factors =
        tcplan_problem_own_elems(problem, TCPLAN_A) + tcplan_problem_own_elems(problem, TCPLAN_B);
    const double read = only_scales ? 0 : factors;
    const double written = is_unchanged ? 0 : tcplan_problem_own_elems(problem, TCPLAN_C);
    const bool has_addend = tcplan_contraction_has_addend(problem->contraction);
    const double added = has_addend ? tcplan_problem_own_elems(problem, TCPLAN_ADDEND) : written;
    const double updated = is_zero(problem, problem->beta) || written == 0 ? 0 : added;
    const double elems = read + written + updated;
    out->updates = updated > 0;
    out->compulsory_bytes = elems * (double)problem->element_bytes;
    out->write_share = elems > 0 ? written / elems : 0;
}

double tcplan_compulsory_bytes(const struct tcplan_problem *problem) {
    struct tcplan_traffic traffic;
    set_compulsory(&traffic, problem);
    return traffic.compulsory_bytes;
}

static int innermost_that_holds(const struct tcplan_machine *machine, double bytes) {
    int cache = 0;
    while (cache < machine->cache_count && (double)machine->cache[cache].size_bytes < bytes)
        cache++;
    return cache;
}

/*
 * Simulation of lines; in large caches, of a sample of lines. Lines are chosen by a hash of their
 * number, as in SHARDS (Waldspurger et al. 2015), and the simulated cache is smaller by the same
 * factor, so that lines are evicted at the same distance.
 */

static bool is_sampled(const struct model *model, uint64_t line) {
    assert((model->sampled_lines & (model->sampled_lines - 1)) == 0);
    struct random hash = {line};
    return model->sampled_lines == 1 || (random_next(&hash) & (model->sampled_lines - 1)) == 0;
}

static void touch_line(struct model *model, uint64_t line, bool write) {
    if (is_sampled(model, line))
        simulator_access(model->simulator, line * (uint64_t)model->line_bytes, write);
}

static void touch_run(struct model *model, uint64_t address, int64_t stride_bytes, int64_t count,
                      bool write) {
    assert(count > 0 && stride_bytes >= 0);
    const uint64_t line_bytes = (uint64_t)model->line_bytes;
    if (stride_bytes < model->line_bytes) {
        const uint64_t last = (address + (uint64_t)(stride_bytes * (count - 1))) / line_bytes;
        for (uint64_t line = address / line_bytes; line <= last; line++)
            touch_line(model, line, write);
        return;
    }
    for (int64_t i = 0; i < count; i++, address += (uint64_t)stride_bytes)
        touch_line(model, address / line_bytes, write);
}

static void touch_region(struct model *model, const struct region *region, uint64_t address,
                         int dimensions) {
    if (dimensions <= 1) {
        const bool any = region->rank > 0;
        touch_run(model, address, any ? region->dimension[0].stride_bytes : 0,
                  any ? region->dimension[0].extent : 1, region->written);
        return;
    }
    const struct region_dimension *dimension = &region->dimension[dimensions - 1];
    for (int64_t i = 0; i < dimension->extent; i++, address += (uint64_t)dimension->stride_bytes) {
        touch_region(model, region, address, dimensions - 1);
    }
}

static void touch_accesses(void *context, const struct access_run *run) {
    struct model *model = context;
    if (run->write && heuristics_stream_node(model->problem, run->node)) {
        model->streamed_bytes += (double)run->count * (double)model->problem->written.element_bytes;
    } else {
        touch_run(model, run->address, run->stride_bytes, run->count, run->write);
    }
}

static void reset_counts(struct model *model) {
    simulator_reset_counts(model->simulator);
    model->streamed_bytes = 0;
}

static struct crossing crossed(const struct model *model) {
    const struct simulator_counts counts = simulator_counts(model->simulator, 0);
    const double bytes = (double)model->line_bytes * (double)model->sampled_lines;
    return (struct crossing){.fetched = (double)counts.misses * bytes,
                             .written = (double)counts.write_backs * bytes + model->streamed_bytes};
}

static void add_crossing(struct crossing *sum, struct crossing crossing, double times) {
    sum->fetched += times * crossing.fetched;
    sum->written += times * crossing.written;
}

/** Simulates two executions, of which the second one counts. */
static void simulate_whole(struct model *model) {
    const struct access_visitor visitor = {.context = model, .run = touch_accesses};
    access_trace(model->nest, model->problem, &model->layout, &visitor);
    reset_counts(model);
    access_trace(model->nest, model->problem, &model->layout, &visitor);
    model->crossed = crossed(model);
}

/* Sampling. */

static const struct tcplan_node *first_leaf(const struct tcplan_node *node) {
    while (node->kind == TCPLAN_NODE_LOOP) node = node->loop.body;
    return node;
}

/** Fills the cache with the data touched before a stretch. */
static void replay_history(struct model *model, const struct access_stretch *stretch) {
    struct region_list list = {0};
    int64_t at[TCPLAN_MAX_INDICES] = {0};
    for (int i = 0; i < model->problem->refinement->index_count; i++) at[i] = stretch->at[i];
    if (stretch->node->kind == TCPLAN_NODE_LOOP) at[stretch->node->loop.index] = stretch->first;
    const struct history_place place = {
        .nest = model->nest,
        .problem = model->problem,
        .leaf = first_leaf(stretch->node),
        .granularity = {.line_bytes = model->line_bytes, .page_bytes = model->page_bytes},
        .at = at};
    history_before(&list, &place, HISTORY_CAPACITIES * (double)model->cache_bytes, INFINITY, true);
    model->out_of_memory = model->out_of_memory || list.out_of_memory;
    for (size_t r = list.count; r-- > 0;) {
        const struct region *region = &list.region[r];
        const int slot = (int)region->operand + (region->temporary ? TCPLAN_TENSORS : 0);
        touch_region(model, region, model->layout.address[slot] + (uint64_t)region->offset_bytes,
                     region->rank);
    }
    region_list_free(&list);
}

static struct crossing stretch_crossing(struct model *model, const struct access_stretch *stretch) {
    assert(stretch->first >= 0 && stretch->count > 0);
    const struct access_visitor visitor = {.context = model, .run = touch_accesses};
    replay_history(model, stretch);
    reset_counts(model);
    access_trace_stretch(model->problem, &model->layout, stretch, &visitor);
    return crossed(model);
}

/** Returns the traffic of a call that is too large to simulate: each operand moves once, and
 * written data are also written back. */
static struct crossing streamed(const struct model *model, const struct tcplan_node *leaf,
                                uint64_t around) {
    const int64_t at[TCPLAN_MAX_INDICES] = {0};
    const struct region_scope scope = {.at = at, .fixed = around, .ranged = -1};
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    const int count = node_touches(leaf, touch);
    struct crossing crossing = {0};
    for (int t = 0; t < count; t++) {
        const struct region region = region_of(model->problem, touch[t], t == count - 1, &scope);
        const double bytes = region_footprint_bytes(&region, model->line_bytes);
        if (!region.written || !heuristics_stream_node(model->problem, leaf))
            crossing.fetched += bytes;
        if (region.written) crossing.written += bytes;
    }
    return crossing;
}

static double stretch_accesses(const struct model *model) {
    const double scale = (double)model->sampled_lines;
    return STRETCH_ACCESSES * (scale < MOST_STRETCH_SCALE ? scale : MOST_STRETCH_SCALE);
}

/** Returns the number of iterations of a loop in a stretch; 1 for other nodes. */
static int64_t stretch_count(const struct model *model, const struct tcplan_node *node) {
    if (node->kind != TCPLAN_NODE_LOOP) return 1;
    const double wanted = stretch_accesses(model) / body_accesses(model, node->loop.body);
    const int64_t extent = model->problem->extent[node->loop.index];
    return wanted >= (double)extent ? extent : wanted > 1 ? (int64_t)wanted : 1;
}

/** Adds the traffic of all executions of a node, estimated from stretches at random places. */
static void sample_node(struct model *model, const struct tcplan_node *node, double executions,
                        uint64_t around) {
    const int64_t extent =
        node->kind == TCPLAN_NODE_LOOP ? model->problem->extent[node->loop.index] : 1;
    const int64_t count = stretch_count(model, node);
    assert(count > 0 && count <= extent);
    const double accesses = accesses_of(model, node) * (double)count / (double)extent;
    if (node->kind != TCPLAN_NODE_LOOP && accesses > STREAMED_ACCESSES) {
        add_crossing(&model->crossed, streamed(model, node, around), executions);
        return;
    }
    const double affordable = PLACES_ACCESSES / accesses;
    const int places = affordable > MOST_PLACES     ? MOST_PLACES
                       : affordable < FEWEST_PLACES ? FEWEST_PLACES
                                                    : (int)affordable;
    struct crossing sum = {0};
    for (int p = 0; p < places && !model->out_of_memory; p++) {
        int64_t at[TCPLAN_MAX_INDICES] = {0};
        for (int i = 0; i < model->problem->refinement->index_count; i++) {
            if (indexset_has(around, i))
                at[i] = random_below(&model->random, model->problem->extent[i]);
        }
        const struct access_stretch stretch = {.node = node,
                                               .around = around,
                                               .at = at,
                                               .first =
                                                   random_below(&model->random, extent - count + 1),
                                               .count = count};
        add_crossing(&sum, stretch_crossing(model, &stretch), 1);
    }
    add_crossing(&model->crossed, sum, executions * (double)extent / (double)count / places);
}

/** Descends to loops whose iterations fit a stretch, and to nodes that are not loops. */
static void sample_body(struct model *model, const struct tcplan_node *body, double executions,
                        uint64_t around) {
    for (; body; body = body->next) {
        if (body->kind == TCPLAN_NODE_LOOP &&
            body_accesses(model, body->loop.body) > stretch_accesses(model)) {
            const double iterations = executions * (double)model->problem->extent[body->loop.index];
            sample_body(model, body->loop.body, iterations, around | indexset_of(body->loop.index));
        } else {
            sample_node(model, body, executions, around);
        }
    }
}

/* The model. */

static bool open_simulator(struct model *model, const struct tcplan_cache_level *cache) {
    model->cache_bytes = cache->size_bytes;
    model->sampled_lines = 1;
    while (cache->size_bytes / model->line_bytes / (int64_t)model->sampled_lines > SIMULATED_LINES)
        model->sampled_lines *= 2;
    struct simulator_options options = {.line_bytes = model->line_bytes, .level_count = 1};
    options.level[0].size_bytes = cache->size_bytes / (int64_t)model->sampled_lines;
    /* If a way is larger than a page, physical addresses determine the set of a line. The system
     * scatters pages, so that sets are nearly random. */
    const bool by_page_offset =
        cache->ways > 0 && cache->size_bytes / cache->ways <= model->page_bytes;
    options.level[0].ways = model->sampled_lines == 1 && by_page_offset ? cache->ways : 0;
    model->simulator = simulator_new(&options);
    return model->simulator != NULL;
}

static enum tcplan_status simulate(struct model *model, struct tcplan_traffic *out,
                                   const struct tcplan_cache_level *cache,
                                   struct tcplan_error *error) {
    if (!open_simulator(model, cache)) return error_no_memory(error);
    const bool whole = body_accesses(model, model->nest->body) <= SIMULATED_ACCESSES;
    out->method =
        whole && model->sampled_lines == 1 ? TCPLAN_TRAFFIC_SIMULATED : TCPLAN_TRAFFIC_SAMPLED;
    if (whole) {
        simulate_whole(model);
    } else {
        sample_body(model, model->nest->body, 1, 0);
    }
    simulator_free(model->simulator);
    return model->out_of_memory ? error_no_memory(error) : TCPLAN_OK;
}

enum tcplan_status tcplan_traffic_model(struct tcplan_traffic *out, const struct tcplan_nest *nest,
                                        const struct tcplan_problem *problem,
                                        const struct tcplan_machine *machine, uint64_t seed,
                                        struct tcplan_error *error) {
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    struct model model = {.nest = nest,
                          .problem = &refined,
                          .layout = access_layout_of(&refined),
                          .line_bytes = machine->line_bytes,
                          .page_bytes = machine->page_bytes,
                          .random = {seed}};
    enum tcplan_status status = TCPLAN_OK;
    *out = (struct tcplan_traffic){.working_set_bytes = working_set_bytes(nest, &refined)};
    out->cache = innermost_that_holds(machine, out->working_set_bytes);
    set_compulsory(out, problem);
    if (tcplan_problem_only_scales(problem)) {
        out->model_bytes = out->compulsory_bytes;
        out->model_write_share = out->write_share;
        return TCPLAN_OK;
    }
    if (out->cache > 0) {
        status = simulate(&model, out, &machine->cache[out->cache - 1], error);
    } else if (machine->cache_count > 0) {
        model.crossed = requested(&model);
    }
    const double bytes = model.crossed.fetched + model.crossed.written;
    const bool known = bytes > out->compulsory_bytes;
    out->model_bytes = known ? bytes : out->compulsory_bytes;
    out->model_write_share = known ? model.crossed.written / bytes : out->write_share;
    return status;
}
