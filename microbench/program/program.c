#include "microbench/program/program.h"

#include <string.h>

#include "ast/algorithm/provider.h"
#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/indexset.h"
#include "gen/providers/provider.h"
#include "microbench/program/share.h"
#include "microbench/providers/blas.h"
#include "microbench/providers/emitted.h"
#include "tcplan/blas.h"

enum { TEMPORARY_ALIGNMENT = 64 };

/* Building. */

/** State of building a program. */
struct builder {
    struct tcplan_program *program;
    struct kernel_maker *maker;
    struct tcplan_error *error;
    enum tcplan_status status;
};

static struct operation *build_body(struct builder *builder, const struct tcplan_node *node,
                                    struct operation *parent);

/** Returns by how many bytes a loop advances in the temporary of an operand, which may hold the
 * data of several iterations. */
static ptrdiff_t temporary_step(const struct builder *builder, enum tcplan_operand operand,
                                int index) {
    const struct refined_problem *problem = &builder->program->problem;
    const struct tcplan_slice whole = {.operand = operand,
                                       .temporary = true,
                                       .span = builder->program->nest->temporary_span[operand]};
    return (ptrdiff_t)(slice_stride(problem, whole, index) *
                       (int64_t)problem->written.element_bytes);
}

/** Returns whether the last step of a tile is smaller. */
static bool has_smaller_last(const struct refined_problem *problem, struct tile tile) {
    return problem_count(problem, tile.inner, tile.point, true) !=
           problem_count(problem, tile.inner, tile.point, false);
}

/** Sets a loop's data about the last step of a tile: for the loop within the tile, and for the
 * loop over its steps. */
static void build_tile(struct operation *operation, const struct refined_problem *problem) {
    const struct tcplan_refinement *refinement = problem->refinement;
    const int index = operation->node->loop.index;
    const int around = refinement_tile_around(refinement, index),
              own = refinement_tile_of_steps(refinement, index);
    operation->last_extent = problem->last_extent[index];
    if (around >= 0 && problem_varies(problem, index)) operation->points_of = 1U << around;
    if (own < 0 || !has_smaller_last(problem, refinement->tile[own])) return;
    operation->steps_of = 1U << own;
    if (around >= 0 && !indexset_has(problem->ending, index)) operation->steps_in = 1U << around;
}

static void build_loop(struct builder *builder, struct operation *operation) {
    const struct refined_problem *problem = &builder->program->problem;
    const int index = operation->node->loop.index;
    operation->extent = problem->extent[index];
    build_tile(operation, problem);
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        operation->step_bytes[t] =
            (ptrdiff_t)(problem->stride_elems[t][index] * (int64_t)problem->written.element_bytes);
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        operation->temporary_step_bytes[t] = temporary_step(builder, (enum tcplan_operand)t, index);
    }
    operation->body = build_body(builder, operation->node->loop.body, operation);
    int64_t calls = 0;
    for (const struct operation *child = operation->body; child; child = child->next)
        calls += child->calls;
    /* counts calls as if all tiles were full, which is an upper bound */
    if (!checked_mul_i64(calls, operation->extent, &operation->calls) &&
        builder->status == TCPLAN_OK) {
        builder->status = error_set(builder->error, TCPLAN_NOT_APPLICABLE,
                                    "more kernel calls than can be counted");
    }
    operation->is_burst =
        operation->body && !operation->body->next && operation->body->kind == OPERATION_KERNEL;
}

/** Builds an operation for one state of the loops: the kernel, or the block of a copy. */
typedef enum tcplan_status make_variant_fn(struct operation_variant *out,
                                           const struct builder *builder,
                                           const struct operation *operation);

static enum tcplan_status make_kernel(struct operation_variant *out, const struct builder *builder,
                                      const struct operation *operation) {
    const struct blas_call_place place = {.partial = out->partial, .later = out->later};
    const struct refined_problem *problem = &builder->program->problem;
    struct blas_call call;
    enum tcplan_status status = blas_call_lower(
        &call, builder->program->nest, &operation->node->kernel, problem, place, builder->error);
    if (status == TCPLAN_OK)
        status = blas_call_check(&call, problem->written.dtype, call.provider, builder->error);
    if (status != TCPLAN_OK) return status;
    out->kernel = kernel_bind(&call, problem->written.dtype, builder->maker);
    if (call.streamed) builder->program->streams = true;
    if (out->kernel.burst) return TCPLAN_OK;
    char wrong[TCPLAN_MESSAGE_SIZE];
    const struct tcplan_code_account made = tcplan_code_account();
    if (provider_traits_of(call.provider)->is_compiled && *made.reason) {
        return error_set(builder->error, TCPLAN_NOT_APPLICABLE,
                         "%s has no code for this kernel: %s", tcplan_provider_name(call.provider),
                         made.reason);
    }
    if (tcplan_provider_wrong(wrong, call.provider))
        return error_set(builder->error, TCPLAN_NOT_APPLICABLE, "%s", wrong);
    return error_set(builder->error, TCPLAN_NOT_APPLICABLE,
                     "%s has no code for this kernel on this machine",
                     tcplan_provider_name(call.provider));
}

/** Builds box `number` of a copy or scaling for one state of the loops; returns false if there is
 * none. */
static bool make_box(struct strided *out, const struct builder *builder,
                     const struct operation *operation, const struct operation_variant *variant,
                     int number) {
    const struct refined_problem *problem = &builder->program->problem;
    const struct blas_call_place place = {.partial = variant->partial, .later = variant->later};
    const struct tcplan_node *node = operation->node;
    return node->kind == TCPLAN_NODE_COPY
               ? strided_copy_box(out, problem, &node->copy, place, number)
               : strided_scale_box(out, problem, &node->scale, place, number);
}

static enum tcplan_status make_boxes(struct operation_variant *out, const struct builder *builder,
                                     const struct operation *operation) {
    struct strided box;
    make_box(&out->strided, builder, operation, out, 0);
    if (out->strided.streamed) builder->program->streams = true;
    while (make_box(&box, builder, operation, out, 1 + out->more_count)) out->more_count++;
    if (out->more_count == 0) return TCPLAN_OK;
    out->more = arena_alloc(&builder->program->arena, (size_t)out->more_count * sizeof *out->more);
    if (!out->more) return error_no_memory(builder->error);
    for (int b = 0; b < out->more_count; b++)
        make_box(&out->more[b], builder, operation, out, 1 + b);
    return TCPLAN_OK;
}

/** Builds the variants of an operation, one for every state of the loops that it distinguishes.
 * The first variant is for the most frequent state. */
static void make_variants(struct builder *builder, struct operation *operation,
                          make_variant_fn *make) {
    const bool has_later = operation->first_of != 0;
    const int count = (has_later ? 2 : 1) << __builtin_popcount(operation->partial_mask);
    operation->variant =
        arena_alloc(&builder->program->arena, (size_t)count * sizeof *operation->variant);
    if (!operation->variant) {
        builder->status = error_no_memory(builder->error);
        return;
    }
    unsigned partial = 0;
    do {
        for (int later = has_later; later >= 0; later--) {
            struct operation_variant *variant = &operation->variant[operation->variant_count++];
            *variant = (struct operation_variant){.partial = partial, .later = later != 0};
            const enum tcplan_status status = make(variant, builder, operation);
            if (status != TCPLAN_OK && builder->status == TCPLAN_OK) builder->status = status;
        }
        partial = (partial - operation->partial_mask) &
                  operation->partial_mask; /* the next subset of the bits in `partial_mask` */
    } while (partial != 0);
    operation->kernel = operation->variant[0].kernel;
    operation->strided = operation->variant[0].strided;
}

static void build_kernel(struct builder *builder, struct operation *operation) {
    const struct tcplan_kernel_call *node = &operation->node->kernel;
    uint64_t span = 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        operation->slice[t] = node->slice[t];
        span |= node->slice[t].span;
    }
    operation->calls = 1;
    operation->first_of = node->update.first_of;
    operation->partial_mask = problem_partial_tiles(&builder->program->problem, span);
    make_variants(builder, operation, make_kernel);
    builder->program->kernel = operation;
}

static void build_copy(struct builder *builder, struct operation *operation) {
    const struct tcplan_copy *copy = &operation->node->copy;
    operation->first_of = copy->update.first_of;
    operation->partial_mask = problem_partial_tiles(&builder->program->problem, copy->to.span);
    make_variants(builder, operation, make_boxes);
}

static void build_operation(struct builder *builder, struct operation *operation) {
    switch (operation->node->kind) {
    case TCPLAN_NODE_LOOP:
        operation->kind = OPERATION_LOOP;
        build_loop(builder, operation);
        break;
    case TCPLAN_NODE_KERNEL:
        operation->kind = OPERATION_KERNEL;
        build_kernel(builder, operation);
        break;
    case TCPLAN_NODE_COPY:
        operation->kind = OPERATION_COPY;
        build_copy(builder, operation);
        break;
    case TCPLAN_NODE_SCALE:
        operation->kind = OPERATION_SCALE;
        operation->partial_mask =
            problem_partial_tiles(&builder->program->problem, operation->node->scale.slice.span);
        make_variants(builder, operation, make_boxes);
        break;
    case TCPLAN_NODE_STEPS:
    case TCPLAN_NODE_CALL:
    case TCPLAN_NODE_AGAIN: break; /* only in blocked algorithms, see routines/blocked/run */
    }
}

static struct operation *build_body(struct builder *builder, const struct tcplan_node *node,
                                    struct operation *parent) {
    struct operation *first = NULL;
    struct operation **link = &first;
    for (; node; node = node->next) {
        struct operation *operation = arena_alloc(&builder->program->arena, sizeof *operation);
        if (!operation) {
            builder->status = error_no_memory(builder->error);
            return first;
        }
        operation->node = node;
        operation->parent = parent;
        build_operation(builder, operation);
        *link = operation;
        link = &operation->next;
    }
    return first;
}

/** Returns the bytes of an operand's temporary for one thread; 0: none. */
static int64_t temporary_size(const struct tcplan_program *program, enum tcplan_operand operand) {
    return program->problem.temporary_elems[operand] *
           (int64_t)program->problem.written.element_bytes;
}

/** Checks that the sizes of all temporaries fit. */
static enum tcplan_status check_temporaries(const struct tcplan_program *program,
                                            struct tcplan_error *error) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (program->problem.temporary_elems[t] < INT64_MAX) continue;
        return error_set(error, TCPLAN_NOT_APPLICABLE,
                         "the temporary of %c takes more bytes than can be addressed", "ABC"[t]);
    }
    return TCPLAN_OK;
}

static enum tcplan_status allocate_temporaries(struct tcplan_program *program,
                                               struct scratch *scratch,
                                               struct tcplan_error *error) {
    program->scratch = scratch;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int64_t bytes = temporary_size(program, (enum tcplan_operand)t);
        if (bytes == 0) continue;
        program->temporary_bytes[t] = bytes;
        if (program->is_apart) continue;
        program->temporary[t] = scratch
                                    ? scratch_get(scratch, (enum tcplan_operand)t, (size_t)bytes)
                                    : base_large_alloc(TEMPORARY_ALIGNMENT, (size_t)bytes);
        if (!program->temporary[t]) {
            return error_set(error, TCPLAN_NO_MEMORY, "no memory for a temporary of %lld bytes",
                             (long long)bytes);
        }
    }
    return TCPLAN_OK;
}

static struct operation *find_parallel(struct operation *operation) {
    struct operation *found = NULL;
    for (; operation && !found; operation = operation->next) {
        if (operation->kind != OPERATION_LOOP) continue;
        found = operation->node->loop.parallel ? operation : find_parallel(operation->body);
    }
    return found;
}

/** Temporaries of which each thread has its own copy, at a page boundary. */
struct private_temporaries {
    char *memory[TCPLAN_OPERANDS];
    int64_t each_bytes[TCPLAN_OPERANDS];
    int64_t all_bytes[TCPLAN_OPERANDS];
};

static enum tcplan_status allocate_private(struct private_temporaries *out,
                                           const struct tcplan_program *program,
                                           const struct sharing *sharing,
                                           struct tcplan_error *error) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int64_t bytes =
            sharing->is_private[t] ? temporary_size(program, (enum tcplan_operand)t) : 0;
        if (bytes == 0) continue;
        out->each_bytes[t] = (int64_t)sharing_stride_bytes((size_t)bytes);
        const bool fits = checked_mul_i64(out->each_bytes[t], sharing->threads, &out->all_bytes[t]);
        if (fits && program->is_apart) continue;
        if (fits) {
            out->memory[t] = program->scratch
                                 ? scratch_get(program->scratch, (enum tcplan_operand)t,
                                               (size_t)out->all_bytes[t])
                                 : base_large_alloc(SHARING_PAGE_BYTES, (size_t)out->all_bytes[t]);
        }
        if (out->memory[t]) continue;
        for (int other = 0; other < t && !program->scratch; other++) base_free(out->memory[other]);
        return error_set(error, TCPLAN_NO_MEMORY, "no memory for %d temporaries of %lld bytes",
                         sharing->threads, (long long)bytes);
    }
    return TCPLAN_OK;
}

/** Allocates buffers for partial lines for each thread that copies the result. */
static enum tcplan_status allocate_ends(struct tcplan_program *program,
                                        const struct sharing *sharing, struct tcplan_error *error) {
    const int64_t count = copy_shape_ends(program->nest, &program->problem);
    const int threads = sharing->is_private[TCPLAN_C] ? sharing->threads : 1;
    const size_t bytes = (size_t)count * STRIDED_END_BYTES * (size_t)threads;
    const bool is_own = count > 0 && !program->is_apart;
    char *ends = is_own ? base_alloc(bytes) : NULL;
    if (is_own && !ends) return error_no_memory(error);
    if (ends) memset(ends, 0, bytes);
    if (!program->is_apart) base_free(program->ends);
    program->ends = ends;
    program->end_count = count;
    program->end_threads = threads;
    return TCPLAN_OK;
}

enum tcplan_status tcplan_program_set_threads(struct tcplan_program *program, int threads,
                                              struct tcplan_error *error) {
    if (threads < 1 || threads > TCPLAN_MAX_THREADS) {
        return error_set(error, TCPLAN_INVALID, "expected 1 to %d threads, found %d",
                         TCPLAN_MAX_THREADS, threads);
    }
    if (program->only_scales) return TCPLAN_OK;
    const struct sharing sharing = sharing_of(program->nest, &program->problem, threads);
    struct private_temporaries private = {0};
    if (blas_check_memory(sharing.threads, error) != TCPLAN_OK) return TCPLAN_NO_MEMORY;
    if (allocate_ends(program, &sharing, error) != TCPLAN_OK) return TCPLAN_NO_MEMORY;
    enum tcplan_status status =
        sharing.threads > 1 ? allocate_private(&private, program, &sharing, error) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    program->sharing = sharing;
    program->shared = sharing.threads > 1 ? find_parallel(program->body) : NULL;
    program->inner = program->shared ? find_parallel(program->shared->body) : NULL;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        program->private_bytes[t] = private.each_bytes[t];
        if (private.each_bytes[t] == 0) continue;
        program->temporary_bytes[t] = private.all_bytes[t];
        if (program->is_apart) continue;
        if (!program->scratch) base_free(program->temporary[t]);
        program->temporary[t] = private.memory[t];
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_program_build(struct tcplan_program **out, const struct tcplan_nest *nest,
                                        const struct tcplan_problem *problem,
                                        struct tcplan_error *error) {
    return program_build_on(out, nest, problem, NULL, NULL, error);
}

static void build(struct builder *builder, struct scratch *scratch) {
    struct tcplan_program *program = builder->program;
    const struct loop_state outside = {0};
    builder->status = check_temporaries(program, builder->error);
    if (builder->status != TCPLAN_OK) return;
    program->body = build_body(builder, program->nest->body, NULL);
    for (const struct operation *o = program->body;
         o && program->kernel && builder->status == TCPLAN_OK; o = o->next) {
        program->calls += operation_count(o, program->kernel, outside);
    }
    if (builder->status == TCPLAN_OK)
        builder->status = allocate_temporaries(program, scratch, builder->error);
    if (builder->status == TCPLAN_OK)
        builder->status = allocate_ends(program, &program->sharing, builder->error);
}

enum tcplan_status program_build_on(struct tcplan_program **out, const struct tcplan_nest *nest,
                                    const struct tcplan_problem *problem, struct scratch *scratch,
                                    struct kernel_maker *maker, struct tcplan_error *error) {
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    return program_build_refined(out, nest, &refined, scratch, maker, error);
}

static enum tcplan_status build_new(struct tcplan_program **out, const struct tcplan_nest *nest,
                                    const struct refined_problem *problem, struct scratch *scratch,
                                    struct kernel_maker *maker, bool is_apart,
                                    struct tcplan_error *error) {
    const enum tcplan_status room = blas_check_memory(1, error);
    if (room != TCPLAN_OK) return room;
    struct tcplan_program *program = base_alloc(sizeof *program);
    if (!program) return error_no_memory(error);
    *program = (struct tcplan_program){.nest = nest,
                                       .problem = *problem,
                                       .is_apart = is_apart,
                                       .sharing = {.threads = 1, .unit = 1}};
    struct builder builder = {
        .program = program, .maker = maker, .error = error, .status = TCPLAN_OK};
    program->only_scales = tcplan_problem_only_scales(&problem->written);
    if (program->only_scales) {
        program->scaling = strided_start_result(&problem->written);
        program->streams = program->scaling.streamed;
    } else {
        build(&builder, scratch);
    }
    if (builder.status == TCPLAN_OK) {
        *out = program;
    } else {
        tcplan_program_free(program);
    }
    return builder.status;
}

enum tcplan_status program_build_refined(struct tcplan_program **out,
                                         const struct tcplan_nest *nest,
                                         const struct refined_problem *problem,
                                         struct scratch *scratch, struct kernel_maker *maker,
                                         struct tcplan_error *error) {
    return build_new(out, nest, problem, scratch, maker, false, error);
}

enum tcplan_status program_build_apart(struct tcplan_program **out, const struct tcplan_nest *nest,
                                       const struct tcplan_problem *problem, int threads,
                                       struct kernel_maker *maker, struct tcplan_error *error) {
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    struct tcplan_program *program = NULL;
    enum tcplan_status status = build_new(&program, nest, &refined, NULL, maker, true, error);
    if (status == TCPLAN_OK && program)
        status = tcplan_program_set_threads(program, threads, error);
    if (status == TCPLAN_OK) {
        *out = program;
    } else {
        tcplan_program_free(program);
    }
    return status;
}

/** Returns the alignment of a temporary: a cache line; with several threads, a page. */
static int64_t place_alignment(const struct tcplan_program *program, int operand) {
    return program->private_bytes[operand] > 0 ? SHARING_PAGE_BYTES : TEMPORARY_ALIGNMENT;
}

static int64_t end_bytes(const struct tcplan_program *program) {
    return program->end_count * STRIDED_END_BYTES * program->end_threads;
}

int64_t program_place_bytes(const struct tcplan_program *program) {
    int64_t bytes = program->end_count > 0 ? end_bytes(program) + TEMPORARY_ALIGNMENT : 0;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const int64_t own = program->temporary_bytes[t];
        if (own == 0) continue;
        if (!checked_add_i64(bytes, place_alignment(program, t), &bytes) ||
            !checked_add_i64(bytes, own, &bytes))
            return INT64_MAX;
    }
    return bytes;
}

static char *aligned(char *memory, int64_t alignment) {
    return memory + (size_t)(-(uintptr_t)memory & (uintptr_t)(alignment - 1));
}

void program_place(struct tcplan_program *program, void *memory) {
    char *at = memory;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (program->temporary_bytes[t] == 0) continue;
        program->temporary[t] = aligned(at, place_alignment(program, t));
        at = program->temporary[t] + program->temporary_bytes[t];
    }
    if (program->end_count == 0) return;
    program->ends = aligned(at, TEMPORARY_ALIGNMENT);
    memset(program->ends, 0, (size_t)end_bytes(program));
}

void tcplan_program_free(struct tcplan_program *program) {
    if (!program) return;
    for (int t = 0; t < TCPLAN_OPERANDS && !program->scratch && !program->is_apart; t++)
        base_free(program->temporary[t]);
    if (!program->is_apart) base_free(program->ends);
    arena_free(&program->arena);
    base_free(program);
}

int64_t tcplan_program_calls(const struct tcplan_program *program) {
    return program->calls;
}
