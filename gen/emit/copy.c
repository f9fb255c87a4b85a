#include <stdlib.h>

#include "ast/nest/heuristics.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/scalar.h"
#include "base/indexset.h"
#include "gen/emit/extents.h"
#include "gen/emit/parts.h"
#include "gen/emit/runtime.h"
#include "gen/emit/runtime_text.h"
#include "gen/lower/copy_shape.h"

bool emit_has_copy(const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY) return true;
        if (node->kind == TCPLAN_NODE_LOOP && emit_has_copy(node->loop.body)) return true;
    }
    return false;
}

static void add_typed(const struct emitter *emitter, const char *text) {
    emit_runtime(emitter, "copy_", text);
}

/** Returns whether some copy sums over more than one element. */
static bool has_sums(const struct emitter *emitter, const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_LOOP && has_sums(emitter, node->loop.body)) return true;
        for (uint64_t rest = node->kind == TCPLAN_NODE_COPY ? node->copy.summed : 0; rest;
             rest &= rest - 1) {
            const int index = indexset_first(rest);
            const bool is_written =
                index < emitter->problem->contraction->index_count; /* numbers from index_count on
                                                                       denote the steps of a tile */
            if (emitter->takes_extents || !is_written || emitter->problem->extent[index] > 1)
                return true;
        }
    }
    return false;
}

/** Begins a preprocessor guard around code that several emitted files contain, so that the files
 * may be concatenated. */
static void begin_common(const struct emitter *emitter, const char *name) {
    add_typed(emitter, "#ifndef ");
    add_typed(emitter, name);
    add_typed(emitter, " /* emitted files may be concatenated */\n#define ");
    add_typed(emitter, name);
    strbuf_add(emitter->out, "\n\n");
}

static void add_common(const struct emitter *emitter, const char *name, const char *text) {
    begin_common(emitter, name);
    add_typed(emitter, text);
    strbuf_add(emitter->out, "\n#endif\n\n");
}

/** Returns whether some copy has a factor. */
static bool has_scaled(const struct tcplan_problem *problem, const struct tcplan_node *node) {
    for (; node; node = node->next) {
        if (node->kind == TCPLAN_NODE_COPY && copy_scales(problem, &node->copy)) return true;
        if (node->kind == TCPLAN_NODE_LOOP && has_scaled(problem, node->loop.body)) return true;
    }
    return false;
}

void emit_copy_kernels_of(struct strbuf *out, enum tcplan_dtype dtype) {
    static const char *const transposition[TCPLAN_DTYPES] = {
        copy_transpose_4_text, copy_transpose_8_text, copy_transpose_8_text,
        copy_transpose_16_text};
    const struct tcplan_problem problem = {.dtype = dtype};
    const struct emitter emitter = {.out = out, .problem = &problem};
    begin_common(&emitter, "COPY_KERNELS");
    strbuf_add(out, "typedef %s ", emit_type(dtype));
    add_typed(&emitter, "copy_element;\n\n");
    add_typed(&emitter, copy_begin_text);
    strbuf_add(out, "\n");
    add_typed(&emitter, tcplan_dtype_is_complex(dtype) ? copy_complex_text : copy_real_text);
    strbuf_add(out, "\n");
    add_typed(&emitter, transposition[dtype]);
    strbuf_add(out, "\n");
    add_typed(&emitter, copy_end_text);
    strbuf_add(out, "\n#endif\n\n");
}

void emit_copy_kernels(const struct emitter *emitter) {
    emit_copy_kernels_of(emitter->out, emitter->problem->dtype);
    if (has_sums(emitter, emitter->nest->body)) add_common(emitter, "COPY_SUMS", copy_sum_text);
    if (has_scaled(emitter->problem, emitter->nest->body))
        add_common(emitter, "COPY_SCALED", copy_scaled_text);
}

static int64_t ends_in(const struct emitter *emitter) {
    if (emitter->takes_extents) return 0;
    return copy_shape_ends(emitter->nest, emitter->refined);
}

bool emit_has_ends(const struct emitter *emitter) {
    return ends_in(emitter) > 0;
}

void emit_ends_allocation(const struct emitter *emitter, int threads) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "struct ");
    add_typed(emitter, "copy_end *");
    if (threads > 1) {
        strbuf_add(emitter->out, "C_all_ends = calloc(%d * %lld, sizeof *C_all_ends);\n", threads,
                   (long long)ends_in(emitter));
    } else {
        strbuf_add(emitter->out, "C_ends = calloc(%lld, sizeof *C_ends);\n",
                   (long long)ends_in(emitter));
    }
}

void emit_ends_of_thread(const struct emitter *emitter) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "struct ");
    add_typed(emitter, "copy_end *const C_ends = C_all_ends + ");
    strbuf_add(emitter->out, "%lld * thread;\n", (long long)ends_in(emitter));
}

void emit_ends_write(const struct emitter *emitter) {
    emit_indent(emitter);
    add_typed(emitter, "copy_ends_write(C_ends, ");
    strbuf_add(emitter->out, "%lld);\n", (long long)ends_in(emitter));
}

void emit_copy_fence(const struct emitter *emitter) {
    emit_indent(emitter);
    add_typed(emitter, "copy_fence();\n");
}

/** Returns whether no other dimension of a copy belongs to the same range as dimension `d`. */
static bool is_one_dimension(const struct copy_shape *shape, int d) {
    int count = 0;
    for (int other = 0; other < shape->rank; other++)
        count += shape->dimension[other].head == shape->dimension[d].head;
    return count == 1;
}

bool emit_shape_varies(const struct emitter *emitter, const struct copy_shape *shape, int d) {
    const int head = shape->dimension[d].head;
    return head >= 0 && is_one_dimension(shape, d) && !indexset_has(emitter->refined->ending, head);
}

void emit_shape_extent(const struct emitter *emitter, const struct copy_shape *shape, int d,
                       int64_t extent) {
    const struct copy_shape_dimension *dimension = &shape->dimension[d];
    if (emitter->takes_extents) {
        emit_points(emitter, dimension->head >= 0 ? dimension->head : dimension->index);
    } else if (!emit_shape_varies(emitter, shape, d)) {
        strbuf_add(emitter->out, "%lld", (long long)extent);
    } else if (dimension->head == dimension->index) {
        emit_extent(emitter, dimension->index);
    } else {
        strbuf_add(emitter->out, "(");
        emit_full(emitter, dimension->head);
        strbuf_add(
            emitter->out, " ? %lld : %lld)",
            (long long)problem_count(emitter->refined, dimension->head, dimension->index, false),
            (long long)problem_count(emitter->refined, dimension->head, dimension->index, true));
    }
}

/** Returns tile number `number` of those whose last step changes how a copy divides into boxes; -1
 * if there are fewer. */
static int deciding_head(const struct emitter *emitter, const struct copy_shape *shape,
                         int number) {
    uint64_t seen = 0;
    for (int d = 0; d < shape->rank; d++) {
        const int head = shape->dimension[d].head;
        if (head < 0 || indexset_has(seen, head) || is_one_dimension(shape, d) ||
            indexset_has(emitter->refined->ending, head))
            continue;
        seen |= indexset_of(head);
        if (number-- == 0) return head;
    }
    return -1;
}

/** Emits the boxes of a copy for loops in the last step of the tiles in `partial`; emits conditions
 * for the other tiles. */
static void add_boxes(struct emitter *emitter, const struct copy_shape *shape, unsigned partial,
                      int decided, emit_box_fn *emit, const void *node) {
    const int head = deciding_head(emitter, shape, decided);
    if (head < 0) {
        struct copy_box box;
        for (int b = 0; copy_shape_box(&box, shape, emitter->refined, partial, b); b++)
            emit(emitter, shape, &box, node);
        return;
    }
    emit_indent(emitter);
    strbuf_add(emitter->out, "if (");
    emit_full(emitter, head);
    strbuf_add(emitter->out, ") {\n");
    emitter->level++;
    add_boxes(emitter, shape, partial, decided + 1, emit, node);
    emitter->level--;
    emit_indent(emitter);
    strbuf_add(emitter->out, "} else {\n");
    emitter->level++;
    add_boxes(emitter, shape,
              partial | 1U << refinement_tile_around(emitter->refined->refinement, head),
              decided + 1, emit, node);
    emit_end(emitter);
}

void emit_boxes(struct emitter *emitter, const struct copy_shape *shape, emit_box_fn *emit,
                const void *node) {
    if (emitter->takes_extents) {
        emit(emitter, shape, &(struct copy_box){.to = 0},
             node); /* loops over panels are not part of the copy */
    } else {
        add_boxes(emitter, shape, 0, 0, emit, node);
    }
}

struct copy_shape emit_shape_of(const struct emitter *emitter, const struct tcplan_copy *copy) {
    return emitter->takes_extents ? copy_shape_of_ranges(emitter->refined, copy)
                                  : copy_shape_of(emitter->refined, copy);
}

bool emit_shape_step(const struct emitter *emitter, struct tcplan_slice slice,
                     const struct copy_shape_dimension *dimension, bool is_source,
                     const char *before) {
    if (!emitter->takes_extents)
        return emit_step(emitter->out, is_source ? dimension->from : dimension->to, before);
    return emit_slice_step(emitter, slice, dimension->index, before);
}

/** Returns whether the steps of a tile are not contiguous in an operand's temporary: they are
 * panels, or separate products of a sum. */
static bool lies_apart(const struct emitter *emitter, enum tcplan_operand operand,
                       struct tile tile) {
    const int shortest = refinement_outer(emitter->refined->refinement, tile.point);
    return emitter->nest->algorithm.copy[operand].panels || emit_is_summed(emitter, shortest);
}

/** Returns the outermost index in the span of a slice whose steps are not contiguous; -1: there is
 * none. */
static int outermost_steps(const struct emitter *emitter, const struct tcplan_slice *slice) {
    const struct tcplan_refinement *refinement = emitter->refined->refinement;
    const uint64_t span = slice->span;
    for (int t = 0; t < refinement->tile_count; t++) {
        const struct tile tile = refinement->tile[t];
        if (!lies_apart(emitter, slice->operand, tile)) continue;
        const bool is_outermost =
            tile.outer < 0 || !indexset_has(span, refinement->tile[tile.outer].steps);
        if (is_outermost && indexset_has(span, tile.steps) && indexset_has(span, tile.inner))
            return tile.steps;
    }
    return -1;
}

int emit_begin_panels(struct emitter *emitter, struct tcplan_slice *slice) {
    int count = 0;
    if (!emitter->takes_extents) return 0;
    for (int steps; (steps = outermost_steps(emitter, slice)) >= 0; count++) {
        emit_for(emitter, steps);
        slice->span &= ~indexset_of(steps);
    }
    return count;
}

/** Prints the stride of a dimension in the source or the destination of a copy. */
static void add_side(const struct emitter *emitter, struct tcplan_slice slice, int index,
                     int64_t stride) {
    if (!emitter->takes_extents) {
        strbuf_add(emitter->out, ", %lld", (long long)stride);
        return;
    }
    strbuf_add(emitter->out, ", ");
    if (!emit_given_stride(emitter, slice, index)) strbuf_add(emitter->out, "1");
}

bool emit_is_large(const struct emitter *emitter, const struct tcplan_copy *copy) {
    if (emitter->takes_extents ||
        (copy->from.temporary && !copy->to.temporary && emit_has_ends(emitter)))
        return false;
    const struct copy_shape shape = emit_shape_of(emitter, copy);
    double bytes = (double)emitter->problem->element_bytes;
    for (int d = 0; d < shape.rank; d++) bytes *= (double)shape.dimension[d].extent;
    return bytes >= SHARING_LEAST_BYTES;
}

int emit_divided_dimension(const struct emitter *emitter, const struct copy_shape *shape,
                           const struct copy_box *box) {
    int64_t extent[TCPLAN_MAX_INDICES];
    ptrdiff_t to[TCPLAN_MAX_INDICES];
    if (emitter->dividing == 0 || shape->rank == 0) return -1;
    for (int d = 0; d < shape->rank; d++) {
        extent[d] = emit_shape_varies(emitter, shape, d) ? 0 : box->extent[d];
        to[d] = (ptrdiff_t)shape->dimension[d].to;
    }
    const int best = sharing_dimension(shape->rank, extent, to, emitter->dividing);
    return extent[best] >= emitter->dividing ? best : -1;
}

void emit_part_begin(const struct emitter *emitter, int64_t extent, const char *thread) {
    if (extent % emitter->dividing == 0) {
        strbuf_add(emitter->out, "%lld * %s", (long long)(extent / emitter->dividing), thread);
    } else {
        strbuf_add(emitter->out, "%lld * %s / %d", (long long)extent, thread, emitter->dividing);
    }
}

static bool is_by_one(const struct emitter *emitter, const struct copy_shape *shape,
                      const struct copy_box *box) {
    return emitter->dividing > 0 && emit_divided_dimension(emitter, shape, box) < 0;
}

void emit_begin_by_one(struct emitter *emitter, const struct copy_shape *shape,
                       const struct copy_box *box) {
    if (!is_by_one(emitter, shape, box)) return;
    emit_indent(emitter);
    strbuf_add(emitter->out, "if (thread == 0)\n");
    emitter->level++;
}

void emit_end_by_one(struct emitter *emitter, const struct copy_shape *shape,
                     const struct copy_box *box) {
    if (is_by_one(emitter, shape, box)) emitter->level--;
}

/** Prints the extent of a copied dimension; if threads divide the dimension, prints the extent of
 * one thread's part. */
static void add_copied_extent(const struct emitter *emitter, const struct copy_shape *shape,
                              const struct copy_box *box, int d) {
    if (d != emit_divided_dimension(emitter, shape, box)) {
        emit_shape_extent(emitter, shape, d, box->extent[d]);
    } else if (box->extent[d] % emitter->dividing == 0) {
        strbuf_add(emitter->out, "%lld", (long long)(box->extent[d] / emitter->dividing));
    } else {
        emit_part_begin(emitter, box->extent[d], "(thread + 1)");
        strbuf_add(emitter->out, " - ");
        emit_part_begin(emitter, box->extent[d], "thread");
    }
}

static void add_dimensions(const struct emitter *emitter, const struct copy_shape *shape,
                           const struct copy_box *box, const struct tcplan_copy *copy) {
    add_typed(emitter, "(const struct copy_dimension[]){");
    const int rank = shape->rank + shape->summed;
    for (int d = 0; d < rank; d++) {
        strbuf_add(emitter->out, d > 0 ? ", {" : "{");
        add_copied_extent(emitter, shape, box, d);
        if (d < shape->rank)
            add_side(emitter, copy->to, shape->dimension[d].index, shape->dimension[d].to);
        if (d >= shape->rank)
            strbuf_add(emitter->out,
                       ", 0"); /* summed dimensions have no stride in the destination */
        add_side(emitter, copy->from, shape->dimension[d].index, shape->dimension[d].from);
        strbuf_add(emitter->out, "}");
    }
    strbuf_add(emitter->out, rank > 0 ? "}" : "{1, 0, 0}}");
}

/** Prints `, flags, factor`, the last arguments of a copy. If contracted loops revisit the result,
 * the first copy applies beta, and later ones accumulate. */
static void add_mode(const struct emitter *emitter, const struct tcplan_copy *copy) {
    const struct tcplan_update *update = &copy->update;
    const struct tcplan_scalar beta = tcplan_problem_scalar(emitter->problem, update->beta);
    const bool reads_first = !scalar_is(beta, 0);
    const char *overwriting = heuristics_stream(emitter->refined, copy) ? "COPY_STREAM" : "0";
    strbuf_add(emitter->out, ", ");
    if (update->first_of && !reads_first) {
        emit_first(emitter, update->first_of);
        strbuf_add(emitter->out, " ? ");
        add_typed(emitter, overwriting);
        add_typed(emitter, " : COPY_ACCUMULATE, ");
        emit_constant(emitter->out, emitter->problem->dtype, (struct tcplan_scalar){1, 0});
        return;
    }
    add_typed(emitter, reads_first ? "COPY_ACCUMULATE" : overwriting);
    strbuf_add(emitter->out, ", ");
    emit_factor(emitter, beta, update->first_of);
}

static void add_beginning(const struct emitter *emitter, struct tcplan_slice slice, int64_t elems) {
    emit_pointer(emitter, slice);
    if (elems != 0) strbuf_add(emitter->out, " %c %lld", elems < 0 ? '-' : '+', llabs(elems));
}

/** Prints the offset of a thread's part of dimension `d`, ` + 24 * (17 * thread / 2)`; -1: not
 * divided. */
static void add_thread_offset(const struct emitter *emitter, int64_t stride, int d,
                              const struct copy_box *box) {
    if (d < 0 || !emit_step(emitter->out, stride, " + ")) return;
    strbuf_add(emitter->out, "(");
    emit_part_begin(emitter, box->extent[d], "thread");
    strbuf_add(emitter->out, ")");
}

static void add_copy(struct emitter *emitter, const struct copy_shape *shape,
                     const struct copy_box *box, const void *node) {
    const struct tcplan_copy *copy = node;
    const bool scales = copy_scales(emitter->problem, copy);
    emit_begin_by_one(emitter, shape, box);
    emit_indent(emitter);
    add_typed(emitter, shape->summed > 0 ? "copy_sum(" : scales ? "copy_scaled(" : "copy_block(");
    const int divided = emit_divided_dimension(emitter, shape, box);
    add_beginning(emitter, copy->to, box->to);
    add_thread_offset(emitter, divided >= 0 ? shape->dimension[divided].to : 0, divided, box);
    strbuf_add(emitter->out, ", ");
    add_beginning(emitter, copy->from, box->from);
    add_thread_offset(emitter, divided >= 0 ? shape->dimension[divided].from : 0, divided, box);
    strbuf_add(emitter->out, ", %d, ", shape->rank);
    if (shape->summed > 0) strbuf_add(emitter->out, "%d, ", shape->summed);
    add_dimensions(emitter, shape, box, copy);
    const bool conjugates = scalar_conjugates(copy->conjugated, emitter->problem->dtype);
    if (shape->summed > 0 || scales) {
        strbuf_add(emitter->out, ", ");
        add_typed(emitter, conjugates ? "COPY_CONJUGATE" : "0");
        if (scales) strbuf_add(emitter->out, ", ");
        if (scales)
            emit_constant(emitter->out, emitter->problem->dtype,
                          tcplan_problem_scalar(emitter->problem, copy->update.alpha));
    } else if (conjugates) { /* copies of a factor or of the addend overwrite the temporary */
        strbuf_add(emitter->out, ", ");
        add_typed(emitter, "COPY_CONJUGATE, ");
        emit_constant(emitter->out, emitter->problem->dtype, (struct tcplan_scalar){0, 0});
        strbuf_add(emitter->out, ", NULL");
    } else {
        add_mode(emitter, copy);
        strbuf_add(emitter->out,
                   copy->from.temporary && emit_has_ends(emitter) ? ", C_ends" : ", NULL");
    }
    strbuf_add(emitter->out, ");\n");
    emit_end_by_one(emitter, shape, box);
}

void emit_copy(struct emitter *emitter, const struct tcplan_copy *copy) {
    struct tcplan_copy part = *copy;
    const int panels = emit_begin_panels(emitter, &part.to);
    part.from.span &= part.to.span | copy->summed;
    const struct copy_shape shape = emit_shape_of(emitter, &part);
    emit_boxes(emitter, &shape, add_copy, &part);
    if (emitter->dividing > 0 && !copy->to.temporary) emit_copy_fence(emitter);
    for (int p = 0; p < panels; p++) emit_end(emitter);
    if (copy->to.temporary && heuristics_stream(emitter->refined, copy))
        emit_copy_fence(emitter); /* threads of a BLAS may read the temporary */
}
