/**
 * Bound nests: the executable form of a loop nest at given sizes, and a cursor from which any
 * number of its calls can be executed. A program is a tree of operations. A loop whose body is a
 * single kernel runs as one burst of calls; every other step costs a switch and three pointer
 * additions.
 */
#ifndef MICROBENCH_PROGRAM_H
#define MICROBENCH_PROGRAM_H

#include "base/arena.h"
#include "gen/lower/sharing.h"
#include "microbench/copy/strided.h"
#include "microbench/kernels/kernels.h"
#include "microbench/program/scratch.h"
#include "tcplan/program.h"

enum operation_kind { OPERATION_LOOP, OPERATION_KERNEL, OPERATION_COPY, OPERATION_SCALE };

/** The current addresses in the tensors, and offsets in the temporaries. */
struct tensor_pointers {
    char *tensor[TCPLAN_TENSORS]; /**< address in each tensor; without an addend, the last one is
                                     the result and does not advance */
    ptrdiff_t temporary_bytes[TCPLAN_OPERANDS];
    int thread; /**< number of the thread that owns the temporaries */
};

struct buffers;

/** Returns the starting addresses of a program on buffers: the first element of every tensor and
 * temporary. */
struct tensor_pointers program_base(const struct buffers *buffers);

/** Returns the starting addresses with the tensors at a placement, see buffers_shift_bytes(). */
struct tensor_pointers program_base_at(const struct buffers *buffers, int placement);

/** The state of the enclosing loops, as far as the operations inside depend on it. */
struct loop_state {
    unsigned partial; /**< bit t: tile t and all tiles around it are in their last step, which may
                         be smaller */
    uint64_t later;   /**< set of the loops that are past their first iteration */
};

struct operation {
    struct operation *next;
    struct operation *parent; /**< the enclosing loop; NULL at the root */
    const struct tcplan_node *node;
    enum operation_kind kind;
    bool skipped; /**< whether timed stretches skip the operation, because it is timed separately */
    int64_t calls; /**< kernel calls of one execution, including all iterations of a loop */

    /* for loops */
    int64_t extent;
    int64_t last_extent; /**< loop within a tile: its extent in the last step of the tile */
    unsigned points_of;  /**< loop within a tile: bit of the tile; 0: there is no tile, or its last
                            step is full */
    unsigned steps_of; /**< loop over the steps of a tile: bit of the tile, if the last step may be
                          smaller */
    unsigned steps_in; /**< loop over the steps of a tile: bit of the tile around it; in all but its
                          last step, all steps are full */
    ptrdiff_t step_bytes[TCPLAN_TENSORS];
    ptrdiff_t temporary_step_bytes[TCPLAN_OPERANDS];
    struct operation *body;
    bool is_burst; /**< whether the body is a single kernel */

    /* for kernels */
    struct kernel kernel; /**< kernel for the most frequent state of the loops */
    struct tcplan_slice slice[TCPLAN_OPERANDS];

    /* Data of copies and scalings. */
    struct strided strided;

    /* Variants for other states of the loops; NULL if there are none. */
    struct operation_variant *variant;
    int variant_count;
    unsigned partial_mask; /**< bit set of the tiles that the operation depends on */
    uint64_t first_of;     /**< set of the loops whose first iteration the operation depends on */
};

/** A kernel or copy in one state of the loops. */
struct operation_variant {
    unsigned partial;
    bool later;
    struct kernel kernel;
    struct strided strided;
    struct strided *more; /**< further boxes of the copy or scaling */
    int more_count;
};

enum { PROGRAM_MAX_DEPTH = TCPLAN_MAX_INDICES + 1 };

/** A place between two kernel calls: for every level, the next operation and the iteration of
 * its loop. These are read only when a run resumes. */
struct cursor {
    bool resume; /**< whether to resume at the members below; false: begins at the start of the
                    program */
    struct operation *at[PROGRAM_MAX_DEPTH];
    int64_t iteration[PROGRAM_MAX_DEPTH];
    int64_t calls_left; /**< calls that are left to execute */
};

struct tcplan_program {
    const struct tcplan_nest *nest; /**< borrowed */
    struct refined_problem problem;
    struct operation *body;
    int64_t calls;
    struct operation *kernel; /**< the kernel operation */
    char *temporary[TCPLAN_OPERANDS];
    char *ends; /**< buffers for partial lines of the result, see copy_shape_ends(), for each thread
                   that copies it */
    int64_t end_count; /**< number of buffers for one thread, each of STRIDED_END_BYTES */
    int end_threads;
    struct scratch *scratch; /**< memory of the temporaries; NULL: the program's own */
    bool is_apart; /**< whether temporaries and `ends` are in memory that program_place() receives
                    */
    int64_t temporary_bytes[TCPLAN_OPERANDS]; /**< bytes of each operand's temporaries for all
                                                 threads together */
    struct operation *shared; /**< parallel loop (the outer of two collapsed ones); NULL: one thread
                                 executes everything */
    struct operation *inner;  /**< inner of two collapsed loops; NULL: none */
    struct sharing sharing;
    bool streams; /**< whether the result is written by non-temporal stores, so that readers must
                     wait for a fence */
    bool only_scales; /**< whether there are no products: no body and no calls; a run scales the
                         result or copies the addend */
    struct strided scaling; /**< if only_scales: the block that is scaled or copied; unset if the
                               result stays unchanged */
    int64_t private_bytes[TCPLAN_OPERANDS]; /**< bytes between the temporaries of two threads; 0:
                                               all threads use the same temporary */
    struct arena arena;
};

/** Returns the kernel if the program is a single call, of the tensors themselves; else NULL. */
const struct kernel *program_single_kernel(const struct tcplan_program *program);

/** Code generated for a kernel call. */
typedef void program_code_fn(const void *first, const void *second, void *result);

/** A whole program that is a single loop of kernel calls on the tensors themselves, or one call.
 * It is a copy, independent of the program. */
struct program_burst {
    struct kernel kernel;
    struct kernel_steps steps;
    int64_t count;
    int threads; /**< number of threads of the kernel's provider in each call; 0: it has none */
    program_code_fn *code; /**< code generated for a call, which runs without the kernel's `burst`,
                         whose arguments take 20 ns to pass; NULL: none */
    kernel_general_fn *general; /**< kernel of the library, which runs without `burst`; NULL: none
                                 */
};

/**
 * Describes a program as a burst. Returns false if the program has other operations, several
 * variants of its kernel, an empty loop, a loop that threads share, or non-temporal stores.
 * @param threads  number of threads of the kernel's provider that each run borrows; 0: the present
 *   number
 */
bool program_burst_of(struct program_burst *out, const struct tcplan_program *program, int threads);

/** Runs a burst; any number of threads may do so at once. */
void program_burst_run(const struct program_burst *burst, const void *A, const void *B,
                       void *result);

/** Returns the generated code, which takes A and B in this order, if the program is a single call
 * of such code; otherwise NULL. */
program_code_fn *program_code(const struct tcplan_program *program);

/** Advances addresses by a number of iterations of a loop. */
void operation_move(struct tensor_pointers *at, const struct operation *loop, int64_t iterations);

/** Executes a copy or a scaling once, in a state of the loops around it. */
void operation_apply(const struct tcplan_program *program, const struct operation *operation,
                     struct loop_state state, const struct tensor_pointers *at);

/** Returns how often `leaf` is executed in one execution of `operation` (itself or a loop around
 * it), with the loops outside in `state`. */
int64_t operation_count(const struct operation *operation, const struct operation *leaf,
                        struct loop_state state);

/** Returns the extent of a loop in a state of the loops around it. */
int64_t operation_extent(const struct operation *loop, struct loop_state state);

/** Returns the state inside iteration `i` of a loop. */
struct loop_state operation_inside(const struct operation *loop, struct loop_state state,
                                   int64_t i);

/** Sets the iteration of every loop around `leaf` in its `occurrence`-th execution (from 0), by
 * index. */
void program_iterations(const struct tcplan_program *program, const struct operation *leaf,
                        int64_t occurrence, int64_t at[TCPLAN_MAX_INDICES]);

/**
 * Builds a program like tcplan_program_build(). Temporaries are in `scratch`, unless that is NULL;
 * it must outlive the program. Kernels are compiled for `maker`, which is not referenced
 * afterwards.
 */
enum tcplan_status program_build_on(struct tcplan_program **out, const struct tcplan_nest *nest,
                                    const struct tcplan_problem *problem, struct scratch *scratch,
                                    struct kernel_maker *maker, struct tcplan_error *error);

/** Builds a program like program_build_on() for a refined problem, whose extents may differ from
 * those of the problem as written. */
enum tcplan_status program_build_refined(struct tcplan_program **out,
                                         const struct tcplan_nest *nest,
                                         const struct refined_problem *problem,
                                         struct scratch *scratch, struct kernel_maker *maker,
                                         struct tcplan_error *error);

/**
 * Builds a program like tcplan_program_build() for a number of threads as in
 * tcplan_program_set_threads(), without memory for temporaries: call program_place() before it
 * runs.
 */
enum tcplan_status program_build_apart(struct tcplan_program **out, const struct tcplan_nest *nest,
                                       const struct tcplan_problem *problem, int threads,
                                       struct kernel_maker *maker, struct tcplan_error *error);

/** Returns the bytes of memory, with any alignment, that program_place() needs for a program of
 * program_build_apart(). 0: none; INT64_MAX: overflow. */
int64_t program_place_bytes(const struct tcplan_program *program);

/** Moves the temporaries to this memory, whatever it contains. Between two runs the memory may
 * change or be replaced. */
void program_place(struct tcplan_program *program, void *memory);

/** Runs like tcplan_program_run_adding(), but without checks. Pass the result as the addend if
 * the contraction has no addend or does not read it. */
void program_run_on(struct tcplan_program *program, const void *A, const void *B,
                    const void *addend, void *result);

/** Returns whether a program can use other factors: each must be 0 if the current one is 0, 1 if
 * that is 1, and neither otherwise. */
bool program_takes_factors(const struct tcplan_program *program, struct tcplan_scalar alpha,
                           struct tcplan_scalar beta);

/** Sets factors that program_takes_factors() accepts, in the program's type, for later runs. The
 * program's nest and contraction are unchanged. */
void program_set_factors(struct tcplan_program *program, struct tcplan_scalar alpha,
                         struct tcplan_scalar beta);

/** Sets the number of threads of the kernel's provider, see microbench/providers/threads.h; pass
 * the returned ticket to program_return_threads(). */
uint64_t program_borrow_threads(const struct tcplan_program *program, int threads);
void program_return_threads(const struct tcplan_program *program, uint64_t ticket);

/** Places `cursor` before kernel call `position` (0 <= position < calls) and fills the
 * temporaries that this call reads. Writes the elements that wait in `ends`. */
void program_seek(struct tcplan_program *program, struct cursor *cursor, int64_t position,
                  struct tensor_pointers base);

/** Runs the next `calls` kernel calls and every operation between them, wrapping around at the
 * end of the nest. */
void program_run_calls(struct tcplan_program *program, struct cursor *cursor, int64_t calls,
                       struct tensor_pointers base);

/** Writes the elements of a thread that wait in its buffers for the rest of their line, at the
 * end of a stretch. */
void program_write_ends(const struct tcplan_program *program, int thread);

/** Runs the program once, with all threads on the iterations of a shared loop. Non-temporal
 * stores are ordered afterwards. */
void program_run_whole(struct tcplan_program *program, struct tensor_pointers base);

/** Runs the program `times` times, as plans do. If the buffers move and there are several runs,
 * spreads them over the placements of the tensors, and ends with placement 0. */
void program_repeat(struct tcplan_program *program, const struct buffers *buffers, int64_t times);

/** Runs one thread's share of a program with a shared loop, like program_run_calls(). Operations
 * outside that loop must be skipped. */
void program_run_share(const struct tcplan_program *program, struct cursor *cursor, int64_t calls,
                       struct tensor_pointers base, int thread);

/** Returns the pointers of a thread: `base`, with the thread's own temporaries. */
struct tensor_pointers program_share_base(const struct tcplan_program *program,
                                          struct tensor_pointers base, int thread);

/**
 * Returns an execution (from 0) of `leaf`, inside the shared loop, that belongs to a thread:
 * `occurrence` if it belongs to the thread, otherwise the execution at the same distance from the
 * start of the thread's share. Without a shared loop, all executions belong to the first thread.
 */
int64_t program_share_occurrence(const struct tcplan_program *program, const struct operation *leaf,
                                 int64_t occurrence, int thread);

/**
 * Returns the largest share of an operation's executions that one thread has, counted in full
 * tiles. Returns 1 outside the shared loop, where threads wait for one of them or divide each
 * execution.
 */
double program_largest_share(const struct tcplan_program *program,
                             const struct operation *operation);

/** Returns whether an operation is inside the shared loop. */
bool program_is_shared(const struct tcplan_program *program, const struct operation *operation);

/** Returns whether threads divide a copy or scaling: it is outside the shared loop and large
 * enough. */
bool program_divides(const struct tcplan_program *program, const struct operation *operation);

/** Executes a thread's part of an operation that threads divide, for full tiles. */
void program_apply_part(const struct tcplan_program *program, const struct operation *operation,
                        struct tensor_pointers at, int thread);

/** Returns the pointers of `operation` in its `occurrence`-th execution (from 0). */
struct tensor_pointers program_locate(const struct tcplan_program *program,
                                      const struct operation *operation, int64_t occurrence,
                                      struct tensor_pointers base);

/** Returns whether the `occurrence`-th execution of `operation` is in the smaller last step of a
 * tile that it depends on; the first execution never is. */
bool program_is_at_border(const struct tcplan_program *program, const struct operation *operation,
                          int64_t occurrence);

/** Returns the state of the loops around the `occurrence`-th execution of `operation`. */
struct loop_state program_state(const struct tcplan_program *program,
                                const struct operation *operation, int64_t occurrence);

/** Returns the number of kernel calls in one run before the `occurrence`-th execution of
 * `operation`. */
int64_t program_calls_before(const struct tcplan_program *program,
                             const struct operation *operation, int64_t occurrence);

/** Returns how often one run of the program executes `operation`. */
double program_occurrences(const struct tcplan_program *program, const struct operation *operation);

/** Makes `count` kernel calls on the same operands. */
void program_repeat_kernel(const struct tcplan_program *program, struct tensor_pointers at,
                           int64_t count);

/** Executes a copy or a scaling once, of full tiles. */
void program_apply(const struct tcplan_program *program, const struct operation *operation,
                   struct tensor_pointers at);

#endif
