/**
 * Finds routines in libraries, and prepares calls of them for the queue from a signature and
 * values.
 *
 * Routines are called by their Fortran symbols, with all arguments by reference; lengths of letters
 * and texts follow, as with gfortran. tcplan's own routines are called in the same way.
 */
#ifndef SAMPLER_ROUTINE_H
#define SAMPLER_ROUTINE_H

#include "routines/sampler/signatures/signature.h"
#include "tcplan/provider.h"

/** Maximum number of arguments of a call, including lengths. */
enum { CALL_MAX_ARGUMENTS = 24 };

/** The type of a pointer to any routine. */
typedef void routine_fn(void);

/** A routine of a provider. */
struct routine {
    const struct signature *signature;
    enum tcplan_provider provider;
    routine_fn *function; /**< the routine's function for the signature's type */
};

/**
 * Finds the routine of a provider.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the provider is unavailable or lacks the routine
 */
enum tcplan_status routine_bind(struct routine *out, const struct signature *signature,
                                enum tcplan_provider provider, struct tcplan_error *error);

/**
 * Finds a routine by a name such as `dgemm` or `dgemm@blis`.
 *
 * @return a status of signature_find() or routine_bind(); the error marks the faulty part of the
 *         name
 */
enum tcplan_status routine_parse(struct routine *out, const char *name, struct tcplan_error *error);

/** A scalar argument: a number, or both parts of a complex one. */
struct call_scalar {
    double re, im;
};

/**
 * A complete call except for its data. `argument` contains pointers into the structure itself, so
 * it must not be moved or copied.
 */
struct call {
    struct routine routine;
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    int count; /**< number of arguments, including lengths */
    void *argument[CALL_MAX_ARGUMENTS];
    _Alignas(16) unsigned char immediate[SIGNATURE_MAX_ARGUMENTS][16]; /**< flags, integers and
                                                                          scalars as the routine
                                                                          reads them */
    const int *pivots; /**< a vector of row numbers that the routine reads; checked right before it
                          is called; NULL: none */
    int64_t pivot_count; /**< number of pivots from the first to the last one, inclusive */
    int64_t pivot_step;
    int64_t pivot_most; /**< largest valid pivot: the leading dimension, or less if the memory after
                           the matrix is known to be smaller */
};

/**
 * Prepares a call.
 *
 * @param value   value of each argument, see signature.h; checked by signature_check()
 * @param scalar  scalar of each argument: scalars are read
 * @param data    data of each argument: data, work and texts, of at least signature_extent()
 *                elements, borrowed. A scalar with data is read from there; info without data is
 *                written into the call (call_info())
 * @return TCPLAN_OK; TCPLAN_INVALID if values are invalid or data is missing
 */
enum tcplan_status call_prepare(struct call *out, const struct routine *routine,
                                const int64_t value[], const struct call_scalar scalar[],
                                void *const data[], struct tcplan_error *error);

/** Makes the call once without timing it. */
void call_make(const struct call *call);

/** Returns the info of the call; 0 if it has none. */
int call_info(const struct call *call);

/** Returns whether the pivots that the routine reads are rows of its matrix; true if it reads none.
 */
bool call_pivots_are_good(const struct call *call);

#endif
