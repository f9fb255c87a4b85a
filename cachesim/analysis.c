#include "tcplan/analysis.h"

#include <assert.h>
#include <math.h>

#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "cachesim/distance.h"
#include "cachesim/prefetch.h"
#include "cachesim/setup.h"

struct tcplan_analysis_options tcplan_analysis_defaults(const struct tcplan_machine *machine) {
    const struct tcplan_cache_level *last =
        machine->cache_count > 0 ? &machine->cache[machine->cache_count - 1] : NULL;
    return (struct tcplan_analysis_options){.stage = TCPLAN_STAGE_FIRST,
                                            .cache = TCPLAN_CACHE_WARM,
                                            .line_bytes = machine->line_bytes,
                                            .limit_bytes =
                                                last ? 1.25 * (double)last->size_bytes : INFINITY,
                                            .first_share = 0.01};
}

/** The inputs of an analysis. */
struct subject {
    const struct tcplan_nest *nest;
    const struct refined_problem *problem;
    const struct tcplan_analysis_options *options;
    const struct tcplan_kernel_call *kernel;
    int64_t limit_elems;
};

static const struct tcplan_kernel_call *find_kernel(const struct tcplan_node *body) {
    const struct tcplan_kernel_call *kernel = NULL;
    for (; body && !kernel; body = body->next) {
        if (body->kind == TCPLAN_NODE_KERNEL) kernel = &body->kernel;
        if (body->kind == TCPLAN_NODE_LOOP) kernel = find_kernel(body->loop.body);
    }
    return kernel;
}

static int64_t limit_elems(const struct refined_problem *problem, double limit_bytes) {
    assert(limit_bytes >= 0);
    const double elems = limit_bytes / (double)problem->written.element_bytes;
    return elems < 0x1p63 ? (int64_t)elems : INT64_MAX;
}

/* Operands. */

static bool export_collection(struct tcplan_access *out, const struct collection *collected,
                              const struct refined_problem *problem) {
    for (int slot = 0; slot < COLLECTION_SLOTS; slot++) {
        if (!collected->has[slot]) continue;
        const struct tcplan_slice slice = collection_slice(collected, slot);
        out->collected[out->collected_count++] =
            (struct tcplan_joined){.slice = slice, .elems = slice_elems(problem, slice)};
    }
    return collection_elems(collected, problem, &out->distance_elems);
}

/** Analyses the prefetch of an operand in the middle of the innermost loop. Sets none if the
 * operand was touched after the prefetch. */
static bool analyse_prefetch(struct tcplan_access *out, const struct subject *subject,
                             const struct distance_call *call, enum distance_end end) {
    const struct tcplan_algorithm *algorithm = &subject->nest->algorithm;
    if (subject->options->stage < TCPLAN_STAGE_PREFETCH || call->first < algorithm->loop_count ||
        end == DISTANCE_SIBLING)
        return true;
    if (algorithm->loop_count == 0) return true;
    const int index = algorithm->loop[algorithm->loop_count - 1];
    if (subject->problem->extent[index] == 1) return true;
    const enum prefetch prefetch =
        prefetch_of(subject->problem, out->slice, index, subject->options->line_bytes);
    if (prefetch == PREFETCH_NONE) return true;
    const struct distance distance = distance_of_prefetch(call);
    out->prefetched = true;
    out->shares_lines = prefetch == PREFETCH_SHARED_LINES &&
                        prefetch_line_elems(subject->problem, subject->options->line_bytes) > 1;
    return collection_elems(&distance.collected, subject->problem, &out->prefetch_distance_elems);
}

static bool analyse_access(struct tcplan_access *out, const struct subject *subject,
                           const struct distance_call *call, enum tcplan_operand operand) {
    const struct distance distance = distance_of_access(call, operand);
    out->slice = subject->kernel->slice[operand];
    out->elems = slice_elems(subject->problem, out->slice);
    if (!export_collection(out, &distance.collected, subject->problem)) return false;
    out->never = distance.end == DISTANCE_NEVER;
    if (out->never) out->distance_elems = INT64_MAX;
    return analyse_prefetch(out, subject, call, distance.end);
}

/** Analyses the operands of the calls for which the loops from number `first` inwards are in
 * their first iteration. */
static bool analyse_accesses(struct tcplan_call_class *out, const struct subject *subject,
                             int first) {
    const struct distance_call call = {.nest = subject->nest,
                                       .problem = subject->problem,
                                       .first = first,
                                       .warm = subject->options->cache == TCPLAN_CACHE_WARM};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!analyse_access(&out->access[t], subject, &call, (enum tcplan_operand)t)) return false;
    }
    return true;
}

static bool fill_setup(struct tcplan_call_class *out, const struct subject *subject) {
    int64_t prefetched_elems[TCPLAN_OPERANDS];
    if (subject->options->stage == TCPLAN_STAGE_REPEATED) return true;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        prefetched_elems[t] =
            prefetch_elems(subject->problem, out->access[t].slice, subject->options->line_bytes);
    return setup_fill(out, prefetched_elems, subject->limit_elems);
}

/* Classes. */

/** Appends a class and sets its setup, unless the class has no calls; the caller has set all
 * other members. */
static bool add_class(struct tcplan_analysis *analysis, const struct subject *subject,
                      const struct tcplan_call_class *content) {
    if (content->calls == 0) return true;
    struct tcplan_call_class *added = &analysis->call_class[analysis->class_count++];
    assert(content->calls > 0);
    *added = *content;
    return fill_setup(added, subject);
}

static bool any_shares_lines(const struct tcplan_call_class *call_class) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (call_class->access[t].shares_lines) return true;
    }
    return false;
}

/**
 * Returns how many iterations of one traversal of the innermost loop reach new cache lines: every
 * line_elems-th one, counted from the first. The first one is excluded if first iterations are a
 * class of their own.
 */
static int64_t failing_iterations(const struct subject *subject, int64_t iterations) {
    assert(iterations > 0);
    const int64_t line_elems = prefetch_line_elems(subject->problem, subject->options->line_bytes);
    const int64_t all = (iterations - 1) / line_elems + 1;
    return subject->options->stage == TCPLAN_STAGE_FIRST ? all - 1 : all;
}

/** Adds the steady class and, separately, the calls in which prefetching fails. `traversals` is the
 * number of executions of the innermost loop. */
static bool add_steady(struct tcplan_analysis *analysis, const struct subject *subject,
                       int64_t traversals) {
    const struct tcplan_algorithm *algorithm = &subject->nest->algorithm;
    struct tcplan_call_class steady = {
        .kind = TCPLAN_CLASS_STEADY, .loop = -1, .calls = analysis->calls};
    if (!analyse_accesses(&steady, subject, algorithm->loop_count)) return false;
    struct tcplan_call_class failing = steady;
    failing.kind = TCPLAN_CLASS_PREFETCH_FAILURE;
    failing.calls = 0;
    if (algorithm->loop_count > 0) {
        if (subject->options->stage >= TCPLAN_STAGE_FAILURE && any_shares_lines(&steady))
            failing.calls = traversals * failing_iterations(subject, analysis->calls / traversals);
        if (subject->options->stage >= TCPLAN_STAGE_FIRST) steady.calls -= traversals;
    }
    steady.calls -= failing.calls;
    assert(steady.calls >= 0 && failing.calls >= 0);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (failing.access[t].shares_lines) failing.access[t].prefetched = false;
    }
    return add_class(analysis, subject, &steady) && add_class(analysis, subject, &failing);
}

/**
 * Adds classes of first iterations, from the innermost loop outwards. Ends before the first loop
 * whose first iterations are at most the share `first_share` of all calls; loops farther outside
 * have even fewer. First iterations of a loop without a class of its own stay in the class of the
 * loop inside it.
 * @param traversals number of executions of each loop
 */
static bool add_firsts(struct tcplan_analysis *analysis, const struct subject *subject,
                       const int64_t traversals[]) {
    const double own_class = subject->options->first_share * (double)analysis->calls;
    for (int loop = subject->nest->algorithm.loop_count - 1; loop >= 0; loop--) {
        const bool outer_apart = loop > 0 && (double)traversals[loop - 1] > own_class;
        struct tcplan_call_class first = {
            .kind = TCPLAN_CLASS_FIRST, .loop = loop, .calls = traversals[loop]};
        if (outer_apart) first.calls -= traversals[loop - 1];
        assert(first.calls >= 0);
        if (!analyse_accesses(&first, subject, loop) || !add_class(analysis, subject, &first))
            return false;
        if (!outer_apart) break;
    }
    return true;
}

/** Computes the iterations of a loop in one execution of the nest, given those of the surrounding
 * loops, `outside`. If an index is split, the iterations of the loops over its tiles sum to the
 * whole extent. */
static bool count_iterations(int64_t *out, const struct refined_problem *problem, int index,
                             int64_t outside) {
    const int outer = refinement_outer(problem->refinement, index);
    if (outer < 0) return checked_mul_i64(outside, problem->extent[index], out);
    int outermost = outer;
    while (refinement_outer(problem->refinement, outermost) >= 0)
        outermost = refinement_outer(problem->refinement, outermost);
    const int64_t steps = problem_count(problem, outermost, outer, true);
    assert(steps > 0 && outside % steps == 0);
    return checked_mul_i64(outside / steps, problem_count(problem, outermost, index, true), out);
}

/** Counts the executions of each loop, and the calls. */
static bool count_traversals(const struct subject *subject, int64_t traversals[], int64_t *calls) {
    const struct tcplan_algorithm *algorithm = &subject->nest->algorithm;
    *calls = 1;
    for (int loop = 0; loop < algorithm->loop_count; loop++) {
        traversals[loop] = *calls;
        if (!count_iterations(calls, subject->problem, algorithm->loop[loop], *calls)) return false;
    }
    return true;
}

static bool fill(struct tcplan_analysis *analysis, const struct subject *subject) {
    int64_t traversals[TCPLAN_MAX_INDICES] = {0};
    if (tcplan_problem_only_scales(&subject->problem->written)) return true;
    const int loop_count = subject->nest->algorithm.loop_count;
    if (!count_traversals(subject, traversals, &analysis->calls)) return false;
    if (!add_steady(analysis, subject, loop_count > 0 ? traversals[loop_count - 1] : 1))
        return false;
    return subject->options->stage < TCPLAN_STAGE_FIRST ||
           add_firsts(analysis, subject, traversals);
}

enum tcplan_status tcplan_analysis_build(struct tcplan_analysis **out,
                                         const struct tcplan_nest *nest,
                                         const struct tcplan_problem *problem,
                                         const struct tcplan_analysis_options *options,
                                         struct tcplan_error *error) {
    struct tcplan_analysis *analysis = base_alloc(sizeof *analysis);
    if (!analysis) return error_no_memory(error);
    *analysis = (struct tcplan_analysis){0};
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    const struct subject subject = {.nest = nest,
                                    .problem = &refined,
                                    .options = options,
                                    .kernel = find_kernel(nest->body),
                                    .limit_elems = limit_elems(&refined, options->limit_bytes)};
    assert(subject.kernel); /* every nest has a kernel */
    if (!fill(analysis, &subject)) {
        base_free(analysis);
        return TCPLAN_NOT_APPLICABLE;
    }
    *out = analysis;
    return TCPLAN_OK;
}

void tcplan_analysis_free(struct tcplan_analysis *analysis) {
    base_free(analysis);
}
