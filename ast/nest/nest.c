#include "ast/nest/nest.h"

#include "ast/algorithm/algorithm.h"
#include "ast/problem/slice.h"
#include "base/alloc.h"

struct nest_storage *nest_new(const struct tcplan_contraction *contraction,
                              const struct tcplan_algorithm *algorithm) {
    struct nest_storage *storage = base_alloc(sizeof *storage);
    if (!storage) return NULL;
    *storage = (struct nest_storage){.nest = {.contraction = contraction, .algorithm = *algorithm}};
    return storage;
}

void tcplan_nest_free(struct tcplan_nest *nest) {
    if (!nest) return;
    struct nest_storage *storage = (struct nest_storage *)nest;
    arena_free(&storage->arena);
    base_free(storage);
}

static const struct tcplan_node *add(struct arena *arena, struct tcplan_node content) {
    struct tcplan_node *node = arena_alloc(arena, sizeof *node);
    if (node) *node = content;
    return node;
}

const struct tcplan_node *node_loop(struct arena *arena, struct tcplan_loop loop,
                                    const struct tcplan_node *next) {
    return add(arena, (struct tcplan_node){.next = next, .kind = TCPLAN_NODE_LOOP, .loop = loop});
}

const struct tcplan_node *node_copy(struct arena *arena, struct tcplan_copy copy,
                                    const struct tcplan_node *next) {
    return add(arena, (struct tcplan_node){.next = next, .kind = TCPLAN_NODE_COPY, .copy = copy});
}

const struct tcplan_node *node_scale(struct arena *arena, struct tcplan_scale scale,
                                     const struct tcplan_node *next) {
    return add(arena,
               (struct tcplan_node){.next = next, .kind = TCPLAN_NODE_SCALE, .scale = scale});
}

const struct tcplan_node *node_kernel(struct arena *arena, struct tcplan_kernel_call call,
                                      const struct tcplan_node *next) {
    return add(arena,
               (struct tcplan_node){.next = next, .kind = TCPLAN_NODE_KERNEL, .kernel = call});
}

const struct tcplan_node *node_steps(struct arena *arena, struct tcplan_steps steps,
                                     const struct tcplan_node *next) {
    return add(arena,
               (struct tcplan_node){.next = next, .kind = TCPLAN_NODE_STEPS, .steps = steps});
}

const struct tcplan_node *node_call(struct arena *arena, struct tcplan_call call,
                                    const struct tcplan_node *next) {
    return add(arena, (struct tcplan_node){.next = next, .kind = TCPLAN_NODE_CALL, .call = call});
}

const struct tcplan_node *node_again(struct arena *arena, struct tcplan_again again,
                                     const struct tcplan_node *next) {
    return add(arena,
               (struct tcplan_node){.next = next, .kind = TCPLAN_NODE_AGAIN, .again = again});
}

bool nest_has_temporary(const struct tcplan_nest *nest, enum tcplan_operand operand) {
    return algorithm_copies(&nest->algorithm, operand);
}

bool copy_scales(const struct tcplan_problem *problem, const struct tcplan_copy *copy) {
    const struct tcplan_scalar alpha = tcplan_problem_scalar(problem, copy->update.alpha);
    return alpha.re != 1 || alpha.im != 0;
}

bool update_reads(const struct tcplan_update *update) {
    return update->first_of != 0 || update->beta.re != 0 || update->beta.im != 0;
}

int node_touches(const struct tcplan_node *node, struct tcplan_slice touch[TCPLAN_OPERANDS]) {
    switch (node->kind) {
    case TCPLAN_NODE_KERNEL:
        for (int t = 0; t < TCPLAN_OPERANDS; t++) touch[t] = node->kernel.slice[t];
        return TCPLAN_OPERANDS;
    case TCPLAN_NODE_COPY:
        touch[0] = node->copy.from;
        touch[1] = node->copy.to;
        return 2;
    case TCPLAN_NODE_SCALE: touch[0] = node->scale.slice; return 1;
    case TCPLAN_NODE_LOOP:
    case TCPLAN_NODE_STEPS:
    case TCPLAN_NODE_CALL:
    case TCPLAN_NODE_AGAIN: break;
    }
    return 0;
}
