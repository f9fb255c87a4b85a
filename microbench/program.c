#include "microbench/program.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

enum { TEMPORARY_ALIGNMENT = 64 };

/* Building. */

/** A program under construction. */
struct builder {
    struct tcplan_program *program;
    struct tcplan_error *error;
    enum tcplan_status status;
};

static struct operation *build_body(struct builder *builder, const struct tcplan_node *node, struct operation *parent);

static void build_loop(struct builder *builder, struct operation *operation) {
    const struct tcplan_problem *problem = &builder->program->problem;
    const int index = operation->node->loop.index;
    operation->extent = problem->extent[index];
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        operation->step_bytes[t] = (ptrdiff_t)(problem->stride_elems[t][index] * (int64_t)problem->element_bytes);
    }
    operation->body = build_body(builder, operation->node->loop.body, operation);
    int64_t calls = 0;
    for (const struct operation *child = operation->body; child; child = child->next) calls += child->calls;
    if (!checked_mul_i64(calls, operation->extent, &operation->calls) && builder->status == TCPLAN_OK) {
        builder->status = error_set(builder->error, TCPLAN_NOT_APPLICABLE, "more kernel calls than can be counted");
    }
    operation->is_burst = operation->body && !operation->body->next && operation->body->kind == OPERATION_KERNEL;
}

static void build_kernel(struct builder *builder, struct operation *operation) {
    const struct tcplan_kernel_call *node = &operation->node->kernel;
    struct blas_call call;
    enum tcplan_status status = blas_call_lower(&call, builder->program->nest, node, &builder->program->problem, builder->error);
    if (status != TCPLAN_OK && builder->status == TCPLAN_OK) builder->status = status;
    operation->kernel = kernel_bind(&call, builder->program->problem.dtype);
    if (!operation->kernel.burst && builder->status == TCPLAN_OK) {
        builder->status =
            error_set(builder->error, TCPLAN_NOT_APPLICABLE, "%s has no routine for this kernel here", tcplan_provider_name(call.provider));
    }
    operation->calls = 1;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) operation->slice[t] = node->slice[t];
    builder->program->kernel = operation;
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
        operation->strided = strided_copy(&builder->program->problem, &operation->node->copy);
        break;
    case TCPLAN_NODE_SCALE:
        operation->kind = OPERATION_SCALE;
        operation->strided = strided_scale(&builder->program->problem, &operation->node->scale);
        break;
    }
}

static struct operation *build_body(struct builder *builder, const struct tcplan_node *node, struct operation *parent) {
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

static enum tcplan_status allocate_temporaries(struct tcplan_program *program, struct tcplan_error *error) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_slice whole = {.operand = (enum tcplan_operand)t, .temporary = true, .span = program->nest->temporary_span[t]};
        if (!whole.span) continue;
        /* Part of a tensor whose bytes fit an int64_t. */
        int64_t bytes = slice_elems(&program->problem, whole) * (int64_t)program->problem.element_bytes;
        program->temporary_bytes[t] = bytes;
        program->temporary[t] = base_aligned_alloc(TEMPORARY_ALIGNMENT, (size_t)bytes);
        if (!program->temporary[t]) {
            return error_set(error, TCPLAN_NO_MEMORY, "no memory for a temporary of %lld bytes", (long long)bytes);
        }
    }
    return TCPLAN_OK;
}

enum tcplan_status tcplan_program_build(struct tcplan_program **out, const struct tcplan_nest *nest, const struct tcplan_problem *problem,
                                        struct tcplan_error *error) {
    struct tcplan_program *program = base_alloc(sizeof *program);
    if (!program) return error_no_memory(error);
    *program = (struct tcplan_program){.nest = nest, .problem = *problem};
    struct builder builder = {.program = program, .error = error, .status = TCPLAN_OK};
    program->body = build_body(&builder, nest->body, NULL);
    for (const struct operation *o = program->body; o; o = o->next) program->calls += o->calls;
    if (builder.status == TCPLAN_OK) builder.status = allocate_temporaries(program, error);
    if (builder.status == TCPLAN_OK) {
        *out = program;
    } else {
        tcplan_program_free(program);
    }
    return builder.status;
}

void tcplan_program_free(struct tcplan_program *program) {
    if (!program) return;
    for (int t = 0; t < TCPLAN_OPERANDS; t++) base_free(program->temporary[t]);
    arena_free(&program->arena);
    base_free(program);
}

int64_t tcplan_program_calls(const struct tcplan_program *program) {
    return program->calls;
}

/* Running. */

static char *slice_pointer(const struct tcplan_program *program, struct tcplan_slice slice, struct tensor_pointers at) {
    return slice.temporary ? program->temporary[slice.operand] : at.tensor[slice.operand];
}

static void run_burst(const struct tcplan_program *program, const struct operation *kernel, struct tensor_pointers at,
                      const ptrdiff_t step_bytes[TCPLAN_OPERANDS], int64_t count) {
    const struct tcplan_slice *slice = kernel->slice;
    const enum tcplan_operand first = kernel->kernel.call.first;
    const enum tcplan_operand second = kernel->kernel.call.second;
    const struct kernel_operands operands = {.first = slice_pointer(program, slice[first], at),
                                             .second = slice_pointer(program, slice[second], at),
                                             .result = slice_pointer(program, slice[TCPLAN_C], at)};
    const struct kernel_steps steps = {.first = slice[first].temporary ? 0 : step_bytes[first],
                                       .second = slice[second].temporary ? 0 : step_bytes[second],
                                       .result = slice[TCPLAN_C].temporary ? 0 : step_bytes[TCPLAN_C]};
    kernel->kernel.burst(&kernel->kernel, operands, steps, count);
}

static const ptrdiff_t no_steps[TCPLAN_OPERANDS] = {0};

void program_repeat_kernel(const struct tcplan_program *program, struct tensor_pointers at, int64_t count) {
    run_burst(program, program->kernel, at, no_steps, count);
}

void program_apply(const struct tcplan_program *program, const struct operation *operation, struct tensor_pointers at) {
    if (operation->kind == OPERATION_COPY) {
        const struct tcplan_copy *copy = &operation->node->copy;
        strided_run_copy(&operation->strided, slice_pointer(program, copy->to, at), slice_pointer(program, copy->from, at));
    } else {
        strided_run_scale(&operation->strided, slice_pointer(program, operation->node->scale.slice, at));
    }
}

static struct tensor_pointers moved(struct tensor_pointers at, const struct operation *loop, int64_t iterations) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) at.tensor[t] += iterations * loop->step_bytes[t];
    return at;
}

/** One run of a stretch. */
struct runner {
    const struct tcplan_program *program;
    struct cursor *cursor;
};

static bool run_body(const struct runner *runner, struct operation *operation, int depth, struct tensor_pointers at);

/** A loop around nothing but a kernel: as many calls at once as loop and stretch allow. False when the stretch ends inside it. */
static bool run_burst_loop(const struct runner *runner, const struct operation *loop, int depth, struct tensor_pointers at) {
    struct cursor *cursor = runner->cursor;
    const int64_t start = cursor->resume ? cursor->iteration[depth] : 0;
    const int64_t rest = loop->extent - start;
    const int64_t count = rest < cursor->calls_left ? rest : cursor->calls_left;
    cursor->resume = false;
    run_burst(runner->program, loop->body, moved(at, loop, start), loop->step_bytes, count);
    cursor->calls_left -= count;
    cursor->iteration[depth] = start + count;
    cursor->at[depth + 1] = loop->body;
    return count == rest;
}

static bool run_loop(const struct runner *runner, const struct operation *loop, int depth, struct tensor_pointers at) {
    struct cursor *cursor = runner->cursor;
    if (loop->is_burst) return run_burst_loop(runner, loop, depth, at);
    int64_t i = cursor->resume ? cursor->iteration[depth] : 0;
    at = moved(at, loop, i);
    for (; i < loop->extent; i++) {
        if (!run_body(runner, loop->body, depth + 1, at)) {
            cursor->iteration[depth] = i;
            return false;
        }
        for (int t = 0; t < TCPLAN_OPERANDS; t++) at.tensor[t] += loop->step_bytes[t];
    }
    return true;
}

/** Runs one operation; false, with the cursor's place on this level still to be noted, when the stretch ends before it is through. */
static bool run_operation(const struct runner *runner, struct operation *operation, int depth, struct tensor_pointers at) {
    switch (operation->kind) {
    case OPERATION_LOOP: return run_loop(runner, operation, depth, at);
    case OPERATION_KERNEL:
        runner->cursor->resume = false;
        if (runner->cursor->calls_left == 0) return false;
        runner->cursor->calls_left--;
        run_burst(runner->program, operation, at, no_steps, 1);
        return true;
    case OPERATION_COPY:
    case OPERATION_SCALE:
        if (!operation->skipped) program_apply(runner->program, operation, at);
        return true;
    }
    return true;
}

/** Runs a list of operations, from the cursor's place on this level where a stretch is resumed. */
static bool run_body(const struct runner *runner, struct operation *operation, int depth, struct tensor_pointers at) {
    if (runner->cursor->resume) operation = runner->cursor->at[depth];
    for (; operation; operation = operation->next) {
        if (!run_operation(runner, operation, depth, at)) {
            runner->cursor->at[depth] = operation;
            return false;
        }
    }
    return true;
}

void program_run_calls(struct tcplan_program *program, struct cursor *cursor, int64_t calls, struct tensor_pointers base) {
    const struct runner runner = {.program = program, .cursor = cursor};
    cursor->calls_left = calls;
    while (run_body(&runner, program->body, 0, base)) {
        cursor->resume = false;
        if (cursor->calls_left == 0) return;
    }
    cursor->resume = true;
}

void tcplan_program_run(struct tcplan_program *program, const void *A, const void *B, void *C) {
    struct cursor cursor = {0};
    /* A and B are only read, but all three move alike. */
    const struct tensor_pointers base = {{(char *)(uintptr_t)A, (char *)(uintptr_t)B, C}};
    program_run_calls(program, &cursor, program->calls, base);
}

/* Places. */

/** Fills the temporaries that operations of one level read: the copies in before `until`, but for those left out of stretches. */
static void fill_temporaries(const struct tcplan_program *program, const struct operation *from, const struct operation *until,
                             struct tensor_pointers at) {
    for (const struct operation *o = from; o != until; o = o->next) {
        if (o->kind == OPERATION_COPY && !o->skipped && o->node->copy.to.temporary) program_apply(program, o, at);
    }
}

void program_seek(struct tcplan_program *program, struct cursor *cursor, int64_t position, struct tensor_pointers base) {
    struct operation *level = program->body;
    *cursor = (struct cursor){.resume = true};
    for (int depth = 0; depth < PROGRAM_MAX_DEPTH; depth++) {
        struct operation *operation = level;
        while (position >= operation->calls) {
            position -= operation->calls;
            operation = operation->next;
        }
        fill_temporaries(program, level, operation, base);
        cursor->at[depth] = operation;
        if (operation->kind != OPERATION_LOOP) return;
        const int64_t calls_each = operation->calls / operation->extent;
        cursor->iteration[depth] = position / calls_each;
        position %= calls_each;
        base = moved(base, operation, cursor->iteration[depth]);
        level = operation->body;
    }
}

struct tensor_pointers program_locate(const struct operation *operation, int64_t occurrence, struct tensor_pointers base) {
    for (const struct operation *loop = operation->parent; loop; loop = loop->parent) {
        base = moved(base, loop, occurrence % loop->extent);
        occurrence /= loop->extent;
    }
    return base;
}

double operation_occurrences(const struct operation *operation) {
    double occurrences = 1;
    for (const struct operation *loop = operation->parent; loop; loop = loop->parent) occurrences *= (double)loop->extent;
    return occurrences;
}

int64_t program_calls_before(const struct tcplan_program *program, const struct operation *operation, int64_t occurrence) {
    int64_t calls = 0;
    for (const struct operation *level = operation;; level = level->parent) {
        const struct operation *sibling = level->parent ? level->parent->body : program->body;
        for (; sibling != level; sibling = sibling->next) calls += sibling->calls;
        if (!level->parent) return calls;
        calls += occurrence % level->parent->extent * (level->parent->calls / level->parent->extent);
        occurrence /= level->parent->extent;
    }
}
