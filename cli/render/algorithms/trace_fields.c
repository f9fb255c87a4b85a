#include "cli/render/algorithms/trace.h"
#include "cli/render/common_fields.h"

static void each_step(struct field_visit *visit, const struct traced *of,
                      const struct tcplan_call_class *call_class) {
    for (int s = 0; s < call_class->listed_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        FIELD_VISIT(&(struct traced){
            .trace = of->trace, .access = &call_class->access[step->operand], .step = step});
    }
}

static void each_collected(struct field_visit *visit, const struct traced *of) {
    for (int c = 0; c < of->access->collected_count; c++)
        FIELD_VISIT(&(struct traced){.trace = of->trace, .collected = &of->access->collected[c]});
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
    F(T, elements, INTEGER, field_integer(r->collected->elems), "its elements", ALWAYS)

#define OPERAND(F, T) \
    F(T, slice, TEXT, SLICE(r->access), "as A[:,k]", COLUMN(1, "operand"), ALWAYS) \
    F(T, elements, INTEGER, field_integer(r->access->elems), "its elements", COLUMN(2, ""), .unit = trace_elements, ALWAYS) \
    F(T, bytes, INTEGER, BYTES(r->access->elems), "its size", COLUMN(3, "bytes"), .optional = '4', .hidden = true) \
    F(T, never_accessed, FLAG, field_flag(r->access->never), "whether this is its first access", ALWAYS) \
    F(T, access_distance, INTEGER, field_if(!r->access->never, field_integer(r->access->distance_elems)), "elements accessed since its last access", \
      COLUMN(4, "access distance"), .shown = distance) \
    F(T, access_bytes, INTEGER, field_unknown(), "the same in bytes", COLUMN(5, "bytes"), .shown = distance_bytes, .optional = '5', .hidden = true) \
    F(T, prefetched, FLAG, field_flag(r->access->prefetched), "whether hardware prefetches it", ALWAYS) \
    F(T, shares_lines, FLAG, field_flag(r->access->shares_lines), "whether it shares cache lines with the previous slice", ALWAYS) \
    F(T, prefetch_distance, INTEGER, field_if(r->access->prefetched, field_integer(r->access->prefetch_distance_elems)), \
      "elements accessed since its prefetch", COLUMN(6, "prefetch distance")) \
    F(T, prefetch_bytes, INTEGER, field_if(r->access->prefetched, BYTES(r->access->prefetch_distance_elems)), "the same in bytes", \
      COLUMN(7, "bytes"), .optional = '6', .hidden = true) \
    F(T, reason, TEXT, field_owned(trace_prefetch_reason(r->trace, r->access)), "reason for or against prefetching", COLUMN(8, "prefetched"), .hidden = true) \
    F(T, collection, LIST, each_collected(visit, r), "slices accessed since its last access", .item = "joined", .fields = collected_fields, ALWAYS)

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
      "whether its setup accesses only the kernel's own operands", ALWAYS) \
    F(T, cut, FLAG, field_flag(r->call_class->truncated), "whether the setup exceeds the limit", ALWAYS) \
    F(T, operands, LIST, for (int t = 0; t < TCPLAN_OPERANDS; t++) FIELD_VISIT(&(struct traced){.trace = r->trace, .access = &r->call_class->access[t]}), \
      "operands of the kernel", .item = "operand", .fields = operand_fields, ALWAYS) \
    F(T, setup, LIST, each_step(visit, r, r->call_class), "accesses that recreate the caches before a call", .item = "access", .fields = step_fields, ALWAYS) \
    F(T, uncut_setup, LIST, each_step(visit, r, r->uncut), "setup without a limit", .item = "access", .fields = step_fields, ALWAYS)

#define TRACE(F, T) \
    F(T, asked, GROUP, FIELD_VISIT(&(struct asked){r->request, &r->problem}), "the contraction", .fields = asked_fields) \
    F(T, algorithm, TEXT, field_text(r->row.name), "name of the algorithm", ALWAYS) \
    F(T, kernel, TEXT, field_text(r->row.kernel), "name of its kernel, as dgemm", ALWAYS) \
    F(T, provider, TEXT, field_text(r->row.provider), "library of the kernel", ALWAYS) \
    F(T, loops, NAMES, field_names(r->row.loop, r->row.loop_count), "loops from the outside in, as c or a:8", ALWAYS) \
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

/** Visits the operands of a steady call by increasing access distance. */
static void each_ordered(const void *record, struct field_visit *visit) {
    const struct trace *trace = record;
    enum tcplan_operand order[TCPLAN_OPERANDS];
    trace_order(&trace->analysis->call_class[0], order);
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        FIELD_VISIT(&(struct traced){.trace = trace,
                                     .access = &trace->analysis->call_class[0].access[order[t]]});
}

const struct field trace_operands = {.fields = operand_fields, .each = each_ordered};

VIEW(trace, trace, "trace", trace_print,
     "Operand sizes, access distances and cache setups of an algorithm.");
