#include "cli/render/algorithms/trace.h"

#include <math.h>
#include <stdlib.h>

#include "base/indexset.h"
#include "base/quantity.h"
#include "base/strbuf.h"

enum tcplan_status trace_make(struct trace *out, const struct request *request) {
    const struct options *options = request->options;
    *out = (struct trace){.request = request,
                          .problem = request_problem(request, 0),
                          .options = tcplan_analysis_defaults(&request->machine)};
    out->options.stage = (enum tcplan_stage)options->stage;
    out->options.cache = (enum tcplan_cache_state)options->cache;
    if (options->limit_bytes > 0) out->options.limit_bytes = (double)options->limit_bytes;
    struct tcplan_analysis_options uncut = out->options;
    uncut.limit_bytes = INFINITY;
    if (!row_make(&out->row, &request->algorithm, request->contraction, out->problem.dtype)) {
        failure = (struct tcplan_error){.status = TCPLAN_NO_MEMORY, .message = "out of memory"};
        return TCPLAN_NO_MEMORY;
    }
    enum tcplan_status status = tcplan_analysis_build(&out->analysis, out->row.nest, &out->problem,
                                                      &out->options, &failure);
    if (status == TCPLAN_OK)
        status = tcplan_analysis_build(&out->uncut, out->row.nest, &out->problem, &uncut, &failure);
    return status;
}

void trace_free(struct trace *trace) {
    tcplan_analysis_free(trace->analysis);
    tcplan_analysis_free(trace->uncut);
    row_free(&trace->row);
}

void trace_order(const struct tcplan_call_class *call_class,
                 enum tcplan_operand order[TCPLAN_OPERANDS]) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        int place = t;
        for (; place > 0 && call_class->access[order[place - 1]].distance_elems >
                                call_class->access[t].distance_elems;
             place--) {
            order[place] = order[place - 1];
        }
        order[place] = (enum tcplan_operand)t;
    }
}

char *trace_prefetch_reason(const struct trace *trace, const struct tcplan_access *access) {
    const struct row *row = &trace->row;
    const struct tcplan_tensor *tensor = &row->nest->contraction->tensor[access->slice.operand];
    struct strbuf out = {0};
    if (trace->options.stage < TCPLAN_STAGE_PREFETCH) {
        strbuf_add(&out, "not considered");
    } else if (row->loop_count == 0) {
        strbuf_add(&out, "no: there is no loop");
    } else {
        const int index = trace->request->algorithm.loop[row->loop_count - 1];
        const char *name = row->loop[row->loop_count - 1];
        if (access->prefetched) {
            strbuf_add(&out, "yes: %s runs over the %s dimension", name,
                       access->shares_lines ? "first" : "second");
        } else if (access->slice.temporary || !indexset_has(tensor->indices, index)) {
            strbuf_add(&out, "no: does not vary with %s", name);
        } else {
            strbuf_add(&out, "no: %s runs further out", name);
        }
    }
    return strbuf_finish(&out);
}

char *trace_class_name(const struct trace *trace, const struct tcplan_call_class *call_class) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", tcplan_word(tcplan_words_classes, call_class->kind));
    for (int l = call_class->loop; l >= 0 && l < trace->row.loop_count; l++) {
        strbuf_add(&out, "%s%s", l == call_class->loop ? " of " : ", ", trace->row.loop[l]);
    }
    return strbuf_finish(&out);
}

bool trace_is_partial(const struct tcplan_call_class *call_class,
                      const struct tcplan_setup_step *step) {
    return !step->remote && step->elems < call_class->access[step->operand].elems;
}

char *trace_setup_text(const struct trace *trace, const struct tcplan_call_class *call_class) {
    struct strbuf out = {0};
    for (int s = 0; s < call_class->listed_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        strbuf_add(&out, "%s", s > 0 ? ", " : "");
        if (step->remote) {
            strbuf_add(&out, "[%lld]", (long long)step->elems);
            continue;
        }
        char *slice = tcplan_slice_text(trace->row.nest, call_class->access[step->operand].slice);
        strbuf_add(&out, "%s%s", slice ? slice : "", trace_is_partial(call_class, step) ? "'" : "");
        out.failed = out.failed || !slice;
        free(slice);
    }
    strbuf_add(&out, "%s", call_class->listed_count == 0 ? "none" : "");
    return strbuf_finish(&out);
}

char *trace_limit_reason(const struct trace *trace) {
    const struct tcplan_machine *machine = &trace->request->machine;
    struct strbuf out = {0};
    if (trace->request->options->limit_bytes > 0) {
        strbuf_add(&out, "given");
    } else if (machine->cache_count > 0) {
        const struct tcplan_cache_level *last = &machine->cache[machine->cache_count - 1];
        strbuf_add(&out, "5/4 of L%d, %s", last->level, quantity_bytes(last->size_bytes).text);
    } else {
        strbuf_add(&out, "no cache is reported");
    }
    return strbuf_finish(&out);
}
