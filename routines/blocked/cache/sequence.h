/**
 * The calls of an algorithm at some sizes, bound to memory whose content can be restored. They can
 * be timed one by one, in stretches or as a whole.
 *
 * The initial content of the matrices (tcplan_blocked_fill()) lets every call compute with normal
 * numbers, in whatever order calls are made. Therefore a stretch of calls in the middle of an
 * algorithm takes as long as if all earlier calls had been made, although its results differ.
 */
#ifndef BLOCKED_SEQUENCE_H
#define BLOCKED_SEQUENCE_H

#include "cachesim/call_history.h"
#include "routines/blocked/run/binding.h"

enum { SEQUENCE_MOST_CALLS = 100000 };

/** A call that is made; empty calls are omitted. */
struct sequence_call {
    int statement; /**< number of the statement in the algorithm's text that makes the call */
    int alike;    /**< number of its group: calls with the same statement and arguments are alike */
    int64_t step; /**< step of the outermost loop */
    double flops; /**< operations; 0: the call only moves data, or is one of tcplan's own routines
                   */
    double work;  /**< an estimate proportional to the call's time: operations, moved bytes, and a
                     constant overhead */
    struct call_accesses accesses;
    struct call call; /**< the call, bound to the sequence's memory */
};

struct sequence {
    const struct tcplan_blocked *blocked; /**< the algorithm, borrowed */
    struct tcplan_blocked_sizes sizes;
    struct binding binding;
    char *memory[TCPLAN_MAX_MATRICES]; /**< memory of each matrix; NULL for temporaries, which the
                                          binding owns, and for empty matrices */
    char *first[TCPLAN_MAX_MATRICES];  /**< initial content of each matrix */
    struct blocked_extent extent[TCPLAN_MAX_MATRICES];
    int64_t count;
    struct sequence_call *call;
    int64_t alike_count;
    int64_t *example; /**< for each group, its first call */
    double whole_bytes;
    double work;
    int64_t step_calls; /**< maximum number of calls in a step */
};

/**
 * Lists the calls of an algorithm and prepares them.
 *
 * @param out receives the sequence; close with sequence_close() whatever is returned
 * @param blocked           borrowed while the sequence is used
 * @param sizes             leading dimensions of 0 become those of gapless matrices
 * @param max_memory_bytes  limit on the matrices and their copies; 0: none
 * @return TCPLAN_OK; a status of binding_open(); TCPLAN_INVALID if there are no calls, or more than
 *     SEQUENCE_MOST_CALLS, or matrices exceed the limit
 */
enum tcplan_status sequence_open(struct sequence *out, const struct tcplan_blocked *blocked,
                                 const struct tcplan_blocked_sizes *sizes,
                                 enum tcplan_provider provider, int64_t max_memory_bytes,
                                 struct tcplan_error *error);

void sequence_close(struct sequence *sequence);

/** Restores the initial content of all matrices, but not of temporaries. */
void sequence_restore(const struct sequence *sequence);

/** Restores the initial content of the data that calls [first, end) write. */
void sequence_restore_calls(const struct sequence *sequence, int64_t first, int64_t end);

/** Returns the last call before call `at` with the same statement; -1: none. */
int64_t sequence_previous(const struct sequence *sequence, int64_t at);

/** Checks the info of calls [first, end). Returns TCPLAN_ENVIRONMENT, with the routine's name, if
 * one is not 0, since the initial content should cause no error. */
enum tcplan_status sequence_check(const struct sequence *sequence, int64_t first, int64_t end,
                                  struct tcplan_error *error);

/** Writes the routine and the flags of a statement, as `dtrsm_RLTN`. */
void sequence_name(char *out, size_t size, const struct tcplan_blocked *blocked, int statement);

#endif
