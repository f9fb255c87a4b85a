#include <stdlib.h>

#include "ast/nest/nest.h"
#include "base/error.h"
#include "routines/blocked/calls/calls.h"

struct tracer {
    const struct tcplan_blocked *blocked;
    tcplan_blocked_visit_fn *visit;
    void *context;
    bool no_memory;
};

/** Copies the sizes among the values of a call, in the order of its arguments. */
static void add_sizes(struct tcplan_blocked_call *out, const struct blocked_call *call) {
    for (int a = 0; a < call->signature->count && out->size_count < TCPLAN_CALL_SIZES; a++) {
        if (call->signature->argument[a].class != SIGNATURE_DIM) continue;
        out->size_name[out->size_count] = call->signature->argument[a].name;
        out->size[out->size_count++] = call->value[a];
    }
}

static bool trace_call(void *context, const struct blocked_call *call) {
    struct tracer *tracer = context;
    const struct tcplan_blocks *blocks = &tracer->blocked->blocks;
    const struct tcplan_call *node = &call->statement->node->call;
    struct strbuf statement = {0}, slices = {0};
    struct tcplan_blocked_call out = {
        .step = call->step + 1,
        .routine = call->signature->name,
        .letters = node->letters,
        .empty = call->empty,
        .is_own = call->signature->is_own,
        .flops = call->empty ? 0 : signature_flops(call->signature, call->value)};
    add_sizes(&out, call);
    nest_print_statement(&statement, blocks, node, tracer->blocked->dtype, NULL);
    nest_print_statement(&slices, blocks, node, tracer->blocked->dtype, call->values);
    char *const statement_text = strbuf_finish(&statement), *const slices_text =
                                                                strbuf_finish(&slices);
    tracer->no_memory = !statement_text || !slices_text;
    out.statement = statement_text;
    out.slices = slices_text;
    const bool goes_on = !tracer->no_memory && tracer->visit(tracer->context, &out);
    free(statement_text);
    free(slices_text);
    return goes_on;
}

enum tcplan_status tcplan_blocked_trace(const struct tcplan_blocked *blocked,
                                        const struct tcplan_blocked_sizes *sizes,
                                        tcplan_blocked_visit_fn *visit, void *context,
                                        struct tcplan_error *error) {
    struct tracer tracer = {.blocked = blocked, .visit = visit, .context = context};
    enum tcplan_status status = tcplan_blocked_check(blocked, sizes, error);
    if (status != TCPLAN_OK) return status;
    blocked_walk(blocked, sizes, trace_call, &tracer);
    return tracer.no_memory ? error_no_memory(error) : TCPLAN_OK;
}
