#include "microbench/program/program.h"

#include <assert.h>

int64_t operation_count(const struct operation *operation, const struct operation *leaf,
                        struct loop_state state) {
    if (operation == leaf) return 1;
    if (operation->kind != OPERATION_LOOP) return 0;
    const int64_t extent = operation_extent(operation, state);
    int64_t first = 0;
    int64_t last = 0;
    for (const struct operation *child = operation->body; child; child = child->next) {
        first += operation_count(child, leaf, state);
        if (operation->steps_of)
            last += operation_count(child, leaf, operation_inside(operation, state, extent - 1));
    }
    return operation->steps_of ? (extent - 1) * first + last : extent * first;
}

/** A level of the path from the root to an execution of `leaf`. */
struct descent {
    const struct operation *leaf;
    const struct operation *level; /* first operation of the level */
    struct operation *operation;   /* operation that the path enters */
    int64_t iteration;             /* iteration of the operation, if it is a loop */
    int64_t position; /* number of executions of `leaf` before the wanted one, counted from this
                         level */
    struct loop_state state; /* state of the loops around this level */
    struct tensor_pointers at;
};

/** Returns the executions of the leaf in one iteration of the current loop. */
static int64_t count_inside(const struct descent *descent, struct loop_state state) {
    int64_t count = 0;
    for (const struct operation *child = descent->operation->body; child; child = child->next) {
        count += operation_count(child, descent->leaf, state);
    }
    return count;
}

/** Finds the operation on this level, and its iteration, that contain the wanted execution of
 * the leaf. */
static void descend(struct descent *descent, struct operation *level) {
    int64_t count;
    assert(level); /* the leaf is on this level or below */
    descent->level = level;
    descent->operation = level;
    while (descent->position >=
           (count = operation_count(descent->operation, descent->leaf, descent->state))) {
        descent->position -= count;
        descent->operation = descent->operation->next;
        assert(descent->operation);
    }
    if (descent->operation == descent->leaf) return;
    /* Only the last iteration may contain fewer executions. */
    const int64_t each = count_inside(descent, descent->state);
    assert(each > 0);
    descent->iteration = descent->position / each;
    descent->position -= descent->iteration * each;
}

/** Enters the iteration that the descent has found, without advancing addresses. */
static void enter(struct descent *descent) {
    descent->state = operation_inside(descent->operation, descent->state, descent->iteration);
}

/** Enters the iteration that the descent has found, and advances the addresses to it. */
static void enter_at(struct descent *descent) {
    operation_move(&descent->at, descent->operation, descent->iteration);
    enter(descent);
}

static bool fills_temporary(const struct operation *operation) {
    const struct tcplan_node *node = operation->node;
    return (operation->kind == OPERATION_COPY && node->copy.to.temporary) ||
           (operation->kind == OPERATION_SCALE && node->scale.slice.temporary);
}

/** Fills the temporaries that operations of one level read: executes the copies and scalings before
 * the path, except skipped ones. */
static void fill_temporaries(const struct tcplan_program *program, const struct descent *descent) {
    for (const struct operation *o = descent->level; o != descent->operation; o = o->next) {
        if (fills_temporary(o) && !o->skipped)
            operation_apply(program, o, descent->state, &descent->at);
    }
}

void program_seek(struct tcplan_program *program, struct cursor *cursor, int64_t position,
                  struct tensor_pointers base) {
    struct descent descent = {.leaf = program->kernel, .position = position, .at = base};
    struct operation *level = program->body;
    program_write_ends(program, base.thread);
    *cursor = (struct cursor){.resume = true};
    for (int depth = 0; depth < PROGRAM_MAX_DEPTH; depth++) {
        descend(&descent, level);
        fill_temporaries(program, &descent);
        cursor->at[depth] = descent.operation;
        if (descent.operation->kind != OPERATION_LOOP) return;
        cursor->iteration[depth] = descent.iteration;
        enter_at(&descent);
        level = descent.operation->body;
    }
}

static bool is_within(const struct operation *operation, const struct operation *loop) {
    const struct operation *around = operation->parent;
    while (around && around != loop) around = around->parent;
    return around != NULL;
}

bool program_is_shared(const struct tcplan_program *program, const struct operation *operation) {
    return program->shared && is_within(operation, program->shared);
}

/** Between two shared loops, an operation is executed by each thread in every iteration of the
 * outer loop that the thread enters. */
static double largest_outer_share(const struct tcplan_program *program) {
    const int64_t extent = program->shared->extent;
    int64_t most = 0;
    for (int thread = 0; thread < program->sharing.threads; thread++) {
        const struct iterations part = sharing_outer_part(&program->sharing, extent, thread);
        if (part.end - part.begin > most) most = part.end - part.begin;
    }
    return (double)most / (double)extent;
}

double program_largest_share(const struct tcplan_program *program,
                             const struct operation *operation) {
    if (!program_is_shared(program, operation)) return 1;
    if (!program->inner)
        return (double)program->sharing.iterations / (double)program->shared->extent;
    if (!is_within(operation, program->inner)) return largest_outer_share(program);
    return (double)program->sharing.iterations /
           ((double)program->shared->extent * (double)program->sharing.inner);
}

/** Returns an iteration if it is in a part; otherwise, the iteration at the same distance within
 * the part. */
static int64_t moved_into(struct iterations part, int64_t iteration) {
    if (iteration >= part.begin && iteration < part.end) return iteration;
    return part.begin + iteration % (part.end - part.begin);
}

/** Moves a descent at the outer one of two shared loops, for an operation within the inner one;
 * returns the number of executions moved. */
static int64_t move_in_both(const struct tcplan_program *program, const struct descent *outer,
                            int thread) {
    const int64_t width = program->sharing.inner;
    const int64_t extent = operation_extent(program->shared, outer->state);
    struct descent inner = *outer;
    enter(&inner);
    descend(&inner, program->shared->body);
    const struct iterations part = sharing_part(&program->sharing, extent * width, thread);
    if (part.begin == part.end) return 0;
    const int64_t wanted = moved_into(part, outer->iteration * width + inner.iteration);
    const struct loop_state state = operation_inside(program->shared, outer->state, wanted / width);
    const int64_t last = operation_extent(program->inner, state) - 1;
    const int64_t iteration = wanted % width < last ? wanted % width : last;
    const struct descent there = {.leaf = inner.leaf, .operation = program->inner};
    const int64_t count = count_inside(&there, operation_inside(program->inner, state, iteration));
    const int64_t rest = inner.position < count ? inner.position : count - 1;
    const int64_t position = (wanted / width) * count_inside(outer, outer->state) +
                             iteration * count_inside(&there, state) + rest;
    const int64_t before = outer->iteration * count_inside(outer, outer->state) + outer->position;
    return position - before;
}

/** Moves a descent at the only shared loop, or at the outer one of two for an operation outside the
 * inner one; returns the number of executions moved. */
static int64_t move_in_one(const struct tcplan_program *program, const struct descent *descent,
                           int thread) {
    const struct operation *loop = program->shared;
    const struct iterations part =
        sharing_outer_part(&program->sharing, operation_extent(loop, descent->state), thread);
    if (part.begin == part.end) return 0;
    const int64_t iteration = moved_into(part, descent->iteration);
    const int64_t count = count_inside(descent, operation_inside(loop, descent->state, iteration));
    const int64_t rest = descent->position < count ? descent->position : count - 1;
    return (iteration - descent->iteration) * count_inside(descent, descent->state) + rest -
           descent->position;
}

int64_t program_share_occurrence(const struct tcplan_program *program, const struct operation *leaf,
                                 int64_t occurrence, int thread) {
    struct descent descent = {.leaf = leaf, .position = occurrence};
    if (!program->shared) return occurrence;
    descend(&descent, program->body);
    while (descent.operation != program->shared) {
        enter(&descent);
        descend(&descent, descent.operation->body);
    }
    const bool in_both = program->inner && is_within(leaf, program->inner);
    return occurrence + (in_both ? move_in_both(program, &descent, thread)
                                 : move_in_one(program, &descent, thread));
}

struct tensor_pointers program_locate(const struct tcplan_program *program,
                                      const struct operation *operation, int64_t occurrence,
                                      struct tensor_pointers base) {
    struct descent descent = {.leaf = operation, .position = occurrence, .at = base};
    descend(&descent, program->body);
    while (descent.operation != operation) {
        enter_at(&descent);
        descend(&descent, descent.operation->body);
    }
    return descent.at;
}

struct loop_state program_state(const struct tcplan_program *program,
                                const struct operation *operation, int64_t occurrence) {
    struct descent descent = {.leaf = operation, .position = occurrence};
    descend(&descent, program->body);
    while (descent.operation != operation) {
        enter(&descent);
        descend(&descent, descent.operation->body);
    }
    return descent.state;
}

bool program_is_at_border(const struct tcplan_program *program, const struct operation *operation,
                          int64_t occurrence) {
    return (program_state(program, operation, occurrence).partial & operation->partial_mask) != 0;
}

void program_iterations(const struct tcplan_program *program, const struct operation *leaf,
                        int64_t occurrence, int64_t at[TCPLAN_MAX_INDICES]) {
    struct descent descent = {.leaf = leaf, .position = occurrence};
    descend(&descent, program->body);
    while (descent.operation != leaf) {
        at[descent.operation->node->loop.index] = descent.iteration;
        enter(&descent);
        descend(&descent, descent.operation->body);
    }
}

double program_occurrences(const struct tcplan_program *program,
                           const struct operation *operation) {
    const struct loop_state outside = {0};
    double occurrences = 0;
    for (const struct operation *o = program->body; o; o = o->next)
        occurrences += (double)operation_count(o, operation, outside);
    return occurrences;
}

int64_t program_calls_before(const struct tcplan_program *program,
                             const struct operation *operation, int64_t occurrence) {
    struct descent descent = {.leaf = operation, .position = occurrence};
    int64_t calls = 0;
    for (struct operation *level = program->body;; level = descent.operation->body) {
        descend(&descent, level);
        for (const struct operation *o = descent.level; o != descent.operation; o = o->next) {
            calls += operation_count(o, program->kernel, descent.state);
        }
        if (descent.operation == operation) return calls;
        for (const struct operation *o = descent.operation->body; o; o = o->next) {
            calls += descent.iteration * operation_count(o, program->kernel, descent.state);
        }
        enter(&descent);
    }
}
