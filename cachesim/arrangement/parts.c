#include "cachesim/arrangement/parts.h"

#include <math.h>

#include "base/indexset.h"

/** Returns the last cache, whose misses go to memory; NULL: there is no cache, or all data stay in
 * it between executions. */
static const struct arrangement_unit *last_cache(const struct model *model,
                                                 const struct partial *partial, int *number) {
    *number = model->unit_count - 2; /* the unit of page translations comes after the caches */
    const struct arrangement_unit *cache = *number >= 0 ? &model->unit[*number] : NULL;
    return cache && partial_bytes(model, partial, cache) > cache->capacity_bytes ? cache : NULL;
}

/** Returns whether consecutive iterations touch consecutive lines of a stream. The loops are
 * searched from loop `l` outwards; the first loop that moves the stream decides. */
static bool follows(const struct model *model, const struct partial *partial, int s,
                    uint64_t inside, int l) {
    const struct stream *stream = &model->stream[s];
    const double line_bytes = model->unit[0].block_bytes;
    while (l < partial->count && !model_varies(model, s, partial->loop[l])) l++;
    if (l == partial->count) return false;
    const struct stream_runs one = stream_runs_of(stream, inside, model->element_bytes, line_bytes);
    const struct stream_runs several = stream_runs_of(
        stream, inside | indexset_of(partial->loop[l]), model->element_bytes, line_bytes);
    return several.count <= one.count;
}

/** Determines whether the kernel's operands come from memory. */
static void locate_operands(const struct model *model, const struct partial *partial,
                            struct arrangement_parts *parts) {
    int last;
    const struct arrangement_unit *cache = last_cache(model, partial, &last);
    double touched = 0, fetched = 0, most = 0;
    for (int s = 0; s < KERNEL_STREAMS && cache; s++) {
        const double lines = stream_blocks(&model->stream[s], model->kernel | model->summed,
                                           model->element_bytes, cache->block_bytes);
        touched += lines * partial->calls;
        fetched += partial->blocks[last][s];
        if (partial->blocks[last][s] <= most) continue;
        most = partial->blocks[last][s];
        parts->streams = follows(model, partial, s, model->kernel | model->summed, 0);
    }
    parts->memory_share = touched > 0 ? fmin(fetched / touched, 1) : 0;
}

/** Returns whether the tensor of a copy comes from memory. */
static bool is_from_memory(const struct model *model, const struct partial *partial, int t) {
    int last;
    const struct arrangement_unit *cache = last_cache(model, partial, &last);
    if (!cache) return false;
    const double lines = stream_blocks(&model->stream[KERNEL_STREAMS + t], partial->held[t],
                                       model->element_bytes, cache->block_bytes);
    return 2 * partial->blocks[last][KERNEL_STREAMS + t] > lines * partial->executions[t];
}

/** Returns the dimension of a stream with a given index; NULL: there is none. */
static const struct stream_dimension *dimension_of(const struct stream *stream, uint8_t index) {
    for (int d = 0; d < stream->rank; d++) {
        if (stream->dimension[d].index == index) return &stream->dimension[d];
    }
    return NULL;
}

/** Returns whether two numbers are equal up to rounding: shares of tiles are not exact. */
static bool is_equal(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/** Sets the dimensions of a copy. A temporary's elements are consecutive. A copy that sums over
 * indices, or has too many dimensions, gets no dimensions. */
static void set_dimensions(const struct model *model, const struct partial *partial, int t,
                           struct arrangement_copy *copy) {
    const struct stream *tensor = &model->stream[KERNEL_STREAMS + t],
                        *temporary = &model->stream[KERNEL_STREAMS + TCPLAN_OPERANDS + t];
    double step = 1;
    if ((tensor->indices & ~temporary->indices) != 0) return;
    for (int d = 0; d < temporary->rank; d++) {
        const struct stream_dimension *there = dimension_of(tensor, temporary->dimension[d].index);
        if (!there || !indexset_has(partial->held[t], there->index)) continue;
        const double apart = there->stride_bytes / model->element_bytes;
        struct arrangement_dimension *last =
            copy->rank > 0 ? &copy->dimension[copy->rank - 1] : NULL;
        if (last && is_equal(apart, last->tensor * last->extent)) {
            last->extent *= there->extent;
        } else if (copy->rank == ARRANGEMENT_COPY_DIMENSIONS) {
            copy->rank = 0;
            return;
        } else {
            copy->dimension[copy->rank++] =
                (struct arrangement_dimension){there->extent, apart, step};
        }
        step *= there->extent;
    }
}

static struct arrangement_copy copy_of(const struct model *model, const struct partial *partial,
                                       int t) {
    if (!(partial->placed >> t & 1U)) return (struct arrangement_copy){0};
    const int tensor = KERNEL_STREAMS + t, temporary = tensor + TCPLAN_OPERANDS;
    struct arrangement_copy copy = {
        .executions = partial->executions[t],
        .elements = partial->elements[t],
        .line_seconds = partial_stream_seconds(model, partial, tensor) +
                        partial_stream_seconds(model, partial, temporary),
        .from_memory = is_from_memory(model, partial, t),
        .streams = follows(model, partial, tensor, partial->held[t], partial->place[t]),
    };
    copy.seconds = partial_copy_seconds(model, partial, t) + copy.line_seconds;
    set_dimensions(model, partial, t, &copy);
    return copy;
}

struct arrangement_parts arrangement_parts_of(const struct model *model,
                                              const struct partial *partial) {
    struct arrangement_parts parts = {.start_seconds = model->start_seconds};
    parts.operand_seconds = partial->calls * model->streamed_call_seconds;
    for (int s = 0; s < KERNEL_STREAMS; s++)
        parts.operand_seconds += partial_stream_seconds(model, partial, s);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) parts.copy[t] = copy_of(model, partial, t);
    locate_operands(model, partial, &parts);
    return parts;
}
