/**
 * What `compare` found: contenders that ran in turns.
 */
#ifndef CLI_RENDER_ALGORITHMS_TURNS_H
#define CLI_RENDER_ALGORITHMS_TURNS_H

#include "cli/render/view.h"

/** Borrows all. */
struct compared {
    const struct request *request;
    const struct tcplan_problem *problem;
    const struct tcplan_turns *turns;
};

extern const struct view compared_view;

/** The list `contenders` of documents. */
struct in_turns {
    const struct tcplan_turns *turns;
    const struct tcplan_problem *problem;
};

extern const struct field in_turns_fields[];

/** What a contender is called, to be freed; NULL when memory is out. */
char *contender_name(const struct tcplan_contender *contender,
                     const struct tcplan_problem *problem);

/** Prints how many rounds there were, and "A is 1.32 ± 0.02 times faster than B", a sentence on
 * each contender but the fastest. */
void contenders_print(struct writer *writer, const struct tcplan_turns *turns,
                      const struct tcplan_problem *problem);

/** A contender by its name: `numpy`, `numpy-best`; false where it is none of these. */
bool contender_find(enum tcplan_contender_kind *out, const char *name);

#endif
