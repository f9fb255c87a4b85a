/**
 * Routines that can be called, and calls of them: prepares a call for the queue from a signature
 * and values.
 *
 * Routines are called through their Fortran symbols, all arguments by reference; lengths of letters
 * and texts follow them, as gfortran's do. Those that tcplan has itself are called the same way.
 */
#ifndef SAMPLER_ROUTINE_H
#define SAMPLER_ROUTINE_H

#include "routines/sampler/signatures/signature.h"
#include "tcplan/provider.h"

/** Arguments of a call, lengths included. */
enum { CALL_MAX_ARGUMENTS = 24 };

/** A routine of any type. */
typedef void routine_fn(void);

/** A routine of a provider. */
struct routine {
    const struct signature *signature;
    enum tcplan_provider provider;
    routine_fn *function; /**< of the signature's type */
};

/**
 * Finds the routine of a provider.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID if the provider is not there or lacks the routine
 */
enum tcplan_status routine_bind(struct routine *out, const struct signature *signature,
                                enum tcplan_provider provider, struct tcplan_error *error);

/**
 * Reads `dgemm` or `dgemm@blis` and binds it.
 *
 * @return as signature_find() and routine_bind(); the error marks the guilty part of the name
 */
enum tcplan_status routine_parse(struct routine *out, const char *name, struct tcplan_error *error);

/** A scalar argument: a number, or both parts of a complex one. */
struct call_scalar {
    double re, im;
};

/**
 * A call with all that it needs but its data. `argument` points into the struct itself: it must not
 * be moved or copied.
 */
struct call {
    struct routine routine;
    int64_t value[SIGNATURE_MAX_ARGUMENTS];
    int count; /**< of arguments, lengths included */
    void *argument[CALL_MAX_ARGUMENTS];
    _Alignas(16) unsigned char immediate[SIGNATURE_MAX_ARGUMENTS][16]; /**< flags, integers and
                                                                          scalars as the routine
                                                                          reads them */
    const int *pivots;   /**< a vector of row numbers that the routine reads; they are checked right
                            before it is called; NULL: none */
    int64_t pivot_count; /**< elements from the first to the last */
    int64_t pivot_step;
    int64_t pivot_most; /**< their maximum values: the leading dimension, which who knows less of
                           the memory behind the matrix may lower */
};

/**
 * Prepares a call.
 *
 * @param value   of each argument, see signature.h; checked by signature_check()
 * @param scalar  of each argument: scalars are read
 * @param data    of each argument: data, work and texts, of signature_extent() elements at least,
 *                borrowed. A scalar that has one is read from there; info without one is written
 *                into the call (call_info())
 * @return TCPLAN_OK; TCPLAN_INVALID if the values are refused or data is missing
 */
enum tcplan_status call_prepare(struct call *out, const struct routine *routine,
                                const int64_t value[], const struct call_scalar scalar[],
                                void *const data[], struct tcplan_error *error);

/** Makes the call once, and does not time it. */
void call_make(const struct call *call);

/** Returns the info of the call; 0 if it has none. */
int call_info(const struct call *call);

/** Whether the pivots that the routine reads are rows of its matrix; true if it reads none. */
bool call_pivots_are_good(const struct call *call);

#endif
