/**
 * The output of `trace` for all formats: the dissertation's analysis of one algorithm.
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
    struct tcplan_analysis *uncut; /**< the same classes, with setups of any length */
};

/** Analyses the request's algorithm at its first size point; always free with trace_free(). */
enum tcplan_status trace_make(struct trace *out, const struct request *request);

void trace_free(struct trace *trace);

/** Sorts the kernel's operands by increasing access distance. */
void trace_order(const struct tcplan_call_class *call_class,
                 enum tcplan_operand order[TCPLAN_OPERANDS]);

/** Returns whether the hardware is assumed to prefetch an operand, and why; free with free(); NULL:
 * out of memory. */
char *trace_prefetch_reason(const struct trace *trace, const struct tcplan_access *access);

/** Returns the name of a class, as `first iterations of a, b`, with loops from the outside in; free
 * with free(); NULL: out of memory. */
char *trace_class_name(const struct trace *trace, const struct tcplan_call_class *call_class);

/**
 * Returns a setup in the dissertation's notation, `[816632], A[a,:], [163200], B[:,:,c]`, even if
 * redundant. An apostrophe after an operand means that only one cache line along the first
 * dimension is accessed. Free with free(); NULL: out of memory.
 */
char *trace_setup_text(const struct trace *trace, const struct tcplan_call_class *call_class);

/** Whether a step accesses only part of its operand. */
bool trace_is_partial(const struct tcplan_call_class *call_class,
                      const struct tcplan_setup_step *step);

/** Returns the cache of the limit and the reason; free with free(); NULL: out of memory. */
char *trace_limit_reason(const struct trace *trace);

/** An operand of a trace, a slice of it, or a step of a setup. */
struct traced {
    const struct trace *trace;
    const struct tcplan_call_class *call_class, *uncut;
    const struct tcplan_access *access;
    const struct tcplan_joined *collected;
    const struct tcplan_setup_step *step;
};

/** A list of struct traced: the operands of a steady call by increasing access distance. */
extern const struct field trace_operands;

/** Returns the elements of a trace, as "doubles". */
const char *trace_elements(const void *trace);

/** Its text. */
void trace_print(struct writer *writer, const void *record);

#endif
