/**
 * Bound nests: the executable form of a loop nest at given sizes, and a cursor that runs any
 * stretch of it.
 *
 * A program is a tree of operations. A loop whose body is nothing but a kernel runs as one burst of
 * calls; every other step costs a switch and three pointer additions.
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

/** Where the loops are in the tensors, and how far in the temporaries. */
struct tensor_pointers {
    char *tensor[TCPLAN_TENSORS]; /**< without an addend the last is the result, and stays where it
                                     is */
    ptrdiff_t temporary_bytes[TCPLAN_OPERANDS];
    int thread; /**< whose temporaries these are */
};

struct buffers;

/** Where a program begins that runs on buffers: at the first element of every tensor and temporary.
 */
struct tensor_pointers program_base(const struct buffers *buffers);

/** What the loops around an operation are in, as far as it matters to what is inside. */
struct loop_state {
    unsigned partial; /**< bit t: the last step of tile t, which may be smaller, and of all tiles
                         around it */
    uint64_t later;   /**< loops beyond their first iteration */
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
    int64_t last_extent; /**< in the last step of the tile that it is within */
    unsigned points_of;  /**< the bit of that tile; 0: it is within none, or the last step is as
                            large as all */
    unsigned steps_of;   /**< the bit of the tile whose steps it counts, where the last step may be
                            smaller */
    unsigned steps_in; /**< the bit of the tile within which it counts them, without whose last step
                          all of its own are full */
    ptrdiff_t step_bytes[TCPLAN_TENSORS];
    ptrdiff_t temporary_step_bytes[TCPLAN_OPERANDS];
    struct operation *body;
    bool is_burst; /**< the body is one kernel */

    /* kernel */
    struct kernel kernel; /**< most calls are of this variant */
    struct tcplan_slice slice[TCPLAN_OPERANDS];

    /* copy and scale */
    struct strided strided;

    /* what it is in other states of the loops; NULL where it is the same in all */
    struct operation_variant *variant;
    int variant_count;
    unsigned partial_mask; /**< the tiles that it depends on */
    uint64_t first_of;     /**< the loops whose first iteration it depends on */
};

/** A kernel or copy in one state of the loops. */
struct operation_variant {
    unsigned partial;
    bool later;
    struct kernel kernel;
    struct strided strided;
    struct strided *more; /**< the other boxes of a copy or scaling that is several */
    int more_count;
};

enum { PROGRAM_MAX_DEPTH = TCPLAN_MAX_INDICES + 1 };

/** A place between two kernel calls: the operation that comes next on every level, and the
 * iteration its loop is in; these are read where it resumes only. */
struct cursor {
    bool resume; /**< false: start from the beginning */
    struct operation *at[PROGRAM_MAX_DEPTH];
    int64_t iteration[PROGRAM_MAX_DEPTH];
    int64_t calls_left; /**< of the stretch being run */
};

struct tcplan_program {
    const struct tcplan_nest *nest; /**< borrowed */
    struct refined_problem problem;
    struct operation *body;
    int64_t calls;
    struct operation *kernel; /**< the kernel operation */
    char *temporary[TCPLAN_OPERANDS];
    char *ends; /**< of the result's rows, see copy_shape_ends(): of each thread that copies it */
    int64_t end_count; /**< of one thread */
    int end_threads;
    struct scratch *scratch; /**< where the temporaries are; NULL: in memory of their own */
    bool is_apart; /**< or in memory that program_place() was given, and so are the ends */
    int64_t temporary_bytes[TCPLAN_OPERANDS]; /**< of all threads */
    struct operation *shared; /**< the loop whose iterations threads share, the outer one of two;
                                 NULL: one thread does it all */
    struct operation *inner;  /**< the other one; NULL: one is shared */
    struct sharing sharing;
    bool streams; /**< some copy or result is written past the caches: who reads the result waits
                     for a fence */
    bool only_scales; /**< there is nothing to multiply: no body, no calls; a run scales the result,
                         or makes it of the addend */
    struct strided scaling; /**< what it then does; not where that keeps the result */
    int64_t private_bytes[TCPLAN_OPERANDS]; /**< from the temporary of one thread to that of the
                                               next; 0: all use the same */
    struct arena arena;
};

/** Code of a kernel that was made for its call, on the factors in the order of the notation. */
typedef void program_code_fn(const void *A, const void *B, void *result);

/** The code that a program consists of, where it is one call of such a kernel; NULL: it is more. */
program_code_fn *program_code(const struct tcplan_program *program);

/** Moves pointers by iterations of a loop. */
void operation_move(struct tensor_pointers *at, const struct operation *loop, int64_t iterations);

/** Executes a copy or a scaling once, in a state of the loops around it. */
void operation_apply(const struct tcplan_program *program, const struct operation *operation,
                     struct loop_state state, const struct tensor_pointers *at);

/** How often `leaf` is executed in one execution of `operation`, itself or a loop around it, while
 * the loops outside are in `state`. */
int64_t operation_count(const struct operation *operation, const struct operation *leaf,
                        struct loop_state state);

/** The extent of a loop in a state of those around it. */
int64_t operation_extent(const struct operation *loop, struct loop_state state);

/** The state inside iteration `i` of a loop. */
struct loop_state operation_inside(const struct operation *loop, struct loop_state state,
                                   int64_t i);

/** The iteration of every loop around `leaf` in its `occurrence`-th execution (from 0), by index.
 */
void program_iterations(const struct tcplan_program *program, const struct operation *leaf,
                        int64_t occurrence, int64_t at[TCPLAN_MAX_INDICES]);

/**
 * As tcplan_program_build(), with temporaries in `scratch` where it is not NULL, which then must
 * outlive the program, and kernels that a compiler has to make for `maker`, of which nothing is
 * kept.
 */
enum tcplan_status program_build_on(struct tcplan_program **out, const struct tcplan_nest *nest,
                                    const struct tcplan_problem *problem, struct scratch *scratch,
                                    struct kernel_maker *maker, struct tcplan_error *error);

/** The same of a problem that is refined already, at extents that need not be those of the problem
 * as it was written. */
enum tcplan_status program_build_refined(struct tcplan_program **out,
                                         const struct tcplan_nest *nest,
                                         const struct refined_problem *problem,
                                         struct scratch *scratch, struct kernel_maker *maker,
                                         struct tcplan_error *error);

/**
 * As tcplan_program_build() for a number of threads, as tcplan_program_set_threads() has it,
 * without memory for temporaries: program_place() gives it some before it runs.
 */
enum tcplan_status program_build_apart(struct tcplan_program **out, const struct tcplan_nest *nest,
                                       const struct tcplan_problem *problem, int threads,
                                       struct kernel_maker *maker, struct tcplan_error *error);

/** Bytes of memory, of any alignment, that such a program has to be given; 0: none; INT64_MAX: more
 * than can be counted. */
int64_t program_place_bytes(const struct tcplan_program *program);

/** Has the temporaries in so much memory from now on, whatever it holds; between two runs it may
 * change, and be other memory. */
void program_place(struct tcplan_program *program, void *memory);

/** As tcplan_program_run_adding() where all is known to be there: the addend is the result where
 * the contraction has none, or does not read it. */
void program_run_on(struct tcplan_program *program, const void *A, const void *B,
                    const void *addend, void *result);

/** Whether a program can have other factors: each is 0 where its own is, 1 where that is, or
 * neither. */
bool program_takes_factors(const struct tcplan_program *program, struct tcplan_scalar alpha,
                           struct tcplan_scalar beta);

/** Gives it such factors, which are numbers of its type, for the runs that follow. Its nest, and
 * the contraction of that, keep theirs. */
void program_set_factors(struct tcplan_program *program, struct tcplan_scalar alpha,
                         struct tcplan_scalar beta);

/** Has the provider of a program's kernel use so many threads, see microbench/providers/threads.h:
 * returns what program_return_threads() wants. */
uint64_t program_borrow_threads(const struct tcplan_program *program, int threads);
void program_return_threads(const struct tcplan_program *program, uint64_t ticket);

/** Places `cursor` before kernel call `position` (0 <= position < calls) and fills the temporaries
 * that this call reads. What waits in ends is written. */
void program_seek(struct tcplan_program *program, struct cursor *cursor, int64_t position,
                  struct tensor_pointers base);

/** Runs the next `calls` kernel calls and every operation between them, starting over at the end of
 * the nest. */
void program_run_calls(struct tcplan_program *program, struct cursor *cursor, int64_t calls,
                       struct tensor_pointers base);

/** Writes what a thread streamed and still waits for the rest of its line: where a stretch ends. */
void program_write_ends(const struct tcplan_program *program, int thread);

/** One run, the iterations of a shared loop by all of its threads. What it streamed is in order.
 */
void program_run_whole(struct tcplan_program *program, struct tensor_pointers base);

/** What a thread takes of a program with a shared loop, as program_run_calls() does all of it. Only
 * what is inside that loop may be left unskipped. */
void program_run_share(const struct tcplan_program *program, struct cursor *cursor, int64_t calls,
                       struct tensor_pointers base, int thread);

/** The pointers of a thread: those of the first, `base`, but with temporaries of its own. */
struct tensor_pointers program_share_base(const struct tcplan_program *program,
                                          struct tensor_pointers base, int thread);

/**
 * An execution (from 0) of `leaf`, which is inside the shared loop, in a thread's share: the
 * `occurrence`-th itself where it is there, else one as far into that share. Without a shared loop
 * every execution is in the first thread's.
 */
int64_t program_share_occurrence(const struct tcplan_program *program, const struct operation *leaf,
                                 int64_t occurrence, int thread);

/**
 * The executions of an operation by the thread that has most of them over all of them, where the
 * loops around are in full tiles; 1 outside of the shared loop, where all threads wait for one, or
 * divide each execution.
 */
double program_largest_share(const struct tcplan_program *program,
                             const struct operation *operation);

/** Whether an operation is inside the shared loop. */
bool program_is_shared(const struct tcplan_program *program, const struct operation *operation);

/** Whether threads divide a copy or scaling among them: outside of the shared loop, where it is
 * large enough. */
bool program_divides(const struct tcplan_program *program, const struct operation *operation);

/** A thread's part of it, of full tiles. */
void program_apply_part(const struct tcplan_program *program, const struct operation *operation,
                        struct tensor_pointers at, int thread);

/** The pointers that `operation` sees in its `occurrence`-th execution (from 0). */
struct tensor_pointers program_locate(const struct tcplan_program *program,
                                      const struct operation *operation, int64_t occurrence,
                                      struct tensor_pointers base);

/** Whether the `occurrence`-th execution of `operation` is in the last, smaller step of a tile that
 * it depends on; the first never is. */
bool program_is_at_border(const struct tcplan_program *program, const struct operation *operation,
                          int64_t occurrence);

/** The state of the loops around the `occurrence`-th execution of `operation`. */
struct loop_state program_state(const struct tcplan_program *program,
                                const struct operation *operation, int64_t occurrence);

/** The kernel calls that one run makes before the `occurrence`-th execution of `operation`. */
int64_t program_calls_before(const struct tcplan_program *program,
                             const struct operation *operation, int64_t occurrence);

/** How often one run of the program executes `operation`. */
double program_occurrences(const struct tcplan_program *program, const struct operation *operation);

/** Makes `count` kernel calls on the same operands. */
void program_repeat_kernel(const struct tcplan_program *program, struct tensor_pointers at,
                           int64_t count);

/** Executes a copy or a scaling once, of full tiles. */
void program_apply(const struct tcplan_program *program, const struct operation *operation,
                   struct tensor_pointers at);

#endif
