/**
 * Places windows and evaluates them (tcplan/blocked_windows.h). Pure functions of the sequence of
 * calls.
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
    int statement; /**< below struct stretches' statements */
    double work;   /**< above 0 */
};

/** Calls [first, end) are timed, behind calls [lead, first). */
struct stretch {
    int stratum;
    int64_t lead, first, end;
};

/** A sequence, divided. Zero-initialise, then set the first members. */
struct stretches {
    int64_t count;
    const struct stretch_call *call; /**< borrowed */
    int statements;
    int strata;                               /**< wanted; at most the number of calls */
    int64_t begin[STRETCHES_MOST_STRATA + 1]; /**< of each stratum the first call; behind the last
                                                 one `count` */
    double *work;                             /**< owned: of each stratum that of each statement */
    double *timed_work; /**< owned, likewise: of the calls of a sample that were timed */
    double *timed;      /**< owned, likewise: what they took */
    bool *covered;      /**< owned: of each statement */
};

/** Divides the sequence; false if memory runs out. To be given to stretches_free() in any case. */
bool stretches_init(struct stretches *stretches);

void stretches_free(struct stretches *stretches);

/** Drops the timings: a sample begins. */
void stretches_begin(struct stretches *stretches);

/**
 * The next stretch of a sample in a stratum: it begins with a call, drawn by its work, of a
 * statement that no stretch there has had, and continues as long as such statements follow, or a
 * call like the one before. Its lead goes back until all its statements were met, but not beyond
 * the call that makes it more than a sixteenth of all work. Statements of less than a
 * ten-thousandth of the stratum's work are passed over.
 *
 * @return false if all of the stratum's statements were had
 */
bool stretches_next(struct stretch *out, struct stretches *stretches, int stratum,
                    struct random *random);

/** Notes that a call of a stretch took so long. */
void stretches_note(struct stretches *stretches, int stratum, int64_t call, double ns);

/**
 * Takes over the times of another try of some calls: each that nothing disturbed settles its call,
 * and of disturbed ones the shortest stays. Load is then no longer in a long run than in a short
 * stretch, of which a try may be quiet as a whole.
 *
 * @param ns       of each call; INFINITY before the first try
 * @param settled  of each call; false before the first try
 * @return how many calls are not settled
 */
int64_t stretches_settle(double ns[], bool settled[], const double tried_ns[],
                         const bool disturbed[], int64_t count);

/**
 * Estimates the time of all calls from the recorded ones, in their unit: of each statement, in each
 * stratum as long for a unit of its work as its calls there; of a statement that was not timed in a
 * stratum as in the others, or of none as all calls.
 *
 * @param of_statement  receives the part of each statement; may be NULL
 */
double stretches_sum(const struct stretches *stretches, double of_statement[]);

/** The work of calls [first, end). */
double stretches_work(const struct stretches *stretches, int64_t first, int64_t end);

#endif
