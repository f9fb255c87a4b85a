/**
 * The calls of an algorithm at some sizes, bound to memory whose contents can be restored: for
 * timing one by one, in stretches or as a whole.
 *
 * The matrices' first contents (tcplan_blocked_fill()) are such that each call finds numbers that
 * it can compute with in whatever order calls are made: a stretch of calls in the middle of an
 * algorithm takes as long as after all the calls before it, although its results are others.
 */
#ifndef BLOCKED_SEQUENCE_H
#define BLOCKED_SEQUENCE_H

#include "cachesim/call_history.h"
#include "routines/blocked/run/binding.h"

enum { SEQUENCE_MOST_CALLS = 100000 };

/** A call that is made: empty ones are left out. */
struct sequence_call {
    int statement; /**< of the algorithm's text */
    int alike; /**< number among different ones: those of the same statement and arguments are alike
                */
    int64_t step; /**< of the outermost loop */
    double flops; /**< 0: it only moves data, or is one of tcplan's own */
    double work; /**< what its time is roughly proportional to: operations, bytes that it moves, and
                    what any call costs */
    struct call_accesses accesses;
    struct call call; /**< on the sequence's memory */
};

struct sequence {
    const struct tcplan_blocked *blocked; /**< borrowed */
    struct tcplan_blocked_sizes sizes;
    struct binding binding;
    char *memory[TCPLAN_MAX_MATRICES]; /**< NULL: for temporaries, which the binding has, and empty
                                          matrices */
    char *first[TCPLAN_MAX_MATRICES];  /**< the first contents of the same */
    struct blocked_extent extent[TCPLAN_MAX_MATRICES];
    int64_t count;
    struct sequence_call *call;
    int64_t alike_count;
    int64_t *example; /**< of each number of alike calls the first */
    double whole_bytes;
    double work;
    int64_t step_calls; /**< of the step that has most */
};

/**
 * Lists the calls of an algorithm and prepares them.
 *
 * @param out               receives it, to be closed with sequence_close() whatever is returned
 * @param blocked           borrowed as long as the sequence is used
 * @param sizes             leading dimensions of 0 become the matrices' own
 * @param max_memory_bytes  that matrices, twice, may take; 0: any
 * @return TCPLAN_OK; as binding_open(); TCPLAN_INVALID if there are more than SEQUENCE_MOST_CALLS
 *         calls, none, or matrices beyond the bound
 */
enum tcplan_status sequence_open(struct sequence *out, const struct tcplan_blocked *blocked,
                                 const struct tcplan_blocked_sizes *sizes,
                                 enum tcplan_provider provider, int64_t max_memory_bytes,
                                 struct tcplan_error *error);

void sequence_close(struct sequence *sequence);

/** Puts all matrices back to their first contents; temporaries stay. */
void sequence_restore(const struct sequence *sequence);

/** The same for the data that calls [first, end) write. */
void sequence_restore_calls(const struct sequence *sequence, int64_t first, int64_t end);

/** Returns the last call before number `at` that is of the same statement; -1: none. */
int64_t sequence_previous(const struct sequence *sequence, int64_t at);

/** Refuses what calls [first, end) reported in their info: TCPLAN_ENVIRONMENT with the routine, as
 * first contents are such that none should. */
enum tcplan_status sequence_check(const struct sequence *sequence, int64_t first, int64_t end,
                                  struct tcplan_error *error);

/** Writes `dtrsm_RLTN`, a statement's routine and letters. */
void sequence_name(char *out, size_t size, const struct tcplan_blocked *blocked, int statement);

#endif
