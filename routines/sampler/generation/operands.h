/**
 * The memory that cases' calls work on, and the calls on it.
 *
 * Calls are repeated thousands of times, many of them in place, so values are chosen to keep
 * their magnitude: numbers neither grow beyond all bounds nor sink to those so small that
 * arithmetic slows down. Triangular and symmetric matrices are next to the identity (1 on the
 * diagonal, about 1e-6 beside it: no zero that a library might skip); all else is random in [0.5,
 * 1). LAPACK's routines, which have an `info`, get their overwritten operands restored from a
 * template before each execution, as their results are no input of their kind. Pivots that are read
 * (laswp) are those of a matrix of as many rows as the leading dimension, 5000 at most, each any
 * row from its own on, and its matrix has these rows: how far a program's own pivots reach is no
 * size of the routine.
 *
 * Each operand has two places: calls that are not warm go from one to the other. The second is
 * where a loop over slices would continue - the columns behind, the elements behind, the next cache
 * line of vectors with a large increment - and of triangular and symmetric matrices memory of its
 * own.
 */
#ifndef SAMPLER_GENERATION_OPERANDS_H
#define SAMPLER_GENERATION_OPERANDS_H

#include "routines/sampler/generation/cases.h"
#include "routines/sampler/timing/routine.h"
#include "tcplan/machine.h"

enum { OPERANDS_PLACES = 2, OPERANDS_RESTORED = 2 };

/** A case with its routine and where its operands are. */
struct operands_case {
    const struct generation_case *of;
    struct routine routine;
    int64_t leading;
    int pool[SIGNATURE_MAX_ARGUMENTS];   /**< of each argument; -1: it has none */
    int source[SIGNATURE_MAX_ARGUMENTS]; /**< the template's; -1: it is not restored */
};

struct operands;

/**
 * Reserves and fills the memory of cases.
 *
 * @param out         receives it, to be freed with operands_free()
 * @param of          `count` cases, borrowed
 * @param leading     of each
 * @param provider    whose routines; tcplan's own do not depend on it
 * @param places      1: only the first is there; or OPERANDS_PLACES
 * @param most_bytes  that may be backed by memory; 0: any
 * @return TCPLAN_OK; TCPLAN_INVALID if the provider lacks a routine, or the domains need more
 *         memory; TCPLAN_NO_MEMORY
 */
enum tcplan_status operands_new(struct operands **out, const struct generation_case of[],
                                const int64_t leading[], int count, enum tcplan_provider provider,
                                int places, int64_t most_bytes, struct tcplan_error *error);

void operands_free(struct operands *operands);

/** A case as it was bound. */
const struct operands_case *operands_case(const struct operands *operands, int number);

/** Bytes of memory that all take. */
int64_t operands_bytes(const struct operands *operands);

/** The calls of one execution: what restores its operands, and the call itself. They point into
 * themselves and must not be moved. */
struct operands_calls {
    int restored;
    struct call restore[OPERANDS_RESTORED];
    struct call call;
};

/** Prepares the calls of a case at some sizes, in one of the places. Status as call_prepare(). */
enum tcplan_status operands_prepare(struct operands_calls *out, const struct operands *operands,
                                    int number, const int64_t size[], int place,
                                    struct tcplan_error *error);

/**
 * Takes the operands of a case at some sizes, in one of the places, out of all caches, and where
 * `pages` is set what the processor knows of the addresses of their pages as well.
 *
 * @return false where the processor has no instruction for that
 */
bool operands_evict(const struct operands *operands, int number, const int64_t size[], int place,
                    int64_t line_bytes, bool pages);

#endif
