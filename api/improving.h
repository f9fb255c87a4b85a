/**
 * Plans that improve themselves. The first executions try a few algorithms in turn, on the
 * caller's data, and record their times; afterwards the plan uses the fastest. Every algorithm
 * computes the product, so no execution is wasted.
 */
#ifndef API_IMPROVING_H
#define API_IMPROVING_H

#include "api/plan.h"
#include "tcplan/rank.h"

/** A trial: one execution that tries an algorithm. */
struct trial {
    struct improving *improving;
    const struct plan_choice *choice;
    int number;
    double start_seconds;
};

/**
 * Makes a plan improve itself during its first `executions` executions. The candidates are the
 * first algorithms of the ranking that use as many threads as the plan: at most half as many as
 * executions, at most eight, and none expected to take more than three times as long as the first.
 * `out` is unchanged if there are fewer than two.
 *
 * @return TCPLAN_OK, TCPLAN_NO_MEMORY
 */
enum tcplan_status improving_new(struct improving **out, const struct tcplan_plan *plan,
                                 const struct tcplan_ranking *ranking, int executions,
                                 struct tcplan_error *error);

/** Returns candidate `number`, from 0; NULL if there are fewer. Any thread may call this at any
 * time. */
const struct plan_choice *improving_choice(const struct improving *improving, int number);

/** Begins a trial; returns false if none is left or another thread runs one. */
bool improving_begin(struct trial *out, struct improving *improving);

/** Ends a trial, and records the time since improving_start(). After the last trial, the plan uses
 * the fastest algorithm. */
void improving_end(const struct trial *trial, struct tcplan_plan *plan);

/** Starts the clock of a trial, after its preparation. */
void improving_start(struct trial *trial);

/** Ends a trial in which nothing was executed; the next trial repeats it. */
void improving_cancel(const struct trial *trial);

/** Ends a trial whose algorithm cannot be executed, and drops that algorithm. */
void improving_drop(const struct trial *trial);

/** Frees the candidates; NULL is fine. */
void improving_free(struct improving *improving);

#endif
