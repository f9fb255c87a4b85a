#include "cli/render/document.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/blas_advice.h"
#include "cli/providers.h"
#include "cli/render/algorithms/ranking_fields.h"

void document_open(struct document *document, const char *name) {
    document->kind->object(document, name);
    document->kind->integer(document, "schema", DOCUMENT_SCHEMA);
    document->kind->text(document, "tcplan", TCPLAN_VERSION_STRING);
}

static void write_cache(struct document *document, const struct tcplan_cache_level *cache) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "cache");
    kind->integer(document, "level", cache->level);
    kind->integer(document, "size_bytes", cache->size_bytes);
    if (cache->line_bytes > 0) kind->integer(document, "line_bytes", cache->line_bytes);
    if (cache->ways != 0) kind->integer(document, "ways", cache->ways);
    kind->integer(document, "shared_by", cache->shared_by);
    kind->end(document);
}

void document_machine(struct document *document, const struct tcplan_machine *machine) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "machine");
    if (*machine->cpu) kind->text(document, "cpu", machine->cpu);
    kind->integer(document, "cores", machine->cores);
    kind->integer(document, "processing_units", machine->processing_units);
    if (machine->memory_bytes > 0) kind->integer(document, "memory_bytes", machine->memory_bytes);
    kind->text(document, "source", machine->source);
    kind->list(document, "caches");
    for (int c = 0; c < machine->cache_count; c++) write_cache(document, &machine->cache[c]);
    kind->end(document);
    kind->end(document);
}

static void write_advice(struct document *document) {
    const char *advice = blas_advice(TCPLAN_PROVIDER_BLAS);
    if (advice) {
        document->kind->text(document, "advice", advice);
    } else {
        document->kind->absent(document, "advice");
    }
}

void document_blas(struct document *document, const struct tcplan_blas *blas) {
    const struct document_kind *kind = document->kind;
    const char *warning[BLAS_WARNINGS];
    kind->object(document, "blas");
    kind->text(document, "name", blas->name);
    kind->text(document, "version", blas->version);
    kind->text(document, "core", blas->core);
    write_advice(document);
    kind->end(document);
    document_providers(document);
    const int count = blas_warnings(warning);
    kind->sentences(document, "warnings", "warning", warning, count);
}

/** What `list`, `rank` and `measure` have in common. */
void document_contraction(struct document *document, const struct request *request,
                          const struct tcplan_problem *problem) {
    const struct document_kind *kind = document->kind;
    char *text = tcplan_contraction_text(request->contraction);
    document->writer->no_memory = document->writer->no_memory || !text;
    if (text) kind->text(document, "contraction", text);
    free(text);
    char *sizes = problem ? report_sizes(problem) : NULL;
    document->writer->no_memory = document->writer->no_memory || (problem && !sizes);
    if (sizes) kind->sizes(document, sizes);
    free(sizes);
    char *strides = tcplan_strides_text(request->contraction);
    document->writer->no_memory = document->writer->no_memory || !strides;
    if (strides && *strides) kind->text(document, "strides", strides);
    free(strides);
    kind->text(document, "dtype", tcplan_word(tcplan_words_dtypes, request->options->dtype));
    kind->text(document, "order", tcplan_word(tcplan_words_orders, request->options->order));
    kind->text(document, "space", tcplan_word(tcplan_words_spaces, request->options->space));
}

void document_load(struct document *document, const struct tcplan_load *load) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "load");
    kind->integer(document, "windows", load->windows);
    kind->integer(document, "disturbed", load->disturbed);
    kind->number(document, "lost_share", load->lost_share);
    if (load->other_cores >= 0) kind->number(document, "other_cores", load->other_cores);
    if (load->speed_share > 0) kind->number(document, "speed_share", load->speed_share);
    if (load->good_reference_seconds > 0) {
        kind->number(document, "good_reference_seconds", load->good_reference_seconds);
        kind->text(document, "reference", load->watches_memory ? "memory" : "core");
    }
    kind->end(document);
}

void document_memory(struct document *document, const struct options *options) {
    const struct document_kind *kind = document->kind;
    if (options->alignment_bytes > 0)
        kind->integer(document, "alignment_bytes", options->alignment_bytes);
    if (options->max_memory_bytes > 0)
        kind->integer(document, "max_memory_bytes", options->max_memory_bytes);
}

void document_planning(struct document *document, const struct options *options) {
    const struct document_kind *kind = document->kind;
    kind->text(document, "effort", tcplan_word(tcplan_words_efforts, options->effort));
    kind->text(document, "prefer", tcplan_word(tcplan_words_preferences, options->prefer));
    if (options->max_workspace_bytes > 0)
        kind->integer(document, "max_workspace_bytes", options->max_workspace_bytes);
    kind->integer(document, "seed", (int64_t)(options->seed & INT64_MAX));
    document_memory(document, options);
}

/** `count` is the whole `blas` space, and with candidates what is listed. */
static void write_counts(struct document *document, const struct listing *listing) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_candidate_list *candidates = listing->candidates;
    const uint64_t count = listing_count(listing);
    if (listing->counted && !listing->bounded && count <= INT64_MAX)
        kind->integer(document, "count", (int64_t)count);
    if (!candidates) return;
    kind->number(document, "candidate_count", candidates->generated);
    kind->number(document, "pruned_count", candidates->removed);
    if (candidates->oversized > 0) kind->number(document, "oversized_count", candidates->oversized);
    kind->boolean(document, "out_of_time", candidates->out_of_time);
}

void document_list_head(struct writer *writer, const struct listing *listing) {
    struct document *document = writer->document;
    if (!document) return;
    document_open(document, "list");
    document_contraction(document, listing->request, listing_problem(listing));
    document->kind->integer(document, "threads", listing->request->options->threads);
    write_counts(document, listing);
    document->kind->list(document, "algorithms");
}

void document_list_row(struct writer *writer, const struct listing *listing,
                       const struct row *row) {
    struct document *document = writer->document;
    if (!document) return;
    const struct ranked listed = {.row = *row};
    document->kind->object(document, "algorithm");
    fields_document(document, list_fields, RANKING_ROW, &listed);
    document->kind->nest(document, row, listing_problem(listing));
    document->kind->end(document);
}

void document_list_end(struct writer *writer, const struct listing *listing) {
    (void)listing;
    struct document *document = writer->document;
    if (!document) return;
    document->kind->end(document);
    document->kind->end(document);
}

void document_begin(struct writer *writer, const struct document_kind *kind) {
    struct document *document = base_alloc(sizeof *document);
    writer->no_memory = !document;
    if (!document) return;
    *document = (struct document){.kind = kind, .writer = writer};
    if (kind->open(document)) {
        writer->document = document;
    } else {
        writer->no_memory = true;
        base_free(document);
    }
}

void document_end(struct writer *writer) {
    struct document *document = writer->document;
    if (!document) return;
    while (document->depth > 0) document->kind->end(document);
    document->kind->close(document);
    base_free(document);
    writer->document = NULL;
}

void document_text_owned(struct document *document, const char *name, char *text) {
    if (text) {
        document->kind->text(document, name, text);
    } else {
        document->writer->no_memory = true;
    }
    free(text);
}

void document_core_states(struct document *document, const struct tcplan_core_states *states) {
    const struct document_kind *kind = document->kind;
    kind->object(document, "states");
    if (states->good_seconds > 0) {
        kind->number(document, "good_reference_seconds", states->good_seconds);
        kind->number(document, "ratio", states->ratio);
        kind->number(document, "slow_share", states->share);
    }
    if (states->other_cores >= 0) kind->number(document, "other_cores", states->other_cores);
    kind->end(document);
}
