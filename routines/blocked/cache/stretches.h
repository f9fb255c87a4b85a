/**
 * Chooses the stretches of calls to be timed, and estimates the time of an algorithm from their
 * times (tcplan/blocked_windows.h). Pure functions of the sequence of calls.
 */
#ifndef BLOCKED_STRETCHES_H
#define BLOCKED_STRETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

enum { STRETCHES_MOST_STRATA = 64 };

/** A call of the sequence. */
struct stretch_call {
    int statement; /**< number of the call's statement, less than the number of statements */
    double work;   /**< an estimate proportional to the call's time, above 0 */
};

/** A stretch: calls [first, end) are timed, after the untimed calls [lead, first). */
struct stretch {
    int stratum;
    int64_t lead, first, end;
};

/** A sequence, divided into strata. Zero-initialise, then set the members up to `strata`. */
struct stretches {
    int64_t count;
    const struct stretch_call *call; /**< the calls, borrowed */
    int statements;
    int strata; /**< requested number of strata; at most the number of calls */
    int64_t begin[STRETCHES_MOST_STRATA + 1]; /**< number of the first call of each stratum,
                                                 followed by the number of calls */
    double *work;       /**< owned; for each stratum: the work of each statement */
    double *timed_work; /**< owned; for each stratum: the work of each statement's calls that were
                           timed in the current sample */
    double *timed;      /**< owned; for each stratum: the time of each statement's timed calls */
    bool *covered;      /**< owned; for each statement: whether it needs no stretch */
};

/** Divides the sequence; false if memory runs out. Free with stretches_free() in either case. */
bool stretches_init(struct stretches *stretches);

void stretches_free(struct stretches *stretches);

/** Drops the timings to begin a new sample. */
void stretches_begin(struct stretches *stretches);

/**
 * Returns the next stretch of a sample in a stratum. The stretch begins with a call, drawn with a
 * probability proportional to its work, of a statement that has no stretch in the stratum yet. It
 * continues while such statements follow, or calls of the same statement as the previous one. Its
 * warm-up reaches back until all statements of the stretch have occurred, but contains at most a
 * sixteenth of all work. Statements with less than a ten-thousandth of the stratum's work are
 * skipped.
 *
 * @return false if all statements of the stratum have had a stretch
 */
bool stretches_next(struct stretch *out, struct stretches *stretches, int stratum,
                    struct random *random);

/** Records the time of a call in a stretch. */
void stretches_note(struct stretches *stretches, int stratum, int64_t call, double ns);

/**
 * Merges the times of another attempt to time some calls. An undisturbed time settles its call; of
 * disturbed times the shortest counts. A long run therefore needs no attempt that is undisturbed
 * as a whole.
 *
 * @param ns time of each call; INFINITY before the first attempt
 * @param settled for each call, whether it has an undisturbed time; false before the first attempt
 * @return the number of calls that are not settled
 */
int64_t stretches_settle(double ns[], bool settled[], const double tried_ns[],
                         const bool disturbed[], int64_t count);

/**
 * Estimates the time of all calls from the recorded ones, in the unit of the recorded times. In
 * each stratum a statement's work takes time in proportion to its timed calls there; if there are
 * none, in proportion to its timed calls in other strata, or else to all timed calls.
 *
 * @param of_statement  receives the part of each statement; may be NULL
 */
double stretches_sum(const struct stretches *stretches, double of_statement[]);

/** Returns the work of calls [first, end). */
double stretches_work(const struct stretches *stretches, int64_t first, int64_t end);

#endif
