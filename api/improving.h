/**
 * Plans that improve themselves: each of the first executions runs another of a few algorithms,
 * once, on the caller's data, and its time is noted; afterwards the plan uses the fastest. An
 * execution computes the product whichever it runs, so nothing is computed twice.
 */
#ifndef API_IMPROVING_H
#define API_IMPROVING_H

#include "api/plan.h"
#include "tcplan/rank.h"

/** One execution that tries an algorithm. */
struct trial {
    struct improving *improving;
    const struct plan_choice *choice;
    int number;
    double start_seconds;
};

/**
 * Has a plan improve itself in so many executions: by the first algorithms of a ranking, as many as
 * can be tried twice, eight at most, of which none is expected to take three times as long as the
 * first. Nothing if there are not two.
 *
 * @return TCPLAN_OK, TCPLAN_NO_MEMORY
 */
enum tcplan_status improving_new(struct improving **out, const struct tcplan_plan *plan,
                                 const struct tcplan_ranking *ranking, int executions,
                                 struct tcplan_error *error);

/** Returns a choice to try, from number 0; any thread may call it at any time; NULL: there are not
 * so many. */
const struct plan_choice *improving_choice(const struct improving *improving, int number);

/** Begins a trial; false if none is to be made, or another thread makes one. */
bool improving_begin(struct trial *out, struct improving *improving);

/** Notes how long it took since improving_start(); after the last one, the plan adopts the
 * fastest. */
void improving_end(const struct trial *trial, struct tcplan_plan *plan);

/** The time from which a trial counts: its preparation does not. */
void improving_start(struct trial *trial);

/** Nothing was executed: the next execution tries the same. */
void improving_cancel(const struct trial *trial);

/** An algorithm that cannot be executed is tried no more. */
void improving_drop(const struct trial *trial);

/** Frees it; NULL is fine. */
void improving_free(struct improving *improving);

#endif
