#include "ast/algorithm.h"
#include "ast/refine.h"
#include "ast/slice.h"
#include "base/indexset.h"
#include "gen/build_parts.h"

/** A nest under construction. */
struct build {
    struct arena *arena;
    const struct tcplan_nest *nest;
    uint64_t contracted; /* numbers of contracted loops */
};

static const struct tcplan_choices *choices_of(const struct build *build) {
    return &build->nest->algorithm.choices;
}

static bool is_copied(const struct build *build, enum tcplan_operand operand) {
    return choices_of(build)->copy_depth[operand] >= 0;
}

/** What the kernel takes of an operand. */
static struct tcplan_slice kernel_slice(const struct build *build, enum tcplan_operand operand) {
    return (struct tcplan_slice){.operand = operand,
                                 .temporary = is_copied(build, operand),
                                 .span = algorithm_span(&build->nest->algorithm, build->nest->contraction, operand)};
}

/** The whole of a temporary, or what it holds of its tensor. */
static struct tcplan_slice copied_slice(const struct build *build, enum tcplan_operand operand, bool temporary) {
    return (struct tcplan_slice){.operand = operand, .temporary = temporary, .span = build->nest->temporary_span[operand]};
}

/** The contracted loops of [from, to). */
static uint64_t contracted_between(const struct build *build, int from, int to) {
    uint64_t loops = 0;
    for (int l = from; l < to; l++) loops |= indexset_of(build->nest->algorithm.loop[l]);
    return loops & build->contracted;
}

static const struct tcplan_node *add_kernel(const struct build *build, const struct tcplan_node *rest) {
    struct tcplan_kernel_call call = build_call(build->nest);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) call.slice[t] = kernel_slice(build, (enum tcplan_operand)t);
    const int from = is_copied(build, TCPLAN_C) ? choices_of(build)->copy_depth[TCPLAN_C] : 0;
    const struct tcplan_scalar beta = build->nest->contraction->beta;
    call.assigns = is_copied(build, TCPLAN_C);
    call.uses_beta = call.assigns || beta.re != 1 || beta.im != 0;
    call.first_of = call.uses_beta ? contracted_between(build, from, build->nest->algorithm.loop_count) : 0;
    return node_kernel(build->arena, call, rest);
}

static const struct tcplan_node *add_copy_in(const struct build *build, enum tcplan_operand operand, const struct tcplan_node *rest) {
    return node_copy(build->arena,
                     (struct tcplan_copy){.to = copied_slice(build, operand, true), .from = copied_slice(build, operand, false)}, rest);
}

/** Contracted loops around the result's temporary make its copy accumulate from their second iteration on. */
static const struct tcplan_node *add_copy_back(const struct build *build) {
    const struct tcplan_scalar beta = build->nest->contraction->beta;
    const uint64_t around = contracted_between(build, 0, choices_of(build)->copy_depth[TCPLAN_C]);
    return node_copy(build->arena,
                     (struct tcplan_copy){.to = copied_slice(build, TCPLAN_C, false),
                                          .from = copied_slice(build, TCPLAN_C, true),
                                          .accumulates = around != 0 || beta.re != 0 || beta.im != 0,
                                          .streamed = choices_of(build)->streamed,
                                          .first_of = around},
                     NULL);
}

static const struct tcplan_node *add_loop(const struct build *build, int depth, const struct tcplan_node *body,
                                          const struct tcplan_node *rest) {
    const int index = build->nest->algorithm.loop[depth];
    const bool parallel = choices_of(build)->parallel == depth;
    return parallel ? node_parallel_loop(build->arena, index, body, rest) : node_loop(build->arena, index, body, rest);
}

/** The body inside `depth` loops: copies in, the next loop or the kernel, the copy back. NULL when memory is out. */
static const struct tcplan_node *add_body(const struct build *build, int depth) {
    const struct tcplan_algorithm *algorithm = &build->nest->algorithm;
    const bool copies_back = algorithm->choices.copy_depth[TCPLAN_C] == depth;
    const struct tcplan_node *after = copies_back ? add_copy_back(build) : NULL;
    if (copies_back && !after) return NULL;
    const struct tcplan_node *inside;
    if (depth == algorithm->loop_count) {
        inside = add_kernel(build, after);
    } else {
        const struct tcplan_node *body = add_body(build, depth + 1);
        inside = body ? add_loop(build, depth, body, after) : NULL;
    }
    for (int t = TCPLAN_B; t >= TCPLAN_A && inside; t--) {
        if (algorithm->choices.copy_depth[t] == depth) inside = add_copy_in(build, (enum tcplan_operand)t, inside);
    }
    return inside;
}

const struct tcplan_node *build_choices(struct nest_storage *storage) {
    struct tcplan_nest *nest = &storage->nest;
    struct build build = {.arena = &storage->arena, .nest = nest};
    for (int l = 0; l < nest->algorithm.loop_count; l++) {
        const int index = nest->algorithm.loop[l];
        if (nest->contraction->index[index].kind == TCPLAN_CONTRACTED) build.contracted |= indexset_of(index);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_slice whole = {.operand = (enum tcplan_operand)t, .temporary = true};
        nest->temporary_span[t] = is_copied(&build, whole.operand) ? slice_indices(nest->contraction, whole) : 0;
    }
    return add_body(&build, 0);
}
