/**
 * What `trace` prints: the dissertation's analysis of one algorithm, computed once for every
 * format.
 */
#ifndef CLI_RENDER_ALGORITHMS_TRACE_H
#define CLI_RENDER_ALGORITHMS_TRACE_H

#include "cli/render/algorithms/row.h"
#include "cli/render/view.h"

/** Borrows from the request. */
struct trace {
    const struct request *request;
    struct tcplan_problem problem;
    struct row row;
    struct tcplan_analysis_options options;
    struct tcplan_analysis *analysis;
    struct tcplan_analysis *uncut; /**< the same with setups of any length; its classes are the same
                                    */
};

/** Analyses the request's algorithm at its first size point; to be freed with trace_free() whatever
 * is returned. */
enum tcplan_status trace_make(struct trace *out, const struct request *request,
                              struct tcplan_error *error);

void trace_free(struct trace *trace);

/** The kernel's operands by rising access distance. */
void trace_order(const struct tcplan_call_class *call_class,
                 enum tcplan_operand order[TCPLAN_OPERANDS]);

/** Whether hardware is taken to prefetch an operand, and why (not), in a few words; to be freed
 * with free(), NULL when memory is out. */
char *trace_prefetch_reason(const struct trace *trace, const struct tcplan_access *access);

/** As in `first iterations of a, b`: the loops of a class of first iterations, from the outside in;
 * likewise. */
char *trace_class_name(const struct trace *trace, const struct tcplan_call_class *call_class);

/**
 * A setup in the dissertation's notation, `[816632], A[a,:], [163200], B[:,:,c]`, redundant or not;
 * an apostrophe behind an operand of which only one cache line along the first dimension is
 * accessed. Likewise.
 */
char *trace_setup_text(const struct trace *trace, const struct tcplan_call_class *call_class);

/** Whether a step accesses only part of its operand. */
bool trace_is_partial(const struct tcplan_call_class *call_class,
                      const struct tcplan_setup_step *step);

/** Which cache the limit is of and how it was chosen, in a few words; likewise. */
char *trace_limit_reason(const struct trace *trace);

/** What a trace says of an operand, a slice of it, or a step of a setup. */
struct traced {
    const struct trace *trace;
    const struct tcplan_call_class *call_class, *uncut;
    const struct tcplan_access *access;
    const struct tcplan_joined *collected;
    const struct tcplan_setup_step *step;
};

/** A list of struct traced: the operands of a steady call by rising access distance. */
extern const struct field trace_operands;

/** "doubles": the elements of a trace. */
const char *trace_elements(const void *trace);

/** Of a struct trace. */
extern const struct view trace_view;

/** Its text. */
void trace_print(struct writer *writer, const void *record);

#endif
