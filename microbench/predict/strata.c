#include "microbench/predict/strata.h"

#include <assert.h>

#include "base/indexset.h"

/* Strata with a smaller share of the calls are not sampled. Their calls take at most about as
 * long as others, so the estimate's error stays below this share. */
#define LEAST_SHARE 0.02

static void find_slow(struct strata *out, const struct tcplan_program *program,
                      int64_t stretch_calls) {
    const struct operation *kernel = program->kernel;
    for (const struct operation *loop = kernel->parent; loop; loop = loop->parent) {
        const bool is_slow = loop->calls / (loop->extent > 0 ? loop->extent : 1) >= stretch_calls;
        if (!is_slow) continue;
        out->tiles |= loop->steps_of & kernel->partial_mask;
        out->first_of |= indexset_of(loop->node->loop.index) & kernel->first_of;
    }
}

static struct stratum key_of(const struct strata *strata, struct loop_state state) {
    return (struct stratum){.partial = state.partial & strata->tiles,
                            .later = (state.later & strata->first_of) != 0};
}

static void add_calls(struct strata *out, struct stratum key, int64_t calls) {
    int s = 0;
    while (s < out->count &&
           (out->stratum[s].partial != key.partial || out->stratum[s].later != key.later))
        s++;
    if (s == STRATA_MOST) s = 0;
    assert(calls >= 0);
    if (s == out->count) out->stratum[out->count++] = key;
    out->stratum[s].calls += calls;
}

static void count_within(struct strata *out, const struct operation *leaf,
                         const struct operation *body, struct loop_state state, int64_t times);

/** Counts the iterations of a loop: the first, the last, and those between. */
static void count_loop(struct strata *out, const struct operation *leaf,
                       const struct operation *loop, struct loop_state state, int64_t times) {
    const int64_t extent = operation_extent(loop, state);
    const bool splits_first = indexset_has(out->first_of, loop->node->loop.index);
    const bool splits_last = (loop->steps_of & out->tiles) != 0;
    if (extent == 0) return;
    if (!splits_first && !splits_last) {
        count_within(out, leaf, loop->body, state, times * extent);
        return;
    }
    count_within(out, leaf, loop->body, operation_inside(loop, state, 0), times);
    if (extent > 2)
        count_within(out, leaf, loop->body, operation_inside(loop, state, 1), times * (extent - 2));
    if (extent > 1)
        count_within(out, leaf, loop->body, operation_inside(loop, state, extent - 1), times);
}

static void count_within(struct strata *out, const struct operation *leaf,
                         const struct operation *body, struct loop_state state, int64_t times) {
    for (const struct operation *o = body; o; o = o->next) {
        if (o == leaf) add_calls(out, key_of(out, state), times);
        if (o->kind == OPERATION_LOOP) count_loop(out, leaf, o, state, times);
    }
}

/** Assigns the calls of small strata to the largest stratum. */
static void join_small(struct strata *strata, int64_t calls) {
    assert(strata->count > 0 && strata->count <= STRATA_MOST);
    int largest = 0, count = 0;
    for (int s = 1; s < strata->count; s++) {
        if (strata->stratum[s].calls > strata->stratum[largest].calls) largest = s;
    }
    for (int s = 0; s < strata->count; s++) {
        const bool is_small =
            s != largest && (double)strata->stratum[s].calls < LEAST_SHARE * (double)calls;
        if (is_small) strata->stratum[largest].calls += strata->stratum[s].calls;
        if (is_small) strata->stratum[s].calls = 0;
    }
    for (int s = 0; s < strata->count; s++) {
        if (strata->stratum[s].calls > 0) strata->stratum[count++] = strata->stratum[s];
    }
    assert(count > 0); /* the largest stratum is never removed */
    strata->count = count;
}

struct strata strata_of(const struct tcplan_program *program, int64_t stretch_calls) {
    struct strata out = {0};
    if (!program->shared) find_slow(&out, program, stretch_calls);
    if (out.tiles == 0 && out.first_of == 0) {
        out.count = 1;
        out.stratum[0].calls = program->calls;
        return out;
    }
    count_within(&out, program->kernel, program->body, (struct loop_state){0}, 1);
    join_small(&out, program->calls);
    return out;
}

bool strata_are_alike(const struct strata *a, const struct strata *b) {
    return a->tiles == b->tiles && a->first_of == b->first_of;
}

static bool is_in(const struct strata *strata, int which, const struct tcplan_program *program,
                  int64_t position) {
    assert(which >= 0 && which < strata->count);
    const struct stratum key = key_of(strata, program_state(program, program->kernel, position));
    return key.partial == strata->stratum[which].partial &&
           key.later == strata->stratum[which].later;
}

bool strata_hold(const struct strata *strata, int which, const struct tcplan_program *program,
                 int64_t first, int64_t calls) {
    const int64_t end = first + calls - 1;
    return strata->count == 1 || (end < program->calls && is_in(strata, which, program, first) &&
                                  is_in(strata, which, program, end));
}

double strata_weigh(const struct strata *strata, const double call_ns[]) {
    double ns = 0;
    for (int s = 0; s < strata->count; s++) ns += (double)strata->stratum[s].calls * call_ns[s];
    return ns;
}

static double elements_of(const struct strided *block) {
    double elements = 1;
    for (int d = 0; d < block->rank; d++) elements *= (double)block->extent[d];
    return elements;
}

double strata_full_blocks(const struct tcplan_program *program, const struct operation *operation) {
    struct strata strata = {.tiles = operation->partial_mask};
    double elements = 0, full = 0;
    if (operation->variant_count <= 1) return program_occurrences(program, operation);
    count_within(&strata, operation, program->body, (struct loop_state){0}, 1);
    for (int v = 0; v < operation->variant_count; v++) {
        const struct operation_variant *variant = &operation->variant[v];
        if (variant->later) continue;
        if (variant->partial == 0) full = elements_of(&variant->strided);
        for (int s = 0; s < strata.count; s++) {
            if (strata.stratum[s].partial == variant->partial)
                elements += (double)strata.stratum[s].calls * elements_of(&variant->strided);
        }
    }
    assert(full > 0); /* the first variant is for full tiles */
    return elements / full;
}
