#include "cachesim/arrangement/model.h"

#include <math.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/kernel_class.h"
#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/indexset.h"

static struct stream stream_of(const struct model *model, enum tcplan_operand operand,
                               bool temporary, double cost_factor) {
    const struct tcplan_slice slice = {.operand = operand, .temporary = temporary};
    struct stream stream = {.indices = slice_moving_indices(model->refinement, slice),
                            .cost_factor = cost_factor,
                            .temporary = temporary};
    for (uint64_t rest = stream.indices; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const double stride =
            fabs((double)slice_stride(&model->problem, slice, index)) * model->element_bytes;
        stream_add(&stream,
                   (struct stream_dimension){(uint8_t)index,
                                             problem_full_extent(&model->problem, index), stride});
    }
    return stream;
}

double model_copied_element_seconds(const struct model *model, const struct stream *tensor,
                                    const struct stream *temporary, uint64_t inside) {
    const uint64_t indices = temporary->indices & inside;
    const double line_elements = model->line_bytes / model->element_bytes;
    const bool sums = (tensor->indices & ~temporary->indices) != 0;
    if (sums)
        return stream_run_elements(tensor, tensor->indices, model->element_bytes) <
                       line_elements / 2
                   ? model->copy->scattered
                   : model->copy->summed;
    int d = 0, e = 0;
    const struct stream_dimension *x = stream_next(tensor, indices, &d);
    const struct stream_dimension *y = stream_next(temporary, indices, &e);
    if (!x || !y) return model->copy->run;
    if (fmax(x->stride_bytes, y->stride_bytes) > model->element_bytes) {
        return model->copy->scattered + model->copy->row / fmax(x->extent, y->extent);
    }
    if (x->index == y->index)
        return model->copy->run +
               model->copy->contiguous_row /
                   stream_common_run_elements(tensor, temporary, indices, model->element_bytes);
    return model->copy->transposed +
           model->copy->row / stream_run_elements(tensor, indices, model->element_bytes) +
           model->copy->row / stream_run_elements(temporary, indices, model->element_bytes);
}

double model_streamed_row_seconds(const struct model *model, const struct stream *result,
                                  uint64_t inside) {
    if (!model->structure.copy[TCPLAN_C].streamed) return 0;
    return model->costs->streamed_row / stream_run_elements(result, inside, model->element_bytes);
}

/** Returns the time of the incomplete lines that a kernel call writes with non-temporal stores. */
static double seconds_of_streamed_call(const struct model *model) {
    const struct stream *result = &model->stream[TCPLAN_C];
    if (model->copied >> TCPLAN_C & 1U) return 0;
    return stream_elements(result, model->kernel) *
           model_streamed_row_seconds(model, result, model->kernel);
}

/**
 * Decides which copy the loop over a tile's points belongs to, if the points are not in the kernel:
 * the copy of the operand in which the points are contiguous, so that it copies whole lines; if
 * there is none, the copy of the result.
 */
static void note_points(struct model *model, int point) {
    bool is_contiguous = false;
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        const int unit =
            contraction_unit_index(model->refinement->source, (enum tcplan_operand)operand);
        if (point != unit || !(model->copied >> operand & 1U)) continue;
        model->points[operand] |= indexset_of(point);
        is_contiguous = true;
    }
    const bool in_result = indexset_has(model->refinement->indices[TCPLAN_C], point) &&
                           (model->copied >> TCPLAN_C & 1U);
    if (in_result && !is_contiguous) model->points[TCPLAN_C] |= indexset_of(point);
}

static void note_tiles(struct model *model) {
    const struct tcplan_refinement *refinement = model->refinement;
    for (int t = 0; t < refinement->tile_count; t++) {
        const struct tile tile = refinement->tile[t];
        for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
            if (indexset_has(model->refinement->indices[operand], tile.steps))
                model->steps[operand] |= indexset_of(tile.steps);
        }
        if (!indexset_has(model->kernel, tile.point)) note_points(model, tile.point);
    }
}

/** Returns the bytes of each run of consecutive lines of a whole tensor. */
static double run_bytes_of(const struct model *model, const struct stream *stream) {
    return stream_runs_of(stream, stream->indices, model->element_bytes, model->line_bytes).bytes;
}

/** Returns the time to read and write the whole result once more; nothing is loaded if it stays in
 * a cache. */
static double seconds_of_passing(const struct model *model) {
    const struct stream result = stream_of(model, TCPLAN_C, false, 1);
    const double bytes = (double)model->problem.written.elems[TCPLAN_C] * model->element_bytes,
                 run_bytes = run_bytes_of(model, &result);
    double seconds = 0;
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        if (bytes > unit->capacity_bytes)
            seconds += model->costs->written * bytes / unit->block_bytes *
                       arrangement_block_seconds(unit, run_bytes);
    }
    return seconds;
}

/**
 * Returns the time to copy the addend to the kernel's target. Each element is copied once, to the
 * result or to its temporary, and each unit (cache or TLB) loads the addend's lines or pages once.
 * If the result has a temporary that is not filled from the addend, or if there are contracted
 * loops, the time of a pass over the result is added.
 */
static double seconds_of_addend(const struct model *model) {
    const struct stream addend = stream_of(model, TCPLAN_ADDEND, false, 1);
    const struct stream result = stream_of(model, TCPLAN_C, false, 1);
    const bool fills = model->by_rules || model->structure.copy[TCPLAN_C].read;
    const bool is_copied = model->copied >> TCPLAN_C & 1U;
    const bool comes_back = model->contracted != 0 || (is_copied && !fills);
    double seconds = comes_back ? seconds_of_passing(model) : 0;
    /* filling the temporary counts as one of its copies, whether its source is the result or the
     * addend */
    if (comes_back || !is_copied) {
        const double elements = (double)model->problem.written.elems[TCPLAN_C];
        seconds += elements * model_copied_element_seconds(model, &addend, &result, UINT64_MAX);
    }
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        seconds += stream_blocks(&addend, addend.indices, model->element_bytes, unit->block_bytes) *
                   arrangement_block_seconds(unit, run_bytes_of(model, &addend));
    }
    return seconds;
}

/** Returns the time to prepare the result if the kernel does not apply beta: to scale it, or to
 * copy the addend to it. */
static double seconds_of_start(const struct model *model) {
    const struct tcplan_contraction *contraction = model->refinement->source;
    const enum tcplan_operand added = contraction_added(contraction);
    if (added == TCPLAN_ADDEND) return seconds_of_addend(model);
    const bool conjugates = added == TCPLAN_C && contraction->tensor[TCPLAN_C].conjugated;
    const bool is_unchanged = scalar_is(contraction->beta, 1) && !conjugates;
    const bool starts = !model->contracted || model->structure.starts;
    if (is_unchanged ||
        (starts && !conjugates && kernel_class_of(model->structure.kernel)->has_beta))
        return 0;
    return (double)model->problem.written.elems[TCPLAN_C] * model->copy->scaled +
           seconds_of_passing(model);
}

/** Clears the members that are not always set, except the dimensions of unused streams, which are
 * most of a model's memory. */
static void clear(struct model *model) {
    model->kernel = model->summed = model->contracted = 0;
    model->copied = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) model->steps[t] = model->points[t] = 0;
    for (int s = 0; s < STREAMS; s++) {
        struct stream *stream = &model->stream[s];
        stream->rank = 0;
        stream->indices = 0;
        stream->cost_factor = 0;
        stream->temporary = false;
    }
}

bool model_make(struct model *out, struct arena *arena, const struct tcplan_problem *problem,
                const struct tcplan_costs *costs, double line_bytes,
                const struct tcplan_algorithm *structure, bool by_rules) {
    clear(out);
    out->costs = costs;
    out->copy = &costs->copy[problem->dtype];
    out->structure = *structure;
    out->element_bytes = (double)problem->element_bytes;
    out->line_bytes = line_bytes;
    out->by_rules = by_rules;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        /* In the `blas` space, temporaries have the indices of the kernel. Other copies count as
         * outside all loops, with all indices, until they are placed. */
        if (structure->copy[t].depth >= 0) {
            out->structure.copy[t].depth = (int8_t)(by_rules ? structure->loop_count : 0);
            out->copied |= 1U << t;
        }
    }
    out->refinement = refinement_of(arena, problem->contraction, &out->structure);
    if (!out->refinement) return false;
    out->problem = problem_refine(problem, out->refinement);
    for (int role = 0; role < TCPLAN_ROLES; role++) out->kernel |= structure->group[role];
    out->summed = contraction_summed(problem->contraction, TCPLAN_A) |
                  contraction_summed(problem->contraction, TCPLAN_B);
    note_tiles(out);
    out->unit_count = arrangement_units(out->unit, costs, line_bytes);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        const bool copied = out->copied >> t & 1U;
        const double write = arrangement_transfers(costs, operand, structure->copy[t].streamed);
        out->stream[t] = stream_of(out, operand, copied, copied ? 1 : write);
        if (!copied) continue;
        out->stream[KERNEL_STREAMS + t] = stream_of(out, operand, false, write);
        out->stream[KERNEL_STREAMS + TCPLAN_OPERANDS + t] = stream_of(out, operand, true, 1);
    }
    for (int l = 0; l < structure->loop_count; l++) {
        if (refinement_index(out->refinement, structure->loop[l])->kind == TCPLAN_CONTRACTED)
            out->contracted |= indexset_of(structure->loop[l]);
    }
    out->start_seconds = seconds_of_start(out);
    out->streamed_call_seconds = seconds_of_streamed_call(out);
    return true;
}

bool model_varies(const struct model *model, int stream, int index) {
    return indexset_has(model->stream[stream].indices, index);
}

void model_forget(struct model *model) {
    const unsigned sets =
        model->structure.loop_count > REMEMBERED_LOOPS ? 0 : 1U << model->structure.loop_count;
    for (int b = 0; b < ARRANGEMENT_BLOCKS; b++) {
        for (int s = 0; s < STREAMS; s++) {
            for (unsigned set = 0; set < sets; set++) model->remembered[b][s][set] = -1;
        }
    }
}
