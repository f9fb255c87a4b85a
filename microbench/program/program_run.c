#include "microbench/program/program.h"

#include "ast/algorithm/kernel_class.h"
#include "ast/algorithm/provider.h"
#include "ast/contraction/contraction.h"
#include "ast/problem/slice.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/indexset.h"
#include "microbench/program/buffers.h"
#include "microbench/program/share.h"
#include "microbench/providers/address_sum.h"
#include "microbench/providers/providers.h"
#include "microbench/providers/threads.h"

struct tensor_pointers program_base_at(const struct buffers *buffers, int placement) {
    struct tensor_pointers base = {.tensor = {NULL}};
    for (int t = 0; t < TCPLAN_TENSORS; t++) {
        const enum tcplan_operand own = buffers->tensor[t].base ? (enum tcplan_operand)t : TCPLAN_C;
        base.tensor[t] = buffers->tensor[own].base + buffers->tensor[own].first_bytes +
                         buffers_shift_bytes(buffers, own, placement);
    }
    return base;
}

struct tensor_pointers program_base(const struct buffers *buffers) {
    return program_base_at(buffers, 0);
}

static char *slice_pointer(const struct tcplan_program *program, struct tcplan_slice slice,
                           const struct tensor_pointers *at) {
    return slice.temporary ? program->temporary[slice.operand] + at->temporary_bytes[slice.operand]
                           : at->tensor[slice.operand];
}

/** Returns the variant of an operation for a state of the loops, which must exist. */
static const struct operation_variant *variant_in(const struct operation *operation,
                                                  struct loop_state state) {
    const unsigned partial = state.partial & operation->partial_mask;
    const bool later = (state.later & operation->first_of) != 0;
    const struct operation_variant *variant = operation->variant;
    while (variant->partial != partial || variant->later != later) variant++;
    return variant;
}

static const struct kernel *kernel_in(const struct operation *operation, struct loop_state state) {
    return operation->variant_count == 1 ? &operation->kernel
                                         : &variant_in(operation, state)->kernel;
}

static ptrdiff_t step_of(const struct operation *loop, struct tcplan_slice slice) {
    if (!loop) return 0;
    return slice.temporary ? loop->temporary_step_bytes[slice.operand]
                           : loop->step_bytes[slice.operand];
}

/**
 * Makes `count` calls of one variant in consecutive iterations of `loop` (NULL: all at one place),
 * after `begun` calls. The last call is followed by the first one in the next iteration of the
 * enclosing loop.
 */
static void run_burst(const struct tcplan_program *program, const struct operation *operation,
                      const struct kernel *kernel, const struct operation *loop,
                      const struct tensor_pointers *at, int64_t begun, int64_t count) {
    const struct tcplan_slice *slice = operation->slice;
    const enum tcplan_operand first = kernel->call.first;
    const enum tcplan_operand second = kernel->call.second;
    const struct operation *around = loop ? loop->parent : operation->parent;
    const char *start =
        slice_pointer(program, slice[first], at) - (loop ? begun * step_of(loop, slice[first]) : 0);
    const struct kernel_operands operands = {.next_first = start + step_of(around, slice[first]),
                                             .first = slice_pointer(program, slice[first], at),
                                             .second = slice_pointer(program, slice[second], at),
                                             .result = slice_pointer(program, slice[TCPLAN_C], at)};
    const struct kernel_steps steps = {.first = step_of(loop, slice[first]),
                                       .second = step_of(loop, slice[second]),
                                       .result = step_of(loop, slice[TCPLAN_C])};
    kernel->burst(kernel, operands, steps, count);
}

void program_repeat_kernel(const struct tcplan_program *program, struct tensor_pointers at,
                           int64_t count) {
    run_burst(program, program->kernel, &program->kernel->kernel, NULL, &at, 0, count);
}

/** Returns a thread's buffers for partial lines; NULL if the program has none. */
static char *ends_of(const struct tcplan_program *program, int thread) {
    return program->end_count > 0 ? program->ends + thread * program->end_count * STRIDED_END_BYTES
                                  : NULL;
}

void program_write_ends(const struct tcplan_program *program, int thread) {
    if (program->end_count > 0 && thread < program->end_threads)
        strided_write_ends(program->problem.written.dtype, ends_of(program, thread),
                           program->end_count);
}

static void apply(const struct tcplan_program *program, const struct operation *operation,
                  const struct strided *block, const struct tensor_pointers *at) {
    if (operation->kind == OPERATION_COPY) {
        const struct tcplan_copy *copy = &operation->node->copy;
        char *ends = copy->from.temporary ? ends_of(program, at->thread) : NULL;
        strided_run_copy_on(block, slice_pointer(program, copy->to, at),
                            slice_pointer(program, copy->from, at), ends);
        if (block->streamed && copy->to.temporary)
            strided_fence(); /* threads of a BLAS may read the temporary */
    } else {
        strided_run_scale(block, slice_pointer(program, operation->node->scale.slice, at));
    }
}

void program_apply(const struct tcplan_program *program, const struct operation *operation,
                   struct tensor_pointers at) {
    apply(program, operation, &operation->strided, &at);
}

void operation_apply(const struct tcplan_program *program, const struct operation *operation,
                     struct loop_state state, const struct tensor_pointers *at) {
    const struct operation_variant *variant = variant_in(operation, state);
    apply(program, operation,
          operation->variant_count <= 1 ? &operation->strided : &variant->strided, at);
    for (int b = 0; b < variant->more_count; b++) apply(program, operation, &variant->more[b], at);
}

bool program_divides(const struct tcplan_program *program, const struct operation *operation) {
    if (!program->shared || program_is_shared(program, operation)) return false;
    if (operation->kind != OPERATION_COPY && operation->kind != OPERATION_SCALE) return false;
    const bool has_ends = operation->kind == OPERATION_COPY &&
                          operation->node->copy.from.temporary && program->end_count > 0;
    return !has_ends && strided_bytes(&operation->strided) >= SHARING_LEAST_BYTES;
}

/** Executes a thread's part of a block; a fence orders it for other threads. */
static void apply_part(const struct tcplan_program *program, const struct operation *operation,
                       const struct strided *block, const struct tensor_pointers *at, int thread) {
    struct strided part;
    if (strided_part(&part, block, thread, program->sharing.threads))
        apply(program, operation, &part, at);
    if (block->streamed) strided_fence();
}

void program_apply_part(const struct tcplan_program *program, const struct operation *operation,
                        struct tensor_pointers at, int thread) {
    apply_part(program, operation, &operation->strided, &at, thread);
}

/** A copy or scaling that threads divide. */
struct division {
    const struct tcplan_program *program;
    const struct operation *operation;
    struct loop_state state;
    const struct tensor_pointers *at;
};

static void apply_division(void *context, int thread) {
    const struct division *division = context;
    const struct operation *operation = division->operation;
    const struct operation_variant *variant = variant_in(operation, division->state);
    apply_part(division->program, operation,
               operation->variant_count <= 1 ? &operation->strided : &variant->strided,
               division->at, thread);
    for (int b = 0; b < variant->more_count; b++)
        apply_part(division->program, operation, &variant->more[b], division->at, thread);
}

static void apply_by_all(const struct tcplan_program *program, const struct operation *operation,
                         struct loop_state state, const struct tensor_pointers *at) {
    struct division division = {
        .program = program, .operation = operation, .state = state, .at = at};
    strided_fence();
    share_run(program->sharing.threads, apply_division, &division, NULL);
}

void operation_move(struct tensor_pointers *at, const struct operation *loop, int64_t iterations) {
    for (int t = 0; t < TCPLAN_TENSORS; t++) at->tensor[t] += iterations * loop->step_bytes[t];
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        at->temporary_bytes[t] += iterations * loop->temporary_step_bytes[t];
    }
}

int64_t operation_extent(const struct operation *loop, struct loop_state state) {
    return state.partial & loop->points_of ? loop->last_extent : loop->extent;
}

struct loop_state operation_inside(const struct operation *loop, struct loop_state state,
                                   int64_t i) {
    if (i > 0) state.later |= indexset_of(loop->node->loop.index);
    const bool may_end = (state.partial & loop->steps_in) == loop->steps_in;
    if (loop->steps_of && may_end && i == operation_extent(loop, state) - 1)
        state.partial |= loop->steps_of;
    return state;
}

/** State of executing a number of calls. */
struct runner {
    const struct tcplan_program *program;
    struct cursor *cursor;
    int thread; /* number of the thread whose share of the parallel loop is executed; ALL or FORKING
                 */
};

enum {
    ALL = -1,
    FORKING = -2
}; /* ALL: the calling thread executes all shares; FORKING: each share has its own thread */

static struct iterations iterations_of(const struct runner *runner, const struct operation *loop,
                                       int depth, struct loop_state state) {
    const struct tcplan_program *program = runner->program;
    const int64_t extent = operation_extent(loop, state);
    const bool is_inner = loop == program->inner;
    if (runner->thread == ALL || (loop != program->shared && !is_inner))
        return (struct iterations){.end = extent};
    if (!is_inner) return sharing_outer_part(&program->sharing, extent, runner->thread);
    const int64_t outer_extent = operation_extent(program->shared, state);
    return sharing_inner_part(&program->sharing, outer_extent, runner->cursor->iteration[depth - 1],
                              extent, runner->thread);
}

static bool run_body(const struct runner *runner, struct operation *operation, int depth,
                     struct tensor_pointers at, struct loop_state state);

/** Returns how many iterations from `start` on, at most `count`, are in the same state, so that one
 * variant is used. */
static int64_t alike(const struct operation *loop, struct loop_state state, int64_t start,
                     int64_t count) {
    if (loop->body->variant_count <= 1) return count;
    if (start == 0 && indexset_has(loop->body->first_of, loop->node->loop.index)) return 1;
    const int64_t before_last = operation_extent(loop, state) - 1 - start;
    return loop->steps_of && before_last > 0 && count > before_last ? before_last : count;
}

/** Runs a loop around a single kernel, with as many calls at once as loop and stretch allow;
 * returns false if the stretch ends inside it. */
static bool run_burst_loop(const struct runner *runner, const struct operation *loop, int depth,
                           struct tensor_pointers at, struct loop_state state) {
    struct cursor *cursor = runner->cursor;
    const struct iterations iterations = iterations_of(runner, loop, depth, state);
    int64_t i = cursor->resume ? cursor->iteration[depth] : iterations.begin;
    const int64_t rest = iterations.end - i;
    const int64_t count = rest < cursor->calls_left ? rest : cursor->calls_left;
    cursor->resume = false;
    operation_move(&at, loop, i);
    for (int64_t left = count; left > 0;) {
        const int64_t now = alike(loop, state, i, left);
        const struct kernel *kernel = kernel_in(loop->body, operation_inside(loop, state, i));
        run_burst(runner->program, loop->body, kernel, loop, &at, i, now);
        operation_move(&at, loop, now);
        i += now;
        left -= now;
    }
    cursor->calls_left -= count;
    cursor->iteration[depth] = i;
    cursor->at[depth + 1] = loop->body;
    return count == rest;
}

static void fork_loop(const struct runner *runner, const struct operation *loop, int depth,
                      struct tensor_pointers at, struct loop_state state);

static bool run_loop(const struct runner *runner, const struct operation *loop, int depth,
                     struct tensor_pointers at, struct loop_state state) {
    struct cursor *cursor = runner->cursor;
    if (runner->thread == FORKING && loop == runner->program->shared) {
        fork_loop(runner, loop, depth, at, state);
        return true;
    }
    if (loop->is_burst) return run_burst_loop(runner, loop, depth, at, state);
    const struct iterations iterations = iterations_of(runner, loop, depth, state);
    int64_t i = cursor->resume ? cursor->iteration[depth] : iterations.begin;
    operation_move(&at, loop, i);
    for (; i < iterations.end; i++) {
        cursor->iteration[depth] =
            i; /* stored for the inner one of two collapsed loops, which reads it */
        if (!run_body(runner, loop->body, depth + 1, at, operation_inside(loop, state, i)))
            return false;
        operation_move(&at, loop, 1);
    }
    return true;
}

/** Runs one operation; returns false if the stretch ends inside it, and the caller records the
 * cursor's place on this level. */
static bool run_operation(const struct runner *runner, struct operation *operation, int depth,
                          struct tensor_pointers at, struct loop_state state) {
    switch (operation->kind) {
    case OPERATION_LOOP: return run_loop(runner, operation, depth, at, state);
    case OPERATION_KERNEL:
        runner->cursor->resume = false;
        if (runner->cursor->calls_left == 0) return false;
        runner->cursor->calls_left--;
        run_burst(runner->program, operation, kernel_in(operation, state), NULL, &at, 0, 1);
        return true;
    case OPERATION_COPY:
    case OPERATION_SCALE:
        if (operation->skipped) return true;
        if (runner->thread == FORKING && program_divides(runner->program, operation)) {
            apply_by_all(runner->program, operation, state, &at);
        } else {
            operation_apply(runner->program, operation, state, &at);
        }
        return true;
    }
    return true;
}

/** Runs a list of operations, starting at the cursor's place on this level if a stretch is
 * resumed. */
static bool run_body(const struct runner *runner, struct operation *operation, int depth,
                     struct tensor_pointers at, struct loop_state state) {
    if (runner->cursor->resume) operation = runner->cursor->at[depth];
    for (; operation; operation = operation->next) {
        if (!run_operation(runner, operation, depth, at, state)) {
            runner->cursor->at[depth] = operation;
            return false;
        }
    }
    return true;
}

static void run_calls(const struct runner *runner, int64_t calls, struct tensor_pointers base) {
    struct cursor *cursor = runner->cursor;
    const struct loop_state outside = {0};
    cursor->calls_left = calls;
    while (run_body(runner, runner->program->body, 0, base, outside)) {
        cursor->resume = false;
        program_write_ends(runner->program, base.thread);
        if (cursor->calls_left == 0) return;
    }
    cursor->resume = true;
}

void program_run_calls(struct tcplan_program *program, struct cursor *cursor, int64_t calls,
                       struct tensor_pointers base) {
    run_calls(&(struct runner){.program = program, .cursor = cursor, .thread = ALL}, calls, base);
}

/* Threads. */

struct tensor_pointers program_share_base(const struct tcplan_program *program,
                                          struct tensor_pointers base, int thread) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        base.temporary_bytes[t] += (ptrdiff_t)(thread * program->private_bytes[t]);
    base.thread = thread;
    return base;
}

/** Arguments of the threads that execute a parallel loop. */
struct fork {
    const struct tcplan_program *program;
    const struct operation *loop;
    int depth;
    struct tensor_pointers at;
    struct loop_state state;
};

static void run_part(void *context, int thread) {
    const struct fork *fork = context;
    struct cursor cursor = {.calls_left = INT64_MAX};
    const struct runner runner = {.program = fork->program, .cursor = &cursor, .thread = thread};
    run_loop(&runner, fork->loop, fork->depth, program_share_base(fork->program, fork->at, thread),
             fork->state);
    program_write_ends(fork->program, thread);
    strided_fence();
}

static void fork_loop(const struct runner *runner, const struct operation *loop, int depth,
                      struct tensor_pointers at, struct loop_state state) {
    struct fork fork = {
        .program = runner->program, .loop = loop, .depth = depth, .at = at, .state = state};
    strided_fence();
    share_run(runner->program->sharing.threads, run_part, &fork, NULL);
}

/** Returns the provider whose threads the kernel calls use: the BLAS, if the kernel's provider
 * leaves the calls to it. */
static enum tcplan_provider threads_of(const struct kernel *kernel) {
    return kernel->cblas && !provider_traits_of(kernel->call.provider)->is_cblas
               ? TCPLAN_PROVIDER_BLAS
               : kernel->call.provider;
}

static uint64_t borrow_threads(const struct kernel *kernel, int threads) {
    return kernel_class_of(kernel->call.kernel)->is_own
               ? 0
               : provider_borrow_threads(threads_of(kernel), threads);
}

static void return_threads(const struct kernel *kernel, uint64_t ticket) {
    if (ticket != 0) provider_return_threads(threads_of(kernel), ticket);
}

uint64_t program_borrow_threads(const struct tcplan_program *program, int threads) {
    return program->kernel ? borrow_threads(&program->kernel->kernel, threads) : 0;
}

void program_return_threads(const struct tcplan_program *program, uint64_t ticket) {
    if (ticket != 0) return_threads(&program->kernel->kernel, ticket);
}

/** Runs the whole program, with all threads on the shared loop. */
static void run_forking(const struct tcplan_program *program, struct tensor_pointers base) {
    struct cursor cursor = {.calls_left = INT64_MAX};
    const struct runner runner = {.program = program, .cursor = &cursor, .thread = FORKING};
    const uint64_t borrowed = program_borrow_threads(program, 1);
    run_body(&runner, program->body, 0, base, (struct loop_state){0});
    program_write_ends(program, 0);
    program_return_threads(program, borrowed);
}

static void run_scaling(const struct tcplan_program *program, struct tensor_pointers base) {
    if (problem_keeps_result(&program->problem.written)) return;
    if (program->scaling.scales) {
        strided_run_scale(&program->scaling, base.tensor[TCPLAN_C]);
    } else {
        strided_run_copy(&program->scaling, base.tensor[TCPLAN_C], base.tensor[TCPLAN_ADDEND]);
    }
}

/** Returns whether the whole program is one call of the kernel. */
static bool is_single_call(const struct operation *body) {
    return body && !body->next && body->kind == OPERATION_KERNEL;
}

const struct kernel *program_single_kernel(const struct tcplan_program *program) {
    const bool is_single =
        !program->only_scales && is_single_call(program->body) && program->body->variant_count == 1;
    return is_single ? &program->body->kernel : NULL;
}

/** Returns the code generated for a call of the kernel; NULL: none. */
static program_code_fn *code_of(const struct kernel *kernel) {
    const bool is_emitted = kernel->call.provider == TCPLAN_PROVIDER_EMITTED && !kernel->is_general;
    return is_emitted ? (program_code_fn *)kernel->generated : address_product_code(kernel);
}

bool program_burst_of(struct program_burst *out, const struct tcplan_program *program,
                      int threads) {
    const struct operation *body = program->body;
    if (program->only_scales || program->shared || program->streams || !body || body->next)
        return false;
    const struct operation *loop = body->kind == OPERATION_LOOP && body->is_burst ? body : NULL;
    const struct operation *leaf = loop ? loop->body : body;
    if (leaf->kind != OPERATION_KERNEL || leaf->variant_count != 1) return false;
    if (loop && loop->extent < 1) return false;
    const struct kernel *kernel = &leaf->kernel;
    *out = (struct program_burst){.kernel = *kernel, .count = 1, .code = code_of(kernel)};
    if (kernel->is_general) out->general = (kernel_general_fn *)kernel->generated;
    if (!kernel_class_of(kernel->call.kernel)->is_own && provider_has_threads(threads_of(kernel)))
        out->threads = threads;
    if (loop) {
        out->count = loop->extent;
        out->steps = (struct kernel_steps){.first = loop->step_bytes[kernel->call.first],
                                           .second = loop->step_bytes[kernel->call.second],
                                           .result = loop->step_bytes[TCPLAN_C]};
    }
    return true;
}

/** Runs a burst of at least one call of generated code. */
static void run_code(const struct program_burst *burst, const char *first, const char *second,
                     char *result) {
    burst->code(first, second, result);
    for (int64_t i = 1; i < burst->count; i++) {
        first += burst->steps.first;
        second += burst->steps.second;
        result += burst->steps.result;
        burst->code(first, second, result);
    }
    if (burst->kernel.call.provider == TCPLAN_PROVIDER_LIBXSMM) address_sum_leave();
}

/** Runs a burst of calls of code that takes its extents and strides as arguments. */
static void run_general(const struct program_burst *burst, const char *first, const char *second,
                        char *result) {
    const bool exchanges = burst->kernel.exchanges;
    for (int64_t i = 0; i < burst->count; i++) {
        burst->general(&burst->kernel.general, exchanges ? second : first,
                       exchanges ? first : second, result);
        first += burst->steps.first;
        second += burst->steps.second;
        result += burst->steps.result;
    }
}

/** Runs a burst of calls of a routine. Not inlined, because saving its registers would slow down
 * short products. */
__attribute__((noinline)) static void run_routine(const struct program_burst *burst,
                                                  const char *first, const char *second,
                                                  char *result) {
    const struct kernel *kernel = &burst->kernel;
    const struct kernel_operands operands = {.first = first, .second = second, .result = result};
    const uint64_t ticket = burst->threads > 0 ? borrow_threads(kernel, burst->threads) : 0;
    kernel->burst(kernel, operands, burst->steps, burst->count);
    return_threads(kernel, ticket);
}

void program_burst_run(const struct program_burst *burst, const void *A, const void *B,
                       void *result) {
    const bool begins_with_a = burst->kernel.call.first == TCPLAN_A;
    const void *first = begins_with_a ? A : B, *second = begins_with_a ? B : A;
    if (burst->code) {
        run_code(burst, first, second, result);
    } else if (burst->general) {
        run_general(burst, first, second, result);
    } else {
        run_routine(burst, first, second, result);
    }
}

program_code_fn *program_code(const struct tcplan_program *program) {
    const struct kernel *kernel = program_single_kernel(program);
    const bool is_made = kernel && kernel->call.provider == TCPLAN_PROVIDER_EMITTED &&
                         kernel->call.first == TCPLAN_A;
    return is_made ? code_of(kernel) : NULL;
}

void program_run_whole(struct tcplan_program *program, struct tensor_pointers base) {
    struct cursor cursor; /* not initialised: it has a thousand bytes, and runs may be short */
    if (program->only_scales) {
        run_scaling(program, base);
    } else if (is_single_call(program->body)) {
        run_burst(program, program->body, kernel_in(program->body, (struct loop_state){0}), NULL,
                  &base, 0, 1);
    } else if (program->shared) {
        run_forking(program, base);
    } else {
        cursor.resume = false;
        program_run_calls(program, &cursor, program->calls, base);
    }
    if (program->streams) strided_fence();
}

void program_repeat(struct tcplan_program *program, const struct buffers *buffers, int64_t times) {
    const int64_t all = buffers->moves ? BUFFERS_PLACEMENTS : 1;
    const int64_t places = times < all ? times : all;
    struct program_burst burst;
    const bool is_burst = program_burst_of(&burst, program, 0);
    for (int64_t p = places - 1; p >= 0; p--) {
        const struct tensor_pointers base = program_base_at(buffers, (int)p);
        for (int64_t t = times * p / places; t < times * (p + 1) / places; t++) {
            if (is_burst) {
                program_burst_run(&burst, base.tensor[TCPLAN_A], base.tensor[TCPLAN_B],
                                  base.tensor[TCPLAN_C]);
            } else {
                program_run_whole(program, base);
            }
        }
    }
}

/* Factors and the addend are only read, but pointers to all tensors have one type. */
void program_run_on(struct tcplan_program *program, const void *A, const void *B,
                    const void *addend, void *result) {
    program_run_whole(
        program, (struct tensor_pointers){.tensor = {(char *)(uintptr_t)A, (char *)(uintptr_t)B,
                                                     result, (char *)(uintptr_t)addend}});
}

enum tcplan_status tcplan_program_run(struct tcplan_program *program, const void *A, const void *B,
                                      void *C) {
    if (contraction_added(program->nest->contraction) == TCPLAN_ADDEND) return TCPLAN_INVALID;
    program_run_on(program, A, B, C, C);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_program_run_adding(struct tcplan_program *program, const void *A,
                                             const void *B, const void *C, void *D,
                                             struct tcplan_error *error) {
    const struct tcplan_contraction *contraction = program->nest->contraction;
    const struct tcplan_tensor *tensor = contraction->tensor;
    const bool has_addend = tcplan_contraction_has_addend(contraction);
    if (!has_addend && C && C != D) {
        return error_set(error, TCPLAN_INVALID,
                         "the contraction adds to its result %.40s; expected no separate addend",
                         tensor[TCPLAN_C].name);
    }
    if (contraction_added(contraction) == TCPLAN_ADDEND && !C) {
        return error_set(error, TCPLAN_INVALID, "the addend %.40s of the contraction is missing",
                         tensor[TCPLAN_ADDEND].name);
    }
    program_run_on(program, A, B, has_addend && C ? C : D, D);
    return TCPLAN_OK;
}

void program_run_share(const struct tcplan_program *program, struct cursor *cursor, int64_t calls,
                       struct tensor_pointers base, int thread) {
    run_calls(&(struct runner){.program = program, .cursor = cursor, .thread = thread}, calls,
              program_share_base(program, base, thread));
}
