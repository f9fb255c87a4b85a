/*
 * Compares the analysis of reuse distances with an exact LRU simulation of every access, for
 * random nests. This checks the formulas in cachesim/distance.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"
#include "cachesim/access_trace.h"
#include "cachesim/distance.h"
#include "cachesim/reuse.h"
#include "support/random_contraction.h"
#include "support/rng.h"

enum { MAX_LOOPS = 8, STATES = MAX_LOOPS + 1 };

/** Bounds on the number of other elements touched since the last access to an operand's elements;
 * `least` is -1 if there is no lower bound. */
struct bounds {
    bool checked;
    int64_t least;
    int64_t most;
};

/** A simulation of two executions of a nest. The expected distances of the second one, by state
 * (see struct distance_call) and operand. */
struct oracle {
    const struct tcplan_nest *nest;
    struct refined_problem problem; /* a copy: the test changes its strides */
    const char *description;
    struct reuse reuse;
    int execution;
    bool in_state[STATES]; /* whether the current kernel call is in each state */
    struct bounds expected[STATES][TCPLAN_OPERANDS];
    bool never[STATES][TCPLAN_OPERANDS]; /* whether the operand is expected not to have been touched
                                            before */
    int64_t exact;                       /* number of checks that expect one exact distance */
    int64_t bounded;
};

/* The simulation. */

static void note_state(void *context, const struct tcplan_node *node, const int64_t at[]) {
    struct oracle *oracle = context;
    const struct tcplan_algorithm *algorithm = &oracle->nest->algorithm;
    for (int first = 0; first <= algorithm->loop_count; first++) {
        bool matches = node->kind == TCPLAN_NODE_KERNEL;
        for (int l = 0; l < algorithm->loop_count; l++) {
            const int index = algorithm->loop[l];
            const bool at_first = at[index] == 0;
            if (oracle->problem.extent[index] > 1 && at_first != (l >= first)) matches = false;
        }
        oracle->in_state[first] = matches;
    }
}

static void check(struct oracle *oracle, const struct access_run *run, int state,
                  int64_t distance) {
    const struct bounds *expected = &oracle->expected[state][run->slice.operand];
    if (oracle->execution == 0) {
        if (oracle->never[state][run->slice.operand]) assert_true(distance == REUSE_NEVER);
        return;
    }
    if (!expected->checked) return;
    if (expected->least == expected->most) oracle->exact++;
    if (expected->least != expected->most) oracle->bounded++;
    if (distance >= expected->least && distance <= expected->most) return;
    fail_msg("%s: operand %d in state %d: distance %lld, expected %lld to %lld",
             oracle->description, (int)run->slice.operand, state, (long long)distance,
             (long long)expected->least, (long long)expected->most);
}

static void simulate_run(void *context, const struct access_run *run) {
    struct oracle *oracle = context;
    for (int64_t i = 0; i < run->count; i++) {
        const uint64_t address = run->address + (uint64_t)(i * run->stride_bytes);
        const int64_t distance =
            reuse_access(&oracle->reuse, address / oracle->problem.written.element_bytes);
        if (run->node->kind != TCPLAN_NODE_KERNEL) continue;
        for (int state = 0; state <= oracle->nest->algorithm.loop_count; state++) {
            if (oracle->in_state[state]) check(oracle, run, state, distance);
        }
    }
}

static void simulate(struct oracle *oracle) {
    const struct access_layout layout = access_layout_of(&oracle->problem);
    const struct access_visitor visitor = {
        .context = oracle, .run = simulate_run, .node = note_state};
    assert_true(reuse_init(&oracle->reuse));
    for (oracle->execution = 0; oracle->execution < 2; oracle->execution++)
        access_trace(oracle->nest, &oracle->problem, &layout, &visitor);
    assert_false(oracle->reuse.out_of_memory);
    reuse_free(&oracle->reuse);
}

/* What is expected. */

static const struct tcplan_node *kernel_of(const struct tcplan_node *body) {
    const struct tcplan_node *kernel = NULL;
    for (; body && !kernel; body = body->next) {
        if (body->kind == TCPLAN_NODE_KERNEL) kernel = body;
        if (body->kind == TCPLAN_NODE_LOOP) kernel = kernel_of(body->loop.body);
    }
    return kernel;
}

static bool same_operand(struct tcplan_slice a, struct tcplan_slice b) {
    return a.operand == b.operand && a.temporary == b.temporary;
}

/** Adds to the collection the data that the walk's last node touches after the operand, and the
 * data that the kernel touches before the operand. */
static struct collection joined_at_ends(const struct distance *distance,
                                        const struct tcplan_node *kernel,
                                        struct tcplan_slice operand) {
    struct collection all = distance->collected;
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    const int count = distance->node ? node_touches(distance->node, touch) : 0;
    for (int t = count - 1, after = true; t >= 0 && after; t--) {
        collection_add_slice(&all, touch[t]);
        after = !same_operand(touch[t], operand);
    }
    for (int t = 0; t <= (int)operand.operand; t++)
        collection_add_slice(&all, kernel->kernel.slice[t]);
    return all;
}

static int64_t elems_of(const struct collection *collection,
                        const struct refined_problem *problem) {
    int64_t elems;
    assert_true(collection_elems(collection, problem, &elems));
    return elems;
}

static bool varies(const struct tcplan_refinement *refinement, struct tcplan_slice slice,
                   int index) {
    return !slice.temporary && indexset_has(slice_moving_indices(refinement, slice), index);
}

/** Returns the total size of the collected operands that vary with a loop. */
static int64_t varying_elems(const struct collection *collection,
                             const struct refined_problem *problem, int index) {
    struct collection varying = {0};
    for (int slot = 0; slot < COLLECTION_SLOTS; slot++) {
        if (!collection->has[slot]) continue;
        const struct tcplan_slice slice = collection_slice(collection, slot);
        if (varies(problem->refinement, slice, index)) collection_add_slice(&varying, slice);
    }
    return elems_of(&varying, problem);
}

/** Returns whether a node is the kernel or a loop around it. */
static bool holds_kernel(const struct tcplan_node *node) {
    return node->kind == TCPLAN_NODE_KERNEL ||
           (node->kind == TCPLAN_NODE_LOOP && kernel_of(node->loop.body));
}

/** Returns how many leaves of a nest touch an operand. */
static int touching_leaves(const struct tcplan_node *node, struct tcplan_slice operand) {
    if (node->kind != TCPLAN_NODE_LOOP) return node_touches_operand(node, operand);
    int count = 0;
    for (const struct tcplan_node *child = node->loop.body; child; child = child->next)
        count += touching_leaves(child, operand);
    return count;
}

/** Returns whether the last node of a walk touches only the operand's data: by one leaf or, in a
 * loop, only by the kernel. */
static bool ends_at_operand(const struct distance *distance, struct tcplan_slice operand) {
    struct tcplan_slice touch[TCPLAN_OPERANDS];
    if (holds_kernel(distance->node)) return touching_leaves(distance->node, operand) == 1;
    for (int t = node_touches(distance->node, touch) - 1; t >= 0; t--) {
        if (same_operand(touch[t], operand)) return touch[t].span == operand.span;
    }
    return false;
}

/** Returns whether the operand is constant in some loop that is in its first iteration: the walk
 * then overlooks the operand's last access. */
static bool stays_in_first_loop(const struct oracle *oracle, struct tcplan_slice operand, int state,
                                int end) {
    const struct tcplan_algorithm *algorithm = &oracle->nest->algorithm;
    for (int l = state > end ? state : end + 1; l < algorithm->loop_count; l++) {
        const int index = algorithm->loop[l];
        if (oracle->problem.extent[index] > 1 && !varies(oracle->nest->refinement, operand, index))
            return true;
    }
    return false;
}

/** Returns whether the distance is exact for a walk that ended here; otherwise it is a lower bound.
 */
static bool is_exact(const struct oracle *oracle, const struct distance *distance,
                     struct tcplan_slice operand, int state) {
    if (!ends_at_operand(distance, operand)) return false;
    return distance->end == DISTANCE_SIBLING || !holds_kernel(distance->node) ||
           !stays_in_first_loop(oracle, operand, state, distance->loop);
}

/** Sets strides so that all iterations of a loop use the same addresses. */
static void overlay(struct refined_problem *problem, int index) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) problem->stride_elems[t][index] = 0;
}

/** Adds the expected distance of an operand in a state. All iterations of loop `overlaid` use the
 * same addresses; -1: no loop is overlaid. */
static void expect_access(struct oracle *oracle, int overlaid, int state, enum tcplan_operand t) {
    const struct tcplan_node *kernel = kernel_of(oracle->nest->body);
    const struct tcplan_slice operand = kernel->kernel.slice[t];
    struct distance_call call = {
        .nest = oracle->nest, .problem = &oracle->problem, .first = state, .warm = true};
    const struct distance distance = distance_of_access(&call, t);
    const struct collection all = joined_at_ends(&distance, kernel, operand);
    const bool exact = is_exact(oracle, &distance, operand, state);
    const int64_t size = elems_of(&all, &oracle->problem);
    struct bounds *bounds = &oracle->expected[state][t];
    *bounds = (struct bounds){.checked = overlaid < 0 || overlaid == distance.loop,
                              .least = exact ? size - 1 : -1,
                              .most = size - 1};
    if (overlaid < 0 && distance.loop >= 0)
        bounds->most +=
            varying_elems(&all, &oracle->problem, oracle->nest->algorithm.loop[distance.loop]);
    assert_true(bounds->most < 2 * size);
    call.warm = false;
    oracle->never[state][t] =
        overlaid < 0 && exact && distance_of_access(&call, t).end == DISTANCE_NEVER;
}

/** Adds the expected prefetch distance of an operand that varies with the innermost loop, all of
 * whose iterations use the same addresses. */
static void expect_prefetch(struct oracle *oracle, enum tcplan_operand t) {
    const struct tcplan_algorithm *algorithm = &oracle->nest->algorithm;
    const int innermost = algorithm->loop_count - 1;
    const struct tcplan_node *kernel = kernel_of(oracle->nest->body);
    const struct distance_call call = {
        .nest = oracle->nest, .problem = &oracle->problem, .first = innermost + 1, .warm = true};
    struct collection all = distance_of_prefetch(&call).collected;
    for (int other = 0; other < TCPLAN_OPERANDS; other++)
        collection_add_slice(&all, kernel->kernel.slice[other]);
    const int64_t others = elems_of(&all, &oracle->problem) - 1;
    const bool is_prefetch =
        oracle->problem.extent[algorithm->loop[innermost]] > 1 &&
        varies(oracle->nest->refinement, kernel->kernel.slice[t], algorithm->loop[innermost]) &&
        distance_of_access(&call, t).end != DISTANCE_SIBLING &&
        touching_leaves(
            &(struct tcplan_node){.kind = TCPLAN_NODE_LOOP, .loop = {.body = oracle->nest->body}},
            kernel->kernel.slice[t]) == 1;
    oracle->expected[innermost + 1][t] =
        (struct bounds){.checked = is_prefetch, .least = others, .most = others};
}

/* Nests. */

/** Counts of checks. */
struct tally {
    int nests;
    int64_t exact; /* number of accesses that have one exact distance */
    int64_t bounded;
};

/** Simulates a nest once for each loop, with the same addresses in all its iterations, and once
 * with the actual addresses. */
static void check_nest(struct tally *tally, const struct tcplan_nest *nest,
                       const struct refined_problem *problem, const char *description) {
    const int loops = nest->algorithm.loop_count;
    struct oracle oracle = {.nest = nest, .problem = *problem, .description = description};
    for (int overlaid = -1; overlaid < loops; overlaid++) {
        oracle.problem = *problem;
        if (overlaid >= 0) overlay(&oracle.problem, nest->algorithm.loop[overlaid]);
        for (int state = 0; state <= loops; state++) {
            for (int t = 0; t < TCPLAN_OPERANDS; t++)
                expect_access(&oracle, overlaid, state, (enum tcplan_operand)t);
        }
        simulate(&oracle);
    }
    for (int state = 0; state <= loops; state++) {
        for (int t = 0; t < TCPLAN_OPERANDS; t++) oracle.expected[state][t].checked = false;
    }
    if (loops > 0) overlay(&oracle.problem, nest->algorithm.loop[loops - 1]);
    for (int t = 0; loops > 0 && t < TCPLAN_OPERANDS; t++)
        expect_prefetch(&oracle, (enum tcplan_operand)t);
    simulate(&oracle);
    tally->nests++;
    tally->exact += oracle.exact;
    tally->bounded += oracle.bounded;
}

/** Checks one loop nest of an algorithm of a random contraction. */
typedef void check_fn(struct tally *tally, const struct tcplan_nest *nest,
                      const struct refined_problem *problem, const char *description,
                      uint64_t *rng);

/** Checks some algorithms of random contraction number `seed`. */
static void check_contraction(struct tally *tally, uint64_t seed, check_fn *check_one) {
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.overlaps = false;
    struct random_contraction random;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    uint64_t rng = seed;
    options.max_extent = 4;
    options.min_rank = 0;
    random_contraction_init(&random, seed, &options);
    tcplan_enumerator_init(&enumerator, random.contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        if (!rng_once_in(&rng, 12)) continue;
        struct tcplan_nest *nest = NULL;
        char description[1024];
        char *name = tcplan_algorithm_name(&algorithm, random.contraction, random.problem.dtype);
        snprintf(description, sizeof description, "%s by %s", random_contraction_describe(&random),
                 name);
        free(name);
        assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL), TCPLAN_OK);
        const struct refined_problem refined = problem_refine(&random.problem, nest->refinement);
        check_one(tally, nest, &refined, description, &rng);
        tcplan_nest_free(nest);
    }
    random_contraction_free(&random);
}

static void check_as_built(struct tally *tally, const struct tcplan_nest *nest,
                           const struct refined_problem *problem, const char *description,
                           uint64_t *rng) {
    (void)rng;
    check_nest(tally, nest, problem, description);
}

/** Checks random contractions, and that enough checks were made. */
static void check_contractions(uint64_t first_seed, int count, check_fn *check_one) {
    struct tally tally = {0};
    for (int seed = 0; seed < count; seed++)
        check_contraction(&tally, first_seed + (uint64_t)seed, check_one);
    print_message("%d nests: %lld distances equal, %lld within their bounds\n", tally.nests,
                  (long long)tally.exact, (long long)tally.bounded);
    assert_true(tally.nests > 2 * count && tally.exact > 250 * count);
}

static void distances_of_algorithms_equal_the_simulation(void **state) {
    (void)state;
    check_contractions(1, 900, check_as_built);
}

/** Returns a scaling of a random tensor, with the enclosing loop indices fixed, or a loop over such
 * a scaling: no algorithm has such nodes. NULL if memory runs out. */
static const struct tcplan_node *extra_node(struct arena *arena,
                                            const struct tcplan_refinement *refinement,
                                            uint64_t around, const struct tcplan_node *rest,
                                            uint64_t *rng) {
    struct tcplan_slice slice = {.operand = (enum tcplan_operand)rng_below(rng, TCPLAN_OPERANDS)};
    slice.span = refinement->indices[slice.operand] & ~around;
    if (slice.span == 0 || rng_once_in(rng, 2))
        return node_scale(arena, (struct tcplan_scale){.slice = slice}, rest);
    const int index = indexset_first(slice.span);
    slice.span &= slice.span - 1;
    const struct tcplan_node *body = node_scale(arena, (struct tcplan_scale){.slice = slice}, NULL);
    return node_loop(arena, (struct tcplan_loop){.index = index, .body = body}, rest);
}

/** Copies the body of a loop nest and inserts scalings at random places. */
static const struct tcplan_node *mix(struct arena *arena,
                                     const struct tcplan_refinement *refinement,
                                     const struct tcplan_node *body, uint64_t around,
                                     uint64_t *rng) {
    const struct tcplan_node *rest = body ? mix(arena, refinement, body->next, around, rng) : NULL;
    if (body) {
        switch (body->kind) {
        case TCPLAN_NODE_LOOP: {
            const uint64_t inside = around | indexset_of(body->loop.index);
            const struct tcplan_node *mixed = mix(arena, refinement, body->loop.body, inside, rng);
            rest = node_loop(arena, (struct tcplan_loop){.index = body->loop.index, .body = mixed},
                             rest);
            break;
        }
        case TCPLAN_NODE_COPY: rest = node_copy(arena, body->copy, rest); break;
        case TCPLAN_NODE_SCALE: rest = node_scale(arena, body->scale, rest); break;
        case TCPLAN_NODE_KERNEL: rest = node_kernel(arena, body->kernel, rest); break;
        case TCPLAN_NODE_STEPS:
        case TCPLAN_NODE_CALL:
        case TCPLAN_NODE_AGAIN: break;
        }
    }
    return rng_once_in(rng, 5) ? extra_node(arena, refinement, around, rest, rng) : rest;
}

static void check_mixed(struct tally *tally, const struct tcplan_nest *nest,
                        const struct refined_problem *problem, const char *description,
                        uint64_t *rng) {
    struct arena arena = {0};
    struct tcplan_nest mixed = *nest;
    mixed.body = mix(&arena, nest->refinement, nest->body, 0, rng);
    check_nest(tally, &mixed, problem, description);
    arena_free(&arena);
}

static void distances_of_any_mixture_equal_the_simulation(void **state) {
    (void)state;
    check_contractions(1001, 600, check_mixed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_of_algorithms_equal_the_simulation),
        cmocka_unit_test(distances_of_any_mixture_equal_the_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
