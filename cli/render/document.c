#include "cli/render/document.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/blas_advice.h"
#include "cli/providers.h"
#include "cli/render/algorithms/turns.h"

void document_open(struct document *document, const char *name) {
    document->kind->object(document, name);
    document->kind->integer(document, "schema", DOCUMENT_SCHEMA);
    document->kind->text(document, "tcplan", TCPLAN_VERSION_STRING);
}

static void write_copies(struct document *document, const struct row *row) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "copies");
    for (int c = 0; c < row->copy_count; c++) {
        kind->object(document, "copy");
        kind->text(document, "operand", row->copy[c].operand);
        if (row->copy[c].inside) kind->text(document, "inside", row->copy[c].inside);
        if (row->copy[c].turned) kind->boolean(document, "turned", true);
        if (row->copy[c].streamed) kind->boolean(document, "streamed", true);
        kind->end(document);
    }
    kind->end(document);
}

static void write_row_head(struct document *document, const struct row *row) {
    document->kind->text(document, "name", row->name);
    document->kind->text(document, "kernel", row->kernel);
    document->kind->text(document, "provider", row->provider);
    document->kind->texts(document, "loops", row->loop, row->loop_count);
}

/** An estimate has none among what was timed. */
static void write_interval(struct document *document, const struct report *report,
                           const struct tcplan_entry *entry) {
    if (entry->basis == TCPLAN_BASIS_ESTIMATE && !report->ranking->is_untimed) return;
    document->kind->number(document, "predicted_low", entry->prediction.low);
    document->kind->number(document, "predicted_high", entry->prediction.high);
}

/** Where the times in an estimate are from. */
static void write_sources(struct document *document, const struct tcplan_entry *entry) {
    const char *kernel = tcplan_word(tcplan_words_time_sources, (int)entry->kernel_source);
    const char *copies = tcplan_word(tcplan_words_time_sources, (int)entry->copy_source);
    if (*kernel) document->kind->text(document, "kernel_time", kernel);
    if (*copies) document->kind->text(document, "copy_time", copies);
}

static void write_prediction(struct document *document, const struct report *report,
                             const struct tcplan_entry *entry) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_estimate *prediction = &entry->prediction;
    kind->number(document, "predicted_seconds", prediction->seconds);
    write_interval(document, report, entry);
    if (entry->good_seconds > 0) kind->number(document, "good_seconds", entry->good_seconds);
    if (entry->good_seconds > 0) kind->number(document, "follows", entry->follows);
    kind->number(document, "predicted_gflops", report_gflops(report, prediction->seconds));
    char basis[REPORT_BASIS_CHARS];
    if (entry->basis != TCPLAN_BASIS_OTHER)
        kind->text(document, "basis", report_basis(basis, entry));
    if (entry->basis == TCPLAN_BASIS_ESTIMATE) write_sources(document, entry);
}

static void write_times(struct document *document, const struct report *report,
                        const struct tcplan_entry *entry) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_estimate *estimate = report_estimate(entry);
    if (entry->predicted) write_prediction(document, report, entry);
    if (entry->lower_bound_seconds > 0)
        kind->number(document, "lower_bound_seconds", entry->lower_bound_seconds);
    if (entry->predicted) kind->boolean(document, "compared", entry->compared);
    if (entry->predicted) kind->boolean(document, "tied", entry->tied);
    kind->boolean(document, "chosen", report_is_chosen(report, entry));
    if (entry->status == TCPLAN_ENTRY_MEASURED) {
        kind->number(document, "measured_seconds", entry->measured.seconds);
        kind->number(document, "measured_low", entry->measured.low);
        kind->number(document, "measured_high", entry->measured.high);
        if (entry->measured_good_seconds > 0)
            kind->number(document, "measured_good_seconds", entry->measured_good_seconds);
        kind->number(document, "measured_gflops", report_gflops(report, entry->measured.seconds));
    }
    if (!estimate) return;
    kind->integer(document, "samples", estimate->sample_count);
    kind->numbers(document, "sample_seconds", estimate->sample, estimate->sample_count);
}

/** What the dissertation's method timed. */
static void write_benchmarks(struct document *document, const struct tcplan_entry *entry) {
    const struct document_kind *kind = document->kind;
    if (!entry->predicted || entry->benchmark_count == 0) return;
    kind->list(document, "benchmarks");
    for (int b = 0; b < entry->benchmark_count; b++) {
        const struct tcplan_benchmark *benchmark = &entry->benchmark[b];
        kind->object(document, "benchmark");
        kind->text(document, "part", tcplan_word(tcplan_words_parts, benchmark->part));
        if (benchmark->part == TCPLAN_NODE_KERNEL)
            kind->text(document, "class", tcplan_word(tcplan_words_classes, benchmark->kind));
        if (benchmark->loop >= 0) kind->integer(document, "loop", benchmark->loop);
        kind->number(document, "calls", benchmark->calls);
        kind->number(document, "call_seconds", benchmark->seconds);
        kind->integer(document, "batch", benchmark->batch);
        kind->boolean(document, "shared", benchmark->shared);
        kind->end(document);
    }
    kind->end(document);
}

static void write_libraries(struct document *document, const struct tcplan_algorithm *algorithm) {
    enum tcplan_provider library[TCPLAN_ALGORITHM_LIBRARIES];
    const char *name[TCPLAN_ALGORITHM_LIBRARIES];
    const int count = tcplan_algorithm_libraries(algorithm, library);
    for (int l = 0; l < count; l++) name[l] = tcplan_provider_name(library[l]);
    document->kind->texts(document, "libraries", name, count);
}

static void write_entry(struct document *document, const struct report *report, size_t position) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_entry *entry = &report->ranking->entry[position];
    struct row row;
    if (!row_make(&row, &entry->algorithm, report->request->contraction,
                  report->ranking->problem.dtype)) {
        document->writer->no_memory = true;
        return;
    }
    kind->object(document, "algorithm");
    kind->integer(document, "rank", (int64_t)position + 1);
    write_row_head(document, &row);
    kind->integer(document, "threads", entry->threads);
    write_libraries(document, &entry->algorithm);
    kind->text(document, "status", tcplan_word(tcplan_words_entry_statuses, entry->status));
    kind->integer(document, "calls", entry->calls);
    write_times(document, report, entry);
    write_copies(document, &row);
    write_benchmarks(document, entry);
    kind->end(document);
    row_free(&row);
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

/** How many of the estimates have their kernels' times from where. */
static void write_time_sources(struct document *document, const struct tcplan_ranking *ranking) {
    size_t count[TCPLAN_TIME_SOURCES];
    if (!ranking->is_untimed || tcplan_ranking_time_sources(ranking, count) == 0) return;
    document->kind->object(document, "kernel_times");
    for (int s = TCPLAN_TIME_NONE + 1; s < TCPLAN_TIME_SOURCES; s++) {
        if (count[s] > 0)
            document->kind->integer(document, tcplan_word(tcplan_words_time_sources, s),
                                    (int64_t)count[s]);
    }
    document->kind->end(document);
}

/** Where the time of planning went; stages that took none are left out. */
static void write_planning(struct document *document, const struct tcplan_ranking *ranking) {
    const struct document_kind *kind = document->kind;
    kind->list(document, "planning");
    for (int s = 0; s < TCPLAN_PLANNING_STAGES; s++) {
        const struct tcplan_planning_part *part = &ranking->part[s];
        if (!(part->seconds > 0)) continue;
        kind->object(document, "part");
        kind->text(document, "stage", tcplan_word(tcplan_words_planning_stages, s));
        kind->number(document, "seconds", part->seconds);
        kind->number(document, "cpu_seconds", part->cpu_seconds);
        kind->integer(document, "steps", part->steps);
        kind->end(document);
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

static void write_settings(struct document *document, const struct report *report) {
    const struct document_kind *kind = document->kind;
    const struct options *options = report->request->options;
    const struct tcplan_ranking *ranking = report->ranking;
    kind->integer(document, "threads", options->threads);
    kind->text(document, "predictor", tcplan_word(tcplan_words_predictors, options->predictor));
    if (options->predictor == TCPLAN_PREDICT_THESIS)
        kind->text(document, "stage", tcplan_word(tcplan_words_stages, options->stage));
    if (options->limit_bytes > 0) kind->integer(document, "limit_bytes", options->limit_bytes);
    kind->text(document, "cache", tcplan_word(tcplan_words_cache_states, options->cache));
    kind->number(document, "flops", ranking->problem.flops);
    if (report->limit_seconds > 0) kind->number(document, "limit_seconds", report->limit_seconds);
    kind->number(document, "planning_seconds", ranking->planning_seconds);
    kind->number(document, "gemm_gflops", ranking->gemm_gflops);
    document_planning(document, options);
    kind->number(document, "algorithm_count", ranking->algorithm_count);
    if (options->space == TCPLAN_SPACE_FULL)
        kind->number(document, "candidate_count", ranking->candidate_count);
    if (ranking->oversized_count > 0)
        kind->number(document, "oversized_count", ranking->oversized_count);
    kind->number(document, "pruned_count", ranking->pruned_count);
    kind->number(document, "open_count", ranking->open_count);
    kind->boolean(document, "out_of_time", ranking->out_of_time);
    kind->integer(document, "tied_count", (int64_t)ranking->tied_count);
    kind->boolean(document, "compared", ranking->compared);
    kind->integer(document, "missed_count", (int64_t)ranking->missed_count);
    kind->integer(document, "not_applicable_count", (int64_t)report->not_applicable_count);
    document_load(document, &ranking->load); /* last: an element of XML, which takes no attributes
                                                once it has elements */
    write_planning(document, ranking);
    write_time_sources(document, ranking);
}

/** What the answer is compared with. */
static void write_baseline(struct document *document, const struct report *report) {
    const struct document_kind *kind = document->kind;
    const struct tcplan_problem *problem = &report->ranking->problem;
    const struct report_baseline baseline = report_baseline(report);
    if (!baseline.entry) return;
    kind->object(document, "baseline");
    document_text_owned(
        document, "name",
        tcplan_algorithm_name(&baseline.entry->algorithm, problem->contraction, problem->dtype));
    kind->number(document, "predicted_seconds", baseline.entry->prediction.seconds);
    write_interval(document, report, baseline.entry);
    if (baseline.entry->basis == TCPLAN_BASIS_ESTIMATE)
        kind->text(document, "basis", tcplan_word(tcplan_words_bases, baseline.entry->basis));
    kind->boolean(document, "compared", baseline.speedup > 0);
    if (baseline.entry->status == TCPLAN_ENTRY_MEASURED)
        kind->number(document, "measured_seconds", baseline.entry->measured.seconds);
    if (baseline.speedup > 0) kind->number(document, "speedup", baseline.speedup);
    kind->end(document);
}

void document_report(struct writer *writer, const struct report *report) {
    struct document *document = writer->document;
    if (!document) return;
    if (writer->written == 0 && writer->points > 1) document->kind->list(document, "rankings");
    document_open(document, "ranking");
    document_contraction(document, report->request, &report->ranking->problem);
    write_settings(document, report);
    write_baseline(document, report);
    document_machine(document, &report->request->machine);
    document_blas(document, &report->blas);
    document->kind->list(document, "algorithms");
    for (size_t e = 0; e < report->ranking->entry_count; e++) {
        if (report_lists(report, e)) write_entry(document, report, e);
    }
    document->kind->end(document);
    if (report->turns) document_contenders(document, report->turns, &report->ranking->problem);
    document->kind->end(document);
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
    document->kind->object(document, "algorithm");
    write_row_head(document, row);
    if (row->model_seconds >= 0)
        document->kind->number(document, "model_seconds", row->model_seconds);
    write_copies(document, row);
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
