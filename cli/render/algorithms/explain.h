/**
 * The output of `explain` for all formats: the library's explanation with the names of its
 * algorithms.
 */
#ifndef CLI_RENDER_ALGORITHMS_EXPLAIN_H
#define CLI_RENDER_ALGORITHMS_EXPLAIN_H

#include "cli/render/algorithms/row.h"
#include "cli/render/view.h"

/** Borrows from the request and the explanation. */
struct explained_report {
    const struct request *request;
    const struct tcplan_explanation *explanation;
    struct row row[TCPLAN_EXPLAINED_SIDES];
};

/** Names the sides; false: out of memory. Always free with explained_report_free(). */
bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation);

void explained_report_free(struct explained_report *report);

/** Returns a reason as a sentence; free it with free(); NULL: out of memory. */
char *explain_sentence(const struct explained_report *report, const struct tcplan_reason *reason);

/** Returns "L2" or "memory"; `level` is an index as in struct tcplan_explained_operand. */
struct quantity explain_level(const struct tcplan_machine *machine, int level);

/** Returns "1", "7.2", "20000": a number that may be a mean. */
struct quantity explain_number(double number);

/** As quantity_seconds(), also for negative times. */
struct quantity explain_seconds(double seconds);

/** Returns a slice in the nest of a side; free it with free(); NULL: out of memory. */
char *explain_slice_text(const struct explained_report *report, const struct tcplan_explained *side,
                         struct tcplan_slice slice);

/** Returns `C~[:,:] := C[:,:,c]` or, for a scaling, its slice; free it with free(); NULL: out of
 * memory. */
char *explain_copy_text(const struct explained_report *report, const struct tcplan_explained *side,
                        const struct tcplan_explained_copy *copy);

/** Its text. */
void explain_print(struct writer *writer, const void *record);

#endif
