#include "cachesim/arrangement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ast/algorithm.h"
#include "ast/algorithm_check.h"
#include "ast/contraction.h"
#include "ast/kernel_class.h"
#include "ast/refine.h"
#include "ast/slice.h"
#include "base/alloc.h"
#include "base/indexset.h"

enum {
    MAX_UNITS = TCPLAN_MAX_CACHE_LEVELS + 1,
    KERNEL_DIMENSIONS = TCPLAN_ROLES * TCPLAN_MAX_FUSED,
    MAX_DIMENSIONS = 24,
    COPY_SETS = 1 << TCPLAN_OPERANDS,
    REMEMBERED_LOOPS = 8,
    REMEMBERED = 1 << REMEMBERED_LOOPS,
    KERNEL_STREAMS = TCPLAN_OPERANDS,
    STREAMS = 3 * TCPLAN_OPERANDS /* of the kernel; tensors that are copied; temporaries that are filled or emptied */
};

struct dimension {
    uint8_t index;
    double extent;
    double stride_bytes;
};

/** A tensor or temporary as the kernel or a copy walks through it: dimensions by rising stride. */
struct stream {
    int rank;
    struct dimension dimension[MAX_DIMENSIONS];
    uint64_t indices;
    double cost_factor; /* of its lines: what is written is fetched and written back */
    bool temporary;
};

struct model {
    const struct tcplan_refinement *refinement;
    const struct tcplan_costs *costs;
    const struct tcplan_copy_costs *copy; /* of the type */
    struct refined_problem problem;
    struct tcplan_algorithm structure;
    double element_bytes;
    uint64_t kernel; /* indices in the kernel */
    uint64_t summed; /* indices that copies sum over */
    int unit_count;
    struct arrangement_unit unit[MAX_UNITS];
    struct stream stream[STREAMS];
    unsigned copied;                           /* operands */
    uint64_t steps[TCPLAN_OPERANDS];           /* loops that have to be outside an operand's copy */
    uint64_t points[TCPLAN_OPERANDS];          /* loops that have to be inside an operand's copy */
    uint64_t contracted;                       /* loops over contracted indices */
    bool by_rules;                             /* of the `blas` space: copies are placed, and the result's filled, as its rules have it */
    double start_seconds;                      /* of scaling the result, or making it of the addend, before all else */
    double (*remembered)[STREAMS][REMEMBERED]; /* blocks by kind, stream and set of loops; negative: not known yet */
};

struct arranger {
    const struct tcplan_problem *problem;
    struct tcplan_costs costs;
    double line_bytes;
    struct deadline deadline;
    struct arena arena;
    struct model model; /* of the structure before; without refinement: none */
    double remembered[ARRANGEMENT_BLOCKS][STREAMS][REMEMBERED];
    int width;
    int most_branches;    /* of one beginning: every loop with every set of copies before it */
    struct partial *kept; /* the best few after each loop: width */
    struct partial *branches;
};

/** Some loops around the kernel, from the inside out, and the copies among them. */
struct partial {
    uint64_t inside; /* the kernel's indices and those of the loops */
    uint64_t loops;  /* the same as places among the structure's loops */
    int count;
    uint8_t loop[TCPLAN_MAX_INDICES];
    unsigned placed;                         /* copies */
    int8_t place[TCPLAN_OPERANDS];           /* loops inside each */
    double executions[TCPLAN_OPERANDS];      /* of the copies, in one execution of all this */
    double elements[TCPLAN_OPERANDS];        /* of one copy */
    double element_seconds[TCPLAN_OPERANDS]; /* of a copied element */
    uint64_t held[TCPLAN_OPERANDS];          /* the indices inside it */
    double blocks[MAX_UNITS][STREAMS];       /* brought into each unit */
    double calls;
    double seconds_per_call;
};

/* Footprints. */

/** What a stream touches: runs that lie together but for less than a block. */
struct runs {
    double count;
    double bytes; /* of each */
};

static struct runs runs_of(const struct stream *stream, uint64_t inside, double element_bytes, double block_bytes) {
    struct runs runs = {.count = 1, .bytes = element_bytes};
    for (int d = 0; d < stream->rank; d++) {
        const struct dimension *dimension = &stream->dimension[d];
        if (!indexset_has(inside, dimension->index)) continue;
        if (dimension->stride_bytes < runs.bytes + block_bytes) {
            runs.bytes += (dimension->extent - 1) * dimension->stride_bytes;
        } else {
            runs.count *= dimension->extent;
        }
    }
    return runs;
}

/** Blocks of memory that a stream touches while the indices in `inside` run. */
static double blocks_of(const struct stream *stream, uint64_t inside, double element_bytes, double block_bytes) {
    const struct runs runs = runs_of(stream, inside, element_bytes, block_bytes);
    return runs.bytes > block_bytes ? runs.count * runs.bytes / block_bytes : runs.count;
}

static void add_dimension(struct stream *stream, struct dimension dimension) {
    if (stream->rank == MAX_DIMENSIONS || dimension.extent <= 1) return;
    int place = stream->rank++;
    for (; place > 0 && stream->dimension[place - 1].stride_bytes > dimension.stride_bytes; place--) {
        stream->dimension[place] = stream->dimension[place - 1];
    }
    stream->dimension[place] = dimension;
}

static struct stream stream_of(const struct model *model, enum tcplan_operand operand, bool temporary, double cost_factor) {
    const struct tcplan_slice slice = {.operand = operand, .temporary = temporary};
    struct stream stream = {.indices = slice_moving_indices(model->refinement, slice), .cost_factor = cost_factor, .temporary = temporary};
    for (uint64_t rest = stream.indices; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const double stride = fabs((double)slice_stride(&model->problem, slice, index)) * model->element_bytes;
        add_dimension(&stream, (struct dimension){(uint8_t)index, problem_full_extent(&model->problem, index), stride});
    }
    return stream;
}

/** Blocks that a stream touches with some more loops around the kernel; `loop`: one more, or -1. */
static double footprint(const struct model *model, const struct partial *partial, int s, const struct arrangement_unit *unit, int loop) {
    const uint64_t more = loop >= 0 ? indexset_of(model->structure.loop[loop]) : 0;
    if (model->structure.loop_count > REMEMBERED_LOOPS) {
        return blocks_of(&model->stream[s], partial->inside | more, model->element_bytes, unit->block_bytes);
    }
    const uint64_t loops = partial->loops | (loop >= 0 ? indexset_of(loop) : 0);
    double *known = &model->remembered[unit->block][s][loops];
    if (*known < 0) *known = blocks_of(&model->stream[s], partial->inside | more, model->element_bytes, unit->block_bytes);
    return *known;
}

static void forget(struct model *model) {
    const unsigned sets = model->structure.loop_count > REMEMBERED_LOOPS ? 0 : 1U << model->structure.loop_count;
    for (int b = 0; b < ARRANGEMENT_BLOCKS; b++) {
        for (int s = 0; s < STREAMS; s++) {
            for (unsigned set = 0; set < sets; set++) model->remembered[b][s][set] = -1;
        }
    }
}

/* The model. */

/** The caches of a machine, and its translations. Returns how many there are. */
static int find_units(struct arrangement_unit out[MAX_UNITS], const struct tcplan_costs *costs, double line_bytes) {
    int count = 0;
    for (int c = 0; c < costs->cache_count; c++) {
        out[count++] = (struct arrangement_unit){.capacity_bytes = costs->cache[c].held_bytes,
                                                 .block = ARRANGEMENT_LINE,
                                                 .block_bytes = line_bytes,
                                                 .seconds = costs->cache[c].line_seconds};
    }
    out[count++] = (struct arrangement_unit){.capacity_bytes = (double)costs->page_bytes * costs->pages,
                                             .block = ARRANGEMENT_PAGE,
                                             .block_bytes = (double)costs->page_bytes,
                                             .seconds = costs->page_seconds};
    return count;
}

/** The first dimension from `from` on that moves, and over which the copy goes; NULL: there is none. */
static const struct dimension *moving_dimension(const struct stream *stream, uint64_t indices, int *from) {
    while (*from < stream->rank) {
        const struct dimension *dimension = &stream->dimension[(*from)++];
        if (dimension->extent > 1 && indexset_has(indices, dimension->index)) return dimension;
    }
    return NULL;
}

/** The extent along which a stream's elements are contiguous, over all that a copy may hold. */
static double run_elements(const struct model *model, const struct stream *stream, uint64_t indices) {
    const struct dimension *dimension;
    double elements = 1;
    for (int d = 0; (dimension = moving_dimension(stream, indices, &d));) {
        if (dimension->stride_bytes > elements * model->element_bytes) break;
        elements *= dimension->extent;
    }
    return elements;
}

/** That of both sides, in the same order: a row of the copy. */
static double common_run_elements(const struct model *model, const struct stream *tensor, const struct stream *temporary,
                                  uint64_t indices) {
    double elements = 1;
    for (int d = 0, e = 0;;) {
        const struct dimension *x = moving_dimension(tensor, indices, &d);
        const struct dimension *y = moving_dimension(temporary, indices, &e);
        if (!x || !y || x->index != y->index || fmax(x->stride_bytes, y->stride_bytes) > elements * model->element_bytes) return elements;
        elements *= fmin(x->extent, y->extent);
    }
}

/** An element of a copy over some indices: by whether both sides have contiguous runs, and the same, and by how long rows are. */
static double copied_element_seconds(const struct model *model, const struct stream *tensor, const struct stream *temporary,
                                     uint64_t inside) {
    const uint64_t indices = temporary->indices & inside;
    const double line_elements = 64 / model->element_bytes;
    const bool sums = (tensor->indices & ~temporary->indices) != 0;
    if (sums) return run_elements(model, tensor, tensor->indices) < line_elements / 2 ? model->copy->scattered : model->copy->summed;
    int d = 0, e = 0;
    const struct dimension *x = moving_dimension(tensor, indices, &d);
    const struct dimension *y = moving_dimension(temporary, indices, &e);
    if (!x || !y) return model->copy->run;
    if (fmax(x->stride_bytes, y->stride_bytes) > model->element_bytes) {
        return model->copy->scattered + model->copy->row / fmax(x->extent, y->extent);
    }
    if (x->index == y->index) return model->copy->run + model->copy->kept_row / common_run_elements(model, tensor, temporary, indices);
    return model->copy->turned + model->copy->row / run_elements(model, tensor, indices) +
           model->copy->row / run_elements(model, temporary, indices);
}

/**
 * A tile that is no part of the kernel is there for a copy: of the operand in which its points are contiguous, to have whole lines; or else of
 * the result.
 */
static void note_points(struct model *model, int point) {
    bool is_contiguous = false;
    for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
        const int unit = contraction_unit_index(model->refinement->source, (enum tcplan_operand)operand);
        if (point != unit || !(model->copied >> operand & 1U)) continue;
        model->points[operand] |= indexset_of(point);
        is_contiguous = true;
    }
    const bool in_result = indexset_has(model->refinement->indices[TCPLAN_C], point) && (model->copied >> TCPLAN_C & 1U);
    if (in_result && !is_contiguous) model->points[TCPLAN_C] |= indexset_of(point);
}

static void note_tiles(struct model *model) {
    const struct tcplan_refinement *refinement = model->refinement;
    for (int t = 0; t < refinement->tile_count; t++) {
        const struct tile tile = refinement->tile[t];
        for (int operand = 0; operand < TCPLAN_OPERANDS; operand++) {
            if (indexset_has(model->refinement->indices[operand], tile.steps)) model->steps[operand] |= indexset_of(tile.steps);
        }
        if (!indexset_has(model->kernel, tile.point)) note_points(model, tile.point);
    }
}

/** What it takes that all of the result is passed over once more: it is fetched and written back where it does not stay. */
static double seconds_of_passing(const struct model *model) {
    const double bytes = (double)model->problem.written.elems[TCPLAN_C] * model->element_bytes;
    double seconds = 0;
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        if (bytes > unit->capacity_bytes) seconds += model->costs->written * bytes / unit->block_bytes * unit->seconds;
    }
    return seconds;
}

/**
 * What it takes to make of the addend what the kernel adds to: each element is copied once, to the result or to its temporary, and the addend's lines and
 * pages come into each unit once, as those of the factors do. Where the result's is copied and what fills it is no addend, or contracted loops come back to it,
 * the result is passed over for that.
 */
static double seconds_of_addend(const struct model *model) {
    const struct stream addend = stream_of(model, TCPLAN_ADDEND, false, 1);
    const struct stream result = stream_of(model, TCPLAN_C, false, 1);
    const bool fills = model->by_rules || model->structure.copy[TCPLAN_C].read;
    const bool is_copied = model->copied >> TCPLAN_C & 1U;
    const bool comes_back = model->contracted != 0 || (is_copied && !fills);
    double seconds = comes_back ? seconds_of_passing(model) : 0;
    /* What fills a temporary is one of its copies, whatever it reads. */
    if (comes_back || !is_copied) {
        const double elements = (double)model->problem.written.elems[TCPLAN_C];
        seconds += elements * copied_element_seconds(model, &addend, &result, UINT64_MAX);
    }
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        seconds += blocks_of(&addend, addend.indices, model->element_bytes, unit->block_bytes) * unit->seconds;
    }
    return seconds;
}

/** What the result starts with where the kernel does not apply beta by itself: it is scaled, or made of the addend. */
static double seconds_of_start(const struct model *model) {
    const struct tcplan_contraction *contraction = model->refinement->source;
    const enum tcplan_operand added = contraction_added(contraction);
    if (added == TCPLAN_ADDEND) return seconds_of_addend(model);
    const bool conjugates = added == TCPLAN_C && contraction->tensor[TCPLAN_C].conjugated;
    const bool is_kept = contraction->beta.re == 1 && contraction->beta.im == 0 && !conjugates;
    const bool starts = !model->contracted || model->structure.starts;
    if (is_kept || (starts && !conjugates && kernel_class_of(model->structure.kernel)->has_beta)) return 0;
    return (double)model->problem.written.elems[TCPLAN_C] * model->copy->scaled + seconds_of_passing(model);
}

/** All but what is set in any case, and the dimensions of streams, of which there are none: most of a model is room for more indices than there are. */
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

static bool model_make(struct model *out, struct arena *arena, const struct tcplan_problem *problem, const struct tcplan_costs *costs,
                       double line_bytes, const struct tcplan_algorithm *structure, bool by_rules) {
    clear(out);
    out->costs = costs;
    out->copy = &costs->copy[problem->dtype];
    out->structure = *structure;
    out->element_bytes = (double)problem->element_bytes;
    out->by_rules = by_rules;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        /* By the rules temporaries have what the kernel takes. Others, until they are placed, are outside all loops: they have all their indices. */
        if (structure->copy[t].depth >= 0) {
            out->structure.copy[t].depth = (int8_t)(by_rules ? structure->loop_count : 0);
            out->copied |= 1U << t;
        }
    }
    out->refinement = refinement_of(arena, problem->contraction, &out->structure);
    if (!out->refinement) return false;
    out->problem = problem_refine(problem, out->refinement);
    for (int role = 0; role < TCPLAN_ROLES; role++) out->kernel |= structure->group[role];
    out->summed = contraction_summed(problem->contraction, TCPLAN_A) | contraction_summed(problem->contraction, TCPLAN_B);
    note_tiles(out);
    out->unit_count = find_units(out->unit, costs, line_bytes);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const enum tcplan_operand operand = (enum tcplan_operand)t;
        const bool copied = out->copied >> t & 1U;
        const double write = t != TCPLAN_C ? 1 : structure->copy[TCPLAN_C].streamed ? costs->streamed : costs->written;
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
    return true;
}

/** The model of an algorithm; by the rules all orders of its loops have the same, which is kept. NULL when memory is out. */
static struct model *model_for(struct arranger *arranger, const struct tcplan_algorithm *structure, bool by_rules) {
    struct model *model = &arranger->model;
    const bool is_kept = model->refinement && model->by_rules && by_rules;
    if (is_kept && memcmp(model->structure.group, structure->group, sizeof structure->group) == 0) return model;
    arena_free(&arranger->arena);
    if (!model_make(model, &arranger->arena, arranger->problem, &arranger->costs, arranger->line_bytes, structure, by_rules)) {
        model->refinement = NULL;
        return NULL;
    }
    model->remembered = arranger->remembered;
    forget(model);
    return model;
}

/* Arranging. */

static double total_bytes(const struct model *model, const struct partial *partial, const struct arrangement_unit *unit) {
    double bytes = 0;
    for (int s = 0; s < KERNEL_STREAMS + TCPLAN_OPERANDS; s++) {
        /* A copied tensor counts once its copy is inside. */
        if (s >= KERNEL_STREAMS && !(partial->placed >> (s - KERNEL_STREAMS) & 1U)) continue;
        bytes += footprint(model, partial, s, unit, -1) * unit->block_bytes;
    }
    return bytes;
}

/** What bringing a stream's lines and pages takes. */
static double seconds_of_stream(const struct model *model, const struct partial *partial, int s) {
    double seconds = 0;
    for (int u = 0; u < model->unit_count; u++) {
        seconds += partial->blocks[u][s] * model->unit[u].seconds * model->stream[s].cost_factor;
    }
    return seconds;
}

/** What copying the elements of an operand takes, wherever they are. */
static double seconds_of_elements(const struct model *model, const struct partial *partial, int t) {
    if (!(partial->placed >> t & 1U)) return 0;
    return partial->executions[t] * (model->copy->begin + partial->elements[t] * partial->element_seconds[t]);
}

static void rate(const struct model *model, struct partial *partial) {
    double seconds = 0;
    for (int s = 0; s < STREAMS; s++) seconds += seconds_of_stream(model, partial, s);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) seconds += seconds_of_elements(model, partial, t);
    partial->seconds_per_call = seconds / partial->calls;
}

/** The elements that a copy reads are those of the kernel, of some loops, and of what it sums over: the latter are inside of all loops. */
static struct partial kernel_alone(const struct model *model) {
    struct partial partial = {.calls = 1, .inside = model->kernel | model->summed};
    for (int u = 0; u < model->unit_count; u++) {
        for (int s = 0; s < KERNEL_STREAMS; s++) {
            partial.blocks[u][s] = footprint(model, &partial, s, &model->unit[u], -1);
        }
    }
    return partial;
}

/** Whether the rules have the result's copy filled: there is something to add to, or contracted loops come back to it. */
static bool is_filled(const struct model *model, const struct partial *partial, int operand) {
    const struct tcplan_scalar beta = model->refinement->source->beta;
    if (!model->by_rules || operand != TCPLAN_C) return false;
    return beta.re != 0 || beta.im != 0 || (model->contracted & ~partial->inside) != 0;
}

/** Puts the copy of an operand around the loops so far; `filled`: there is one into it, and one out of it. */
static void place_copy(const struct model *model, struct partial *partial, int operand, bool filled) {
    const int tensor = KERNEL_STREAMS + operand;
    const int temporary = tensor + TCPLAN_OPERANDS;
    const struct stream *stream = &model->stream[tensor];
    double elements = filled ? 2 : 1;
    partial->placed |= 1U << operand;
    partial->place[operand] = (int8_t)partial->count;
    partial->executions[operand] = 1;
    partial->held[operand] = partial->inside;
    for (int d = 0; d < stream->rank; d++) {
        if (indexset_has(partial->inside, stream->dimension[d].index)) elements *= stream->dimension[d].extent;
    }
    partial->elements[operand] = elements;
    partial->element_seconds[operand] = copied_element_seconds(model, stream, &model->stream[operand], partial->inside);
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        partial->blocks[u][tensor] = footprint(model, partial, tensor, unit, -1);
        /* A temporary that stays in the unit is brought there once, for the kernel. */
        const bool stays = total_bytes(model, partial, unit) <= unit->capacity_bytes;
        partial->blocks[u][temporary] = stays ? 0 : footprint(model, partial, temporary, unit, -1);
    }
}

static bool varies(const struct model *model, int stream, int index) {
    return indexset_has(model->stream[stream].indices, index);
}

static void extend_unit(const struct model *model, struct partial *partial, int u, int loop, double extent) {
    const int index = model->structure.loop[loop];
    const struct arrangement_unit *unit = &model->unit[u];
    const bool overflows = total_bytes(model, partial, unit) > unit->capacity_bytes;
    for (int s = 0; s < STREAMS; s++) {
        if (partial->blocks[u][s] == 0) continue;
        const bool is_placed = s < KERNEL_STREAMS && model->stream[s].temporary && (partial->placed >> s & 1U);
        if (overflows) {
            partial->blocks[u][s] *= extent;
        } else if (varies(model, s, index) && !is_placed) {
            const double before = footprint(model, partial, s, unit, -1);
            const double after = footprint(model, partial, s, unit, loop);
            partial->blocks[u][s] *= after / before;
        }
    }
}

/** Rates with the copies not placed yet as if they stood here: otherwise what is put off would look better than what is done. */
static void rate_open(const struct model *model, struct partial *partial) {
    struct partial closed = *partial;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if ((model->copied >> t & 1U) && !(partial->placed >> t & 1U)) place_copy(model, &closed, t, is_filled(model, &closed, t));
    }
    rate(model, &closed);
    partial->seconds_per_call = closed.seconds_per_call;
}

static void extend(const struct model *model, struct partial *partial, int loop) {
    const int index = model->structure.loop[loop];
    const double extent = problem_full_extent(&model->problem, index);
    for (int u = 0; u < model->unit_count; u++) extend_unit(model, partial, u, loop, extent);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) partial->executions[t] *= extent;
    partial->calls *= extent;
    partial->inside |= indexset_of(index);
    partial->loops |= indexset_of(loop);
    partial->loop[partial->count++] = (uint8_t)index;
}

/** Whether an operand's copy may stand around the loops so far. */
static bool may_place(const struct model *model, const struct partial *partial, int operand) {
    return (model->points[operand] & ~partial->inside) == 0;
}

/** Whether the copies not placed yet may stand outside a loop. */
static bool may_extend(const struct model *model, const struct partial *partial, int index) {
    const unsigned open = model->copied & ~partial->placed;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if ((open >> t & 1U) && indexset_has(model->steps[t], index)) return false;
        if ((partial->placed >> t & 1U) && indexset_has(model->points[t], index)) return false;
    }
    /* Points are inside their steps. */
    for (int s = 0; s < model->refinement->tile_count; s++) {
        const struct tile tile = model->refinement->tile[s];
        if (tile.steps == index && !indexset_has(partial->inside, tile.inner)) return false;
    }
    return true;
}

/** The copies that make a difference when placed before a loop: of operands that vary with it, or have to be inside; by the rules all that depend on it. */
static unsigned worth_placing(const struct model *model, const struct partial *partial, int index) {
    unsigned operands = 0;
    const bool contracted = indexset_has(model->contracted, index);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool depends = indexset_has(model->refinement->indices[t], index);
        if (!(model->copied >> t & 1U) || (partial->placed >> t & 1U) || !may_place(model, partial, t)) continue;
        if (model->by_rules ? depends : varies(model, KERNEL_STREAMS + t, index) || (t == TCPLAN_C && contracted)) operands |= 1U << t;
    }
    return operands;
}

static int compare_partials(const void *a, const void *b) {
    const struct partial *x = a;
    const struct partial *y = b;
    if (x->seconds_per_call != y->seconds_per_call) return x->seconds_per_call < y->seconds_per_call ? -1 : 1;
    const int order = memcmp(x->loop, y->loop, sizeof x->loop);
    return order != 0 ? order : memcmp(x->place, y->place, sizeof x->place);
}

/** Every way to put one more loop around a partial, with any of the copies that are worth it in between; by the rules with all of them. */
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
                if (placed >> t & 1U) place_copy(model, next, t, is_filled(model, next, t));
            }
            if (may_extend(model, next, index)) {
                extend(model, next, l);
                rate_open(model, next);
                count++;
            }
            placed = (placed - worth) & worth;
        } while (placed != 0 && !model->by_rules);
    }
    return count;
}

/** Whether a stream is written past the caches: to memory, also where they would hold it. */
static bool passes_caches(const struct model *model, int s) {
    const int result = TCPLAN_C + (model->copied >> TCPLAN_C & 1U ? KERNEL_STREAMS : 0);
    return s == result && model->structure.copy[TCPLAN_C].streamed;
}

/** What one execution after the other touches: all tensors but what is written past the caches, and temporaries. */
static double touched_bytes(const struct model *model, const struct partial *partial, const struct arrangement_unit *unit) {
    double bytes = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int s = model->copied >> t & 1U ? KERNEL_STREAMS + t : t;
        const struct stream *stream = &model->stream[s];
        if (s != t) bytes += partial->elements[t] * model->element_bytes;
        if (passes_caches(model, s) && unit->block == ARRANGEMENT_LINE) continue;
        bytes += blocks_of(stream, stream->indices, model->element_bytes, unit->block_bytes) * unit->block_bytes;
    }
    return bytes;
}

/** A contraction is repeated: what all stays in a unit from one execution to the next is not brought there. */
static void keep_warm(const struct model *model, struct partial *partial) {
    for (int u = 0; u < model->unit_count; u++) {
        const struct arrangement_unit *unit = &model->unit[u];
        if (touched_bytes(model, partial, unit) > unit->capacity_bytes) continue;
        for (int s = 0; s < STREAMS; s++) {
            if (!passes_caches(model, s) || unit->block != ARRANGEMENT_LINE) partial->blocks[u][s] = 0;
        }
    }
}

/** Of all loops, and all copies placed. */
static double seconds_of(const struct model *model, struct partial *partial) {
    keep_warm(model, partial);
    rate(model, partial);
    return partial->seconds_per_call * partial->calls + model->start_seconds;
}

/* Parts. */

/** The cache whose misses go to memory; NULL: there is none, or all that is touched stays in it from one execution to the next. */
static const struct arrangement_unit *last_cache(const struct model *model, const struct partial *partial, int *number) {
    *number = model->unit_count - 2; /* behind the caches are translations */
    const struct arrangement_unit *cache = *number >= 0 ? &model->unit[*number] : NULL;
    return cache && total_bytes(model, partial, cache) > cache->capacity_bytes ? cache : NULL;
}

/** Whether the lines of a stream that some indices run through lie behind those of the time before, in the loops from `l` on, from the innermost outwards. */
static bool follows(const struct model *model, const struct partial *partial, int s, uint64_t inside, int l) {
    const struct stream *stream = &model->stream[s];
    const double line_bytes = model->unit[0].block_bytes;
    while (l < partial->count && !varies(model, s, partial->loop[l])) l++;
    if (l == partial->count) return false;
    const struct runs one = runs_of(stream, inside, model->element_bytes, line_bytes);
    const struct runs several = runs_of(stream, inside | indexset_of(partial->loop[l]), model->element_bytes, line_bytes);
    return several.count <= one.count;
}

/** Where the kernel's operands come from. */
static void locate_operands(const struct model *model, const struct partial *partial, struct arrangement_parts *parts) {
    int last;
    const struct arrangement_unit *cache = last_cache(model, partial, &last);
    double touched = 0, fetched = 0, most = 0;
    for (int s = 0; s < KERNEL_STREAMS && cache; s++) {
        const double lines = blocks_of(&model->stream[s], model->kernel | model->summed, model->element_bytes, cache->block_bytes);
        touched += lines * partial->calls;
        fetched += partial->blocks[last][s];
        if (partial->blocks[last][s] <= most) continue;
        most = partial->blocks[last][s];
        parts->streams = follows(model, partial, s, model->kernel | model->summed, 0);
    }
    parts->memory_share = touched > 0 ? fmin(fetched / touched, 1) : 0;
}

/** Of a copy's tensor. */
static bool is_from_memory(const struct model *model, const struct partial *partial, int t) {
    int last;
    const struct arrangement_unit *cache = last_cache(model, partial, &last);
    if (!cache) return false;
    const double lines = blocks_of(&model->stream[KERNEL_STREAMS + t], partial->held[t], model->element_bytes, cache->block_bytes);
    return 2 * partial->blocks[last][KERNEL_STREAMS + t] > lines * partial->executions[t];
}

/** The dimension of a stream that an index is; NULL: it does not move along it. */
static const struct dimension *dimension_of(const struct stream *stream, uint8_t index) {
    for (int d = 0; d < stream->rank; d++) {
        if (stream->dimension[d].index == index) return &stream->dimension[d];
    }
    return NULL;
}

/** But for rounding, as there are shares of tiles. */
static bool is_equal(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/** The dimensions of a copy: a temporary's elements lie one behind the other. None of one that sums, or has too many. */
static void set_dimensions(const struct model *model, const struct partial *partial, int t, struct arrangement_copy *copy) {
    const struct stream *tensor = &model->stream[KERNEL_STREAMS + t], *temporary = &model->stream[KERNEL_STREAMS + TCPLAN_OPERANDS + t];
    double step = 1;
    if ((tensor->indices & ~temporary->indices) != 0) return;
    for (int d = 0; d < temporary->rank; d++) {
        const struct dimension *there = dimension_of(tensor, temporary->dimension[d].index);
        if (!there || !indexset_has(partial->held[t], there->index)) continue;
        const double apart = there->stride_bytes / model->element_bytes;
        struct arrangement_dimension *last = copy->rank > 0 ? &copy->dimension[copy->rank - 1] : NULL;
        if (last && is_equal(apart, last->tensor * last->extent)) {
            last->extent *= there->extent;
        } else if (copy->rank == ARRANGEMENT_COPY_DIMENSIONS) {
            copy->rank = 0;
            return;
        } else {
            copy->dimension[copy->rank++] = (struct arrangement_dimension){there->extent, apart, step};
        }
        step *= there->extent;
    }
}

static struct arrangement_copy copy_of(const struct model *model, const struct partial *partial, int t) {
    if (!(partial->placed >> t & 1U)) return (struct arrangement_copy){0};
    const int tensor = KERNEL_STREAMS + t, temporary = tensor + TCPLAN_OPERANDS;
    struct arrangement_copy copy = {
        .executions = partial->executions[t],
        .elements = partial->elements[t],
        .line_seconds = seconds_of_stream(model, partial, tensor) + seconds_of_stream(model, partial, temporary),
        .from_memory = is_from_memory(model, partial, t),
        .streams = follows(model, partial, tensor, partial->held[t], partial->place[t]),
    };
    copy.seconds = seconds_of_elements(model, partial, t) + copy.line_seconds;
    set_dimensions(model, partial, t, &copy);
    return copy;
}

/** What seconds_of() is made of. */
static struct arrangement_parts parts_of(const struct model *model, const struct partial *partial) {
    struct arrangement_parts parts = {.start_seconds = model->start_seconds};
    for (int s = 0; s < KERNEL_STREAMS; s++) parts.operand_seconds += seconds_of_stream(model, partial, s);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) parts.copy[t] = copy_of(model, partial, t);
    locate_operands(model, partial, &parts);
    return parts;
}

static bool finish(const struct model *model, struct partial *partial, struct arrangement *out) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (!(model->copied >> t & 1U) || (partial->placed >> t & 1U)) continue;
        if (!may_place(model, partial, t)) return false;
        place_copy(model, partial, t, is_filled(model, partial, t));
    }
    out->algorithm = model->structure;
    out->seconds = seconds_of(model, partial);
    out->parts = parts_of(model, partial);
    for (int l = 0; l < partial->count; l++) out->algorithm.loop[l] = partial->loop[partial->count - 1 - l];
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const bool copied = model->copied >> t & 1U;
        out->algorithm.copy[t].depth = (int8_t)(copied ? partial->count - partial->place[t] : -1);
    }
    if (model->by_rules) algorithm_apply_rules(&out->algorithm, model->refinement->source);
    return algorithm_check(&out->algorithm, model->refinement->source, NULL) == TCPLAN_OK;
}

/** The best first; of equals, as where all stays in the first cache, that whose beginning was better. */
static void sort_arrangements(struct arrangement *arrangement, int count) {
    for (int sorted = 1; sorted < count; sorted++) {
        const struct arrangement own = arrangement[sorted];
        int place = sorted;
        for (; place > 0 && arrangement[place - 1].seconds > own.seconds; place--) arrangement[place] = arrangement[place - 1];
        arrangement[place] = own;
    }
}

/** Sorts branches and returns how many of them are kept. */
static int keep_best(struct partial *branches, int count, int width) {
    qsort(branches, (size_t)count, sizeof *branches, compare_partials);
    return count < width ? count : width;
}

/** The beam: the best few after each loop, the best one alone where it is late. */
static int search(const struct model *model, struct arranger *arranger) {
    const int capacity = 2 * arranger->width + arranger->most_branches;
    int count = 1;
    arranger->kept[0] = kernel_alone(model);
    for (int l = 0; l < model->structure.loop_count; l++) {
        if (deadline_is_over(arranger->deadline)) count = 1;
        int made = 0;
        for (int p = 0; p < count; p++) {
            if (made > capacity - arranger->most_branches) made = keep_best(arranger->branches, made, arranger->width);
            made += branch(model, &arranger->kept[p], &arranger->branches[made]);
        }
        count = keep_best(arranger->branches, made, arranger->width);
        memcpy(arranger->kept, arranger->branches, (size_t)count * sizeof *arranger->kept);
    }
    return count;
}

struct arranger *arranger_new(const struct tcplan_problem *problem, const struct tcplan_machine *machine, int width,
                              struct deadline deadline) {
    struct arranger *arranger = base_alloc(sizeof *arranger);
    if (!arranger) return NULL;
    const int loops = problem->contraction->index_count + TCPLAN_MAX_TILES;
    arranger->problem = problem;
    arranger->costs = tcplan_costs_of(machine);
    arranger->line_bytes = (double)machine->line_bytes;
    arranger->deadline = deadline;
    arranger->arena = (struct arena){0};
    arranger->model.refinement = NULL; /* whatever else it holds, it is none */
    arranger->width = width;
    arranger->most_branches = (loops < TCPLAN_MAX_INDICES ? loops : TCPLAN_MAX_INDICES) * COPY_SETS;
    arranger->kept = base_alloc((size_t)width * sizeof *arranger->kept);
    arranger->branches = base_alloc(((size_t)width * 2 + (size_t)arranger->most_branches) * sizeof *arranger->branches);
    if (arranger->kept && arranger->branches) return arranger;
    arranger_free(arranger);
    return NULL;
}

void arranger_free(struct arranger *arranger) {
    if (!arranger) return;
    arena_free(&arranger->arena);
    base_free(arranger->kept);
    base_free(arranger->branches);
    base_free(arranger);
}

static int arrange(struct arranger *arranger, struct arrangement *out, const struct tcplan_algorithm *structure, bool by_rules) {
    struct model *model = model_for(arranger, structure, by_rules);
    if (!model) return 0;
    int count = 0;
    const int ends = search(model, arranger);
    for (int e = 0; e < ends; e++) count += finish(model, &arranger->kept[e], &out[count]);
    sort_arrangements(out, count);
    return count;
}

int arrangements_best(struct arranger *arranger, struct arrangement *out, const struct tcplan_algorithm *structure) {
    return arrange(arranger, out, structure, false);
}

int arrangements_by_rules(struct arranger *arranger, struct arrangement *out, const struct tcplan_algorithm *structure) {
    return arrange(arranger, out, structure, true);
}

static int place_of(const struct model *model, int index) {
    int place = 0;
    while (model->structure.loop[place] != index) place++;
    return place;
}

double arrangement_seconds(struct arranger *arranger, const struct tcplan_algorithm *algorithm, struct arrangement_parts *parts) {
    const struct model *model = model_for(arranger, algorithm, tcplan_algorithm_in_blas_space(algorithm, arranger->problem->contraction));
    if (!model) return INFINITY;
    struct partial partial = kernel_alone(model);
    for (int depth = algorithm->loop_count; depth >= 0; depth--) {
        if (depth < algorithm->loop_count) extend(model, &partial, place_of(model, algorithm->loop[depth]));
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (algorithm->copy[t].depth == depth) place_copy(model, &partial, t, algorithm->copy[t].read);
        }
    }
    const double seconds = seconds_of(model, &partial);
    if (parts) *parts = parts_of(model, &partial);
    return seconds;
}

/* Without an arrangement. */

/** The indices that have more than one value. */
static uint64_t moving_indices(const struct tcplan_problem *problem, uint64_t indices) {
    uint64_t moving = 0;
    for (; indices; indices &= indices - 1) {
        const int index = indexset_first(indices);
        if (problem->extent[index] > 1) moving |= indexset_of(index);
    }
    return moving;
}

/** The one of a set whose elements lie closest together; -1: the set is empty. */
static int nearest_index(const struct tcplan_problem *problem, enum tcplan_operand operand, uint64_t indices) {
    const int64_t *stride = problem->stride_elems[operand];
    int nearest = -1;
    for (; indices; indices &= indices - 1) {
        const int index = indexset_first(indices);
        if (nearest < 0 || llabs(stride[index]) < llabs(stride[nearest])) nearest = index;
    }
    return nearest;
}

/** The indices of a structure's temporary in one of its roles, in the order in which they lie. */
static uint64_t group_in_place(const struct tcplan_algorithm *structure, enum tcplan_operand operand, int place) {
    enum tcplan_role role[OPERAND_ROLES];
    operand_roles(operand, role);
    return structure->group[role[structure->copy[operand].turned && place < MATRIX_ROLES ? 1 - place : place]];
}

/**
 * What lies side by side in a tensor and in its temporary as well, where the kernel's indices come before all others: at most. 1: the nearest index of both
 * is not the same.
 */
static double longest_row(const struct tcplan_problem *problem, const struct tcplan_algorithm *structure, enum tcplan_operand operand,
                          uint64_t moving) {
    enum tcplan_role role[OPERAND_ROLES];
    const int roles = operand_roles(operand, role);
    double elements = 1;
    int place = 0;
    while (moving) {
        const int nearest = nearest_index(problem, operand, moving);
        while (place < roles && !(group_in_place(structure, operand, place) & moving)) place++;
        if (place < roles && !indexset_has(group_in_place(structure, operand, place), nearest)) break;
        if ((double)llabs(problem->stride_elems[operand][nearest]) > elements) break;
        elements *= (double)problem->extent[nearest];
        moving &= ~indexset_of(nearest);
    }
    return elements;
}

/** What lies side by side in a tensor, at most. */
static double longest_run(const struct tcplan_problem *problem, enum tcplan_operand operand, uint64_t moving) {
    double elements = 1;
    while (moving) {
        const int nearest = nearest_index(problem, operand, moving);
        if ((double)llabs(problem->stride_elems[operand][nearest]) > elements) break;
        elements *= (double)problem->extent[nearest];
        moving &= ~indexset_of(nearest);
    }
    return elements;
}

/** copied_element_seconds() at least, whatever the arrangement. */
static double least_element_seconds(const struct arrangement_least *least, const struct tcplan_algorithm *structure,
                                    enum tcplan_operand operand) {
    const struct tcplan_problem *problem = least->problem;
    const struct tcplan_copy_costs *copy = &least->costs.copy[problem->dtype];
    const int nearest = least->tensor[operand].nearest;
    if (nearest < 0 || contraction_summed(problem->contraction, operand))
        return fmin(copy->run, fmin(copy->summed, copy->scattered)); /* sums read as they like */
    if (llabs(problem->stride_elems[operand][nearest]) > 1) return copy->scattered;
    const double row = longest_row(problem, structure, operand, least->tensor[operand].moving);
    const double kept = copy->run + copy->kept_row / row;
    const double turned = copy->turned + copy->row / least->tensor[operand].run;
    if (!indexset_has(algorithm_kernel_indices(structure), nearest)) {
        return fmin(kept, fmin(turned, copy->scattered)); /* where its loop is outside of the copy the next one is nearest */
    }
    return row > 1 ? fmin(kept, turned) : turned; /* fused indices may lie in another order in the temporary */
}

/** How many lines that are read one of an operand's costs: those of a result that is not streamed are fetched and written back. */
static double transfers_of(const struct tcplan_costs *costs, const struct tcplan_algorithm *structure, int operand) {
    if (operand != TCPLAN_C) return 1;
    return structure->copy[TCPLAN_C].streamed ? costs->streamed : costs->written;
}

/** A tensor as all of it is walked through. */
static struct stream whole_stream(const struct tcplan_problem *problem, enum tcplan_operand operand) {
    struct stream stream = {.indices = problem->contraction->tensor[operand].indices, .cost_factor = 1};
    for (uint64_t rest = stream.indices; rest; rest &= rest - 1) {
        const int index = indexset_first(rest);
        const double stride = fabs((double)problem->stride_elems[operand][index]) * (double)problem->element_bytes;
        if (stride > 0) add_dimension(&stream, (struct dimension){(uint8_t)index, (double)problem->extent[index], stride});
    }
    return stream;
}

static void find_least(struct arrangement_least *out, enum tcplan_operand operand) {
    const struct tcplan_problem *problem = out->problem;
    const struct stream stream = whole_stream(problem, operand);
    const uint64_t moving = moving_indices(problem, problem->contraction->tensor[operand].indices);
    double elements = 1;
    for (uint64_t rest = moving; rest; rest &= rest - 1) elements *= (double)problem->extent[indexset_first(rest)];
    for (int u = 0; u < out->unit_count; u++) {
        const struct arrangement_unit *unit = &out->unit[u];
        out->tensor[operand].blocks[unit->block] = blocks_of(&stream, stream.indices, (double)problem->element_bytes, unit->block_bytes);
    }
    out->tensor[operand].moving = moving;
    out->tensor[operand].nearest = nearest_index(problem, operand, moving);
    out->tensor[operand].elements = elements;
    out->tensor[operand].run = longest_run(problem, operand, moving);
}

/** What bringing each tensor into each unit once takes, but for units that hold all; a result that is streamed goes past caches. */
static void find_least_lines(struct arrangement_least *out, bool streamed) {
    for (int u = 0; u < out->unit_count; u++) {
        const struct arrangement_unit *unit = &out->unit[u];
        const bool past = streamed && unit->block == ARRANGEMENT_LINE;
        double bytes = 0;
        for (int t = 0; t < TCPLAN_OPERANDS; t++)
            bytes += past && t == TCPLAN_C ? 0 : out->tensor[t].blocks[unit->block] * unit->block_bytes;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            if (bytes > unit->capacity_bytes || (past && t == TCPLAN_C))
                out->tensor[t].line_seconds[streamed] += out->tensor[t].blocks[unit->block] * unit->seconds;
        }
    }
}

struct arrangement_least arrangement_least_of(const struct tcplan_problem *problem, const struct tcplan_machine *machine) {
    struct arrangement_least least = {.problem = problem, .costs = tcplan_costs_of(machine)};
    least.unit_count = find_units(least.unit, &least.costs, (double)machine->line_bytes);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) find_least(&least, (enum tcplan_operand)t);
    find_least_lines(&least, false);
    find_least_lines(&least, true);
    return least;
}

/** A structure's kernel, as far as it is known without an arrangement. */
struct call_extents {
    double extent[TCPLAN_MAX_INDICES]; /* of each index in the kernel and of each loop, within a tile that of a full one */
    double calls;
    uint64_t kernel;
};

static void find_call_extents(struct call_extents *out, const struct tcplan_problem *problem, const struct tcplan_algorithm *structure) {
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

/** What a call touches of an operand at least: of a temporary its elements side by side. Few dimensions, by rising stride. */
static void find_call_blocks(double blocks[ARRANGEMENT_BLOCKS], const struct arrangement_least *least, const struct call_extents *call,
                             const struct tcplan_algorithm *structure, enum tcplan_operand operand) {
    const struct tcplan_problem *problem = least->problem;
    const double element_bytes = (double)problem->element_bytes;
    double extent[KERNEL_DIMENSIONS], stride[KERNEL_DIMENSIONS], elements = 1;
    int rank = 0;
    for (uint64_t rest = algorithm_span(structure, problem->contraction, operand); rest; rest &= rest - 1) {
        const int number = indexset_first(rest), index = algorithm_source_index(structure, problem->contraction, number);
        const double step = number == index ? 1 : structure->split[number - problem->contraction->index_count].step;
        const double own = fabs((double)problem->stride_elems[operand][index]) * step * element_bytes;
        int place = rank;
        elements *= call->extent[number];
        if (call->extent[number] <= 1 || rank == KERNEL_DIMENSIONS) continue;
        for (; place > 0 && stride[place - 1] > own; place--) {
            stride[place] = stride[place - 1];
            extent[place] = extent[place - 1];
        }
        stride[place] = own;
        extent[place] = call->extent[number];
        rank++;
    }
    if (structure->copy[operand].depth >= 0) {
        rank = 1;
        stride[0] = element_bytes;
        extent[0] = elements;
    }
    for (int u = 0; u < least->unit_count; u++) {
        const struct arrangement_unit *unit = &least->unit[u];
        double count = 1, bytes = element_bytes;
        for (int d = 0; d < rank; d++) {
            const bool lies_near = stride[d] < bytes + unit->block_bytes;
            bytes += lies_near ? (extent[d] - 1) * stride[d] : 0;
            count *= lies_near ? 1 : extent[d];
        }
        blocks[unit->block] = bytes > unit->block_bytes ? count * bytes / unit->block_bytes : count;
    }
}

/** What bringing blocks takes at least, beyond that all of each tensor comes once: where a unit does not hold what a single call touches each call's operands come. */
static double least_block_seconds(const struct arrangement_least *least, const struct tcplan_algorithm *structure) {
    struct call_extents call;
    double blocks[TCPLAN_OPERANDS][ARRANGEMENT_BLOCKS], seconds = 0;
    find_call_extents(&call, least->problem, structure);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) find_call_blocks(blocks[t], least, &call, structure, (enum tcplan_operand)t);
    for (int u = 0; u < least->unit_count; u++) {
        const struct arrangement_unit *unit = &least->unit[u];
        double touched = 0, all = 0;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) touched += blocks[t][unit->block] * unit->block_bytes;
        if (touched <= unit->capacity_bytes) continue;
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            const bool copied = structure->copy[t].depth >= 0;
            const double come = blocks[t][unit->block] * call.calls, once = copied ? 0 : least->tensor[t].blocks[unit->block];
            all += (copied ? 1 : transfers_of(&least->costs, structure, t)) * fmax(come - once, 0);
        }
        seconds += all * unit->seconds;
    }
    return seconds;
}

/** What it takes that each tensor comes once; a result that is not streamed is fetched and written back. */
static double least_line_seconds(const struct arrangement_least *least, bool streamed) {
    const double transfers = streamed ? least->costs.streamed : least->costs.written;
    double seconds = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) seconds += (t == TCPLAN_C ? transfers : 1) * least->tensor[t].line_seconds[streamed];
    return seconds;
}

double arrangement_least_seconds(const struct arrangement_least *least, const struct tcplan_algorithm *structure, bool in_any_way) {
    double seconds = least_line_seconds(least, structure->copy[TCPLAN_C].streamed);
    if (in_any_way && structure->copy[TCPLAN_C].depth >= 0) seconds = fmin(seconds, least_line_seconds(least, true));
    if (!in_any_way) seconds += least_block_seconds(least, structure);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (structure->copy[t].depth >= 0)
            seconds += least->tensor[t].elements * least_element_seconds(least, structure, (enum tcplan_operand)t);
    }
    return seconds;
}
