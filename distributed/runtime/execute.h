/**
 * Executes a distributed contraction: gathers operands, multiplies blocks, reduces the result.
 *
 * The library for MPI and emitted programs share this file. All ranks call dist_begin(),
 * dist_execute() and dist_end() together. All memory is allocated before the first byte is sent.
 * The ranks agree on a common status twice: before the communication, and before dist_combine()
 * changes the result. Calls whose counts would exceed `limit` elements are split into rounds; all
 * ranks know the sizes that determine the number of rounds.
 */
#ifndef DISTRIBUTED_RUNTIME_EXECUTE_H
#define DISTRIBUTED_RUNTIME_EXECUTE_H

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/runtime/shape.h"

/** The parts of a buffer that a collective passes, one for each rank. */
struct dist_parts {
    int ranks;
    int64_t *offset, *length; /* offset and length of each rank's part, in elements */
    int *count, *displacement;
    int64_t total;
    char *packed;  /* memory of all parts, one after the other */
    bool is_block; /* whether the parts are consecutive in the block, so that `packed` is the block
                      itself */
    char *stage;   /* memory of one round; NULL if there is only one round */
};

/** The buffers of an execution. */
struct dist_buffers {
    char *block[DIST_TENSORS]; /* blocks of the local product, for operands and result; NULL: the
                                  caller's block is used */
    char *reduced;             /* the rank's part of the result after the reduction */
    char *landed;              /* the rank's part of the result after its exchange */
    struct dist_parts out[DIST_TENSORS], in[DIST_TENSORS];
    struct dist_parts reduction;
};

/** A plan, and the communicators and buffers that execute it. */
struct dist_run {
    const struct dist_plan *plan;
    MPI_Comm world;
    MPI_Comm group[DIST_TENSORS]; /**< for each tensor, the ranks with which this rank shares
                                     collectives; MPI_COMM_NULL: none is needed */
    MPI_Datatype type;
    int rank, processes;
    int64_t limit; /**< maximum number of elements in one call */
    dist_local *local;
    void *context;
    struct dist_buffers buffers; /**< buffers; they exist from the first execution to dist_end() */
    bool is_ready;               /**< whether all ranks have their buffers */
    void *scalapack; /**< memory that dist_pdgemm() stores between executions; NULL: none */
    /** frees `scalapack`; `exits`: also its MPI objects */
    void (*scalapack_free)(void *kept, bool exits);
};

static int64_t dist_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Boxes of memory. */

/** Returns whether the elements of `inner` along an index are scattered in `outer`. */
static bool dist_is_scattered(const struct dist_box *outer, const struct dist_box *inner,
                              int index) {
    return inner->cycle[index].block > 0 && outer->cycle[index].block == 0;
}

/** Returns the position within `outer`, along an index, of element number `at` of `inner`. */
static int64_t dist_offset(const struct dist_box *outer, const struct dist_box *inner, int index,
                           int64_t at) {
    if (outer->cycle[index].block > 0) return inner->cycle[index].skipped + at;
    return dist_global(inner, index, at) - outer->first[index];
}

/** Returns how many elements of `inner`, from number `at` on, are consecutive in `outer` along an
 * index. */
static int64_t dist_together(const struct dist_box *outer, const struct dist_box *inner, int index,
                             int64_t at) {
    const int64_t left = inner->length[index] - at, block = inner->cycle[index].block;
    if (!dist_is_scattered(outer, inner, index)) return left;
    return dist_least(left, block - (inner->cycle[index].skipped + at) % block);
}

/** Copies the box `inner` between packed memory and a block that stores the box `outer`. */
static void dist_copy(const struct dist_plan *plan, int tensor, char *block,
                      const struct dist_box *outer, char *packed, const struct dist_box *inner,
                      bool packs) {
    const struct dist_tensor *of = &plan->tensor[tensor];
    const size_t element = (size_t)plan->element_bytes;
    int64_t stride[DIST_INDICES], at[DIST_INDICES] = {0}, step = 1, offset = 0;
    int d, whole = 0; /* number of leading dimensions that `inner` covers entirely */
    if (dist_elements(of, inner) == 0) return;
    for (d = 0; d < of->rank; d++) {
        const int i = of->dims[d];
        stride[d] = step;
        if (whole == d && inner->length[i] == outer->length[i] &&
            !dist_is_scattered(outer, inner, i))
            whole = d + 1;
        if (d > whole) offset += dist_offset(outer, inner, i, 0) * step;
        step *= outer->length[i];
    }
    if (whole == of->rank) {
        memcpy(packs ? packed : block, packs ? block : packed, (size_t)step * element);
        return;
    }
    const int along = of->dims[whole];
    do {
        for (int64_t l = 0, count; l < inner->length[along]; l += count) {
            count = dist_together(outer, inner, along, l);
            const size_t bytes = (size_t)(count * stride[whole]) * element;
            const int64_t from = offset + dist_offset(outer, inner, along, l) * stride[whole];
            char *place = block + (size_t)from * element;
            memcpy(packs ? packed : place, packs ? place : packed, bytes);
            packed += bytes;
        }
        for (d = whole + 1; d < of->rank; d++) {
            const int i = of->dims[d];
            const int64_t before = dist_offset(outer, inner, i, at[d]);
            at[d] = at[d] + 1 < inner->length[i] ? at[d] + 1 : 0;
            offset += (dist_offset(outer, inner, i, at[d]) - before) * stride[d];
            if (at[d] > 0) break;
        }
    } while (d < of->rank);
}

/** Defines C := sum + beta * C. The previous C is conjugated if the plan requires it. A `sum` of
 * NULL means zero. */
#define DIST_COMBINE(name, real) /* NOLINTNEXTLINE(bugprone-macro-parentheses) */                  \
    static void name(const struct dist_plan *plan, real *C, const real *sum, int64_t elements) {   \
        const real re = (real)plan->beta[0], im = (real)plan->beta[1];                             \
        const bool reads = plan->beta[0] != 0 || plan->beta[1] != 0;                               \
        for (int64_t e = 0; e < elements; e++) {                                                   \
            if (!plan->is_complex) {                                                               \
                C[e] = (sum ? sum[e] : 0) + (reads ? re * C[e] : 0);                               \
                continue;                                                                          \
            }                                                                                      \
            const real x = reads ? C[2 * e] : 0;                                                   \
            const real y = !reads ? 0 : plan->conjugated ? -C[2 * e + 1] : C[2 * e + 1];           \
            C[2 * e] = (sum ? sum[2 * e] : 0) + (re * x - im * y);                                 \
            C[2 * e + 1] = (sum ? sum[2 * e + 1] : 0) + (re * y + im * x);                         \
        }                                                                                          \
    }
DIST_COMBINE(dist_combine_float, float)
DIST_COMBINE(dist_combine_double, double)

static void dist_combine(const struct dist_plan *plan, void *C, const void *sum, int64_t elements) {
    if (plan->element_bytes == (plan->is_complex ? 8 : 4)) {
        dist_combine_float(plan, (float *)C, (const float *)sum, elements);
    } else {
        dist_combine_double(plan, (double *)C, (const double *)sum, elements);
    }
}

static char *dist_allocate(const struct dist_plan *plan, int64_t elements, int *status) {
    const size_t bytes = (size_t)elements * (size_t)plan->element_bytes;
    char *memory = *status == 0 ? malloc(bytes > 0 ? bytes : 1) : NULL;
    if (!memory) *status = ENOMEM;
    return memory;
}

/* Parts and rounds. */

static void dist_parts_free(struct dist_parts *parts) {
    free(parts->offset);
    free(parts->count);
    if (!parts->is_block) free(parts->packed);
    free(parts->stage);
}

static void dist_parts_begin(struct dist_parts *parts, int ranks, int *status) {
    parts->ranks = ranks;
    parts->offset = calloc(2 * (size_t)ranks, sizeof *parts->offset);
    parts->count = calloc(2 * (size_t)ranks, sizeof *parts->count);
    if (!parts->offset || !parts->count) {
        *status = ENOMEM;
        return;
    }
    parts->length = parts->offset + ranks;
    parts->displacement = parts->count + ranks;
}

static void dist_parts_add(struct dist_parts *parts, int rank, int64_t length) {
    parts->offset[rank] = parts->total;
    parts->length[rank] = length;
    parts->total += length;
}

/** Returns the maximum number of elements of one part in one round. */
static int64_t dist_chunk(const struct dist_run *run, int ranks) {
    return run->limit / ranks > 0 ? run->limit / ranks : 1;
}

/** Returns the number of rounds. `longest` must be at least the length of every part, and equal on
 * all ranks. */
static int64_t dist_rounds(const struct dist_run *run, int ranks, int64_t longest) {
    const int64_t chunk = dist_chunk(run, ranks);
    return longest <= chunk ? 1 : (longest + chunk - 1) / chunk;
}

/** Allocates the packed memory and, if there are several rounds, the memory of one round. */
static void dist_parts_allocate(struct dist_parts *parts, const struct dist_run *run,
                                int64_t rounds, int *status) {
    const int64_t chunk = dist_chunk(run, parts->ranks);
    if (!parts->is_block) parts->packed = dist_allocate(run->plan, parts->total, status);
    if (rounds > 1) parts->stage = dist_allocate(run->plan, chunk * parts->ranks, status);
}

/** Sets the counts and displacements of a round. Returns the memory to which the displacements
 * refer. */
static char *dist_parts_round(struct dist_parts *parts, const struct dist_run *run, int64_t round) {
    const int64_t chunk = dist_chunk(run, parts->ranks);
    int displacement = 0;
    for (int r = 0; r < parts->ranks; r++) {
        const int64_t left = parts->length[r] - round * chunk;
        parts->count[r] = (int)(left <= 0 ? 0 : dist_least(left, chunk));
        parts->displacement[r] = displacement;
        displacement += parts->count[r];
    }
    return parts->stage ? parts->stage : parts->packed;
}

/** Copies the parts of a round between two buffers: to the memory of the round if `sends`,
 * otherwise to the packed memory. */
static void dist_parts_stage(struct dist_parts *parts, const struct dist_run *run, int64_t round,
                             bool sends) {
    const size_t element = (size_t)run->plan->element_bytes;
    for (int r = 0; r < parts->ranks && parts->stage; r++) {
        if (parts->count[r] == 0) continue;
        char *place = parts->packed +
                      (size_t)(parts->offset[r] + round * dist_chunk(run, parts->ranks)) * element;
        char *staged = parts->stage + (size_t)parts->displacement[r] * element;
        const size_t bytes = (size_t)parts->count[r] * element;
        memcpy(sends ? staged : place, sends ? place : staged, bytes);
    }
}

/* Operands. */

/** Returns the number of elements of the longest piece that a member of the rank's group holds. */
static int64_t dist_longest(const struct dist_run *run, int tensor,
                            const struct dist_layout *pieces) {
    const struct dist_plan *plan = run->plan;
    const struct dist_grid *grid = &plan->work[tensor].grid;
    const int first = dist_member(grid, plan->group[tensor], run->rank, 0);
    return dist_held(plan, tensor, pieces, first); /* The first member holds the longest piece. */
}

static void dist_begin_gather(struct dist_run *run, struct dist_buffers *buffers, int tensor,
                              int *status) {
    const struct dist_plan *plan = run->plan;
    const struct dist_grid *grid = &plan->work[tensor].grid;
    struct dist_parts *in = &buffers->in[tensor];
    const int size = dist_group_size(grid, plan->group[tensor]);
    dist_parts_begin(in, size, status);
    for (int m = 0; m < size && *status == 0; m++) {
        const int member = dist_member(grid, plan->group[tensor], run->rank, m);
        dist_parts_add(in, m, dist_held(plan, tensor, &plan->home[tensor], member));
    }
    in->is_block = dist_is_sliced(plan, tensor, &plan->home[tensor], run->rank);
    if (in->is_block) in->packed = buffers->block[tensor];
    dist_parts_allocate(
        in, run, dist_rounds(run, size, dist_longest(run, tensor, &plan->home[tensor])), status);
}

static void dist_gather(struct dist_run *run, struct dist_buffers *buffers, int tensor,
                        const char *mine) {
    const struct dist_plan *plan = run->plan;
    const struct dist_grid *grid = &plan->work[tensor].grid;
    struct dist_parts *in = &buffers->in[tensor];
    const int64_t rounds =
        dist_rounds(run, in->ranks, dist_longest(run, tensor, &plan->home[tensor]));
    const int64_t chunk = dist_chunk(run, in->ranks);
    int me;
    MPI_Comm_rank(run->group[tensor], &me);
    for (int64_t round = 0; round < rounds; round++) {
        char *to = dist_parts_round(in, run, round);
        const int64_t skipped = dist_least(round * chunk, in->length[me]);
        MPI_Allgatherv(mine + (size_t)skipped * (size_t)plan->element_bytes, in->count[me],
                       run->type, to, in->count, in->displacement, run->type, run->group[tensor]);
        dist_parts_stage(in, run, round, false);
    }
    const struct dist_box work = dist_box_of(plan, &plan->work[tensor], run->rank);
    for (int m = 0; m < in->ranks && !in->is_block; m++) {
        const int member = dist_member(grid, plan->group[tensor], run->rank, m);
        const struct dist_box piece = dist_box_of(plan, &plan->home[tensor], member);
        dist_copy(plan, tensor, buffers->block[tensor], &work,
                  in->packed + (size_t)in->offset[m] * (size_t)plan->element_bytes, &piece, false);
    }
}

static int64_t dist_exchange_rounds(const struct dist_run *run, int tensor) {
    const struct dist_plan *plan = run->plan;
    const int64_t longest = dist_least(dist_held(plan, tensor, dist_source(plan, tensor), 0),
                                       dist_held(plan, tensor, dist_target(plan, tensor), 0));
    return dist_rounds(run, run->processes, longest);
}

static void dist_begin_exchange(struct dist_run *run, struct dist_buffers *buffers, int tensor,
                                int *status) {
    const struct dist_plan *plan = run->plan;
    const struct dist_layout *from = dist_source(plan, tensor), *to = dist_target(plan, tensor);
    struct dist_parts *out = &buffers->out[tensor], *in = &buffers->in[tensor];
    struct dist_box box;
    dist_parts_begin(out, run->processes, status);
    dist_parts_begin(in, run->processes, status);
    for (int r = 0; r < run->processes && *status == 0; r++) {
        dist_parts_add(out, r, dist_piece(plan, tensor, from, run->rank, to, r, &box));
        dist_parts_add(in, r, dist_piece(plan, tensor, from, r, to, run->rank, &box));
    }
    const int64_t rounds = dist_exchange_rounds(run, tensor);
    dist_parts_allocate(out, run, rounds, status);
    dist_parts_allocate(in, run, rounds, status);
}

/** Moves a tensor from the layout dist_source() to the layout dist_target(). */
static void dist_exchange(struct dist_run *run, struct dist_buffers *buffers, int tensor,
                          char *source, char *target) {
    const struct dist_plan *plan = run->plan;
    const struct dist_layout *from = dist_source(plan, tensor), *to = dist_target(plan, tensor);
    struct dist_parts *out = &buffers->out[tensor], *in = &buffers->in[tensor];
    const struct dist_box here = dist_box_of(plan, from, run->rank),
                          there = dist_box_of(plan, to, run->rank);
    const size_t element = (size_t)plan->element_bytes;
    struct dist_box box;
    for (int r = 0; r < run->processes; r++) {
        if (dist_piece(plan, tensor, from, run->rank, to, r, &box) > 0)
            dist_copy(plan, tensor, source, &here, out->packed + (size_t)out->offset[r] * element,
                      &box, true);
    }
    const int64_t rounds = dist_exchange_rounds(run, tensor);
    for (int64_t round = 0; round < rounds; round++) {
        char *sent = dist_parts_round(out, run, round),
             *received = dist_parts_round(in, run, round);
        dist_parts_stage(out, run, round, true);
        MPI_Alltoallv(sent, out->count, out->displacement, run->type, received, in->count,
                      in->displacement, run->type, run->world);
        dist_parts_stage(in, run, round, false);
    }
    for (int r = 0; r < run->processes; r++) {
        if (dist_piece(plan, tensor, from, r, to, run->rank, &box) > 0)
            dist_copy(plan, tensor, target, &there, in->packed + (size_t)in->offset[r] * element,
                      &box, false);
    }
}

/* The result. */

static void dist_begin_reduction(struct dist_run *run, struct dist_buffers *buffers, int *status) {
    const struct dist_plan *plan = run->plan;
    struct dist_parts *parts = &buffers->reduction;
    const struct dist_grid *grid = &plan->work[DIST_C].grid;
    const int size = dist_group_size(grid, plan->group[DIST_C]);
    if (plan->reduction != DIST_SCATTERED) return;
    dist_parts_begin(parts, size, status);
    for (int m = 0; m < size && *status == 0; m++) {
        const int member = dist_member(grid, plan->group[DIST_C], run->rank, m);
        dist_parts_add(parts, m, dist_held(plan, DIST_C, &plan->reduced, member));
    }
    parts->is_block = dist_is_sliced(plan, DIST_C, &plan->reduced, run->rank);
    if (parts->is_block) parts->packed = buffers->block[DIST_C];
    dist_parts_allocate(parts, run,
                        dist_rounds(run, size, dist_longest(run, DIST_C, &plan->reduced)), status);
}

/** Adds the partial blocks of the ranks; returns this rank's part of the sum. */
static char *dist_reduce(struct dist_run *run, struct dist_buffers *buffers) {
    const struct dist_plan *plan = run->plan;
    const size_t element = (size_t)plan->element_bytes;
    char *block = buffers->block[DIST_C];
    const struct dist_box work = dist_box_of(plan, &plan->work[DIST_C], run->rank);
    if (plan->reduction == DIST_COMPLETE) return block;
    if (plan->reduction == DIST_SUMMED) {
        const int64_t elements = dist_elements(&plan->tensor[DIST_C], &work);
        for (int64_t first = 0; first < elements || first == 0; first += run->limit) {
            const int64_t left = elements - first;
            MPI_Allreduce(MPI_IN_PLACE, block + (size_t)first * element,
                          (int)dist_least(left, run->limit), run->type, MPI_SUM,
                          run->group[DIST_C]);
        }
        return block;
    }
    struct dist_parts *parts = &buffers->reduction;
    const struct dist_grid *grid = &plan->work[DIST_C].grid;
    for (int m = 0; m < parts->ranks && !parts->is_block; m++) {
        const int member = dist_member(grid, plan->group[DIST_C], run->rank, m);
        const struct dist_box piece = dist_box_of(plan, &plan->reduced, member);
        dist_copy(plan, DIST_C, block, &work, parts->packed + (size_t)parts->offset[m] * element,
                  &piece, true);
    }
    const int64_t rounds =
        dist_rounds(run, parts->ranks, dist_longest(run, DIST_C, &plan->reduced));
    int me;
    MPI_Comm_rank(run->group[DIST_C], &me);
    for (int64_t round = 0; round < rounds; round++) {
        char *sent = dist_parts_round(parts, run, round);
        const int64_t skipped =
            dist_least(round * dist_chunk(run, parts->ranks), parts->length[me]);
        dist_parts_stage(parts, run, round, true);
        MPI_Reduce_scatter(sent, buffers->reduced + (size_t)skipped * element, parts->count,
                           run->type, MPI_SUM, run->group[DIST_C]);
    }
    return buffers->reduced;
}

/* Local products. */

static int dist_multiply(struct dist_run *run, const struct dist_box *box, enum dist_start start,
                         const void *A, const void *B, char *C) {
    const struct dist_plan *plan = run->plan;
    const int64_t elements = dist_elements(&plan->tensor[DIST_C], box);
    bool is_empty = false;
    for (int i = 0; i < plan->index_count; i++) is_empty = is_empty || box->length[i] == 0;
    if (!is_empty) return run->local(run->context, box->length, start, A, B, C);
    if (start == DIST_CONTINUES) dist_combine(plan, C, NULL, elements);
    if (start == DIST_SETS) memset(C, 0, (size_t)elements * (size_t)plan->element_bytes);
    return 0;
}

/** Fills an operand's buffer with one panel: copies the panel from the rank's own block, or
 * receives it by a broadcast. */
static void dist_panel(struct dist_run *run, struct dist_buffers *buffers, int tensor,
                       const struct dist_box *panel, char *mine) {
    const struct dist_plan *plan = run->plan;
    const int64_t elements = dist_elements(&plan->tensor[tensor], panel);
    const struct dist_box home = dist_box_of(plan, &plan->home[tensor], run->rank);
    char *block = buffers->block[tensor];
    const int root = dist_panel_root(plan, tensor, run->rank, panel->first[plan->panel_index]);
    int me = 0;
    if (plan->gathering[tensor] == DIST_BROADCAST) MPI_Comm_rank(run->group[tensor], &me);
    if (me == root || plan->gathering[tensor] != DIST_BROADCAST)
        dist_copy(plan, tensor, mine, &home, block, panel, true);
    for (int64_t first = 0;
         plan->gathering[tensor] == DIST_BROADCAST && (first < elements || first == 0);
         first += run->limit) {
        MPI_Bcast(block + (size_t)first * (size_t)plan->element_bytes,
                  (int)dist_least(elements - first, run->limit), run->type, root,
                  run->group[tensor]);
    }
}

static int dist_panels(struct dist_run *run, struct dist_buffers *buffers, char *A, char *B,
                       char *C) {
    const struct dist_plan *plan = run->plan;
    const int x = plan->panel_index;
    const struct dist_box box = dist_local_box(plan, run->rank);
    const int64_t begin = box.first[x], end = begin + box.length[x];
    int status = 0;
    if (begin == end) return dist_multiply(run, &box, dist_first_start(plan), A, B, C);
    for (int64_t first = begin, next; first < end; first = next) {
        struct dist_box panel = box;
        next = dist_panel_end(plan, run->rank, first);
        panel.first[x] = first;
        panel.length[x] = next - first;
        dist_panel(run, buffers, DIST_A, &panel, A);
        dist_panel(run, buffers, DIST_B, &panel, B);
        const int step =
            dist_multiply(run, &panel, first == begin ? dist_first_start(plan) : DIST_ADDS,
                          buffers->block[DIST_A], buffers->block[DIST_B], C);
        if (status == 0) status = step;
    }
    return status;
}

/* Executions. */

static void dist_buffers_free(struct dist_buffers *buffers) {
    for (int t = 0; t < DIST_TENSORS; t++) {
        free(buffers->block[t]);
        dist_parts_free(&buffers->out[t]);
        dist_parts_free(&buffers->in[t]);
    }
    dist_parts_free(&buffers->reduction);
    free(buffers->reduced);
    free(buffers->landed);
    memset(buffers, 0, sizeof *buffers);
}

static int dist_buffers_begin(struct dist_run *run, struct dist_buffers *buffers) {
    const struct dist_plan *plan = run->plan;
    int status = 0;
    for (int t = DIST_A; t <= DIST_C; t++) {
        struct dist_box work = dist_box_of(plan, &plan->work[t], run->rank);
        const bool has_panels = t != DIST_C && plan->panel_index >= 0;
        if (has_panels && work.length[plan->panel_index] > plan->panel)
            work.length[plan->panel_index] = plan->panel;
        const bool is_buffered =
            t == DIST_C ? !dist_is_direct(plan) : has_panels || plan->gathering[t] != DIST_STAYS;
        if (is_buffered)
            buffers->block[t] =
                dist_allocate(plan, dist_elements(&plan->tensor[t], &work), &status);
        if (plan->gathering[t] == DIST_GATHERED) dist_begin_gather(run, buffers, t, &status);
        if (plan->gathering[t] == DIST_EXCHANGED) dist_begin_exchange(run, buffers, t, &status);
    }
    dist_begin_reduction(run, buffers, &status);
    if (plan->reduction == DIST_SCATTERED)
        buffers->reduced =
            dist_allocate(plan, dist_held(plan, DIST_C, &plan->reduced, run->rank), &status);
    if (plan->gathering[DIST_C] == DIST_EXCHANGED)
        buffers->landed =
            dist_allocate(plan, dist_held(plan, DIST_C, &plan->home[DIST_C], run->rank), &status);
    return status;
}

/** Returns the largest status of all ranks, so that every rank has the same one. */
static int dist_agree(const struct dist_run *run, int status) {
    int worst = status;
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, run->world);
    return worst;
}

/** Communicates and multiplies. All memory must be allocated before. Returns the same status on all
 * ranks. */
static int dist_communicate(struct dist_run *run, struct dist_buffers *buffers, char *operand[2],
                            char *C) {
    const struct dist_plan *plan = run->plan;
    const struct dist_box box = dist_local_box(plan, run->rank);
    const bool is_direct = dist_is_direct(plan);
    const char *block[2] = {operand[DIST_A], operand[DIST_B]};
    char *product = is_direct ? C : buffers->block[DIST_C];
    int status;
    for (int t = DIST_A; t <= DIST_B; t++) {
        if (plan->gathering[t] == DIST_GATHERED) dist_gather(run, buffers, t, operand[t]);
        if (plan->gathering[t] == DIST_EXCHANGED)
            dist_exchange(run, buffers, t, operand[t], buffers->block[t]);
        if (buffers->block[t]) block[t] = buffers->block[t];
    }
    if (plan->panel_index >= 0) {
        status = dist_panels(run, buffers, operand[DIST_A], operand[DIST_B], product);
    } else {
        status =
            dist_multiply(run, &box, dist_first_start(plan), block[DIST_A], block[DIST_B], product);
    }
    char *sum = is_direct ? NULL : dist_reduce(run, buffers);
    if (plan->gathering[DIST_C] == DIST_EXCHANGED) {
        dist_exchange(run, buffers, DIST_C, sum, buffers->landed);
        sum = buffers->landed;
    }
    status = dist_agree(run, status);
    if (status == 0 && !is_direct)
        dist_combine(plan, C, sum, dist_held(plan, DIST_C, &plan->home[DIST_C], run->rank));
    return status;
}

/**
 * Contracts the blocks of this rank, which have the layouts plan->home. Returns the same status on
 * all ranks: 0; ENOMEM if memory for a buffer was missing on some rank, with the result unchanged;
 * or the largest status of a local product. After a failed local product, the result may be
 * overwritten on ranks whose local products write to it directly.
 */
static inline int dist_execute(struct dist_run *run, const void *A, const void *B, void *C) {
    char *operand[2] = {(char *)(uintptr_t)A, (char *)(uintptr_t)B};
    const int status = dist_agree(run, run->is_ready ? 0 : dist_buffers_begin(run, &run->buffers));
    run->is_ready = status == 0;
    if (status == 0) return dist_communicate(run, &run->buffers, operand, (char *)C);
    dist_buffers_free(&run->buffers);
    return status;
}

/** Makes the communicators of a plan. All ranks of `world` must call it; the processes of a grid
 * have their ranks in `world`. */
static inline void dist_begin(struct dist_run *run, const struct dist_plan *plan, MPI_Comm world) {
    run->plan = plan;
    run->world = world;
    if (run->limit <= 0) run->limit = INT_MAX;
    MPI_Comm_rank(world, &run->rank);
    MPI_Comm_size(world, &run->processes);
    run->type = plan->element_bytes == 4    ? MPI_FLOAT
                : plan->element_bytes == 16 ? MPI_C_DOUBLE_COMPLEX
                : plan->is_complex          ? MPI_C_FLOAT_COMPLEX
                                            : MPI_DOUBLE;
    for (int t = 0; t < DIST_TENSORS; t++) {
        run->group[t] = MPI_COMM_NULL;
        if (plan->group[t] == 0) continue;
        MPI_Comm_split(world, dist_member(&plan->work[t].grid, plan->group[t], run->rank, 0),
                       run->rank, &run->group[t]);
    }
}

/** Frees the buffers of a run; `exits`: also ScaLAPACK's MPI objects. */
static void dist_run_free(struct dist_run *run, bool exits) {
    dist_buffers_free(&run->buffers);
    if (run->scalapack) run->scalapack_free(run->scalapack, exits);
    run->scalapack = NULL;
}

static inline void dist_end(struct dist_run *run) {
    dist_run_free(run, true);
    run->is_ready = false;
    for (int t = 0; t < DIST_TENSORS; t++) {
        if (run->group[t] != MPI_COMM_NULL) MPI_Comm_free(&run->group[t]);
    }
}

/** MPI calls this function when it frees a communicator; the run of that communicator is freed too.
 * MPI frees its own communicators at the end of the program. */
static inline int dist_forget(MPI_Comm comm, int key, void *run, void *context) {
    (void)key;
    (void)context;
    if (comm == MPI_COMM_WORLD) {
        dist_run_free((struct dist_run *)run, false);
    } else {
        dist_end((struct dist_run *)run);
    }
    free(run);
    return MPI_SUCCESS;
}

/**
 * Returns the run of a plan on a communicator. The first call makes the run and stores it as an
 * attribute of the communicator, so that later executions make no communicators and allocate
 * nothing. Returns NULL on all ranks if one rank lacks memory.
 */
static inline struct dist_run *dist_run_of(int *key, const struct dist_plan *plan,
                                           dist_local *local, MPI_Comm comm) {
    struct dist_run *run = NULL;
    int found = 0, ready;
    if (*key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, dist_forget, key, NULL);
    MPI_Comm_get_attr(comm, *key, &run, &found);
    if (found) return run;
    run = calloc(1, sizeof *run);
    ready = run != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm);
    if (!ready) {
        free(run);
        return NULL;
    }
    run->local = local;
    dist_begin(run, plan, comm);
    MPI_Comm_set_attr(comm, *key, run);
    return run;
}

#endif
