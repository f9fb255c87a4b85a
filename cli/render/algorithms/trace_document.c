#include <stdlib.h>

#include "cli/render/algorithms/trace.h"
#include "cli/render/document.h"

static void write_slice(struct document *document, const struct trace *trace,
                        struct tcplan_slice slice) {
    document_text_owned(document, "slice", tcplan_slice_text(trace->row.nest, slice));
}

static void write_access(struct document *document, const struct trace *trace,
                         const struct tcplan_access *access) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "operand");
    write_slice(document, trace, access->slice);
    kind->integer(document, "elements", access->elems);
    kind->boolean(document, "never_accessed", access->never);
    if (!access->never) kind->integer(document, "access_distance", access->distance_elems);
    kind->boolean(document, "prefetched", access->prefetched);
    kind->boolean(document, "shares_lines", access->shares_lines);
    if (access->prefetched)
        kind->integer(document, "prefetch_distance", access->prefetch_distance_elems);
    kind->list(document, "collection");
    for (int c = 0; c < access->collected_count; c++) {
        kind->object(document, "joined");
        write_slice(document, trace, access->collected[c].slice);
        kind->integer(document, "elements", access->collected[c].elems);
        kind->end(document);
    }
    kind->end(document);
    kind->end(document);
}

static void write_setup(struct document *document, const struct trace *trace, const char *name,
                        const struct tcplan_call_class *call_class) {
    const struct document_kind *kind = document->kind;
    kind->list(document, name);
    for (int s = 0; s < call_class->listed_count; s++) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        kind->object(document, "access");
        kind->boolean(document, "remote", step->remote);
        if (!step->remote) write_slice(document, trace, call_class->access[step->operand].slice);
        if (!step->remote) kind->boolean(document, "prefetch", step->prefetch);
        kind->integer(document, "elements", step->elems);
        kind->end(document);
    }
    kind->end(document);
}

static void write_class(struct document *document, const struct trace *trace, int number) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_call_class *call_class = &trace->analysis->call_class[number];
    const struct row *row = &trace->row;
    kind->object(document, "class");
    kind->text(document, "kind", tcplan_word(tcplan_words_classes, (int)call_class->kind));
    if (call_class->loop >= 0)
        kind->texts(document, "loops", row->loop + call_class->loop,
                    row->loop_count - call_class->loop);
    kind->integer(document, "calls", call_class->calls);
    kind->number(document, "share", (double)call_class->calls / (double)trace->analysis->calls);
    kind->boolean(document, "redundant",
                  call_class->setup_count == 0 && call_class->listed_count > 0);
    kind->boolean(document, "cut", call_class->truncated);
    kind->list(document, "operands");
    for (int t = 0; t < TCPLAN_OPERANDS; t++) write_access(document, trace, &call_class->access[t]);
    kind->end(document);
    write_setup(document, trace, "setup", call_class);
    write_setup(document, trace, "uncut_setup", &trace->uncut->call_class[number]);
    kind->end(document);
}

static void write_settings(struct document *document, const struct trace *trace) {
    const struct document_kind *kind = document->kind;
    kind->text(document, "algorithm", trace->row.name);
    kind->text(document, "kernel", trace->row.kernel);
    kind->text(document, "provider", trace->row.provider);
    kind->texts(document, "loops", trace->row.loop, trace->row.loop_count);
    kind->integer(document, "calls", trace->analysis->calls);
    kind->text(document, "stage", tcplan_word(tcplan_words_stages, (int)trace->options.stage));
    kind->text(document, "cache",
               tcplan_word(tcplan_words_cache_states, (int)trace->options.cache));
    kind->integer(document, "element_bytes", (int64_t)trace->problem.element_bytes);
    kind->integer(document, "line_bytes", trace->options.line_bytes);
    kind->number(document, "limit_bytes", trace->options.limit_bytes);
    document_text_owned(document, "limit_reason", trace_limit_reason(trace));
}

void document_trace(struct writer *writer, const struct trace *trace) {
    struct document *document = writer->document;
    if (!document) return;
    const struct document_kind *kind = document->kind;
    document_open(document, "trace");
    document_contraction(document, trace->request, &trace->problem);
    write_settings(document, trace);
    document_machine(document, &trace->request->machine);
    kind->list(document, "classes");
    for (int c = 0; c < trace->analysis->class_count; c++) write_class(document, trace, c);
    kind->end(document);
    kind->end(document);
}
