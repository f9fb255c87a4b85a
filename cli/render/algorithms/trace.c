#include "cli/render/algorithms/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/indexset.h"
#include "base/quantity.h"
#include "base/strbuf.h"
#include "cli/render/common_fields.h"
#include "cli/render/text/table.h"

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
    if (!row_make(&out->row, &request->algorithm, request->contraction, out->problem.dtype))
        return error_no_memory(&failure);
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

/** Sorts the kernel's operands by increasing access distance. */
static void trace_order(const struct tcplan_call_class *call_class,
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

/** Returns whether the hardware is assumed to prefetch an operand, and why, as text that the caller
 * frees. */
static char *trace_prefetch_reason(const struct trace *trace, const struct tcplan_access *access) {
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
            strbuf_add(&out, "no: the loop over %s is not the innermost", name);
        }
    }
    return strbuf_finish(&out);
}

/** Returns the name of a class of calls, such as `first iterations of a, b`, with loops from the
 * outside in. The caller frees it. */
static char *trace_class_name(const struct trace *trace,
                              const struct tcplan_call_class *call_class) {
    struct strbuf out = {0};
    strbuf_add(&out, "%s", tcplan_word(tcplan_words_classes, call_class->kind));
    for (int l = call_class->loop; l >= 0 && l < trace->row.loop_count; l++) {
        strbuf_add(&out, "%s%s", l == call_class->loop ? " of " : ", ", trace->row.loop[l]);
    }
    return strbuf_finish(&out);
}

/** Returns whether a step accesses only part of its operand. */
static bool trace_is_partial(const struct tcplan_call_class *call_class,
                             const struct tcplan_setup_step *step) {
    return !step->remote && step->elems < call_class->access[step->operand].elems;
}

/**
 * Returns a setup in the notation of Peise (2017), `[816632], A[a,:], [163200], B[:,:,c]`, even if
 * it is redundant. The caller frees it. An apostrophe after an operand means that only one cache
 * line along the first dimension is accessed.
 */
static char *trace_setup_text(const struct trace *trace,
                              const struct tcplan_call_class *call_class) {
    struct strbuf out = {0};
    for (int s = 0; s < call_class->listed_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        strbuf_add(&out, "%s", s > 0 ? ", " : "");
        if (step->remote) {
            strbuf_add(&out, "[%lld]", (long long)step->elems);
            continue;
        }
        text_add_owned(&out,
                       tcplan_slice_text(trace->row.nest, call_class->access[step->operand].slice));
        if (trace_is_partial(call_class, step)) strbuf_add(&out, "'");
    }
    strbuf_add(&out, "%s", call_class->listed_count == 0 ? "none" : "");
    return strbuf_finish(&out);
}

/** Returns which cache sets the limit, and why. The caller frees the text. */
static char *trace_limit_reason(const struct trace *trace) {
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

/* Fields. */

/** An operand of a trace, a slice of it, or a step of a setup. */
struct traced {
    const struct trace *trace;
    const struct tcplan_call_class *call_class, *uncut;
    const struct tcplan_access *access;
    const struct tcplan_joined *collected;
    const struct tcplan_setup_step *step;
};

/** Returns the plural noun for elements, such as "doubles". */
static const char *trace_elements(const void *trace) {
    static const char *const words[] = {[TCPLAN_FLOAT] = "floats",
                                        [TCPLAN_DOUBLE] = "doubles",
                                        [TCPLAN_FLOAT_COMPLEX] = "complex",
                                        [TCPLAN_DOUBLE_COMPLEX] = "complex"};
    return words[((const struct trace *)trace)->problem.dtype];
}

static void each_step(struct field_visit *visit, const struct traced *of,
                      const struct tcplan_call_class *call_class) {
    for (int s = 0; s < call_class->listed_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        FIELD_VISIT(&(struct traced){
            .trace = of->trace, .access = &call_class->access[step->operand], .step = step});
    }
}

static void each_class(struct field_visit *visit, const struct trace *trace) {
    for (int c = 0; c < trace->analysis->class_count; c++)
        FIELD_VISIT(&(struct traced){.trace = trace,
                                     .call_class = &trace->analysis->call_class[c],
                                     .uncut = &trace->uncut->call_class[c]});
}

static struct field_value loops_of(const struct traced *r) {
    const struct row *row = &r->trace->row;
    const int loop = r->call_class->loop;
    return loop < 0 ? field_unknown() : field_names(row->loop + loop, row->loop_count - loop);
}

#define SLICE(of) field_owned(tcplan_slice_text(r->trace->row.nest, (of)->slice))
#define BYTES(elems) field_integer((int64_t)((size_t)(elems)*r->trace->problem.element_bytes))
#define OPERAND_STEP(value) field_if(!r->step->remote, value)

FIELD_GETTER(struct traced, distance,
             r->access->never ? field_word("never")
                              : field_printed("%lld", (long long)r->access->distance_elems))
FIELD_GETTER(struct traced, distance_bytes,
             r->access->never ? field_word("never")
                              : field_printed("%.0f", (double)r->access->distance_elems *(double)
                                                          r->trace->problem.element_bytes))

/* clang-format off */

#define COLLECTED(F, T) \
    F(T, slice, TEXT, SLICE(r->collected), "as A[:,k]", ALWAYS) \
    F(T, elements, INTEGER, field_integer(r->collected->elems), "elements of the slice", ALWAYS)

#define OPERAND(F, T) \
    F(T, slice, TEXT, SLICE(r->access), "as A[:,k]", COLUMN(1, "operand"), ALWAYS) \
    F(T, elements, INTEGER, field_integer(r->access->elems), "elements of the slice", COLUMN(2, ""), .unit = trace_elements, ALWAYS) \
    F(T, bytes, INTEGER, BYTES(r->access->elems), "size of the slice", COLUMN(3, "bytes"), .optional = '4', .hidden = true) \
    F(T, never_accessed, FLAG, field_flag(r->access->never), "whether the call is the first to access the slice", ALWAYS) \
    F(T, access_distance, INTEGER, field_if(!r->access->never, field_integer(r->access->distance_elems)), "elements accessed since the last access", \
      COLUMN(4, "access distance"), .shown = distance) \
    F(T, access_bytes, INTEGER, field_unknown(), "bytes accessed since the last access", COLUMN(5, "bytes"), \
      .shown = distance_bytes, .optional = '5', .hidden = true) \
    F(T, prefetched, FLAG, field_flag(r->access->prefetched), "whether the hardware prefetches the slice", ALWAYS) \
    F(T, shares_lines, FLAG, field_flag(r->access->shares_lines), "whether the slice shares cache lines with the previous slice", ALWAYS) \
    F(T, prefetch_distance, INTEGER, field_if(r->access->prefetched, field_integer(r->access->prefetch_distance_elems)), \
      "elements accessed since the prefetch of the slice", COLUMN(6, "prefetch distance")) \
    F(T, prefetch_bytes, INTEGER, field_if(r->access->prefetched, BYTES(r->access->prefetch_distance_elems)), \
      "bytes accessed since the prefetch of the slice", \
      COLUMN(7, "bytes"), .optional = '6', .hidden = true) \
    F(T, reason, TEXT, field_owned(trace_prefetch_reason(r->trace, r->access)), "reason for or against prefetching", COLUMN(8, "prefetched"), .hidden = true) \
    F(T, collection, LIST, FIELD_VISIT_ALL(r->access->collected_count, &(struct traced){.trace = r->trace, .collected = &r->access->collected[i]}), \
      "slices accessed since the last access to this slice", .item = "joined", .fields = collected_fields, ALWAYS)

#define STEP(F, T) \
    F(T, remote, FLAG, field_flag(r->step->remote), "whether the memory belongs to no operand", ALWAYS) \
    F(T, slice, TEXT, r->step->remote ? field_unknown() : SLICE(r->access), "as A[:,k]") \
    F(T, prefetch, FLAG, OPERAND_STEP(field_flag(r->step->prefetch)), "whether only one cache line along the first dimension is accessed") \
    F(T, elements, INTEGER, field_integer(r->step->elems), "number of accessed elements", ALWAYS)

#define CLASS(F, T) \
    F(T, kind, TEXT, FIELD_WORD(classes, r->call_class->kind), "kind of the calls", .words = tcplan_words_classes, ALWAYS) \
    F(T, loops, NAMES, loops_of(r), "loops in their first iteration") \
    F(T, calls, INTEGER, field_integer(r->call_class->calls), "number of calls", ALWAYS) \
    F(T, share, NUMBER, field_number((double)r->call_class->calls / (double)r->trace->analysis->calls), "share of all calls", ALWAYS) \
    F(T, redundant, FLAG, field_flag(r->call_class->setup_count == 0 && r->call_class->listed_count > 0), \
      "whether the setup accesses only operands of the kernel", ALWAYS) \
    F(T, cut, FLAG, field_flag(r->call_class->truncated), "whether the setup exceeds the limit", ALWAYS) \
    F(T, operands, LIST, FIELD_VISIT_ALL(TCPLAN_OPERANDS, &(struct traced){.trace = r->trace, .access = &r->call_class->access[i]}), \
      "operands of the kernel", .item = "operand", .fields = operand_fields, ALWAYS) \
    F(T, setup, LIST, each_step(visit, r, r->call_class), "accesses that recreate the caches before a call", .item = "access", .fields = step_fields, ALWAYS) \
    F(T, uncut_setup, LIST, each_step(visit, r, r->uncut), "setup without a limit", .item = "access", .fields = step_fields, ALWAYS)

#define TRACE(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, &r->problem}), "the contraction", .fields = asked_fields) \
    F(T, algorithm, TEXT, field_text(r->row.name), "name of the algorithm", ALWAYS) \
    F(T, kernel, TEXT, field_text(r->row.kernel), "name of the kernel, such as dgemm", ALWAYS) \
    F(T, provider, TEXT, field_text(r->row.provider), "library of the kernel", ALWAYS) \
    F(T, loops, NAMES, field_names(r->row.loop, r->row.loop_count), "loops, outermost first, such as c or a:8", ALWAYS) \
    F(T, calls, INTEGER, field_integer(r->analysis->calls), "calls of the kernel", ALWAYS) \
    F(T, stage, TEXT, FIELD_WORD(stages, r->options.stage), "stage of the analysis", .words = tcplan_words_stages, ALWAYS) \
    F(T, cache, TEXT, FIELD_WORD(cache_states, r->options.cache), "caches before the first call", .words = tcplan_words_cache_states, ALWAYS) \
    F(T, element_bytes, INTEGER, field_integer((int64_t)r->problem.element_bytes), "size of an element", ALWAYS) \
    F(T, line_bytes, INTEGER, field_integer(r->options.line_bytes), "size of a cache line", ALWAYS) \
    F(T, limit_bytes, NUMBER, field_number(r->options.limit_bytes), "limit of setups; absent: none") \
    F(T, limit_reason, TEXT, field_owned(trace_limit_reason(r)), "source of the limit", ALWAYS) \
    F(T, machine, OBJECT, FIELD_VISIT(&r->request->machine), "cores and caches", .fields = tcplan_machine_fields, ALWAYS) \
    F(T, classes, LIST, each_class(visit, r), "classes of calls", .item = "class", .fields = class_fields, ALWAYS)

/* clang-format on */

FIELD_TABLE(collected, traced, COLLECTED);
FIELD_TABLE(operand, traced, OPERAND);
FIELD_TABLE(step, traced, STEP);
FIELD_TABLE(class, traced, CLASS);
FIELD_TABLE(trace, trace, TRACE);

/** Visits the operands of a steady-state call, sorted by increasing access distance. */
static void each_ordered(const void *record, struct field_visit *visit) {
    const struct trace *trace = record;
    enum tcplan_operand order[TCPLAN_OPERANDS];
    trace_order(&trace->analysis->call_class[0], order);
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        FIELD_VISIT(&(struct traced){.trace = trace,
                                     .access = &trace->analysis->call_class[0].access[order[t]]});
}

static const struct field trace_operands = {.fields = operand_fields, .each = each_ordered};

/* Text. */

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
    writer_print_owned(writer, "", trace_limit_reason(trace), "\n");
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
    snprintf(quantity.text, sizeof quantity.text, "%s", counted(calls, "call").text);
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
        strbuf_add(&out, "%s", c > 0 ? " + " : "");
        text_add_owned(&out, tcplan_slice_text(trace->row.nest, access->collected[c].slice));
        strbuf_add(&out, " %lld", (long long)access->collected[c].elems);
    }
    strbuf_add(&out, "%s", access->collected_count == 0 ? "none" : "");
    return strbuf_finish(&out);
}

/** Adds a row to the table: a slice, and how its accesses were collected; implements
 * field_visit. */
static void print_collection(struct field_visit *visit, const void *record) {
    const struct traced *of = record;
    char *slice = tcplan_slice_text(of->trace->row.nest, of->access->slice);
    table_add(visit->table, "  ");
    table_add_owned(visit->table, slice);
    table_add_owned(visit->table, collection_text(of->trace, of->access));
}

/** Prints a table like table 6.2 of Peise (2017). */
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
    writer_print_owned(writer, "", trace_setup_text(trace, call_class), "\n");
}

static void print_class(struct writer *writer, const struct trace *trace, int number) {
    const struct tcplan_call_class *call_class = &trace->analysis->call_class[number];
    writer_print_owned(writer, "\n", trace_class_name(trace, call_class), "");
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

static void trace_print(struct writer *writer, const void *record) {
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

VIEW(trace, trace, "trace", trace_print,
     "Operand sizes, access distances and cache setups of an algorithm.");
