#include "gen/emit/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ast/contraction/contraction.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "ast/scalar.h"
#include "base/decimal.h"
#include "base/indexset.h"
#include "gen/emit/extents.h"
#include "gen/emit/strides.h"

const char *emit_type(enum tcplan_dtype dtype) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "float _Complex",
                                                    "double _Complex"};
    return type[dtype];
}

const char *emit_operand(const struct emitter *emitter, enum tcplan_operand operand) {
    return emitter->operand[operand];
}

int emit_parameters(const struct emitter *emitter, enum tcplan_operand out[TCPLAN_TENSORS]) {
    return contraction_tensors(emitter->problem->contraction, out);
}

void emit_prototype(struct strbuf *out, const struct emitter *emitter, const char *type) {
    enum tcplan_operand tensor[TCPLAN_TENSORS];
    const int count = emit_parameters(emitter, tensor);
    strbuf_add(out, "int %s(", emitter->function);
    if (emitter->takes_extents) emit_extent_parameters(out, emitter);
    for (int t = 0; t < count; t++) {
        strbuf_add(out, "%s%s%s *%s", t > 0 ? ", " : "", tensor[t] == TCPLAN_C ? "" : "const ",
                   type, emitter->operand[tensor[t]]);
        emit_strides_parameter(out, emitter, tensor[t]);
    }
    strbuf_add(out, ")");
}

void emit_begin_conjugate(const struct emitter *emitter, bool conjugated) {
    if (conjugated)
        strbuf_add(emitter->out,
                   emitter->problem->dtype == TCPLAN_FLOAT_COMPLEX ? "conjf(" : "conj(");
}

void emit_end_conjugate(const struct emitter *emitter, bool conjugated) {
    if (conjugated) strbuf_add(emitter->out, ")");
}

static bool is_single(enum tcplan_dtype dtype) {
    return dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
}

static void add_real(struct strbuf *out, enum tcplan_dtype dtype, double value) {
    const size_t start = out->length;
    if (is_single(dtype)) {
        decimal_print_float(out, (float)value);
    } else {
        decimal_print(out, value);
    }
    if (!out->failed && !strpbrk(out->text + start, ".e")) strbuf_add(out, ".0");
    if (is_single(dtype)) strbuf_add(out, "f");
}

void emit_constant(struct strbuf *out, enum tcplan_dtype dtype, struct tcplan_scalar scalar) {
    if (scalar.im == 0) {
        add_real(out, dtype, scalar.re);
        return;
    }
    strbuf_add(out, "(");
    add_real(out, dtype, scalar.re);
    strbuf_add(out, scalar.im < 0 ? " - " : " + ");
    add_real(out, dtype, fabs(scalar.im));
    strbuf_add(out, " * _Complex_I)");
}

static const struct tile *tile_of_steps(const struct emitter *emitter, int index) {
    const int tile = refinement_tile_of_steps(emitter->refined->refinement, index);
    return tile >= 0 ? &emitter->refined->refinement->tile[tile] : NULL;
}

const char *emit_index_name(const struct emitter *emitter, int index) {
    return refinement_index(emitter->refined->refinement, index)->name;
}

void emit_variable(const struct emitter *emitter, char letter, int index) {
    const struct tcplan_refinement *refinement = emitter->refined->refinement;
    const struct tile *tile = tile_of_steps(emitter, index);
    const bool is_one = !tile || (tile->outer < 0 && tile->inner == tile->point);
    strbuf_add(emitter->out, "%c", letter);
    if (!is_one) strbuf_add(emitter->out, "%d", (int)tile->step);
    strbuf_add(emitter->out, "_%s", refinement_index(refinement, index)->name);
}

void emit_index(const struct emitter *emitter, int index) {
    emit_variable(emitter, tile_of_steps(emitter, index) ? 's' : 'i', index);
}

bool emit_is_partial(const struct emitter *emitter, int index) {
    return problem_varies(emitter->refined, index);
}

bool emit_is_summed(const struct emitter *emitter, int steps) {
    return indexset_has(emitter->nest->algorithm.group[TCPLAN_R], steps);
}

void emit_full(const struct emitter *emitter, int index) {
    const struct refined_problem *problem = emitter->refined;
    const char *separator = "";
    for (int outer = refinement_outer(problem->refinement, index); outer >= 0;
         outer = refinement_outer(problem->refinement, outer)) {
        if (problem->last_extent[outer] == 1)
            continue; /* there is one step, which counts as the last one */
        strbuf_add(emitter->out, "%s", separator);
        emit_index(emitter, outer);
        strbuf_add(emitter->out, " < %lld", (long long)problem->last_extent[outer] - 1);
        separator = " || ";
    }
}

void emit_extent(const struct emitter *emitter, int index) {
    if (emitter->takes_extents) {
        emit_given_extent(emitter, index);
    } else if (emit_is_partial(emitter, index)) {
        emit_variable(emitter, 'n', index);
    } else {
        strbuf_add(emitter->out, "%lld", (long long)emitter->refined->extent[index]);
    }
}

void emit_first(const struct emitter *emitter, uint64_t indices) {
    assert(indices != 0); /* otherwise the condition would be empty */
    for (uint64_t rest = indices; rest; rest &= rest - 1) {
        strbuf_add(emitter->out, "%s", rest == indices ? "" : " && ");
        emit_index(emitter, indexset_first(rest));
        strbuf_add(emitter->out, " == 0");
    }
}

bool emit_step(struct strbuf *out, int64_t stride, const char *before) {
    if (stride == 0) return false;
    if (stride < 0) {
        strbuf_add(out, *before ? " - " : "-");
    } else {
        strbuf_add(out, "%s", before);
    }
    if (stride != 1 && stride != -1)
        strbuf_add(out, "%lld * ", stride < 0 ? -(long long)stride : (long long)stride);
    return true;
}

bool emit_slice_step(const struct emitter *emitter, struct tcplan_slice slice, int index,
                     const char *before) {
    if (!emitter->takes_extents)
        return emit_step(emitter->out, slice_stride(emitter->refined, slice, index), before);
    strbuf_add(emitter->out, "%s", before);
    if (emit_given_stride(emitter, slice, index)) strbuf_add(emitter->out, " * ");
    return true;
}

bool emit_offset(const struct emitter *emitter, struct tcplan_slice slice, uint64_t indices,
                 const char *before) {
    bool any = false;
    for (uint64_t rest = indices; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        if (!emit_slice_step(emitter, slice, index, any ? " + " : before)) continue;
        emit_index(emitter, index);
        any = true;
    }
    return any;
}

uint64_t emit_fixed_indices(const struct emitter *emitter, struct tcplan_slice slice) {
    return slice_indices(emitter->refined->refinement, slice) & ~slice.span;
}

void emit_slice_name(const struct emitter *emitter, struct tcplan_slice slice) {
    strbuf_add(emitter->out, "%s%s", emit_operand(emitter, slice.operand),
               slice.temporary ? "_copy" : "");
}

void emit_pointer(const struct emitter *emitter, struct tcplan_slice slice) {
    emit_slice_name(emitter, slice);
    emit_offset(emitter, slice, emit_fixed_indices(emitter, slice), " + ");
}

void emit_element(const struct emitter *emitter, struct tcplan_slice slice, uint64_t loops) {
    emit_slice_name(emitter, slice);
    strbuf_add(emitter->out, "[");
    if (!emit_offset(emitter, slice, emit_fixed_indices(emitter, slice) | loops, ""))
        strbuf_add(emitter->out, "0");
    strbuf_add(emitter->out, "]");
}

void emit_factor(const struct emitter *emitter, struct tcplan_scalar beta, uint64_t first_of) {
    const enum tcplan_dtype dtype = emitter->problem->dtype;
    const bool differs = first_of && !scalar_is(beta, 1);
    if (differs) {
        emit_first(emitter, first_of);
        strbuf_add(emitter->out, " ? ");
    }
    emit_constant(emitter->out, dtype, beta);
    if (!differs) return;
    strbuf_add(emitter->out, " : ");
    emit_constant(emitter->out, dtype, (struct tcplan_scalar){1, 0});
}

void emit_scaled(const struct emitter *emitter, struct tcplan_slice slice, uint64_t loops,
                 struct tcplan_scalar beta, uint64_t first_of) {
    const bool is_zero = scalar_is(beta, 0);
    const bool is_one = scalar_is(beta, 1);
    if (is_zero && !first_of) return;
    strbuf_add(emitter->out, " + ");
    if (is_zero) {
        strbuf_add(emitter->out, "(");
        emit_first(emitter, first_of);
        strbuf_add(emitter->out, " ? ");
        emit_constant(emitter->out, emitter->problem->dtype, beta);
        strbuf_add(emitter->out, " : ");
    } else if (!is_one) {
        strbuf_add(emitter->out, first_of ? "(" : "");
        emit_factor(emitter, beta, first_of);
        strbuf_add(emitter->out, first_of ? ") * " : " * ");
    }
    emit_element(emitter, slice, loops);
    strbuf_add(emitter->out, is_zero ? ")" : "");
}

void emit_indent(const struct emitter *emitter) {
    strbuf_fill(emitter->out, ' ', 4 * (size_t)emitter->level);
}

/** Emits the declaration of the number of values in a step. */
static void add_count(const struct emitter *emitter, int index) {
    const struct refined_problem *problem = emitter->refined;
    emit_indent(emitter);
    strbuf_add(emitter->out, "const int ");
    emit_extent(emitter, index);
    strbuf_add(emitter->out, " = ");
    emit_full(emitter, index);
    strbuf_add(emitter->out, " ? %lld : %lld;\n", (long long)problem->extent[index],
               (long long)problem->last_extent[index]);
}

/** Adds `for (ptrdiff_t i_a = `. */
static void add_for(const struct emitter *emitter, int index) {
    emit_indent(emitter);
    strbuf_add(emitter->out, "for (ptrdiff_t ");
    emit_index(emitter, index);
    strbuf_add(emitter->out, " = ");
}

/** Adds `i_a < 400`, or `8 * s_a < n_a`. */
static void add_limit(const struct emitter *emitter, int index) {
    const struct tile *tile = tile_of_steps(emitter, index);
    if (emitter->takes_extents) {
        if (tile) strbuf_add(emitter->out, "%d * ", (int)tile->step);
        emit_index(emitter, index);
        strbuf_add(emitter->out, " < ");
        emit_points(emitter, index);
        return;
    }
    emit_index(emitter, index);
    strbuf_add(emitter->out, " < ");
    emit_extent(emitter, index);
}

/** Adds `; i_a++) {` and the first statements of a step. */
static void begin_iteration(struct emitter *emitter, int index) {
    const struct tile *tile = tile_of_steps(emitter, index);
    strbuf_add(emitter->out, "; ");
    emit_index(emitter, index);
    strbuf_add(emitter->out, "++) {");
    if (tile) {
        strbuf_add(emitter->out, " /* %s in steps of %lld */", emit_index_name(emitter, index),
                   (long long)emitter->refined->step[index]);
    }
    strbuf_add(emitter->out, "\n");
    emitter->level++;
    if (tile && emitter->takes_extents) {
        if (!emit_is_summed(emitter, index)) emit_width(emitter, index);
    } else if (tile && emit_is_partial(emitter, tile->inner)) {
        add_count(emitter, tile->inner);
    }
}

void emit_for(struct emitter *emitter, int index) {
    add_for(emitter, index);
    strbuf_add(emitter->out, "0; ");
    add_limit(emitter, index);
    begin_iteration(emitter, index);
}

void emit_for_thread(struct emitter *emitter, int threads) {
    emit_indent(emitter);
    strbuf_add(
        emitter->out,
        "for (ptrdiff_t thread = -1; (thread = team_next(team_member, %d, thread)) >= 0;) {\n",
        threads);
    emitter->level++;
}

/** The iterations that threads share: the iterations of one loop, or of two collapsed loops. */
struct shared_sequence {
    int outer;
    int inner; /* the inner collapsed loop; -1: one loop */
    struct sharing sharing;
    int64_t count; /* number of iterations; 0: it is an expression */
};

static struct shared_sequence sequence_of(const struct emitter *emitter, struct sharing sharing,
                                          int outer, int inner) {
    struct shared_sequence out = {.outer = outer, .inner = inner, .sharing = sharing};
    if (!emitter->takes_extents && !emit_is_partial(emitter, outer))
        out.count =
            emitter->refined->extent[outer] * (inner >= 0 ? emitter->refined->extent[inner] : 1);
    return out;
}

/** Adds the extent of the inner loop in a full tile. */
static void add_inner_extent(const struct emitter *emitter, int inner) {
    const struct tcplan_refinement *refinement = emitter->refined->refinement;
    if (!emitter->takes_extents) {
        strbuf_add(emitter->out, "%lld", (long long)emitter->refined->extent[inner]);
    } else if (refinement_outer(refinement, inner) >= 0) {
        const int32_t step = tile_of_steps(emitter, refinement_outer(refinement, inner))->step;
        const struct tile *own = tile_of_steps(emitter, inner);
        assert(!own ||
               step % own->step == 0); /* the step of a tile divides that of the tile around it */
        strbuf_add(emitter->out, "%d", (int)(own ? step / own->step : step));
    } else {
        emit_given_extent(emitter, inner);
    }
}

static void add_sequence_count(const struct emitter *emitter,
                               const struct shared_sequence *sequence) {
    if (sequence->count > 0) {
        strbuf_add(emitter->out, "%lld", (long long)sequence->count);
        return;
    }
    if (emitter->takes_extents) {
        emit_given_extent(emitter, sequence->outer);
    } else {
        emit_extent(emitter, sequence->outer);
    }
    if (sequence->inner < 0) return;
    strbuf_add(emitter->out, " * ");
    add_inner_extent(emitter, sequence->inner);
}

/** Prints where the part of a thread begins, as sharing_part() computes it. `thread` is a variable
 * or `(thread + 1)`. */
static void add_part_begin(const struct emitter *emitter, const struct shared_sequence *sequence,
                           const char *thread) {
    const int64_t unit = sequence->sharing.unit;
    const int threads = sequence->sharing.threads;
    assert(unit > 0 && threads > 0);
    const int64_t units = (sequence->count + unit - 1) / unit;
    if (sequence->count > 0 && units % threads == 0) {
        const long long part = units / threads * unit;
        strbuf_add(emitter->out, "%lld * %s", part, thread);
    } else if (unit == 1) {
        add_sequence_count(emitter, sequence);
        strbuf_add(emitter->out, " * %s / %d", thread, threads);
    } else if (sequence->count > 0) {
        strbuf_add(emitter->out, "%lld * (%lld * %s / %d)", (long long)unit, (long long)units,
                   thread, threads);
    } else {
        strbuf_add(emitter->out, "%lld * ((", (long long)unit);
        add_sequence_count(emitter, sequence);
        strbuf_add(emitter->out, " + %lld) / %lld * %s / %d)", (long long)unit - 1, (long long)unit,
                   thread, threads);
    }
}

/** Returns whether the last thread's part may extend beyond the last iteration. */
static bool may_exceed(const struct shared_sequence *sequence) {
    const int64_t unit = sequence->sharing.unit;
    return unit > 1 && (sequence->count == 0 || sequence->count % unit != 0);
}

void emit_for_share(struct emitter *emitter, int index, struct sharing sharing) {
    const struct shared_sequence sequence = sequence_of(emitter, sharing, index, -1);
    add_for(emitter, index);
    add_part_begin(emitter, &sequence, "thread");
    strbuf_add(emitter->out, "; ");
    emit_index(emitter, index);
    strbuf_add(emitter->out, " < ");
    add_part_begin(emitter, &sequence, "(thread + 1)");
    if (may_exceed(&sequence)) {
        strbuf_add(emitter->out, " && ");
        add_limit(emitter, index);
    }
    begin_iteration(emitter, index);
}

/** Prints `5 * i_c`: the number of combined iterations before an iteration of the outer loop. */
static void add_first_of_both(const struct emitter *emitter, int outer, int inner) {
    add_inner_extent(emitter, inner);
    strbuf_add(emitter->out, " * ");
    emit_index(emitter, outer);
}

void emit_for_outer_share(struct emitter *emitter, int outer, int inner, struct sharing sharing) {
    const struct shared_sequence sequence = sequence_of(emitter, sharing, outer, inner);
    emit_indent(emitter);
    strbuf_add(emitter->out, "const ptrdiff_t thread_begin = ");
    add_part_begin(emitter, &sequence, "thread");
    strbuf_add(emitter->out, "; /* of the fused iterations of two loops */\n");
    emit_indent(emitter);
    strbuf_add(emitter->out, "const ptrdiff_t thread_end = ");
    add_part_begin(emitter, &sequence, "(thread + 1)");
    strbuf_add(emitter->out, ";\n");
    add_for(emitter, outer);
    strbuf_add(emitter->out, "thread_begin / ");
    add_inner_extent(emitter, inner);
    strbuf_add(emitter->out, "; ");
    add_first_of_both(emitter, outer, inner);
    strbuf_add(emitter->out, " < thread_end");
    if (may_exceed(&sequence)) {
        strbuf_add(emitter->out, " && ");
        add_limit(emitter, outer);
    }
    begin_iteration(emitter, outer);
}

void emit_for_inner_share(struct emitter *emitter, int outer, int inner) {
    add_for(emitter, inner);
    add_first_of_both(emitter, outer, inner);
    strbuf_add(emitter->out, " < thread_begin ? thread_begin - ");
    add_first_of_both(emitter, outer, inner);
    strbuf_add(emitter->out, " : 0; ");
    add_limit(emitter, inner);
    strbuf_add(emitter->out, " && ");
    add_first_of_both(emitter, outer, inner);
    strbuf_add(emitter->out, " + ");
    emit_index(emitter, inner);
    strbuf_add(emitter->out, " < thread_end");
    begin_iteration(emitter, inner);
}

void emit_end(struct emitter *emitter) {
    assert(emitter->level > 0); /* every emit_end() ends a block */
    emitter->level--;
    emit_indent(emitter);
    strbuf_add(emitter->out, "}\n");
}

void emit_string(struct strbuf *out, const char *text) {
    strbuf_add(out, "\"");
    for (; *text; text++) strbuf_add(out, strchr("\"\\", *text) ? "\\%c" : "%c", *text);
    strbuf_add(out, "\"");
}

static void add_comment_line(struct strbuf *out, const char *line, size_t length) {
    strbuf_add(out, length ? " * " : " *");
    for (size_t c = 0; c < length; c++) {
        const bool marks_comment = c > 0 && ((line[c - 1] == '*' && line[c] == '/') ||
                                             (line[c - 1] == '/' && line[c] == '*'));
        strbuf_add(out, marks_comment ? " %c" : "%c", line[c]);
    }
    strbuf_add(out, "\n");
}

void emit_comment(struct strbuf *out, const char *text) {
    strbuf_add(out, "/*\n");
    while (*text) {
        const size_t length = strcspn(text, "\n");
        add_comment_line(out, text, length);
        text += length + (text[length] == '\n');
    }
    strbuf_add(out, " */\n");
}

void emit_sizes(struct strbuf *out, const struct tcplan_problem *problem) {
    const struct tcplan_contraction *contraction = problem->contraction;
    for (int i = 0; i < contraction->index_count; i++) {
        strbuf_add(out, "%s%s=%lld", i > 0 ? "," : "", contraction->index[i].name,
                   (long long)problem->extent[i]);
    }
}
