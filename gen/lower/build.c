#include "ast/algorithm/algorithm.h"

#include "ast/algorithm/algorithm_check.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/error.h"
#include "base/indexset.h"
#include <assert.h>

/* Maximum number of nodes that initialise a slice: one for the result, one for its temporary. */
enum { STARTS = 2 };

/** A node that initialises a slice (a scaling or a copy of the addend), and the number of loops
 * around it. */
struct placed_start {
    int depth;
    bool is_copy;
    struct tcplan_scale scale;
    struct tcplan_copy copy;
};

/** State of building a nest. */
struct build {
    struct arena *arena;
    struct tcplan_nest *nest;
    const struct tcplan_algorithm *algorithm;
    int start_count;
    struct placed_start start[STARTS];
    struct tcplan_copy in;       /* the copy that fills the result's temporary, if any */
    struct tcplan_update kernel; /* how the kernel updates the result or its temporary */
    struct tcplan_update out;    /* how the copy back updates the result */
};

static const struct tcplan_scalar zero = {0, 0};
static const struct tcplan_scalar one = {1, 0};

/** Returns the slice of a tensor or temporary that remains when the outermost `depth` loops are
 * fixed. */
static struct tcplan_slice slice_within(const struct build *build, enum tcplan_operand operand,
                                        bool temporary, int depth) {
    assert(depth >= 0 && depth <= build->algorithm->loop_count);
    struct tcplan_slice slice = {.operand = operand, .temporary = temporary};
    slice.span = slice_indices(build->nest->refinement, slice);
    for (int l = 0; l < depth; l++) slice.span &= ~indexset_of(build->algorithm->loop[l]);
    return slice;
}

/** Returns the slice of a whole temporary, or of the corresponding part of its tensor, without
 * summed indices. */
static struct tcplan_slice copied_slice(const struct build *build, enum tcplan_operand operand,
                                        bool temporary) {
    return (struct tcplan_slice){
        .operand = operand, .temporary = temporary, .span = build->nest->temporary_span[operand]};
}

/** Returns the copy that fills the temporary of an operand from its tensor. */
static struct tcplan_copy copy_in(const struct build *build, enum tcplan_operand operand) {
    struct tcplan_copy copy = {.to = copied_slice(build, operand, true),
                               .from = copied_slice(build, operand, false),
                               .summed = contraction_summed(build->nest->contraction, operand),
                               .update = {.alpha = one, .beta = zero},
                               .conjugated = operand != TCPLAN_C &&
                                             build->nest->contraction->tensor[operand].conjugated};
    copy.from.span |= copy.summed;
    return copy;
}

/** A node that writes a slice (kernel or copy back). The loops [from, to) may revisit the slice;
 * the node applies beta if it can. */
struct writer {
    int from;
    int to;
    bool has_beta;
    bool temporary;
};

/** The initial value of a slice: beta times its old value, times its conjugate, or times the
 * addend. The last two need a node of their own. */
struct start {
    struct tcplan_scalar beta;
    bool conjugated;
    bool from_addend;
};

static struct tcplan_copy copy_of_addend(struct tcplan_slice to, struct start with) {
    const struct tcplan_slice from = {.operand = TCPLAN_ADDEND, .span = to.span};
    return (struct tcplan_copy){.to = to,
                                .from = from,
                                .update = {.alpha = with.beta, .beta = zero},
                                .conjugated = with.conjugated};
}

static void add_start(struct build *build, bool temporary, int depth, struct start with) {
    const struct tcplan_slice slice = slice_within(build, TCPLAN_C, temporary, depth);
    struct placed_start placed = {.depth = depth, .is_copy = with.from_addend};
    if (with.from_addend) {
        placed.copy = copy_of_addend(slice, with);
    } else {
        placed.scale =
            (struct tcplan_scale){.slice = slice, .beta = with.beta, .conjugated = with.conjugated};
    }
    assert(build->start_count < STARTS);
    build->start[build->start_count++] = placed;
}

/** Returns how a node updates a slice. If the node cannot apply the initial value itself, adds a
 * node before it that initialises the slice. */
static struct tcplan_update start(struct build *build, struct writer writer, struct start with) {
    assert(writer.from >= 0 && writer.from <= writer.to);
    assert(writer.to <= build->algorithm->loop_count);
    const bool is_own = with.conjugated || with.from_addend;
    const bool is_unchanged = scalar_is(with.beta, 1) && !is_own;
    const uint64_t contracted = algorithm_contracted_loops(
        build->algorithm, build->nest->contraction, writer.from, writer.to);
    const bool applies = writer.has_beta && !is_own && (!contracted || build->algorithm->starts);
    if (applies && !is_unchanged)
        return (struct tcplan_update){.alpha = one, .beta = with.beta, .first_of = contracted};
    if (!is_unchanged) {
        int depth = writer.from;
        while (depth < writer.to && !indexset_has(contracted, build->algorithm->loop[depth]))
            depth++;
        add_start(build, writer.temporary, depth, with);
    }
    return (struct tcplan_update){.alpha = one, .beta = one};
}

/**
 * Handles a kernel that adds to a temporary, which is filled from the result or the addend. The
 * fill applies beta or, if contracted loops revisit the result, a scaling of the result before
 * them.
 */
static void start_read(struct build *build, struct writer writer, struct start with) {
    const int depth = build->algorithm->copy[TCPLAN_C].depth;
    const uint64_t around =
        algorithm_contracted_loops(build->algorithm, build->nest->contraction, 0, depth);
    build->in = copy_in(build, TCPLAN_C);
    if (with.from_addend && !around) {
        build->in = copy_of_addend(build->in.to, with);
        with = (struct start){.beta = one};
    }
    writer.from = around ? 0 : depth;
    writer.temporary = !around;
    build->kernel = start(build, writer, with);
    build->out = (struct tcplan_update){.alpha = one, .beta = zero};
}

/** Handles a kernel that assigns to a temporary: the copy back applies beta. */
static void start_assigned(struct build *build, struct writer writer, struct start with) {
    const int depth = build->algorithm->copy[TCPLAN_C].depth;
    writer.from = depth;
    writer.temporary = true;
    build->kernel = start(build, writer, (struct start){.beta = zero});
    build->out = start(build, (struct writer){.from = 0, .to = depth, .has_beta = true}, with);
}

static void place_beta(struct build *build) {
    const struct tcplan_contraction *contraction = build->nest->contraction;
    const struct writer writer = {.to = build->algorithm->loop_count,
                                  .has_beta = kernel_class_of(build->algorithm->kernel)->has_beta};
    const enum tcplan_operand added = contraction_added(contraction);
    const struct start with = {.beta = contraction->beta,
                               .conjugated =
                                   added < TCPLAN_TENSORS && contraction->tensor[added].conjugated,
                               .from_addend = added == TCPLAN_ADDEND};
    if (!algorithm_copies(build->algorithm, TCPLAN_C)) {
        build->kernel = start(build, writer, with);
    } else if (build->algorithm->copy[TCPLAN_C].read) {
        start_read(build, writer, with);
    } else {
        start_assigned(build, writer, with);
    }
    build->kernel.alpha = contraction->alpha;
}

/* The following functions add a node before `rest`; they return NULL if out of memory. */

static const struct tcplan_node *add_kernel(const struct build *build,
                                            const struct tcplan_node *rest) {
    const struct tcplan_contraction *contraction = build->nest->contraction;
    struct tcplan_kernel_call call = {.kernel = build->algorithm->kernel,
                                      .provider = build->algorithm->provider,
                                      .update = build->kernel,
                                      .tile = build->algorithm->tile,
                                      .streamed = build->algorithm->copy[TCPLAN_C].streamed &&
                                                  !algorithm_copies(build->algorithm, TCPLAN_C)};
    for (int role = 0; role < TCPLAN_ROLES; role++) {
        call.group[role] = algorithm_group(build->algorithm, contraction, (enum tcplan_role)role);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        call.slice[t] =
            (struct tcplan_slice){.operand = operand,
                                  .temporary = algorithm_copies(build->algorithm, operand),
                                  .span = algorithm_span(build->algorithm, contraction, operand)};
        call.conjugated[t] =
            operand != TCPLAN_C && contraction->tensor[t].conjugated && !call.slice[t].temporary;
    }
    return node_kernel(build->arena, call, rest);
}

static const struct tcplan_node *add_copy_back(const struct build *build) {
    return node_copy(build->arena,
                     (struct tcplan_copy){.to = copied_slice(build, TCPLAN_C, false),
                                          .from = copied_slice(build, TCPLAN_C, true),
                                          .update = build->out,
                                          .streamed = build->algorithm->copy[TCPLAN_C].streamed},
                     NULL);
}

static const struct tcplan_node *add_body(const struct build *build, int depth);

/** Returns the loop at `depth`, or the kernel if that is inside all loops. */
static const struct tcplan_node *add_inside(const struct build *build, int depth,
                                            const struct tcplan_node *rest) {
    if (depth == build->algorithm->loop_count) return add_kernel(build, rest);
    const struct tcplan_node *body = add_body(build, depth + 1);
    if (!body) return NULL;
    return node_loop(
        build->arena,
        (struct tcplan_loop){.index = build->algorithm->loop[depth],
                             .parallel = algorithm_shares_loop(build->algorithm, depth),
                             .body = body},
        rest);
}

static const struct tcplan_node *add_started(const struct build *build,
                                             const struct placed_start *placed,
                                             const struct tcplan_node *rest) {
    return placed->is_copy ? node_copy(build->arena, placed->copy, rest)
                           : node_scale(build->arena, placed->scale, rest);
}

/** Returns the body inside `depth` loops: copies in, the start of the result, the next loop or the
 * kernel, and the copy back. */
static const struct tcplan_node *add_body(const struct build *build, int depth) {
    const struct tcplan_operand_copy *copy = build->algorithm->copy;
    const bool copies_back = copy[TCPLAN_C].depth == depth;
    const struct tcplan_node *after = copies_back ? add_copy_back(build) : NULL;
    if (copies_back && !after) return NULL;
    const struct tcplan_node *inside = add_inside(build, depth, after);
    for (int s = 0; s < build->start_count && inside; s++) {
        if (build->start[s].depth == depth) inside = add_started(build, &build->start[s], inside);
    }
    if (inside && copies_back && copy[TCPLAN_C].read)
        inside = node_copy(build->arena, build->in, inside);
    if (inside && copy[TCPLAN_B].depth == depth)
        inside = node_copy(build->arena, copy_in(build, TCPLAN_B), inside);
    if (inside && copy[TCPLAN_A].depth == depth)
        inside = node_copy(build->arena, copy_in(build, TCPLAN_A), inside);
    return inside;
}

static const struct tcplan_node *build_body(struct nest_storage *storage) {
    struct tcplan_nest *nest = &storage->nest;
    struct build build = {.arena = &storage->arena, .nest = nest, .algorithm = &nest->algorithm};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_slice whole = {.operand = (enum tcplan_operand)t, .temporary = true};
        const bool copied = algorithm_copies(&nest->algorithm, whole.operand);
        nest->temporary_span[t] = copied ? slice_indices(nest->refinement, whole) : 0;
    }
    place_beta(&build);
    return add_body(&build, 0);
}

enum tcplan_status tcplan_nest_build(struct tcplan_nest **out,
                                     const struct tcplan_contraction *contraction,
                                     const struct tcplan_algorithm *algorithm,
                                     struct tcplan_error *error) {
    enum tcplan_status status = algorithm_check(algorithm, contraction, error);
    if (status != TCPLAN_OK) return status;
    struct nest_storage *storage = nest_new(contraction, algorithm);
    if (!storage) return error_no_memory(error);
    struct tcplan_nest *nest = &storage->nest;
    nest->refinement = refinement_of(&storage->arena, contraction, algorithm);
    if (nest->refinement) nest->body = build_body(storage);
    if (!nest->body) {
        tcplan_nest_free(nest);
        return error_no_memory(error);
    }
    *out = nest;
    return TCPLAN_OK;
}
