/**
 * What `explain` prints: the library's explanation with the names of its algorithms, the same for
 * every format.
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

/** Names the sides; false when memory is out. To be freed with explained_report_free() whatever is
 * returned. */
bool explained_report_make(struct explained_report *out, const struct request *request,
                           const struct tcplan_explanation *explanation);

void explained_report_free(struct explained_report *report);

/** A reason as one sentence; to be freed with free(), NULL when memory is out. */
char *explain_sentence(const struct explained_report *report, const struct tcplan_reason *reason);

/** "L2" or "memory"; the place in the machine's caches as in struct tcplan_explained_operand. */
struct quantity explain_level(const struct tcplan_machine *machine, int level);

/** "1", "7.2", "20000": a number that may be a mean. */
struct quantity explain_number(double number);

/** As quantity_seconds(), negative times too. */
struct quantity explain_seconds(double seconds);

/** A slice as the nest of a side has it; to be freed with free(), NULL when memory is out. */
char *explain_slice_text(const struct explained_report *report, const struct tcplan_explained *side,
                         struct tcplan_slice slice);

/** `C~[:,:] := C[:,:,c]` or, of a scaling, its slice; likewise. */
char *explain_copy_text(const struct explained_report *report, const struct tcplan_explained *side,
                        const struct tcplan_explained_copy *copy);

/** Of a struct explained_report. */
extern const struct view explained_view;

/** Its text. */
void explain_print(struct writer *writer, const void *record);

#endif
