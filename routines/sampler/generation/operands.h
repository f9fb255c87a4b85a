/**
 * Prepares the calls of cases, and the memory of their operands.
 *
 * Calls are repeated thousands of times, many of them in place, so values are chosen that keep
 * their magnitude: numbers neither overflow nor become denormal. Triangular and symmetric matrices
 * are close to the identity (1 on the diagonal, about 1e-6 elsewhere, as a library might skip
 * zeros); all other numbers are random in [0.5, 1). For LAPACK's routines, which have an `info`,
 * overwritten operands are restored from a template before each execution, since their results are
 * not valid input. Pivots that are read (laswp) are for a matrix with as many rows as the leading
 * dimension, at most 5000; each is any row from its own on. The range of the pivots is not a size
 * of the routine.
 *
 * Each operand has two places, which calls that are not warm use in turn. The second is where a
 * loop over slices would continue (the next columns, the next elements, the next cache line of
 * vectors with a large increment); for triangular and symmetric matrices it is separate memory.
 */
#ifndef SAMPLER_GENERATION_OPERANDS_H
#define SAMPLER_GENERATION_OPERANDS_H

#include "routines/sampler/generation/cases.h"
#include "routines/sampler/timing/routine.h"
#include "tcplan/machine.h"

enum { OPERANDS_PLACES = 2, OPERANDS_RESTORED = 2 };

/** A case with its routine and the places of its operands. */
struct operands_case {
    const struct generation_case *of;
    struct routine routine;
    int64_t leading;
    int pool[SIGNATURE_MAX_ARGUMENTS];   /**< pool of each argument; -1: it has none */
    int source[SIGNATURE_MAX_ARGUMENTS]; /**< number of the pool that holds the template of each
                                            argument; -1: the argument is not restored */
};

struct operands;

/**
 * Reserves and fills the memory of cases.
 *
 * @param out         receives the operands; free with operands_free()
 * @param of          `count` cases, borrowed
 * @param leading     leading dimension of each case
 * @param provider    provider of the routines; tcplan's own do not depend on it
 * @param places      1: only the first place; or OPERANDS_PLACES
 * @param most_bytes  limit on backed memory; 0: none
 * @return TCPLAN_OK; TCPLAN_INVALID if the provider lacks a routine, or the domains need more
 *         memory; TCPLAN_NO_MEMORY
 */
enum tcplan_status operands_new(struct operands **out, const struct generation_case of[],
                                const int64_t leading[], int count, enum tcplan_provider provider,
                                int places, int64_t most_bytes, struct tcplan_error *error);

void operands_free(struct operands *operands);

/** Returns a bound case. */
const struct operands_case *operands_case(const struct operands *operands, int number);

/** Returns the bytes of memory of all pools. */
int64_t operands_bytes(const struct operands *operands);

/** The calls of one execution: those that restore the operands, and the timed call itself. They
 * contain pointers into this structure, so it must not be moved. */
struct operands_calls {
    int restored;
    struct call restore[OPERANDS_RESTORED];
    struct call call;
};

/** Prepares the calls of a case at some sizes, in one of the places. Returns a status of
 * call_prepare(). */
enum tcplan_status operands_prepare(struct operands_calls *out, const struct operands *operands,
                                    int number, const int64_t size[], int place,
                                    struct tcplan_error *error);

/**
 * Evicts the operands of a case at some sizes, in one of the places, from all caches and, if
 * `pages` is set, their pages from the TLBs.
 *
 * @return false if the processor has no instruction to evict cache lines
 */
bool operands_evict(const struct operands *operands, int number, const int64_t size[], int place,
                    int64_t line_bytes, bool pages);

#endif
