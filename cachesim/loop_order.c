#include "cachesim/loop_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "ast/contraction.h"
#include "ast/refine.h"
#include "ast/slice.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/indexset.h"
#include "cachesim/region.h"

/* What a line from the second, the third cache and memory costs, and a translation that is not at hand. */
static const double miss_seconds[] = {1e-9, 5e-9, 12e-9};
#define PAGE_SECONDS 10e-9
#define COPIED_ELEMENT_SECONDS 1.5e-9

enum {
    PAGE_BYTES = 4096,
    TRANSLATIONS = 1024, /* pages whose addresses are at hand */
    MAX_UNITS = TCPLAN_MAX_CACHE_LEVELS + 1,
    LEAST_WIDTH = 128
};

/** Something that holds what was touched: a cache, or the translations of pages. */
struct unit {
    double capacity_bytes;
    int64_t block_bytes;
    double seconds; /**< for a block that it does not hold */
};

/** What all orders of a family share. */
struct model {
    struct arena arena;
    struct refined_problem problem; /* as temporaries are laid out */
    struct tcplan_algorithm family;
    int unit_count;
    struct unit unit[MAX_UNITS];
    struct tcplan_slice slice[TCPLAN_OPERANDS];
    double copy_seconds[TCPLAN_OPERANDS]; /**< of one copy in and, for the result, back; 0: the kernel works in place */
};

/** Some loops around the kernel, from the inside out. */
struct partial {
    uint64_t inside;
    int count;
    uint8_t loop[TCPLAN_MAX_INDICES];
    double calls;
    double brought_bytes[MAX_UNITS][TCPLAN_OPERANDS]; /**< into each unit, by one execution */
    double copies[TCPLAN_OPERANDS];                   /**< made by one execution */
    double seconds_per_call;
};

static double footprint_bytes(const struct model *model, int operand, uint64_t inside, int64_t block_bytes) {
    static const int64_t nowhere[TCPLAN_MAX_INDICES] = {0};
    const struct region_scope scope = {.at = nowhere, .fixed = ~inside, .ranged = -1};
    const struct region region = region_of(&model->problem, model->slice[operand], false, &scope);
    return region_footprint_bytes(&region, block_bytes);
}

static void add_unit(struct model *model, double capacity_bytes, int64_t block_bytes, double seconds) {
    model->unit[model->unit_count++] = (struct unit){.capacity_bytes = capacity_bytes, .block_bytes = block_bytes, .seconds = seconds};
}

/** Of which temporaries the kernel works on: the refined problem; false when memory is out. */
static bool model_init(struct model *model, const struct tcplan_problem *problem, const struct tcplan_machine *machine,
                       const struct tcplan_algorithm *family) {
    enum { COSTS = sizeof miss_seconds / sizeof *miss_seconds };
    *model = (struct model){.family = *family};
    const struct tcplan_refinement *refinement = refinement_of(&model->arena, problem->contraction, family);
    if (!refinement) return false;
    model->problem = problem_refine(problem, refinement);
    for (int c = 0; c < machine->cache_count; c++) {
        add_unit(model, (double)machine->cache[c].size_bytes, machine->line_bytes, miss_seconds[c < COSTS ? c : COSTS - 1]);
    }
    add_unit(model, (double)PAGE_BYTES * TRANSLATIONS, PAGE_BYTES, PAGE_SECONDS);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        const bool copied = algorithm_copies(family, operand);
        model->slice[t] =
            (struct tcplan_slice){.operand = operand, .temporary = copied, .span = algorithm_span(family, problem->contraction, operand)};
        if (!copied) continue;
        const double times = operand == TCPLAN_C ? 2 : 1;
        struct tcplan_slice read = model->slice[t]; /* with what is summed over */
        read.span |= contraction_summed(problem->contraction, operand);
        model->copy_seconds[t] = times * COPIED_ELEMENT_SECONDS * (double)slice_elems(&model->problem, read);
    }
    return true;
}

static struct partial kernel_alone(const struct model *model) {
    struct partial partial = {.calls = 1};
    for (int u = 0; u < model->unit_count; u++) {
        for (int t = 0; t < TCPLAN_OPERANDS; t++) partial.brought_bytes[u][t] = footprint_bytes(model, t, 0, model->unit[u].block_bytes);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) partial.copies[t] = model->copy_seconds[t] > 0;
    return partial;
}

static bool varies(const struct model *model, int operand, int index) {
    const struct tcplan_refinement *refinement = model->problem.refinement;
    return indexset_has(refinement->indices[operand] & ~refinement->still[operand], index);
}

/** What the loops so far bring into a unit, once the loop over `index` is around them. */
static void extend_unit(const struct model *model, struct partial *partial, int u, int index) {
    const struct unit *unit = &model->unit[u];
    const double extent = (double)model->problem.extent[index];
    double before[TCPLAN_OPERANDS];
    double total_bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) total_bytes += before[t] = footprint_bytes(model, t, partial->inside, unit->block_bytes);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (total_bytes > unit->capacity_bytes) {
            partial->brought_bytes[u][t] *= extent;
        } else if (varies(model, t, index)) {
            const double after = footprint_bytes(model, t, partial->inside | indexset_of(index), unit->block_bytes);
            partial->brought_bytes[u][t] *= after / before[t];
        }
    }
}

static void rate(const struct model *model, struct partial *partial) {
    double seconds = 0;
    for (int u = 0; u < model->unit_count; u++) {
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            seconds += partial->brought_bytes[u][t] / (double)model->unit[u].block_bytes * model->unit[u].seconds;
        }
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) seconds += partial->copies[t] * model->copy_seconds[t];
    partial->seconds_per_call = seconds / partial->calls;
}

static void extend(const struct model *model, struct partial *partial, int index) {
    const double extent = (double)model->problem.extent[index];
    for (int u = 0; u < model->unit_count; u++) extend_unit(model, partial, u, index);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        /* A copy stays outside the innermost loops that it does not depend on. */
        const bool carried = varies(model, t, index) || (partial->inside & model->problem.refinement->indices[t]) != 0;
        if (carried) partial->copies[t] *= extent;
    }
    partial->calls *= extent;
    partial->inside |= indexset_of(index);
    partial->loop[partial->count++] = (uint8_t)index;
    rate(model, partial);
}

double loop_order_seconds(const struct tcplan_problem *problem, const struct tcplan_machine *machine,
                          const struct tcplan_algorithm *algorithm) {
    struct model model;
    if (!model_init(&model, problem, machine, algorithm)) {
        arena_free(&model.arena);
        return INFINITY;
    }
    struct partial partial = kernel_alone(&model);
    rate(&model, &partial);
    for (int l = algorithm->loop_count - 1; l >= 0; l--) extend(&model, &partial, algorithm->loop[l]);
    arena_free(&model.arena);
    return partial.seconds_per_call * partial.calls;
}

static int compare_partials(const void *a, const void *b) {
    const struct partial *x = a;
    const struct partial *y = b;
    if (x->seconds_per_call != y->seconds_per_call) return x->seconds_per_call < y->seconds_per_call ? -1 : 1;
    return memcmp(x->loop, y->loop, sizeof x->loop);
}

/** Every way to put one more loop around each of the orders; the best `width` are kept. */
static size_t extend_all(const struct model *model, struct partial *extended, const struct partial *partial, size_t count, size_t width) {
    size_t extended_count = 0;
    for (size_t p = 0; p < count; p++) {
        for (int l = 0; l < model->family.loop_count; l++) {
            if (indexset_has(partial[p].inside, model->family.loop[l])) continue;
            extended[extended_count] = partial[p];
            extend(model, &extended[extended_count++], model->family.loop[l]);
        }
    }
    qsort(extended, extended_count, sizeof *extended, compare_partials);
    return extended_count < width ? extended_count : width;
}

static struct tcplan_algorithm with_order(const struct tcplan_contraction *contraction, const struct tcplan_algorithm *family,
                                          const struct partial *partial) {
    struct tcplan_algorithm algorithm = *family;
    for (int l = 0; l < partial->count; l++) algorithm.loop[l] = partial->loop[partial->count - 1 - l];
    algorithm_apply_rules(&algorithm, contraction);
    return algorithm;
}

enum tcplan_status loop_orders_best(struct tcplan_algorithm *out, size_t *found, size_t most, const struct tcplan_problem *problem,
                                    const struct tcplan_machine *machine, const struct tcplan_algorithm *family, struct deadline deadline,
                                    struct tcplan_error *error) {
    struct model model;
    const size_t width = most > LEAST_WIDTH ? most : LEAST_WIDTH;
    const size_t loops = family->loop_count > 0 ? family->loop_count : 1;
    struct partial *partial = base_alloc(width * sizeof *partial);
    struct partial *extended = base_alloc(width * loops * sizeof *extended);
    const bool has_model = model_init(&model, problem, machine, family);
    if (!partial || !extended || !has_model) {
        arena_free(&model.arena);
        base_free(partial);
        base_free(extended);
        return error_no_memory(error);
    }
    size_t count = 1;
    partial[0] = kernel_alone(&model);
    for (int l = 0; l < family->loop_count; l++) {
        if (deadline_is_over(deadline)) count = 1;
        count = extend_all(&model, extended, partial, count, width);
        memcpy(partial, extended, count * sizeof *partial);
    }
    *found = count < most ? count : most;
    for (size_t p = 0; p < *found; p++) out[p] = with_order(problem->contraction, family, &partial[p]);
    arena_free(&model.arena);
    base_free(partial);
    base_free(extended);
    return TCPLAN_OK;
}
