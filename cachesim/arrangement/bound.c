#include "cachesim/arrangement/bound.h"

#include <math.h>
#include <stdlib.h>

#include "ast/algorithm/algorithm.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "base/indexset.h"
#include "cachesim/arrangement/stream.h"

/** Returns the indices with an extent above 1. */
static uint64_t moving_indices(const struct tcplan_problem *problem, uint64_t indices) {
    uint64_t moving = 0;
    for (; indices; indices &= indices - 1) {
        const int index = indexset_first(indices);
        if (problem->extent[index] > 1) moving |= indexset_of(index);
    }
    return moving;
}

/** Returns the index of a set with the smallest stride; -1: the set is empty. */
static int nearest_index(const struct tcplan_problem *problem, enum tcplan_operand operand,
                         uint64_t indices) {
    const int64_t *stride = problem->stride_elems[operand];
    int nearest = -1;
    for (; indices; indices &= indices - 1) {
        const int index = indexset_first(indices);
        if (nearest < 0 || llabs(stride[index]) < llabs(stride[nearest])) nearest = index;
    }
    return nearest;
}

/** Lists the indices of a structure's temporary in one of its roles, in the order of the
 * temporary. */
static uint64_t group_in_place(const struct tcplan_algorithm *structure,
                               enum tcplan_operand operand, int place) {
    enum tcplan_role role[OPERAND_ROLES];
    operand_roles(operand, role);
    return structure->group
        [role[structure->copy[operand].transposed && place < MATRIX_ROLES ? 1 - place : place]];
}

/**
 * Returns an upper bound on the contiguous run that a tensor and its temporary share, if the
 * kernel's indices come first in the temporary. Returns 1 if their contiguous indices differ.
 */
static double longest_row(const struct tcplan_problem *problem,
                          const struct tcplan_algorithm *structure, enum tcplan_operand operand,
                          uint64_t moving) {
    enum tcplan_role role[OPERAND_ROLES];
    const int roles = operand_roles(operand, role);
    double elements = 1;
    int place = 0;
    while (moving) {
        const int nearest = nearest_index(problem, operand, moving);
        while (place < roles && !(group_in_place(structure, operand, place) & moving)) place++;
        if (place < roles && !indexset_has(group_in_place(structure, operand, place), nearest))
            break;
        if ((double)llabs(problem->stride_elems[operand][nearest]) > elements) break;
        elements *= (double)problem->extent[nearest];
        moving &= ~indexset_of(nearest);
    }
    return elements;
}

/** Returns an upper bound on the contiguous run in a tensor. */
static double longest_run(const struct tcplan_problem *problem, enum tcplan_operand operand,
                          uint64_t moving) {
    double elements = 1;
    while (moving) {
        const int nearest = nearest_index(problem, operand, moving);
        if ((double)llabs(problem->stride_elems[operand][nearest]) > elements) break;
        elements *= (double)problem->extent[nearest];
        moving &= ~indexset_of(nearest);
    }
    return elements;
}

/** Returns a lower bound of model_copied_element_seconds() for any arrangement. */
static double least_element_seconds(const struct arrangement_bound *least,
                                    const struct tcplan_algorithm *structure,
                                    enum tcplan_operand operand) {
    const struct tcplan_problem *problem = least->problem;
    const struct tcplan_copy_costs *copy = &least->costs.copy[problem->dtype];
    const int nearest = least->tensor[operand].nearest;
    if (nearest < 0 || contraction_summed(problem->contraction, operand))
        return fmin(copy->run,
                    fmin(copy->summed, copy->scattered)); /* a copy that sums over indices reads in
                                                             the cheapest order */
    if (llabs(problem->stride_elems[operand][nearest]) > 1) return copy->scattered;
    const double row = longest_row(problem, structure, operand, least->tensor[operand].moving);
    const double contiguous = copy->run + copy->contiguous_row / row;
    const double transposed = copy->transposed + copy->row / least->tensor[operand].run;
    if (!indexset_has(algorithm_kernel_indices(structure), nearest)) {
        return fmin(contiguous,
                    fmin(transposed, copy->scattered)); /* if the loop over `nearest` is outside the
                                                           copy, the copy may be contiguous along
                                                           another index */
    }
    return row > 1 ? fmin(contiguous, transposed)
                   : transposed; /* in the temporary, fused indices may have another order */
}

/** Returns the stream of a tensor that is traversed completely. */
static struct stream whole_stream(const struct tcplan_problem *problem,
                                  enum tcplan_operand operand) {
    struct stream stream = {.indices = problem->contraction->tensor[operand].indices,
                            .cost_factor = 1};
    for (uint64_t rest = stream.indices; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const double stride =
            fabs((double)problem->stride_elems[operand][index]) * (double)problem->element_bytes;
        if (stride > 0)
            stream_add(&stream, (struct stream_dimension){(uint8_t)index,
                                                          (double)problem->extent[index], stride});
    }
    return stream;
}

static void find_least(struct arrangement_bound *out, enum tcplan_operand operand) {
    const struct tcplan_problem *problem = out->problem;
    const struct stream stream = whole_stream(problem, operand);
    const uint64_t moving = moving_indices(problem, problem->contraction->tensor[operand].indices);
    double elements = 1;
    for (uint64_t rest = moving; rest; rest &= rest - 1)
        elements *= (double)problem->extent[indexset_first(rest)];
    for (int u = 0; u < out->unit_count; u++) {
        const struct arrangement_unit *unit = &out->unit[u];
        out->tensor[operand].blocks[unit->block] = stream_blocks(
            &stream, stream.indices, (double)problem->element_bytes, unit->block_bytes);
    }
    out->tensor[operand].run_bytes =
        stream_runs_of(&stream, stream.indices, (double)problem->element_bytes,
                       (double)out->unit[0].block_bytes)
            .bytes;
    out->tensor[operand].moving = moving;
    out->tensor[operand].nearest = nearest_index(problem, operand, moving);
    out->tensor[operand].elements = elements;
    out->tensor[operand].run = longest_run(problem, operand, moving);
}

/** Sets the cost of loading each tensor once into each unit that cannot hold all tensors; a
 * streamed result bypasses the caches. */
static void find_fewest_lines(struct arrangement_bound *out, bool streamed) {
    for (int u = 0; u < out->unit_count; u++) {
        const struct arrangement_unit *unit = &out->unit[u];
        const bool past = streamed && unit->block == ARRANGEMENT_LINE;
        double bytes = 0;
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            bytes +=
                past && t == TCPLAN_C ? 0 : out->tensor[t].blocks[unit->block] * unit->block_bytes;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (bytes > unit->capacity_bytes || (past && t == TCPLAN_C))
                out->tensor[t].line_seconds[streamed] +=
                    out->tensor[t].blocks[unit->block] *
                    arrangement_block_seconds(unit, out->tensor[t].run_bytes);
        }
    }
}

struct arrangement_bound arrangement_bound_of(const struct tcplan_problem *problem,
                                              const struct tcplan_machine *machine) {
    struct arrangement_bound least = {.problem = problem, .costs = tcplan_costs_of(machine)};
    least.unit_count = arrangement_units(least.unit, &least.costs, (double)machine->line_bytes);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) find_least(&least, (enum tcplan_operand)t);
    find_fewest_lines(&least, false);
    find_fewest_lines(&least, true);
    return least;
}

/** The extents of a structure's kernel, as far as they do not depend on the arrangement. */
struct call_extents {
    double extent[TCPLAN_MAX_INDICES]; /* extent of each index in the kernel and of each loop; for
                                          an index within a tile, the extent in a full tile */
    double calls;
    uint64_t kernel;
};

static void find_call_extents(struct call_extents *out, const struct tcplan_problem *problem,
                              const struct tcplan_algorithm *structure) {
    const int index_count = problem->contraction->index_count;
    for (int i = 0; i < index_count; i++) out->extent[i] = (double)problem->extent[i];
    for (int s = 0; s < structure->split_count; s++) {
        const struct tcplan_split split = structure->split[s];
        const double whole = (double)problem->extent[split.index];
        out->extent[index_count + s] = fmax(whole / split.step, 1);
        out->extent[split.index] = fmin(out->extent[split.index], split.step);
    }
    out->calls = 1;
    for (int l = 0; l < structure->loop_count; l++) out->calls *= out->extent[structure->loop[l]];
    out->kernel = algorithm_kernel_indices(structure);
}

/** Sets a lower bound on the lines and pages of an operand that one kernel call touches; elements
 * of a temporary are contiguous. */
static void find_call_blocks(double blocks[ARRANGEMENT_BLOCKS],
                             const struct arrangement_bound *least, const struct call_extents *call,
                             const struct tcplan_algorithm *structure,
                             enum tcplan_operand operand) {
    const struct tcplan_problem *problem = least->problem;
    const double element_bytes = (double)problem->element_bytes;
    struct stream stream;
    double elements = 1;
    stream.rank = 0;
    for (uint64_t rest = algorithm_span(structure, problem->contraction, operand); rest;
         rest &= rest - 1) {
        const int number = indexset_first(rest),
                  index = algorithm_source_index(structure, problem->contraction, number);
        const double step =
            number == index ? 1 : structure->split[number - problem->contraction->index_count].step;
        const double stride =
            fabs((double)problem->stride_elems[operand][index]) * step * element_bytes;
        stream_add(&stream,
                   (struct stream_dimension){(uint8_t)number, call->extent[number], stride});
        elements *= call->extent[number];
    }
    if (structure->copy[operand].depth >= 0) {
        stream.rank = 0;
        stream_add(&stream, (struct stream_dimension){0, elements, element_bytes});
    }
    for (int u = 0; u < least->unit_count; u++) {
        const struct arrangement_unit *unit = &least->unit[u];
        blocks[unit->block] = stream_blocks(&stream, UINT64_MAX, element_bytes, unit->block_bytes);
    }
}

/**
 * Returns a lower bound on the time to fetch lines and pages, beyond fetching each tensor once. A
 * unit that does not hold the data of a single call fetches the operands of every call.
 */
static double least_block_seconds(const struct arrangement_bound *least,
                                  const struct tcplan_algorithm *structure) {
    struct call_extents call;
    double blocks[TCPLAN_OPERANDS][ARRANGEMENT_BLOCKS], seconds = 0;
    find_call_extents(&call, least->problem, structure);
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        find_call_blocks(blocks[t], least, &call, structure, (enum tcplan_operand)t);
    for (int u = 0; u < least->unit_count; u++) {
        const struct arrangement_unit *unit = &least->unit[u];
        double touched = 0, all = 0;
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            touched += blocks[t][unit->block] * unit->block_bytes;
        if (touched <= unit->capacity_bytes) continue;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            const bool copied = structure->copy[t].depth >= 0;
            const double come = blocks[t][unit->block] * call.calls,
                         once = copied ? 0 : least->tensor[t].blocks[unit->block];
            all += (copied ? 1
                           : arrangement_transfers(&least->costs, (enum tcplan_operand)t,
                                                   structure->copy[t].streamed)) *
                   fmax(come - once, 0);
        }
        seconds += all * unit->sequential_seconds;
    }
    return seconds;
}

double arrangement_bound_tensors_seconds(const struct arrangement_bound *least, bool streamed) {
    double seconds = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        seconds += arrangement_transfers(&least->costs, (enum tcplan_operand)t, streamed) *
                   least->tensor[t].line_seconds[streamed];
    return seconds;
}

double arrangement_bound_seconds(const struct arrangement_bound *least,
                                 const struct tcplan_algorithm *structure, bool in_any_way) {
    double seconds = arrangement_bound_tensors_seconds(least, structure->copy[TCPLAN_C].streamed);
    if (in_any_way && structure->copy[TCPLAN_C].depth >= 0)
        seconds = fmin(seconds, arrangement_bound_tensors_seconds(least, true));
    if (!in_any_way) seconds += least_block_seconds(least, structure);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (structure->copy[t].depth >= 0)
            seconds += least->tensor[t].elements *
                       least_element_seconds(least, structure, (enum tcplan_operand)t);
    }
    return seconds;
}
