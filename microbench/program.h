/**
 * Bound nests: the executable form of a loop nest at given sizes, and a cursor that runs any stretch of it.
 *
 * A program is a tree of operations. A loop whose body is nothing but a kernel runs as one burst of calls; every other step costs a
 * switch and three pointer additions.
 */
#ifndef MICROBENCH_PROGRAM_H
#define MICROBENCH_PROGRAM_H

#include "base/arena.h"
#include "microbench/kernels.h"
#include "microbench/strided.h"
#include "tcplan/execute.h"

enum operation_kind { OPERATION_LOOP, OPERATION_KERNEL, OPERATION_COPY, OPERATION_SCALE };

/** Where the three tensors are at some point of the nest. */
struct tensor_pointers {
    char *tensor[TCPLAN_OPERANDS];
};

struct operation {
    struct operation *next;
    struct operation *parent; /**< the loop around it; NULL at the root */
    const struct tcplan_node *node;
    enum operation_kind kind;
    bool skipped;  /**< left out when a stretch is run: a predictor times it by itself */
    int64_t calls; /**< kernel calls of one execution, all iterations of a loop included */

    /* loop */
    int64_t extent;
    ptrdiff_t step_bytes[TCPLAN_OPERANDS];
    struct operation *body;
    bool is_burst; /**< the body is one kernel */

    /* kernel */
    struct kernel kernel;
    struct tcplan_slice slice[TCPLAN_OPERANDS];

    /* copy and scale */
    struct strided strided;
};

enum { PROGRAM_MAX_DEPTH = TCPLAN_MAX_INDICES + 1 };

/** A place between two kernel calls: the operation that comes next on every level, and the iteration its loop is in. */
struct cursor {
    bool resume; /**< false: start from the beginning */
    struct operation *at[PROGRAM_MAX_DEPTH];
    int64_t iteration[PROGRAM_MAX_DEPTH];
    int64_t calls_left; /**< of the stretch being run */
};

struct tcplan_program {
    const struct tcplan_nest *nest; /**< borrowed */
    struct tcplan_problem problem;
    struct operation *body;
    int64_t calls;
    struct operation *kernel; /**< the kernel operation */
    char *temporary[TCPLAN_OPERANDS];
    int64_t temporary_bytes[TCPLAN_OPERANDS];
    struct arena arena;
};

/** Places `cursor` before kernel call `position` (0 <= position < calls) and fills the temporaries that this call reads. */
void program_seek(struct tcplan_program *program, struct cursor *cursor, int64_t position, struct tensor_pointers base);

/** Runs the next `calls` kernel calls and every operation between them, starting over at the end of the nest. */
void program_run_calls(struct tcplan_program *program, struct cursor *cursor, int64_t calls, struct tensor_pointers base);

/** The pointers that `operation` sees in its `occurrence`-th execution (from 0). */
struct tensor_pointers program_locate(const struct operation *operation, int64_t occurrence, struct tensor_pointers base);

/** The kernel calls that one run makes before the `occurrence`-th execution of `operation`. */
int64_t program_calls_before(const struct tcplan_program *program, const struct operation *operation, int64_t occurrence);

/** How often one run of the program executes `operation`. */
double operation_occurrences(const struct operation *operation);

/** Makes `count` kernel calls on the same operands. */
void program_repeat_kernel(const struct tcplan_program *program, struct tensor_pointers at, int64_t count);

/** Executes a copy or a scaling once. */
void program_apply(const struct tcplan_program *program, const struct operation *operation, struct tensor_pointers at);

#endif
