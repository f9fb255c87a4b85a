#include "cachesim/arrangement/arrangement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "base/alloc.h"
#include "base/indexset.h"
#include "cachesim/arrangement/model.h"
#include "cachesim/arrangement/partial.h"
#include "cachesim/arrangement/parts.h"

enum { COPY_SETS = 1 << TCPLAN_OPERANDS };

struct arranger {
    const struct tcplan_problem *problem;
    struct tcplan_costs costs;
    double line_bytes;
    struct deadline deadline;
    struct arena arena;
    struct model model; /* model of the previous structure; there is none if `model.refinement` is
                           NULL */
    double remembered[ARRANGEMENT_BLOCKS][STREAMS][REMEMBERED];
    int width;
    int most_branches; /* maximum number of extensions of one partial arrangement: every loop with
                          every set of copies before it */
    struct partial *beam; /* the best partial arrangements after each loop */
    struct partial *branches;
};

/** Returns the model of an algorithm, or NULL if memory runs out. In the `blas` space the model
 * does not depend on the order of loops, so it is reused. */
static struct model *model_for(struct arranger *arranger, const struct tcplan_algorithm *structure,
                               bool by_rules) {
    struct model *model = &arranger->model;
    const bool is_reusable = model->refinement && model->by_rules && by_rules;
    if (is_reusable &&
        memcmp(model->structure.group, structure->group, sizeof structure->group) == 0)
        return model;
    arena_free(&arranger->arena);
    if (!model_make(model, &arranger->arena, arranger->problem, &arranger->costs,
                    arranger->line_bytes, structure, by_rules)) {
        model->refinement = NULL;
        return NULL;
    }
    model->remembered = arranger->remembered;
    model_forget(model);
    return model;
}

/** Returns whether an operand's copy may be directly outside the loops that were added so far. */
static bool may_place(const struct model *model, const struct partial *partial, int operand) {
    return (model->points[operand] & ~partial->inside) == 0;
}

/** Returns whether the loop over an index may be added next, around the partial arrangement: no
 * copy that must be inside the loop is still to be placed, no copy that must be outside it is
 * placed already, and a loop within tiles is added before the loop over these tiles. */
static bool may_extend(const struct model *model, const struct partial *partial, int index) {
    const unsigned open = model->copied & ~partial->placed;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if ((open >> t & 1U) && indexset_has(model->steps[t], index)) return false;
        if ((partial->placed >> t & 1U) && indexset_has(model->points[t], index)) return false;
    }
    /* a loop over the points of a step is inside the loop over the steps */
    for (int s = 0; s < model->refinement->tile_count; s++) {
        const struct tile tile = model->refinement->tile[s];
        if (tile.steps == index && !indexset_has(partial->inside, tile.inner)) return false;
    }
    return true;
}

/** Returns the copies that are worth placing directly inside a loop. These are the copies of
 * operands whose tensors vary with the loop, and that of the result if the loop is over a
 * contracted index; in the `blas` space, the copies of all operands that have the index. */
static unsigned worth_placing(const struct model *model, const struct partial *partial, int index) {
    unsigned operands = 0;
    const bool contracted = indexset_has(model->contracted, index);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool depends = indexset_has(model->refinement->indices[t], index);
        if (!(model->copied >> t & 1U) || (partial->placed >> t & 1U) ||
            !may_place(model, partial, t))
            continue;
        if (model->by_rules
                ? depends
                : model_varies(model, KERNEL_STREAMS + t, index) || (t == TCPLAN_C && contracted))
            operands |= 1U << t;
    }
    return operands;
}

static int compare_partials(const void *a, const void *b) {
    const struct partial *x = a;
    const struct partial *y = b;
    if (x->seconds_per_call != y->seconds_per_call)
        return x->seconds_per_call < y->seconds_per_call ? -1 : 1;
    const int order = memcmp(x->loop, y->loop, sizeof x->loop);
    return order != 0 ? order : memcmp(x->place, y->place, sizeof x->place);
}

/** Lists the ways to add one more loop to a partial arrangement, with each set of the copies that
 * are worth placing before it; in the `blas` space, with all of these copies. */
static int branch(const struct model *model, const struct partial *partial, struct partial *out) {
    int count = 0;
    for (int l = 0; l < model->structure.loop_count; l++) {
        const int index = model->structure.loop[l];
        if (indexset_has(partial->inside, index)) continue;
        const unsigned worth = worth_placing(model, partial, index);
        unsigned placed = model->by_rules ? worth : 0;
        do {
            struct partial *next = &out[count];
            *next = *partial;
            for (int t = 0; t < TCPLAN_OPERANDS; t++) {
                if (placed >> t & 1U)
                    partial_place_copy(model, next, t, partial_is_filled(model, next, t));
            }
            if (may_extend(model, next, index)) {
                partial_add_loop(model, next, l);
                partial_rate(model, next);
                count++;
            }
            placed = (placed - worth) & worth;
        } while (placed != 0 && !model->by_rules);
    }
    return count;
}

static bool finish(const struct model *model, struct partial *partial, struct arrangement *out) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!(model->copied >> t & 1U) || (partial->placed >> t & 1U)) continue;
        if (!may_place(model, partial, t)) return false;
        partial_place_copy(model, partial, t, partial_is_filled(model, partial, t));
    }
    out->algorithm = model->structure;
    out->seconds = partial_seconds(model, partial);
    out->parts = arrangement_parts_of(model, partial);
    for (int l = 0; l < partial->count; l++)
        out->algorithm.loop[l] = partial->loop[partial->count - 1 - l];
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool copied = model->copied >> t & 1U;
        out->algorithm.copy[t].depth = (int8_t)(copied ? partial->count - partial->place[t] : -1);
    }
    if (model->by_rules) algorithm_apply_rules(&out->algorithm, model->refinement->source);
    return algorithm_check(&out->algorithm, model->refinement->source, NULL) == TCPLAN_OK;
}

/** Sorts arrangements, the best first. Arrangements with equal times, which occur for example if
 * all data stay in the first cache, are sorted by their partial arrangements. */
static void sort_arrangements(struct arrangement *arrangement, int count) {
    for (int sorted = 1; sorted < count; sorted++) {
        const struct arrangement own = arrangement[sorted];
        int place = sorted;
        for (; place > 0 && arrangement[place - 1].seconds > own.seconds; place--)
            arrangement[place] = arrangement[place - 1];
        arrangement[place] = own;
    }
}

/** Sorts partial arrangements, and returns how many of them belong to the beam. */
static int keep_best(struct partial *branches, int count, int width) {
    qsort(branches, (size_t)count, sizeof *branches, compare_partials);
    return count < width ? count : width;
}

/** Searches by beam search: keeps the best few partial arrangements after each loop, or only the
 * best one after the deadline. */
static int search(const struct model *model, struct arranger *arranger) {
    const int capacity = 2 * arranger->width + arranger->most_branches;
    int count = 1;
    arranger->beam[0] = partial_of_kernel(model);
    for (int l = 0; l < model->structure.loop_count; l++) {
        if (deadline_is_over(arranger->deadline)) count = 1;
        int made = 0;
        for (int p = 0; p < count; p++) {
            if (made > capacity - arranger->most_branches)
                made = keep_best(arranger->branches, made, arranger->width);
            made += branch(model, &arranger->beam[p], &arranger->branches[made]);
        }
        count = keep_best(arranger->branches, made, arranger->width);
        memcpy(arranger->beam, arranger->branches, (size_t)count * sizeof *arranger->beam);
    }
    return count;
}

struct arranger *arranger_new(const struct tcplan_problem *problem,
                              const struct tcplan_machine *machine, int width,
                              struct deadline deadline) {
    struct arranger *arranger = base_alloc(sizeof *arranger);
    if (!arranger) return NULL;
    const int loops = problem->contraction->index_count + TCPLAN_MAX_TILES;
    arranger->problem = problem;
    arranger->costs = tcplan_costs_of(machine);
    arranger->line_bytes = (double)machine->line_bytes;
    arranger->deadline = deadline;
    arranger->arena = (struct arena){0};
    arranger->model.refinement = NULL; /* the structure is not a valid algorithm */
    arranger->width = width;
    arranger->most_branches = (loops < TCPLAN_MAX_INDICES ? loops : TCPLAN_MAX_INDICES) * COPY_SETS;
    arranger->beam = base_alloc((size_t)width * sizeof *arranger->beam);
    arranger->branches = base_alloc(((size_t)width * 2 + (size_t)arranger->most_branches) *
                                    sizeof *arranger->branches);
    if (arranger->beam && arranger->branches) return arranger;
    arranger_free(arranger);
    return NULL;
}

void arranger_free(struct arranger *arranger) {
    if (!arranger) return;
    arena_free(&arranger->arena);
    base_free(arranger->beam);
    base_free(arranger->branches);
    base_free(arranger);
}

static int arrange(struct arranger *arranger, struct arrangement *out,
                   const struct tcplan_algorithm *structure, bool by_rules) {
    struct model *model = model_for(arranger, structure, by_rules);
    if (!model) return 0;
    int count = 0;
    const int ends = search(model, arranger);
    for (int e = 0; e < ends; e++) count += finish(model, &arranger->beam[e], &out[count]);
    sort_arrangements(out, count);
    return count;
}

int arrangements_best(struct arranger *arranger, struct arrangement *out,
                      const struct tcplan_algorithm *structure) {
    return arrange(arranger, out, structure, false);
}

int arrangements_by_rules(struct arranger *arranger, struct arrangement *out,
                          const struct tcplan_algorithm *structure) {
    return arrange(arranger, out, structure, true);
}

static int place_of(const struct model *model, int index) {
    int place = 0;
    while (model->structure.loop[place] != index) place++;
    return place;
}

double arrangement_seconds(struct arranger *arranger, const struct tcplan_algorithm *algorithm,
                           struct arrangement_parts *parts) {
    const struct model *model =
        model_for(arranger, algorithm,
                  tcplan_algorithm_in_blas_space(algorithm, arranger->problem->contraction));
    if (!model) return INFINITY;
    struct partial partial = partial_of_kernel(model);
    for (int depth = algorithm->loop_count; depth >= 0; depth--) {
        if (depth < algorithm->loop_count)
            partial_add_loop(model, &partial, place_of(model, algorithm->loop[depth]));
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (algorithm->copy[t].depth == depth)
                partial_place_copy(model, &partial, t, algorithm->copy[t].read);
        }
    }
    const double seconds = partial_seconds(model, &partial);
    if (parts) *parts = arrangement_parts_of(model, &partial);
    return seconds;
}
