#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/algorithms/trace.h"
#include "cli/render/text/table.h"

const char *trace_elements(const void *trace) {
    static const char *const words[] = {[TCPLAN_FLOAT] = "floats",
                                        [TCPLAN_DOUBLE] = "doubles",
                                        [TCPLAN_FLOAT_COMPLEX] = "complex",
                                        [TCPLAN_DOUBLE_COMPLEX] = "complex"};
    return words[((const struct trace *)trace)->problem.dtype];
}

static void print_limit(struct writer *writer, const struct trace *trace) {
    const double limit = trace->options.limit_bytes;
    fputs("limit        ", writer->file);
    if (isinf(limit)) {
        fputs("none: ", writer->file);
    } else {
        fprintf(writer->file, "setups are cut at %.0f %s, %s: ",
                floor(limit / (double)trace->problem.element_bytes), trace_elements(trace),
                quantity_bytes(limit).text);
    }
    writer_print_owned(writer, trace_limit_reason(trace));
    fputs("\n", writer->file);
}

static void print_head(struct writer *writer, const struct trace *trace) {
    const struct tcplan_machine *machine = &trace->request->machine;
    format_text_problem(writer, &trace->problem);
    format_text_machine_name(writer->file, machine);
    fprintf(writer->file, "; lines of %lld bytes%s\n", (long long)trace->options.line_bytes,
            machine->line_assumed ? ", assumed" : "");
    print_limit(writer, trace);
    fprintf(writer->file, "analysis     up to stage %s, %s cache\n\n",
            tcplan_word(tcplan_words_stages, (int)trace->options.stage),
            tcplan_word(tcplan_words_cache_states, (int)trace->options.cache));
}

/** "1 call", "2 calls" */
static struct quantity calls_text(int64_t calls) {
    struct quantity quantity;
    snprintf(quantity.text, sizeof quantity.text, "%lld call%s", (long long)calls,
             calls == 1 ? "" : "s");
    return quantity;
}

static void print_nest(struct writer *writer, const struct trace *trace) {
    fprintf(writer->file, "%s, %s\n", trace->row.name, calls_text(trace->analysis->calls).text);
    writer_print_nest(writer, &trace->row, &trace->problem);
    fputs("\n", writer->file);
}

/** "A[:,:] 3200 + B[:,:,c] 3200" */
static char *collection_text(const struct trace *trace, const struct tcplan_access *access) {
    struct strbuf out = {0};
    for (int c = 0; c < access->collected_count; c++) {
        char *slice = tcplan_slice_text(trace->row.nest, access->collected[c].slice);
        strbuf_add(&out, "%s%s %lld", c > 0 ? " + " : "", slice ? slice : "",
                   (long long)access->collected[c].elems);
        out.failed = out.failed || !slice;
        free(slice);
    }
    strbuf_add(&out, "%s", access->collected_count == 0 ? "none" : "");
    return strbuf_finish(&out);
}

/** A field_visit. */
static void print_collection(struct field_visit *visit, const void *record) {
    const struct traced *of = record;
    char *slice = tcplan_slice_text(of->trace->row.nest, of->access->slice);
    table_add(visit->table, "  ");
    table_add_owned(visit->table, slice);
    table_add_owned(visit->table, collection_text(of->trace, of->access));
}

/** Table 6.2 of the dissertation. */
static void print_operands(struct writer *writer, const struct trace *trace) {
    struct table table = {.columns = "lll", .headless = true};
    struct field_visit visit = {.use = print_collection, .table = &table};
    fields_print_list(writer, &trace_operands, trace);
    fprintf(writer->file, "\ncollections M, %s\n", trace_elements(trace));
    trace_operands.each(trace, &visit);
    if (!table_print(&table, writer->file)) writer->no_memory = true;
}

static void print_setup(struct writer *writer, const struct trace *trace, const char *label,
                        const struct tcplan_call_class *call_class) {
    fprintf(writer->file, "    %-9s", label);
    writer_print_owned(writer, trace_setup_text(trace, call_class));
    fputs("\n", writer->file);
}

static void print_class(struct writer *writer, const struct trace *trace, int number) {
    const struct tcplan_call_class *call_class = &trace->analysis->call_class[number];
    fputs("\n", writer->file);
    writer_print_owned(writer, trace_class_name(trace, call_class));
    fprintf(writer->file, ": %s, %.4g %%\n", calls_text(call_class->calls).text,
            100 * (double)call_class->calls / (double)trace->analysis->calls);
    print_setup(writer, trace, "setup", &trace->uncut->call_class[number]);
    if (call_class->truncated) print_setup(writer, trace, "cut", call_class);
    if (call_class->setup_count == 0 && call_class->listed_count > 0) {
        fputs(
            "    redundant: each repetition has the same effect for the next, so the benchmark omits it\n",
            writer->file);
    }
}

static bool any_partial(const struct tcplan_analysis *analysis) {
    for (int c = 0; c < analysis->class_count; c++) {
        const struct tcplan_call_class *call_class = &analysis->call_class[c];
        for (int s = 0; s < call_class->listed_count; s++) {
            if (trace_is_partial(call_class, &call_class->setup[s])) return true;
        }
    }
    return false;
}

void trace_print(struct writer *writer, const void *record) {
    const struct trace *trace = record;
    print_head(writer, trace);
    print_nest(writer, trace);
    if (trace->analysis->class_count == 0) {
        fputs("nothing to multiply: every algorithm only scales the result\n", writer->file);
        return;
    }
    print_operands(writer, trace);
    for (int c = 0; c < trace->analysis->class_count; c++) print_class(writer, trace, c);
    if (any_partial(trace->uncut))
        fputs("\n': one cache line along the first dimension, which is prefetched\n", writer->file);
}
