#include "cachesim/arrangement/partial.h"

#include "base/indexset.h"

/* Largest number of runs of one stream that a processor prefetches concurrently: prefetchers of
 * the last ten years follow 16 to 32. */
#define PREFETCHED_RUNS 16

/** Returns the number of blocks that a stream touches in the partial arrangement, with the loop
 * over `loop` added around it; -1: without another loop. */
static double footprint(const struct model *model, const struct partial *partial, int s,
                        const struct arrangement_unit *unit, int loop) {
    const uint64_t more = loop >= 0 ? indexset_of(model->structure.loop[loop]) : 0;
    if (model->structure.loop_count > REMEMBERED_LOOPS) {
        return stream_blocks(&model->stream[s], partial->inside | more, model->element_bytes,
                             unit->block_bytes);
    }
    const uint64_t loops = partial->loops | (loop >= 0 ? indexset_of(loop) : 0);
    double *known = &model->remembered[unit->block][s][loops];
    if (*known < 0)
        *known = stream_blocks(&model->stream[s], partial->inside | more, model->element_bytes,
                               unit->block_bytes);
    return *known;
}

double partial_bytes(const struct model *model, const struct partial *partial,
                     const struct arrangement_unit *unit) {
    double bytes = 0;
    for (int s = 0; s < KERNEL_STREAMS + TCPLAN_OPERANDS; s++) {
        /* a copy that is not placed yet touches nothing */
        if (s >= KERNEL_STREAMS && !(partial->placed >> (s - KERNEL_STREAMS) & 1U)) continue;
        bytes += footprint(model, partial, s, unit, -1) * unit->block_bytes;
    }
    return bytes;
}

double partial_stream_seconds(const struct model *model, const struct partial *partial, int s) {
    double seconds = 0;
    for (int u = 0; u < model->unit_count; u++) {
        seconds += partial->blocks[u][s] *
                   arrangement_block_seconds(&model->unit[u], partial->run_bytes[s]);
    }
    return seconds * model->stream[s].cost_factor;
}

double partial_copy_seconds(const struct model *model, const struct partial *partial, int t) {
    if (!(partial->placed >> t & 1U)) return 0;
    return partial->executions[t] *
           (model->copy->begin + partial->elements[t] * partial->element_seconds[t]);
}

static void rate(const struct model *model, struct partial *partial) {
    double seconds = 0;
    for (int s = 0; s < STREAMS; s++) seconds += partial_stream_seconds(model, partial, s);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) seconds += partial_copy_seconds(model, partial, t);
    partial->seconds_per_call = seconds / partial->calls + model->streamed_call_seconds;
}

/** Returns whether a copy or a kernel of loops that writes `to` reads `from` in another order than
 * that of its addresses: the nearest elements of `from` are not the nearest of `to`, which has
 * their index too. */
static bool is_transposed(const struct stream *from, const struct stream *to, uint64_t inside) {
    int d = 0, e = 0;
    const struct stream_dimension *x = stream_next(from, inside, &d),
                                  *y = stream_next(to, inside, &e);
    return x && y && x->index != y->index && indexset_has(to->indices, x->index);
}

/** Begins the runs of a stream: those over the indices inside the partial arrangement, or none if
 * they are not accessed in the order of their addresses. */
static void begin_runs(const struct model *model, struct partial *partial, int s, bool in_order) {
    const struct stream_runs runs =
        stream_runs_of(&model->stream[s], partial->inside, model->element_bytes, model->line_bytes);
    partial->run_bytes[s] = in_order ? runs.bytes : 0;
    partial->runs[s] = in_order && runs.count <= PREFETCHED_RUNS ? runs.count : 0;
}

/** Extends a stream's runs by the loop over an index: it continues them, or it begins others. */
static void extend_runs(const struct model *model, struct partial *partial, int s, int index) {
    if (partial->runs[s] == 0 || !model_varies(model, s, index)) return;
    const struct stream_runs runs =
        stream_runs_of(&model->stream[s], partial->inside | indexset_of(index),
                       model->element_bytes, model->line_bytes);
    if (runs.count > partial->runs[s]) {
        partial->runs[s] = 0;
    } else {
        partial->run_bytes[s] = runs.bytes;
        partial->runs[s] = runs.count;
    }
}

struct partial partial_of_kernel(const struct model *model) {
    struct partial partial = {.calls = 1, .inside = model->kernel | model->summed};
    for (int u = 0; u < model->unit_count; u++) {
        for (int s = 0; s < KERNEL_STREAMS; s++) {
            partial.blocks[u][s] = footprint(model, &partial, s, &model->unit[u], -1);
        }
    }
    for (int s = 0; s < KERNEL_STREAMS; s++) {
        const bool in_order =
            model->structure.kernel != TCPLAN_LOOPS ||
            !is_transposed(&model->stream[s], &model->stream[TCPLAN_C], partial.inside);
        begin_runs(model, &partial, s, in_order);
    }
    return partial;
}

bool partial_is_filled(const struct model *model, const struct partial *partial, int operand) {
    const struct tcplan_scalar beta = model->refinement->source->beta;
    if (!model->by_rules || operand != TCPLAN_C) return false;
    return beta.re != 0 || beta.im != 0 || (model->contracted & ~partial->inside) != 0;
}

void partial_place_copy(const struct model *model, struct partial *partial, int operand,
                        bool filled) {
    const int tensor = KERNEL_STREAMS + operand;
    const int temporary = tensor + TCPLAN_OPERANDS;
    const struct stream *stream = &model->stream[tensor];
    partial->placed |= 1U << operand;
    partial->place[operand] = (int8_t)partial->count;
    partial->executions[operand] = 1;
    partial->held[operand] = partial->inside;
    partial->elements[operand] = (filled ? 2 : 1) * stream_elements(stream, partial->inside);
    partial->element_seconds[operand] =
        model_copied_element_seconds(model, stream, &model->stream[operand], partial->inside) +
        (operand == TCPLAN_C ? model_streamed_row_seconds(model, stream, partial->inside) : 0);
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        partial->blocks[u][tensor] = footprint(model, partial, tensor, unit, -1);
        /* if the temporary stays in the unit, only the kernel loads it */
        const bool stays = partial_bytes(model, partial, unit) <= unit->capacity_bytes;
        partial->blocks[u][temporary] = stays ? 0 : footprint(model, partial, temporary, unit, -1);
    }
    const bool in_order = !is_transposed(stream, &model->stream[temporary], partial->inside);
    begin_runs(model, partial, tensor, in_order);
    begin_runs(model, partial, temporary, in_order);
}

static void extend_unit(const struct model *model, struct partial *partial, int u, int loop,
                        double extent) {
    const int index = model->structure.loop[loop];
    const struct arrangement_unit *unit = &model->unit[u];
    const bool overflows = partial_bytes(model, partial, unit) > unit->capacity_bytes;
    for (int s = 0; s < STREAMS; s++) {
        if (partial->blocks[u][s] == 0) continue;
        const bool is_placed =
            s < KERNEL_STREAMS && model->stream[s].temporary && (partial->placed >> s & 1U);
        if (overflows) {
            partial->blocks[u][s] *= extent;
        } else if (model_varies(model, s, index) && !is_placed) {
            const double before = footprint(model, partial, s, unit, -1);
            const double after = footprint(model, partial, s, unit, loop);
            partial->blocks[u][s] *= after / before;
        }
    }
}

void partial_rate(const struct model *model, struct partial *partial) {
    struct partial closed = *partial;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if ((model->copied >> t & 1U) && !(partial->placed >> t & 1U))
            partial_place_copy(model, &closed, t, partial_is_filled(model, &closed, t));
    }
    rate(model, &closed);
    partial->seconds_per_call = closed.seconds_per_call;
}

void partial_add_loop(const struct model *model, struct partial *partial, int loop) {
    const int index = model->structure.loop[loop];
    const double extent = problem_full_extent(&model->problem, index);
    for (int u = 0; u < model->unit_count; u++) extend_unit(model, partial, u, loop, extent);
    for (int s = 0; s < STREAMS; s++) extend_runs(model, partial, s, index);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) partial->executions[t] *= extent;
    partial->calls *= extent;
    partial->inside |= indexset_of(index);
    partial->loops |= indexset_of(loop);
    partial->loop[partial->count++] = (uint8_t)index;
}

/** Returns whether a stream uses non-temporal stores: it then goes to memory even if caches
 * would hold it. */
static bool passes_caches(const struct model *model, int s) {
    const int result = TCPLAN_C + (model->copied >> TCPLAN_C & 1U ? KERNEL_STREAMS : 0);
    return s == result && model->structure.copy[TCPLAN_C].streamed;
}

/** Returns the bytes that consecutive executions touch: all tensors except non-temporal ones,
 * and temporaries. */
static double touched_bytes(const struct model *model, const struct partial *partial,
                            const struct arrangement_unit *unit) {
    double bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int s = model->copied >> t & 1U ? KERNEL_STREAMS + t : t;
        const struct stream *stream = &model->stream[s];
        if (s != t) bytes += partial->elements[t] * model->element_bytes;
        if (passes_caches(model, s) && unit->block == ARRANGEMENT_LINE) continue;
        bytes += stream_blocks(stream, stream->indices, model->element_bytes, unit->block_bytes) *
                 unit->block_bytes;
    }
    return bytes;
}

/** Removes loads of data that stays in a unit from one execution to the next, because contractions
 * are repeated. */
static void keep_warm(const struct model *model, struct partial *partial) {
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        if (touched_bytes(model, partial, unit) > unit->capacity_bytes) continue;
        for (int s = 0; s < STREAMS; s++) {
            if (!passes_caches(model, s) || unit->block != ARRANGEMENT_LINE)
                partial->blocks[u][s] = 0;
        }
    }
}

double partial_seconds(const struct model *model, struct partial *partial) {
    keep_warm(model, partial);
    rate(model, partial);
    return partial->seconds_per_call * partial->calls + model->start_seconds;
}
