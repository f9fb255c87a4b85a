/**
 * The subject of a study: a contraction with its sizes, read from text. If the text is invalid,
 * the program ends with a message.
 */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include "tcplan/unstable.h"

struct subject {
    const char *notation; /**< notation of the contraction, borrowed */
    struct tcplan_contraction *contraction;
    struct tcplan_sizes *sizes;
};

/** Reads both texts; ends the program with a message if one is invalid. */
struct subject subject_open(const char *notation, const char *sizes);

/** Returns the problem of type double at size point `point`. */
struct tcplan_problem subject_problem(const struct subject *subject, int64_t point);

void subject_close(struct subject *subject);

/** Returns the effort with a name: quick, normal (also for unknown names) or thorough. */
enum tcplan_effort subject_effort(const char *name);

/** Ends the program with the message of `error` if `status` is not TCPLAN_OK. */
void subject_check(const char *notation, enum tcplan_status status,
                   const struct tcplan_error *error);

#endif
